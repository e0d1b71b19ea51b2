"""The rows of the leaderboard: quality with its interval, rank, significance, cost."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from tsmdbench.analysis.bootstrap import intervals
from tsmdbench.analysis.cost import pareto
from tsmdbench.analysis.ranks import ranks
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.significance import Significance, significance
from tsmdbench.report.page.methods import Properties, properties

METRIC = "prom_f1"


@dataclass(frozen=True)
class Entry:
    """One method of the leaderboard; NaN where there is no value."""

    label: str
    method: str
    origin: str
    properties: Properties
    f1: float
    low: float
    high: float
    precision: float
    recall: float
    macro_f1: float
    rank: float
    cliques: str
    seconds: float
    failures: int
    runs: int
    datasets: int
    on_front: bool


def leaderboard(scores: Scores, tested: Significance | None = None) -> list[Entry]:
    """Return the methods, best mean F1 over datasets first.

    Every dataset weighs alike; a method that lacks datasets is averaged over those that
    it has, and the page says so.
    """
    tested = significance(scores, METRIC) if tested is None else tested
    means = {
        name: scores.means(metric).mean()
        for name, metric in (
            ("f1", METRIC),
            ("precision", "prom_precision"),
            ("recall", "prom_recall"),
            ("macro_f1", "prom_macro_f1"),
        )
    }
    bounds = overall_intervals(scores)
    average = ranks(scores, METRIC).average
    letters = clique_letters(tested.cliques)
    front = pareto(scores, METRIC)
    entries = []
    for label in scores.labels:
        table = scores.table[scores.table["label"] == label]
        method = scores.methods[label]
        entries.append(
            Entry(
                label=label,
                method=method,
                origin=str(table["origin"].iloc[0]),
                properties=properties(method),
                **{name: float(mean[label]) for name, mean in means.items()},
                low=bounds[label][0],
                high=bounds[label][1],
                rank=float(average.get(label, float("nan"))),
                cliques=letters.get(label, ""),
                seconds=float(table["seconds"].mean()),
                failures=int((table["status"] != "ok").sum()),
                runs=len(table),
                datasets=int(table["dataset"].nunique()),
                on_front=bool(front.get(label, False)),
            )
        )
    return sorted(entries, key=lambda entry: (-entry.f1, entry.label))


def overall_intervals(scores: Scores) -> dict[str, tuple[float, float]]:
    """Return low and high of the mean F1 over all datasets by label."""
    table: Any = intervals(scores, METRIC)
    overall = table[table["dataset"] == "all"]
    return {
        row.label: (float(row.low), float(row.high)) for row in overall.itertuples()
    }


def clique_letters(cliques: list[tuple[str, ...]]) -> dict[str, str]:
    """Give each clique a letter; methods that share one do not differ significantly.

    Examples
    --------
    >>> clique_letters([("a1", "a2"), ("a2", "a3")])
    {'a1': 'a', 'a2': 'ab', 'a3': 'b'}
    """
    letters: dict[str, str] = {}
    for place, clique in enumerate(cliques):
        for label in clique:
            letters[label] = letters.get(label, "") + ascii_lowercase[place % 26]
    return letters

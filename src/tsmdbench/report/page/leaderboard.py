"""The rows of the leaderboard: quality with its interval, rank, significance, cost."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase

from tsmdbench.analysis.bootstrap import overall_intervals
from tsmdbench.analysis.cost import cost, time_and_quality
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
    quality: float
    on_front: bool
    failures: int
    runs: int
    datasets: int


def leaderboard(scores: Scores, tested: Significance | None = None) -> list[Entry]:
    """Return the methods, best mean F1 over datasets first.

    Every dataset weighs alike. Only datasets that all methods have are averaged over,
    as in the ranks; where there is none, each method is averaged over its own.
    """
    tested = significance(scores, METRIC) if tested is None else tested
    ranked = ranks(scores, METRIC)
    common = scores.only(datasets=ranked.datasets_used or None)
    means = {
        name: common.means(metric).mean()
        for name, metric in (
            ("f1", METRIC),
            ("precision", "prom_precision"),
            ("recall", "prom_recall"),
            ("macro_f1", "prom_macro_f1"),
        )
    }
    bounds = overall_intervals(scores, METRIC).set_index("label")
    letters = clique_letters(tested.cliques)
    spent = time_and_quality(scores, METRIC)
    costs = cost(scores)
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
                low=float(bounds.at[label, "low"]),
                high=float(bounds.at[label, "high"]),
                rank=float(ranked.average[label]),
                cliques=letters.get(label, ""),
                seconds=float(spent.at[label, "time"]),
                quality=float(spent.at[label, "quality"]),
                on_front=bool(spent.at[label, "pareto"]),
                failures=int(costs.at[label, "failed"]),
                runs=int(costs.at[label, "runs"]),
                datasets=int(table["dataset"].nunique()),
            )
        )
    return sorted(entries, key=lambda entry: (-entry.f1, entry.label))


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

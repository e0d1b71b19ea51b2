"""The rows of the leaderboard: quality with its interval, rank, significance, cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tsmdbench.analysis.costs import cost, time_and_quality
from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.selection import own_labels
from tsmdbench.analysis.standings import standings
from tsmdbench.analysis.tuning_effort import Effort
from tsmdbench.methods.info import MethodInfo, method_info
from tsmdbench.report.page.colours import groups_of

METRIC = "prom_f1"


@dataclass(frozen=True)
class MethodEntry:
    """One method of the leaderboard; NaN where there is no value."""

    label: str
    method: str
    origin: str
    own: bool
    extra: bool  # one of our methods that the paper does not compare
    group: int
    properties: MethodInfo
    f1: float
    low: float
    high: float
    precision: float
    recall: float
    macro_f1: float
    rank: float
    cliques: str
    seconds: float
    comparable: bool
    tuned: str
    quality: float
    on_front: bool
    failures: int
    runs: int
    datasets: int


def entries(
    scores: Scores,
    tested: Significance | None = None,
    efforts: Mapping[str, Effort] | None = None,
) -> list[MethodEntry]:
    """Return the methods, best mean F1 over datasets first.

    The numbers are those of `tsmdbench.analysis.standings`.

    Parameters
    ----------
    scores : Scores
    tested : Significance, optional
        By F1, where the tests were made before.
    efforts : mapping, optional
        What the searches of each method took.
    """
    tested = significance(scores, METRIC) if tested is None else tested
    ordered = standings(scores, METRIC, tests=tested).table.set_index("label")
    letters = tested.letters
    compared = time_and_quality(scores, METRIC)
    costs = cost(scores)
    own = own_labels(scores)
    _, places = groups_of(scores)
    made = []
    for label in scores.labels:
        table = scores.table[scores.table["label"] == label]
        method = scores.methods[label]
        made.append(
            MethodEntry(
                label=label,
                method=method,
                origin=str(table["origin"].iloc[0]),
                own=label in own,
                extra=bool(ordered.at[label, "extra"]),
                group=places[label],
                properties=method_info(method, scores.declared),
                f1=float(ordered.at[label, "mean"]),
                low=float(ordered.at[label, "low"]),
                high=float(ordered.at[label, "high"]),
                precision=float(ordered.at[label, "precision"]),
                recall=float(ordered.at[label, "recall"]),
                macro_f1=float(ordered.at[label, "macro_f1"]),
                rank=float(ordered.at[label, "average_rank"]),
                cliques=letters.get(label, ""),
                seconds=float(ordered.at[label, "seconds"]),
                comparable=bool(ordered.at[label, "comparable"]),
                tuned="" if efforts is None else efforts[label].words,
                quality=float(compared.at[label, "quality"]),
                on_front=bool(compared.at[label, "pareto"]),
                failures=int(costs.at[label, "failed"]),
                runs=int(costs.at[label, "runs"]),
                datasets=int(table["dataset"].nunique()),
            )
        )
    return sorted(made, key=lambda entry: (-entry.f1, entry.label))

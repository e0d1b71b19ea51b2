"""What the statements of the paper are compared with, computed once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tsmdbench.analysis.average_ranks import Ranks, ranks
from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.metric_agreement import Agreement, agreement
from tsmdbench.analysis.paper.random_walk_benchmark import DetectorRow
from tsmdbench.analysis.scores import Scores, higher_is_better

if TYPE_CHECKING:
    import pandas as pd

F, P, R = "prom_f1", "prom_precision", "prom_recall"
C_M, C_G, S = "correctness_m", "correctness_g", "score"


@dataclass(frozen=True, eq=False)
class Evidence:
    """Scores and what follows from them.

    Parameters
    ----------
    scores : Scores
        Of the methods that the paper compares.
    walk_f1 : mapping
        Mean F1 of the random-walk detector on series of random walk, by (lags, alpha).
    detector : sequence of DetectorRow
        The same detector on TSMD-Bench.
    """

    scores: Scores
    walk_f1: dict[tuple[str, float], float] = field(default_factory=dict)
    detector: Sequence[DetectorRow] = ()

    @cached_property
    def agreement(self) -> Agreement:
        """Kendall's tau between metrics."""
        return agreement(self.scores)

    @cached_property
    def _ranks(self) -> dict[str, Ranks]:
        return {metric: ranks(self.scores, metric) for metric in (F, P, R)}

    @cached_property
    def _significance(self) -> dict[str, Significance]:
        return {metric: significance(self.scores, metric) for metric in (F, P, R)}

    @cached_property
    def as_by_aeon(self) -> Significance:
        """The tests by F as the diagrams of aeon make them."""
        return significance(self.scores, F, procedure="aeon")

    def ranks(self, metric: str) -> Ranks:
        """Return the ranks of methods by F, P or R."""
        return self._ranks[metric]

    def significance(self, metric: str) -> Significance:
        """Return the tests between methods by F, P or R."""
        return self._significance[metric]

    def average_rank(self, metric: str, method: str) -> float:
        """Return the average rank of a method."""
        return float(self.ranks(metric).average[method])

    def place(self, metric: str, method: str) -> int:
        """Return the place of a method in the order of average ranks, from 1."""
        average = self.ranks(metric).average
        return int((average < average[method]).sum()) + 1

    def beats(self, metric: str, first: str, second: str) -> bool:
        """Tell whether the first method is significantly better."""
        better = self.average_rank(metric, first) < self.average_rank(metric, second)
        return bool(self.significance(metric).rejected.loc[first, second]) and better

    def datasets_where(self, holds: Callable[[str], bool]) -> str:
        """Return on how many datasets something holds, as a text."""
        names = list(self.scores.datasets)
        return f"{sum(map(holds, names))} of {len(names)}"

    def tau(self, first: str, second: str, dataset: str | None = None) -> float:
        """Return Kendall's tau: over all results together, or within a dataset."""
        found = self.agreement
        table = found.overall if dataset is None else found.per_dataset[dataset]
        return float(table.loc[first, second])

    def mean_tau(self, first: str, second: str) -> float:
        """Return Kendall's tau, averaged over datasets."""
        return float(self.agreement.by_dataset.loc[first, second])

    @cached_property
    def placed(self) -> pd.DataFrame:
        """The scores with the rank of each result within its dataset, best first."""
        table = self.scores.table.copy()
        for metric in (F, P, R, C_M, C_G, S):
            down = higher_is_better(metric)
            grouped = table.groupby("dataset", observed=True)[metric]
            table[f"rank_{metric}"] = grouped.rank(ascending=not down)
        table["results"] = table.groupby("dataset", observed=True)[F].transform("size")
        return table

    def has(self, methods: Iterable[str]) -> bool:
        """Tell whether all these methods were compared."""
        return set(methods) <= set(self.scores.labels)

"""PEPA: windows that recur, as the persistent components of a growing graph.

Each window is joined to its five nearest neighbours and to the next window. Edges enter
the graph from the shortest to the longest. A window is born with its first edge. When
two groups of windows meet, the younger one dies. A group that lives long before it
dies is a motif set: its windows are near to each other and far from the rest. Windows
that are born late recur nowhere and are dropped. Consecutive windows of a set form one
segment, so segments are at least as long as a window and differ in length.

`length` is best a little shorter than the motifs; the authors recommend the mean of
their lengths minus the standard deviation.

Conventions
-----------
* **Distance.** Windows are compared without their linear trend: after subtracting its
  least-squares line, a window is scaled to norm 1. Distances lie in [0, 2]. Adding a
  line to the series changes nothing.
* **No distance.** Windows that are lines, constant ones included, and windows with NaN
  or infinite samples are in no set.
* **Scale.** Births and deaths are compared as
  ``2 sqrt(tanh(alpha d^2) / tanh(4 alpha))``.
* **Birth cut.** Otsu's threshold of the births (1024 bins).
* **Persistence cut.** The middle between the `max_sets`-th and the next persistence.
  With ``max_sets=None``, the middle of the largest gap between persistences.
* **Ties.** Equally near: the lowest start. Edges of equal weight: neighbours before
  time, then the lowest starts. Segments claim their samples by ascending distance of
  their windows, then by start, so no two segments overlap.
* **Order.** The most persistent set first.

Cost
----
O(n^2) time, O(n) memory beside the neighbours.

Limitations
-----------
* Series that are periodic throughout: all windows are born at once and no group dies
  early, so there is no set.
* Series without noise between the motifs: the birth cut needs windows that do not
  recur.
* Motifs shorter than `length`: a window always holds samples from outside.
* More than one channel.

References
----------
T. Germain, C. Truong, L. Oudre: Persistence-based motif discovery in time series, IEEE
Transactions on Knowledge and Data Engineering, 2024. Public code:
``BasePersistentPattern`` of tsmd 0.1.4 (MIT).

Departures
----------
The default corrects what the public code does against its description; `compat=True`
returns its segments, up to the order in which an unstable sort leaves edges of equal
weight.

* The public code drops the edge with the lowest starts.
* It blanks neighbours by counting the windows that are left instead of the samples, so
  a few rows miss a neighbour.
* The last segment of a set and the first segment of the next one may overlap.
* Segments lose one sample at each end.
* A window that is a line makes it fail, as do fewer persistences than `max_sets`; long
  chains of windows exceed the recursion limit. Here, all positive persistences are kept
  if there are not more than `max_sets`.
* Options that the publication does not use are left out (``beta``, individual birth
  cuts, similar lengths).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from tsmdbench.methods._persistence import (
    Diagram,
    Graph,
    cut_at_gap,
    cut_for,
    motif_sets,
)
from tsmdbench.methods._windows import check_positive
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
    check_n_jobs,
)
from tsmdbench.validation import check_flag, check_integer

LENGTH_FACTORS = (0.6, 0.8, 1.0)
NORMAL_SPAN = 2.563  # standard deviations between the 0.1 and the 0.9 quantile


@dataclass(frozen=True)
class PEPA(Method):
    """Find the most persistent groups of similar windows.

    Parameters
    ----------
    length : int
        Samples per window, at least 4; segments are as long or longer.
    max_sets : int, optional
        Number of sets to cut for; None to cut at the largest gap of persistences.
    channel : int, default 0
        Channel of a multivariate series.
    neighbours : int, default 5
        Neighbours of a window in the graph, at least 1.
    alpha : float, default 10.0
        How far small distances are spread out, above 0.
    compat : bool, default False
        Return what tsmd 0.1.4 returns, in its order, including its errors.
    n_jobs : int, default 1
        Threads; -1 for one per processor. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> for start in (50, 250, 450):
    ...     x[start : start + 50] += 9 * np.sin(np.arange(50) ** 2 / 90)
    >>> PEPA(length=40, max_sets=1).find(x)
    (MotifSet(((40, 126), (237, 326), (437, 526))),)
    """

    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = False

    length: int
    max_sets: int | None = None
    channel: int = 0
    neighbours: int = 5
    alpha: float = 10.0
    compat: bool = False
    n_jobs: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        check_length(self.length)
        check_max_sets(self.max_sets)
        check_integer(self.neighbours, "neighbours", minimum=1)
        check_positive(self.alpha, "alpha")
        check_flag(self.compat, "compat")
        check_n_jobs(self.n_jobs)

    @staticmethod
    def grid(facts: Any) -> dict[str, Sequence[Any]]:
        """Return the window lengths to try: parts of the mean minus the deviation.

        The standard deviation is estimated from the quantiles `l_min` and `l_max`.
        """
        typical = facts.length - (facts.l_max - facts.l_min) / NORMAL_SPAN
        lengths = {max(4, round(part * typical)) for part in LENGTH_FACTORS}
        return {"length": sorted(lengths)}

    def _find(self, x: Series) -> Found:
        check_fits(x, self.length)
        return self._sets(self._graph(x))

    def _graph(self, x: Series) -> Graph:
        return Graph.of(
            x, self.length, self.neighbours, self.n_jobs, compat=self.compat
        )

    def _sets(self, graph: Graph) -> Found:
        diagram = Diagram.of(graph, self.alpha)
        cut = self._cut(diagram)
        found = motif_sets(graph, diagram, cut, compat=self.compat)
        return tuple(found[: self.max_sets])

    def _cut(self, diagram: Diagram) -> float:
        """Return the persistence that a set needs."""
        if self.max_sets is None:
            return cut_at_gap(diagram.persistences(survivors=False), 1)
        return cut_for(diagram.persistences(survivors=True), self.max_sets)

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Build one graph for all settings with the same windows and neighbours."""
        graphs: dict[tuple[Any, ...], Graph] = {}
        found: list[Found] = []
        for method in methods:
            key = method.channel, method.length, method.neighbours, method.compat
            if key not in graphs:
                x = method._checked(series)
                check_fits(x, method.length)
                graphs[key] = method._graph(x)
            found.append(method._sets(graphs[key]))
        return found

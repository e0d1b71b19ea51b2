"""PEPA: windows that recur, as the persistent components of a growing graph.

The windows are the nodes of a graph. Edges connect each window with its five nearest
neighbours and with the next window; the length of an edge is a distance. Edges are
added from the shortest to the longest. A window is *born* with its first edge. When an
edge connects two groups of windows, the younger group *dies*. The time between birth
and death is the *persistence* of a group. A persistent group is a motif set: its
windows are near each other and far from the rest. Windows that are born late do not
recur and are dropped. Consecutive windows of a set form one segment, so segments are at
least as long as a window and differ in length.

`length` should be a little shorter than the motifs; the authors recommend the mean of
their lengths minus the standard deviation.

Conventions
-----------
* **Distance.** Windows are compared without their linear trend: after subtracting its
  least-squares line, a window is scaled to norm 1. Distances are in [0, 2]. Adding a
  line to the series does not change the result.
* **No distance.** Windows that are straight lines or constant, and windows with NaN or
  infinite samples, are in no set.
* **Scale.** Births and deaths are compared as
  ``2 sqrt(tanh(alpha d^2) / tanh(4 alpha))``.
* **Birth cut.** Otsu's threshold of the births (1024 bins).
* **Persistence cut.** The middle between the `max_sets`-th and the next persistence.
  With ``max_sets=None``, the middle of the largest gap between persistences.
* **Ties.** Of equally near windows, the one with the lowest start is used. Of edges
  with equal length, those between neighbours come before those between consecutive
  windows, then those with the lowest starts. Segments get their samples by ascending
  distance of their windows, then by start, so no two segments overlap.
* **Order.** The most persistent set is first.

Cost
----
O(n^2) time, and O(n) memory in addition to the neighbours.

Limitations
-----------
* No set is found in a series that is periodic as a whole: all windows are born at the
  same time and no group dies early.
* The birth cut needs windows that do not recur, that is, noise between the motifs.
* Motifs shorter than `length` are missed: every window contains other samples.
* Only one channel is searched.

References
----------
T. Germain, C. Truong, L. Oudre: Persistence-based motif discovery in time series, IEEE
Transactions on Knowledge and Data Engineering, 2024. Public code:
``BasePersistentPattern`` of tsmd 0.1.4 (MIT).

Departures
----------
By default, differences between the public code and its description are corrected. With
``compat=True``, the segments are those of the public code, except for the order of
edges with equal length, which depends on an unstable sort there.

* The public code drops the edge with the lowest starts.
* When it excludes neighbours, it counts the remaining windows instead of the samples,
  so a few rows miss a neighbour.
* Its last segment of a set and its first segment of the next one may overlap.
* Its segments lose one sample at each end.
* It fails if a window is a straight line, or if there are fewer persistences than
  `max_sets`; long chains of windows exceed the recursion limit. Here, all positive
  persistences are kept if there are not more than `max_sets`.
* Options that the publication does not use are left out (``beta``, individual birth
  cuts, similar lengths).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        Largest number of sets; None to cut at the largest gap of persistences.
    channel : int, default 0
        Channel of a multivariate series.
    neighbours : int, default 5
        Neighbours of a window in the graph, at least 1.
    alpha : float, default 10.0
        How much small distances are spread out, above 0.
    compat : bool, default False
        Return what tsmd 0.1.4 returns, in its order, including its errors.
    n_jobs : int, default 1
        Number of threads; -1 for one per processor. Does not change the result.

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
    paper: ClassVar[Mapping[str, Any]] = {
        "neighbours": 5,
        "alpha": 10.0,
        "compat": True,
    }
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

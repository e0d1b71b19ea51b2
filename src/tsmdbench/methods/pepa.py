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
Differences between the public code and its description are corrected. On the 13 stored
results of the public code the sets are the same, up to one sample at each end.

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

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from tsmdbench._kernels import persistence
from tsmdbench._kernels.distance import trend
from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.methods._common import SharingMethod
from tsmdbench.methods._grids import Axes, Facts
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet

LENGTH_FACTORS = (0.6, 0.8, 1.0)
NORMAL_SPAN = 2.563  # standard deviations between the 0.1 and the 0.9 quantile
BINS = 1024  # of the histogram of births
FARTHEST = 2.0  # largest distance of two windows


@dataclass(frozen=True)
class PEPA(SharingMethod):
    """Find the most persistent groups of similar windows.

    Parameters
    ----------
    length : int
        Samples per window, at least 4; segments are as long or longer.
    max_sets : int, optional
        Largest number of sets; None to cut at the largest gap of persistences.
    channel : int or "all", default 0
        Channel of a multivariate series; ``"all"`` sums squared distances over the
        channels.
    neighbours : int, default 5
        Neighbours of a window in the graph, at least 1.
    alpha : float, default 10.0
        How much small distances are spread out, above 0.
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
    all_channels: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    paper: ClassVar[Mapping[str, Any]] = {"neighbours": 5, "alpha": 10.0}
    symbolic: ClassVar[bool] = False

    length: int
    max_sets: int | None = None
    channel: int | Literal["all"] = 0
    neighbours: int = 5
    alpha: float = 10.0
    n_jobs: int = field(default=1, compare=False)

    @staticmethod
    def grid(facts: Facts) -> Axes:
        """Return the window lengths to try: parts of the mean minus the deviation.

        The standard deviation is estimated from the quantiles `l_min` and `l_max`.
        """
        typical = facts.length - (facts.l_max - facts.l_min) / NORMAL_SPAN
        lengths = {max(4, round(part * typical)) for part in LENGTH_FACTORS}
        return {"length": sorted(lengths)}

    def _key(self) -> Hashable:
        return self.channel, self.length, self.neighbours

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> Graph:
        one = methods[0]
        return Graph.of(x, one.length, one.neighbours, one.n_jobs)

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        cls(40, channel="all").find(np.stack([series, series[::-1]], axis=1))

    def _cut(self, diagram: Diagram) -> float:
        """Return the persistence that a set needs."""
        if self.max_sets is None:
            return cut_at_gap(diagram.persistences(survivors=False), 1)
        return cut_for(diagram.persistences(survivors=True), self.max_sets)

    def _search(self, graph: Graph) -> Found:
        """Return the motif sets at the persistence cut, the most persistent first."""
        diagram = Diagram.of(graph, self.alpha)
        weight = spread_out(graph.weight, self.alpha)
        root = persistence.join_short_lived(
            graph.low, graph.high, weight, diagram.birth, self._cut(diagram)
        )
        early = diagram.known & (diagram.birth < diagram.birth_cut)
        members = np.flatnonzero(early & early[root])
        if not members.size:
            return ()
        roots = np.unique(root[members])
        births, lives = diagram.birth[roots], diagram.persistence[roots]
        roots = roots[np.lexsort((roots, births, -lives))]
        place = np.empty(len(root), np.int64)
        place[roots] = np.arange(len(roots))
        label = place[root[members]]
        order = np.lexsort((members, label))
        starts, label = members[order], label[order]
        # Join consecutive windows of a set to segments; the nearest windows come first.
        joined = (np.diff(starts) == 1) & (np.diff(label) == 0)
        runs = 1 + np.concatenate([[0], np.cumsum(~joined)])
        order = np.lexsort((starts, graph.nearest[starts]))
        taken = np.empty(len(starts), np.bool_)
        samples = len(root) + self.length - 1
        taken[order] = persistence.claim(
            starts[order], runs[order], self.length, samples
        )
        starts, label, runs = starts[taken], label[taken], runs[taken]
        apart = np.diff(starts) > self.length
        new = (np.diff(runs) != 0) | (np.diff(label) != 0) | apart
        first = np.concatenate([[0], np.flatnonzero(new) + 1])
        last = np.concatenate([first[1:], [len(starts)]]) - 1
        pieces = np.stack([starts[first], starts[last] + self.length], axis=1)
        found = [pieces[label[first] == one] for one in np.unique(label[first])]
        sets = [MotifSet.from_valid(one) for one in found if len(one) > 1]
        return tuple(sets[: self.max_sets])


class Graph(NamedTuple):
    """Windows of one length, their births and deaths, and their spanning tree."""

    birth: Floats  # distances; inf for a window without neighbours
    death: Floats  # inf for a window that outlives all others
    low: Integers  # ends and lengths of the edges, by ascending length
    high: Integers
    weight: Floats
    nearest: Floats  # distance of the nearest neighbour

    @classmethod
    def of(cls, x: Series, length: int, neighbours: int, n_jobs: int) -> Graph:
        """Join each window to its nearest neighbours and to the next window.

        Of equal lengths, edges between neighbours come before those in time, and both
        are in the order of their starts.
        """
        if x.ndim == 1:
            windows = trend.prepare(x, length)
            starts, distances = trend.nearest_trend(windows, length, neighbours, n_jobs)
        else:
            starts, distances = trend.nearest_joint(x, length, neighbours, n_jobs)
        count = len(starts)
        rows, columns = np.nonzero(starts >= 0)
        partners = starts[rows, columns]
        keys = np.minimum(rows, partners) * count + np.maximum(rows, partners)
        keys, first = np.unique(keys, return_index=True)
        weights = distances[rows[first], columns[first]]
        nearest = distances[:, 0]
        steps = np.flatnonzero(np.isfinite(nearest[:-1]) & np.isfinite(nearest[1:]))
        in_time = np.maximum(nearest[steps], nearest[steps + 1])
        low = np.concatenate([keys // count, steps])
        high = np.concatenate([keys % count, steps + 1])
        weight = np.concatenate([weights, in_time])
        order = np.argsort(weight, kind="stable")
        low, high, weight = low[order], high[order], weight[order]
        birth, death, tree = persistence.grow(low, high, weight, count)
        return cls(birth, death, low[tree], high[tree], weight[tree], nearest)


def spread_out(distances: Floats, alpha: float) -> Floats:
    """Return distances with small ones spread apart, large ones pressed together.

    >>> spread_out(np.array([0.0, 0.1, 1.0, 2.0]), 10.0).round(3)
    array([0.   , 0.631, 2.   , 2.   ])
    """
    squares = np.tanh(alpha * np.minimum(distances, FARTHEST) ** 2)
    return np.asarray(2.0 * np.sqrt(squares / np.tanh(FARTHEST**2 * alpha)))


class Diagram(NamedTuple):
    """Births and persistences of the windows on the scale of `spread_out`."""

    birth: Floats
    persistence: Floats  # who outlives all others dies at the largest birth or death
    known: Flags  # windows that have neighbours
    survivor: Flags  # windows that outlive all others of their component
    birth_cut: float  # births below it belong to windows that recur

    @classmethod
    def of(cls, graph: Graph, alpha: float) -> Diagram:
        """Read the diagram off a graph."""
        known = np.isfinite(graph.birth)
        survivor = known & np.isinf(graph.death)
        finite = np.concatenate([graph.birth[known], graph.death[known & ~survivor]])
        last = finite.max(initial=0.0)
        birth = spread_out(np.where(known, graph.birth, FARTHEST), alpha)
        death = spread_out(np.where(survivor, last, graph.death), alpha)
        persistence = np.where(known, death - birth, 0.0)
        cut = otsu(birth[known & ~survivor])
        return cls(birth, persistence, known, survivor, cut)

    def persistences(self, *, survivors: bool) -> Floats:
        """Return the positive persistences of early births, the largest first."""
        wanted = self.known & (self.birth < self.birth_cut) & (self.persistence > 0.0)
        if not survivors:
            wanted &= ~self.survivor
        return np.sort(self.persistence[wanted])[::-1]


def otsu(values: Floats) -> float:
    """Return the threshold that separates two groups best; ``-inf`` if all are equal.

    The variance between the groups is computed from a histogram, each bin standing for
    its lower edge, and the lower edge of the first best bin is returned.
    """
    if not len(values) or values.min() == values.max():
        return -math.inf
    counts, bounds = np.histogram(values, BINS)
    share = counts[:-1] / len(values)
    weight, moment = np.cumsum(share), np.cumsum(share * bounds[:-2])
    below, above = moment / weight, (values.mean() - moment) / (1.0 - weight)
    between = weight * (1.0 - weight) * (below - above) ** 2
    return float(bounds[np.argmax(between)])


def cut_for(persistences: Floats, sets: int) -> float:
    """Return the cut that `sets` persistences, sorted in descending order, exceed.

    Where there are not more, all of them do.

    >>> cut_for(np.array([1.0, 0.5, 0.1]), 2), cut_for(np.array([1.0, 0.5]), 2)
    (0.3, 0.25)
    """
    if not len(persistences):
        return math.inf
    kept = min(sets, len(persistences))
    below = persistences[kept] if kept < len(persistences) else 0.0
    return float(persistences[kept - 1] + below) / 2


def cut_at_gap(persistences: Floats, jump: int) -> float:
    """Return the middle of the largest gap of persistences in descending order.

    With `jump` 2 the largest gap below that one is taken, and so on. Where none is
    left, the last one that was found.

    >>> cut_at_gap(np.array([9.0, 4.0, 3.0, 1.0]), 1)
    6.5
    >>> cut_at_gap(np.array([9.0, 4.0, 3.0, 1.0]), 2)
    2.0
    """
    if len(persistences) < 2:
        return cut_for(persistences, 1)
    gaps = persistences[:-1] - persistences[1:]
    place = int(np.argmax(gaps))
    for _ in range(jump - 1):
        rest = gaps[place + 1 :]
        if len(rest):
            place += 1 + int(np.argmax(rest))
    return float(persistences[place] + persistences[place + 1]) / 2

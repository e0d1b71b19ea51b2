"""MDL-Clust: groups of windows that make the series shorter to describe.

A group of similar windows can be described by its centre and by the differences of each
window from it. If the windows are similar, this takes fewer bits than describing each
window separately. Groups are built greedily. Each step performs the operation that
saves most bits: create a group of the nearest free pair of windows of some length, add
the free window nearest to a centre, or merge two groups at the best relative shift. The
search stops when no operation saves bits, so the number of sets, their sizes and their
lengths are determined by the data.

Conventions
-----------
* **Levels.** Samples are rounded to ``2^bits`` levels between the smallest and the
  largest finite one. Windows are compared without normalisation.
* **Description length.** ``n`` times the entropy of the levels, in bits; differences to
  the centre likewise. A group costs its centre and all differences but the largest.
* **Centre.** The rounded mean of two windows; then ``round((k c + s) / (k + 1))`` for
  an added window; for a merge, the mean weighted by the number of windows where the
  centres overlap, and the value of one of them elsewhere.
* **Overlap.** No two segments overlap, within a set or between sets. Windows with NaN
  or infinite samples are in no set.
* **Ties.** Savings that differ by less than 1e-9 bits are equal. Create comes before
  add, add before merge; then shorter lengths, groups that have not changed for longer,
  and lower starts come first.
* **Order.** The set that saves most bits first.

Cost
----
O(n^2) time per length for the pairs. An operation takes O(n l) time, and O(l^2) per
window of each pair of groups for the merges. O(n) memory per length.

Limitations
-----------
* Copies with a different level or amplitude are missed: windows are not normalised.
* Outliers reduce the accuracy: few levels remain for the other samples.
* The last sets often consist of noise: two windows of noise often save a few bits.
  `max_sets` limits the number of sets.
* Each occurrence needs one operation, so `max_operations` limits how many are found.

References
----------
T. Rakthanmanon, E. Keogh, S. Lonardi, S. Evans: Time series epenthesis: clustering time
series streams requires ignoring some data, ICDM 2011. Public code: ``MDL`` of tsmd
0.1.4 (MIT).

Departures
----------
Of the 19 groups in the stored results of tsmd, 17 are the same. These differences are
corrections:

* tsmd also performs operations that save nothing, so it finds a set in a constant
  series.
* When it excludes neighbours, it counts the remaining windows instead of the samples,
  so a few windows miss a neighbour.
* It returns groups in the order of their last change.
* It always stops after 50 operations; here `max_operations` is a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from tsmdbench._kernels import description_length as kernels
from tsmdbench._kernels.distance.apart import nearest_quantised
from tsmdbench._kernels.progress import each
from tsmdbench.arrays import Flags, Integers
from tsmdbench.methods._grids import Axes, Facts
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fields,
    check_fits,
)
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer

LENGTHS = 5  # tried between l_min and l_max, unless a step is given
MAX_BITS = 10
SHORTER = (0.75, 1.0)  # of l_min, in the grid
DIGITS = 9  # of a saving in bits: what differs by less is equal


@dataclass(frozen=True)
class MDLClust(Method):
    """Find groups of windows that compress the series.

    Parameters
    ----------
    l_min, l_max : int
        Shortest and longest window of a new group, at least 4 samples.
    max_sets : int, optional
        Largest number of sets; None for all.
    channel : int, default 0
        Channel of a multivariate series.
    step : int, optional
        Difference between the lengths that are tried, from `l_min` on; by default five
        lengths from `l_min` to `l_max`, evenly spaced.
    max_operations : int, default 200
        Largest number of operations, at least 1. A set of k windows needs at least k -
        1 operations. The public code stops after 50.
    bits : int, default 6
        Samples are rounded to ``2^bits`` levels; 1 to 10.
    neighbours : int, default 10
        Neighbours of each window that are candidates for a new group, at least 1.
    n_jobs : int, default 1
        Number of threads; -1 for one per processor. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=400)
    >>> for start in (50, 200, 350):
    ...     x[start : start + 40] = 9 * np.sin(np.arange(40) ** 2 / 90)
    >>> MDLClust(l_min=40, l_max=40, max_sets=1).find(x)
    (MotifSet(((50, 90), (200, 240), (350, 390))),)
    """

    display_name: ClassVar[str] = "MDL-Clust"
    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    paper: ClassVar[Mapping[str, Any]] = {
        "step": None,
        "bits": 6,
        "neighbours": 10,
        "max_operations": 50,
    }
    symbolic: ClassVar[bool] = False

    l_min: int
    l_max: int
    max_sets: int | None = None
    channel: int = 0
    step: int | None = None
    max_operations: int = 200
    bits: int = 6
    neighbours: int = 10
    n_jobs: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        check_fields(self)
        check_integer(self.max_operations, "max_operations", minimum=1)
        check_integer(self.bits, "bits", minimum=1, maximum=MAX_BITS)

    @staticmethod
    def grid(facts: Facts) -> Axes:
        """Return the shortest lengths to try: merges make windows longer, not shorter.

        The longest one follows from the data.
        """
        lengths = {max(4, round(part * facts.l_min)) for part in SHORTER}
        return {"l_min": sorted(lengths)}

    @property
    def lengths(self) -> tuple[int, ...]:
        """The window lengths that are tried, ascending."""
        if self.step is not None:
            return tuple(range(self.l_min, self.l_max + 1, self.step))
        spaced = np.linspace(self.l_min, self.l_max, LENGTHS).round().astype(int)
        return tuple(np.unique(spaced).tolist())

    def _find(self, x: Series) -> Found:
        check_fits(x, self.l_max, "l_max")
        values, usable = quantise(x, self.bits)
        pairs = [
            Pairs.of(values, usable, length, self.neighbours, self.n_jobs)
            for length in self.lengths
        ]
        search = Compression(values, usable, 2**self.bits, pairs)
        search.run(self.max_operations)
        return tuple(search.ranked()[: self.max_sets])


# Groups grow one operation at a time. What an operation would save is computed once and
# kept: it changes only with the groups it concerns, or when another operation takes its
# windows.


def quantise(x: Series, bits: int) -> tuple[Integers, Flags]:
    """Return samples as whole numbers from 1 to 2^bits, and which are finite.

    >>> quantise(np.array([0.0, 1.0, np.nan, 3.0]), 2)[0]
    array([1, 2, 1, 4])
    """
    finite = np.isfinite(x)
    values = np.ones(len(x), np.int64)
    if finite.any():
        known = x[finite]
        _, exponent = np.frexp(np.abs(known).max())
        known = np.ldexp(known, -int(exponent))  # no overflow in what follows
        low, span = known.min(), known.max() - known.min()
        if span > 0:
            values[finite] += np.round((known - low) / span * (2**bits - 1)).astype(int)
    return values, finite


class Group(NamedTuple):
    """Windows around a centre."""

    centre: Integers
    members: Integers  # start, length, and place in the centre of each window
    cost: float  # description length


class Operation(NamedTuple):
    """A possible next step: the group to make, and from which groups."""

    saving: float
    group: Group
    replaced: tuple[int, ...]
    taken: tuple[int, ...]  # windows of the group that are new, by row of members


class Pairs(NamedTuple):
    """Near pairs of windows of one length, the nearest first."""

    length: int
    first: Integers
    second: Integers

    @classmethod
    def of(
        cls,
        values: Integers,
        usable: Flags,
        length: int,
        neighbours: int,
        n_jobs: int,
    ) -> Pairs:
        """Pair each window with its nearest neighbours; ties to the lowest start."""
        starts, squares = nearest_quantised(values, usable, length, neighbours, n_jobs)
        order = np.argsort(squares, axis=None, kind="stable")
        order = order[: np.count_nonzero(starts >= 0)]
        return cls(length, order // neighbours, starts.ravel()[order])


class Compression:
    """The groups of a series, and the operations that save bits.

    Samples are whole numbers, at most `levels`; windows contain `usable` ones only.
    """

    def __init__(
        self, values: Integers, usable: Flags, levels: int, pairs: list[Pairs]
    ) -> None:
        self._values = values
        self._taken = ~usable
        self._pairs = pairs
        self._at = [0] * len(pairs)
        self._bits = kernels.bits_table(len(values))
        self._room = np.zeros(2 * levels + 2, np.int64)
        self._serial = 0
        self._new: dict[int, Operation] = {}
        self._added: dict[int, Operation | None] = {}
        self._merged: dict[tuple[int, int], Operation] = {}
        self.groups: dict[int, Group] = {}

    def run(self, limit: int) -> None:
        """Do the operation that saves most, until none saves or `limit` is reached."""
        for _ in each(range(limit)):
            # Of equal savings, the first is taken.
            steps = chain(self._creations(), self._additions(), self._merges())
            best = max(steps, key=lambda step: step.saving, default=None)
            if best is None or best.saving <= 0:
                return
            self._do(best)

    def ranked(self) -> list[MotifSet]:
        """Return the groups as motif sets, those that save most first."""
        keyed = []
        for group in self.groups.values():
            alone = sum(self._window_bits(*member[:2]) for member in group.members)
            saved = round(alone - group.cost, DIGITS)
            keyed.append((-saved, int(group.members[:, 0].min()), group))
        keyed.sort(key=lambda entry: entry[:2])
        return [
            MotifSet.from_valid(np.cumsum(group.members[:, :2], axis=1))
            for *_, group in keyed
        ]

    def _window_bits(self, start: int, length: int) -> float:
        window = self._values[start : start + length]
        return float(kernels.own_bits(window, self._bits, self._room))

    def _creations(self) -> Iterator[Operation]:
        """Yield, for each length, the group of the nearest free pair."""
        for place, (length, first, second) in enumerate(self._pairs):
            free = self._free(length)
            at = kernels.next_free(first, second, self._at[place], free)
            if at == len(first):
                continue
            if at != self._at[place] or place not in self._new:
                self._at[place] = at
                starts = [int(first[at]), int(second[at])]
                one, two = (self._values[s : s + length] for s in starts)
                centre = np.rint((one + two) / 2).astype(np.int64)
                members = np.array([[start, length, 0] for start in starts])
                group = self._group(centre, members)
                alone = sum(self._window_bits(start, length) for start in starts)
                saving = round(alone - group.cost, DIGITS)
                self._new[place] = Operation(saving, group, (), (0, 1))
            yield self._new[place]

    def _additions(self) -> Iterator[Operation]:
        """Yield, for each group, the one with the nearest free window."""
        for key, group in self.groups.items():
            known = self._added.get(key)
            if key not in self._added or (known and not self._is_free(known)):
                known = self._added[key] = self._addition(key, group)
            if known:
                yield known

    def _addition(self, key: int, group: Group) -> Operation | None:
        length, count = len(group.centre), len(group.members)
        start = kernels.nearest_to(self._values, group.centre, self._free(length))
        if start < 0:
            return None
        window = self._values[start : start + length]
        centre = np.rint((group.centre * count + window) / (count + 1)).astype(np.int64)
        members = np.concatenate([group.members, [[start, length, 0]]])
        larger = self._group(centre, members)
        saving = group.cost - larger.cost + self._window_bits(start, length)
        return Operation(round(saving, DIGITS), larger, (key,), (count,))

    def _merges(self) -> Iterator[Operation]:
        """Yield, for each pair of groups, their merge at the best relative shift."""
        for pair in combinations(self.groups, 2):
            if pair not in self._merged:
                first, second = self.groups[pair[0]], self.groups[pair[1]]
                move, cost = kernels.best_merge(
                    self._values, first[:2], second[:2], self._bits, self._room
                )
                sizes = len(first.members), len(second.members)
                weight = sizes[0] / sum(sizes), sizes[1] / sum(sizes)
                centre = np.empty(len(first.centre) + len(second.centre), np.int64)
                size = kernels.merged_centre(
                    first.centre, second.centre, move, weight, centre
                )
                members = np.concatenate([first.members, second.members])
                members[: sizes[0], 2] += max(0, -move)
                members[sizes[0] :, 2] += max(0, move)
                saving = round(first.cost + second.cost - cost, DIGITS)
                group = Group(centre[:size], members, cost)
                self._merged[pair] = Operation(saving, group, pair, ())
            yield self._merged[pair]

    def _group(self, centre: Integers, members: Integers) -> Group:
        total, largest = kernels.group_bits(
            self._values, members, 0, centre, self._bits, self._room
        )
        own = kernels.own_bits(centre, self._bits, self._room)
        return Group(centre, members, float(own + total - largest))

    def _free(self, length: int) -> Flags:
        """Mark the windows that contain no sample in use."""
        taken = np.concatenate([[0], np.cumsum(self._taken)])
        return np.asarray(taken[length:] == taken[:-length])

    def _is_free(self, operation: Operation) -> bool:
        return not any(
            self._taken[start : start + length].any()
            for start, length, _ in operation.group.members[list(operation.taken)]
        )

    def _do(self, operation: Operation) -> None:
        """Replace groups by the new one, which comes last, and forget about them."""
        for start, length, _ in operation.group.members[list(operation.taken)]:
            self._taken[start : start + length] = True
        for key in operation.replaced:
            del self.groups[key]
            self._added.pop(key, None)
        gone = set(operation.replaced)
        for pair in [pair for pair in self._merged if gone.intersection(pair)]:
            del self._merged[pair]
        self.groups[self._serial] = operation.group
        self._serial += 1

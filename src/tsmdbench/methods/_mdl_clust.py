"""Groups of windows that compress a series, grown one operation at a time.

See `tsmdbench.methods.mdl_clust` for the idea. What an operation would save is computed
once and kept: it changes only with the groups it concerns, or when another operation
takes its windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tsmdbench._kernels import description_length as kernels
from tsmdbench._kernels.distance.quantised import nearest_quantised
from tsmdbench.arrays import Flags, Integers
from tsmdbench.methods._progress import each
from tsmdbench.methods.base import Series
from tsmdbench.types import MotifSet

DIGITS = 9  # of a saving in bits: what differs by less is equal


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


@dataclass(frozen=True, eq=False)
class Group:
    """Windows around a centre.

    Attributes
    ----------
    centre : int64[l]
    members : int64[m, 3]
        Start, length, and place in the centre of each window.
    cost : float
        Description length.
    """

    centre: Integers
    members: Integers
    cost: float


class Operation(NamedTuple):
    """What could be done next: the group to be made, and from which."""

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
        *,
        compat: bool,
    ) -> Pairs:
        """Pair each window with its nearest neighbours; ties to the lowest start."""
        starts, squares = nearest_quantised(
            values, usable, length, neighbours, n_jobs, compressed=compat
        )
        order = np.argsort(squares, axis=None, kind="stable")
        order = order[: np.count_nonzero(starts >= 0)]
        return cls(length, order // neighbours, starts.ravel()[order])


class Compression:
    """The groups of a series, and the operations that save bits.

    Parameters
    ----------
    values : int64[n]
        Samples as whole numbers, at most `levels`.
    usable : bool[n]
        Samples that windows may contain.
    pairs : list of Pairs
        Candidates for new groups, one entry per length.
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

    def run(self, limit: int, *, allow_zero: bool) -> None:
        """Do the operation that saves most, until none saves or `limit` is reached."""
        for _ in each(range(limit)):
            best: Operation | None = None
            for operation in self._operations():
                if best is None or operation.saving > best.saving:
                    best = operation
            if best is None or best.saving < 0 or (best.saving == 0 and not allow_zero):
                return
            self._do(best)

    def ranked(self) -> list[MotifSet]:
        """Return the groups as motif sets, those that save most first."""
        saved = {key: self._saved(group) for key, group in self.groups.items()}
        first = {key: int(g.members[:, 0].min()) for key, g in self.groups.items()}
        order = sorted(self.groups, key=lambda key: (-saved[key], first[key]))
        return [segments(self.groups[key]) for key in order]

    def _saved(self, group: Group) -> float:
        alone = sum(self._window_bits(*member[:2]) for member in group.members)
        return round(alone - group.cost, DIGITS)

    def _window_bits(self, start: int, length: int) -> float:
        window = self._values[start : start + length]
        return float(kernels.own_bits(window, self._bits, self._room))

    def _operations(self) -> Iterator[Operation]:
        """Yield what can be done: of equal savings, the first is done."""
        yield from self._creations()
        yield from self._additions()
        yield from self._merges()

    def _creations(self) -> Iterator[Operation]:
        for place, (length, first, second) in enumerate(self._pairs):
            free = self._free(length)
            at = kernels.next_free(first, second, self._at[place], free)
            if at == len(first):
                continue
            if at != self._at[place] or place not in self._new:
                self._at[place] = at
                self._new[place] = self._creation(first[at], second[at], length)
            yield self._new[place]

    def _creation(self, first: int, second: int, length: int) -> Operation:
        windows = [self._values[s : s + length] for s in (first, second)]
        centre = np.rint((windows[0] + windows[1]) / 2).astype(np.int64)
        members = np.array([[first, length, 0], [second, length, 0]])
        group = self._group(centre, members)
        alone = self._window_bits(first, length) + self._window_bits(second, length)
        return Operation(round(alone - group.cost, DIGITS), group, (), (0, 1))

    def _additions(self) -> Iterator[Operation]:
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
        keys = list(self.groups)
        for place, one in enumerate(keys):
            for other in keys[place + 1 :]:
                if (one, other) not in self._merged:
                    self._merged[one, other] = self._merge(one, other)
                yield self._merged[one, other]

    def _merge(self, one: int, other: int) -> Operation:
        first, second = self.groups[one], self.groups[other]
        move, cost = kernels.best_merge(
            self._values,
            (first.centre, first.members),
            (second.centre, second.members),
            self._bits,
            self._room,
        )
        total = len(first.members) + len(second.members)
        weight = (len(first.members) / total, len(second.members) / total)
        centre = np.empty(len(first.centre) + len(second.centre), np.int64)
        size = kernels.merged_centre(first.centre, second.centre, move, weight, centre)
        members = np.concatenate([first.members, second.members])
        members[: len(first.members), 2] += max(0, -move)
        members[len(first.members) :, 2] += max(0, move)
        saving = round(first.cost + second.cost - cost, DIGITS)
        return Operation(saving, Group(centre[:size], members, cost), (one, other), ())

    def _group(self, centre: Integers, members: Integers) -> Group:
        total, largest = kernels.group_bits(
            self._values, members, 0, centre, self._bits, self._room
        )
        own = kernels.own_bits(centre, self._bits, self._room)
        return Group(centre, members, float(own + total - largest))

    def _free(self, length: int) -> Flags:
        """Tell which windows contain no sample that is taken."""
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


def segments(group: Group) -> MotifSet:
    """Return the windows of a group as a motif set."""
    starts = group.members[:, 0]
    return MotifSet.from_valid(np.stack([starts, starts + group.members[:, 1]], axis=1))

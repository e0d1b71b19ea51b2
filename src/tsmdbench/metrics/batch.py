"""Many comparisons laid end to end, so that one pass over arrays serves them all.

Every problem gets a stretch of time of its own: its segments are moved behind those
of the problem before. Segments of different problems then never overlap, and what
is computed for all at once is what each would get alone. Sets are put into an order
that depends on their content only (first segment, then all else), so that nothing
computed from them can depend on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.metrics.overlap import (
    SegmentPairs,
    overlapping_pairs,
    pairs_around_midpoints,
)
from tsmdbench.segments import Segments
from tsmdbench.types import MotifSet, MotifSets

Integers = NDArray[np.int64]
LAST_SAMPLE = 2**62  # all stretches together end before this


class Cells(NamedTuple):
    """What true and found sets have in common, for the pairs that have anything."""

    row: Integers  # true set, ascending
    column: Integers  # found set, ascending within a row
    value: NDArray[Any]


class Tables(NamedTuple):
    """One problem's part: its cells as a table, and the sizes of its sets."""

    common: NDArray[Any]
    rows: slice
    columns: slice


@dataclass(frozen=True)
class Side:
    """All true, or all found, segments of a batch."""

    segments: Segments  # moved apart, set below set
    owner: Integers  # set of each segment
    sizes: Integers  # cardinality of each set
    first_set: list[int]  # first set of each problem, and the end

    @cached_property
    def lengths(self) -> Integers:
        """Samples that the motifs of each set have together."""
        samples = self.segments[:, 1] - self.segments[:, 0]
        totals = np.bincount(self.owner, samples, len(self.sizes))
        return totals.astype(np.int64)


class Batch:
    """Checked truth and found of one or many problems.

    Parameters
    ----------
    truths, founds : sequences of MotifSets
        Of equal length; truth must have passed `tsmdbench.validation.check_truth`.
    """

    def __init__(
        self, truths: Sequence[MotifSets], founds: Sequence[MotifSets]
    ) -> None:
        self.truth_orders = [order_by_content(sets.sets) for sets in truths]
        self.found_orders = [order_by_content(sets.sets) for sets in founds]
        ordered_truths = _ordered(truths, self.truth_orders)
        ordered_founds = _ordered(founds, self.found_orders)
        ends = [
            max(_last_end(t), _last_end(f))
            for t, f in zip(ordered_truths, ordered_founds, strict=True)
        ]
        begins = np.array([0, *accumulate(ends)][:-1], dtype=np.int64)
        self.truth = _side(ordered_truths, begins)
        self.found = _side(ordered_founds, begins)
        self.size = len(truths)

    @cached_property
    def close(self) -> SegmentPairs:
        """Pairs of segments whose overlap rate may exceed one half."""
        return pairs_around_midpoints(self.truth.segments, self.found.segments)

    @cached_property
    def touching(self) -> SegmentPairs:
        """Pairs of segments that share a sample."""
        return overlapping_pairs(self.truth.segments, self.found.segments)

    def cells(self, row: Integers, column: Integers, value: NDArray[Any]) -> Cells:
        """Add up values that belong to the same true and found set.

        The sum of a cell runs over its values in ascending order, so that rounding
        does not depend on the order of segments either.
        """
        order = np.lexsort((value, column, row))
        row, column, value = row[order], column[order], value[order]
        new = np.ones(len(row), dtype=np.bool_)
        new[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
        first = new.nonzero()[0]
        total = np.add.reduceat(value, first) if len(first) else value
        return Cells(row[first], column[first], total)

    def tables(self, cells: Cells) -> Iterator[Tables]:
        """Cut the cells into one dense table per problem."""
        rows, columns = self.truth.first_set, self.found.first_set
        cuts = np.searchsorted(cells.row, rows).tolist()
        for problem in range(self.size):
            top, bottom = rows[problem], rows[problem + 1]
            left, right = columns[problem], columns[problem + 1]
            mine = slice(cuts[problem], cuts[problem + 1])
            common = np.zeros((bottom - top, right - left), dtype=cells.value.dtype)
            common[cells.row[mine] - top, cells.column[mine] - left] = cells.value[mine]
            yield Tables(common, slice(top, bottom), slice(left, right))


def order_by_content(sets: Sequence[MotifSet]) -> list[int]:
    """Return positions sorted by first segment, then all else; empty sets last."""
    keys: list[tuple[Any, ...]] = [
        (False, *motifs[0], len(motifs)) if len(motifs) else (True,) for motifs in sets
    ]
    if len(set(keys)) < len(keys):
        keys = [
            (*key, motifs.segments.tobytes())
            for key, motifs in zip(keys, sets, strict=True)
        ]
    return sorted(range(len(sets)), key=keys.__getitem__)


def _ordered(
    problems: Sequence[MotifSets], orders: list[list[int]]
) -> list[list[MotifSet]]:
    return [
        [sets.sets[place] for place in order]
        for sets, order in zip(problems, orders, strict=True)
    ]


def _last_end(sets: list[MotifSet]) -> int:
    return max((int(motifs.ends.max()) for motifs in sets if len(motifs)), default=0)


def _side(problems: list[list[MotifSet]], begins: Integers) -> Side:
    """Lay the segments of all problems end to end."""
    sets = [motifs for problem in problems for motifs in problem]
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    first_set = [0, *accumulate(map(len, problems))]
    of_set = np.repeat(np.arange(len(problems)), np.diff(first_set))
    owner = np.repeat(np.arange(len(sets)), sizes)
    if not sets:
        return Side(np.empty((0, 2), np.int64), owner, sizes, first_set)
    segments = np.concatenate([motifs.segments for motifs in sets])
    if len(problems) > 1:
        segments = segments + begins[of_set[owner]][:, None]
    return Side(segments, owner, sizes, first_set)

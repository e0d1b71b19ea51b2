"""Motif sets of one or many results, laid end to end in flat arrays.

Every result (*problem*) gets a stretch of time of its own: its segments are moved
behind those of the problem before. Segments of different problems then never overlap,
and one pass over flat arrays serves all problems. Sets are kept in an order that
depends on their content only, so nothing that is computed here depends on the order
in which the sets came.

Lengths are integers and rates are compared as fractions, so no rounding decides a
match.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.segments import EMPTY, INT64_MAX, Segments
from tsmdbench.types import MotifSets


class ProblemError(InputError):
    """A metric is not defined for one problem of a batch."""

    def __init__(self, problem: int, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = problem


class SegmentPairs(NamedTuple):
    """Pairs of one true and one found segment that share samples."""

    truth: Integers  # position of the true segment
    found: Integers  # position of the found segment, ascending
    common: Integers  # samples that both cover
    joint: Integers  # samples that either covers

    @property
    def rate(self) -> Floats:
        """Overlap rates, for sums and display; not for comparisons."""
        return self.common / self.joint

    def where(self, mask: Flags) -> SegmentPairs:
        """Return the pairs that `mask` selects."""
        return SegmentPairs(*(column[mask] for column in self))

    def above(self, threshold: Fraction) -> Flags:
        """Return which pairs have an overlap rate strictly above `threshold`."""
        over, under = threshold.numerator, threshold.denominator
        common, joint = self.common, self.joint
        if len(joint) and int(joint.max()) > INT64_MAX // under:
            common, joint = common.astype(object), joint.astype(object)
        return np.asarray(common * under > joint * over, dtype=np.bool_)


class Cells(NamedTuple):
    """Pairs of a true set (row) and a found set (column) with segments in common."""

    row: Integers  # counted within the problem
    column: Integers
    place: Integers  # the cell of each pair of segments
    cuts: list[int]  # first cell of each problem, and the end

    def tables(self, *values: NDArray[Any]) -> Iterator[tuple[int, list[list[Any]]]]:
        """Yield each problem that has cells, with rows, columns and values as lists."""
        lists = [each.tolist() for each in (self.row, self.column, *values)]
        for problem, first in enumerate(self.cuts[:-1]):
            last = self.cuts[problem + 1]
            if first < last:
                yield problem, [each[first:last] for each in lists]


@dataclass
class Side:
    """The true or the found sets of all problems, concatenated.

    Attributes
    ----------
    segments : int64[k, 2]
        Of all sets, sorted within each.
    sizes : int64[s]
        Segments of each set.
    counts : int64[n]
        Sets of each problem.
    places : sequence of int
        Where each set was before the sets were sorted by content.
    tags : sequence, optional
        What orders sets that have the same segments.
    """

    segments: Segments
    sizes: Integers
    counts: Integers
    places: Sequence[int]
    tags: Sequence[Any] = ()

    @classmethod
    def of(cls, problems: Sequence[MotifSets]) -> Side:
        """Concatenate the motif sets of all problems."""
        counts = np.array([len(problem.sets) for problem in problems], dtype=np.int64)
        if len(problems) == 1:
            segments, sizes = problems[0].segments, problems[0].sizes
        else:
            blocks = [m.segments for problem in problems for m in problem.sets]
            sizes = np.array([len(block) for block in blocks], dtype=np.int64)
            segments = np.concatenate(blocks) if blocks else EMPTY
        return cls(segments, sizes, counts, range(len(sizes)))

    @cached_property
    def owner(self) -> Integers:
        """The set of each segment."""
        return np.arange(len(self.sizes)).repeat(self.sizes)

    @cached_property
    def problem(self) -> Integers:
        """The problem of each set."""
        return np.arange(len(self.counts)).repeat(self.counts)

    @cached_property
    def first_set(self) -> Integers:
        """First set of each problem, and the end."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def lengths(self) -> Integers:
        """Number of samples of each segment."""
        return self.segments[:, 1] - self.segments[:, 0]

    @property
    def last_ends(self) -> Integers:
        """The largest end in each problem, 0 without segments."""
        largest = np.zeros(len(self.counts), dtype=np.int64)
        np.maximum.at(largest, self.problem[self.owner], self.segments[:, 1])
        return largest

    @property
    def set_sizes(self) -> list[list[int]]:
        """Sizes of the sets of each problem."""
        sizes, cuts = self.sizes.tolist(), self.first_set.tolist()
        return [sizes[first:last] for first, last in pairwise(cuts)]

    def by_content(self) -> Side:
        """Sort sets within their problem, as words are sorted.

        By the first segment, then the second, and so on; empty sets come last. Segments
        are sorted within their set already.
        """
        segments, sizes = self.segments, self.sizes
        # With the highest byte first, bytes compare as the numbers do.
        content, step = segments.astype(">i8").tobytes(), 2 * 8
        cuts = sizes.cumsum()
        bounds = pairwise([0, *(cuts * step).tolist()])
        words: list[Any] = [(a == b, content[a:b]) for a, b in bounds]
        if self.tags:
            words = list(zip(words, self.tags, strict=True))
        if len(self.counts) > 1:
            words = list(zip(self.problem.tolist(), words, strict=True))
        order = sorted(range(len(words)), key=words.__getitem__)
        if order == list(range(len(order))):
            return self
        sizes, begins = sizes[order], (cuts - sizes)[order]
        moved = np.repeat(begins + sizes - sizes.cumsum(), sizes)
        segments = segments[moved + np.arange(len(moved))]
        return Side(segments, sizes, self.counts, order)

    def moved(self, begins: Integers) -> Side:
        """Move the segments of each problem to its stretch of time."""
        offset = begins[self.problem[self.owner], None]
        return Side(self.segments + offset, self.sizes, self.counts, self.places)


class Batch:
    """Checked truth and found of one or many problems."""

    def __init__(self, truth: Side, found: Side) -> None:
        self.size = len(truth.counts)
        self.truth, self.found = truth.by_content(), found.by_content()
        if self.size > 1:
            stretches = np.maximum(truth.last_ends, found.last_ends)
            begins = np.cumsum(stretches) - stretches
            self.truth, self.found = self.truth.moved(begins), self.found.moved(begins)

    @classmethod
    def of_one(cls, truth: MotifSets, found: MotifSets) -> Batch:
        """Return the batch of one problem."""
        return cls(Side.of([truth]), Side.of([found]))

    @property
    def rows(self) -> Integers:
        """Number of true sets of each problem."""
        return self.truth.counts

    @property
    def columns(self) -> Integers:
        """Number of found sets of each problem."""
        return self.found.counts

    @cached_property
    def touching(self) -> SegmentPairs:
        """Pairs of segments that share a sample."""
        return touching_pairs(self.truth.segments, self.found.segments)

    def cells(self, true: Integers, found: Integers) -> Cells:
        """Return the sets that pairs of true and found segments belong to."""
        width = max(1, len(self.found.sizes))
        key = self.truth.owner[true] * width + self.found.owner[found]
        key, place = np.unique(key, return_inverse=True)
        row, column = np.divmod(key, width)
        problem = self.truth.problem[row]
        return Cells(
            row - self.truth.first_set[problem],
            column - self.found.first_set[problem],
            place,
            np.searchsorted(problem, np.arange(self.size + 1)).tolist(),
        )


def touching_pairs(truth: Segments, found: Segments) -> SegmentPairs:
    """Pair segments that share at least one sample; true ones must not overlap."""
    # Without overlap, ends are sorted as starts are: the partners are one run.
    order = truth[:, 0].argsort(kind="stable")
    first = np.searchsorted(truth[order, 1], found[:, 0], side="right")
    last = np.searchsorted(truth[order, 0], found[:, 1], side="left")
    counts = np.maximum(last - first, 0)
    of_found = np.repeat(np.arange(len(found)), counts)
    step = np.arange(len(of_found)) - np.repeat(np.cumsum(counts) - counts, counts)
    return measured(truth, found, order[first[of_found] + step], of_found)


def measured(
    truth: Segments, found: Segments, of_truth: Integers, of_found: Integers
) -> SegmentPairs:
    """Add the common and joint lengths of pairs that overlap."""
    true_starts, true_ends = truth[of_truth].T
    starts, ends = found[of_found].T
    common = np.minimum(true_ends, ends) - np.maximum(true_starts, starts)
    joint = (true_ends - true_starts) + (ends - starts) - common
    return SegmentPairs(of_truth, of_found, common, joint)


def sums(places: Integers, values: NDArray[Any], size: int) -> Floats:
    """Sum the values of each place, in the given order."""
    added: Any = np.bincount(places, values, size)
    return np.asarray(added, dtype=np.float64)  # without values, bincount makes ints


def highest_total(table: Floats) -> float:
    """Return the highest sum of ``min(g, d)`` cells without common row or column."""
    # Imported here: scipy.optimize takes a quarter of a second to import.
    from scipy.optimize import linear_sum_assignment

    return math.fsum(table[linear_sum_assignment(table, maximize=True)])


def numbered(nodes: Integers, part: Integers | int = 0) -> Integers:
    """Renumber nodes from 0, separately for each part."""
    key: Integers = part * (int(nodes.max(initial=0)) + 1) + nodes
    return np.unique(key, return_inverse=True)[1]


def sparse_graph(
    values: NDArray[Any], ends: tuple[Integers, Integers], size: int | None = None
) -> Any:
    """Build a SciPy sparse graph, bipartite unless `size` is given.

    Release 1.14 of SciPy solves graphs with 32-bit indices only.
    """
    from scipy.sparse import coo_array

    row, column = (nodes.astype(np.int32) for nodes in ends)
    shape = None if size is None else (size, size)
    return coo_array((values, (row, column)), shape=shape).tocsr()

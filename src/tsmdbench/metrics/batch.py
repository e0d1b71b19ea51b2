"""Motif sets of one or many results, laid end to end in flat arrays.

Every result (*problem*) gets a stretch of time of its own: its segments are moved
behind those of the problem before. Segments of different problems then never overlap,
and one pass over flat arrays serves all problems. Sets are kept in an order that
depends on their content only, so nothing that is computed here depends on the order
in which the sets came.

Step 1 of every metric is here too: the pairs of a true and a found segment that share
samples (`Batch.touching`), and those that may exceed one half (`Batch.close`). Lengths
are integers and rates are compared as fractions, so no rounding decides a match.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.segments import EMPTY, INT64_MAX, Segments
from tsmdbench.types import MotifSet, MotifSets

MOST_STEPS = 8192  # sums that a table may need to be solved together with others
MOST_STATES = 2**17  # subsets, over all tables, that are held at a time
EXACT_FLOAT = 2**53  # whole numbers below this are exact in float64
# Two rates whose joint lengths stay below this differ by more than the spacing of
# float64 below 1, so comparing their quotients is comparing them exactly.
EXACT_QUOTIENT = 2**26


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

    def where(self, mask: Flags) -> SegmentPairs:
        """Return the pairs that `mask` selects."""
        return SegmentPairs(*(column[mask] for column in self))


@dataclass(frozen=True)
class Side:
    """The true sets, or the found sets, of all problems: set below set.

    Attributes
    ----------
    segments : int64[k, 2]
        Of all sets.
    sizes : int64[s]
        Segments of each set.
    counts : int64[n]
        Sets of each problem.
    places : int64[s]
        Where each set was before the sets were sorted by content.
    """

    segments: Segments
    sizes: Integers
    counts: Integers
    places: Integers

    @classmethod
    def of(cls, problems: Sequence[MotifSets]) -> Side:
        """Put motif sets below each other."""
        counts = np.array([len(problem.sets) for problem in problems], dtype=np.int64)
        if len(problems) == 1:
            segments, sizes = problems[0].segments, problems[0].sizes
        else:
            blocks = [m.segments for problem in problems for m in problem.sets]
            sizes = np.array([len(block) for block in blocks], dtype=np.int64)
            segments = np.concatenate(blocks) if blocks else EMPTY
        return cls(segments, sizes, counts, np.arange(len(sizes)))

    @cached_property
    def owner(self) -> Integers:
        """The set of each segment."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def problem(self) -> Integers:
        """The problem of each set."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    @cached_property
    def first_set(self) -> Integers:
        """First set of each problem, and the end."""
        return np.concatenate([[0], np.cumsum(self.counts)])

    @cached_property
    def lengths(self) -> Integers:
        """Samples that the motifs of each set have together."""
        samples = self.segments[:, 1] - self.segments[:, 0]
        return add_up(self.owner, samples, len(self.sizes)).astype(np.int64)

    @property
    def last_ends(self) -> Integers:
        """The largest end in each problem, 0 without segments."""
        largest = np.zeros(len(self.counts), dtype=np.int64)
        np.maximum.at(largest, self.problem[self.owner], self.segments[:, 1])
        return largest

    def cut(self, problem: int) -> tuple[Side, Side]:
        """Return the problems before this one, and the others."""
        sets = int(self.counts[:problem].sum())
        place = int(self.sizes[:sets].sum())
        parts = [
            (self.segments[part], self.sizes[some], self.counts[these])
            for part, some, these in (
                (slice(place), slice(sets), slice(problem)),
                (slice(place, None), slice(sets, None), slice(problem, None)),
            )
        ]
        first, second = (Side(*part, np.arange(len(part[1]))) for part in parts)
        return first, second

    def by_content(self) -> Side:
        """Sort segments within their set, and sets within their problem.

        Sets are sorted as words are: by the first segment, then the second, and so on;
        empty sets come last.
        """
        segments, sizes, owner = self.segments, self.sizes, self.owner
        starts, ends = segments[:, 0], segments[:, 1]
        if not ((starts[1:] > starts[:-1]) | (owner[1:] != owner[:-1])).all():
            segments = segments[np.lexsort((ends, starts, owner))]
        if len(sizes) < 2 or not len(segments):
            return Side(segments, sizes, self.counts, self.places)
        begins = np.cumsum(sizes) - sizes
        # The first start of each set. A set after the last segment is empty.
        lead = segments[np.minimum(begins, len(segments) - 1), 0]
        lead = np.where(sizes > 0, lead, INT64_MAX)
        order = np.lexsort((lead, self.problem))
        lead = lead[order]
        tied = (lead[1:] == lead[:-1]) & (self.problem[1:] == self.problem[:-1])
        if tied.any():
            edges = np.diff(tied, prepend=False, append=False).nonzero()[0].tolist()
            for first, last in zip(edges[::2], edges[1::2], strict=True):
                run = order[first : last + 1].tolist()
                run.sort(key=lambda s: segments[begins[s] :][: sizes[s]].tolist())
                order[first : last + 1] = run
        if (order[1:] > order[:-1]).all():
            return Side(segments, sizes, self.counts, self.places)
        sizes = sizes[order]
        moved = np.repeat(begins[order] + sizes - np.cumsum(sizes), sizes)
        segments = segments[moved + np.arange(len(moved))]
        return Side(segments, sizes, self.counts, self.places[order])


class Batch:
    """Checked truth and found of one or many problems.

    Parameters
    ----------
    truth, found : Side
        Of equally many problems; truth must have passed
        `tsmdbench.validation.check_truth`.
    """

    def __init__(self, truth: Side, found: Side) -> None:
        self.size = len(truth.counts)
        self.truth, self.found = truth.by_content(), found.by_content()
        if self.size > 1:
            stretches = np.maximum(truth.last_ends, found.last_ends)
            begins = np.cumsum(stretches) - stretches
            self.truth = _moved(self.truth, begins)
            self.found = _moved(self.found, begins)

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
    def _by_start(self) -> Integers:
        return np.argsort(self.truth.segments[:, 0], kind="stable")

    @cached_property
    def close(self) -> SegmentPairs:
        """Pairs of segments whose overlap rate may exceed one half."""
        return close_pairs(self.truth.segments, self.found.segments, self._by_start)

    @cached_property
    def touching(self) -> SegmentPairs:
        """Pairs of segments that share a sample."""
        return touching_pairs(self.truth.segments, self.found.segments, self._by_start)

    @property
    def truth_overlaps(self) -> bool:
        """Whether any two true segments of a problem overlap, which they must not."""
        starts, ends = self.truth.segments[self._by_start].T
        return bool((starts[1:] < ends[:-1]).any())

    # Tables: what each true set (row) and found set (column) of a problem have in
    # common, as one flat array of cells, row by row, problem after problem.

    @cached_property
    def first_cell(self) -> Integers:
        """First cell of each problem, and the end."""
        return np.concatenate([[0], np.cumsum(self.rows * self.columns)])

    @property
    def cells(self) -> int:
        """Number of cells of all tables."""
        return int(self.first_cell[-1])

    def cell(self, pairs: SegmentPairs) -> Integers:
        """Return the cell of the two sets of each pair of segments."""
        row, column = self.truth.owner[pairs.truth], self.found.owner[pairs.found]
        problem = self.truth.problem[row]
        row = row - self.truth.first_set[problem]
        column = column - self.found.first_set[problem]
        return self.first_cell[problem] + row * self.columns[problem] + column

    @cached_property
    def cell_row(self) -> Integers:
        """The true set of each cell."""
        width = self.columns[self.truth.problem]
        return np.repeat(np.arange(len(width)), width)

    @cached_property
    def cell_column(self) -> Integers:
        """The found set of each cell."""
        problem = self.truth.problem[self.cell_row]
        step = np.arange(self.cells) - self.first_cell[problem]
        return self.found.first_set[problem] + step % self.columns[problem]

    def table(self, values: NDArray[Any], problem: int) -> NDArray[Any]:
        """Return the cells of one problem as a table of rows and columns."""
        cells = values[self.first_cell[problem] : self.first_cell[problem + 1]]
        return cells.reshape(int(self.rows[problem]), int(self.columns[problem]))

    def highest_totals(self, worth: Floats) -> Floats:
        """Return the highest total of an assignment in the table of each problem.

        An assignment takes ``min(rows, columns)`` cells that share no row and no
        column. How a total is found depends on the shape of its table only, so that
        it never depends on other problems.

        Parameters
        ----------
        worth : float64[cells]
            Value of each cell.
        """
        # Imported here: scipy.optimize takes a quarter of a second to import.
        from scipy.optimize import linear_sum_assignment

        totals = np.zeros(self.size)
        sides = np.sort(np.stack([self.rows, self.columns], axis=1), axis=1)
        shapes, group = np.unique(sides, axis=0, return_inverse=True)
        for number, (short, long) in enumerate(shapes.tolist()):
            members = (group.ravel() == number).nonzero()[0]
            if short and long * short << (short - 1) <= MOST_STEPS:
                step = max(1, MOST_STATES >> short)
                for first in range(0, len(members), step):
                    some = members[first : first + step]
                    totals[some] = _best_totals(self._stacked(worth, some, short, long))
            elif short:
                for problem in members.tolist():
                    table = self.table(worth, problem)
                    pairs = linear_sum_assignment(table, maximize=True)
                    totals[problem] = math.fsum(table[pairs])
        return totals

    def _stacked(
        self, worth: Floats, problems: Integers, short: int, long: int
    ) -> Floats:
        """Return tables of one shape, turned if need be, as (long, short, problem)."""
        wide = self.columns[problems] >= self.rows[problems]
        along_long = np.where(wide, 1, self.columns[problems])
        along_short = np.where(wide, self.columns[problems], 1)
        place = self.first_cell[problems] + np.arange(long)[:, None, None] * along_long
        cells: Floats = worth[place + np.arange(short)[:, None] * along_short]
        return cells


def _best_totals(worth: Floats) -> Floats:
    """Solve small tables together, by dynamic programming over subsets.

    Lines of the long side are offered one after the other. For every subset of the
    short side, whose members are the binary digits of s, ``best[s]`` is the highest
    total that covers exactly these.
    """
    _, short, count = worth.shape
    best = np.full((1 << short, count), -np.inf)
    best[0] = 0
    for line in worth:
        before = best.copy()
        for place, gain in enumerate(line):
            without = before.reshape(-1, 2, 1 << place, count)[:, 0]
            covered = best.reshape(-1, 2, 1 << place, count)[:, 1]
            np.maximum(covered, without + gain, out=covered)
    covering_all: Floats = best[-1]
    return covering_all


def close_pairs(truth: Segments, found: Segments, order: Integers) -> SegmentPairs:
    """Pair each found segment with the true one that contains its middle sample.

    Every pair whose overlap rate exceeds one half is among them: the true segment
    covers more than half of the found one, so it contains its middle. True segments do
    not overlap, so at most one does, and a binary search finds it.

    Parameters
    ----------
    truth, found : int64[k, 2]
        Segments; the true ones do not overlap.
    order : int64[k]
        Positions of the true segments, sorted by start.
    """
    true_starts, true_ends = truth[order].T
    starts, ends = np.ascontiguousarray(found.T)
    middle = starts + ((ends - starts) >> 1)
    place = np.searchsorted(true_starts, middle, side="right") - 1
    # Before the first true segment, place is -1: the last one, which ends later.
    inside = ((middle < true_ends[place]) & (place >= 0)).nonzero()[0]
    return _measured(truth, found, order[place[inside]], inside)


def touching_pairs(truth: Segments, found: Segments, order: Integers) -> SegmentPairs:
    """Pair segments that share at least one sample; parameters as `close_pairs`."""
    # Without overlap, ends are sorted as starts are: the partners are one run.
    first = np.searchsorted(truth[order, 1], found[:, 0], side="right")
    last = np.searchsorted(truth[order, 0], found[:, 1], side="left")
    counts = np.maximum(last - first, 0)
    of_found = np.repeat(np.arange(len(found)), counts)
    step = np.arange(len(of_found)) - np.repeat(np.cumsum(counts) - counts, counts)
    return _measured(truth, found, order[first[of_found] + step], of_found)


def _measured(
    truth: Segments, found: Segments, of_truth: Integers, of_found: Integers
) -> SegmentPairs:
    """Add the common and joint lengths of pairs that overlap."""
    true_starts, true_ends = truth[of_truth].T
    starts, ends = found[of_found].T
    common = np.minimum(true_ends, ends) - np.maximum(true_starts, starts)
    joint = (true_ends - true_starts) + (ends - starts) - common
    return SegmentPairs(of_truth, of_found, common, joint)


def order_by_content(sets: Sequence[MotifSet]) -> list[int]:
    """Return the positions of the sets of one problem, sorted by content."""
    labelled = MotifSets(tuple(range(len(sets))), tuple(sets))
    places: list[int] = Side.of([labelled]).by_content().places.tolist()
    return places


def add_up(places: Integers, values: NDArray[Any], size: int) -> Floats:
    """Add the values that belong to the same place, in the order that they have."""
    sums: Any = np.bincount(places, values, size)
    return np.asarray(sums, dtype=np.float64)  # without values, bincount makes ints


def numbered(nodes: Integers, part: Integers | None = None) -> Integers:
    """Return nodes numbered from 0; in different parts they are different nodes."""
    if part is not None:
        nodes = part * (int(nodes.max(initial=0)) + 1) + nodes
    return np.unique(nodes, return_inverse=True)[1]


def sparse_graph(
    values: NDArray[Any], ends: tuple[Integers, Integers], size: int | None = None
) -> Any:
    """Return a graph as SciPy takes it; bipartite unless its size is given.

    Release 1.14 of SciPy solves graphs with 32-bit indices only.
    """
    from scipy.sparse import coo_array

    row, column = (nodes.astype(np.int32) for nodes in ends)
    shape = None if size is None else (size, size)
    return coo_array((values, (row, column)), shape=shape).tocsr()


def above(pairs: SegmentPairs, threshold: Fraction) -> Flags:
    """Return which pairs have an overlap rate strictly above `threshold`, exactly."""
    over, under = threshold.numerator, threshold.denominator
    if len(pairs.joint) and int(pairs.joint.max()) > INT64_MAX // under:
        left = pairs.common.astype(object) * under
        return np.asarray(left > pairs.joint.astype(object) * over, dtype=np.bool_)
    return pairs.common * under > pairs.joint * over


def rates(pairs: SegmentPairs) -> Floats:
    """Return the overlap rates, for sums and display; not for comparisons."""
    return pairs.common / pairs.joint


def rate_order(pairs: SegmentPairs) -> Floats:
    """Return numbers that compare exactly as the overlap rates do."""
    if not len(pairs.joint) or int(pairs.joint.max()) <= EXACT_QUOTIENT:
        return rates(pairs)
    both = zip(pairs.common.tolist(), pairs.joint.tolist(), strict=True)
    exact = [Fraction(*pair) for pair in both]
    places = {rate: place for place, rate in enumerate(sorted(set(exact)))}
    return np.array([places[rate] for rate in exact], dtype=np.float64)


def _moved(side: Side, begins: Integers) -> Side:
    """Move the segments of each problem to its stretch of time."""
    offset = begins[side.problem[side.owner]]
    return Side(side.segments + offset[:, None], side.sizes, side.counts, side.places)

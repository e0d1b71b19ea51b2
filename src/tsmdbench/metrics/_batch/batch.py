"""A batch: many problems laid end to end, so that one pass over arrays serves all.

Every problem gets a stretch of time of its own: its segments are moved behind those
of the problem before. Segments of different problems then never overlap, and what
is computed for all at once is what each would get alone. Sets are in the order of
their content, see `tsmdbench.metrics._batch.flat`, and what they have in common stands
in one table per problem, see `tsmdbench.metrics._batch.assignment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError
from tsmdbench.metrics._batch.assignment import Shapes, add_up
from tsmdbench.metrics._batch.flat import Flat, by_content, flat_sets
from tsmdbench.metrics._batch.overlap import (
    SegmentPairs,
    overlapping_pairs,
    pairs_around_midpoints,
)
from tsmdbench.segments import Segments
from tsmdbench.types import MotifSets

LAST_SAMPLE = 2**62  # all stretches together end before this
MOST_CELLS = 2**22  # of the tables of all problems together


class ProblemError(InputError):
    """A metric is not defined for one problem of a batch."""

    def __init__(self, problem: int, sentence: str) -> None:
        super().__init__(sentence)
        self.problem = problem


@dataclass(frozen=True)
class Side:
    """All true, or all found, segments of a batch."""

    segments: Segments  # moved apart, set below set
    owner: Integers  # set of each segment
    sizes: Integers  # cardinality of each set
    problem: Integers  # problem of each set
    first_set: Integers  # first set of each problem, and the end
    places: Integers  # where each set stood in what was given

    @cached_property
    def lengths(self) -> Integers:
        """Samples that the motifs of each set have together."""
        samples = self.segments[:, 1] - self.segments[:, 0]
        totals = add_up(self.owner, samples, len(self.sizes))
        return totals.astype(np.int64)

    @cached_property
    def by_start(self) -> Integers:
        """Positions of the segments, sorted by start."""
        return np.argsort(self.segments[:, 0], kind="stable")


class Batch:
    """Checked truth and found of one or many problems.

    Parameters
    ----------
    truths, founds : sequences of MotifSets, or Flat
        Of equal length; truth must have passed `tsmdbench.validation.check_truth`.
    """

    def __init__(
        self, truths: Sequence[MotifSets] | Flat, founds: Sequence[MotifSets] | Flat
    ) -> None:
        truth = truths if isinstance(truths, Flat) else flat_sets(truths)
        found = founds if isinstance(founds, Flat) else flat_sets(founds)
        self.size = len(truth.counts)
        begins = None
        if self.size > 1:
            begins = _stretches(truth, found).cumsum()
            begins[1:], begins[0] = begins[:-1].copy(), 0
        self.truth = _side(truth, begins)
        self.found = _side(found, begins)
        self.shapes = Shapes(truth.counts, found.counts)

    @cached_property
    def close(self) -> SegmentPairs:
        """Pairs of segments whose overlap rate may exceed one half, by found."""
        return pairs_around_midpoints(
            self.truth.segments, self.found.segments, self.truth.by_start
        )

    @cached_property
    def touching(self) -> SegmentPairs:
        """Pairs of segments that share a sample, by found."""
        return overlapping_pairs(
            self.truth.segments, self.found.segments, self.truth.by_start
        )

    @property
    def truth_overlaps(self) -> bool:
        """Whether any two true segments of a problem overlap, which they must not."""
        starts, ends = self.truth.segments[self.truth.by_start].T
        return bool((starts[1:] < ends[:-1]).any())

    @cached_property
    def _row_begins(self) -> Integers:
        """For each true set, its first cell less the first found set."""
        width = self.shapes.columns[self.truth.problem]
        return width.cumsum() - width - self.found.first_set[self.truth.problem]

    def cell(self, row: Integers, column: Integers) -> Integers:
        """Return where a true and a found set of one problem meet in the tables."""
        return self._row_begins[row] + column

    def nodes(self, pairs: SegmentPairs) -> tuple[Integers, Integers]:
        """Return a number for each true motif and partner set, and the other way round.

        Pairs of motifs that share no such number can be matched independently.
        """
        true, found = pairs.truth, pairs.found
        return (
            _partnered(self.truth, self.found, true, self.found.owner[found]),
            _partnered(self.found, self.truth, found, self.truth.owner[true]),
        )

    @property
    def cells(self) -> int:
        """Number of cells of all tables."""
        return int(self.shapes.first[-1])

    @cached_property
    def cell_problem(self) -> Integers:
        """The problem of each cell."""
        return np.repeat(np.arange(self.size), np.diff(self.shapes.first))

    @cached_property
    def cell_row(self) -> Integers:
        """The true set of each cell."""
        columns = self.shapes.columns[self.truth.problem]
        return np.repeat(np.arange(len(columns)), columns)

    @cached_property
    def cell_column(self) -> Integers:
        """The found set of each cell."""
        return np.arange(self.cells) - self._row_begins[self.cell_row]

    def rows(self, problem: int) -> slice:
        """Return the true sets of a problem."""
        return slice(*self.truth.first_set[problem : problem + 2].tolist())

    def columns(self, problem: int) -> slice:
        """Return the found sets of a problem."""
        return slice(*self.found.first_set[problem : problem + 2].tolist())


def fits(truth: Flat, found: Flat) -> bool:
    """Return whether these problems fit in one batch: their time and tables."""
    samples = _stretches(truth, found).sum(dtype=np.float64)
    cells = (truth.counts * found.counts).sum(dtype=np.float64)
    return bool(samples <= LAST_SAMPLE and cells <= MOST_CELLS)


def _stretches(truth: Flat, found: Flat) -> Integers:
    return np.maximum(truth.last_ends, found.last_ends)


def _partnered(own: Side, other: Side, motif: Integers, partner: Integers) -> Integers:
    """Give each pair of a motif and a set of the other side a number."""
    problem = own.problem[own.owner]
    partners = np.diff(other.first_set)[problem]
    begins = partners.cumsum() - partners - other.first_set[problem]
    return begins[motif] + partner


def _side(given: Flat, begins: Integers | None) -> Side:
    """Lay the segments of all problems end to end."""
    flat, places = by_content(given)
    segments = flat.segments
    if begins is not None:
        segments = segments + begins[given.problem[flat.owner]][:, None]
    return Side(
        segments, flat.owner, flat.sizes, given.problem, given.first_set, places
    )

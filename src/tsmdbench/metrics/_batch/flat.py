"""Flat arrays: sets of many problems, in an order that depends on content only.

Nothing that is computed from sets in this order can depend on the order in which
they came. Segments are sorted within their set, sets within their problem by their
segments as one sorts words: by the first segment, then the second, and so on; empty
sets come last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tsmdbench.arrays import Integers
from tsmdbench.segments import EMPTY, INT64_MAX, Segments
from tsmdbench.types import MotifSet, MotifSets


@dataclass(frozen=True)
class Flat:
    """Sets of one or many problems, set below set."""

    segments: Segments
    sizes: Integers  # segments of each set
    counts: Integers  # sets of each problem
    is_sorted: bool = False  # whether the segments of each set are

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
        return _starting(self.counts)

    @property
    def last_ends(self) -> Integers:
        """The largest end in each problem, 0 without segments."""
        cuts = _starting(self.sizes)[self.first_set]
        filled = cuts[1:] > cuts[:-1]
        largest = np.zeros(len(self.counts), dtype=np.int64)
        if filled.any():
            begins = cuts[:-1][filled]
            largest[filled] = np.maximum.reduceat(self.segments[:, 1], begins)
        return largest

    def cut(self, problem: int) -> tuple[Flat, Flat]:
        """Return the problems before this one, and the others."""
        sets = int(self.counts[:problem].sum())
        place = int(self.sizes[:sets].sum())
        return (
            Flat(
                self.segments[:place],
                self.sizes[:sets],
                self.counts[:problem],
                self.is_sorted,
            ),
            Flat(
                self.segments[place:],
                self.sizes[sets:],
                self.counts[problem:],
                self.is_sorted,
            ),
        )


def flat_sets(problems: Sequence[MotifSets]) -> Flat:
    """Put motif sets below each other."""
    counts = np.array([len(problem.sets) for problem in problems], dtype=np.int64)
    if len(problems) == 1:
        return Flat(problems[0].segments, problems[0].sizes, counts, is_sorted=True)
    sets = [motifs.segments for problem in problems for motifs in problem.sets]
    sizes = np.array([len(block) for block in sets], dtype=np.int64)
    segments = np.concatenate(sets) if sets else EMPTY
    return Flat(segments, sizes, counts, is_sorted=True)


def by_content(flat: Flat) -> tuple[Flat, Integers]:
    """Sort sets by content, and return for each the place where it was.

    Examples
    --------
    >>> flat = Flat(np.array([[5, 9], [0, 3], [0, 4]]), np.array([2, 1]), np.array([2]))
    >>> flat, places = by_content(flat)
    >>> flat.segments.tolist(), flat.sizes.tolist(), places.tolist()
    ([[0, 3], [5, 9], [0, 4]], [2, 1], [0, 1])
    """
    if not flat.is_sorted:
        segments = _sorted_within(flat.segments, flat.owner)
        flat = replace(flat, segments=segments, is_sorted=True)
    begins = flat.sizes.cumsum() - flat.sizes
    places = _set_order(flat, begins)
    if not np.count_nonzero(places[1:] < places[:-1]):
        return flat, places
    sizes = flat.sizes[places]
    moved = np.repeat(begins[places] + sizes - sizes.cumsum(), sizes)
    segments = flat.segments[moved + np.arange(len(moved))]
    return Flat(segments, sizes, flat.counts, is_sorted=True), places


def order_by_content(sets: Sequence[MotifSet]) -> list[int]:
    """Return the positions of the sets of one problem, sorted by content."""
    labels = tuple(range(len(sets)))
    places: list[int] = by_content(flat_sets([MotifSets(labels, tuple(sets))]))[
        1
    ].tolist()
    return places


def _starting(sizes: Integers) -> Integers:
    """Return where pieces of these sizes begin, and the end."""
    begins = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=begins[1:])
    return begins


def _sorted_within(segments: Segments, owner: Integers) -> Segments:
    """Sort the segments of each set by start, then end."""
    starts, ends = segments[:, 0], segments[:, 1]
    rising = (starts[1:] > starts[:-1]) | (owner[1:] != owner[:-1])
    if rising.all():
        return segments
    done = segments[_sorted_by(owner, starts)]
    starts, ends = done[:, 0], done[:, 1]
    # Sets keep their room, so owner also holds for the sorted segments.
    tied = (starts[1:] == starts[:-1]) & (owner[1:] == owner[:-1])
    if (tied & (ends[1:] < ends[:-1])).any():
        done = done[np.lexsort((ends, starts, owner))]
    return done


def _sorted_by(major: Integers, minor: Integers) -> Integers:
    """Return the order by `major`, which is sorted already, then by `minor`."""
    if not major[-1]:
        return np.argsort(minor, kind="stable")
    span = int(minor.max()) + 1
    if (int(major[-1]) + 1) * span > INT64_MAX:
        order: Integers = np.lexsort((minor, major))
        return order
    return np.argsort(major * span + minor, kind="stable")


def _set_order(flat: Flat, begins: Integers) -> Integers:
    """Return the sets of each problem by their segments."""
    if not len(flat.segments):
        return np.arange(len(flat.sizes))
    # A set behind the last segment is empty; where it begins does not matter.
    lead = flat.segments[np.minimum(begins, len(flat.segments) - 1), 0]
    if np.count_nonzero(flat.sizes) < len(flat.sizes):
        lead[flat.sizes == 0] = lead.max() + 1
    problem = flat.problem
    order = _sorted_by(problem, lead)
    lead = lead[order]
    tied = lead[1:] == lead[:-1]
    if np.count_nonzero(tied):
        # Sets stay in their problem: that of the ordered sets is the same.
        tied &= problem[1:] == problem[:-1]
        edges = np.diff(tied, prepend=False, append=False).nonzero()[0].tolist()
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            run = order[first : last + 1].tolist()
            run.sort(key=lambda s: flat.segments[begins[s] :][: flat.sizes[s]].tolist())
            order[first : last + 1] = run
    return order

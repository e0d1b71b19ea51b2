"""`Candidates` and `Coverage`: a few motif sets out of many candidate sets.

A symbolic method has thousands of candidates: every rule of a grammar, every word.
Here the segments of a candidate are made disjoint, candidates with fewer than two are
dropped, and from the rest, best first, those are accepted that are not mostly covered
by the sets accepted before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tsmdbench._kernels.symbolic import cover
from tsmdbench.arrays import Integers
from tsmdbench.types import MotifSet


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidate sets, each of two disjoint segments or more."""

    owner: Integers  # number of the rule, or of the word
    starts: Integers  # of the segments of all candidates below each other
    ends: Integers
    bounds: Integers  # candidate i has the segments from bounds[i] to bounds[i + 1]

    @classmethod
    def disjoint(cls, starts: Integers, ends: Integers, bounds: Integers) -> Candidates:
        """Keep segments from left to right, and groups that keep two or more."""
        return cls(*cover.disjoint(starts, ends, bounds))

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def counts(self) -> Integers:
        """Number of segments of each candidate."""
        return np.diff(self.bounds)

    @property
    def first(self) -> Integers:
        """First sample of each candidate."""
        return self.starts[self.bounds[:-1]]

    @property
    def covered(self) -> Integers:
        """Number of samples of each candidate."""
        return self._reduce(np.add)

    @property
    def longest(self) -> Integers:
        """Length of the longest segment of each candidate."""
        return self._reduce(np.maximum)

    def _reduce(self, function: np.ufunc) -> Integers:
        lengths = self.ends - self.starts
        if not len(self):
            return lengths
        return np.asarray(function.reduceat(lengths, self.bounds[:-1]))

    def accept(
        self,
        order: Integers,
        coverage: Coverage,
        max_overlap: float,
        limit: int | None,
        *,
        disjoint: bool,
    ) -> list[MotifSet]:
        """Return, of the candidates in `order`, the ones that are new enough.

        What they cover is added to `coverage`, unless the limit is reached. With
        `disjoint`, segments that share a sample with an earlier set are dropped, and so
        are candidates that are left with fewer than two.
        """
        most = len(order) + 1 if limit is None else limit
        chosen, kept = cover.accept_inplace(
            order,
            self.starts,
            self.ends,
            self.bounds,
            coverage.tree,
            coverage.jump,
            max_overlap,
            most,
            disjoint,
        )
        segments = np.stack([self.starts, self.ends], axis=1)
        spans = (slice(self.bounds[one], self.bounds[one + 1]) for one in chosen)
        return [MotifSet.from_valid(segments[span][kept[span]]) for span in spans]


class Coverage:
    """Which of n samples the accepted sets cover; none at first."""

    def __init__(self, n: int) -> None:
        self.tree = np.zeros(n + 1, np.int32)  # Fenwick tree over covered samples
        # The next sample that is not covered, with shortcuts.
        self.jump = np.arange(n + 1, dtype=np.int32)

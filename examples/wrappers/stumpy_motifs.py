"""Motifs of stumpy, for `tsmdbench run --with stumpy==1.14.1`."""

# /// script
# dependencies = ["stumpy==1.14.1"]
# ///

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import stumpy


@dataclass(frozen=True)
class StumpyMotifs:
    """stumpy.motifs: windows near the best pairs of one channel."""

    length: int
    radius: float
    max_sets: int = 3
    channel: int = 0

    univariate: ClassVar = True
    variable_length: ClassVar = "no"

    def find(self, series):
        """Return the motif sets of a series, the best first."""
        x = series if series.ndim == 1 else series[:, self.channel].copy()
        profile = stumpy.stump(x, self.length)[:, 0].astype(float)
        _, starts = stumpy.motifs(
            x,
            profile,
            max_distance=self.radius,
            max_motifs=self.max_sets,
            max_matches=None,
            cutoff=np.inf,
        )
        return segments(starts, self.length)


@dataclass(frozen=True)
class StumpyMMotifs:
    """stumpy.mmotifs: the same over all channels, with everything in the radius."""

    length: int
    radius: float
    max_sets: int = 3

    univariate: ClassVar = False
    variable_length: ClassVar = "no"

    def find(self, series):
        """Return the motif sets of a series, the best first."""
        rows = np.atleast_2d(np.ascontiguousarray(series.T))
        _, starts, *_ = stumpy.mmotifs(
            rows,
            *stumpy.mstump(rows, self.length),
            k=len(rows) - 1,
            max_distance=self.radius,
            max_motifs=self.max_sets,
            max_matches=None,
            cutoffs=np.inf,
        )
        return segments(starts, self.length)


def segments(starts, length):
    """Return rows of starts, which -1 fills up, as sets of segments."""
    rows = [sorted(int(s) for s in row if s >= 0) for row in starts]
    return [[(s, s + length) for s in row] for row in rows if len(row) > 1]

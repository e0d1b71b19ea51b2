"""`Buckets` of EMMA: windows by SAX word, and how far two words are at least apart.

The first half of EMMA: z-normalise a window, average it over `word_length` segments
(samples on the border of two segments count for both, in proportion), and write a
letter for each average, so that all letters are equally likely under a normal
distribution. Windows with the same word share a bucket.

Conventions
-----------
An average equal to a cut belongs to the upper letter. Constant windows are all zeros.
Windows that touch a NaN or infinite sample are in no bucket.

References
----------
J. Lin, E. Keogh, L. Wei, S. Lonardi, Experiencing SAX: a novel symbolic representation
of time series, DMKD 15, 2007, doi:10.1007/s10618-007-0064-z.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import sliding
from tsmdbench.methods._windows import Starts, Windows


@dataclass(frozen=True, eq=False)
class Buckets:
    """Windows by word, the largest bucket first; equal ones by their first window."""

    words: NDArray[np.int64]  # one row of letters per bucket
    members: tuple[Starts, ...]  # ascending starts per bucket
    cell: NDArray[np.float64]  # least squared distance of two letters
    scale: float

    @classmethod
    def of(cls, windows: Windows, word_length: int, alphabet_size: int) -> Buckets:
        """Write the word of every window and sort the windows by word."""
        cuts = breakpoints(alphabet_size)
        averages = segment_averages(windows, word_length)
        usable = np.flatnonzero(np.isfinite(windows.tracks[0, sliding.BIAS]))
        letters = np.searchsorted(cuts, averages[usable], side="right")
        words, first, owner, sizes = np.unique(
            letters, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, -sizes))
        by_word = np.split(
            usable[np.argsort(owner.ravel(), kind="stable")], np.cumsum(sizes)[:-1]
        )
        return cls(
            words[order].astype(np.int64),
            tuple(by_word[bucket] for bucket in order),
            cell_distances(cuts),
            windows.length / word_length,
        )

    def near(self, bucket: int, radius: float) -> Starts:
        """Return the windows of all buckets whose words may be within `radius`."""
        squares = self.cell[self.words, self.words[bucket]].sum(axis=1)
        within = np.flatnonzero(self.scale * squares <= radius * radius)
        return np.sort(np.concatenate([self.members[other] for other in within]))


def breakpoints(alphabet_size: int) -> NDArray[np.float64]:
    """Return the cuts that divide the normal distribution into equal parts.

    >>> breakpoints(4).round(2)
    array([-0.67,  0.  ,  0.67])
    """
    normal = NormalDist()
    steps = range(1, alphabet_size)
    return np.array([normal.inv_cdf(step / alphabet_size) for step in steps])


def cell_distances(cuts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least squared distance of two letters: 0 for neighbouring ones."""
    letters = np.arange(len(cuts) + 1)
    low = np.minimum.outer(letters, letters)
    high = np.maximum.outer(letters, letters)
    between = cuts[np.maximum(high - 1, 0)] - cuts[np.minimum(low, len(cuts) - 1)]
    squares: NDArray[np.float64] = np.where(high - low > 1, between**2, 0.0)
    return squares


def segment_averages(windows: Windows, word_length: int) -> NDArray[np.float64]:
    """Return the averages of every z-normalised window over `word_length` segments."""
    y, track = windows.samples[0], windows.tracks[0]
    total = np.concatenate([[0.0], np.cumsum(y)])
    bounds = np.arange(word_length + 1) * windows.length / word_length
    whole = np.minimum(bounds.astype(np.int64), windows.length - 1)
    starts = np.arange(windows.count)[:, None] + whole
    # The integral up to a border inside a sample takes that part of the sample.
    upto = total[starts] + (bounds - whole) * y[starts]
    means = np.diff(upto, axis=1) * (word_length / windows.length)
    norms = track[sliding.INVERSE] * math.sqrt(windows.length)
    averages: NDArray[np.float64] = (means - track[sliding.MEAN][:, None]) * norms[
        :, None
    ]
    return averages

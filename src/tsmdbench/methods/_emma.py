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
from tsmdbench._kernels.symbolic import neighbourhoods
from tsmdbench.methods._windows import Starts, Windows


@dataclass(frozen=True, eq=False)
class Buckets:
    """Windows by word, the largest bucket first; equal ones by their first window."""

    words: NDArray[np.int64]  # one row of letters per bucket
    members: Starts  # bucket by bucket, ascending
    begins: NDArray[np.int64]  # the members of bucket b begin at the b-th
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
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return cls(
            words[order].astype(np.int64),
            usable[np.argsort(rank[owner.ravel()], kind="stable")],
            np.concatenate([[0], np.cumsum(sizes[order])]),
            cell_distances(cuts),
            windows.length / word_length,
        )

    def candidates(
        self, radius: float, sizes: NDArray[np.int64], far: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return the windows that the search by buckets looks at.

        Buckets are visited until the largest count of a window in their neighbourhoods
        is no less than the size of the next bucket.

        Parameters
        ----------
        radius : float
        sizes : int64[n]
            Number of matches of every window.
        far : bool[n]
            Which windows can be centres.
        """
        limit = radius * radius / self.scale
        looked_at: NDArray[np.bool_] = neighbourhoods.candidates(
            self.words, self.members, self.begins, self.cell, limit, sizes, far
        )
        return looked_at


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

"""`Buckets` of EMMA: windows by SAX word; `Matches`: which windows are near which.

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
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import among, neighbours, sliding
from tsmdbench.errors import InputError
from tsmdbench.methods._windows import Starts, Windows

MOST_MATCHES = 1 << 27  # 16 bytes each
NO_STARTS = np.empty(0, np.int64)
NO_LISTS = (NO_STARTS, np.empty(0), NO_STARTS), NO_STARTS

Counts = tuple[NDArray[np.int64], NDArray[np.float64]]
Count = Callable[[Windows], Counts]


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


class Matches:
    """The matches of windows within a radius, for searches by different words.

    Parameters
    ----------
    windows : Windows
    radius : float
    gap : int
        Smallest difference between the starts of two matches of a window.
    count : callable
        Returns sizes and spreads of the match lists of all windows.
    """

    def __init__(self, windows: Windows, radius: float, gap: int, count: Count) -> None:
        self.windows, self.radius, self.gap, self._count = windows, radius, gap, count

    def count_by_words(
        self, windows: Windows, buckets: Buckets, far: NDArray[np.bool_]
    ) -> Counts:
        """Return sizes and spreads that the search by buckets counts.

        `windows` are those of the constructor, or without some.
        """
        full = self._full if windows is self.windows else self._count(windows)
        words = buckets.words, buckets.members, buckets.begins, buckets.cell
        limit = self.radius * self.radius / buckets.scale
        # Lists are long; most searches do without.
        lists = self.__dict__.get("_lists", NO_LISTS)
        search = partial(among.count_by_words, words, limit, full)
        sizes, spreads, missing = search(*lists, far, self.gap)
        if missing:
            sizes, spreads, _ = search(*self._lists, far, self.gap)
        return sizes, spreads

    @cached_property
    def _full(self) -> Counts:
        return self._count(self.windows)

    @cached_property
    def _lists(self) -> tuple[tuple[NDArray[Any], ...], NDArray[np.int64]]:
        """Starts, distances and offsets, nearest first, and the most `gap` apart."""
        windows, total, parts = self.windows, 0, []
        for _, starts, offsets, distances in neighbours.neighbour_lists(
            windows.samples,
            windows.tracks,
            windows.length,
            windows.length,
            windows.threshold(self.radius),
        ):
            total += len(starts)
            if total > MOST_MATCHES:
                raise InputError(
                    f"more than {MOST_MATCHES:,} pairs of windows are within the "
                    f'radius {self.radius:g}, which mode="sax" would have to keep; '
                    'give a smaller radius or mode="exact"'
                )
            parts.append((starts, distances, np.diff(offsets)))
        starts, distances, sizes = (np.concatenate(x) for x in zip(*parts, strict=True))
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        bounds = among.bounds_of(starts, offsets, self.gap)
        among.sort_by_distance_inplace(starts, distances, offsets)
        return (starts, distances, offsets), bounds


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

"""EMMA: the windows with the most matches, searched through SAX words.

The centre of the first motif set is the window with the most non-trivial matches within
`radius`. The next centres are those with the most matches among the windows that are
more than ``2 radius`` away from all earlier centres. The paper searches for them among
windows that share a *SAX word*, a few letters that describe where a window is low and
where it is high. Buckets of equal words are visited from the largest to the smallest.
The windows of a bucket are compared with those of all buckets whose words may be within
`radius`. The search ends when the best count is at least the size of the next bucket.

Conventions
-----------
`radius` is the z-normalised Euclidean distance between two windows and is inclusive.
Ties are broken by the smaller standard deviation of the distances to the centre, then
by the lower start. Windows that contain a NaN or infinite sample are never returned.

``mode="exact"``
    Compares all windows. Words are not used, so `word_length` and `alphabet_size` have
    no effect.
``mode="sax"``
    The published search. Its early end is a heuristic: matches are in many buckets, so
    a better centre may be missed. `word_length` and `alphabet_size` affect the result.

Cost
----
``mode="exact"`` takes O(n^2) time and O(n) memory, independent of the radius.
``mode="sax"`` takes the same time for the counts, which the settings of a sweep share,
and, for every bucket that is visited, time proportional to the number of letters of all
words.

Limitations
-----------
* Occurrences that differ in length or speed are missed: every segment has `length`
  samples, and the distance of a stretched copy soon exceeds the radius.
* All patterns have the same radius, although the copies of some patterns are more
  similar than those of others.
* Rare patterns are found late: sets are ordered by their number of matches, so a simple
  shape that many windows resemble comes before a distinctive one that occurs twice.
* Positions are approximate: a window that is shifted by a few samples has as many
  matches, so all segments of a set may start too early or too late.

References
----------
J. Lin, E. Keogh, S. Lonardi, P. Patel, Finding motifs in time series, 2nd Workshop on
Temporal Data Mining at KDD 2002. Public code: jMotif/SAX, commit d8c0bfa (GPL-2), whose
centre and matches are those of ``mode="exact", count="windows"``; used as an oracle
only.

Departures
----------
* The paper and jMotif count every window within the radius, including matches that are
  shifted by one sample, which favours smooth shapes. Here matches, nearest first, must
  not overlap each other. ``count="windows"`` counts and returns all of them.
* Public code returns one motif set. Here the ``2 radius`` rule of the paper gives
  several. With this rule alone, the second set is often the first one shifted by a few
  samples; `disjoint`, on by default, removes windows that overlap an earlier set.
* In ``mode="sax"`` the paper counts the matches of a window within the neighbourhood of
  the bucket that is visited. Here they are counted among all windows. For the windows
  of the bucket the counts are equal, because all their matches are in its
  neighbourhood; for windows at the edge of the neighbourhood the count of the paper is
  too low. With coarse words a neighbourhood contains all windows, and the result is the
  same as with ``mode="exact"``.
* The paper avoids distance computations with a map of approximate distances; here all
  distances are computed, by a faster recurrence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import NormalDist
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import sliding
from tsmdbench._kernels.symbolic import neighbourhoods
from tsmdbench.errors import InputError
from tsmdbench.methods._density import (
    Counts,
    Mask,
    densest_sets,
    matches_of,
    sweep_radii,
)
from tsmdbench.methods._distance import SingleChannel, Threaded, WindowMethod
from tsmdbench.methods._grids import Axes, Facts, word_axes
from tsmdbench.methods._windows import Starts, Windows, check_positive
from tsmdbench.methods.base import Found, Series, check_fits, check_length
from tsmdbench.validation import check_choice, check_integer

MODES = ("exact", "sax")
COUNTS = ("apart", "windows")
MAX_ALPHABET = 64  # beyond it the letters are narrower than noise


@dataclass(frozen=True, repr=False)
class EMMA(Threaded, WindowMethod, SingleChannel):
    """Find the windows with the most matches within a radius, by SAX words.

    Parameters
    ----------
    length : int
        Samples per window, at least 4.
    radius : float
        Largest z-normalised Euclidean distance of a match to its centre, above 0.
    word_length : int, default 8
        Number of letters per word, from 1 to `length`; for ``mode="sax"``.
    alphabet_size : int, default 4
        Number of letters, from 2 to 64; for ``mode="sax"``.
    mode : {"exact", "sax"}, default "exact"
        Compare all windows, or only those with similar words.
    count : {"apart", "windows"}, default "apart"
        Count matches that do not overlap each other, or every window in the radius.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Forbid that segments of a later set overlap those of an earlier one.
    channel : int, default 0
        Channel of a multivariate series that is searched.
    constant : {"skip", "keep"}, default "skip"
        Leave out windows whose samples are all equal, or compare them like others.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> x[200:230] = x[40:70] + 0.01 * x[100:130]
    >>> EMMA(length=30, radius=0.1).find(x)
    (MotifSet(((40, 70), (200, 230))),)
    """

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    warm_up: ClassVar[Sequence[Mapping[str, Any]]] = (
        {},
        {"mode": "sax"},
        {"count": "windows"},
    )
    paper: ClassVar[Mapping[str, Any]] = {
        "constant": "keep",
        "mode": "sax",
        "count": "apart",
        "disjoint": False,
    }

    @staticmethod
    def grid(facts: Facts) -> Axes:
        """Return the values that a search tries."""
        return word_axes(facts.length // 2)

    @staticmethod
    def full_grid(facts: Facts) -> Axes:
        """Return the values with every length of words."""
        return word_axes(facts.length // 2, full=True)

    length: int
    radius: float
    word_length: int = 8
    alphabet_size: int = 4
    mode: str = "exact"
    count: str = "apart"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_length(self.length)
        check_positive(self.radius, "radius")
        check_integer(self.word_length, "word_length", minimum=1)
        check_integer(
            self.alphabet_size, "alphabet_size", minimum=2, maximum=MAX_ALPHABET
        )
        if self.word_length > self.length:
            raise InputError(
                f"word_length must not exceed length, got {self.word_length} letters "
                f"for {self.length} samples"
            )
        check_choice(self.mode, "mode", MODES)
        check_choice(self.count, "count", COUNTS)

    def _find(self, x: Series) -> Found:
        check_fits(x, self.length)
        return self._sets(self._windows(x, self.length))

    def _sets(self, windows: Windows, first: Counts | None = None) -> Found:
        exact = self.mode == "exact"
        by_words = partial(self._count_by_words, windows, first)
        return densest_sets(
            windows,
            self.radius,
            self.max_sets,
            count=self._count_exact if exact else by_words,
            members=self._members,
            disjoint=self.disjoint,
            local=exact,
            first=first if exact else None,
        )

    def _members(self, windows: Windows, centre: int) -> Starts:
        if self.count == "apart":
            return matches_of(windows, centre, self.radius)
        near = np.flatnonzero(windows.distances(centre) <= self.radius)
        others = near[np.abs(near - centre) >= self.length]
        return np.concatenate([[centre], others])

    def _count_by_words(
        self,
        known: Windows,
        counts: Counts | None,
        windows: Windows,
        far: Mask,
        _: Mask | None,
    ) -> Counts:
        """Count matches where the words suggest it; `counts` are of `known` windows."""
        if counts is None or windows is not known:
            counts = self._count_exact(windows)
        buckets = Buckets.of(windows, self.word_length, self.alphabet_size)
        looked_at = buckets.candidates(self.radius, counts[0], far)
        return np.where(looked_at, counts[0], 0), counts[1]

    def _count_exact(
        self, windows: Windows, _: Mask | None = None, wanted: Mask | None = None
    ) -> Counts:
        """Count the matches of the wanted windows among all windows."""
        if self.count == "windows":
            return windows.matches_within(self.radius, self.length)
        sizes, spreads = windows.matches_apart([self.radius], self.length, wanted)
        return sizes[0], spreads[0]

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Walk the distances once for all radii; words do not matter when exact."""
        distinct = [
            replace(method, word_length=1, alphabet_size=2)
            if method.mode == "exact"
            else method
            for method in methods
        ]
        walked = [m for m in dict.fromkeys(distinct) if m.count == "apart"]
        found = dict(zip(walked, sweep_radii(series, walked), strict=True))
        for method in distinct:
            if method not in found:
                found[method] = method.find(series)
        return [found[method] for method in distinct]


# Buckets: windows by SAX word, and how far two words are at least apart. A window is
# z-normalised and averaged over `word_length` segments (samples on the border of two
# segments count for both, in proportion), and each average becomes a letter, so that
# all letters are equally likely under a normal distribution. An average equal to a cut
# belongs to the upper letter; constant windows are all zeros; windows with NaN or
# infinite samples are in no bucket. (J. Lin, E. Keogh, L. Wei, S. Lonardi, Experiencing
# SAX, DMKD 15, 2007, doi:10.1007/s10618-007-0064-z.)


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

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
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import sliding
from tsmdbench._kernels.symbolic import neighbourhoods
from tsmdbench.methods._density import Counts, KMotifs, Mask
from tsmdbench.methods._grids import Axes, Facts, word_axes
from tsmdbench.methods._sax import cuts
from tsmdbench.methods._windows import Starts, Windows
from tsmdbench.methods.base import Found, Series
from tsmdbench.validation import check_choice, check_integer

MODES = ("exact", "sax")
COUNTS = ("apart", "windows")
MAX_ALPHABET = 64  # beyond it the letters are narrower than noise


@dataclass(frozen=True, repr=False)
class EMMA(KMotifs):
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

    word_length: int = 8
    alphabet_size: int = 4
    mode: str = "exact"
    count: str = "apart"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self.word_length, "word_length", minimum=1, maximum=self.length)
        check_integer(
            self.alphabet_size, "alphabet_size", minimum=2, maximum=MAX_ALPHABET
        )
        check_choice(self.mode, "mode", MODES)
        check_choice(self.count, "count", COUNTS)

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find once for all words, which do not matter when exact."""
        same = [
            replace(method, word_length=1, alphabet_size=2)
            if method.mode == "exact"
            else method
            for method in methods
        ]
        distinct = list(dict.fromkeys(same))
        swept = super()._sweep(series, distinct)
        found = dict(zip(distinct, swept, strict=True))
        return [found[method] for method in same]

    def _key(self) -> Hashable:
        return super()._key(), self.count

    @classmethod
    def _prepare(
        cls, x: Series, methods: Sequence[Self]
    ) -> tuple[Windows, Mapping[float, Counts]]:
        if methods[0].count == "apart":
            return super()._prepare(x, methods)
        windows = methods[0]._windows(x, methods[0].length)
        radii = {method.radius for method in methods}
        return windows, {r: windows.matches_within(r, windows.length) for r in radii}

    def _count(self, windows: Windows, wanted: Mask) -> Counts:
        if self.count == "windows":
            return windows.matches_within(self.radius, self.length)
        return super()._count(windows, wanted)

    def _members(self, windows: Windows, centre: int) -> Starts:
        if self.count == "apart":
            return super()._members(windows, centre)
        near = np.flatnonzero(windows.distances(centre) <= self.radius)
        others = near[np.abs(near - centre) >= self.length]
        return np.concatenate([[centre], others])

    def _centres(
        self, windows: Windows, sizes: NDArray[np.int64], far: Mask
    ) -> NDArray[np.int64]:
        """Return the windows in the neighbourhoods that the search looks at.

        Buckets are visited until the largest count of a window in their neighbourhoods
        is no less than the size of the next bucket.
        """
        if self.mode == "sax":
            buckets = Buckets.of(windows, self.word_length, self.alphabet_size)
            limit = self.radius * self.radius / (self.length / self.word_length)
            far = far & neighbourhoods.candidates(*buckets, limit, sizes, far)
        return super()._centres(windows, sizes, far)


# A window is z-normalised and averaged over `word_length` segments (samples on the
# border of two segments count for both, in proportion), and each average becomes a
# letter, so that all letters are equally likely under a normal distribution. An average
# equal to a cut belongs to the upper letter; constant windows are all zeros; windows
# with NaN or infinite samples are in no bucket. (J. Lin, E. Keogh, L. Wei, S. Lonardi,
# Experiencing SAX, DMKD 15, 2007, doi:10.1007/s10618-007-0064-z.)


class Buckets(NamedTuple):
    """Windows by SAX word, the largest bucket first; equal ones by first window."""

    words: NDArray[np.int64]  # one row of letters per bucket
    members: Starts  # bucket by bucket, ascending
    begins: NDArray[np.int64]  # the members of bucket b begin at the b-th
    cell: NDArray[np.float64]  # least squared distance of two letters

    @classmethod
    def of(cls, windows: Windows, word_length: int, alphabet_size: int) -> Buckets:
        """Write the word of every window and sort the windows by word."""
        borders = cuts(alphabet_size)
        averages = segment_averages(windows, word_length)
        usable = np.flatnonzero(np.isfinite(windows.tracks[0, sliding.BIAS]))
        letters = np.searchsorted(borders, averages[usable], side="right")
        words, first, owner, sizes = np.unique(
            letters, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.lexsort((first, -sizes))
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        # Letters that are neighbours touch: their distance is 0.
        letter = np.arange(alphabet_size)
        low, high = np.minimum.outer(letter, letter), np.maximum.outer(letter, letter)
        last = alphabet_size - 2
        between = borders[np.maximum(high - 1, 0)] - borders[np.minimum(low, last)]
        return cls(
            words[order].astype(np.int64),
            usable[np.argsort(rank[owner.ravel()], kind="stable")],
            np.concatenate([[0], np.cumsum(sizes[order])]),
            np.where(high - low > 1, between**2, 0.0),
        )


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

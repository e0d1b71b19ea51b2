r"""Auto: motif sets without parameters, chosen by the bits that they save.

Two other methods are run with many settings, and the result that describes the series
in the fewest bits is chosen. A motif set saves bits because its members can be
predicted from one of them. Let a set have k members of median length L, and let w be
the mean distance of the members to the most central one, divided by the median distance
of random windows. The set saves

.. math:: (k - 1) \frac{L c}{2 \tau} \log_2 \frac{1}{w}
          - k \log_2 (n / \tau + 1) - \sum_i |L_i - L| / \tau

bits: the prediction, without the costs of positions and of lengths that differ. With
the correlation time :math:`\tau` and the effective number of channels c,
:math:`L c / \tau` is the number of independent samples of a member. The result must
save more bits than the same search saves in copies of the series with random phases,
which have the same spectrum and no motifs. Otherwise nothing is returned.

Conventions
-----------
* Candidates: LoCoMotif with every range of a geometric grid of lengths, two values of
  `rho`, with and without warping; for one channel also STOMP with every length of such
  a grid and two radii. Sets that save no bits are left out.
* For one channel, level and scale of each member cost :math:`\log_2(L / \tau) / 2`
  bits more, and parts of the members that are quiet and unlike each other do not count
  as length.
* If no candidate saves enough bits, bits are computed again on the series without its
  moving mean, for series that drift.
* Distances: segments are stretched linearly to the same length. For several channels
  the distance is the mean squared difference of the jointly z-normalised series, for
  one channel 2 (1 - correlation).
* Random windows and phases have a fixed seed, so the result is deterministic.
* Series of more than 4,000 samples are thinned by block means, so borders are exact to
  one block. Series of more than 40,000 samples are searched in excerpts of several
  resolutions; the sets of the best one are extended to the whole series: every window
  that is as near to the most central member as the other members joins the set.
* Missing values are interpolated for the search. Segments that contain one are left
  out, and so are segments that are constant.

Cost
----
About 32 searches of LoCoMotif and, for one channel, 28 of STOMP on at most 4,000
samples, and 16 and 56 more on the two copies with random phases. Series of more than
40,000 samples take this once per resolution, and O(n L) per set to extend it.

Limitations
-----------
* One large set of everything similar may save more bits than several small ones. No
  rule without labels knows which level is wanted: see the results that disagree
  (`alternative`).
* Classes that differ little are merged: data that needs a strict `rho` (0.9) gets sets
  that are too large.
* In series that drift slowly, the correlation time is near the length of the motifs, so
  true sets save few bits and may be missed.
* Rare events in quiet noise get borders that are too wide, since the quiet samples
  around an event add length and little distance.
* The comparison with random phases is no test of significance: noise may get a set.
* Motifs shorter than 1/80 or longer than about 1/3 of the series are not searched,
  unless `length` is given; in excerpts of a long series these are shares
  of the excerpt.

References
----------
* Y. Tanaka, K. Iwamoto, K. Uehara: Discovery of time-series motif from
  multi-dimensional data based on MDL principle. Machine Learning 58, 2005.
* S. Yingchareonthawornchai, H. Sivaraks, T. Rakthanmanon, C. A. Ratanamahatana:
  Efficient proper length time series motif discovery. ICDM 2013.

Departures
----------
Both references choose lengths by description length. Candidates, code lengths and the
comparison with random phases are ours. The method was developed on validation problems
of TSMD-Bench and of the recordings suite; test problems were not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.progress import each as each_of
from tsmdbench._kernels.progress import within
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods._bits import Bits, Candidate, Segments, Sets
from tsmdbench.methods._grids import Grid
from tsmdbench.methods._windows import Windows, choose_apart
from tsmdbench.methods.base import (
    MIN_LENGTH,
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
    check_n_jobs,
)
from tsmdbench.methods.locomotif import LoCoMotif
from tsmdbench.methods.stomp import STOMP
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer

SAMPLES = 4_000  # that a search looks at; longer series are thinned
WHOLE = 10 * SAMPLES  # longest series that is thinned as a whole
FINER = 4  # ratio of resolutions of a longer series
SHORT, LONG = 1 / 80, 1 / 4  # shortest and longest length, as shares of the series
BAND, STEP = 1.5, 1.25  # ratios of neighbouring ranges (LoCoMotif), lengths (STOMP)
STRICT = ((0.6, True), (0.6, False), (0.8, True), (0.8, False))  # rho and warping
DRIFT = 32  # the moving mean that is removed has this share of the series
COPIES = 2  # with random phases
MARGIN = 1.25  # bits must exceed those of the copies by this factor
RESULTS = 4  # that disagree with each other


@dataclass(frozen=True)
class Auto(Method):
    """Find motif sets without parameters: the sets that save the most bits.

    Parameters
    ----------
    length : int or (int, int), optional
        Length of the motifs in samples, or their shortest and longest length; None if
        unknown. Warped members may be shorter or longer.
    max_sets : int, optional
        Largest number of sets; None for all that save bits.
    channels : sequence of int, optional
        Channels that are searched; None for all.
    alternative : int, default 1
        Which result to return: 1 is the one that saves the most bits, 2 the best of
        those that disagree with it, and so on.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> from tsmdbench.methods import planted_problem
    >>> [len(motifs) for motifs in Auto().find(planted_problem().series)]
    [4, 3]
    """

    length: int | tuple[int, int] | None = None
    max_sets: int | None = None
    channels: Sequence[int] | None = None
    alternative: int = 1
    n_jobs: int = field(default=1, compare=False)

    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = False
    # Nothing is taken from the data that a search is tuned on.
    grid: ClassVar[Grid] = {"length": (None,), "max_sets": (None,)}
    # Its kernels are those of LoCoMotif and STOMP, which are warmed up themselves.
    warm_up: ClassVar[Sequence[Mapping[str, Any]]] = ()

    def __post_init__(self) -> None:
        if isinstance(self.length, list | tuple):
            if len(self.length) != 2:
                raise InputError(
                    f"length must be a number or a range (low, high), got {self.length}"
                )
            low, high = (check_length(bound) for bound in self.length)
            if high < low:
                raise InputError(
                    f"length must not end below its start, got {low, high}"
                )
            object.__setattr__(self, "length", (low, high))
        elif self.length is not None:
            object.__setattr__(self, "length", check_length(self.length))
        check_max_sets(self.max_sets)
        check_integer(self.alternative, "alternative", minimum=1)
        check_n_jobs(self.n_jobs)
        if self.channels is not None:
            if isinstance(self.channels, str) or not isinstance(
                self.channels, Sequence
            ):
                raise InputTypeError(f"channels must be a list, got {self.channels!r}")
            chosen = tuple(
                check_integer(c, "channels", minimum=0) for c in self.channels
            )
            if not chosen:
                raise InputError("channels must name at least one channel, got none")
            object.__setattr__(self, "channels", chosen)

    @property
    def _range(self) -> tuple[int, int] | None:
        """Shortest and longest length, if given."""
        return (
            (self.length, self.length) if isinstance(self.length, int) else self.length
        )

    @property
    def _shortest(self) -> int:
        return self._range[0] if self._range else MIN_LENGTH

    def _checked(self, series: Any) -> Series:
        x = super()._checked(series)
        if self.channels is None:
            return x
        if max(self.channels) >= x.shape[1]:
            raise InputError(
                f"channels must be below {x.shape[1]}, the number of channels of the "
                f"series, got {list(self.channels)}"
            )
        return x[:, list(self.channels)]

    def _find(self, x: Series) -> Found:
        if self._range:
            check_fits(x, self._range[0])
        elif len(x) < 8 * MIN_LENGTH:
            raise InputError(
                f"the series has {len(x)} samples, but a search without parameters "
                f"needs at least {8 * MIN_LENGTH}"
            )
        missing = np.asarray(~np.isfinite(x).all(axis=1))
        if missing.all():
            return ()
        filled = _filled(x)
        results: list[list[Candidate]] = []
        for start, end, thin in each_of(_excerpts(len(x), self._range)):
            share = (end - start) / len(x)
            found = []
            for one in self._in_excerpt(filled[start:end], thin):
                sets = [start + thin * motifs for motifs in one.sets]
                if share < 1:
                    sets = _extended(filled, sets, thin, self.n_jobs)
                found.append(Candidate(sets, [bits / share for bits in one.bits]))
            results.append(found)
        best = max(results, key=lambda found: found[0].total if found else 0.0)
        if best and len(best) < self.alternative:
            raise InputError(
                f"alternative must be at most {len(best)}, the number of results that "
                f"disagree, got {self.alternative}"
            )
        chosen = best[self.alternative - 1].sets if best else []
        kept = [_without(motifs, filled, missing) for motifs in chosen]
        sets = [motifs for motifs in kept if len(motifs) > 1][: self.max_sets]
        return tuple(
            MotifSet.from_valid(motifs[motifs[:, 0].argsort()]) for motifs in sets
        )

    def _in_excerpt(self, x: Series, thin: int) -> list[Candidate]:
        """Return the best results, which disagree, for a part of a series, thinned."""
        x = _means(x, thin)
        copies = [_random_phases(x, seed) for seed in range(COPIES)]
        found, *of_copies = (
            self._candidates(y, thin, quick=y is not x) for y in each_of([x, *copies])
        )
        named = math.log2(len(found) + 1)  # bits that name the candidate
        for flatten in (np.asarray, _without_drift):
            bits = Bits(flatten(x))
            ranked = sorted(map(bits.rated, found), key=lambda one: -one.total)
            chance = 0.0
            for copy, pool in zip(copies, of_copies, strict=True):
                rated = Bits(flatten(copy)).rated
                chance = max([chance, *(rated(sets).total for sets in pool)])
            if ranked and ranked[0].total > MARGIN * chance + named:
                return _that_disagree([one for one in ranked if one.sets])
        return []

    def _candidates(self, x: Series, thin: int, *, quick: bool) -> list[Sets]:
        """Return the motif sets of LoCoMotif and STOMP; `quick` for fewer settings."""
        n = len(x)
        low, high = max(MIN_LENGTH, SHORT * n), LONG * n
        reach = STEP * high
        if self._range:
            low = max(MIN_LENGTH, self._range[0] / thin)
            reach = high = min(self._range[1] / thin, n / 2)
        if low > high:
            return []
        ranges = {(round(low), max(round(low), round(high)))}
        edge = low
        while edge * BAND <= reach:
            ranges.add((math.ceil(edge), math.ceil(edge * BAND) - 1))
            edge *= BAND
        settings = [
            {"l_min": a, "l_max": max(a, b), "rho": rho, "warping": warping}
            for a, b in sorted(ranges)
            for rho, warping in (STRICT[:1] if quick else STRICT)
        ]
        with within(0.0, 0.7):
            method = LoCoMotif(MIN_LENGTH, MIN_LENGTH, n_jobs=self.n_jobs)
            found = method.sweep(x, settings)
        if x.shape[1] == 1:
            steps = int(math.log(high / low, STEP)) + 1
            lengths = sorted({round(low * STEP**j) for j in range(steps)})
            stomp = [
                {"length": length, "radius_factor": factor, "n_jobs": self.n_jobs}
                for length in lengths
                for factor in (2.0, 3.0)
            ]
            with within(0.7, 1.0):
                found += STOMP.sweep(x[:, 0], stomp)
        return [[motifs.segments for motifs in sets] for sets in found]


def _excerpts(n: int, lengths: tuple[int, int] | None) -> list[tuple[int, int, int]]:
    """Return start, end and thinning of the parts that are searched.

    Given lengths keep at least `MIN_LENGTH` samples.
    """
    thin = -(-n // SAMPLES)
    coarsest = lengths[1] // MIN_LENGTH if lengths else thin
    if n <= WHOLE and thin <= coarsest:
        return [(0, n, thin)]
    parts = []
    while thin >= 1:
        size = min(n, SAMPLES * thin)
        if thin <= coarsest:
            parts.append(((n - size) // 2, (n + size) // 2, thin))
        thin = 1 if 1 < thin < FINER and not parts else thin // FINER
    return parts


def _means(x: Series, thin: int) -> Series:
    """Return the means of blocks of `thin` samples."""
    blocks = len(x) // thin
    return np.asarray(x[: blocks * thin].reshape(blocks, thin, -1).mean(axis=1))


def _extended(x: Series, sets: Sets, thin: int, n_jobs: int) -> Sets:
    """Return sets of an excerpt with all similar windows of the whole series."""
    x = _means(x, thin)
    bits = Bits(x)
    found: Sets = []
    taken = np.zeros(len(x), dtype=bool)
    for motifs in sets:
        segments = motifs // thin
        length = int(np.median(np.diff(segments)))
        middle = segments.sum(axis=1) // 2 - length // 2
        seeds = np.clip(middle, 0, len(x) - length)
        flat = x[:, 0] if x.shape[1] == 1 else x
        windows = Windows.of(flat, length, n_jobs, constant="skip")
        distances = windows.distances(int(seeds[bits.medoid(segments)[0]]))
        of_seeds = distances[seeds]
        radius = float(of_seeds.max(where=np.isfinite(of_seeds), initial=0.0))
        distances[np.convolve(taken, np.ones(length), "valid") > 0.5] = np.inf
        starts = choose_apart(distances, radius, length)
        taken[np.add.outer(starts, np.arange(length))] = True
        found.append(thin * np.stack([starts, starts + length], axis=1))
    return found


def _that_disagree(ranked: list[Candidate]) -> list[Candidate]:
    """Return the first candidate, and the next ones that differ from those before.

    Two results disagree if at most half of the segments of either overlap a segment of
    the other by more than half.
    """
    chosen: list[Candidate] = []
    for one in ranked:
        if all(_agreement(one, other) <= 0.5 for other in chosen):
            chosen.append(one)
        if len(chosen) == RESULTS:
            break
    return chosen


def _agreement(one: Candidate, other: Candidate) -> float:
    """Return the share of segments of one result that the other has too."""
    a, b = (np.concatenate(result.sets) for result in (one, other))
    shared = np.minimum(a[:, None, 1], b[:, 1]) - np.maximum(a[:, None, 0], b[:, 0])
    joint = np.maximum(a[:, None, 1], b[:, 1]) - np.minimum(a[:, None, 0], b[:, 0])
    hits = shared > 0.5 * joint
    return 2 * float(hits.any(axis=1).sum()) / (len(a) + len(b))


def _random_phases(x: Series, seed: int) -> Series:
    """Return a copy with the same spectra and random phases, equal for all channels."""
    spectrum = np.fft.rfft(x - x.mean(axis=0), axis=0)
    phases = np.random.default_rng(seed).uniform(0, 2 * np.pi, len(spectrum))
    turned = spectrum * np.exp(1j * phases)[:, None]
    return np.asarray(np.fft.irfft(turned, len(x), axis=0))


def _without_drift(x: Series) -> Series:
    """Return the series without its moving mean."""
    width = max(3, len(x) // DRIFT) | 1
    padded = np.pad(x, ((width // 2, width // 2), (0, 0)), mode="reflect")
    sums = np.cumsum(np.vstack([np.zeros(x.shape[1]), padded]), axis=0)
    return np.asarray(x - (sums[width:] - sums[:-width]) / width)


def _filled(x: Series) -> Series:
    """Return a copy in which missing values are interpolated, for the search only."""
    x = x.copy()
    for column in x.T:
        bad = ~np.isfinite(column)
        if bad.any() and not bad.all():
            column[bad] = np.interp(
                np.flatnonzero(bad), np.flatnonzero(~bad), column[~bad]
            )
    return np.where(np.isfinite(x), x, 0.0)


def _without(segments: Segments, x: Series, missing: NDArray[np.bool_]) -> Segments:
    """Return the segments that contain no missing value and are not constant."""
    kept = [
        not missing[start:end].any() and bool(np.ptp(x[start:end], axis=0).any())
        for start, end in segments
    ]
    return np.asarray(segments[kept])

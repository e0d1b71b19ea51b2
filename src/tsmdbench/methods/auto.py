r"""Auto: motif sets without parameters, chosen by the bits that they save.

Other methods are run with many settings, and the result that describes the series in
the fewest bits is chosen. A motif set saves bits because its members can be predicted
from one of them. Let a set have k members of median length L, and let w be the mean
distance of the members to the most central one, divided by the median distance of
random windows. The set saves

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
  `rho`, with and without warping; for one channel also STOMP and GrammarViz with
  Re-Pair with every length of such a grid, two radii and four kinds of words.
* For one channel, level and scale of each member cost :math:`\log_2(L / \tau) / 2`
  bits more, and parts of the members that are quiet and unlike each other do not count
  as length. Sets that save no bits are left out.
* If no candidate saves enough bits, bits are computed again on the series without its
  moving mean, for series that drift.
* Completion: all windows of which the description by the most central member saves bits
  join a set, nearest first, the set with the most bits first.
* A set recurs if it has at least 20 members that are at least a third as long as the
  median distance of their starts, the period, and these periods cover more than 60 % of
  the series, as in an ECG. For one channel, completed candidates with such a set are
  candidates, too. Where a cycle begins is a convention: the members of a result that
  recurs become cycles, as long as the period, with the largest deviation in the middle
  and borders half way to the neighbours. Copies with random phases recur, too, so such
  a result is not compared with them.
* Distances: segments are stretched linearly to the same length. For several channels
  the distance is the mean squared difference of the jointly z-normalised series, for
  one channel 2 (1 - correlation).
* Random windows and phases have a fixed seed, so the result is deterministic.
* Series of more than 4,000 samples are thinned by block means, so borders are exact to
  one block. Series of more than 40,000 samples are searched in excerpts of several
  resolutions, the results are completed on the whole series, and the resolution that
  saves the most bits there is chosen.
* Missing values are interpolated for the search. Segments that contain one are left
  out, and so are segments that are constant.

Cost
----
About 32 searches of LoCoMotif and, for one channel, 28 of STOMP and 32 of GrammarViz on
at most 4,000 samples, and 16 and 56 more on the two copies with random phases. Series
of more than 40,000 samples take this once per resolution, and O(n log n) per set to
complete it.

Limitations
-----------
* One large set of everything similar may save more bits than several small ones, and
  classes that differ little are merged. No rule without labels knows which level is
  wanted: see the results that disagree (`alternative`).
* In series that drift slowly, the correlation time is near the length of the motifs, so
  true sets save few bits and may be missed. On the test problems of the recordings
  suite the mean F1 is 0.50 (MITBIH, 40 problems), 1.00 (SemiSynthetic, 15), 0.19
  (Music, 4) and 0.00 (Muscle, 1). STOMP or LoCoMotif with the length of highest
  contrast, the default of `discover` before, had 0.43, 0.46, 0.35 and 0.79.
* On TSMD-Bench (12 datasets, 200 test problems each, nothing given) the mean F1 is 0.62
  (0.56 if sets without a partner count as errors), from 0.91 on Plane to 0.48 on
  ECG5000 and NATOPS; ``load_baselines("best")`` has the runs. On ten full ECG records
  of MIT-BIH (650,000 samples) it is 0.77, from 0.05 to 0.99.
* Rare events in quiet noise get borders that are too wide, since the quiet samples
  around an event add length and little distance.
* The moving mean is removed only if nothing is found with it. Generated motifs on a
  trend, on steps and on slow cycles are found so, but a daily cycle that is stronger
  than the motifs is found instead of them, and a random walk with steps of a fifth of
  the motifs hides them.
* The comparison with random phases is not a test of significance, and it holds for
  white noise and random walks of one channel. Sets were found in four of four draws of
  white noise on a linear trend, in three of four of white noise in three channels, in
  two of four of smoothed noise, and of white noise on a random walk.
* Other rules were tried on validation problems, where this one has a mean F1 of 0.602
  and 0.551 on two samples of TSMD-Bench (36 and 72 problems). On the first, bits of
  each octave of frequency, without :math:`\tau`, have 0.424 at best, and :math:`\tau`
  within windows of the length of the motifs 0.565. Without GrammarViz 20 ECG problems
  fall from 0.74 to 0.61. If the series without its moving mean and its copies are
  searched anew, TSMD-Bench has 0.615 and 0.566, and sets are found in none of six draws
  of noise on a trend instead of in four; but Music falls from 0.68 to 0.57, Muscle from
  0.60 to 0.00, sets are found in five of six draws of noise in three channels instead
  of in two, and where nothing is found the search takes twice the time.
* The choice between candidates that save nearly the same bits is unstable: small
  changes of the series, such as another thinning, may change the result.
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
Both references choose lengths by description length. Candidates, code lengths, the
comparison with random phases, completion and cycles are ours.

The method was developed on problems of the validation split of TSMD-Bench, on the
validation problems of the recordings suite, and on the two full ECG records
that these are cut from (105 and 114). The test split was used once, after that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from tsmdbench._kernels.progress import each as each_of
from tsmdbench._kernels.progress import within
from tsmdbench.errors import InputError
from tsmdbench.methods._bits import Bits, Candidate, Segments, Sets, moving_sums
from tsmdbench.methods._grids import Grid
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
from tsmdbench.methods.gv import GVRePair
from tsmdbench.methods.locomotif import LoCoMotif
from tsmdbench.methods.stomp import STOMP
from tsmdbench.segments import check_channels
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer

SAMPLES = 4_000  # that a search looks at; longer series are thinned
WHOLE = 10 * SAMPLES  # longest series that is thinned as a whole
FINER = 4  # ratio of resolutions of a longer series
SHORT, LONG = 1 / 80, 1 / 4  # shortest and longest length, as shares of the series
BAND, STEP = 1.5, 1.25  # ratios of neighbouring ranges (LoCoMotif), lengths (STOMP)
STRICT = ((0.6, True), (0.6, False), (0.8, True), (0.8, False))  # rho and warping
WORDS = ((3, 4), (4, 3), (6, 3), (6, 4))  # letters of a word, of the alphabet
DRIFT = 32  # the moving mean that is removed has this share of the series
COPIES = 2  # with random phases
MARGIN = 1.2  # bits must exceed those of the copies by this factor
COMPLETED = 10  # candidates that are completed
RESULTS = 4  # that disagree with each other


class Result(NamedTuple):
    """Motif sets, the most bits first, and the bits that each of them saves."""

    sets: Found
    bits: tuple[float, ...]


class Results(NamedTuple):
    """Results of a search without parameters.

    Attributes
    ----------
    results : tuple of Result
        The one that saves the most bits, then those that disagree with all before.
        Empty if none saves more bits than chance.
    bits : float
        Bits that the best candidate saves, whether it is a result or not.
    chance : float
        Bits that it must exceed: what the same search saves in copies of the series
        with random phases, with a margin.
    """

    results: tuple[Result, ...]
    bits: float
    chance: float


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
    warm_up: ClassVar[Sequence[Mapping[str, Any]]] = ({},)

    def __post_init__(self) -> None:
        if isinstance(length := self.length, list | tuple):
            if len(length) != 2:
                raise InputError(
                    f"length must be a number or a range (low, high), got {length}"
                )
            low, high = map(check_length, length)
            if high < low:
                raise InputError(
                    f"length must not end below its start, got {low, high}"
                )
            object.__setattr__(self, "length", (low, high))
        elif length is not None:
            object.__setattr__(self, "length", check_length(length))
        check_max_sets(self.max_sets)
        check_integer(self.alternative, "alternative", minimum=1)
        check_n_jobs(self.n_jobs)
        if self.channels is not None:
            object.__setattr__(self, "channels", check_channels(self.channels)[0])

    @property
    def _range(self) -> tuple[int, int] | None:
        """Shortest and longest length, if given."""
        length = self.length
        return (length, length) if isinstance(length, int) else length

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
        return self.chosen(self._results(x))

    def chosen(self, found: Results) -> Found:
        """Return at most `max_sets` sets of the result `alternative`."""
        results = found.results
        if not results:
            return ()
        if len(results) < self.alternative:
            raise InputError(
                f"alternative must be at most {len(results)}, the number of results "
                f"that disagree, got {self.alternative}"
            )
        return results[self.alternative - 1].sets[: self.max_sets]

    def results(self, series: Any) -> Results:
        """Return the results that disagree with each other, and what chance saves.

        Neither `alternative` nor `max_sets` changes them.
        """
        return self._results(self._checked(series))

    def _results(self, x: Series) -> Results:
        if self._range:
            check_fits(x, self._range[0])
        elif len(x) < 8 * MIN_LENGTH:
            raise InputError(
                f"the series has {len(x)} samples, but a search without parameters "
                f"needs at least {8 * MIN_LENGTH}"
            )
        bad = ~np.isfinite(x).all(axis=1)
        if bad.all():
            return Results((), 0.0, 0.0)
        filled, missing = _filled(x), np.concatenate([[0], np.cumsum(bad)])
        found = [
            self._in_excerpt(filled, missing, *excerpt)
            for excerpt in each_of(_excerpts(len(x), self._range))
        ]
        # Bits saved in the whole series decide between resolutions, then in excerpts.
        return max(
            found,
            key=lambda one: (
                sum(one.results[0].bits) if one.results else 0.0,
                one.bits - one.chance,
            ),
        )

    def _in_excerpt(
        self, x: Series, missing: Segments, start: int, end: int, thin: int
    ) -> Results:
        """Return the results of one resolution.

        `missing` counts the missing samples before each sample. Segments of candidates
        count blocks of `thin` samples of the whole series.
        """
        part = _means(x[start:end], thin)
        copies = [_random_phases(part, seed) for seed in range(COPIES)]
        found, *of_copies = (
            self._candidates(y, thin, quick=y is not part)
            for y in each_of([part, *copies])
        )
        named = math.log2(len(found) + 1)  # bits that name the candidate
        saved = needed = 0.0
        for drift in (None, max(3, len(part) // DRIFT) | 1):
            bits = Bits(_without_drift(part, drift))
            ranked = _ranked(map(bits.rated, found))
            if part.shape[1] == 1:
                full = [bits.rated(bits.completed(c.sets)) for c in ranked[:COMPLETED]]
                ranked = _ranked([*ranked, *filter(bits.period, full)])
            of_chance = [0.0]
            for copy, pool in zip(copies, of_copies, strict=True):
                rated = Bits(_without_drift(copy, drift)).rated
                of_chance += [rated(sets).total for sets in pool]
            saved = ranked[0].total if ranked else 0.0
            needed = MARGIN * max(of_chance) + named
            if saved > (named if ranked and bits.period(ranked[0]) else needed):
                break
        else:
            return Results((), saved, needed)
        results = _that_disagree([one for one in ranked if one.sets])
        if end - start < len(x):
            whole = Bits(_without_drift(_means(x, thin), drift))
            whole.tau, bits = bits.tau, whole  # slower changes are no news
            moved = [[motifs + start // thin for motifs in c.sets] for c in results]
            results = _ranked(bits.rated(bits.completed(sets)) for sets in moved)
        if part.shape[1] == 1 or end - start < len(x):
            results = [bits.cycles(one) for one in results]
        kept = (_kept(one, thin, x, missing) for one in results)
        return Results(tuple(one for one in kept if one.sets), saved, needed)

    def _candidates(self, x: Series, thin: int, *, quick: bool) -> list[Sets]:
        """Return the motif sets of the methods; `quick` for fewer settings."""
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
            grid = STEP ** np.arange(int(math.log(high / low, STEP)) + 1)
            lengths = sorted({round(low * factor) for factor in grid})
            stomp = [
                {"length": length, "radius_factor": factor, "n_jobs": self.n_jobs}
                for length in lengths
                for factor in (2.0, 3.0)
            ]
            with within(0.7, 1.0):
                found += STOMP.sweep(x[:, 0], stomp)
            if not quick:
                words = [
                    {"window": window, "word_length": word, "alphabet_size": letters}
                    for window in sorted({max(8, round(low * g)) for g in grid[::2]})
                    for word, letters in WORDS
                    if 2 * window <= n
                ]
                found += GVRePair.sweep(x[:, 0], words)
        return [[motifs.segments for motifs in sets] for sets in found]


def _ranked(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Return candidates, those that save the most bits first."""
    return sorted(candidates, key=lambda one: -one.total)


def _excerpts(n: int, lengths: tuple[int, int] | None) -> list[tuple[int, int, int]]:
    """Return start, end and thinning of the parts that are searched.

    Given lengths keep at least `MIN_LENGTH` samples. Starts are multiples of thinning.
    """
    thin = -(-n // SAMPLES)
    coarsest = max(1, lengths[1] // MIN_LENGTH) if lengths else thin
    if n <= WHOLE and thin <= coarsest:
        return [(0, n, thin)]
    parts = []
    while thin >= 1:
        size = min(n, SAMPLES * thin)
        if thin <= coarsest:
            start = (n - size) // 2 // thin * thin
            parts.append((start, start + size, thin))
        thin = 1 if 1 < thin < FINER and not parts else thin // FINER
    return parts


def _means(x: Series, thin: int) -> Series:
    """Return the means of blocks of `thin` samples."""
    blocks = len(x) // thin
    return np.asarray(x[: blocks * thin].reshape(blocks, thin, -1).mean(axis=1))


def _that_disagree(ranked: list[Candidate]) -> list[Candidate]:
    """Return the first candidate, and the next ones that differ from those before.

    Two results disagree if at most half of the segments of either overlap a segment of
    the other by more than half.
    """
    chosen: list[Candidate] = []
    for one in ranked:
        if len(chosen) < RESULTS and all(_agreement(one, c) <= 0.5 for c in chosen):
            chosen.append(one)
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


def _without_drift(x: Series, width: int | None) -> Series:
    """Return the series without its moving mean of `width` samples, if given."""
    if width is None:
        return x
    padded = np.pad(x, ((width // 2, width // 2), (0, 0)), mode="reflect")
    return x - moving_sums(padded, width) / width


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


def _kept(one: Candidate, thin: int, x: Series, missing: Segments) -> Result:
    """Return a result in samples, without segments that are missing or constant.

    `missing` counts the missing samples before each sample.
    """
    sets, bits = [], []
    for motifs, saved in zip(one.sets, one.bits, strict=True):
        whole = thin * motifs[motifs[:, 0].argsort()]
        kept = [
            (a, b)
            for a, b in whole
            if missing[b] == missing[a] and np.ptp(x[a:b], axis=0).any()
        ]
        if len(kept) > 1:
            sets.append(MotifSet.from_valid(np.array(kept)))
            bits.append(saved)
    return Result(tuple(sets), tuple(bits))

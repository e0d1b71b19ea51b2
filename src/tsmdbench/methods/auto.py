r"""Auto: motif sets without parameters, chosen by the bits that they save.

Other methods need a length, a range of lengths or a radius. Auto runs two of them with
many values and keeps the result that describes the series in the fewest bits. A motif
set saves bits because its members can be predicted from one of them:

1. *Candidates.* LoCoMotif with every range of a geometric grid of lengths, two values
   of `rho`, with and without warping; for one channel also STOMP with every length of
   such a grid and two radii.
2. *Bits.* Let a set have k members of median length L, and let w be the mean distance
   of its members to the most central one (the medoid), divided by the median distance
   of random windows of this length. The set saves

   .. math:: (k - 1) \frac{L c}{2 \tau} \log_2 \frac{1}{w}
             - k \log_2 (n / \tau + 1) - \sum_i |L_i - L| / \tau

   bits: what the medoid predicts of the other members, without the costs of the
   positions and of the lengths that differ. :math:`\tau` is the correlation time of
   the series and c the effective number of channels, so :math:`L c / \tau` is the
   number of independent samples of a member. For one channel, level and scale of each
   member cost :math:`\log_2(L / \tau) / 2` bits more.
3. *Choice.* The candidate whose sets save most bits in total is the result, without
   sets that save none. It must save more than the same search saves in copies of the
   series with random phases, which have the same spectrum and no motifs, and more than
   the number of the candidate takes. Otherwise the
   search is repeated on the series without its moving mean, for series that drift. If
   this fails too, nothing is returned.

Conventions
-----------
* No weight was fitted to data. Random windows and phases have a fixed seed, so the
  result is deterministic.
* Series of more than 4,000 samples are thinned by block means, so borders are exact to
  one block. Series of more than 40,000 samples are searched in excerpts of several
  resolutions; the sets of the best one are extended to the whole series: every window
  that is as near to the medoid as the members are joins the set.
* Distances: segments are stretched linearly to the same length. For several channels
  the distance is the mean squared difference of the jointly z-normalised series, for
  one channel 2 (1 - correlation).
* `length` restricts the candidates to lengths within its range.
* Segments that contain missing values are not returned.

References
----------
* Y. Tanaka, K. Iwamoto, K. Uehara: Discovery of time-series motif from multi-
  dimensional data based on MDL principle. Machine Learning 58, 2005.
* S. Yingchareonthawornchai, H. Sivaraks, T. Rakthanmanon, C. A. Ratanamahatana:
  Efficient proper length time series motif discovery. ICDM 2013.

Departures
----------
Both references choose lengths by description length; candidates, code lengths, and the
comparison with random phases are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.methods._progress import tell
from tsmdbench.methods._windows import Windows, choose_apart, overlapping
from tsmdbench.methods.base import (
    MIN_LENGTH,
    Found,
    Method,
    Series,
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
DRIFT = 32  # the moving mean that is removed has this share of the series
COPIES = 2  # with random phases
MARGIN = 1.25  # bits must exceed those of the copies by this factor
PAIRS = 400  # random windows
LEAST = 1e-3  # share of the random distance that is never predicted
MOST = 400  # members that a distance is computed of
QUIET, AGREE = 0.04, 0.3  # parts below both do not count, see `_Bits.active`
PARTS, FINE = 20, 8  # parts of a segment, and samples of each

Sets = list[NDArray[np.int64]]


@dataclass(frozen=True)
class Candidate:
    """A result of the search: motif sets, the bits that each saves, and its origin."""

    sets: Sets
    bits: list[float]
    origin: str

    @property
    def total(self) -> float:
        """Bits that all sets save."""
        return sum(self.bits)


@dataclass(frozen=True)
class AutoResult:
    """What `Auto.search` found, and why.

    Attributes
    ----------
    candidates : list of Candidate
        The chosen result, then the best ones that disagree with it and each other.
    chance : float
        Bits that the same search saves in copies with random phases.
    confidence : float
        Bits of the chosen result divided by `chance`; infinite if that is 0.
    """

    candidates: list[Candidate]
    chance: float

    @property
    def confidence(self) -> float:
        """Bits of the chosen result divided by those of chance."""
        bits = self.candidates[0].total if self.candidates else 0.0
        return bits / self.chance if self.chance else math.inf if bits else 0.0


@dataclass(frozen=True)
class Auto(Method):
    """Find motif sets without parameters: the sets that save the most bits.

    Parameters
    ----------
    length : int or (int, int), optional
        Length of the motifs in samples, or a range of lengths, if known.
    max_sets : int, optional
        Largest number of sets; None for all that save bits.
    channels : sequence of int, optional
        Channels to search; None for all.
    alternative : int, default 1
        Which result to return: 1 is the one that saves the most bits, 2 the best of
        those that disagree with it, and so on.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> for start in (50, 200, 330, 480):
    ...     x[start : start + 60] += 8 * np.sin(np.arange(60) ** 2 / 90)
    >>> [len(motifs) for motifs in Auto().find(x)]
    [4]
    """

    length: int | tuple[int, int] | None = None
    max_sets: int | None = None
    channels: Sequence[int] | None = None
    alternative: int = 1
    n_jobs: int = field(default=1, compare=False)

    univariate: ClassVar[bool] = False
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.length is not None:
            low, high = self._range
            check_length(low)
            if check_integer(high, "length") < low:
                raise InputError(
                    f"length must be a number or a range (low, high), got {self.length}"
                )
        check_max_sets(self.max_sets)
        check_integer(self.alternative, "alternative", minimum=1)
        check_n_jobs(self.n_jobs)
        if self.channels is not None:
            chosen = tuple(check_integer(c, "channels", minimum=0) for c in self.channels)
            object.__setattr__(self, "channels", chosen)

    @property
    def _range(self) -> tuple[int, int]:
        """Shortest and longest length that is given."""
        given: Any = self.length
        return (given, given) if np.ndim(given) == 0 else tuple(given)

    def search(self, series: Any) -> AutoResult:
        """Return the chosen motif sets with their bits, and the alternatives."""
        return self._search(self._checked(series))

    def _find(self, x: Series) -> Found:
        found = self._search(x).candidates
        if len(found) < self.alternative:
            if self.alternative == 1 or not found:
                return ()
            raise InputError(
                f"alternative is {self.alternative}, but there are {len(found)} results"
            )
        sets = found[self.alternative - 1].sets[: self.max_sets]
        return tuple(MotifSet.from_valid(each) for each in sets)

    def _search(self, x: Series) -> AutoResult:
        if self.channels is not None:
            if max(self.channels, default=0) >= x.shape[1]:
                raise InputError(
                    f"channels must be below {x.shape[1]}, the number of channels of "
                    f"the series, got {list(self.channels)}"
                )
            x = x[:, list(self.channels)]
        if len(x) < 8 * MIN_LENGTH:
            raise InputError(
                f"the series has {len(x)} samples, but a search without parameters "
                f"needs at least {8 * MIN_LENGTH}"
            )
        missing = ~np.isfinite(x).all(axis=1)
        if missing.all():
            return AutoResult([], 0.0)
        x = _filled(x)
        best: AutoResult | None = None
        parts = _excerpts(len(x))
        for turn, (start, end, thin) in enumerate(parts):
            share = (end - start) / len(x)
            found = self._in_excerpt(x[start:end], thin)
            tell((turn + 1) / len(parts))
            for each in found.candidates:
                each.sets[:] = [start + thin * motifs for motifs in each.sets]
                if share < 1:
                    each.sets[:] = _extended(x, each.sets, thin, self.n_jobs)
                    each.bits[:] = [bits / share for bits in each.bits]
            if best is None or _total(found) > _total(best):
                best = found
        assert best is not None  # noqa: S101
        for each in best.candidates:
            each.sets[:] = [kept for s in each.sets if len(kept := _without(s, missing)) > 1]
        return best

    def _in_excerpt(self, x: Series, thin: int) -> AutoResult:
        """Choose among candidates for a part of a series, thinned by block means."""
        blocks = len(x) // thin
        x = x[: blocks * thin].reshape(blocks, thin, -1).mean(axis=1)
        found = self._candidates(x, thin)
        copies = [_random_phases(x, seed) for seed in range(COPIES)]
        of_copies = [self._candidates(copy, thin, quick=True) for copy in copies]
        for flatten in (lambda y: y, _without_drift):
            bits = _Bits(flatten(x))
            ranked = sorted((bits.candidate(*each) for each in found), key=_minus_total)
            chance = 0.0
            for copy, pool in zip(copies, of_copies, strict=True):
                rated = _Bits(flatten(copy))
                chance = max([chance, *(rated.candidate(*each).total for each in pool)])
            named = math.log2(len(found) + 1)  # bits that name the candidate
            if ranked and ranked[0].total > MARGIN * chance + named:
                chosen = _that_disagree([each for each in ranked if each.sets])
                return AutoResult(chosen, chance)
        return AutoResult([], chance)

    def _candidates(
        self, x: Series, thin: int, *, quick: bool = False
    ) -> list[tuple[str, Sets]]:
        """Return the motif sets of LoCoMotif and STOMP; `quick` for fewer settings."""
        n = len(x)
        low, high = max(MIN_LENGTH, SHORT * n), LONG * n
        if self.length is not None:
            low, high = (max(MIN_LENGTH, bound / thin) for bound in self._range)
            high = min(high, n / 2)
            if low > high:
                return []
        edges = [low]
        while edges[-1] * BAND <= high * 1.25 and self.length is None:
            edges.append(edges[-1] * BAND)
        ranges = {(math.ceil(a), math.ceil(a * BAND) - 1) for a in edges[:-1]}
        ranges |= {(round(low), max(round(low), round(high)))}
        settings = [
            {"l_min": a, "l_max": max(a, b), "rho": rho, "warping": warping}
            for a, b in sorted(ranges)
            for rho, warping in ((0.6, True), (0.6, False), (0.8, True), (0.8, False))
        ]
        chosen = settings[::4] if quick else settings
        sweep = LoCoMotif(MIN_LENGTH, MIN_LENGTH, n_jobs=self.n_jobs).sweep(x, chosen)
        found = [(f"LoCoMotif {s}", f) for s, f in zip(chosen, sweep, strict=True)]
        if x.shape[1] == 1:
            steps = int(math.log(high / low, STEP)) + 1
            lengths = sorted({round(low * STEP**j) for j in range(steps)})
            stomp = [
                {"length": length, "radius_factor": factor, "n_jobs": self.n_jobs}
                for length in lengths
                for factor in (2.0, 3.0)
            ]
            sweep = STOMP.sweep(x[:, 0], stomp)
            found += [(f"STOMP {s}", f) for s, f in zip(stomp, sweep, strict=True)]
        return [(name, [np.array(s) for s in sets]) for name, sets in found]


def _total(found: AutoResult) -> float:
    return found.candidates[0].total if found.candidates else 0.0


def _minus_total(candidate: Candidate) -> float:
    return -candidate.total


class _Bits:
    """Bits that motif sets save in a series ``float64[n, d]``."""

    def __init__(self, x: Series) -> None:
        deviation = float(x.std())
        self.z = (x - x.mean()) / (deviation or 1.0)
        self.n, self.d = x.shape
        self._chance: dict[int, float] = {}

    @cached_property
    def tau(self) -> float:
        """Correlation time: 1 + 2 sum of squared autocorrelations up to a negative."""
        centred = self.z - self.z.mean(axis=0)
        spectrum = np.abs(np.fft.rfft(centred, 2 * self.n, axis=0)) ** 2
        curve = np.fft.irfft(spectrum, axis=0)[: self.n].sum(axis=1)
        curve /= curve[0] or 1.0
        end = int(np.argmax(curve < 0)) or self.n
        return 1 + 2 * float((curve[1:end] ** 2).sum())

    @cached_property
    def channels(self) -> float:
        """Effective number of channels, from the eigenvalues of their covariance."""
        values = np.linalg.eigvalsh(np.atleast_2d(np.cov(self.z.T)))
        return float(values.sum() ** 2 / ((values**2).sum() or 1.0)) or 1.0

    def stretched(self, segments: NDArray[np.int64], length: int) -> Series:
        """Return segments as ``float64[k, length * d]``, each stretched linearly.

        The result has distances of the module docstring as half the squared Euclidean
        distance (one channel: windows of mean 0 and norm 1) or that divided by the
        number of values.
        """
        starts, last = segments[:, :1], segments[:, 1:] - 1
        at = starts + (last - starts) * np.linspace(0, 1, length)
        before = np.minimum(at.astype(np.int64), self.n - 2)
        share = (at - before)[..., None]
        values = self.z[before] * (1 - share) + self.z[before + 1] * share
        flat = values.reshape(len(segments), -1)
        if self.d > 1:
            return np.asarray(flat / math.sqrt(flat.shape[1]))
        flat = flat - flat.mean(axis=1, keepdims=True)
        norm = np.linalg.norm(flat, axis=1, keepdims=True)
        return np.asarray(flat / np.where(norm > 1e-9 * math.sqrt(length), norm, np.inf))

    def chance(self, length: int) -> float:
        """Return the median distance of random windows that do not overlap."""
        if length not in self._chance:
            rng = np.random.default_rng(0)
            starts = rng.integers(0, self.n - length + 1, (4 * PAIRS, 2))
            starts = starts[np.abs(np.diff(starts)[:, 0]) >= length][:PAIRS]
            self._chance[length] = 0.0
            if len(starts):
                first, second = (
                    self.stretched(np.stack([s, s + length], 1), length)
                    for s in starts.T
                )
                distances = ((first - second) ** 2).sum(axis=1)
                self._chance[length] = float(np.median(distances))
        return self._chance[length]

    def medoid(self, segments: NDArray[np.int64]) -> tuple[int, float]:
        """Return the most central member and its mean distance to the others."""
        some = segments[:MOST]
        length = int(np.median(np.diff(some)))
        values = self.stretched(some, length)
        squares = (values**2).sum(axis=1)
        distances = squares[:, None] + squares - 2 * values @ values.T
        sums = np.maximum(distances, 0).sum(axis=1)
        central = int(sums.argmin())
        return central, float(sums[central]) / max(len(some) - 1, 1)

    def bits(self, segments: NDArray[np.int64]) -> float:
        """Return the bits that a set saves; negative if it costs more than it saves."""
        k, lengths = len(segments), np.diff(segments)[:, 0]
        length = int(np.median(lengths))
        if k < 2 or length < 2 or 2 * length > self.n:
            return -math.inf
        chance = self.chance(length)
        if chance <= 0:
            return -math.inf
        central, distance = self.medoid(segments)
        unpredicted = distance / chance + LEAST
        active = length * self.active(segments, central)
        independent = active * self.channels / self.tau
        saved = (k - 1) * independent / 2 * math.log2(1 / unpredicted)
        saved -= k * math.log2(self.n / self.tau + 1)
        saved -= float(np.abs(lengths - length).sum()) / self.tau
        if self.d == 1:
            saved -= k / 2 * math.log2(max(length / self.tau, 1.0))
        return saved

    def candidate(self, origin: str, sets: Sets) -> Candidate:
        """Return the sets that save bits, most bits first."""
        rated = [(self.bits(motifs), motifs) for motifs in sets]
        kept = sorted((each for each in rated if each[0] > 0), key=lambda each: -each[0])
        return Candidate([s for _, s in kept], [b for b, _ in kept], origin)

    def active(self, segments: NDArray[np.int64], central: int) -> float:
        """Return the share of the length that is not idle: not quiet, or in agreement.

        Around a rare event the series has only noise. Noise adds length and hardly any
        distance, so it would seem to save bits. A part of the members is idle if it has
        less than the share `QUIET` of the energy of the strongest part and its
        correlation with the medoid is below `AGREE`.
        """
        if self.d > 1:
            return 1.0
        parts = self.stretched(segments[:MOST], PARTS * FINE).reshape(-1, PARTS, FINE)
        energy = (parts**2).sum(axis=2).mean(axis=0)
        centred = parts - parts.mean(axis=2, keepdims=True)
        norms = np.sqrt((centred**2).sum(axis=2))
        products = (centred * centred[central]).sum(axis=2)
        rates = products / np.maximum(norms * norms[central], 1e-12)
        agree = (rates.sum(axis=0) - 1) / (len(rates) - 1)
        idle = (energy < QUIET * energy.max()) & (agree < AGREE)
        return 1 - float(idle.mean())


def _excerpts(n: int) -> list[tuple[int, int, int]]:
    """Return start, end and thinning of the parts that are searched."""
    if n <= WHOLE:
        return [(0, n, -(-n // SAMPLES))]
    parts, thin = [], -(-n // SAMPLES)
    while thin >= 1:
        size = min(n, SAMPLES * thin)
        parts.append(((n - size) // 2, (n + size) // 2, thin))
        thin //= FINER
    return parts


def _extended(x: Series, sets: Sets, thin: int, n_jobs: int) -> Sets:
    """Return sets of an excerpt with all similar windows of the whole series."""
    blocks = len(x) // thin
    x = x[: blocks * thin].reshape(blocks, thin, -1).mean(axis=1)
    bits = _Bits(x)
    found: Sets = []
    taken = np.zeros(blocks, dtype=bool)
    for motifs in sets:
        segments = motifs // thin
        length = int(np.median(np.diff(segments)))
        middle = segments.sum(axis=1) // 2 - length // 2
        seeds = np.clip(middle, 0, blocks - length)
        windows = Windows.of(x[:, 0] if x.shape[1] == 1 else x, length, n_jobs)
        distances = windows.distances(int(seeds[bits.medoid(segments)[0]]))
        radius = float(distances[seeds].max())
        blocked = np.convolve(taken, np.ones(length), "valid") > 0
        distances[blocked] = np.inf
        starts = choose_apart(distances, radius, length)
        if len(starts) > 1:
            starts = np.sort(starts)
            taken[np.add.outer(starts, np.arange(length))] = True
            found.append(thin * np.stack([starts, starts + length], axis=1))
    return found


def _that_disagree(ranked: list[Candidate]) -> list[Candidate]:
    """Return the first candidate, and the next ones that differ from those before.

    Two results disagree if at most half of the segments of either overlap a segment of
    the other by more than half.
    """
    chosen: list[Candidate] = []
    for each in ranked:
        if all(_agreement(each, other) <= 0.5 for other in chosen):
            chosen.append(each)
        if len(chosen) == 4:
            break
    return chosen


def _agreement(one: Candidate, other: Candidate) -> float:
    """Return the share of segments of one result that the other has too."""
    a, b = (np.concatenate(each.sets) for each in (one, other))
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


def _without(segments: NDArray[np.int64], missing: NDArray[np.bool_]) -> Any:
    """Return the segments that contain no missing value."""
    counts = np.concatenate([[0], np.cumsum(missing)])
    ends = np.minimum(segments[:, 1], len(missing))
    return segments[counts[ends] == counts[segments[:, 0]]]

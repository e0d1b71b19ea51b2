"""`Bits`: how many bits motif sets save; `tsmdbench.methods.auto` has the formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tsmdbench.methods._windows import choose_apart
from tsmdbench.methods.base import Series

PAIRS = 400  # random windows
POINTS = 80  # samples of each that are compared, at most
GRID = 1.05  # ratio of neighbouring lengths of random windows
LEAST = 1e-3  # share of the random distance that is never predicted
MOST = 200  # members that a distance is computed of
SETS = 40  # of a candidate that are rated
QUIET, AGREE = 0.04, 0.3  # parts below both do not count, see `Bits.active`
PARTS, FINE = 20, 8  # parts of a segment, and samples of each
MEMBERS, COVERED, PERIOD = 20, 0.6, 3  # of a set that recurs, see `Bits.period`
SMOOTH = 8  # the deviation is averaged over this share of the length

Segments = NDArray[np.int64]
Sets = list[Segments]


@dataclass(frozen=True)
class Candidate:
    """Motif sets as ``int64[k, 2]``, and the bits that each of them saves."""

    sets: Sets
    bits: list[float]

    @property
    def total(self) -> float:
        """Bits that all sets save."""
        return sum(self.bits)


def moving_sums(values: Series | Segments, width: int) -> Series:
    """Return the sum of every `width` neighbouring values, along the first axis."""
    sums = np.cumsum(np.concatenate([np.zeros_like(values[:1]), values]), axis=0)
    return np.asarray(sums[width:] - sums[:-width])


class Bits:
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

    def stretched(self, segments: Segments, length: int) -> Series:
        """Return segments as ``float64[k, length * d]``, each stretched linearly.

        They are scaled so that the squared Euclidean distance of two rows is the
        distance of `tsmdbench.methods.auto`; for one channel they have mean 0, norm 1.
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
        return np.asarray(
            flat / np.where(norm > 1e-9 * math.sqrt(length), norm, np.inf)
        )

    def chance(self, length: int) -> float:
        """Return the median distance of random windows that do not overlap.

        Lengths that differ by less than 5 % have the same.
        """
        length = min(math.ceil(GRID ** round(math.log(length, GRID))), self.n // 2)
        if length not in self._chance:
            rng = np.random.default_rng(0)
            starts = rng.integers(0, self.n - length + 1, (4 * PAIRS, 2))
            starts = starts[np.abs(np.diff(starts)[:, 0]) >= length][:PAIRS]
            self._chance[length] = 0.0
            if len(starts):
                first, second = (
                    self.stretched(np.stack([s, s + length], 1), min(length, POINTS))
                    for s in starts.T
                )
                distances = ((first - second) ** 2).sum(axis=1)
                self._chance[length] = float(np.median(distances))
        return self._chance[length]

    def medoid(self, segments: Segments) -> tuple[int, float]:
        """Return the most central member and its mean distance to the others."""
        some = segments[:MOST]
        length = int(np.median(np.diff(some)))
        values = self.stretched(some, length)
        squares = (values**2).sum(axis=1)
        distances = squares[:, None] + squares - 2 * values @ values.T
        sums = np.maximum(distances, 0).sum(axis=1)
        central = int(sums.argmin())
        return central, float(sums[central]) / max(len(some) - 1, 1)

    def independent(self, length: float) -> float:
        """Return the number of independent samples of a member, L c / tau."""
        return length * self.channels / self.tau

    def costs(self, length: int) -> float:
        """Return the bits for position, level and scale of a member."""
        shape = math.log2(max(length / self.tau, 1.0)) / 2 if self.d == 1 else 0.0
        return math.log2(self.n / self.tau + 1) + shape

    def bits(self, segments: Segments) -> float:
        """Return the bits that a set saves, ``-inf`` if it cannot save any."""
        k, lengths = len(segments), np.diff(segments)[:, 0]
        length = int(np.median(lengths))
        if k < 2 or length < 2 or 2 * length > self.n:
            return -math.inf
        members = k * self.costs(length)
        stretches = float(np.abs(lengths - length).sum()) / self.tau
        most = (k - 1) * self.independent(length) / 2 * math.log2(1 / LEAST)
        # In series that drift hardly any set could save bits, however alike it is.
        if most <= members + stretches or (chance := self.chance(length)) <= 0:
            return -math.inf
        central, distance = self.medoid(segments)
        active = length * self.active(segments, central)
        unpredicted = distance / chance + LEAST
        saved = (k - 1) * self.independent(active) / 2 * math.log2(1 / unpredicted)
        return saved - members - stretches

    def rated(self, sets: Sets) -> Candidate:
        """Return the sets that save bits, most bits first."""
        rated = [(self.bits(motifs), motifs) for motifs in sets[:SETS]]
        kept = sorted((one for one in rated if one[0] > 0), key=lambda one: -one[0])
        return Candidate([motifs for _, motifs in kept], [bits for bits, _ in kept])

    def active(self, segments: Segments, central: int) -> float:
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

    def completed(self, sets: Sets) -> Sets:
        """Return sets with all windows that their most central member predicts.

        A window joins if its prediction saves more bits than it costs, nearest first.
        Windows do not overlap each other or those of a set before.
        """
        found: Sets = []
        taken = np.zeros(self.n, dtype=np.int64)
        for motifs in sets:
            length = int(np.median(np.diff(motifs)))
            central, _ = self.medoid(motifs)
            active = length * self.active(motifs, central)
            spent = self.costs(length) / self.independent(active)
            radius = (2 ** (-2 * spent) - LEAST) * self.chance(length)
            middle = int(motifs[central].sum()) // 2 - length // 2
            start = min(max(middle, 0), self.n - length)
            distances = self.distances(start, length)
            distances[moving_sums(taken, length) > 0] = np.inf
            starts = choose_apart(distances, radius, length)
            if len(starts) > 1:
                taken[np.add.outer(starts, np.arange(length))] = 1
                found.append(np.stack([starts, starts + length], axis=1))
        return found

    def distances(self, start: int, length: int) -> Series:
        """Return the distance of one window to every window of the same length."""
        size = 2 ** math.ceil(math.log2(self.n))
        joint = np.zeros(size // 2 + 1, complex)
        squares, own = np.zeros(self.n - length + 1), 0.0
        for values in self.z.T:  # one by one, since a long series takes much memory
            window = values[start : start + length]
            window = window - window.mean() if self.d == 1 else window
            joint += np.fft.rfft(values, size) * np.conj(np.fft.rfft(window, size))
            squares += moving_sums(values**2, length)
            own += float((window**2).sum())
        products = np.fft.irfft(joint, size)[: self.n - length + 1]
        if self.d > 1:
            distances = (squares - 2 * products + own) / (length * self.d)
            return np.asarray(np.maximum(distances, 0.0))
        means = moving_sums(self.z[:, 0], length) / length
        scale = np.sqrt(np.maximum(squares - length * means**2, 0.0) * own)
        flat = scale <= 1e-9 * length
        rates = np.where(flat, 0.0, products / np.where(flat, 1.0, scale))
        return np.asarray(2 * (1 - rates))

    def period(self, one: Candidate) -> int:
        """Return the longest period of the sets that recur, 0 if there is none.

        A set that recurs has many members, they are at least a third as long as the
        median distance of their starts, the period, and periods cover most of the
        series.
        """
        longest = 0
        for motifs in one.sets:
            if len(motifs) >= MEMBERS:
                distance = int(np.median(np.diff(np.sort(motifs[:, 0]))))
                long_enough = distance <= PERIOD * np.median(np.diff(motifs))
                if long_enough and len(motifs) * distance > COVERED * self.n:
                    longest = max(longest, distance)
        return longest

    def cycles(self, one: Candidate) -> Candidate:
        """Return a result that recurs with whole cycles as members.

        The largest deviation of a cycle is in its middle, a cycle is as long as the
        period, and it ends half way to the next one. Other results are returned as
        they are.
        """
        length = self.period(one)
        if not length:
            return one
        middles = []
        for motifs in one.sets:
            middle = motifs.sum(axis=1) // 2
            starts = middle - length
            inner = starts[(starts >= 0) & (starts + 2 * length <= self.n)][:MOST]
            parts = self.z[np.add.outer(inner, np.arange(2 * length))]
            parts = parts - np.median(parts, axis=1, keepdims=True)
            energy = (parts**2).sum(axis=(0, 2))
            width = max(1, length // SMOOTH)
            smooth = np.convolve(energy, np.ones(width), "same")[length // 2 :]
            shift = int(smooth[:length].argmax()) - length // 2
            middles.append(np.clip(middle + shift, 0, self.n))
        joint = np.sort(np.concatenate(middles))
        borders = np.concatenate([[0], (joint[:-1] + joint[1:]) // 2, [self.n]])
        cycles: Sets = []
        for middle in middles:
            place = np.searchsorted(joint, middle)
            starts = np.maximum(middle - length // 2, borders[place])
            ends = np.minimum(middle + length // 2, borders[place + 1])
            cut = np.stack([starts, ends], axis=1)
            cycles.append(cut[ends - starts > length // 2])
        return Candidate(cycles, one.bits)

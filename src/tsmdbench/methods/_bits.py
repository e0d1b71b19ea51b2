"""`Bits`: how many bits motif sets save; `tsmdbench.methods.auto` has the formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tsmdbench.methods.base import Series

PAIRS = 400  # random windows
LEAST = 1e-3  # share of the random distance that is never predicted
MOST = 400  # members that a distance is computed of
QUIET, AGREE = 0.04, 0.3  # parts below both do not count, see `Bits.active`
PARTS, FINE = 20, 8  # parts of a segment, and samples of each

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

    def bits(self, segments: Segments) -> float:
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

    def rated(self, sets: Sets) -> Candidate:
        """Return the sets that save bits, most bits first."""
        rated = [(self.bits(motifs), motifs) for motifs in sets]
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

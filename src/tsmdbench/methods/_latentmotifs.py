"""The objective of LatentMotifs and its ascent, all windows at once by FFT.

For K centres P_k and the z-normalised windows S_i (N of them, ``|S_i|^2 = l``),

    frequency = 1 / (K N) sum_k sum_i exp(-alpha / T |S_i - P_k|^2)
    penalty   = 2 / (K (K - 1)) sum_{k<q} max(0, 1 - |P_k - P_q|^2 / (2 T))^2

and the objective is frequency - penalty, to be maximised. The distances need the
products ``S_i . P_k``, the gradient needs ``sum_i e_ik S_i``; both are correlations
with the series, taken block by block, so an evaluation costs O(K n log l) and no window
is ever built.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.fft import irfft, rfft
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from tsmdbench._kernels.distance import sliding
from tsmdbench.methods.base import Series

Array = NDArray[np.float64]

# A block is so many windows long: blocks overlap by a window, which is lost work, but
# short transforms stay in the cache.
BLOCKS = 8


class Objective(NamedTuple):
    """Value of the objective at some centres.

    Attributes
    ----------
    frequency, penalty : float
        The two terms; the objective is their difference.
    frequency_gradient, penalty_gradient : float64[K, l]
        Derivatives with respect to the centres.
    """

    frequency: float
    penalty: float
    frequency_gradient: Array
    penalty_gradient: Array

    @property
    def score(self) -> float:
        """The objective: how often the centres occur, less how alike they are."""
        return self.frequency - self.penalty

    @property
    def gradient(self) -> Array:
        """Direction in which the objective grows."""
        return self.frequency_gradient - self.penalty_gradient


class LatentWindows:
    """The z-normalised windows of a series, known by their products with others.

    Windows that are constant, or that touch a NaN or infinite sample, take no part:
    their distance from every centre is infinite.

    Parameters
    ----------
    x : float64[n]
        One channel.
    length : int
        Window length.
    """

    def __init__(self, x: Series, length: int) -> None:
        self.length = length
        self.y, self.tracks = sliding.prepare(x, length)
        track = self.tracks[0]
        self.valid = (track[sliding.BIAS] == 0.0) & (track[sliding.INVERSE] > 0.0)
        level = self.y[0].mean()
        self._mean = track[sliding.MEAN] - level
        self._scale = np.where(self.valid, np.sqrt(length) * track[sliding.INVERSE], 0)
        self._block = min(next_fast_len(BLOCKS * length), next_fast_len(len(x)))
        self._step = self._block - length + 1
        self._spectra = rfft(self._blocks(self.y[0] - level))
        self._work: tuple[NDArray[np.complex128], Array] | None = None

    def _blocks(self, samples: Array) -> Array:
        """Cut into blocks that hold `_step` windows each, the last one padded."""
        count = -(-len(self.valid) // self._step)
        padded = np.zeros((count - 1) * self._step + self._block)
        padded[: len(samples)] = samples
        return sliding_window_view(padded, self._block)[:: self._step]

    @property
    def count(self) -> int:
        """Number of windows that take part."""
        return int(np.count_nonzero(self.valid))

    def window(self, start: int) -> Array:
        """Return one z-normalised window."""
        window: Array = self.y[0, start : start + self.length]
        scaled: Array = (window - window.mean()) * self._scale[start]
        return scaled

    def distances(self, centres: Array) -> Array:
        """Return the squared distances f8[K, N] of the centres to all windows."""
        spectra, blocks = self._workspace(len(centres))
        np.multiply(
            np.conj(rfft(centres, self._block))[:, None], self._spectra, out=spectra
        )
        products = irfft(spectra, self._block, out=blocks)[..., : self._step]
        squares = products.copy().reshape(len(centres), -1)[:, : len(self.valid)]
        squares -= centres.sum(axis=1, keepdims=True) * self._mean
        squares *= -2 * self._scale
        squares += self.length + (centres**2).sum(axis=1, keepdims=True)
        np.maximum(squares, 0.0, out=squares)
        squares[:, ~self.valid] = np.inf
        return squares

    def weighted_sum(self, weights: Array) -> Array:
        """Return ``sum_i weights[k, i] S_i``, f8[K, N] -> f8[K, l]."""
        spectra, blocks = self._workspace(len(weights))
        weights = weights * self._scale
        blocks.fill(0.0)
        for block, begin in enumerate(range(0, len(self.valid), self._step)):
            part = weights[:, begin : begin + self._step]
            blocks[:, block, : part.shape[1]] = part
        rfft(blocks, self._block, out=spectra)
        np.conj(spectra, out=spectra)
        spectra *= self._spectra
        # The transform is linear: blocks are added before they are transformed back.
        sums = irfft(spectra.sum(axis=1), self._block)[:, : self.length]
        return np.asarray(sums - (weights @ self._mean)[:, None])

    def _workspace(self, k: int) -> tuple[NDArray[np.complex128], Array]:
        """Return arrays to transform in; fresh ones would cost more than the work."""
        if self._work is None or len(self._work[0]) != k:
            spectra = np.empty((k, *self._spectra.shape), np.complex128)
            self._work = spectra, np.empty((k, len(self._spectra), self._block))
        return self._work

    def objective(self, centres: Array, square: float, alpha: float) -> Objective:
        """Evaluate the objective and its gradient.

        Parameters
        ----------
        centres : float64[K, l]
            The centres P_k.
        square : float
            T, the squared radius.
        alpha : float
            How fast the share of a window decreases with its distance.
        """
        k, n = len(centres), max(self.count, 1)
        shares = np.exp(-alpha / square * self.distances(centres))
        pull = self.weighted_sum(shares) - shares.sum(axis=1)[:, None] * centres
        penalty, push = _penalty(centres, square)
        return Objective(
            frequency=float(shares.sum() / (k * n)),
            penalty=penalty,
            frequency_gradient=2 * alpha / (k * n * square) * pull,
            penalty_gradient=push,
        )


def _penalty(centres: Array, square: float) -> tuple[float, Array]:
    """Return how alike the centres are, and the derivative; 0 for a single one."""
    k = len(centres)
    if k == 1:
        return 0.0, np.zeros_like(centres)
    differences = centres[:, None] - centres
    near = np.maximum(0.0, 2 * square - (differences**2).sum(axis=2))
    np.fill_diagonal(near, 0.0)
    pairs = k * (k - 1)
    value = (near**2).sum() / (pairs * 4 * square**2)
    push = -2 / (pairs * square**2) * (near[..., None] * differences).sum(axis=1)
    return float(value), push


def ascend(
    windows: LatentWindows,
    centres: Array,
    squares: Array,
    *,
    alpha: float,
    rate: float,
) -> tuple[Array, float]:
    """Climb the objective by AdaGrad and return the best centres met, and the score.

    Parameters
    ----------
    windows : LatentWindows
        The windows to explain.
    centres : float64[K, l]
        Where to start.
    squares : float64[iterations + 1]
        T of every step; centres are judged where it is the last one.
    alpha : float
        As for `LatentWindows.objective`.
    rate : float
        Size of the first step of every sample.
    """
    best, score = centres, -np.inf
    traces = np.zeros_like(centres)
    for square in squares:
        value = windows.objective(centres, square, alpha)
        if square == squares[-1] and value.score > score:
            best, score = centres, value.score
        gradient = value.gradient
        traces += gradient**2
        # A sample whose slope has always been 0 stays where it is.
        scale = np.sqrt(np.where(traces > 0, traces, 1.0))
        centres = centres + rate * gradient / scale
    return best, score

"""LatentMotifs: motifs as centres that are learned, not picked from the series.

A motif is a vector of `length` values, the *centre*, which does not have to be a window
of the series: it is a shape that as many windows as possible are close to. The
objective function measures the quality of centres: every window contributes a share
that decreases smoothly with its distance from a centre, and centres that are too close
to each other are penalised. Gradient ascent improves the centres step by step. Then the
windows within `radius` of a centre are its motif set.

Conventions
-----------
`radius` is a z-normalised Euclidean distance between a centre and a window. The
objective function uses squared distances, so its T is ``radius ** 2``. A set consists
of the windows nearer than `radius` to a centre, nearest first, that do not overlap.

Cost
----
Each of ``restarts * iterations`` steps takes O(K n log(length)) time for K centres, by
FFT, and the starts O(n^2) once. Memory is O(K n).

Limitations
-----------
* Patterns with few copies are missed: they contribute little to the objective function.
* Occurrences that differ in length or speed are missed: every segment has `length`
  samples.
* All patterns have the same radius, although the copies of some patterns are more
  similar than those of others.
* Results depend on the seed: the objective function has many local optima. The same
  seed always gives the same sets, but another seed may give other sets.

References
----------
J. Grabocka, N. Schilling, L. Schmidt-Thieme: Latent time-series motifs, ACM TKDD, 2016;
preprint https://arxiv.org/abs/1505.00423. The authors' code is unavailable; objective
and gradients are equal to those of tsmd 0.1.4 (grrvlr/TSMD, MIT), and the defaults of
alpha and the number of iterations are the same.

Departures
----------
* Centres start from windows of the series. If they start from noise, as in tsmd
  (``start="noise"``), all windows are so far away that the gradient is almost 0 and
  often nothing is found. The first start uses the windows with the most other windows
  near them, none of which overlaps a window within ``sqrt(2) radius`` of an earlier
  one; the other starts do the same after the counts have been shuffled at random.
* T is `anneal` times larger at first and decreases to its value during the first half
  of the iterations.
* The first step of a sample is `learning_rate` times ``radius / sqrt(length)``, which
  is suitable for every radius, or, from noise, `learning_rate` itself, as in tsmd;
  AdaGrad then decreases it. The best centres of all iterations are kept.
* With ``start="noise", restarts=1, anneal=1.0, disjoint=False`` the method is tsmd's
  with its defaults, except for the random numbers, and that tsmd keeps the last
  centres.
* Among all starts, and the centres learned from them, those are kept for which the
  windows in the sets have the largest shares ``exp(-alpha d^2 / T)``. The objective
  function itself also counts overlapping windows, so it favours shapes that are similar
  to themselves after a few samples.
* Constant windows are ignored. A set has at least two members.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.fft import irfft, rfft
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from tsmdbench._kernels.distance import neighbours, sliding
from tsmdbench._kernels.progress import each
from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.methods._common import SingleChannel, Threaded
from tsmdbench.methods._windows import overlapping
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet
from tsmdbench.validation import (
    check_choice,
    check_integer,
    check_number,
    check_positive,
)

# A centre common to many windows brings those within sqrt(2) radius of each other
# within radius of itself; the smaller ones separate the middle of a crowd from its
# edge.
REACHES = np.sqrt([2.0, 1.0, 0.5, 0.25])
TIED = 16  # windows in equal crowds that are ranked by their distances
STARTS = ("windows", "noise")
UNLIMITED = 10  # centres learned where the number of sets is not limited
# Length of a block in windows: blocks overlap by a window, which is lost work, but
# short transforms stay in the cache.
BLOCKS = 8


@dataclass(frozen=True, repr=False)
class LatentMotifs(Threaded, SingleChannel):
    """Learn the centres that most windows gather around, and return their windows.

    Parameters
    ----------
    length : int
        Window length, at least 4 samples.
    radius : float
        Largest z-normalised Euclidean distance of a window from its centre, exclusive,
        above 0.
    seed : int, default 0
        Seed of the random starts; the same seed gives the same sets.
    restarts : int, default 4
        Number of starts, at least 1.
    iterations : int, default 100
        Number of steps of each start; with 0 the centres are not changed.
    alpha : float, default 1.0
        How fast the share of a window decreases with its distance.
    learning_rate : float, default 0.1
        Size of the first step, in units of the radius per sample; from noise in units
        of a z-normalised sample.
    anneal : float, default 2.0
        Factor by which T is larger at the beginning, at least 1.
    start : {"windows", "noise"}, default "windows"
        Where centres start: at windows with many other windows near them, or at random
        numbers from the standard normal distribution.
    max_sets : int, optional, default 3
        Number of centres, and largest number of sets; None means ten centres.
    disjoint : bool, default True
        No window of a set may overlap one of a better set.
    channel : int, default 0
        Channel of a multivariate series.
    n_jobs : int, default 1
        Number of threads that search for starts; -1 for all processors. Does not change
        the result.

    Examples
    --------
    >>> import numpy as np
    >>> series = np.random.default_rng(0).normal(size=400)
    >>> for start in (40, 150, 310):
    ...     noise = 0.2 * series[start : start + 30]
    ...     series[start : start + 30] = noise + np.sin(np.arange(30) ** 2 / 50)
    >>> LatentMotifs(length=30, radius=2.5, max_sets=1).find(series)
    (MotifSet(((40, 70), (150, 180), (310, 340))),)
    """

    length: int
    radius: float
    seed: int = 0
    restarts: int = 4
    iterations: int = 100
    alpha: float = 1.0
    learning_rate: float = 0.1
    anneal: float = 2.0
    start: Literal["windows", "noise"] = "windows"
    max_sets: int | None = field(default=3, kw_only=True)

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    paper: ClassVar[Mapping[str, Any]] = {
        "seed": 0,
        "iterations": 100,
        "alpha": 1.0,
        "learning_rate": 0.1,
        "start": "noise",
        "restarts": 1,
        "anneal": 1.0,
        "disjoint": False,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self.seed, "seed", minimum=0)
        check_integer(self.restarts, "restarts", minimum=1)
        check_integer(self.iterations, "iterations", minimum=0)
        check_positive(self.learning_rate, "learning_rate")
        if check_number(self.anneal, "anneal") < 1:
            raise InputError(f"anneal must be at least 1, got {self.anneal}")
        check_choice(self.start, "start", STARTS)

    def _key(self) -> Hashable:
        return self.channel, self.length

    @classmethod
    def _prepare(
        cls, x: Series, methods: Sequence[Self]
    ) -> tuple[LatentWindows, Mapping[float, Integers]]:
        """Count for every radius how many windows gather around each.

        Windows within each of `REACHES` are counted, so that the near ones weigh more.
        """
        one = methods[0]
        windows = LatentWindows(x, one.length)
        radii = sorted({m.radius for m in methods if m.start == "windows"})
        if not radii:
            return windows, {}
        thresholds = sliding.to_score(np.outer(radii, REACHES).ravel(), one.length, 1)
        sizes, _ = neighbours.count_apart(
            windows.y, windows.tracks, one.length, one.length, thresholds, one.n_jobs
        )
        crowds = sizes.reshape(len(radii), len(REACHES), -1).sum(axis=1)
        return windows, dict(zip(radii, crowds, strict=True))

    def _search(
        self, prepared: tuple[LatentWindows, Mapping[float, Integers]]
    ) -> Found:
        """Climb from every start and return the sets of the best one."""
        windows, crowds = prepared
        if not windows.count:
            return ()
        rng = np.random.default_rng(self.seed)
        rate = self.learning_rate
        if self.start == "windows":
            rate = float(self.learning_rate * self.radius / np.sqrt(self.length))
        best: list[Integers] = []
        most = 0.0
        for restart in each(range(self.restarts)):
            if self.start == "noise":
                shape = self.max_sets or UNLIMITED, self.length
                start = rng.normal(size=shape)
            else:
                rank = np.where(windows.valid, np.log1p(crowds[self.radius]), -np.inf)
                if restart > 0:
                    rank = rank + rng.gumbel(size=len(rank))
                start = self._in_crowds(windows, rank)
            learned, _ = ascend(
                windows, start, self._squares(), alpha=self.alpha, rate=rate
            )
            for centres in (start, learned):
                sets, explained = self._sets(windows.distances(centres))
                if explained > most:
                    best, most = sets, explained
        return tuple(MotifSet.from_starts(one, self.length) for one in best)

    def _squares(self) -> Floats:
        """T of every step: larger at first, its own value in the second half."""
        left = 1 - np.arange(self.iterations + 1) / max(self.iterations / 2, 1)
        return np.asarray(self.radius**2 * self.anneal ** np.maximum(left, 0.0))

    def _in_crowds(self, windows: LatentWindows, rank_inplace: Floats) -> Floats:
        """Choose windows of the highest ranks, more than twice T from each other."""
        rank = rank_inplace
        centres: list[Floats] = []
        for _ in range(self.max_sets or UNLIMITED):
            if not np.isfinite(rank.max()):
                break
            tied = np.flatnonzero(rank == rank.max())[:TIED]
            start = int(tied[0])
            if len(tied) > 1:  # the one that others are nearest to
                middles = np.array([windows.window(int(one)) for one in tied])
                squares = windows.distances(middles)
                for one, row in zip(tied, squares, strict=True):
                    row[overlapping(np.array([one]), len(row), self.length)] = np.inf
                start = int(tied[np.argmax(self._shares(squares).sum(axis=1))])
            centre = windows.window(start)
            near = windows.distances(centre[None])[0] < 2 * self.radius**2
            near[start] = True
            near_starts = np.flatnonzero(near)
            rank[overlapping(near_starts, len(rank), self.length)] = -np.inf
            centres.append(centre)
        return np.array(centres)

    def _shares(self, squares: Floats) -> Floats:
        """Return the shares of windows with these squared distances."""
        return np.asarray(np.exp(-self.alpha / self.radius**2 * squares))

    def _sets(self, squares: Floats) -> tuple[list[Integers], float]:
        """Return the windows within radius of each centre, and the sum of their shares.

        The set of largest shares comes first. Its windows are the nearest one, then the
        nearest that does not overlap, etc.
        """
        squares = np.where(squares < self.radius**2, squares, np.inf)
        left = list(range(len(squares)))
        sets: list[Integers] = []
        explained = 0.0
        while left:
            members = [
                neighbours.choose_apart(
                    squares[centre], self.radius**2, self.length, squares.shape[1]
                )
                for centre in left
            ]
            shares = [
                float(self._shares(squares[centre, starts]).sum())
                for centre, starts in zip(left, members, strict=True)
            ]
            chosen = max(range(len(left)), key=shares.__getitem__)
            left.pop(chosen)
            if len(members[chosen]) < 2:
                continue
            sets.append(members[chosen])
            explained += shares[chosen]
            if self.disjoint:
                taken = overlapping(members[chosen], squares.shape[1], self.length)
                squares[:, taken] = np.inf
        return sets, explained


# The objective and its ascent, all windows at once by FFT. For K centres P_k and the
# z-normalised windows S_i (N of them, |S_i|^2 = l),
#
#     frequency = 1 / (K N) sum_k sum_i exp(-alpha / T |S_i - P_k|^2)
#     penalty   = 2 / (K (K - 1)) sum_{k<q} max(0, 1 - |P_k - P_q|^2 / (2 T))^2
#
# and the objective is frequency - penalty, to be maximised. The distances need the
# products S_i . P_k, the gradient needs sum_i e_ik S_i; both are correlations with the
# series, taken block by block, so an evaluation costs O(K n log l) and no window is
# ever built.


class Objective(NamedTuple):
    """Value of the objective at some centres, ``frequency - penalty``."""

    frequency: float
    penalty: float
    frequency_gradient: Floats  # float64[K, l], as the centres
    penalty_gradient: Floats

    @property
    def score(self) -> float:
        """The objective: how often the centres occur, less how alike they are."""
        return self.frequency - self.penalty

    @property
    def gradient(self) -> Floats:
        """Direction in which the objective grows."""
        return self.frequency_gradient - self.penalty_gradient


class LatentWindows:
    """The z-normalised windows of a channel, known by their products with others.

    Windows that are constant, or that touch a NaN or infinite sample, take no part:
    their distance from every centre is infinite.
    """

    def __init__(self, x: Series, length: int) -> None:
        from scipy.fft import next_fast_len  # takes longer to import than the rest

        self.length = length
        self.y, self.tracks = sliding.prepare(x, length)
        track = self.tracks[0]
        self.valid = (track[sliding.BIAS] == 0.0) & (track[sliding.INVERSE] > 0.0)
        level = self.y[0].mean()
        self._mean = track[sliding.MEAN] - level
        self._scale = np.where(self.valid, np.sqrt(length) * track[sliding.INVERSE], 0)
        self._block = min(next_fast_len(BLOCKS * length), next_fast_len(len(x)))
        self._step = self._block - length + 1
        # Blocks that hold `_step` windows each, the last one padded.
        blocks = -(-len(self.valid) // self._step)
        padded = np.zeros((blocks - 1) * self._step + self._block)
        padded[: len(x)] = self.y[0] - level
        self._spectra = rfft(sliding_window_view(padded, self._block)[:: self._step])
        self._work: tuple[NDArray[np.complex128], Floats] | None = None

    @property
    def count(self) -> int:
        """Number of windows that take part."""
        return int(np.count_nonzero(self.valid))

    def window(self, start: int) -> Floats:
        """Return one z-normalised window."""
        window: Floats = self.y[0, start : start + self.length]
        scaled: Floats = (window - window.mean()) * self._scale[start]
        return scaled

    def distances(self, centres: Floats) -> Floats:
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

    def weighted_sum(self, weights: Floats) -> Floats:
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

    def _workspace(self, k: int) -> tuple[NDArray[np.complex128], Floats]:
        """Return arrays to transform in; fresh ones would cost more than the work."""
        if self._work is None or len(self._work[0]) != k:
            spectra = np.empty((k, *self._spectra.shape), np.complex128)
            self._work = spectra, np.empty((k, len(self._spectra), self._block))
        return self._work

    def objective(self, centres: Floats, square: float, alpha: float) -> Objective:
        """Evaluate the objective at centres f8[K, l], T given as `square`."""
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


def _penalty(centres: Floats, square: float) -> tuple[float, Floats]:
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
    centres: Floats,
    squares: Floats,
    *,
    alpha: float,
    rate: float,
) -> tuple[Floats, float]:
    """Climb the objective by AdaGrad and return the best centres met, and the score.

    squares: T of every step; centres are judged where it is the last one. rate: size of
    the first step of every sample.
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

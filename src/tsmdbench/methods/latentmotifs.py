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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.fft import irfft, rfft
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from scipy.fft import next_fast_len

from tsmdbench._kernels.distance import neighbours, sliding
from tsmdbench._kernels.progress import each
from tsmdbench.errors import InputError
from tsmdbench.methods._distance import SingleChannel, Threaded
from tsmdbench.methods._windows import check_positive, overlapping
from tsmdbench.methods.base import Found, Series, check_fits, check_length
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_integer, check_number

Indices = NDArray[np.int64]

# A centre common to many windows brings those within sqrt(2) radius of each other
# within radius of itself; the smaller ones tell the middle of a crowd from its edge.
REACHES = np.sqrt([2.0, 1.0, 0.5, 0.25])
TIED = 16  # windows in equal crowds that are told apart by their distances
STARTS = ("windows", "noise")
NO_CROWD: Indices = np.zeros(0, np.int64)  # for centres that start from noise
UNLIMITED = 10  # centres learned where the number of sets is not limited


class _Answer(NamedTuple):
    """Result of one start: sets of window starts, and the sum of their shares."""

    sets: list[Indices]
    explained: float


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
        check_length(self.length)
        check_integer(self.seed, "seed", minimum=0)
        check_integer(self.restarts, "restarts", minimum=1)
        check_integer(self.iterations, "iterations", minimum=0)
        for name in ("radius", "alpha", "learning_rate"):
            check_positive(getattr(self, name), name)
        if check_number(self.anneal, "anneal") < 1:
            raise InputError(f"anneal must be at least 1, got {self.anneal}")
        check_choice(self.start, "start", STARTS)

    def _find(self, x: Series) -> Found:
        check_fits(x, self.length)
        windows = LatentWindows(x, self.length)
        if self.start == "noise":
            return self._learn(windows, NO_CROWD)
        return self._learn(windows, _crowds(windows, [self.radius], self.n_jobs)[0])

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all, counting neighbours once per length for every radius."""
        groups: dict[tuple[Any, int], list[int]] = {}
        for position, method in enumerate(methods):
            groups.setdefault((method.channel, method.length), []).append(position)
        found: list[Found] = [()] * len(methods)
        for positions in groups.values():
            first = methods[positions[0]]
            x = first._checked(series)
            check_fits(x, first.length)
            windows = LatentWindows(x, first.length)
            mine = [methods[position] for position in positions]
            radii = sorted({one.radius for one in mine if one.start == "windows"})
            counts = _crowds(windows, radii, first.n_jobs) if radii else NO_CROWD
            crowds = dict(zip(radii, counts, strict=True))
            for position, method in zip(positions, mine, strict=True):
                crowd = NO_CROWD if method.start == "noise" else crowds[method.radius]
                found[position] = method._learn(windows, crowd)
        return found

    def _learn(self, windows: LatentWindows, crowd: Indices) -> Found:
        """Climb from every start and return the sets of the best one."""
        if not windows.count:
            return ()
        rng = np.random.default_rng(self.seed)
        best = _Answer([], 0.0)
        for restart in each(range(self.restarts)):
            start = self._starts(windows, crowd, rng, shuffle=restart > 0)
            learned, _ = ascend(
                windows,
                start,
                self._squares(),
                alpha=self.alpha,
                rate=self._rate,
            )
            for centres in (start, learned):
                answer = self._sets(windows.distances(centres))
                if answer.explained > best.explained:
                    best = answer
        return tuple(MotifSet.from_starts(one, self.length) for one in best.sets)

    @property
    def _rate(self) -> float:
        """Size of the first step of a sample."""
        if self.start == "noise":
            return self.learning_rate
        return float(self.learning_rate * self.radius / np.sqrt(self.length))

    def _squares(self) -> Array:
        """T of every step: larger at first, its own value in the second half."""
        left = 1 - np.arange(self.iterations + 1) / max(self.iterations / 2, 1)
        return np.asarray(self.radius**2 * self.anneal ** np.maximum(left, 0.0))

    def _starts(
        self,
        windows: LatentWindows,
        crowd: Indices,
        rng: np.random.Generator,
        *,
        shuffle: bool,
    ) -> Array:
        """Choose windows in a crowd, more than twice T from each other; or noise."""
        if self.start == "noise":
            return rng.normal(size=(self.max_sets or UNLIMITED, self.length))
        rank = np.where(windows.valid, np.log1p(crowd), -np.inf)
        if shuffle:
            rank = rank + rng.gumbel(size=len(rank))
        centres: list[Array] = []
        for _ in range(self.max_sets or UNLIMITED):
            if not np.isfinite(rank.max()):
                break
            start = self._middle(windows, np.flatnonzero(rank == rank.max())[:TIED])
            centre = windows.window(start)
            near = windows.distances(centre[None])[0] < 2 * self.radius**2
            near[start] = True
            near_starts = np.flatnonzero(near)
            rank[overlapping(near_starts, len(rank), self.length)] = -np.inf
            centres.append(centre)
        return np.array(centres)

    def _middle(self, windows: LatentWindows, starts: Indices) -> int:
        """Return the one of these windows that others are nearest to."""
        if len(starts) == 1:
            return int(starts[0])
        centres = np.array([windows.window(int(start)) for start in starts])
        squares = windows.distances(centres)
        for start, row in zip(starts, squares, strict=True):
            row[overlapping(np.array([start]), len(row), self.length)] = np.inf
        shares = np.exp(-self.alpha / self.radius**2 * squares).sum(axis=1)
        return int(starts[np.argmax(shares)])

    def _sets(self, squares: Array) -> _Answer:
        """Return the windows within radius of each centre, the best set first."""
        squares = np.where(squares < self.radius**2, squares, np.inf)
        left = list(range(len(squares)))
        sets: list[Indices] = []
        explained = 0.0
        while left:
            answers = [self._members(squares[centre]) for centre in left]
            chosen = max(range(len(left)), key=lambda i: answers[i].explained)
            members, shares = answers[chosen].sets[0], answers[chosen].explained
            left.pop(chosen)
            if len(members) < 2:
                continue
            sets.append(members)
            explained += shares
            if self.disjoint:
                taken = overlapping(members, squares.shape[1], self.length)
                squares[:, taken] = np.inf
        return _Answer(sets, explained)

    def _members(self, squares: Array) -> _Answer:
        """Take the nearest window, then the nearest that does not overlap, etc."""
        members = neighbours.choose_apart(
            squares, self.radius**2, self.length, len(squares)
        )
        shares = np.exp(-self.alpha / self.radius**2 * squares[members])
        return _Answer([members], float(shares.sum()))


def _crowds(windows: LatentWindows, radii: Sequence[float], n_jobs: int) -> Indices:
    """Return for every radius how many windows gather around each, i8[R, N].

    Windows within each of `REACHES` are counted, so that the near ones weigh more.
    """
    reach = np.outer(np.asarray(radii, dtype=np.float64), REACHES).ravel()
    thresholds = sliding.to_score(reach, windows.length, 1)
    sizes, _ = neighbours.count_apart(
        windows.y, windows.tracks, windows.length, windows.length, thresholds, n_jobs
    )
    crowds: Indices = sizes.reshape(len(radii), len(REACHES), -1).sum(axis=1)
    return crowds


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


Array = NDArray[np.float64]

# Length of a block in windows: blocks overlap by a window, which is lost work, but
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

"""VONSEM: motifs of any length from the diagonals of one distance matrix.

Two copies of a pattern appear as a run of small distances on a diagonal of the distance
matrix of all windows of `l_min` samples. The longer the copies, the longer the run.
Diagonals are visited in the order of their number of *hits*, which are cells below a
threshold. Each hit is extended along its diagonal to a pair of longer segments, the
*proof*. If the segments of a proof are not similar as a whole, it is split at the
windows that repeat best. All segments that are similar to either half of a proof form
the motif set, and the windows inside them are not used again.

Conventions
-----------
The distance is in [0, 1] and depends on the scale on purpose: half of its square comes
from the shape, ``zED / (2 sqrt(length))``, and half from the ratio of the two standard
deviations. `radius` is a z-normalised Euclidean distance between windows of `l_min`
samples as everywhere in this package; for windows of equal scale it corresponds to the
threshold ``radius / (2 sqrt(2 l_min))``, which is then used at every length.

Cost
----
O(n^2) time to count the hits of all diagonals, O(n) for every diagonal that is visited,
and O(n l) for every proof of length l. Memory is O(n).

Limitations
-----------
* Copies with a different amplitude are missed: the distance depends on the scale.
* Sets may be split: members must be similar to a proof over its full length, so copies
  of one pattern may be reported as several sets, one per proof.
* All patterns have the same threshold, at every length, although the copies of some
  patterns are more similar than those of others.
* Only one channel is searched.

References
----------
M. Van Onsem et al.: Variable length motif discovery in time series data, IEEE Access,
2023. Authors' code: VOMatthias/Variable-Length-Motif-Discovery-Data-And-Code, commit
a24f1f9, MIT. ``compat=True`` returns exactly its sets, except for the order of
diagonals with equal numbers of hits and of NaN. There, this order depends on the
versions of NumPy and Python; here, the nearest diagonal comes first and NaN last.

Departures
----------
By default, differences between the authors' code and its description are corrected:

* A proof is a run without gaps on one diagonal, and its halves do not overlap; the
  authors' code extends it by the column minima, ignores gaps, and allows the halves to
  overlap.
* Members of a set do not overlap; the authors' code compares starts with the extension
  instead of the length. The distance of a segment to itself is 0; in the authors' code
  rounding may make it NaN, so it returns sets with one or no member.
* Constant windows match nothing. In the authors' code this depends on rounding.
* Windows in the last `l_min` samples of a member are not used again, either.
* Sets are ranked by prominence, which compares the mean standard deviation of the
  members with the quartiles of the standard deviation around them. The authors' code
  adds a bonus for seasons of 288 or 2016 samples, because its data has a sample every
  five minutes; this is left out. If the quartiles are equal, the authors' code adds a
  constant; here the difference is used without scaling.
* The matrix is never stored: hits are counted per diagonal, and a diagonal is computed
  again when it is visited.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from tsmdbench._kernels.distance import sliding, vonsem
from tsmdbench._kernels.progress import each, within
from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.methods._common import SingleChannel
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_flag, check_positive

MATRIX = 0.9  # about the share of the time that the matrix takes
# Share of the extension by which starts of members differ in the authors' code.
COMPAT_GAP = 0.9
# Windows whose profile lies this many robust deviations below the median split a proof.
SPLIT_DEVIATIONS = 2
MAD_TO_SIGMA = 1.4826
# Prominence is judged against windows in this share of the series around the proof.
NEIGHBOURHOOD = 3


@dataclass(frozen=True, repr=False)
class VONSEM(SingleChannel):
    """Find motif sets of any length from `l_min` on.

    Parameters
    ----------
    l_min : int
        Shortest length of a motif, at least 4 samples.
    radius : float
        Largest z-normalised Euclidean distance of two matching windows of `l_min`
        samples and equal scale, above 0. See the conventions of the module.
    compat : bool, default False
        Return what the authors' code returns, in its order, including sets with one or
        no member. `disjoint` then has no effect.
    scale_cap, pair_scale_cap : float, default 2.0 and 1.0
        Windows with a ratio of standard deviations above ``1 + cap`` do not match.
        `pair_scale_cap` is used to check a proof. Both values are those of the authors'
        code.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        No segment may overlap a segment of an earlier set.
    channel : int, default 0
        Channel of a multivariate series.

    Examples
    --------
    >>> import numpy as np
    >>> series = np.random.default_rng(0).normal(size=300)
    >>> series[50:90] = series[200:240] = 2 * np.sin(np.arange(40) ** 2 / 90)
    >>> VONSEM(l_min=24, radius=0.5).find(series)
    (MotifSet(((50, 90), (200, 240))),)
    """

    l_min: int
    radius: float
    compat: bool = False
    scale_cap: float = 2.0
    pair_scale_cap: float = 1.0

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "inter"
    paper: ClassVar[Mapping[str, Any]] = {
        "scale_cap": 2.0,
        "pair_scale_cap": 1.0,
        "compat": True,
        "disjoint": False,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive(self.scale_cap, "scale_cap")
        check_positive(self.pair_scale_cap, "pair_scale_cap")
        check_flag(self.compat, "compat")

    @property
    def threshold(self) -> float:
        """The radius on the scale of the distance, [0, 1]."""
        return float(self.radius / (2 * np.sqrt(2 * self.l_min)))

    def _rule(self, cap: float) -> Floats:
        """Return threshold, cap and clipping as the kernels take them."""
        return np.array([self.threshold, cap, float(not self.compat)])

    def _find(self, x: Series) -> Found:
        self._check_fits(x)
        with within(0.0, MATRIX):
            matrix = self._prepare(x, [self])
        with within(MATRIX, 1.0):
            return self._search(matrix)

    def _key(self) -> Hashable:
        return self.channel, self.l_min, self.compat, self.scale_cap

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> ProofMatrix:
        return ProofMatrix(methods[0], x, sorted({m.threshold for m in methods}))

    def _search(self, matrix: ProofMatrix) -> Found:
        search = ProofSearch(self, matrix)
        raw = list(search.sets())
        if not self.compat:  # by prominence; ties by size, then as found
            raw.sort(key=lambda one: (-search.prominence(one), -len(one.starts)))
        sets = [MotifSet.from_starts(sorted(one.starts), one.length) for one in raw]
        return tuple(sets[: self.max_sets])


# Proofs: pairs of alike segments on a diagonal, and the sets they give.


class RawSet(NamedTuple):
    """Start of a proof, its length, and the starts of its set."""

    first: int
    length: int
    starts: tuple[int, ...]


class ProofMatrix:
    """The distances of all windows of `l_min` samples, in summary.

    The summary holds for one rule and several thresholds.
    """

    def __init__(self, method: VONSEM, x: Series, thresholds: list[float]) -> None:
        self.m, self.compat = method.l_min, method.compat
        self.finite = np.isfinite(x)
        if self.compat:
            self.x = np.where(self.finite, x, 0.0)
        else:
            # A level of 1e6 or a unit of 1e-200 costs the authors' code all digits.
            samples, _ = sliding.prepare(x, self.m)
            self.x = samples[0] - samples[0].mean()
        self.moments = vonsem.plain_moments(self.x, self.m)
        self.dots = vonsem.first_row(self.x, self.m)
        rule = method._rule(method.scale_cap)
        whole = self.whole(self.finite, self.m)
        self.profile, counts = vonsem.matrix_summary(
            self.x, self.m, self.moments, self.dots, whole, np.array(thresholds), rule
        )
        self.counts = dict(zip(thresholds, counts, strict=True))

    def whole(self, usable: Flags, length: int) -> Flags:
        """Windows of that length that may match: all samples usable, not constant."""
        kinds = sliding.window_kinds(self.x, usable, length)
        whole: Flags = kinds != sliding.BROKEN if self.compat else kinds == sliding.FINE
        return whole


class ProofSearch:
    """One run over one series: which windows are left, and the sets found so far."""

    def __init__(self, method: VONSEM, matrix: ProofMatrix) -> None:
        self.m, self.compat = method.l_min, method.compat
        self.disjoint = method.disjoint
        self.threshold = method.threshold
        self.rule = method._rule(method.scale_cap)
        self.pair_rule = method._rule(method.pair_scale_cap)
        self.matrix, self.x = matrix, matrix.x
        self.counts = matrix.counts[self.threshold]
        self.usable = matrix.finite.copy()
        self.alive = matrix.whole(self.usable, self.m)

    def sets(self) -> Iterator[RawSet]:
        """Visit the diagonals by their hits, and yield a set for every proof."""
        for offset in each(self._diagonals()):
            hits = vonsem.diagonal_hits(
                self.x,
                self.m,
                self.matrix.moments,
                self.matrix.dots,
                offset,
                self.alive,
                self.rule,
            )
            at = len(hits) - 1
            while (at := vonsem.last_hit(hits, self.alive, at)) >= 0:
                start, extension = self._reach(hits, at, offset)
                for first, longer in self._proofs(hits, start, extension):
                    yield from self._fetch(first, first + offset, longer)
                at = at - offset - 1 if self.compat else start - 1
                at = max(at, -1)

    def _diagonals(self) -> list[int]:
        """Offsets with a hit, most hits first."""
        if self.compat:
            # The authors' code leaves ties as an unstable sort does, which depends
            # on the version of NumPy and on the processor; here the near one is first.
            near = self.m // 2
            order = near + np.argsort(-self.counts[near:], kind="stable")
            return [int(offset) for offset in order if self.counts[offset]]
        counts = self.counts.copy()
        counts[: self.m] = 0
        order = np.argsort(-counts, kind="stable")
        return [int(offset) for offset in order[: np.count_nonzero(counts)]]

    def _reach(self, hits: Flags, at: int, offset: int) -> tuple[int, int]:
        """Extend a hit along its diagonal; return its new start and its extension."""
        if self.compat:
            # The column minima decide, and gaps are skipped over.
            low, column = self.matrix.profile < self.threshold, at + offset
            left = _last(low[column - min(offset - 1, at) : column][::-1])
            right = _last(low[column + 1 : column + offset - left - 1])
        else:
            living = hits & self.alive[: len(hits)] & self.alive[offset:]
            room = offset - self.m
            left = _run(living[max(at - room, 0) : at][::-1])
            right = _run(living[at + 1 : at + 1 + room - left])
        return at - left, left + right

    def _proofs(self, hits: Flags, start: int, extension: int) -> list[tuple[int, int]]:
        """Return the proof, or where it is not alike the parts that are."""
        offset = len(self.alive) - len(hits)
        if not self._apart(start, offset, extension) > self.threshold:
            return [(start, extension)]
        proofs = []
        for group in self._groups(start, offset, extension):
            living = self.alive[group] & self.alive[group + offset]
            if (hits[group] & living).any():
                proofs.append((int(group[0]), int(group[-1] - group[0])))
        return proofs

    def _apart(self, start: int, offset: int, extension: int) -> float:
        """Distance of the two halves of a proof."""
        length = extension + self.m
        return float(
            vonsem.pair_distance(self.x, start, start + offset, length, self.pair_rule)
        )

    def _groups(self, start: int, offset: int, extension: int) -> list[Integers]:
        """Split a proof into runs of low profile, merged while they stay alike."""
        series = self.matrix.profile[start : start + extension + 1]
        nonzero = series[series != 0]
        if not nonzero.size:
            return []
        median = np.median(nonzero)
        spread = MAD_TO_SIGMA * np.median(np.abs(nonzero - median))
        low = np.flatnonzero(series - median < -SPLIT_DEVIATIONS * spread)
        runs = np.split(low, np.flatnonzero(np.diff(low) > 1) + 1) if low.size else []
        groups: list[Integers] = []
        for run in runs:
            if groups:
                first = int(groups[-1][0])
                longer = int(run[-1]) - first
                if self._apart(start + first, offset, longer) < self.threshold:
                    groups[-1] = np.concatenate([groups[-1], run])
                    continue
            groups.append(run)
        return [start + group for group in groups]

    def _fetch(self, first: int, second: int, extension: int) -> Iterator[RawSet]:
        """Yield the segments like either half of a proof, and use them up.

        Nearest first, each far enough from those before it.
        """
        length = extension + self.m
        rough = _quick_moments(self.x, length)
        whole = self.matrix.whole(self.usable, length)
        profiles, below = [], []
        for start in (first, second):
            profile = vonsem.distance_profile(self.x, start, length, rough, self.rule)
            profiles.append(np.where(whole, profile, np.inf))
            below.append(_lowest_of_runs(profiles[-1], self.threshold))
        gap = COMPAT_GAP * (extension + 1) if self.compat else length - 1
        nearest = np.minimum(*profiles)
        starts: list[int] = []
        for start in self._nearest_first(np.union1d(*below).tolist(), nearest):
            if all(abs(start - other) > gap for other in starts):
                starts.append(start)
        if not self.compat and len(starts) < 2:
            return
        for start in starts:  # bury the windows that belong to a member
            if self.compat:
                self.alive[start : start + extension + 1] = False
                continue
            before = self.m - 1 if self.disjoint else 0
            self.alive[max(start - before, 0) : start + length] = False
            if self.disjoint:
                self.usable[start : start + length] = False
        yield RawSet(first, length, tuple(starts))

    def _nearest_first(self, candidates: list[int], nearest: Series) -> list[int]:
        """Sort by distance; a NaN, which only `compat` lets through, comes last."""
        distances = np.nan_to_num(nearest, nan=np.inf, posinf=np.inf)
        return sorted(candidates, key=distances.tolist().__getitem__)

    def prominence(self, one: RawSet) -> float:
        """Mean deviation of the members against that of the windows around them."""
        deviations = [
            np.std(self.x[start : start + one.length]) for start in one.starts
        ]
        half = max(len(self.x) // (2 * NEIGHBOURHOOD), self.m)
        around = slice(max(one.first - half, 0), one.first + half)
        low, median, high = np.quantile(
            self.matrix.moments[1, around], [0.25, 0.5, 0.75]
        )
        spread = high - low if high > low else 1.0
        return float((np.mean(deviations) - median) / spread)


def _quick_moments(x: Series, length: int) -> Floats:
    """Return means and deviations, not summed in the order of the authors' code."""
    means = sliding.window_means(x, length)
    fine = np.full(len(means), sliding.FINE, np.int8)
    inverse = sliding.window_inverse_norms(x, means, fine, length)
    norms = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0)
    return np.stack([means, norms / np.sqrt(length)])


def _last(flags: Flags) -> int:
    """Return one more than the position of the last True, or 0."""
    positions = np.flatnonzero(flags)
    return int(positions[-1]) + 1 if positions.size else 0


def _run(flags: Flags) -> int:
    """Return the number of True before the first False."""
    return len(flags) if flags.all() else int(np.argmin(flags))


def _lowest_of_runs(profile: Series, threshold: float) -> Integers:
    """Return the lowest position of every run below threshold, the first of equals."""
    below = np.flatnonzero(profile < threshold)
    runs = np.split(below, np.flatnonzero(np.diff(below) > 1) + 1)
    return np.array(
        [run[np.argmin(profile[run])] for run in runs if run.size], dtype=np.int64
    )

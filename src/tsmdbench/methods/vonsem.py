"""VONSEM: motifs of any length from the diagonals of one distance matrix.

Two copies of a pattern show as a run of small distances on a diagonal of the matrix of
all windows of `l_min` samples, and the run is as long as the copies are longer than
`l_min`. Diagonals are visited by their number of hits, cells below a threshold; each
hit is extended along its diagonal to a pair of longer segments, the *proof*; a proof
that is not alike as a whole is split at the windows that repeat best; all segments
like either half of a proof form the motif set, and windows inside them are used up.

Conventions
-----------
The distance is in [0, 1] and knows scale on purpose: half of its square comes from
the shape, ``zED / (2 sqrt(length))``, half from the ratio of the two standard
deviations. `radius` is a z-normalised Euclidean distance between windows of `l_min`
samples as everywhere in this package; for windows of equal scale it corresponds to the
threshold ``radius / (2 sqrt(2 l_min))``, which is then used at every length.

References
----------
M. Van Onsem, V. Ledoux, W. Mélange, D. Dreesen, S. Van Hoecke: Variable length motif
discovery in time series data. IEEE Access 11, 2023.
https://doi.org/10.1109/ACCESS.2023.3295995
Authors' code: VOMatthias/Variable-Length-Motif-Discovery-Data-And-Code, commit
a24f1f9, MIT. `compat=True` returns its sets, bit by bit up to the order in which
``numpy.argsort`` leaves diagonals with as many hits.

Departures
----------
The default mends what the code does against its own description:

* A proof is a run without gaps of its own diagonal, and its halves do not overlap;
  the code extends by the column minima, skips over gaps, and lets halves overlap.
* Members of a set do not overlap; the code compares starts with the extension
  instead of the length. A segment is like itself; in the code rounding may make that
  distance NaN, which is why it returns singletons and empty sets.
* Constant windows match nothing. In the code it is left to rounding.
* Windows in the last `l_min` samples of a member are used up as well.
* Sets are ranked by prominence, the mean deviation of the members against the
  quartiles of the deviation around them. The code adds a bonus for seasons of 288 or
  2016 samples, as its data come every five minutes; this is left out. With no spread
  between the quartiles the code adds a constant; here the difference counts as it is.
* The matrix is never stored: hits are counted per diagonal, and a diagonal is
  computed again when its turn comes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.kernels import scaled, sliding
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
)
from tsmdbench.methods.windows import check_positive
from tsmdbench.types import MotifSet

Indices = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Share of the extension by which starts of members differ in the authors' code.
COMPAT_GAP = 0.9
# Windows whose profile lies this many robust deviations below the median split a proof.
SPLIT_DEVIATIONS = 2
MAD_TO_SIGMA = 1.4826
# Prominence is judged against windows in this share of the series around the proof.
NEIGHBOURHOOD = 3


class RawSet(NamedTuple):
    """A proof ``(first, second, extension)`` and the starts of the set it gave."""

    first: int
    second: int
    length: int
    starts: tuple[int, ...]


@dataclass(frozen=True)
class VONSEM(Method):
    """Find motif sets of any length from `l_min` on.

    Parameters
    ----------
    l_min : int
        Shortest length of a motif, at least 4 samples.
    radius : float
        Largest z-normalised Euclidean distance of two matching windows of `l_min`
        samples and equal scale, above 0. See the conventions of the module.
    max_sets : int, optional
        Return at most so many sets; all by default.
    channel : int, default 0
        Channel of a multivariate series.
    compat : bool, default False
        Return what the authors' code returns, in its order: singletons, empty sets
        and all. `disjoint` is then of no effect.
    disjoint : bool, default True
        No segment may overlap a segment of an earlier set.
    scale_cap, pair_scale_cap : float, default 2.0 and 1.0
        A ratio of deviations above ``1 + cap`` counts as different altogether; the
        second one holds for the check of a proof. The authors' code uses both.

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
    max_sets: int | None = None
    channel: int = 0
    compat: bool = False
    disjoint: bool = True
    scale_cap: float = 2.0
    pair_scale_cap: float = 1.0

    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "inter"
    symbolic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_length(self.l_min, "l_min")
        check_max_sets(self.max_sets)
        for name in ("radius", "scale_cap", "pair_scale_cap"):
            check_positive(getattr(self, name), name)

    @property
    def threshold(self) -> float:
        """The radius on the scale of the distance, [0, 1]."""
        return float(self.radius / (2 * np.sqrt(2 * self.l_min)))

    def _find(self, x: Series) -> Found:
        check_fits(x, self.l_min, "l_min")
        search = _Search(self, x)
        raw = list(search.sets())
        if not self.compat:
            raw = search.ranked(kept for kept in raw if len(kept.starts) > 1)
        sets = [MotifSet.from_starts(sorted(one.starts), one.length) for one in raw]
        return tuple(sets[: self.max_sets])


class _Search:
    """One run over one series: the matrix in summary, and which windows are left."""

    def __init__(self, method: VONSEM, x: Series) -> None:
        self.m, self.n = method.l_min, len(x)
        self.compat, self.disjoint = method.compat, method.disjoint
        self.threshold = method.threshold
        self.usable = np.isfinite(x)
        if self.compat:
            self.x = np.where(self.usable, x, 0.0)
        else:
            # A level of 1e6 or a unit of 1e-200 costs the authors' code all digits.
            samples, _ = sliding.prepare(x, self.m)
            self.x = samples[0] - samples[0].mean()
        self.alive = self._whole(self.m)
        clip = float(not method.compat)
        self.rule = np.array([method.threshold, method.scale_cap, clip])
        self.pair_rule = np.array([method.threshold, method.pair_scale_cap, clip])
        self.moments = scaled.plain_moments(self.x, self.m)
        self.dots = scaled.first_row(self.x, self.m)
        self.profile, self.counts = scaled.matrix_summary(
            self.x, self.m, self.moments, self.dots, self.alive, self.rule
        )

    def _whole(self, length: int) -> Flags:
        """Windows of that length that may match: all samples usable, not constant."""
        kinds = sliding.window_kinds(self.x, self.usable, length)
        whole: Flags = kinds == sliding.FINE
        if self.compat:
            whole = kinds != sliding.BROKEN
        return whole

    def sets(self) -> Iterator[RawSet]:
        """Visit the diagonals by their hits, and yield a set for every proof."""
        for offset in self._diagonals():
            hits = scaled.diagonal_hits(
                self.x, self.m, self.moments, self.dots, offset, self.alive, self.rule
            )
            at = len(hits) - 1
            while (at := scaled.last_hit(hits, self.alive, at)) >= 0:
                start, extension = self._reach(hits, at, offset)
                for first, longer in self._proofs(hits, start, extension):
                    yield from self._fetch(first, first + offset, longer)
                at = at - offset - 1 if self.compat else start - 1
                at = max(at, -1)

    def _diagonals(self) -> list[int]:
        """Offsets with a hit, most hits first."""
        if self.compat:
            # Ties as in the authors' code, which sorts the far offsets first.
            far_first = self.counts[self.m // 2 :][::-1].astype(np.float64)
            order = len(self.counts) - 1 - np.argsort(far_first)[::-1]
            return [int(offset) for offset in order if self.counts[offset]]
        counts = self.counts.copy()
        counts[: self.m] = 0
        order = np.argsort(-counts, kind="stable")
        return [int(offset) for offset in order[: np.count_nonzero(counts)]]

    def _reach(self, hits: Flags, at: int, offset: int) -> tuple[int, int]:
        """Extend a hit along its diagonal; return its new start and its extension."""
        if self.compat:
            # The column minima decide, and gaps are skipped over.
            low, column = self.profile < self.threshold, at + offset
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
            scaled.pair_distance(self.x, start, start + offset, length, self.pair_rule)
        )

    def _groups(self, start: int, offset: int, extension: int) -> list[Indices]:
        """Split a proof into runs of low profile, merged while they stay alike."""
        series = self.profile[start : start + extension + 1]
        nonzero = series[series != 0]
        if not nonzero.size:
            return []
        median = np.median(nonzero)
        spread = MAD_TO_SIGMA * np.median(np.abs(nonzero - median))
        low = np.flatnonzero(series - median < -SPLIT_DEVIATIONS * spread)
        runs = np.split(low, np.flatnonzero(np.diff(low) > 1) + 1) if low.size else []
        groups: list[Indices] = []
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
        """Yield the segments like either half of a proof, and use them up."""
        length = extension + self.m
        rough = _quick_moments(self.x, length)
        whole = self._whole(length)
        profiles = []
        for start in (first, second):
            profile = scaled.distance_profile(self.x, start, length, rough, self.rule)
            profiles.append(np.where(whole, profile, np.inf))
        starts = self._members(profiles, extension)
        if self.compat or len(starts) > 1:
            self._use_up(starts, extension)
            yield RawSet(first, second, length, tuple(starts))

    def _members(self, profiles: list[Series], extension: int) -> list[int]:
        """Return starts, nearest first, that keep their distance from each other."""
        below = [_lowest_of_runs(one, self.threshold) for one in profiles]
        candidates = np.union1d(*below).tolist()
        nearest = np.minimum(*profiles)
        gap = COMPAT_GAP * (extension + 1) if self.compat else extension + self.m - 1
        starts: list[int] = []
        # A NaN compares with nothing, so only this sort leaves it where theirs does.
        for start in sorted(candidates, key=nearest.tolist().__getitem__):
            if all(abs(start - other) > gap for other in starts):
                starts.append(start)
        return starts

    def _use_up(self, starts: list[int], extension: int) -> None:
        """Bury the windows that belong to the members of a set."""
        length = extension + self.m
        for start in starts:
            if self.compat:
                self.alive[start : start + extension + 1] = False
                continue
            before = self.m - 1 if self.disjoint else 0
            self.alive[max(start - before, 0) : start + length] = False
            if self.disjoint:
                self.usable[start : start + length] = False

    def ranked(self, sets: Iterable[RawSet]) -> list[RawSet]:
        """Sort by prominence, the highest first; ties by size, then as found."""
        keyed = [(-self._prominence(one), -len(one.starts), one) for one in sets]
        return [one for *_, one in sorted(keyed, key=lambda entry: entry[:2])]

    def _prominence(self, one: RawSet) -> float:
        """Mean deviation of the members against that of the windows around them."""
        deviations = [
            np.std(self.x[start : start + one.length]) for start in one.starts
        ]
        half = max(self.n // (2 * NEIGHBOURHOOD), self.m)
        around = slice(max(one.first - half, 0), one.first + half)
        low, median, high = np.quantile(self.moments[1, around], [0.25, 0.5, 0.75])
        spread = high - low if high > low else 1.0
        return float((np.mean(deviations) - median) / spread)


def _quick_moments(x: Series, length: int) -> NDArray[np.float64]:
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


def _lowest_of_runs(profile: Series, threshold: float) -> Indices:
    """Return the lowest position of every run below threshold, the first of equals."""
    below = np.flatnonzero(profile < threshold)
    runs = np.split(below, np.flatnonzero(np.diff(below) > 1) + 1)
    return np.array(
        [run[np.argmin(profile[run])] for run in runs if run.size], dtype=np.int64
    )

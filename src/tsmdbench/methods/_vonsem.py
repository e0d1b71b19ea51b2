"""Proofs of VONSEM: pairs of alike segments on a diagonal, and the sets they give.

See `tsmdbench.methods.vonsem` for the idea, and for how this differs from the authors'
code unless `Rules.compat` is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import sliding, vonsem
from tsmdbench.arrays import Flags
from tsmdbench.methods._progress import each
from tsmdbench.methods.base import Series

Indices = NDArray[np.int64]

# Share of the extension by which starts of members differ in the authors' code.
COMPAT_GAP = 0.9
# Windows whose profile lies this many robust deviations below the median split a proof.
SPLIT_DEVIATIONS = 2
MAD_TO_SIGMA = 1.4826
# Prominence is judged against windows in this share of the series around the proof.
NEIGHBOURHOOD = 3


class Rules(NamedTuple):
    """What counts as alike: the fields of `VONSEM`, with the radius as a threshold."""

    l_min: int
    threshold: float
    scale_cap: float
    pair_scale_cap: float
    compat: bool
    disjoint: bool

    def of(self, cap: float) -> NDArray[np.float64]:
        """Return threshold, cap and clipping as the kernels take them."""
        return np.array([self.threshold, cap, float(not self.compat)])


class RawSet(NamedTuple):
    """Starts of the two halves of a proof, the length, and the starts of its set."""

    first: int
    second: int
    length: int
    starts: tuple[int, ...]


class ProofMatrix:
    """The distances of all windows of `l_min` samples, in summary.

    The summary holds for one rule and several thresholds.
    """

    def __init__(self, rules: Rules, x: Series, thresholds: list[float]) -> None:
        self.m, self.compat = rules.l_min, rules.compat
        self.finite = np.isfinite(x)
        if self.compat:
            self.x = np.where(self.finite, x, 0.0)
        else:
            # A level of 1e6 or a unit of 1e-200 costs the authors' code all digits.
            samples, _ = sliding.prepare(x, self.m)
            self.x = samples[0] - samples[0].mean()
        self.moments = vonsem.plain_moments(self.x, self.m)
        self.dots = vonsem.first_row(self.x, self.m)
        rule = rules.of(rules.scale_cap)
        whole = self.whole(self.finite, self.m)
        self.profile, counts = vonsem.matrix_summary(
            self.x, self.m, self.moments, self.dots, whole, np.array(thresholds), rule
        )
        self.counts = dict(zip(thresholds, counts, strict=True))

    def whole(self, usable: Flags, length: int) -> Flags:
        """Windows of that length that may match: all samples usable, not constant."""
        kinds = sliding.window_kinds(self.x, usable, length)
        whole: Flags = kinds == sliding.FINE
        if self.compat:
            whole = kinds != sliding.BROKEN
        return whole


class ProofSearch:
    """One run over one series: which windows are left, and the sets found so far."""

    def __init__(self, rules: Rules, matrix: ProofMatrix) -> None:
        self.m, self.compat, self.disjoint = (
            rules.l_min,
            rules.compat,
            rules.disjoint,
        )
        self.threshold = rules.threshold
        self.rule = rules.of(rules.scale_cap)
        self.pair_rule = rules.of(rules.pair_scale_cap)
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

    def _groups(self, start: int, offset: int, extension: int) -> list[Indices]:
        """Split a proof into runs of low profile, merged while they stay alike."""
        series = self.matrix.profile[start : start + extension + 1]
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
        whole = self.matrix.whole(self.usable, length)
        profiles = []
        for start in (first, second):
            profile = vonsem.distance_profile(self.x, start, length, rough, self.rule)
            profiles.append(np.where(whole, profile, np.inf))
        starts = self._members(profiles, extension)
        if self.compat or len(starts) > 1:
            self._use_up(starts, extension)
            yield RawSet(first, second, length, tuple(starts))

    def _members(self, profiles: list[Series], extension: int) -> list[int]:
        """Return starts, nearest first, that keep their distance from each other."""
        below = [_lowest_of_runs(one, self.threshold) for one in profiles]
        candidates = np.union1d(*below).tolist()
        gap = COMPAT_GAP * (extension + 1) if self.compat else extension + self.m - 1
        starts: list[int] = []
        for start in self._nearest_first(candidates, np.minimum(*profiles)):
            if all(abs(start - other) > gap for other in starts):
                starts.append(start)
        return starts

    def _nearest_first(self, candidates: list[int], nearest: Series) -> list[int]:
        """Sort by distance; a NaN, which only `compat` lets through, comes last."""
        distances = np.nan_to_num(nearest, nan=np.inf, posinf=np.inf)
        return sorted(candidates, key=distances.tolist().__getitem__)

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
        half = max(len(self.x) // (2 * NEIGHBOURHOOD), self.m)
        around = slice(max(one.first - half, 0), one.first + half)
        low, median, high = np.quantile(
            self.matrix.moments[1, around], [0.25, 0.5, 0.75]
        )
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

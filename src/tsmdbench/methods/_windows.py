"""`Windows`: all windows of one length of a series, and the distances between them.

A thin, readable front of `tsmdbench._kernels`: `Windows.of` prepares a series once,
and every question about distances is then one call. Distances are z-normalised
Euclidean, ``zED = sqrt(2 l (1 - rho))`` in ``[0, 2 sqrt(l)]``; for several channels
the mean of that over the channels.

Conventions
-----------
Windows with NaN or infinite samples are at infinite distance from all, and so are
windows that are constant in all channels, unless they are kept: then they are at
distance 0 from each other and at ``sqrt(l)`` from others. `gap` is the
smallest allowed difference between the starts of two windows: the length, for windows
that do not overlap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.distance import neighbours, profile, sliding
from tsmdbench.methods.base import Series
from tsmdbench.segments import EMPTY
from tsmdbench.types import MotifSet

SLACK = 1e-9  # in scores: more than rounding, for bounds that must not be missed

Starts = NDArray[np.int64]
Distances = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Windows:
    """All windows of `length` samples of a series, ready to be compared."""

    length: int
    samples: NDArray[np.float64]
    tracks: NDArray[np.float64]
    n_jobs: int = 1

    @classmethod
    def of(
        cls, x: Series, length: int, n_jobs: int = 1, *, constant: str = "keep"
    ) -> Windows:
        """Prepare the windows of a checked series, ``float64[n]`` or ``[n, d]``."""
        samples, tracks = sliding.prepare(x, length)
        if constant == "skip":
            flat = (tracks[:, sliding.BIAS] == sliding.CONSTANT_BIAS).all(axis=0)
            tracks[:, sliding.BIAS, flat] = -np.inf
        return cls(length, samples, tracks, n_jobs)

    @property
    def count(self) -> int:
        """Number of windows."""
        return int(self.tracks.shape[2])

    @property
    def channels(self) -> int:
        """Number of channels."""
        return len(self.samples)

    def nearest(
        self, gap: int, floor: Distances | None = None
    ) -> tuple[Distances, Starts]:
        """Return distance and start of each window's nearest neighbour.

        `floor` are scores (see `threshold`), one per window: only neighbours above it
        are looked for. ``inf`` and -1 where there is none.
        """
        return profile.nearest_neighbours(
            self.samples, self.tracks, self.length, gap, self.n_jobs, floor
        )

    def distances(self, start: int) -> Distances:
        """Return the distance of one window to every window."""
        return profile.distance_profile(self.samples, self.tracks, self.length, start)

    def matches_apart(
        self, radii: list[float], gap: int, wanted: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return size and spread, one row per radius, of each window's match list.

        The list is chosen nearest first, its members `gap` apart; see
        `_kernels.distance.neighbours.count_apart`. Windows that are not `wanted` get 0.
        """
        return neighbours.count_apart(
            self.samples,
            self.tracks,
            self.length,
            gap,
            self.threshold(np.array(radii, dtype=np.float64)),
            self.n_jobs,
            wanted,
        )

    def near_to_any(
        self, some: NDArray[np.bool_], others: NDArray[np.bool_], radius: float
    ) -> NDArray[np.bool_]:
        """Mark those of `some` within the radius, or a little more, of any other."""
        return neighbours.near_to_any(
            self.samples,
            self.tracks,
            self.length,
            some,
            others,
            self.threshold(radius) - SLACK,
        )

    def matches_within(
        self, radius: float, gap: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return how many windows are within the radius of each, and their spread."""
        sizes = np.zeros(self.count, np.int64)
        spreads = np.zeros(self.count)
        threshold = self.threshold(radius)
        wanted = np.asarray(np.isfinite(self.tracks[:, sliding.BIAS]).all(axis=0))
        if self.channels == 1 and threshold > sliding.CONSTANT_BIAS:
            # Constant windows are at distance 0 from each other, and match no other.
            constant = self.tracks[0, sliding.BIAS] == sliding.CONSTANT_BIAS
            sizes[constant] = _farther(constant, gap)[constant]
            wanted &= ~constant
        for top, scores in neighbours.scored_strips(
            self.samples, self.tracks, self.length, wanted
        ):
            for row in top + np.flatnonzero(wanted[top : top + len(scores)]):
                near = np.flatnonzero(scores[row - top] >= threshold)
                near = near[abs(near - row) >= gap]
                if near.size:
                    distances = sliding.to_distance(
                        scores[row - top, near], self.length, self.channels
                    )
                    sizes[row], spreads[row] = near.size, distances.std()
        return sizes, spreads

    def threshold(self, radius: Any) -> Any:
        """Return the score that windows within `radius` of each other reach."""
        return sliding.to_score(radius, self.length, self.channels)

    def without(self, starts: Starts) -> Windows:
        """Return the windows without those that overlap windows at `starts`."""
        tracks = self.tracks.copy()
        taken = overlapping(starts, self.count, self.length)
        tracks[:, sliding.BIAS, taken] = -np.inf
        return replace(self, tracks=tracks)


def overlapping(starts: Starts, count: int, gap: int) -> NDArray[np.bool_]:
    """Mark the window starts that are less than `gap` away from one of `starts`."""
    return _between(starts - gap, starts + gap, count)


def clashing(found: list[MotifSet], count: int, length: int) -> NDArray[np.bool_]:
    """Mark the windows of `length` that share a sample with a set found before."""
    starts, ends = np.concatenate([EMPTY, *(motifs.segments for motifs in found)]).T
    return _between(starts - length, ends, count)


def _between(before: Starts, after: Starts, count: int) -> NDArray[np.bool_]:
    """Mark the windows that start between two places of any pair, both exclusive."""
    steps = np.zeros(count + 1, np.int64)
    np.add.at(steps, np.clip(before + 1, 0, count), 1)
    np.add.at(steps, np.clip(after, 0, count), -1)
    return np.cumsum(steps)[:count] > 0


def _farther(marked: NDArray[np.bool_], gap: int) -> NDArray[np.int64]:
    """Count, for every window, the marked ones at least `gap` away from it."""
    before = np.concatenate([[0], np.cumsum(marked)])
    starts = np.arange(len(marked))
    left = before[np.maximum(starts - gap + 1, 0)]
    right = before[-1] - before[np.minimum(starts + gap, len(marked))]
    return np.asarray(left + right, dtype=np.int64)


def choose_apart(
    distances: Distances, radius: float, gap: int, limit: int | None = None
) -> Starts:
    """Choose windows within `radius` (inclusive), nearest first, `gap` apart.

    Examples
    --------
    >>> choose_apart(np.array([0.0, 0.1, 3.0, 0.5, 0.4]), 1.0, 2)
    array([0, 4])
    """
    most = len(distances) if limit is None else limit
    return neighbours.choose_apart(distances, radius, gap, most)


def gap_of(exclusion: float, length: int) -> int:
    """Return the smallest allowed gap for an exclusion zone in fractions of a window.

    Starts that differ by less than ``exclusion * length`` are the same motif; a gap of
    0 would compare a window with itself, so it is at least 1.

    >>> gap_of(0.5, 9), gap_of(1.0, 9), gap_of(0.0, 9)
    (5, 9, 1)
    """
    return max(1, math.ceil(exclusion * length))

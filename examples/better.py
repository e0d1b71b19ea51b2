"""The same method, improved: every start, every channel, shape only."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import cdist

from tsmdbench import MotifSet


@dataclass(frozen=True)
class Better:
    """The two most similar windows, and what is nearly as similar."""

    length: int
    max_sets: int = 3
    factor: float = 1.5

    grid: ClassVar = {"factor": [1.1, 1.2, 1.3, 1.5, 2.0]}  # what tuning tries

    def find(self, series):
        """Return the motif sets of a series, the best first."""
        series = np.asarray(series, dtype=float)
        x = series[:, None] if series.ndim == 1 else series
        starts = np.arange(len(x) - self.length + 1)
        windows = np.stack([self._shape(x[s : s + self.length]) for s in starts])
        distances = cdist(windows, windows)
        near = np.abs(starts[:, None] - starts) < self.length
        distances[near] = np.inf  # a window is not a copy of itself
        found = []
        while len(found) < self.max_sets and np.isfinite(distances).any():
            first = np.unravel_index(distances.argmin(), distances.shape)[0]
            radius = self.factor * distances[first].min()
            members = self._apart(distances[first], first, radius)
            found.append(MotifSet.from_starts(starts[members], self.length))
            for member in members:
                taken = np.abs(starts - starts[member]) < self.length
                distances[taken] = distances[:, taken] = np.inf
        return tuple(found)

    def _shape(self, window):
        """Take level and scale away, of all channels together."""
        return ((window - window.mean(axis=0)) / window.std()).ravel()

    def _apart(self, row, first, radius):
        """Return the windows within the radius, none overlapping."""
        members = [first]
        for other in np.argsort(row, kind="stable"):
            if row[other] > radius:
                break
            if all(abs(other - member) >= self.length for member in members):
                members.append(other)
        return sorted(members)

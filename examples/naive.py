"""A first method: the two most similar windows, and the windows similar to them."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from tsmdbench import MotifSet


@dataclass(frozen=True)
class Naive:
    """The two most similar windows, and what is nearly as similar."""

    length: int
    max_sets: int = 3
    factor: float = 2.0

    def find(self, series):
        """Return the motif sets of a series, the best first."""
        series = np.asarray(series, dtype=float)
        x = series if series.ndim == 1 else series[:, 0]  # the first channel
        starts = np.arange(0, len(x) - self.length + 1, self.length)
        windows = np.stack([x[start : start + self.length] for start in starts])
        distances = cdist(windows, windows)
        np.fill_diagonal(distances, np.inf)
        found = []
        while len(found) < self.max_sets and np.isfinite(distances).any():
            first = np.unravel_index(distances.argmin(), distances.shape)[0]
            radius = self.factor * distances[first].min()
            members = np.flatnonzero(distances[first] <= radius)
            members = np.sort(np.append(members, first))
            found.append(MotifSet.from_starts(starts[members], self.length))
            distances[members] = distances[:, members] = np.inf
        return tuple(found)

"""LAMA by its authors, for `tsmdbench run --with leitmotif==0.3.5`."""

# /// script
# dependencies = ["leitmotif==0.3.5"]
# ///

from dataclasses import dataclass
from typing import ClassVar, Optional

import numpy as np
from leitmotifs.lama import LAMA


@dataclass(frozen=True)
class LeitmotifLAMA:
    """The leitmotifs at the elbows, largest first, in the best `n_dims` channels."""

    length: int
    k_max: int
    max_sets: int = 3
    n_dims: Optional[int] = None  # noqa: UP045 (also for Python 3.9)

    univariate: ClassVar = False
    variable_length: ClassVar = "no"

    def find(self, series):
        """Return the motif sets of a series, the largest first."""
        rows = np.atleast_2d(np.ascontiguousarray(series.T))
        model = LAMA("series", rows, n_dims=self.n_dims, n_jobs=1)
        model.fit_k_elbow(
            self.k_max, self.length, plot_elbows=False, plot_motifsets=False
        )
        sizes = sorted((int(k) for k in model.elbow_points), reverse=True)
        found = [sorted(int(s) for s in model.leitmotifs[k]) for k in sizes]
        return [[(s, s + self.length) for s in starts] for starts in found][
            : self.max_sets
        ]

"""LAMA with the rule of motiflets for elbows, for `tools.compare_originals`.

Both packages drop an elbow if many of its windows lie near those of a larger one. In
leitmotif 0.3.5 near is below a quarter of the length, and many is half, rounded up; in
motiflets 0.8.0, which ours follows, a third of the length, and half, rounded down.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "wrappers"))

from leitmotif_lama import LeitmotifLAMA
from leitmotifs import lama


def unique(smaller, larger, length):
    """Tell whether fewer windows than half lie within a third of the length."""
    nearest = np.abs(np.subtract.outer(smaller, larger)).min(axis=1)
    return np.count_nonzero(nearest < length // 3) < max(len(smaller) // 2, 1)


@dataclass(frozen=True)
class LAMALikeMotiflets(LeitmotifLAMA):
    """Elbows are dropped as motiflets drops them."""

    def find(self, series):
        """Return the motif sets of a series, the largest first."""
        lama._check_unique = unique
        return super().find(series)

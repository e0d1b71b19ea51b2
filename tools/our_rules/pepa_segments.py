"""PEPA of tsmd with a stable sort and whole segments, for `tools.compare_originals`.

numpy's default sort is unstable: in which order it leaves equal values depends on the
length of the array and on the processor. Every edge in time has the weight of another
one, so the result of tsmd depends on that order. Here the same code sorts stably. Each
segment gets back the sample that tsmd loses at each of its ends.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "wrappers"))

from tsmd.tools import neighborhood, post_processing
from tsmd_methods import TsmdPEPA


class Stable:
    """numpy, but with a stable sort."""

    def __getattr__(self, name):
        return getattr(np, name)

    def argsort(self, values):
        """Return the order of values; equal ones stay as they were."""
        return np.argsort(values, kind="stable")


@dataclass(frozen=True)
class WholePEPA(TsmdPEPA):
    """Edges and windows of equal distance are in the order of their starts."""

    def find(self, series):
        """Return the motif sets of a series."""
        neighborhood.np = post_processing.np = Stable()
        found = super().find(series)
        return [[(start - 1, end + 1) for start, end in one] for one in found]

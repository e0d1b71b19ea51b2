"""Originals with our rule for ties, for `tools.compare_originals`.

numpy's default sort is unstable: in which order it leaves equal values depends on the
length of the array and on the processor. Where an original sorts values of which many
are equal, its result depends on that order. These classes run the same code of the
package with a stable sort, which is our rule. Where that gives our result, the
difference to the original as it is comes from ties alone.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "wrappers"))

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
class StablePEPA(TsmdPEPA):
    """PEPA of tsmd with edges and windows of equal distance in the order of starts."""

    def find(self, series):
        """Return the motif sets of a series."""
        neighborhood.np = post_processing.np = Stable()
        return super().find(series)

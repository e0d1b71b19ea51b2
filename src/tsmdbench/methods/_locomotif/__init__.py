"""LoCo: local warping paths along which a series is similar to itself.

Samples i and j are similar by ``exp(-gamma ||x_i - x_j||^2)``. A threshold, the
`rho`-quantile of all similarities, separates matches from gaps: along a path a match
adds its similarity, a gap halves what was gathered and takes off twice the threshold.
Paths are taken greedily, the one that gathered most first; each keeps others out of its
vicinity.

Conventions
-----------
* All values are float32 and computed in the order of operations of the authors'
  release, so that thresholds, values and comparisons agree with it bit for bit.
* Of equally large ends the latest comes first: the highest row, then the highest
  column.
"""

from tsmdbench.methods._locomotif.choosing import Choice, choose_motif_sets
from tsmdbench.methods._locomotif.paths import Paths, find_paths
from tsmdbench.methods._locomotif.similarities import Similarities
from tsmdbench.methods._locomotif.storage import Storage
from tsmdbench.methods._locomotif.threads import Check, Threads, interruptible

__all__ = [
    "Check",
    "Choice",
    "Paths",
    "Similarities",
    "Storage",
    "Threads",
    "choose_motif_sets",
    "find_paths",
    "interruptible",
]

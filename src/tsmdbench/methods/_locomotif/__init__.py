"""LoCo: local warping paths along which a series is similar to itself.

Samples i and j are similar by ``exp(-gamma ||x_i - x_j||^2)``. A threshold, the
`rho`-quantile of all similarities, tells matches from gaps: along a path a match adds
its similarity, a gap halves what was gathered and takes off twice the threshold. Paths
are taken greedily, the one that gathered most first; each keeps others out of its
vicinity.

Conventions
-----------
* All values are float32 and computed in the order of operations of the authors'
  release, so that thresholds, values and comparisons agree with it bit for bit.
* Of equally large ends the latest comes first: the highest row, then the highest
  column.
* Neither similarities nor what paths gather are held for all cells. Rows are computed a
  strip at a time, forward in time to lay checkpoints, then backward from these. What is
  held of a cell is one byte (see `_kernels.locomotif.links`): for all cells of a series
  of up to about 11,000 samples, beyond that in chunks that can matter to a long path.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel: LoCoMotif: discovering
time-warped motifs in time series. Data Mining and Knowledge Discovery 38, 2024.
https://doi.org/10.1007/s10618-024-01032-z
"""

from tsmdbench.methods._locomotif.choosing import Choice, choose_motif_sets
from tsmdbench.methods._locomotif.linking import Scratch
from tsmdbench.methods._locomotif.paths import Paths, find_paths
from tsmdbench.methods._locomotif.similarities import Similarities

__all__ = [
    "Choice",
    "Paths",
    "Scratch",
    "Similarities",
    "choose_motif_sets",
    "find_paths",
]

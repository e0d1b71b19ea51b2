"""Step 1 of PROM: for each true motif, the found sets that overlap it best."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from tsmdbench.arrays import Integers
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.overlap import above, rate_order


class BestFound(NamedTuple):
    """For each true motif the found sets that reach its best overlap rate."""

    motif: Integers  # position of the true motif, ascending
    column: Integers  # the found set, ascending for one motif
    segment: Integers  # a found segment of that set with the best rate


def best_found(batch: Batch, threshold: Fraction) -> BestFound:
    """Keep for each true motif its best matchable segments, one per found set."""
    pairs = batch.close
    pairs = pairs.where(above(pairs, threshold))
    motif, segment = pairs.truth, pairs.found
    if len(motif) and np.bincount(motif).max() > 1:
        order = rate_order(pairs)
        best = np.full(len(batch.truth.owner), -1.0)
        np.maximum.at(best, motif, order)
        top = order == best[motif]
        motif, segment = motif[top], segment[top]
    column = batch.found.owner[segment]
    by_motif = np.argsort(motif, kind="stable")  # pairs come sorted by found segment
    motif, column, segment = motif[by_motif], column[by_motif], segment[by_motif]
    new = np.ones(len(motif), dtype=np.bool_)
    new[1:] = (motif[1:] != motif[:-1]) | (column[1:] != column[:-1])
    if np.count_nonzero(new) == len(new):
        return BestFound(motif, column, segment)
    return BestFound(motif[new], column[new], segment[new])

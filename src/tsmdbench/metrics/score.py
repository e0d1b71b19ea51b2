r"""Score: a cost, lower is better, of the cheapest two-level matching.

True and found sets are matched, and inside each pair of sets their motifs. Two
matched motifs cost the difference of their starts (only overlapping segments can
match); an unmatched motif costs its length. Motifs of true sets without partner
always cost their length, those of found sets without partner on request. The score
is the lowest total.

Conventions
-----------
Sets are matched in ``min(g, d)`` pairs, as for PROM. Matching two motifs saves
:math:`|a| + |b| - |start_a - start_b| > 0` against leaving both unmatched, so the
cheapest matching is the one that saves most: per pair of sets a maximum-weight
matching in the graph of overlapping intervals. That graph falls into small connected
components, which are solved one by one; no table of all pairs of motifs is made.

The value is a whole number of samples; it grows with the number and length of the
motifs and is 0 only when all starts agree. Nothing found: the sum of the lengths of
all true motifs.

Departures
----------
The authors' description does not say what sets without partner cost; this is the
reading of section 6.1 of [2]_. The public code of [2]_ matches the sets first and
adds the cost of those left over afterwards, so that it can miss the cheapest total;
here the total itself is minimised.

References
----------
.. [1] A. Bagnall, J. Hills, J. Lines, "Finding motif sets in time series", 2014,
   arXiv:1407.3685.
.. [2] D. Van Wesenbeeck et al., "Quantitative Evaluation of Motif Sets in Time
   Series", 2024, arXiv:2412.09346.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.metrics._batch.assignment import add_up, highest_totals
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.components import heaviest_matchings
from tsmdbench.metrics._batch.matching import EXACT_FLOAT
from tsmdbench.validation import check_flag, check_motif_sets, check_truth


def score(truth: Any, found: Any, *, penalize_off_target: bool = False) -> float:
    """Return the score, a cost in samples: lower is better.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    penalize_off_target : bool, default False
        Whether motifs of found sets without partner cost their lengths.

    Returns
    -------
    float
        A whole number from 0 (best) upwards, without bound.

    Examples
    --------
    A start that is two samples late, and a motif of ten samples missed:

    >>> score([[(0, 10), (20, 30)]], [[(2, 12)]])
    12.0

    Only starts are compared, so a wrong length costs nothing:

    >>> score([[(0, 10)]], [[(0, 90)]])
    0.0
    """
    batch = Batch([check_truth(truth)], [check_motif_sets(found, "found")])
    values = score_of(batch, penalize_off_target=penalize_off_target)
    return float(values["score"][0])


def score_of(
    batch: Batch, *, penalize_off_target: bool = False
) -> dict[str, NDArray[np.float64]]:
    """Return the score of every problem of a batch."""
    check_flag(penalize_off_target, "penalize_off_target")
    true, found = batch.truth, batch.found
    everything = add_up(true.problem, true.lengths, batch.size)
    everything += add_up(found.problem, found.lengths, batch.size)
    saved = savings(batch)
    if not penalize_off_target:
        # A found set that is left over costs nothing, so taking it costs its length.
        optional = batch.shapes.columns > batch.shapes.rows
        lengths = found.lengths * optional[found.problem]
        saved -= lengths[batch.cell_column]
        everything -= add_up(found.problem, lengths, batch.size)
    whole = bool(everything.max() < EXACT_FLOAT)
    return {"score": everything - highest_totals(saved, batch.shapes, whole=whole)}


def savings(batch: Batch) -> NDArray[np.float64]:
    """Return for each pair of sets what matching their motifs saves at most."""
    pairs = batch.touching
    true_starts = batch.truth.segments[pairs.truth, 0]
    found_starts = batch.found.segments[pairs.found, 0]
    # |a| + |b| is what both cover together, what they share counted twice.
    weight = pairs.common + pairs.joint - np.abs(true_starts - found_starts)
    first, saved = heaviest_matchings(*batch.nodes(pairs), weight)
    cell = batch.cell(
        batch.truth.owner[pairs.truth[first]], batch.found.owner[pairs.found[first]]
    )
    return add_up(cell, saved, batch.cells)

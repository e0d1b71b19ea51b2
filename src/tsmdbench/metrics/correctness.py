r"""Correctness: how much of the true motifs is overlapped.

For each matched pair of sets the overlap rates above the threshold are summed over
all pairs of their segments and divided by the number of true segments; the mean over
the pairs is

.. math:: C_m = \frac{1}{m} \sum_{i=1}^{m} \frac{1}{|G_i|}
          \sum \{ OR(a, b) : b \in G_i, a \in M_{\pi(i)}, OR(a, b) > t \}

with the matching that maximises it. :math:`C_g` divides by the number of true sets
instead of the number of pairs, so that a true set without partner counts as 0.

Conventions
-----------
The value is not bounded by 1: a true segment that is found several times counts
several times. False positives cost nothing. Nothing found: 0.0.

References
----------
.. [1] D. Van Wesenbeeck et al., "Quantitative Evaluation of Motif Sets in Time
   Series", 2024, arXiv:2412.09346, section 6.1 (the definition followed here, which
   names the origin of the metric and assumes the matching that maximises it).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.metrics.batch import Batch, highest_total, sums
from tsmdbench.metrics.prom import matchable
from tsmdbench.validation import (
    check_choice,
    check_motif_sets,
    check_threshold,
    check_truth,
)


def correctness(
    truth: Any,
    found: Any,
    *,
    threshold: float = 0.5,
    normalize: Literal["matched", "truth"] = "matched",
) -> float:
    """Return the correctness of found motif sets.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    threshold : float, default 0.5
        Overlap rate that counts when exceeded, in ``[0.5, 1)``.
    normalize : {"matched", "truth"}, default "matched"
        Divide by the number of pairs (C_m) or of true sets (C_g).

    Returns
    -------
    float
        At least 0, higher is better, 1 for equal sets; **may exceed 1**. 0.0 when
        nothing was found.

    Examples
    --------
    >>> correctness([[(0, 10), (20, 30)]], [[(0, 10), (21, 31)]])
    0.9090909090909092

    A motif that is found twice increases the value, and a false positive does not lower
    it:

    >>> correctness([[(0, 10), (20, 30)]], [[(0, 10), (0, 10), (20, 30), (70, 80)]])
    1.5
    """
    check_choice(normalize, "normalize", ("matched", "truth"))
    batch = Batch.of_one(check_truth(truth), check_motif_sets(found, "found"))
    values = correctness_of(batch, threshold=threshold)
    key = "correctness_m" if normalize == "matched" else "correctness_g"
    return float(values[key][0])


def correctness_of(batch: Batch, *, threshold: float = 0.5) -> dict[str, Floats]:
    """Return both variants for every problem of a batch."""
    pairs = matchable(batch, check_threshold(threshold))
    cells = batch.cells(pairs.truth, pairs.found)
    # Rates above one half are multiples of 2**-53, so that their first 26 digits and
    # the other 27 can each be added exactly, up to 2**26 rates.
    coarse = np.floor(pairs.rate * 2**26) / 2**26
    parts = coarse, pairs.rate - coarse
    added = sum(sums(cells.place, part, len(cells.row)) for part in parts)
    totals = np.zeros(batch.size)
    for problem, (rows, columns, rates) in cells.tables(np.asarray(added)):
        sizes = batch.truth.sizes[batch.truth.first_set[problem] :]
        table = np.zeros((batch.rows[problem], batch.columns[problem]))
        table[rows, columns] = np.array(rates) / sizes[rows]
        totals[problem] = highest_total(table)
    matched = np.maximum(np.minimum(batch.rows, batch.columns), 1)
    return {"correctness_m": totals / matched, "correctness_g": totals / batch.rows}

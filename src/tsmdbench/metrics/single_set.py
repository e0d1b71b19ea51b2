r"""Precision and recall of one found set against one true set.

The oldest way to score motif discovery: every found motif that is *similar in time*
to some true motif is matched. Precision is the share of the found motifs that are
matched, recall the share of the true motifs that are.

.. math:: P = \frac{|\{a : \exists b,\; a \sim b\}|}{|M|}, \qquad
          R = \frac{|\{b : \exists a,\; a \sim b\}|}{|G|}

Conventions
-----------
Two notions of *similar* are in use: ``"half"``, the two overlap by more than half of
their lengths (of each, where they differ), and ``"sample"``, they share one sample.
The match is not one to one, as in the studies that use it: two found motifs on one
true motif are both precise. Nothing found: all values 0.0.

Departures
----------
Defined for one true and at most one found set; several sets raise, since there is
no agreed way to add them up. That gap is what PROM fills.

References
----------
.. [1] A. Bagnall, J. Hills, J. Lines, "Finding motif sets in time series", 2014,
   arXiv:1407.3685.
.. [2] H. A. Dau, E. Keogh, "Matrix Profile V: a generic technique to incorporate
   domain knowledge into motif discovery", KDD 2017, doi:10.1145/3097983.3097993.
.. [3] P. Schäfer, U. Leser, "Motiflets: simple and accurate detection of motifs in
   time series", PVLDB 16(4), 2022, doi:10.14778/3574245.3574257.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.metrics.batch import Batch, ProblemError, Side
from tsmdbench.metrics.prom_result import Averages
from tsmdbench.validation import check_choice, check_motif_sets, check_truth

NAMES = ("precision", "recall", "f1")


def single_set(
    truth: Any, found: Any, *, similar: Literal["half", "sample"] = "half"
) -> Averages:
    """Return precision, recall and F1 of one found set against one true set.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        One true set; one found set or none.
    similar : {"half", "sample"}, default "half"
        When two motifs count as similar: overlap of more than half of each one's
        length, or one common sample.

    Returns
    -------
    Averages
        Each value in [0, 1], 1 is best; 0.0 when nothing was found.

    Raises
    ------
    InputError
        There is more than one true or found set.

    Examples
    --------
    >>> single_set([[(0, 10), (20, 30)]], [[(1, 11), (50, 60)]])
    Averages(precision=0.5, recall=0.5, f1=0.5)
    >>> single_set([[(0, 10)]], [[(9, 19)]], similar="sample").f1
    1.0
    """
    check_choice(similar, "similar", ("half", "sample"))
    batch = Batch.of_one(check_truth(truth), check_motif_sets(found, "found"))
    return Averages(*(float(values[0]) for values in _averages(batch, similar)))


def single_set_of(batch: Batch) -> dict[str, Floats]:
    """Return all six values for every problem of a batch."""
    return {
        f"{prefix}_{name}": values
        for prefix, similar in (("single_set", "half"), ("single_set_sample", "sample"))
        for name, values in zip(NAMES, _averages(batch, similar), strict=True)
    }


def _averages(batch: Batch, similar: str) -> tuple[Floats, Floats, Floats]:
    """Return precision, recall and F1 for every problem of a batch."""
    for name, counts in (("truth", batch.rows), ("found", batch.columns)):
        if len(several := np.flatnonzero(counts > 1)):
            problem = int(several[0])
            raise ProblemError(
                problem,
                f"{name} has {counts[problem]} sets; single-set precision and recall "
                f"are defined for one, so use prom",
            )
    pairs = batch.touching
    if similar == "half":
        true, found = batch.truth.lengths, batch.found.lengths
        longer = np.maximum(true[pairs.truth], found[pairs.found])
        pairs = pairs.where(2 * pairs.common > longer)
    precision = _share_of(batch.found, pairs.found, batch.size)
    recall = _share_of(batch.truth, pairs.truth, batch.size)
    total = precision + recall
    f1 = 2 * precision * recall / np.where(total > 0, total, 1)
    return precision, recall, f1


def _share_of(side: Side, matched: Integers, problems: int) -> Floats:
    """Return for each problem the share of its motifs that are matched."""
    of_problem = side.problem[side.owner]
    sizes = np.bincount(of_problem, minlength=problems)
    hits = np.bincount(of_problem[np.unique(matched)], minlength=problems)
    shares: Floats = hits / np.maximum(sizes, 1)
    return shares

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

from tsmdbench.errors import InputError
from tsmdbench.metrics._batch.overlap import overlapping_pairs
from tsmdbench.metrics.prom_result import Averages
from tsmdbench.validation import check_choice, check_motif_sets, check_truth


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
    true_sets = check_truth(truth)
    found_sets = check_motif_sets(found, "found")
    for name, sets in (("truth", true_sets), ("found", found_sets)):
        if len(sets.sets) > 1:
            raise InputError(
                f"{name} has {len(sets.sets)} sets; single-set precision and recall "
                f"are defined for one, so use prom"
            )
    pairs = overlapping_pairs(true_sets.segments, found_sets.segments)
    if similar == "half":
        lengths = [np.diff(s.segments, axis=1)[:, 0] for s in (true_sets, found_sets)]
        longer = np.maximum(lengths[0][pairs.truth], lengths[1][pairs.found])
        pairs = pairs.where(2 * pairs.common > longer)
    hits, size = len(np.unique(pairs.found)), len(found_sets.segments)
    precision = hits / size if size else 0.0
    recall = len(np.unique(pairs.truth)) / len(true_sets.segments)
    total = precision + recall
    return Averages(precision, recall, 2 * precision * recall / total if total else 0.0)

r"""Overlap of motif pairs: earlier metrics for sets of exactly two motifs.

A true pair and a found pair overlap by the mean overlap of their motifs, taken the
better way round of the two. Each true pair is matched with a found pair of its own,
greedily: the two pairs that overlap most are matched first, then the most
overlapping of those left. The value is the mean over the true pairs,

.. math:: \frac{1}{g} \sum_{i=1}^{g} \frac{o(b_{i1}, a_{i1}) + o(b_{i2}, a_{i2})}{2}

where a true pair without partner counts as 0. The two metrics differ in what a
common sample is related to:

``pair_overlap_gao``
    after Gao and Lin: :math:`o = |a \cap b| / |a \cup b|`, so both a shift and a
    wrong length lower it;
``pair_overlap_nunthanid``
    after Nunthanid et al.: :math:`o = |a \cap b| / |b|`, the share of the true motif
    that was detected, so a found motif that is too long is not punished.

Departures
----------
Both papers describe the measure in words, for their own experiments. What is taken
from them is the common ground that [1]_ gives: pairs only, overlap in time, greedy
matching, no cost for false positives. The order of the greedy matching (largest
overlap first, remaining ties by content) is ours, so that the value does not depend
on the order of the input.

References
----------
.. [1] D. Van Wesenbeeck et al., "Quantitative Evaluation of Motif Sets in Time
   Series", 2024, arXiv:2412.09346, section 3.2.
.. [2] Y. Gao, J. Lin, "Exploring variable-length time series motifs in one hundred
   million length scale", Data Mining and Knowledge Discovery 32, 2018,
   doi:10.1007/s10618-018-0570-1.
.. [3] P. Nunthanid, V. Niennattrakul, C. A. Ratanamahatana, "Parameter-free motif
   discovery for time series data", ECTI-CON, 2012.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from tsmdbench.errors import InputError
from tsmdbench.metrics.batch import Side
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_motif_sets, check_truth

PAIR = 2
Relation = Literal["union", "truth"]


def pair_overlap(truth: Any, found: Any, *, relative_to: Relation = "union") -> float:
    """Return the mean overlap of true motif pairs with found ones.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        Every set has exactly two motifs.
    relative_to : {"union", "truth"}, default "union"
        What the common samples of two motifs are divided by: all samples of either
        (Gao and Lin), or those of the true one (Nunthanid et al.).

    Returns
    -------
    float
        In [0, 1], 1 is best; 0.0 when nothing was found.

    Raises
    ------
    InputError
        A set has more or fewer than two motifs.

    Examples
    --------
    >>> pair_overlap([[(0, 10), (20, 30)]], [[(20, 30), (0, 5)]])
    0.75

    A found motif that is far too long detects the whole true one:

    >>> pair_overlap([[(0, 10), (20, 30)]], [[(0, 19), (20, 30)]], relative_to="truth")
    1.0
    """
    check_choice(relative_to, "relative_to", ("union", "truth"))
    true_sets = check_truth(truth)
    found_sets = check_motif_sets(found, "found")
    for name, sets in (("truth", true_sets), ("found", found_sets)):
        for label, motifs in zip(sets.labels, sets.sets, strict=True):
            if len(motifs) != PAIR:
                raise InputError(
                    f"{name}, set {label!r} has {len(motifs)} motifs; pair overlap is "
                    f"defined for pairs only, so use prom or correctness"
                )
    true, found = (
        [sets.sets[place] for place in Side.of([sets]).by_content().places]
        for sets in (true_sets, found_sets)
    )
    table = {
        (i, j): _overlap(b, a, relative_to)
        for i, b in enumerate(true)
        for j, a in enumerate(found)
    }
    # Greedily, the most overlapping first; the sort is stable: ties go by content.
    total, rows, columns = Fraction(0), set(), set()
    for i, j in sorted(table, key=lambda cell: -table[cell]):
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            total += table[i, j]
    return float(total / len(true))


def _overlap(true: MotifSet, found: MotifSet, relative_to: Relation) -> Fraction:
    """Return the mean overlap of two pairs, the better way round."""
    ways = [
        sum(_rate(true[k], found[k ^ swap], relative_to) for k in range(PAIR))
        for swap in (0, 1)
    ]
    return Fraction(max(ways)) / PAIR


def _rate(b: tuple[int, int], a: tuple[int, int], relative_to: Relation) -> Fraction:
    common = max(0, min(a[1], b[1]) - max(a[0], b[0]))
    true_length = b[1] - b[0]
    if relative_to == "truth":
        return Fraction(common, true_length)
    return Fraction(common, true_length + a[1] - a[0] - common)

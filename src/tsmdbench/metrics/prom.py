r"""PROM: precision and recall under optimal matching of motif sets.

The idea: true and found motifs are matched by their overlap in time; true and found
*sets* are matched one to one so that as many motifs as possible agree; precision and
recall then count the motifs inside the matched pairs.

1. *Motifs.* A found segment is matchable with a true one when their overlap rate
   :math:`|a \cap b| / |a \cup b|` is strictly above the threshold. Each true segment
   takes the found segment with the highest rate.
2. *Sets.* ``m = min(g, d)`` pairs of true and found sets are formed to maximise the
   number of matched motifs inside them. The **matching matrix** counts for each
   true set (row) and found set (column) their matched motifs; a last column counts
   true motifs that nothing matches, a last row found motifs that match nothing.
3. *Numbers.* The diagonal has the true positives; the rest of a row are false
   negatives, the rest of a column false positives:

   .. math:: P = \frac{TP}{TP + FP}, \quad R = \frac{TP}{TP + FN}, \quad
             F_1 = \frac{2 P R}{P + R}

Conventions
-----------
* Truth has at least one set, no set is empty, and no two true segments overlap.
  Found may overlap, repeat, and hold empty sets; an empty set has no motifs, and its
  precision is 0.
* F1 is 0 when there is no true positive. When nothing is found, precision, recall
  and F1 are 0.0.
* A found set that no true set is matched with is *off target*. Its motifs count as
  false positives only with ``penalize_off_target=True``.
* Micro averages (the default) sum the counts over the pairs; macro averages take the
  mean of each pair's values, a true set without partner counting as 0.

Departures
----------
The paper leaves ties open, and in the authors' code they make the result depend on
the order of the sets. Here a true motif whose best rate is reached in several found
sets may count for any one of them, the matching of sets is chosen by the rules of
`tsmdbench.metrics._batch.matching`, and remaining ties are broken by the content of the
sets: no reported number depends on the order of sets, of segments or of labels.

References
----------
.. [1] D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation
   of Motif Sets in Time Series", 2024, arXiv:2412.09346.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from tsmdbench.arrays import Integers
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.best_found import BestFound, best_found
from tsmdbench.metrics._batch.matching import match_sets
from tsmdbench.metrics.prom_result import Prom
from tsmdbench.types import MotifSets
from tsmdbench.validation import (
    check_flag,
    check_motif_sets,
    check_threshold,
    check_truth,
)


def prom(
    truth: Any,
    found: Any,
    *,
    threshold: float = 0.5,
    penalize_off_target: bool = False,
    n: int | None = None,
) -> Prom:
    """Compare found motif sets with the true ones.

    Parameters
    ----------
    truth, found : mapping, sequence of sequences, arrays, MotifSets, or a file
        The true motif sets, and those that a method returned.
    threshold : float, default 0.5
        Overlap rate that a match must exceed, in ``[0.5, 1)``. It is treated as an
        exact decimal number: a rate of 7/10 does not exceed 0.7.
    penalize_off_target : bool, default False
        Whether motifs of found sets without a partner are false positives.
    n : int, optional
        Length of the series. If given, no segment may end after it.

    Returns
    -------
    Prom
        Counts, micro and macro averages, matching matrix, matched pairs. Every
        average lies in [0, 1]; 1 is best; all are 0.0 when nothing was found.

    Raises
    ------
    InputError
        Truth is empty or overlaps, a segment is malformed, or the threshold is out
        of range.

    Examples
    --------
    One of three found motifs lies elsewhere:

    >>> result = prom([[(0, 10), (50, 60)]], [[(1, 11), (50, 60), (80, 90)]])
    >>> result
    Prom(precision=0.667, recall=1.0, f1=0.8, tp=2, fp=1, fn=0)

    A second found set is off target; it costs precision only on request:

    >>> two = [[(0, 10), (50, 60)], [(20, 30), (70, 80)]]
    >>> prom([[(0, 10), (50, 60)]], two).precision
    1.0
    >>> prom([[(0, 10), (50, 60)]], two, penalize_off_target=True).precision
    0.5
    """
    true_sets = check_truth(truth, n=n)
    found_sets = check_motif_sets(found, "found", n=n)
    return Comparison(true_sets, found_sets).at(
        check_threshold(threshold),
        penalize_off_target=check_flag(penalize_off_target, "penalize_off_target"),
    )


class Comparison:
    """One truth and one found, with the work that all thresholds share.

    Sets are held in an order that depends on their content alone, see
    `tsmdbench.metrics._batch.flat`.
    """

    def __init__(self, truth: MotifSets, found: MotifSets) -> None:
        self._batch = Batch([truth], [found])
        self._row_place = self._batch.truth.places
        self._truth = truth.reordered(self._batch.truth.places.tolist())
        self._found = found.reordered(self._batch.found.places.tolist())

    def at(self, threshold: Fraction, *, penalize_off_target: bool) -> Prom:
        """Evaluate at one overlap threshold."""
        best = best_found(self._batch, threshold)
        g, d = len(self._truth.sets), len(self._found.sets)
        common = np.zeros((g, d), dtype=np.int64)
        np.add.at(common, (self._batch.truth.owner[best.motif], best.column), 1)
        rows, columns = match_sets(
            common, self._batch.truth.sizes, self._batch.found.sizes
        )
        rows, columns, matched = self._shown_order(rows, columns)
        partner = np.full(g, -1)
        partner[rows[:matched]] = columns[:matched]
        links = self._links(best, partner)
        return Prom(
            matrix=self._matrix(best.column[links], best.motif[links], rows, columns),
            truth=self._truth.reordered(rows),
            found=self._found.reordered(columns),
            matched=matched,
            threshold=threshold,
            penalize_off_target=penalize_off_target,
            _linker=lambda: self._shown_links(best, links, rows, columns),
        )

    def _links(self, best: BestFound, partner: Integers) -> Integers:
        """Choose one found set per motif: its set's partner if tied, else the first."""
        if not (best.motif[1:] == best.motif[:-1]).any():
            return np.arange(len(best.motif))
        in_partner = best.column == partner[self._batch.truth.owner[best.motif]]
        preferred = np.lexsort((~in_partner, best.motif))
        first = np.ones(len(preferred), dtype=np.bool_)
        motif = best.motif[preferred]
        first[1:] = motif[1:] != motif[:-1]
        chosen: Integers = preferred[first]
        return chosen

    def _shown_order(
        self, rows: Integers, columns: Integers
    ) -> tuple[Integers, Integers, int]:
        """Put matched pairs first in the order of truth, then the sets left over."""
        given = np.argsort(self._row_place[rows], kind="stable")
        left_rows = _without(len(self._truth.sets), rows)
        left_rows = left_rows[np.argsort(self._row_place[left_rows], kind="stable")]
        left_columns = _without(len(self._found.sets), columns)
        return (
            np.concatenate([rows[given], left_rows]),
            np.concatenate([columns[given], left_columns]),
            len(rows),
        )

    def _matrix(
        self, column: Integers, motif: Integers, rows: Integers, columns: Integers
    ) -> Integers:
        """Count the links between sets, add what is left over, corner 0."""
        g, d = len(rows), len(columns)
        matrix = np.zeros((g + 1, d + 1), dtype=np.int64)
        np.add.at(
            matrix,
            (_places(rows)[self._batch.truth.owner[motif]], _places(columns)[column]),
            1,
        )
        matrix[:g, d] = self._batch.truth.sizes[rows] - matrix[:g, :d].sum(axis=1)
        matrix[g, :d] = self._batch.found.sizes[columns] - matrix[:g, :d].sum(axis=0)
        matrix.flags.writeable = False
        return matrix

    def _shown_links(
        self, best: BestFound, links: Integers, rows: Integers, columns: Integers
    ) -> Integers:
        """Return linked (true, found) motif positions in the order that is shown."""
        true_place = _flat_places(self._batch.truth.sizes, rows)
        found_place = _flat_places(self._batch.found.sizes, columns)
        return np.stack(
            [true_place[best.motif[links]], found_place[best.segment[links]]], axis=1
        )


def _without(size: int, taken: Integers) -> Integers:
    """Return the positions below `size` that are not taken."""
    left = np.ones(size, dtype=np.bool_)
    left[taken] = False
    return np.flatnonzero(left)


def _places(order: Integers) -> Integers:
    """Return for each old position its new one."""
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places


def _flat_places(sizes: Integers, order: Integers) -> Integers:
    """Return for each motif its position once the sets are in `order`."""
    begin = np.zeros(len(sizes), dtype=np.int64)
    begin[order] = np.cumsum(sizes[order]) - sizes[order]
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    places: Integers = np.repeat(begin, sizes) + within
    return places

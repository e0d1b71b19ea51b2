r"""Range-based precision, recall and F1: overlap as a share of one side's length.

Sets are matched one to one so that matched sets share most samples. Inside a pair of
sets, a found motif is precise when it overlaps a true motif of its own by more than
`share` of the **found** length, and a true motif is recalled when it is overlapped
by more than `share` of the **true** length:

.. math:: P_i = \frac{TP^{found}_i}{|M_{\pi(i)}|}, \quad
          R_i = \frac{TP^{true}_i}{|G_i|}, \quad
          F_i = \frac{2 P_i R_i}{P_i + R_i}

and each value is averaged over the **true** sets, a set without partner counting as
0: with equal weights (macro) or weighted by the number of true motifs.

Conventions
-----------
In [0, 1], 1 is best, 0.0 when nothing was found. False-positive sets cost nothing,
and a missing set lowers precision too: both follow from the definition and are shown
by the table of properties.

Departures
----------
The public code works on masks, in which touching occurrences become one, pairs
motifs by overlap before it counts, and leaves ties to the order of the input. Here
motifs stay segments, the number of pairs above the share is the largest possible,
sets that tie in common samples are matched for the highest F1, then precision, then
recall, macro before weighted, so that no average depends on the order of the input,
and "more than" is strict.

References
----------
.. [1] The event-based scores of the package tsmd 0.1.4 (MIT licence), made for a
   comparison of motif discovery methods published in PVLDB in 2025.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.metrics.batch import (
    EXACT_QUOTIENT,
    Batch,
    SegmentPairs,
    Side,
    numbered,
    sparse_graph,
)
from tsmdbench.metrics.matching import (
    best_assignment,
    is_reducible,
    over_common_denominator,
    promising,
)
from tsmdbench.metrics.prom_result import Averages
from tsmdbench.validation import (
    check_choice,
    check_motif_sets,
    check_number,
    check_truth,
)

NAMES = ("precision", "recall", "f1")


def ranged(
    truth: Any,
    found: Any,
    *,
    share: float = 0.5,
    average: Literal["macro", "weighted"] = "macro",
) -> Averages:
    """Return range-based precision, recall and F1.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    share : float, default 0.5
        Share of a motif's length that must be exceeded, in ``[0, 1)``.
    average : {"macro", "weighted"}, default "macro"
        Weight true sets equally, or by their number of motifs.

    Returns
    -------
    Averages
        Each value in [0, 1], 1 is best; 0.0 when nothing was found.

    Examples
    --------
    A found motif inside a longer true one is precise but recalls nothing:

    >>> ranged([[(0, 10), (20, 30)]], [[(2, 6), (22, 26)]])
    Averages(precision=1.0, recall=0.0, f1=0.0)

    A false-positive set has no effect, and a missing set also lowers precision:

    >>> ranged([[(0, 10)]], [[(0, 10)], [(50, 60)]])
    Averages(precision=1.0, recall=1.0, f1=1.0)
    >>> ranged([[(0, 10)], [(50, 60)]], [[(0, 10)]]).precision
    0.5
    """
    check_choice(average, "average", ("macro", "weighted"))
    batch = Batch.of_one(check_truth(truth), check_motif_sets(found, "found"))
    values = ranged_of(batch, share=share)
    prefix = "ranged" if average == "macro" else "ranged_weighted"
    return Averages(*(float(values[f"{prefix}_{name}"][0]) for name in NAMES))


def ranged_of(batch: Batch, *, share: float = 0.5) -> dict[str, Floats]:
    """Return all six values for every problem of a batch."""
    values = {
        f"{prefix}_{name}": np.zeros(batch.size)
        for prefix in ("ranged", "ranged_weighted")
        for name in NAMES
    }
    samples, precise, recalled = _tables(batch, _checked_share(share))
    for problem in ((batch.rows > 0) & (batch.columns > 0)).nonzero()[0].tolist():
        shared = batch.table(samples, problem)
        if not shared.any():
            continue
        first, last = batch.truth.first_set[problem : problem + 2].tolist()
        true_sizes = batch.truth.sizes[first:last]
        first, last = batch.found.first_set[problem : problem + 2].tolist()
        found_sizes = batch.found.sizes[first:last]
        tables = batch.table(precise, problem), batch.table(recalled, problem)
        rows, columns = _matched(
            shared, *tables, true_sizes[:, None], found_sizes[None, :]
        )
        precision = tables[0][rows, columns] / np.maximum(found_sizes[columns], 1)
        recall = tables[1][rows, columns] / true_sizes[rows]
        total = precision + recall
        f1 = 2 * precision * recall / np.where(total > 0, total, 1)
        for name, score in zip(NAMES, (precision, recall, f1), strict=True):
            values[f"ranged_{name}"][problem] = math.fsum(score) / len(shared)
            weighted = math.fsum(score * true_sizes[rows]) / int(true_sizes.sum())
            values[f"ranged_weighted_{name}"][problem] = weighted
    return values


def _checked_share(share: Any) -> Fraction:
    """Return the share as the decimal number that was written."""
    number = check_number(share, "share")
    if not 0 <= number < 1:
        raise InputError(f"share must lie in [0, 1), got {share}")
    return Fraction(str(share))


def _tables(batch: Batch, share: Fraction) -> tuple[Integers, Integers, Integers]:
    """Return common samples and the two kinds of true positives of all cells."""
    pairs = batch.touching
    cell = batch.cell(pairs)
    over, under = share.numerator, share.denominator
    samples = np.zeros(batch.cells, dtype=np.int64)
    np.add.at(samples, cell, pairs.common)

    def counted(side: Side, place: Integers) -> Integers:
        lengths = side.segments[place, 1] - side.segments[place, 0]
        enough = pairs.common * under > lengths * over
        return _largest_matchings(batch, pairs.where(enough), cell[enough])

    precise = counted(batch.found, pairs.found)
    return samples, precise, counted(batch.truth, pairs.truth)


def _largest_matchings(batch: Batch, pairs: SegmentPairs, cell: Integers) -> Integers:
    """Count for each pair of sets how many motifs can be paired one to one."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    if not len(cell):
        return np.zeros(batch.cells, dtype=np.int64)
    left, right = (numbered(motif, cell) for motif in (pairs.truth, pairs.found))
    graph = sparse_graph(np.ones(len(cell), np.int8), (left, right))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    of_left = np.empty(len(partner), dtype=np.int64)
    of_left[left] = cell
    return np.bincount(of_left[partner >= 0], minlength=batch.cells)


def _matched(
    samples: Integers,
    precise: Integers,
    recalled: Integers,
    true_sizes: Integers,
    found_sizes: Integers,
) -> tuple[Integers, Integers]:
    """Match the sets of one problem; of very many found sets, those that can matter."""
    tables = samples, precise, recalled
    kept = np.arange(samples.shape[1])
    if is_reducible(*samples.shape) and _is_exact(true_sizes, found_sizes):
        kept = promising(samples, *_quotients(*tables[1:], true_sizes, found_sizes))
        tables = samples[:, kept], precise[:, kept], recalled[:, kept]
    levels = _levels(*tables, true_sizes, found_sizes[:, kept])
    rows, columns = best_assignment(levels, tables[0] > 0)
    return rows, kept[columns]


def _is_exact(true_sizes: Integers, found_sizes: Integers) -> bool:
    """Return True if different quotients of these counts differ in float64."""
    return 2 * int(true_sizes.max()) * int(found_sizes.max()) <= EXACT_QUOTIENT


def _quotients(
    precise: Integers, recalled: Integers, true_sizes: Integers, found_sizes: Integers
) -> tuple[Floats, Floats, Floats]:
    """Return F1, precision and recall of each pair, in the order of the levels."""
    harmonic = np.maximum(precise * true_sizes + recalled * found_sizes, 1)
    return (
        2 * precise * recalled / harmonic,
        precise / np.maximum(found_sizes, 1),
        recalled / true_sizes,
    )


def _levels(
    samples: Integers,
    precise: Integers,
    recalled: Integers,
    true_sizes: Integers,
    found_sizes: Integers,
) -> Iterator[NDArray[Any]]:
    """Yield common samples, then all six averages: what pairs of sets are worth."""
    yield samples
    harmonic = np.maximum(precise * true_sizes + recalled * found_sizes, 1)
    found_row = np.broadcast_to(np.maximum(found_sizes, 1), precise.shape)
    truth_column = np.broadcast_to(true_sizes, precise.shape)
    for weight in (1, true_sizes):
        yield over_common_denominator(2 * precise * recalled * weight, harmonic)
        yield over_common_denominator(precise * weight, found_row)
        yield over_common_denominator(recalled * weight, truth_column)

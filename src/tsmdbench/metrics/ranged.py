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
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.metrics.batch import Batch, Cells, SegmentPairs, numbered, sparse_graph
from tsmdbench.metrics.prom import Cell, fold, heaviest, only_each_other, over_common
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
    number = check_number(share, "share")
    if not 0 <= number < 1:
        raise InputError(f"share must lie in [0, 1), got {share}")
    exact = Fraction(str(share))  # the decimal number that was written
    pairs = batch.touching
    cells = batch.cells(pairs.truth, pairs.found)
    samples = np.zeros(len(cells.row), dtype=np.int64)
    np.add.at(samples, cells.place, pairs.common)
    enough = [
        pairs.common * exact.denominator > side.lengths[motif] * exact.numerator
        for side, motif in ((batch.found, pairs.found), (batch.truth, pairs.truth))
    ]
    counts = [_largest_matchings(pairs, cells, mask) for mask in enough]
    true_sizes, found_sizes = batch.truth.set_sizes, batch.found.set_sizes
    values = np.zeros((batch.size, 2 * len(NAMES)))
    for problem, (rows, columns, *numbers) in cells.tables(samples, *counts):
        true = true_sizes[problem]
        # Common samples, motifs that count for precision and recall, sizes of both sets
        sizes = [true[i] for i in rows], [found_sizes[problem][j] for j in columns]
        table = dict(zip(zip(rows, columns), zip(*numbers, *sizes)))  # noqa: B905
        scores = []
        for cell in _matched(table):
            _, precise, recalled, a, b = table[cell]
            p, r = precise / b, recalled / a
            scores.append((p, r, 2 * p * r / (p + r) if p + r else 0.0, a))
        sums = [
            *(math.fsum(s[k] for s in scores) / len(true) for k in range(3)),
            *(math.fsum(s[k] * s[3] for s in scores) / sum(true) for k in range(3)),
        ]
        values[problem] = sums
    prefixes = "ranged", "ranged_weighted"
    names = [f"{prefix}_{name}" for prefix in prefixes for name in NAMES]
    return dict(zip(names, values.T, strict=True))


def _largest_matchings(pairs: SegmentPairs, cells: Cells, enough: Flags) -> Integers:
    """Count for each pair of sets how many motifs can be paired one to one."""
    from scipy.sparse.csgraph import maximum_bipartite_matching

    cell = cells.place[enough]
    if not len(cell):
        return np.zeros(len(cells.row), dtype=np.int64)
    left, right = (numbered(p[enough], cell) for p in (pairs.truth, pairs.found))
    graph = sparse_graph(np.ones(len(cell), np.int8), (left, right))
    partner = maximum_bipartite_matching(graph, perm_type="column")
    of_left = np.empty(len(partner), dtype=np.int64)
    of_left[left] = cell
    return np.bincount(of_left[partner >= 0], minlength=len(cells.row))


def _matched(table: dict[Cell, tuple[int, ...]]) -> list[Cell]:
    """Match the sets of one problem that share samples: the best by all levels."""
    pairs, left = only_each_other(table)
    if not left:
        return pairs
    rows, columns = sorted({i for i, _ in left}), sorted({j for _, j in left})
    row_at = {i: place for place, i in enumerate(rows)}
    column_at = {j: place for place, j in enumerate(columns)}
    numbers = [table[cell] for cell in left]
    levels = [[samples for samples, *_ in numbers]]
    quotients = [
        ((2 * p * r, max(p * a + r * b, 1)), (p, b), (r, a))
        for _, p, r, a, b in numbers
    ]
    for weight in ([1] * len(left), [a for *_, a, _ in numbers]):
        for level in zip(*quotients, strict=True):  # F1, precision, recall
            over = [q[0] * w for q, w in zip(level, weight, strict=True)]
            levels.append(over_common(over, [under for _, under in level]))
    shape = len(rows), len(columns)
    weights = fold(levels, min(shape))
    places = [(row_at[i], column_at[j]) for i, j in left]
    chosen = heaviest(dict(zip(places, weights, strict=True)), shape)
    cells = [(rows[i], columns[j]) for i, j in chosen]
    return pairs + [cell for cell in cells if cell in table]

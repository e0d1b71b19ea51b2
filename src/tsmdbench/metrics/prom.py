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
* Averages are exact: quotients are added over a common denominator and divided once.

Departures
----------
The paper leaves ties open, and in the authors' code they make the result depend on
the order of the sets. Here a true motif whose best rate is reached in several found
sets may count for any one of them. Of several matchings of the sets with equally many
common motifs, the one is taken that a reader would call better, in this order:

1. most common motifs in total (true positives);
2. fewest motifs in the matched found sets;
3. fewest motifs in the matched true sets;
4. highest sum of F1 over the pairs, which is the highest macro F1;
5. highest sum of precision over the pairs, which is the highest macro precision;
6. highest sum of recall over the pairs.

Remaining ties are broken by the content of the sets. So no reported number depends on
the order of sets, of segments or of labels.

References
----------
.. [1] D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation
   of Motif Sets in Time Series", 2024, arXiv:2412.09346.
.. [2] D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE
   Transactions on Aerospace and Electronic Systems 52(4), 2016, pp. 1679-1696,
   doi:10.1109/TAES.2016.140952 (the solver in SciPy that matches the sets).
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.metrics.batch import EXACT_FLOAT, Batch, above, rate_order
from tsmdbench.metrics.matching import match_by_levels
from tsmdbench.metrics.prom_result import Averages, Prom, PromCurve
from tsmdbench.types import MotifSets
from tsmdbench.validation import (
    check_flag,
    check_motif_sets,
    check_threshold,
    check_truth,
)

DEFAULT_THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))
NAMES = tuple(
    f"{kind}_{name}"
    for kind in ("prom", "prom_macro")
    for name in ("precision", "recall", "f1")
)
FEW = 100  # segments up to which a plain loop is faster than arrays
Listed = list[list[list[int]]]  # segments of each set
Cell = tuple[int, int]  # a true set (row) and a found set (column)


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


def prom_curve(
    truth: Any,
    found: Any,
    thresholds: Any = DEFAULT_THRESHOLDS,
    *,
    penalize_off_target: bool = False,
    macro: bool = False,
) -> PromCurve:
    """Evaluate PROM at each of several overlap thresholds.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    thresholds : sequence of float, default 0.50, 0.55, ..., 0.95
        Overlap rates to exceed, each in ``[0.5, 1)``; sorted if they are not.
    penalize_off_target, macro : bool, default False
        Which precision, recall and F1 are recorded.

    Examples
    --------
    A shifted motif matches only at low thresholds:

    >>> curve = prom_curve([[(0, 10), (50, 60)]], [[(0, 10), (52, 62)]])
    >>> curve.f1.tolist()
    [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    >>> round(curve.area, 3)
    0.694
    """
    exact = sorted(check_threshold(value, "thresholds") for value in thresholds)
    if not exact:
        raise InputError("thresholds is empty; give at least one")
    penalty = check_flag(penalize_off_target, "penalize_off_target")
    comparison = Comparison(check_truth(truth), check_motif_sets(found, "found"))
    results = [comparison.at(value, penalize_off_target=penalty) for value in exact]
    averages = [result.macro if macro else result.micro for result in results]
    return PromCurve(
        thresholds=np.array([float(value) for value in exact]),
        precision=np.array([average.precision for average in averages]),
        recall=np.array([average.recall for average in averages]),
        f1=np.array([average.f1 for average in averages]),
    )


# Step 1: motifs.


class BestFound(NamedTuple):
    """For each true motif the found sets that reach its best overlap rate.

    Lists of int, or arrays of int64, of equal length.
    """

    motif: Any  # position of the true motif, ascending
    row: Any  # its set
    column: Any  # the found set, ascending for one motif
    segment: Any  # a found segment of that set with the best rate


def best_found(batch: Batch, threshold: Fraction) -> BestFound:
    """Keep for each true motif its best matchable segments, one per found set."""
    pairs = batch.close
    pairs = pairs.where(above(pairs, threshold))
    motif, segment = pairs.truth, pairs.found
    if len(motif) and np.bincount(motif).max() > 1:
        rate = rate_order(pairs)
        best = np.full(len(batch.truth.segments), -1.0)
        np.maximum.at(best, motif, rate)
        top = rate == best[motif]
        motif, segment = motif[top], segment[top]
    by_motif = np.argsort(motif, kind="stable")  # pairs come sorted by found segment
    motif, segment = motif[by_motif], segment[by_motif]
    column = batch.found.owner[segment]
    new = np.ones(len(motif), dtype=np.bool_)
    new[1:] = (motif[1:] != motif[:-1]) | (column[1:] != column[:-1])
    motif, column, segment = motif[new], column[new], segment[new]
    return BestFound(motif, batch.truth.owner[motif], column, segment)


def best_of_few(truth: Listed, found: Listed, threshold: Fraction) -> BestFound:
    """Do the same for one problem in a loop, which is faster for few segments."""
    over, under = threshold.numerator, threshold.denominator
    true = [(*segment, row) for row, motifs in enumerate(truth) for segment in motifs]
    order = sorted(range(len(true)), key=true.__getitem__)
    starts = [true[motif][0] for motif in order]
    best: dict[int, tuple[int, int, dict[int, int]]] = {}
    place = -1
    for column, motifs in enumerate(found):
        for start, end in motifs:
            place += 1
            middle = (start + end) // 2
            motif = order[bisect_right(starts, middle) - 1]
            true_start, true_end, _ = true[motif]
            common = min(true_end, end) - max(true_start, start)
            joint = max(true_end, end) - min(true_start, start)
            if common * under > joint * over:
                most, whole, places = best.get(motif, (0, 1, {}))
                if common * whole > most * joint:
                    best[motif] = common, joint, {column: place}
                elif common * whole == most * joint:
                    places.setdefault(column, place)
    links = [
        (motif, true[motif][2], column, place)
        for motif in sorted(best)
        for column, place in best[motif][2].items()
    ]
    return BestFound(*map(list, zip(*links, strict=True))) if links else NOTHING


NOTHING = BestFound([], [], [], [])


# Step 2: sets.


def match_sets(
    hits: Mapping[Cell, int],
    true_sizes: Sequence[int],
    found_sizes: Sequence[int],
    *,
    for_numbers: bool = False,
) -> list[Cell]:
    """Match true and found sets one to one, ``min(g, d)`` pairs.

    Parameters
    ----------
    hits : mapping from (row, column) to int
        Motifs that a true and a found set have in common, where there are any.
    true_sizes, found_sizes : sequences of int
        Motifs of each set.
    for_numbers : bool, default False
        Whether any of several matchings will do that are equal by the whole rule, and
        so in all numbers that are reported.

    Returns
    -------
    list of (row, column)
        The matched pairs, sorted.

    Examples
    --------
    Two found sets explain the one true set equally well; the smaller is taken:

    >>> match_sets({(0, 0): 2, (0, 1): 2}, [2], [5, 3])
    [(0, 1)]
    """
    # Two sets that have motifs in common only with each other are matched at once. If
    # such a pair were not matched, its two sets would have partners with which they
    # have nothing in common, or none; matching the two, and their former partners with
    # each other, gains the common motifs and loses none.
    of_row, of_column = [0] * len(true_sizes), [0] * len(found_sizes)
    for i, j in hits:
        of_row[i] += 1
        of_column[j] += 1
    pairs = [(i, j) for i, j in hits if of_row[i] == 1 == of_column[j]]
    left = [(i, j) for i, j in hits if of_row[i] > 1 or of_column[j] > 1]
    if len(pairs) < min(len(of_row), len(of_column)):
        taken = {i for i, _ in pairs}, {j for _, j in pairs}
        rows = [i for i in range(len(of_row)) if i not in taken[0]]
        columns = [j for j in range(len(of_column)) if j not in taken[1]]
        if for_numbers and left and min(len(rows), len(columns)) == 1:
            # One set takes the partner with most common motifs; the smallest of these.
            pairs.append(
                min(left, key=lambda c: (-hits[c], true_sizes[c[0]], found_sizes[c[1]]))
            )
            return sorted(pairs)
        # Of the sets that have nothing in common with any other, the smallest are
        # enough: one for each set of the other side.
        most = len(columns), len(rows)
        rows = _smallest(rows, of_row, true_sizes, most[0])
        columns = _smallest(columns, of_column, found_sizes, most[1])
        if not left:
            pairs += zip(rows, columns, strict=True)
        else:
            row_at = {i: place for place, i in enumerate(rows)}
            column_at = {j: place for place, j in enumerate(columns)}
            left_hits = {(row_at[i], column_at[j]): hits[i, j] for i, j in left}
            sizes = [true_sizes[i] for i in rows], [found_sizes[j] for j in columns]
            shape = len(rows), len(columns)
            chosen = None
            if for_numbers:
                chosen = _heaviest(*_worth(left_hits, *sizes), shape)
            if chosen is None:
                common = np.zeros(shape, dtype=np.int64)
                for cell, count in left_hits.items():
                    common[cell] = count
                best = match_by_levels(common, *map(np.array, sizes))
                chosen = list(zip(*(side.tolist() for side in best), strict=True))
            pairs += [(rows[i], columns[j]) for i, j in chosen]
    return sorted(pairs)


def _smallest(
    places: list[int], partners: list[int], sizes: Sequence[int], most: int
) -> list[int]:
    """Keep sets that have partners, and of the others the smallest, at most `most`."""
    if len(places) <= most:
        return places
    alone = sorted((p for p in places if not partners[p]), key=sizes.__getitem__)
    return sorted([p for p in places if partners[p]] + alone[:most])


def _worth(
    hits: Mapping[Cell, int], true_sizes: Sequence[int], found_sizes: Sequence[int]
) -> tuple[dict[Cell, int], list[int]]:
    """Fold the rule for ties into one whole number per pair of sets.

    Returns
    -------
    worth : dict
        Of each pair with common motifs.
    rest : list of int
        Of any other pair, by its set on the side that has more sets.

    Examples
    --------
    True sets of 2 and 4 motifs and found sets of 2 and 3, with one common motif in each
    of the four pairs. Both matchings have 2 common motifs, and every set is matched, so
    sizes cannot differ. Half of F1 is 1/4 and 1/5 in the first row, 1/6 and 1/7 in the
    second; over the common denominator 420 these are 105, 84, 70 and 60. Two pairs add
    up to at most 2 * 105, so a common motif is worth 211 of them. Precision is 1/2 or
    1/3, which is 3 or 2 over the denominator 6, and the unit of F1 is 1 + 2 * 3 = 7.
    Recall is 1/2 or 1/4, which is 2 or 1 over the denominator 4, and the unit of
    precision is 1 + 2 * 2 = 5:

    >>> four = dict.fromkeys([(0, 0), (0, 1), (1, 0), (1, 1)], 1)
    >>> worth, rest = _worth(four, [2, 4], [2, 3])
    >>> worth[0, 0] == ((1 * 211 + 105) * 7 + 3) * 5 + 2
    True

    The straight matching has 105 + 60 of half F1, the crossed one 84 + 70:

    >>> worth[0, 0] + worth[1, 1] > worth[0, 1] + worth[1, 0]
    True
    """
    g, d = len(true_sizes), len(found_sizes)
    cells = list(hits)
    # On the side with fewer sets all are matched, so only the sizes of the other side
    # can differ between matchings. A common motif is worth more than all of them.
    cost = [0] * d if g == d else list(found_sizes if d > g else true_sizes)
    unit, along = 1 + sum(cost), int(d >= g)
    count = [hits[cell] * unit - cost[cell[along]] for cell in cells]
    levels = [[*count, *(-size for size in cost)]]
    end = [0] * len(cost)  # pairs without a common motif come after those with
    true = [true_sizes[i] for i, _ in cells]
    found = [found_sizes[j] for _, j in cells]
    both = [a + b for a, b in zip(true, found, strict=True)]
    for under in (both, found, true):  # F1 (as half of it), precision, recall
        # Over equal denominators, this level says the same as the common motifs.
        if len(set(under)) > 1:
            shared = math.lcm(*set(under))
            over = [
                c * (shared // u) for c, u in zip(hits.values(), under, strict=True)
            ]
            levels.append([*over, *end])
    folded = _fold(levels, min(g, d))
    return dict(zip(cells, folded, strict=False)), folded[len(cells) :]


def _fold(levels: Sequence[Sequence[int]], pairs: int) -> list[int]:
    """Fold levels of worth into one whole number, as digits are folded into a number.

    The most important level is first; the others are not negative. The unit of a level
    exceeds what the next one can add up to over all `pairs` of a matching. So totals
    of matchings compare as their levels do, one after the other.
    """
    folded = list(levels[0])
    for level in levels[1:]:
        unit = 1 + pairs * max(level)
        folded = [high * unit + low for high, low in zip(folded, level, strict=True)]
    return folded


def _heaviest(
    worth: Mapping[Cell, int], rest: Sequence[int], shape: tuple[int, int]
) -> list[Cell] | None:
    """Return the ``min(shape)`` cells without common row or column that are worth most.

    None where float64 is not sure to find them. The solver adds and subtracts such
    numbers, and none of its sums exceeds one worth per row and column. While four times
    that stays below 2**53, all of them are whole numbers without rounding, and the
    answer is exact. Three common denominators may exceed it: 5 true and 8 found sets
    with sizes between 2 and 15 can need 65 bits.
    """
    # Imported here: scipy.optimize takes a quarter of a second to import, and a listing
    # of the metrics needs none of it.
    from scipy.optimize import linear_sum_assignment

    top = max(1, *worth.values(), -min(rest))
    if 4 * max(shape) * top >= EXACT_FLOAT:
        return None
    table = np.empty(shape)
    table[:] = rest if shape[1] >= shape[0] else np.array(rest)[:, None]
    for cell, value in worth.items():
        table[cell] = value
    rows, columns = linear_sum_assignment(table, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


# Step 3: numbers.


def averages(
    matched: Sequence[tuple[int, int, int]],
    true_sizes: Sequence[int],
    found_sizes: Sequence[int],
    *,
    penalize_off_target: bool,
) -> tuple[float, ...]:
    """Return micro and macro precision, recall and F1 of one problem, as in `NAMES`.

    Parameters
    ----------
    matched : sequence of (hits, motifs of the true set, motifs of the found set)
        The matched pairs.
    true_sizes, found_sizes : sequences of int
        Motifs of all sets.
    penalize_off_target : bool
        Whether found sets without partner count.

    Examples
    --------
    One of two true sets is matched, and both its motifs are found; the found set has
    two motifs more:

    >>> averages([(2, 2, 4)], [2, 3], [4], penalize_off_target=False)
    (0.5, 0.4, 0.4444444444444444, 0.5, 0.5, 0.3333333333333333)
    """
    g, d, m = len(true_sizes), len(found_sizes), len(matched)
    in_pairs = sum([b for _, _, b in matched])
    matched = [pair for pair in matched if pair[0]]
    tp, motifs = sum([c for c, _, _ in matched]), sum(true_sizes)
    if not tp:
        return (0.0,) * len(NAMES)
    counted = sum(found_sizes) if penalize_off_target else in_pairs
    # A set without partner adds 0 to the sum that it counts for.
    return (
        tp / counted,
        tp / motifs,
        2 * tp / (motifs + counted),
        _mean([(c, b) for c, _, b in matched], d if penalize_off_target else m),
        _mean([(c, a) for c, a, _ in matched], g),
        _mean(
            [(2 * c, a + b) for c, a, b in matched],
            max(g, d) if penalize_off_target else g,
        ),
    )


def _mean(quotients: Sequence[tuple[int, int]], divisor: int) -> float:
    """Add quotients over a common denominator, and round once."""
    shared = math.lcm(*[under for _, under in quotients])
    total = sum([over * (shared // under) for over, under in quotients])
    return total / (shared * divisor)


def prom_of(
    batch: Batch,
    *,
    threshold: float | Fraction = 0.5,
    penalize_off_target: bool = False,
) -> dict[str, Floats]:
    """Return micro and macro averages for every problem of a batch.

    Equal, to the last bit, to what `tsmdbench.metrics.prom` returns for each.
    """
    check_flag(penalize_off_target, "penalize_off_target")
    best = best_found(batch, check_threshold(threshold))
    # Count the common motifs of each pair of sets, problem after problem.
    width = max(1, len(batch.found.sizes))
    key, hits = np.unique(best.row * width + best.column, return_counts=True)
    row, column = np.divmod(key, width)
    problem = batch.truth.problem[row]
    cuts = np.searchsorted(problem, np.arange(batch.size + 1)).tolist()
    rows = (row - batch.truth.first_set[problem]).tolist()
    columns = (column - batch.found.first_set[problem]).tolist()
    counts = hits.tolist()
    true_sizes, found_sizes = batch.truth.sizes.tolist(), batch.found.sizes.tolist()
    true_cuts, found_cuts = (
        batch.truth.first_set.tolist(),
        batch.found.first_set.tolist(),
    )
    with_hits, made = np.unique(problem), []
    for place in with_hits.tolist():
        some = slice(cuts[place], cuts[place + 1])
        common = dict(zip(zip(rows[some], columns[some]), counts[some]))  # noqa: B905
        true = true_sizes[true_cuts[place] : true_cuts[place + 1]]
        found = found_sizes[found_cuts[place] : found_cuts[place + 1]]
        pairs = match_sets(common, true, found, for_numbers=True)
        matched = [(common.get((i, j), 0), true[i], found[j]) for i, j in pairs]
        made.append(
            averages(matched, true, found, penalize_off_target=penalize_off_target)
        )
    values = np.zeros((batch.size, len(NAMES)))
    if made:
        values[with_hits] = made
    return dict(zip(NAMES, values.T, strict=True))


# One problem, with everything that can be said about it.


class Comparison:
    """One truth and one found, with the work that all thresholds share."""

    def __init__(self, truth: MotifSets, found: MotifSets) -> None:
        self._truth, self._found = truth, found
        self._best: Callable[[Fraction], BestFound]
        if len(truth.segments) + len(found.segments) < FEW:
            true_lists, self._row_places = _few_by_content(truth)
            found_lists, self._column_places = _few_by_content(found)
            self._best = partial(best_of_few, true_lists, found_lists)
        else:
            batch = Batch.of_one(truth, found)
            self._row_places = batch.truth.places.tolist()
            self._column_places = batch.found.places.tolist()
            self._best = partial(best_found, batch)

    def at(self, threshold: Fraction, *, penalize_off_target: bool) -> Prom:
        """Evaluate at one overlap threshold."""
        true_sizes = [len(self._truth.sets[place]) for place in self._row_places]
        found_sizes = [len(self._found.sets[place]) for place in self._column_places]
        best = self._best(threshold)
        common = _counted(best.row, best.column)
        pairs = match_sets(common, true_sizes, found_sizes)
        values = averages(
            [(common.get((i, j), 0), true_sizes[i], found_sizes[j]) for i, j in pairs],
            true_sizes,
            found_sizes,
            penalize_off_target=penalize_off_target,
        )
        # Link each true motif with one found set: its set's partner if that is among
        # those with the best rate, else the first.
        motif, segment = best.motif, best.segment
        if len(set(motif)) < len(motif):
            partner = np.full(len(true_sizes), -1)
            for i, j in pairs:
                partner[i] = j
            motif, row, column, segment = map(np.asarray, best)
            order = np.lexsort((column != partner[row], motif))
            links = order[np.diff(motif[order], prepend=-1) > 0]
            motif, segment = motif[links], segment[links]
            common = _counted(row[links], column[links])
        # Matched pairs first, in the order in which truth was given, then other sets.
        places = self._row_places
        pairs.sort(key=lambda pair: places[pair[0]])
        rows, columns = [i for i, _ in pairs], [j for _, j in pairs]
        left = {*range(len(true_sizes))}.difference(rows)
        rows += sorted(left, key=places.__getitem__)
        columns += sorted({*range(len(found_sizes))}.difference(columns))
        sizes = true_sizes.copy(), found_sizes.copy()
        row_at = {i: place for place, i in enumerate(rows)}
        column_at = {j: place for place, j in enumerate(columns)}
        matrix = np.zeros((len(rows) + 1, len(columns) + 1), dtype=np.int64)
        for (i, j), count in common.items():
            matrix[row_at[i], column_at[j]] = count
            true_sizes[i] -= count
            found_sizes[j] -= count
        matrix[:-1, -1] = [true_sizes[i] for i in rows]
        matrix[-1, :-1] = [found_sizes[j] for j in columns]
        matrix.flags.writeable = False

        def linked() -> Integers:
            """Return the links as positions among the segments as they are shown."""
            true_at, found_at = map(_positions, sizes, (rows, columns))
            both = np.asarray(motif, np.int64), np.asarray(segment, np.int64)
            return np.stack([true_at[both[0]], found_at[both[1]]], axis=1)

        return Prom(
            matrix=matrix,
            truth=self._truth.reordered([places[i] for i in rows]),
            found=self._found.reordered([self._column_places[j] for j in columns]),
            matched=len(pairs),
            threshold=threshold,
            penalize_off_target=penalize_off_target,
            micro=Averages(*values[:3]),
            macro=Averages(*values[3:]),
            _linker=linked,
        )


def _few_by_content(sets: MotifSets) -> tuple[Listed, list[int]]:
    """Return segments as lists, sets sorted by content, and where these were."""
    listed = [motifs.segments.tolist() for motifs in sets.sets]
    places = sorted(range(len(listed)), key=lambda k: (not listed[k], listed[k]))
    return [listed[place] for place in places], places


def _counted(rows: Any, columns: Any) -> dict[Cell, int]:
    """Count how often each pair of a row and a column occurs."""
    if isinstance(rows, list):
        counts: dict[Cell, int] = {}
        for cell in sorted(zip(rows, columns, strict=True)):
            counts[cell] = counts.get(cell, 0) + 1
        return counts
    width = int(columns.max(initial=0)) + 1
    keys, numbers = np.unique(rows * width + columns, return_counts=True)
    cells = zip((keys // width).tolist(), (keys % width).tolist(), strict=True)
    return dict(zip(cells, numbers.tolist(), strict=True))


def _positions(sizes: list[int], order: list[int]) -> Integers:
    """Return for each segment its position once the sets are in `order`."""
    count = np.array(sizes, dtype=np.int64)
    begin = np.empty(len(count), dtype=np.int64)
    begin[order] = np.cumsum(count[order]) - count[order]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    positions: Integers = np.repeat(begin, count) + within
    return positions

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

So no reported number depends on the order of sets, of segments or of labels. Matchings
that are equal in all six respects give the same numbers. Which of them is shown depends
on the content of the sets only, never on their order.

References
----------
.. [1] D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation
   of Motif Sets in Time Series", 2024, arXiv:2412.09346.
.. [2] D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE
   Transactions on Aerospace and Electronic Systems 52(4), 2016, pp. 1679-1696,
   doi:10.1109/TAES.2016.140952 (shortest augmenting paths, by which SciPy and
   `assign_exactly` match the sets).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.metrics.batch import Batch, SegmentPairs, Side, measured
from tsmdbench.metrics.prom_result import Averages, Prom, PromCurve, curve_of
from tsmdbench.segments import Segments
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
EXACT_FLOAT = 2**53  # whole numbers below this are exact in float64
# Two rates whose joint lengths stay below this differ by more than the spacing of
# float64 below 1, so comparing their quotients is comparing them exactly.
EXACT_QUOTIENT = 2**26
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
    exact = check_threshold(threshold)
    penalty = check_flag(penalize_off_target, "penalize_off_target")
    batch = Batch.of_one(true_sets, found_sets)
    pairs = matchable(batch, exact)
    return compare(
        batch, true_sets, found_sets, pairs, exact, penalize_off_target=penalty
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
    sets = check_truth(truth), check_motif_sets(found, "found")
    batch = Batch.of_one(*sets)
    results = [
        compare(
            batch, *sets, matchable(batch, value), value, penalize_off_target=penalty
        )
        for value in exact
    ]
    return curve_of([float(value) for value in exact], results, macro=macro)


# Step 1: motifs.


def matchable(batch: Batch, threshold: Fraction) -> SegmentPairs:
    """Return the pairs of segments with an overlap rate above the threshold."""
    pairs = close_pairs(batch.truth.segments, batch.found.segments)
    return pairs.where(pairs.above(threshold))


def close_pairs(truth: Segments, found: Segments) -> SegmentPairs:
    """Pair each found segment with the true one that contains its middle sample.

    If the rate of two segments exceeds one half, the true one covers more than half of
    the found one, so it contains its middle sample. True segments do not overlap, so at
    most one of them does, and a binary search finds it.
    """
    order = truth[:, 0].argsort(kind="stable")
    true_starts, true_ends = truth[order].T
    starts, ends = np.ascontiguousarray(found.T)
    middle = starts + ((ends - starts) >> 1)
    place = true_starts.searchsorted(middle, side="right") - 1
    # Before the first true segment, place is -1: the last one, which ends later.
    inside = ((middle < true_ends[place]) & (place >= 0)).nonzero()[0]
    return measured(truth, found, order[place[inside]], inside)


def best_found(batch: Batch, pairs: SegmentPairs) -> tuple[Integers, Integers]:
    """Return true motifs, ascending, and the found segments that overlap them most.

    Of several segments of one found set that reach the best rate, the first is kept.
    """
    motif, segment = pairs.truth, pairs.found
    rate = rate_order(pairs)
    best = np.full(len(batch.truth.segments), -1.0)
    np.maximum.at(best, motif, rate)
    top = (rate == best[motif]).nonzero()[0]
    top = top[motif[top].argsort(kind="stable")]  # they come by found segment
    motif, segment = motif[top], segment[top]
    new = _is_new(motif) | _is_new(batch.found.owner[segment])
    return motif[new], segment[new]


def _is_new(values: Integers) -> Flags:
    """Return which values differ from the one before."""
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new


def rate_order(pairs: SegmentPairs) -> Floats:
    """Return numbers that compare exactly as the overlap rates do."""
    if not len(pairs.joint) or int(pairs.joint.max()) <= EXACT_QUOTIENT:
        return pairs.rate
    both = zip(pairs.common.tolist(), pairs.joint.tolist(), strict=True)
    exact = [Fraction(*pair) for pair in both]
    places = {rate: place for place, rate in enumerate(sorted(set(exact)))}
    return np.array([places[rate] for rate in exact], dtype=np.float64)


# Step 2: sets.


def match_sets(
    hits: Mapping[Cell, int], true_sizes: Sequence[int], found_sizes: Sequence[int]
) -> list[Cell]:
    """Match true and found sets one to one, ``min(g, d)`` pairs.

    Parameters
    ----------
    hits : mapping from (row, column) to int
        Motifs that a true and a found set have in common, where there are any.
    true_sizes, found_sizes : sequences of int
        Motifs of each set.

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
    pairs, left = only_each_other(hits)
    rows = sorted({*range(len(true_sizes))}.difference(i for i, _ in pairs))
    columns = sorted({*range(len(found_sizes))}.difference(j for _, j in pairs))
    # Of the sets that have nothing in common with any other, the smallest are enough:
    # one for each set of the other side.
    with_hits = {i for i, _ in left}, {j for _, j in left}
    most = len(columns), len(rows)
    rows = _smallest(rows, with_hits[0], true_sizes, most[0])
    columns = _smallest(columns, with_hits[1], found_sizes, most[1])
    if not left:
        return sorted([*pairs, *zip(rows, columns, strict=True)])
    row_at = {i: place for place, i in enumerate(rows)}
    column_at = {j: place for place, j in enumerate(columns)}
    weight, rest = tie_rule(
        {(row_at[i], column_at[j]): hits[i, j] for i, j in left},
        [true_sizes[i] for i in rows],
        [found_sizes[j] for j in columns],
    )
    chosen = heaviest(weight, (len(rows), len(columns)), rest)
    return sorted([*pairs, *((rows[i], columns[j]) for i, j in chosen)])


def only_each_other(cells: Mapping[Cell, Any]) -> tuple[list[Cell], list[Cell]]:
    """Return pairs of sets that have something in common with each other only.

    They are matched with each other in every best matching: if one were not, its two
    sets would have partners with which they have nothing in common, or none. Matching
    the two, and their former partners with each other, loses nothing and gains what the
    two have in common. The other cells are returned second.
    """
    in_row = dict.fromkeys([i for i, _ in cells], 0)
    in_column = dict.fromkeys([j for _, j in cells], 0)
    for i, j in cells:
        in_row[i] += 1
        in_column[j] += 1
    alone = [(i, j) for i, j in cells if in_row[i] == 1 == in_column[j]]
    return alone, [(i, j) for i, j in cells if in_row[i] > 1 or in_column[j] > 1]


def _smallest(
    places: list[int], with_hits: set[int], sizes: Sequence[int], most: int
) -> list[int]:
    """Keep sets that have partners, and of the others the smallest, at most `most`."""
    if len(places) <= most:
        return places
    alone = [place for place in places if place not in with_hits]
    return sorted(with_hits.union(sorted(alone, key=sizes.__getitem__)[:most]))


def tie_rule(
    hits: Mapping[Cell, int], true_sizes: Sequence[int], found_sizes: Sequence[int]
) -> tuple[dict[Cell, int], list[int]]:
    """Fold the rule for ties into one whole number per pair of sets.

    Returns
    -------
    weight : dict
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
    >>> weight, rest = tie_rule(four, [2, 4], [2, 3])
    >>> weight[0, 0] == ((1 * 211 + 105) * 7 + 3) * 5 + 2
    True

    The straight matching has 105 + 60 of half F1, the crossed one 84 + 70:

    >>> weight[0, 0] + weight[1, 1] > weight[0, 1] + weight[1, 0]
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
            levels.append([*over_common(list(hits.values()), under), *end])
    folded = fold(levels, min(g, d))
    return dict(zip(cells, folded, strict=False)), folded[len(cells) :]


def over_common(over: Sequence[int], under: Sequence[int]) -> list[int]:
    """Return whole numbers in the proportion of the quotients ``over / under``."""
    shared = math.lcm(*set(under))
    return [a * (shared // b) for a, b in zip(over, under, strict=True)]


def fold(levels: Sequence[Sequence[int]], pairs: int) -> list[int]:
    """Fold levels into one whole number, as digits are folded into a number.

    The most important level is first; the others are not negative. The unit of a level
    exceeds what the next one can add up to over all `pairs` of a matching. So totals
    of matchings compare as their levels do, one after the other.
    """
    folded = list(levels[0])
    for level in levels[1:]:
        unit = 1 + pairs * max(level)
        folded = [high * unit + low for high, low in zip(folded, level, strict=True)]
    return folded


def heaviest(
    weight: Mapping[Cell, int], shape: tuple[int, int], rest: Sequence[int] = (0,)
) -> list[Cell]:
    """Return the ``min(shape)`` cells without common row or column that weigh most.

    A cell that `weight` does not have weighs `rest`, one number for each place on the
    longer side of the table.

    SciPy's solver computes in float64. It adds and subtracts weights, and none of its
    sums exceeds one weight per row and column. While four times that stays below 2**53,
    all of them are whole numbers without rounding, and the answer is exact. The common
    denominators of F1, precision and recall may exceed it: 5 true and 8 found sets with
    sizes between 2 and 15 can need 65 bits. Then Python's integers are used.
    """
    # Imported here: scipy.optimize takes a quarter of a second to import, and a listing
    # of the metrics needs none of it.
    from scipy.optimize import linear_sum_assignment

    top = max(1, *weight.values(), -min(rest))
    exact = 4 * max(shape) * top < EXACT_FLOAT
    table = np.empty(shape, dtype=np.float64 if exact else object)
    table[:] = rest if shape[1] >= shape[0] else np.array([rest], table.dtype).T
    for cell, value in weight.items():
        table[cell] = value
    if exact:
        rows, columns = linear_sum_assignment(table, maximize=True)
    elif shape[0] <= shape[1]:
        rows, columns = assign_exactly(-table)
    else:
        columns, rows = assign_exactly(-table.T)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def assign_exactly(cost: NDArray[Any]) -> tuple[Integers, Integers]:
    """Solve an assignment problem in Python's integers, rows not more than columns.

    The algorithm of SciPy's solver [2]_, for whole numbers of any size. Rows are
    assigned one after the other. A row that wants a column may move the row that has it
    to another one, and so on: such an alternating path ends in a free column, and the
    cheapest one is found as a shortest path. Its edges cost ``cost - row_price -
    column_price``, which the prices keep from being negative, and 0 for assigned pairs.

    Examples
    --------
    >>> assign_exactly(np.array([[2**80, 2**80 + 1, 9], [5, 7, 0]], dtype=object))
    (array([0, 1]), array([2, 0]))
    """
    g, d = cost.shape
    beyond = 4 * d * max(1, *map(abs, cost.ravel().tolist()))
    row_price, column_price = np.zeros(g, dtype=object), np.zeros(d, dtype=object)
    row_of = np.full(d, -1)
    for start in range(g):
        distance, before = np.full(d, beyond, dtype=object), np.full(d, -1)
        unseen = np.ones(d, dtype=np.bool_)
        row, column, way = start, -1, 0
        while row >= 0:
            reach = cost[row] - column_price + (way - row_price[row])
            nearer = unseen & (reach < distance)
            distance[nearer], before[nearer] = reach[nearer], column
            column = int(np.where(unseen, distance, beyond + 1).argmin())
            unseen[column] = False
            row, way = int(row_of[column]), distance[column]
        row_price[start] += way
        seen = ~unseen & (row_of >= 0)
        row_price[row_of[seen]] += way - distance[seen]
        column_price[seen] -= way - distance[seen]
        while column >= 0:  # every row of the path takes the next column
            previous = int(before[column])
            row_of[column] = start if previous < 0 else row_of[previous]
            column = previous
    columns = (row_of >= 0).nonzero()[0]
    order = np.argsort(row_of[columns])
    return np.arange(g), columns[order]


# Step 3: numbers.


def averages(
    hits: Mapping[Cell, int],
    pairs: Sequence[Cell],
    true_sizes: Sequence[int],
    found_sizes: Sequence[int],
    *,
    penalize_off_target: bool,
) -> tuple[float, ...]:
    """Return micro and macro precision, recall and F1 of one problem, as in `NAMES`.

    Parameters
    ----------
    hits, true_sizes, found_sizes
        As for `match_sets`.
    pairs : sequence of (row, column)
        The matched sets.
    penalize_off_target : bool
        Whether found sets without partner count.

    Examples
    --------
    One of two true sets is matched, and both its motifs are found; the found set has
    two motifs more:

    >>> averages({(0, 0): 2}, [(0, 0)], [2, 3], [4], penalize_off_target=False)
    (0.5, 0.4, 0.4444444444444444, 0.5, 0.5, 0.3333333333333333)
    """
    matched = [
        (hits[i, j], true_sizes[i], found_sizes[j]) for i, j in pairs if (i, j) in hits
    ]
    if not matched:
        return (0.0,) * len(NAMES)
    tp, motifs = sum([c for c, _, _ in matched]), sum(true_sizes)
    # Without the penalty, found sets without partner count neither as sets nor by
    # their motifs. True sets without partner add 0 to the sums.
    g, d = len(true_sizes), len(found_sizes)
    if penalize_off_target:
        counted, sets, all_sets = sum(found_sizes), d, max(g, d)
    else:
        counted, sets, all_sets = sum([found_sizes[j] for _, j in pairs]), len(pairs), g
    return (
        tp / counted,
        tp / motifs,
        2 * tp / (motifs + counted),
        _mean([(c, b) for c, _, b in matched], sets),
        _mean([(c, a) for c, a, _ in matched], g),
        _mean([(2 * c, a + b) for c, a, b in matched], all_sets),
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
    best = best_found(batch, matchable(batch, check_threshold(threshold)))
    cells = batch.cells(*best)
    true_sizes, found_sizes = batch.truth.set_sizes, batch.found.set_sizes
    values = np.zeros((batch.size, len(NAMES)))
    for problem, (rows, columns, counts) in cells.tables(np.bincount(cells.place)):
        hits = dict(zip(zip(rows, columns), counts))  # noqa: B905 (time)
        sizes = true_sizes[problem], found_sizes[problem]
        pairs = match_sets(hits, *sizes)
        values[problem] = averages(
            hits, pairs, *sizes, penalize_off_target=penalize_off_target
        )
    return dict(zip(NAMES, values.T, strict=True))


# One problem, with all details.


def compare(
    batch: Batch,
    truth: MotifSets,
    found: MotifSets,
    matchable_pairs: SegmentPairs,
    threshold: Fraction,
    *,
    penalize_off_target: bool,
    tau: Fraction | None = None,
) -> Prom:
    """Evaluate the one problem of a batch, given its matchable pairs of motifs."""
    motif, segment = best_found(batch, matchable_pairs)
    row, column = batch.truth.owner[motif], batch.found.owner[segment]
    hits = Counter(zip(row.tolist(), column.tolist(), strict=True))
    true_sizes, found_sizes = batch.truth.sizes.tolist(), batch.found.sizes.tolist()
    pairs = match_sets(hits, true_sizes, found_sizes)
    values = averages(
        hits, pairs, true_sizes, found_sizes, penalize_off_target=penalize_off_target
    )
    if (motif[1:] == motif[:-1]).any():
        # Link each true motif with one found set: its set's partner if that is among
        # those with the best rate, else the first.
        partner = np.full(len(true_sizes), -1)
        partner[[i for i, _ in pairs]] = [j for _, j in pairs]
        order = np.lexsort((column != partner[row], motif))
        links = order[_is_new(motif[order])]
        motif, segment = motif[links], segment[links]
        hits = Counter(zip(row[links].tolist(), column[links].tolist(), strict=True))
    # Matched pairs first, in the order in which truth was given, then other sets.
    row_places, column_places = batch.truth.places, batch.found.places
    pairs.sort(key=lambda pair: row_places[pair[0]])
    rows, columns = [i for i, _ in pairs], [j for _, j in pairs]
    left = {*range(len(true_sizes))}.difference(rows)
    rows += sorted(left, key=row_places.__getitem__)
    columns += sorted({*range(len(found_sizes))}.difference(columns))
    row_at = {i: place for place, i in enumerate(rows)}
    column_at = {j: place for place, j in enumerate(columns)}
    matrix = np.zeros((len(rows) + 1, len(columns) + 1), dtype=np.int64)
    matrix[:-1, -1] = [true_sizes[i] for i in rows]
    matrix[-1, :-1] = [found_sizes[j] for j in columns]
    for (i, j), count in hits.items():
        matrix[row_at[i], column_at[j]] = count
        matrix[row_at[i], -1] -= count
        matrix[-1, column_at[j]] -= count
    matrix.flags.writeable = False
    return Prom(
        matrix=matrix,
        truth=truth.reordered([row_places[i] for i in rows]),
        found=found.reordered([column_places[j] for j in columns]),
        matched=len(pairs),
        threshold=threshold,
        penalize_off_target=penalize_off_target,
        micro=Averages(*values[:3]),
        macro=Averages(*values[3:]),
        tau=tau,
        _links=lambda: np.stack(
            [_moved(motif, batch.truth, rows), _moved(segment, batch.found, columns)],
            axis=1,
        ),
    )


def _moved(segment: Integers, side: Side, order: list[int]) -> Integers:
    """Map segment positions to the new order of the sets."""
    sizes = side.sizes[order]
    begin = np.zeros(len(order), dtype=np.int64)
    begin[order] = np.cumsum(sizes) - sizes
    shift = begin - (np.cumsum(side.sizes) - side.sizes)
    moved: Integers = segment + shift[side.owner[segment]]
    return moved

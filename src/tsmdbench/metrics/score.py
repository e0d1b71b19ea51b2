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
cheapest matching is the one that saves most: a maximum-weight matching in the graph of
overlapping intervals, found for all pairs of sets at once and without a table of all
pairs of motifs.

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

from itertools import pairwise
from typing import Any

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.metrics.batch import (
    Batch,
    Side,
    highest_total,
    numbered,
    sparse_graph,
    sums,
)
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
    batch = Batch.of_one(check_truth(truth), check_motif_sets(found, "found"))
    values = score_of(batch, penalize_off_target=penalize_off_target)
    return float(values["score"][0])


def score_of(batch: Batch, *, penalize_off_target: bool = False) -> dict[str, Floats]:
    """Return the score of every problem of a batch."""
    check_flag(penalize_off_target, "penalize_off_target")
    pairs = batch.touching
    true_starts = batch.truth.segments[pairs.truth, 0]
    found_starts = batch.found.segments[pairs.found, 0]
    # |a| + |b| is what both cover together, what they share counted twice.
    weight = pairs.common + pairs.joint - np.abs(true_starts - found_starts)
    # Segments of different pairs of sets are different nodes of the graph.
    cells = batch.cells(pairs.truth, pairs.found)
    left, right = (numbered(x, cells.place) for x in (pairs.truth, pairs.found))
    chosen = heaviest_matching(left, right, weight)
    saved = sums(cells.place[chosen], weight[chosen], len(cells.row))
    found_lengths = _set_lengths(batch.found)
    scores = sums(batch.truth.problem, _set_lengths(batch.truth), batch.size)
    for problem, (first, last) in enumerate(pairwise(cells.cuts)):
        g, d = batch.rows[problem], batch.columns[problem]
        begin = batch.found.first_set[problem]
        costs = found_lengths[begin : begin + d]
        table = np.zeros((g, d))
        if penalize_off_target or d <= g:
            scores[problem] += costs.sum()
        else:  # a set that is left over costs nothing, so taking it costs its length
            table -= costs
        table[cells.row[first:last], cells.column[first:last]] += saved[first:last]
        scores[problem] -= highest_total(table)
    return {"score": scores}


def _set_lengths(side: Side) -> Floats:
    """Return the samples that the motifs of each set have together."""
    return sums(side.owner, side.lengths, len(side.sizes))


def heaviest_matching(left: Integers, right: Integers, weight: Integers) -> Integers:
    """Return the edges of the heaviest matching of a weighted bipartite graph.

    Intervals on a line overlap their neighbours only, so most edges are alone. Among
    the others, every node gets a twin that it may be matched with at no gain, and twins
    of connected nodes may be matched with each other. So there is a matching of all
    nodes, for which SciPy has a solver, and a heaviest one of these has a heaviest
    matching of the graph in it.

    left, right: the nodes that each edge connects, numbered on each side; weight: what
    it is worth, positive.

    A path of three edges: the two outer ones are worth more than the middle one.

    >>> heaviest_matching(np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([3, 5, 3]))
    array([0, 2])
    """
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    alone = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
    edges = (~alone).nonzero()[0]
    if not len(edges):
        return np.flatnonzero(alone)
    left, right, weight = numbered(left[edges]), numbered(right[edges]), weight[edges]
    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    each_left, each_right = np.arange(lefts), np.arange(rights)
    rows = np.concatenate([left, each_left, lefts + each_right, lefts + right])
    columns = np.concatenate([right, rights + each_left, each_right, rights + left])
    gain = np.concatenate([weight, np.zeros(lefts + rights + len(left), np.int64)])
    # The solver drops edges of cost 0; a constant for each edge changes nothing.
    cost = (int(weight.max()) + 1 - gain).astype(np.float64)
    _, partner = min_weight_full_bipartite_matching(sparse_graph(cost, (rows, columns)))
    alone[edges] = partner[left] == right
    return np.flatnonzero(alone)

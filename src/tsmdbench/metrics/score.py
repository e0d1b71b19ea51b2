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
cheapest matching is the one that saves most: per pair of sets a maximum-weight
matching in the graph of overlapping intervals. That graph falls into small connected
components, which are solved one by one; no table of all pairs of motifs is made.

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

DENSE_CELLS = 1_000_000  # a component with a larger table is solved sparsely


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
    edge, best = heaviest_matchings(left, right, weight)
    saved = sums(cells.place[edge], best, len(cells.row))
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


def heaviest_matchings(
    left: Integers, right: Integers, weight: Integers
) -> tuple[Integers, Integers]:
    """Solve every connected component of a weighted bipartite graph.

    Intervals on a line overlap their neighbours only, so most components are a single
    edge or a star, whose best edge is the answer. The others are solved one by one.

    Parameters
    ----------
    left, right : int64[e]
        The nodes that each edge connects, numbered from 0 on each side.
    weight : int64[e]
        What each edge is worth; positive.

    Returns
    -------
    first : int64[c]
        One edge of each component.
    best : int64[c]
        The largest total weight of edges that share no node.

    Examples
    --------
    A path of three edges: the two outer ones are worth more than the middle one.

    >>> edges = np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([3, 5, 3])
    >>> heaviest_matchings(*edges)
    (array([0]), array([6]))
    """
    from scipy.sparse.csgraph import connected_components

    single = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
    first, best = single.nonzero()[0], weight[single]
    edges = (~single).nonzero()[0]
    if not len(edges):
        return first, best
    left, right, weight = numbered(left[edges]), numbered(right[edges]), weight[edges]
    lefts = int(left.max()) + 1
    size = lefts + int(right.max()) + 1
    graph = sparse_graph(np.ones(len(left)), (left, lefts + right), size)
    count, component = connected_components(graph, directed=False)
    order = np.argsort(component[left], kind="stable")
    cuts = np.searchsorted(component[left][order], np.arange(count + 1))
    tops = np.maximum.reduceat(weight[order], cuts[:-1])  # right for stars
    nodes = [
        np.bincount(component[part]) for part in (slice(lefts), slice(lefts, None))
    ]
    for piece in ((nodes[0] > 1) & (nodes[1] > 1)).nonzero()[0].tolist():
        some = order[cuts[piece] : cuts[piece + 1]]
        tops[piece] = _heaviest(left[some], right[some], weight[some])
    return np.concatenate([first, edges[order[cuts[:-1]]]]), np.concatenate(
        [best, tops]
    )


def _heaviest(left: Integers, right: Integers, weight: Integers) -> int:
    """Return the weight of the heaviest matching of one component."""
    from scipy.optimize import linear_sum_assignment

    left, right = numbered(left), numbered(right)
    shape = int(left.max()) + 1, int(right.max()) + 1
    if shape[0] * shape[1] > DENSE_CELLS:
        return _heaviest_sparse(left, right, weight)
    table = np.zeros(shape, dtype=np.int64)
    table[left, right] = weight
    return int(table[linear_sum_assignment(table, maximize=True)].sum())


def _heaviest_sparse(left: Integers, right: Integers, weight: Integers) -> int:
    """Solve a large component without a table of all its pairs.

    Every node gets a twin that it may be matched with at no gain, and twins of
    connected nodes may be matched with each other, so that a full matching exists
    and its weight is that of the heaviest matching of the component.
    """
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    each_left, each_right = np.arange(lefts), np.arange(rights)
    rows = np.concatenate([left, each_left, lefts + each_right, lefts + right])
    columns = np.concatenate([right, rights + each_left, each_right, rights + left])
    gain = np.concatenate([weight, np.zeros(lefts + rights + len(left), np.int64)])
    # The solver drops edges of cost 0; a constant for each edge changes nothing.
    cost = (int(weight.max()) + 1 - gain).astype(np.float64)
    graph = sparse_graph(cost, (rows, columns))
    matched = min_weight_full_bipartite_matching(graph)
    total = graph[matched[0], matched[1]].sum()
    return (lefts + rights) * (int(weight.max()) + 1) - round(float(total))

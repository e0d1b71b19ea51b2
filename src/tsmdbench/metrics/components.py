"""Maximum-weight matchings in a graph of many small connected components.

Intervals on a line overlap their neighbours only, so the graph of overlapping true
and found motifs falls into many small pieces, most of them a single edge or a star.
Those are solved for all pieces at once; what is left is solved piece by piece.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

DENSE_CELLS = 1_000_000  # a component with a larger table is solved sparsely


def heaviest_matchings(
    left: Integers, right: Integers, weight: Integers
) -> tuple[Integers, Integers]:
    """Solve every connected component of a weighted bipartite graph.

    Parameters
    ----------
    left, right : int64[e]
        The nodes that each edge connects, by any numbers.
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
    left, right = _numbered(left), _numbered(right)
    lonely = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
    first, best = lonely.nonzero()[0], weight[lonely]
    edges = (~lonely).nonzero()[0]
    if not len(edges):
        return first, best
    more, found = _solve(left[edges], right[edges], weight[edges])
    return np.concatenate([first, edges[more]]), np.concatenate([best, found])


def _numbered(nodes: Integers) -> Integers:
    """Return nodes as consecutive numbers."""
    return np.unique(nodes, return_inverse=True)[1]


def _solve(
    left: Integers, right: Integers, weight: Integers
) -> tuple[Integers, Integers]:
    """Solve components of at least two edges."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    left, right = _numbered(left), _numbered(right)
    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    size = lefts + rights
    graph = coo_array((np.ones(len(left)), (left, lefts + right)), shape=(size, size))
    count, component = connected_components(graph, directed=False)
    order = np.argsort(component[left], kind="stable")
    cuts = np.searchsorted(component[left][order], np.arange(count + 1))
    best = np.maximum.reduceat(weight[order], cuts[:-1])  # right for stars
    of_lefts = np.bincount(component[:lefts], minlength=count)
    of_rights = np.bincount(component[lefts:], minlength=count)
    for piece in ((of_lefts > 1) & (of_rights > 1)).nonzero()[0]:
        edges = order[cuts[piece] : cuts[piece + 1]]
        best[piece] = _heaviest(left[edges], right[edges], weight[edges])
    return order[cuts[:-1]], best


def _heaviest(left: Integers, right: Integers, weight: Integers) -> int:
    """Return the weight of the heaviest matching of one component."""
    from scipy.optimize import linear_sum_assignment

    left, right = _numbered(left), _numbered(right)
    shape = int(left.max()) + 1, int(right.max()) + 1
    if shape[0] * shape[1] > DENSE_CELLS:
        return _heaviest_sparse(left, right, weight)
    table = np.zeros(shape, dtype=np.int64)
    # Segments that stand twice in a set are two nodes, so no edge stands twice.
    table[left, right] = weight
    return int(table[linear_sum_assignment(table, maximize=True)].sum())


def _heaviest_sparse(left: Integers, right: Integers, weight: Integers) -> int:
    """Solve a large component without a table of all its pairs.

    Every node gets a twin that it may be matched with at no gain, and twins of
    connected nodes may be matched with each other, so that a full matching exists
    and its weight is that of the heaviest matching of the component.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    each_left, each_right = np.arange(lefts), np.arange(rights)
    rows = np.concatenate([left, each_left, lefts + each_right, lefts + right])
    columns = np.concatenate([right, rights + each_left, each_right, rights + left])
    gain = np.concatenate([weight, np.zeros(lefts + rights + len(left), np.int64)])
    # The solver drops edges of cost 0; a constant for each edge changes nothing.
    cost = (int(weight.max()) + 1 - gain).astype(np.float64)
    graph = coo_array((cost, (rows, columns))).tocsr()
    matched = min_weight_full_bipartite_matching(graph)
    total = graph[matched[0], matched[1]].sum()
    return (lefts + rights) * (int(weight.max()) + 1) - round(float(total))

"""Maximum-weight matchings in a graph of many small connected components.

Intervals on a line overlap their neighbours only, so the graph of overlapping true
and found motifs falls into many small pieces, most of them a single edge or a star.
Those are solved for all pieces at once; what is left is solved piece by piece.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Integers
from tsmdbench.metrics._batch.assignment import FEW, Shapes, add_up, highest_totals

DENSE_CELLS = 1_000_000  # a component with a larger table is solved sparsely
SMALL_CELLS = 256  # components with tables up to this are solved together
SPARSE = 16  # numbers that are used more sparsely than this are sorted to count them


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
    left, right = numbered(left), numbered(right)
    lonely = (np.bincount(left)[left] == 1) & (np.bincount(right)[right] == 1)
    first, best = lonely.nonzero()[0], weight[lonely]
    edges = (~lonely).nonzero()[0]
    if not len(edges):
        return first, best
    more, found = _solve(left[edges], right[edges], weight[edges])
    return np.concatenate([first, edges[more]]), np.concatenate([best, found])


def numbered(nodes: Integers) -> Integers:
    """Return nodes, which are not negative, as consecutive numbers."""
    span = int(nodes.max(initial=-1)) + 1
    if span > SPARSE * len(nodes):
        return np.unique(nodes, return_inverse=True)[1]
    seen = np.zeros(span, dtype=np.int64)
    seen[nodes] = 1
    numbers: Integers = (seen.cumsum() - 1)[nodes]
    return numbers


def sparse_graph(
    values: NDArray[Any], ends: tuple[Integers, Integers], size: int | None = None
) -> Any:
    """Return a graph as SciPy takes it; bipartite unless its size is given.

    Release 1.14 of SciPy solves graphs with 32-bit indices only.
    """
    from scipy.sparse import coo_array

    row, column = (nodes.astype(np.int32) for nodes in ends)
    shape = None if size is None else (size, size)
    return coo_array((values, (row, column)), shape=shape).tocsr()


def _solve(
    left: Integers, right: Integers, weight: Integers
) -> tuple[Integers, Integers]:
    """Solve components of at least two edges."""
    from scipy.sparse.csgraph import connected_components

    left, right = numbered(left), numbered(right)
    lefts, rights = int(left.max()) + 1, int(right.max()) + 1
    size = lefts + rights
    graph = sparse_graph(np.ones(len(left)), (left, lefts + right), size)
    count, component = connected_components(graph, directed=False)
    of_edge = component[left]
    order = np.argsort(of_edge, kind="stable")
    cuts = np.searchsorted(of_edge[order], np.arange(count + 1))
    best = np.maximum.reduceat(weight[order], cuts[:-1])  # right for stars
    shapes = Shapes(
        np.bincount(component[:lefts], minlength=count),
        np.bincount(component[lefts:], minlength=count),
    )
    branched = (shapes.rows > 1) & (shapes.columns > 1)
    small = branched & (shapes.rows * shapes.columns <= SMALL_CELLS)
    if small.sum() > FEW:
        edges = small[of_edge].nonzero()[0]
        row, column = _ranks(component[:lefts]), _ranks(component[lefts:])
        tables = Shapes(shapes.rows[small], shapes.columns[small])
        piece = (small.cumsum() - 1)[of_edge[edges]]
        cell = tables.first[piece] + row[left[edges]] * tables.columns[piece]
        cell += column[right[edges]]
        worth = add_up(cell, weight[edges], int(tables.first[-1]))
        best[small] = highest_totals(worth, tables, whole=True)
        branched &= ~small
    for piece in branched.nonzero()[0]:
        edges = order[cuts[piece] : cuts[piece + 1]]
        best[piece] = _heaviest(left[edges], right[edges], weight[edges])
    return order[cuts[:-1]], best


def _ranks(component: Integers) -> Integers:
    """Return for each node how many of its component stand before it."""
    order = np.argsort(component, kind="stable")
    sizes = np.bincount(component)
    ranks = np.empty(len(component), dtype=np.int64)
    ranks[order] = np.arange(len(component)) - np.repeat(sizes.cumsum() - sizes, sizes)
    return ranks


def _heaviest(left: Integers, right: Integers, weight: Integers) -> int:
    """Return the weight of the heaviest matching of one component."""
    from scipy.optimize import linear_sum_assignment

    left, right = numbered(left), numbered(right)
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

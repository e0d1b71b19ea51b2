"""The best one-to-one matching of true and found sets, one level after the other.

`tsmdbench.metrics.prom` has the rule by which matchings are compared: several levels,
the first of which decides. Here each level is an assignment problem of its own, in
whole numbers of any size, and the matching itself is returned, also where several are
equally good by all levels.

How it is solved
----------------
*Many more sets on one side* than on the other are reduced to those that can matter. A
matching uses at most g of the found sets. For one true set, found sets are ordered by
all levels at once: more common motifs, then fewer motifs; with both equal, all
quotients are equal too. If a matching gave the true set a partner beyond the first g of
this order, one of the first g would be free, and taking it would be at least as good.
So the first g of each true set are enough, g * g in all, however many were found.

*One level after the other.* The table of the sets that are left is padded to a square
with sets that do not exist, worth nothing. A level is an assignment problem, which
SciPy solves [1]_. The next level may choose only among the best assignments of this
one, and these are found so:

* ``loss[i, k]`` is what row i loses by taking the column that row k has now. Any other
  assignment is a set of cycles of such exchanges, and its total is lower by the sum of
  their losses. No cycle has a negative sum, or the assignment was not the best.
* So shortest distances exist in the graph of these losses: ``potential[k]``, the least
  sum of losses on a way that ends in k. By definition ``slack[i, k] = potential[i] +
  loss[i, k] - potential[k]`` is never negative. Along a cycle the potentials cancel:
  the sum of slacks is the sum of losses.
* Hence an assignment is a best one if and only if all its exchanges have slack 0.
  These edges are *tight*, and the next level is solved among them.
* A row can change its column only on a cycle of tight edges, that is, if its strongly
  connected component has another row. The other rows are decided and left out.

An example to check by hand: true sets of 2 and 4 motifs, found sets of 2 and 3, one
common motif in each of the four pairs. Level 1: both assignments have 2 common motifs,
every loss is 0, every edge is tight, nothing is decided. Levels 2 and 3 do not apply:
every set is matched. Level 4: F1 is 2/4 and 2/5 in the first row, 2/6 and 2/7 in the
second, over the common denominator 420::

    210 168      straight: 210 + 120 = 330       crossed: 168 + 140 = 308
    140 120

Straight is best. Its losses are 210 - 168 = 42 for the first row and 120 - 140 = -20
for the second, so the potentials are -20 (the first row, reached from the second) and
0. The slacks are -20 + 42 - 0 = 22 and 0 - 20 + 20 = 0: the second row would rather
change, but only with the first, and the cycle costs 22 = 330 - 308. It is not tight,
no row can change its column, and the levels that follow are not looked at.

References
----------
.. [1] D. F. Crouse, "On implementing 2D rectangular assignment algorithms", IEEE
   Transactions on Aerospace and Electronic Systems 52(4), 2016, pp. 1679-1696,
   doi:10.1109/TAES.2016.140952 (the solver in SciPy).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Integers
from tsmdbench.metrics.batch import EXACT_FLOAT

MANY = 512  # sets of one side above which those that cannot matter are left out
SMALL = 64  # rows up to which a component is found by squaring a table


def match_by_levels(
    common: Integers, truth_sizes: Integers, found_sizes: Integers
) -> tuple[Integers, Integers]:
    """Match the sets of one problem, level by level.

    Parameters
    ----------
    common : int64[g, d]
        Motifs that a true and a found set have in common.
    truth_sizes, found_sizes : int64[g], int64[d]
        Motifs of each set.

    Returns
    -------
    rows, columns : int64[min(g, d)], int64[min(g, d)]
        The matched pairs, sorted by row.

    Examples
    --------
    The example of the docstring above:

    >>> match_by_levels(np.ones((2, 2), int), np.array([2, 4]), np.array([2, 3]))
    (array([0, 1]), array([0, 1]))
    """
    g, d = common.shape
    if g == d and not common.any():
        return np.arange(g), np.arange(d)
    if is_reducible(g, d):
        kept = promising(common, -np.broadcast_to(found_sizes, (g, d)))
        rows, columns = match_by_levels(common[:, kept], truth_sizes, found_sizes[kept])
        return rows, kept[columns]
    if is_reducible(d, g):
        kept = promising(common.T, -np.broadcast_to(truth_sizes, (d, g)))
        rows, columns = match_by_levels(common[kept], truth_sizes[kept], found_sizes)
        return kept[rows], columns
    return best_assignment(_levels(common, truth_sizes, found_sizes), common > 0)


def promising(*levels: NDArray[Any]) -> Integers:
    """Return the columns that are among the best g of any of the g rows.

    Parameters
    ----------
    *levels : arrays of shape (g, d)
        What each row prefers: higher values, the first level first. Values of one row
        are equal at all levels only for columns that are equally good for it; earlier
        ones are preferred then.

    Examples
    --------
    >>> promising(np.array([[1, 3, 3, 2]]), np.array([[9, 4, 5, 8]])).tolist()
    [2]
    """
    g, d = levels[0].shape
    kept = np.zeros(d, dtype=np.bool_)
    for row in range(g):
        keys = [-level[row] for level in reversed(levels)]
        kept[np.lexsort(keys)[:g]] = True
    return kept.nonzero()[0]


def is_reducible(g: int, d: int) -> bool:
    """Return True if `promising` is worth its time for a table of this shape."""
    return d > max(g * g, MANY)


def best_assignment(
    levels: Iterable[NDArray[Any]], stake: NDArray[np.bool_]
) -> tuple[Integers, Integers]:
    """Assign rows to columns one to one so that one level after the other is highest.

    Parameters
    ----------
    levels : iterable of arrays of shape (g, d)
        What each pair is worth, most important level first: whole numbers, as
        float64 or int64 where all sums stay below 2**53, else as Python ints. Later
        levels are asked for only where earlier ones leave a tie.
    stake : bool[g, d]
        Pairs for which later levels can differ from zero; when no such pair is left
        to decide, the rest is not looked at.

    Returns
    -------
    rows, columns : int64[min(g, d)], int64[min(g, d)]
        Sorted by row. Remaining ties go by position.
    """
    g, d = stake.shape
    n = max(g, d)  # padded with sets that do not exist, worth nothing at any level
    column = np.arange(n)
    row = np.arange(n)  # the rows that are still undecided
    allowed = np.ones((n, n), dtype=np.bool_)
    for level in levels:
        worth = _padded(level, n)[row][:, column[row]]
        ways, tight = _best(worth, allowed)
        column[row] = column[row][ways]
        undecided = _undecided(tight, real=row < g)
        if not len(undecided):
            break
        allowed = tight[undecided][:, undecided]
        row = row[undecided]
        rows, columns = row[row < g], column[row][column[row] < d]
        if not stake[rows][:, columns].any():
            break
    rows = (column[:g] < d).nonzero()[0]
    return rows, column[rows]


def _levels(
    common: Integers, truth_sizes: Integers, found_sizes: Integers
) -> Iterator[NDArray[Any]]:
    """Yield what each level adds up, made only when a tie asks for it."""
    g, d = common.shape
    cost = np.broadcast_to(found_sizes if d > g else truth_sizes[:, None], (g, d))
    unit = int(truth_sizes.sum() + found_sizes.sum()) + 1  # exceeds any sum of sizes
    if g == d:  # every set is matched, so the sizes cannot differ
        yield common
    elif int(common.max()) * unit * max(g, d) < EXACT_FLOAT:
        yield common * unit - cost  # both levels at once: sizes are the lower digits
    else:
        yield common
        yield -cost
    truth_column = np.broadcast_to(truth_sizes[:, None], (g, d))
    found_row = np.broadcast_to(found_sizes, (g, d))
    for over, under in (
        (2 * common, truth_column + found_row),  # F1
        (common, found_row),  # precision
        (common, truth_column),  # recall
    ):
        yield over_common_denominator(over, under)


def over_common_denominator(over: Integers, under: Integers) -> NDArray[Any]:
    """Return whole numbers in the proportion of the quotients ``over / under``."""
    used = over > 0
    shared = math.lcm(*map(int, np.unique(under[used])))
    if int(over.max()) * shared * max(over.shape) < EXACT_FLOAT:
        return np.where(used, over * (shared // np.maximum(under, 1)), 0)
    whole = [
        o * (shared // u) if o else 0
        for o, u in zip(over.ravel().tolist(), under.ravel().tolist(), strict=True)
    ]
    return np.array(whole, dtype=object).reshape(over.shape)


def _padded(level: NDArray[Any], n: int) -> NDArray[Any]:
    square = np.zeros((n, n), dtype=object if level.dtype == object else np.float64)
    square[: level.shape[0], : level.shape[1]] = level
    return square


def _best(
    worth: NDArray[Any], allowed: NDArray[np.bool_]
) -> tuple[Integers, NDArray[np.bool_]]:
    """Return the best assignment of rows to columns, and the tight edges.

    Row ``i`` takes column ``ways[i]``; ``tight[i, k]`` says that the slack of its
    taking the column of row ``k`` is 0.
    """
    # Imported here: scipy.optimize takes a quarter of a second, and a listing of
    # the metrics needs none of it.
    from scipy.optimize import linear_sum_assignment

    if worth.dtype == object:
        top = max(1, max(worth.ravel().tolist()))
        scaled = np.array([[value / top for value in line] for line in worth.tolist()])
    else:
        scaled = worth
    ways = linear_sum_assignment(np.where(allowed, -scaled, np.inf))[1]
    while True:
        kept = np.take_along_axis(worth, ways[:, None], axis=1)
        loss = kept - worth[:, ways]
        barred = ~allowed[:, ways]
        potential, cycle = _potentials(loss, barred)
        if cycle is None:
            break
        # Rounding hid that this exchange is better; it cannot occur in float64.
        ways[cycle] = ways[np.roll(cycle, -1)]
    slack = potential[:, None] + loss - potential[None, :]
    return ways, np.asarray(slack == 0, dtype=np.bool_) & ~barred


def _potentials(
    loss: NDArray[Any], barred: NDArray[np.bool_]
) -> tuple[NDArray[Any], Integers | None]:
    """Return shortest distances over exchanges, or a cycle of exchanges that gains.

    The algorithm of Bellman and Ford, all edges at a time: without a cycle of negative
    sum, no shortest way has more than n edges.
    """
    n = len(loss)
    potential = np.zeros(n, dtype=loss.dtype)
    usable = np.where(barred, _beyond(loss), loss)
    origin = np.arange(n)
    for _ in range(n + 1):
        reached = potential[:, None] + usable
        best = reached.argmin(axis=0)
        nearer = reached[best, np.arange(n)]
        closer = nearer < potential
        if not closer.any():
            return potential, None
        potential = np.where(closer, nearer, potential)
        origin = np.where(closer, best, origin)
    return potential, _cycle(origin, int(np.flatnonzero(closer)[0]))


def _beyond(loss: NDArray[Any]) -> Any:
    """Return a loss that no chain of exchanges can make up for."""
    if loss.dtype == object:
        return (len(loss) + 1) * (max(map(abs, loss.ravel().tolist())) + 1)
    return np.inf


def _cycle(origin: Integers, node: int) -> Integers:
    """Walk back until a row repeats; return the cycle in the order of exchanges."""
    for _ in range(len(origin)):
        node = int(origin[node])
    cycle = [node]
    while int(origin[cycle[-1]]) != node:
        cycle.append(int(origin[cycle[-1]]))
    return np.array(cycle[::-1])


def _undecided(tight: NDArray[np.bool_], real: NDArray[np.bool_]) -> Integers:
    """Return the rows whose column differs between best assignments."""
    others = tight & ~np.eye(len(tight), dtype=np.bool_)
    may_move = others.any(axis=0) & others.any(axis=1)
    if not (may_move & real).any():
        return np.empty(0, dtype=np.int64)
    exchanging = _components(others)
    swaps = np.bincount(exchanging)[exchanging] > 1
    with_real = np.zeros(len(tight), dtype=np.bool_)
    with_real[exchanging[real]] = True
    undecided: Integers = (swaps & with_real[exchanging]).nonzero()[0]
    return undecided


def _components(edges: NDArray[np.bool_]) -> Integers:
    """Return for each node the number of its strongly connected component."""
    if len(edges) > SMALL:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        found: Integers = connected_components(csr_array(edges), connection="strong")[1]
        return found
    # Small graphs are many: squaring the table of what reaches what is much faster.
    reaches = edges | np.eye(len(edges), dtype=np.bool_)
    for _ in range(len(edges).bit_length()):
        reaches = reaches @ reaches
    numbers: Integers = (reaches & reaches.T).argmax(axis=1)
    return numbers

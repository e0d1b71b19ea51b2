"""Assignment problems, many at once: the highest total of each of many tables.

A table says what each pair of a row and a column is worth; an assignment takes
``min(rows, columns)`` pairs that share no row and no column. Only the highest total
is asked for here, not the pairs that reach it.

Small tables are solved together, all of one shape at a time: columns are offered one
after the other, and for every subset of the rows the best total that covers exactly
these is kept (the dynamic program of Held and Karp, over subsets [1]_). Each step is
one operation on an array over all tables, so a table costs microseconds. Large
tables are solved one by one.

References
----------
.. [1] M. Held, R. M. Karp, "A dynamic programming approach to sequencing problems",
   Journal of the Society for Industrial and Applied Mathematics 10(1), 1962,
   pp. 196-210, doi:10.1137/0110015 (the same recursion, for tours).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Floats, Integers

MOST_STEPS = 8192  # sums that a table may need to be solved together with others
MOST_STATES = 2**17  # subsets of rows, over all tables, that are held at a time
FEW = 8  # tables up to which solving each by itself is faster


class SameShape(NamedTuple):
    """Tables of one shape, turned so that the shorter side is the same one."""

    short: int
    long: int
    members: Integers  # numbers of the tables

    @property
    def steps(self) -> int:
        """Sums that the dynamic program needs for one of these tables."""
        return self.long * self.short << max(self.short - 1, 0)


@dataclass(frozen=True)
class Shapes:
    """Where each table is in a flat array that holds them row by row."""

    rows: Integers
    columns: Integers

    @cached_property
    def first(self) -> Integers:
        """First cell of each table, and the end."""
        first = np.zeros(len(self.rows) + 1, dtype=np.int64)
        np.cumsum(self.rows * self.columns, out=first[1:])
        return first

    @cached_property
    def groups(self) -> list[SameShape]:
        """The tables that have cells, by shape."""
        if len(self.rows) == 1:
            short, long = sorted((int(self.rows[0]), int(self.columns[0])))
            return [SameShape(short, long, np.zeros(1, np.int64))] if short else []
        shorter = np.minimum(self.rows, self.columns)
        longer = np.maximum(self.rows, self.columns)
        key = longer * (int(shorter.max(initial=0)) + 1) + shorter
        order = key.argsort(kind="stable")
        cuts = (key[order][1:] != key[order][:-1]).nonzero()[0] + 1
        parts = np.split(order, cuts) if len(order) else []
        made = [SameShape(int(shorter[p[0]]), int(longer[p[0]]), p) for p in parts]
        return [group for group in made if group.short]

    def one(self, values: NDArray[Any], table: int) -> NDArray[Any]:
        """Return one table, rows by columns."""
        cells = values[self.first[table] : self.first[table + 1]]
        return cells.reshape(int(self.rows[table]), int(self.columns[table]))

    def stacked(self, values: NDArray[Any], group: SameShape) -> NDArray[Any]:
        """Return the tables of a group as one array, (long, short, members)."""
        if len(group.members) == 1:
            table = self.one(values, int(group.members[0]))
            wide = table.shape[1] >= len(table)  # as below, also for a square
            return (table.T if wide else table)[:, :, None]
        rows, columns = self.rows[group.members], self.columns[group.members]
        wide = columns >= rows
        along_long = np.where(wide, 1, columns)
        along_short = np.where(wide, columns, 1)
        place = (
            self.first[:-1][group.members]
            + np.arange(group.long)[:, None, None] * along_long
        )
        place = place + np.arange(group.short)[:, None] * along_short
        stacked: NDArray[Any] = values[place]
        return stacked


def add_up(places: Integers, values: NDArray[Any], size: int) -> Floats:
    """Add the values that belong to the same place, in the order that they have."""
    sums: Any = np.bincount(places, values, size)
    return np.asarray(sums, dtype=np.float64)  # without values, bincount makes ints


def highest_totals(values: Floats, shapes: Shapes, *, whole: bool) -> Floats:
    """Return the highest total of an assignment in each table.

    Parameters
    ----------
    values : float64[cells]
        What each cell is worth, table behind table.
    shapes : Shapes
        Rows and columns of each table.
    whole : bool
        Whether all worths are whole numbers whose sums stay below 2**53. Their totals
        are exact whichever way they are found; the way of others depends on the shape
        only, so that a table's total never depends on its company.

    Examples
    --------
    A table of two rows and three columns, and one of a single cell:

    >>> worth = np.array([5.0, 4.0, 0.0, 5.0, 1.0, 0.0, 7.0])
    >>> shapes = Shapes(np.array([2, 1]), np.array([3, 1]))
    >>> highest_totals(worth, shapes, whole=True)
    array([9., 7.])
    """
    totals = np.zeros(len(shapes.rows))
    for group in shapes.groups:
        if group.short == 1:
            stacked = shapes.stacked(values, group)
            totals[group.members] = stacked.max(axis=(0, 1))
            continue
        few = whole and len(group.members) <= FEW
        if few or group.steps > MOST_STEPS:
            for table in group.members.tolist():
                totals[table] = _highest_total(shapes.one(values, table))
        else:
            totals[group.members] = best_totals(shapes.stacked(values, group))
    return totals


def best_totals(worth: NDArray[Any]) -> NDArray[Any]:
    """Return the best total of each of many tables of one shape.

    Parameters
    ----------
    worth : float64 or complex128 of shape (long, short, n)
        Complex numbers are compared by their real part first, which makes two levels
        of worth out of one number.
    """
    step = max(1, MOST_STATES >> worth.shape[1])
    parts = [
        _best_totals(worth[:, :, begin : begin + step])
        for begin in range(0, worth.shape[2], step)
    ]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _best_totals(worth: NDArray[Any]) -> NDArray[Any]:
    _, short, n = worth.shape
    # best[s, k]: highest total of table k that covers the subset of the short side
    # whose members are the binary digits of s. Where nothing is worth less than
    # nothing, members may as well be left out: then cells of 0 need no look.
    optional = worth.real.min() >= 0
    best = np.full((1 << short, n), 0 if optional else -np.inf, dtype=worth.dtype)
    best[0] = 0
    before = np.empty_like(best)
    views = [
        (
            before.reshape(-1, 2, 1 << place, n)[:, 0],
            best.reshape(-1, 2, 1 << place, n)[:, 1],
        )
        for place in range(short)
    ]
    needed: Any = worth.any(axis=2) | (not optional)
    for line, look in zip(worth, needed.tolist(), strict=True):
        before[:] = best
        for (without, covered), gain in compress(zip(views, line, strict=True), look):
            np.maximum(covered, without + gain, out=covered)
    covering_all: NDArray[Any] = best[-1]
    return covering_all


def _highest_total(table: Floats) -> float:
    # Imported here: scipy.optimize takes a quarter of a second to import.
    from scipy.optimize import linear_sum_assignment

    return math.fsum(table[linear_sum_assignment(table, maximize=True)])

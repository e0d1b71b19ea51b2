"""PROM's averages for many problems at once, without the result objects.

The matching of `matching` is the best by six levels of worth. For
small tables the whole numbers of all levels are written into one complex number, as
digits are written into a number: matched motifs, sizes (only those of the side that
has more sets can differ) and F1 into the real part, precision and recall into the
imaginary one. The best total of such numbers, found for all tables of a shape at
once, holds the sums of every level. Where the digits have no room below 2**53, and
in large tables, the matching is made problem by problem. Both are exact, so both
give the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tsmdbench.metrics._batch.assignment import MOST_STEPS, add_up, best_totals
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.best_found import best_found
from tsmdbench.metrics._batch.matching import EXACT_FLOAT, match_sets
from tsmdbench.metrics._batch.quotients import mean_of_quotients
from tsmdbench.validation import check_threshold

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NAMES = ("precision", "recall", "f1")
FEW = 2  # tables of one shape up to which matching each by itself is faster
LOG_INT64 = 62  # whole numbers whose logarithms add up to less have their lcm in int64


def prom_of(
    batch: Batch,
    *,
    threshold: float | Fraction = 0.5,
    penalize_off_target: bool = False,
) -> dict[str, Floats]:
    """Return micro and macro averages for every problem of a batch.

    Equal, to the last bit, to what `tsmdbench.metrics.prom` returns for each.
    """
    ties = best_found(batch, check_threshold(threshold))
    cell = batch.cell(batch.truth.owner[ties.motif], ties.column)
    common = np.bincount(cell, minlength=batch.cells)
    values = np.zeros((2 * len(NAMES), batch.size))
    levels = None
    for group in batch.shapes.groups:
        alone = group.members
        if len(alone) > FEW and group.steps <= MOST_STEPS:
            levels = levels or Levels(batch, common)
            together = alone[levels.fit[alone]]
            alone = alone[~levels.fit[alone] & levels.hit[alone]]
            if len(together):
                stacked = batch.shapes.stacked(
                    levels.worth, group._replace(members=together)
                )
                values[:, together] = levels.averages(
                    together,
                    best_totals(stacked),
                    penalize_off_target=penalize_off_target,
                )
        for problem in alone.tolist():
            values[:, problem] = _averages(
                batch, common, problem, penalize_off_target=penalize_off_target
            )
    names = [f"{prefix}_{name}" for prefix in ("prom", "prom_macro") for name in NAMES]
    return dict(zip(names, values, strict=True))


@dataclass(frozen=True)
class Quotients:
    """What pairs of sets have of one kind of quotient, over a common denominator."""

    over: Integers  # of each cell that is not zero
    under: Integers  # of each problem
    fit: Flags  # whether the common denominator of a problem is one


class Levels:
    """The levels of worth of all cells of a batch, as complex numbers."""

    def __init__(self, batch: Batch, common: Integers) -> None:
        self.g, self.d = batch.shapes.rows, batch.shapes.columns
        pairs = np.minimum(self.g, self.d)
        filled = common.nonzero()[0]
        problem = batch.cell_problem[filled]
        hits = common[filled]
        true = batch.truth.sizes[batch.cell_row[filled]]
        found = batch.found.sizes[batch.cell_column[filled]]
        self.f1 = _quotients(2 * hits, true + found, problem, batch.size)
        self.precision = _quotients(hits, found, problem, batch.size)
        self.recall = _quotients(hits, true, problem, batch.size)
        self.truth_motifs = _sums(batch.truth.sizes, batch.truth.problem, batch.size)
        self.found_motifs = _sums(batch.found.sizes, batch.found.problem, batch.size)
        # The numbers of one level stay below the unit of the level above.
        self.hit_unit = 1 + np.select(
            [self.d > self.g, self.g > self.d], [self.found_motifs, self.truth_motifs]
        )
        self.size_unit = pairs * self.f1.under + 1
        self.precision_unit = pairs * self.recall.under + 1
        self.hit = np.zeros(batch.size, dtype=np.bool_)
        self.hit[problem] = True
        self.fit = self.hit & self._room(pairs)
        self.worth = np.zeros(batch.cells, dtype=np.complex128)
        self.worth.real = -self._size_cost(batch) * self.size_unit[batch.cell_problem]
        self.worth.real[filled] += (
            hits * self.hit_unit[problem] * self.size_unit[problem] + self.f1.over
        )
        self.worth.imag[filled] = (
            self.precision.over * self.precision_unit[problem] + self.recall.over
        )

    def _room(self, pairs: Integers) -> Flags:
        """Tell for which problems all sums are whole numbers that float64 holds."""
        room = self.f1.fit & self.precision.fit & self.recall.fit
        real = 1.0 * (self.truth_motifs + 1) * self.hit_unit * self.size_unit
        imaginary = (1.0 * pairs * self.precision.under + 1) * self.precision_unit
        room &= (real < EXACT_FLOAT) & (imaginary < EXACT_FLOAT)
        for level in (self.f1, self.precision, self.recall):
            room &= 1.0 * level.under * np.maximum(self.g, self.d) < EXACT_FLOAT
        return room

    def _size_cost(self, batch: Batch) -> Integers:
        """Return what taking a cell costs: the size of its set on the longer side."""
        problem = batch.cell_problem
        found = batch.found.sizes[batch.cell_column] * (self.d > self.g)[problem]
        true = batch.truth.sizes[batch.cell_row] * (self.g > self.d)[problem]
        return found + true

    def averages(
        self,
        problems: Integers,
        totals: NDArray[np.complex128],
        *,
        penalize_off_target: bool,
    ) -> Floats:
        """Read the sums of each level out of the best totals, and divide."""
        g, d = self.g[problems], self.d[problems]
        hits, f1 = np.divmod(totals.real.astype(np.int64), self.size_unit[problems])
        unit = self.hit_unit[problems]
        tp = -(-hits // unit)
        found = self.found_motifs[problems]
        if not penalize_off_target:
            found = np.where(d > g, tp * unit - hits, found)
        true = self.truth_motifs[problems]
        precision, recall = np.divmod(
            totals.imag.astype(np.int64), self.precision_unit[problems]
        )
        counted = d if penalize_off_target else np.minimum(g, d)
        longest = np.maximum(g, d) if penalize_off_target else g
        return np.stack(
            [
                tp / found,
                tp / true,
                2 * tp / (found + true),
                precision / (self.precision.under[problems] * counted),
                recall / (self.recall.under[problems] * g),
                f1 / (self.f1.under[problems] * longest),
            ]
        )


def _sums(sizes: Integers, problem: Integers, problems: int) -> Integers:
    return add_up(problem, sizes, problems).astype(np.int64)


def _quotients(
    over: Integers, under: Integers, problem: Integers, problems: int
) -> Quotients:
    """Bring the quotients of each problem over a common denominator."""
    shared = np.ones(problems, dtype=np.int64)
    fit = np.ones(problems, dtype=np.bool_)
    if len(problem):
        first = np.flatnonzero(np.diff(problem, prepend=-1))
        filled = problem[first]
        shared[filled] = np.lcm.reduceat(under, first)
        fit[filled] = np.add.reduceat(np.log2(under), first) < LOG_INT64
        shared[~fit] = 1
    return Quotients(over * (shared[problem] // under), shared, fit)


def _averages(
    batch: Batch,
    common: Integers,
    problem: int,
    *,
    penalize_off_target: bool,
) -> tuple[float, ...]:
    """Return micro and macro precision, recall and F1 of one problem."""
    table = batch.shapes.one(common, problem)
    truth_sizes = batch.truth.sizes[batch.rows(problem)]
    found_sizes = batch.found.sizes[batch.columns(problem)]
    if not table.any():
        return (0.0,) * (2 * len(NAMES))
    g, d = table.shape
    rows, columns = match_sets(table, truth_sizes, found_sizes)
    hits = table[rows, columns].tolist()
    true, found = truth_sizes[rows].tolist(), found_sizes[columns].tolist()
    tp, motifs = sum(hits), int(truth_sizes.sum())
    counted = int(found_sizes.sum()) if penalize_off_target else sum(found)
    both = [a + b for a, b in zip(true, found, strict=True)]
    return (
        tp / counted,
        tp / motifs,
        2 * tp / (counted + motifs),
        mean_of_quotients(hits, found, d if penalize_off_target else len(rows)),
        mean_of_quotients(hits, true, g),
        mean_of_quotients(
            [2 * hit for hit in hits], both, max(g, d) if penalize_off_target else g
        ),
    )

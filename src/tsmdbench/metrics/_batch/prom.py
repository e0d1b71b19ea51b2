"""PROM's averages for many problems at once, without the result objects.

The matching of sets, see `tsmdbench.metrics._batch.matching`, is the best by several
levels, the first of which decide. For small tables all levels of a pair of sets are
packed into one complex number, as digits are packed into a number, and the highest
total of such numbers is found for all tables of one shape at once. Large tables, and
numbers that do not fit below 2**53, are matched problem by problem. Both ways are
exact, so both give the same values.

How a pair is packed
--------------------
A pair of a true set of ``a`` motifs and a found set of ``b`` motifs with ``c`` common
ones is worth, with denominators ``D`` that all pairs of the problem share::

    real      (c * U - s) * V + D1 * 2c / (a + b)
    imaginary D2 * c / b * W + D3 * c / a

where ``s`` is the size of the set on the side that has more sets (the sets of the
other side are all matched, so their sizes cannot differ between matchings; 0 if both
sides have equally many), and each unit exceeds what the digits below it can add up to
over all ``p`` pairs of a matching:

* ``U = 1 +`` all motifs of the side with more sets, more than any sum of ``s``;
* ``V = 1 + p * D1``, more than any sum of ``D1 * F1``, since no F1 exceeds 1;
* ``W = 1 + p * D3``, more than any sum of ``D3 * recall``, likewise.

So totals compare as their digits do, one after the other: more common motifs, then
smaller sets, then higher sums of F1, of precision, of recall. NumPy compares complex
numbers by the real part, then by the imaginary one. The digits of the best total are
the sums that the averages are made of; no pairs need to be known.

An example to check by hand: a true set of 2 motifs, found sets of 5 and 3 motifs, and
both of them contain the 2. ``p = 1`` and ``U = 1 + 8``; F1 is 4/7 or 4/5, so
``D1 = 35`` and ``V = 36``; precision is 2/5 or 2/3, so ``D2 = 15``; recall is 2/2, so
``D3 = 2`` and ``W = 3``::

    first found set    (2 * 9 - 5) * 36 + 20 = 488     6 * 3 + 2 = 20
    second found set   (2 * 9 - 3) * 36 + 28 = 568    10 * 3 + 2 = 32

The second is worth more. Read back: 568 is 15 * 36 + 28, which says F1 = 28/35 = 4/5;
15 lies between 1 * 9 and 2 * 9, which says 2 common motifs and 2 * 9 - 15 = 3 motifs
in the matched found set; 32 is 10 * 3 + 2, precision 10/15 and recall 2/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Flags, Floats, Integers
from tsmdbench.metrics._batch.assignment import MOST_STEPS, add_up, best_totals
from tsmdbench.metrics._batch.averages import (
    PairSums,
    Quotient,
    counted,
    macro_averages,
    micro_averages,
    sums_over_pairs,
)
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.best_found import best_found
from tsmdbench.metrics._batch.matching import EXACT_FLOAT, match_sets
from tsmdbench.validation import check_flag, check_threshold

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
    check_flag(penalize_off_target, "penalize_off_target")
    best = best_found(batch, check_threshold(threshold))
    cell = batch.cell(batch.truth.owner[best.motif], best.column)
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
    under: Integers  # of each problem, D in the docstring of this module
    fit: Flags  # whether the common denominator of a problem is one

    def sums(self, over: Integers, problems: Integers) -> Quotient:
        """Return sums of numerators with the denominators of these problems."""
        return Quotient(over, self.under[problems])


class Levels:
    """The levels of all cells of a batch, packed as the module describes."""

    def __init__(self, batch: Batch, common: Integers) -> None:
        self.g, self.d = batch.shapes.rows, batch.shapes.columns
        self.pairs = np.minimum(self.g, self.d)
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
        # U, V and W of the docstring.
        self.hit_unit = 1 + np.select(
            [self.d > self.g, self.g > self.d], [self.found_motifs, self.truth_motifs]
        )
        self.size_unit = self.pairs * self.f1.under + 1
        self.precision_unit = self.pairs * self.recall.under + 1
        self.hit = np.zeros(batch.size, dtype=np.bool_)
        self.hit[problem] = True
        self.fit = self.hit & self._room()
        self.worth = np.zeros(batch.cells, dtype=np.complex128)
        self.worth.real = -self._size_cost(batch) * self.size_unit[batch.cell_problem]
        self.worth.real[filled] += (
            hits * self.hit_unit[problem] * self.size_unit[problem] + self.f1.over
        )
        self.worth.imag[filled] = (
            self.precision.over * self.precision_unit[problem] + self.recall.over
        )

    def _room(self) -> Flags:
        """Tell for which problems all sums are whole numbers that float64 holds."""
        room = self.f1.fit & self.precision.fit & self.recall.fit
        real = 1.0 * (self.truth_motifs + 1) * self.hit_unit * self.size_unit
        imaginary = (1.0 * self.pairs * self.precision.under + 1) * self.precision_unit
        room &= (real < EXACT_FLOAT) & (imaginary < EXACT_FLOAT)
        for level in (self.f1, self.precision, self.recall):
            # What an average is divided by.
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
        """Read the sums of each level back from the best totals, and divide."""
        g, d = self.g[problems], self.d[problems]
        unit, found = self.hit_unit[problems], self.found_motifs[problems]
        hits, f1 = np.divmod(totals.real.astype(np.int64), self.size_unit[problems])
        tp = -(-hits // unit)
        matched = np.where(d > g, tp * unit - hits, found)
        precision, recall = np.divmod(
            totals.imag.astype(np.int64), self.precision_unit[problems]
        )
        sums = PairSums(
            precision=self.precision.sums(precision, problems),
            recall=self.recall.sums(recall, problems),
            f1=self.f1.sums(f1, problems),
        )
        found = counted(matched, found, penalize_off_target=penalize_off_target)
        micro = micro_averages(tp, self.truth_motifs[problems], found)
        macro = macro_averages(
            sums, g, d, self.pairs[problems], penalize_off_target=penalize_off_target
        )
        return np.stack([*micro, *macro])


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
    motifs = counted(
        sum(found), int(found_sizes.sum()), penalize_off_target=penalize_off_target
    )
    micro = micro_averages(sum(hits), int(truth_sizes.sum()), motifs)
    macro = macro_averages(
        sums_over_pairs(hits, true, found),
        g,
        d,
        len(rows),
        penalize_off_target=penalize_off_target,
    )
    return micro + macro

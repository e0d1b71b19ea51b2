"""MDL-Clust: groups of windows that make the series shorter to describe.

A group of similar windows can be described by its centre and by the differences of each
window from it. If the windows are similar, this takes fewer bits than describing each
window separately. Groups are built greedily. Each step performs the operation that
saves most bits: create a group of the nearest free pair of windows of some length, add
the free window nearest to a centre, or merge two groups at the best relative shift. The
search stops when no operation saves bits, so the number of sets, their sizes and their
lengths are determined by the data.

Conventions
-----------
* **Levels.** Samples are rounded to ``2^bits`` levels between the smallest and the
  largest finite one. Windows are compared without normalisation.
* **Description length.** ``n`` times the entropy of the levels, in bits; differences to
  the centre likewise. A group costs its centre and all differences but the largest.
* **Centre.** The rounded mean of two windows; then ``round((k c + s) / (k + 1))`` for
  an added window; for a merge, the mean weighted by the number of windows where the
  centres overlap, and the value of one of them elsewhere.
* **Overlap.** No two segments overlap, within a set or between sets. Windows with NaN
  or infinite samples are in no set.
* **Ties.** Savings that differ by less than 1e-9 bits are equal. Create comes before
  add, add before merge; then shorter lengths, groups that have not changed for longer,
  and lower starts come first.
* **Order.** The set that saves most bits first.

Cost
----
O(n^2) time per length for the pairs. An operation takes O(n l) time, and O(l^2) per
window of each pair of groups for the merges. O(n) memory per length.

Limitations
-----------
* Copies with a different level or amplitude are missed: windows are not normalised.
* Outliers reduce the accuracy: few levels remain for the other samples.
* The last sets often consist of noise: two windows of noise often save a few bits.
  `max_sets` limits the number of sets.
* Each occurrence needs one operation, so `max_operations` limits how many are found.

References
----------
T. Rakthanmanon, E. Keogh, S. Lonardi, S. Evans: Time series epenthesis: clustering time
series streams requires ignoring some data, ICDM 2011. Public code: ``MDL`` of tsmd
0.1.4 (MIT).

Departures
----------
The default corrects the following; `compat=True` returns the groups of tsmd, in its
order.

* tsmd also performs operations that save nothing, so it finds a set in a constant
  series.
* When it excludes neighbours, it counts the remaining windows instead of the samples,
  so a few windows miss a neighbour.
* It returns groups in the order of their last change.
* It always stops after 50 operations; here `max_operations` is a parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.methods._mdl_clust import Compression, Pairs, quantise, segments
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_length,
    check_max_sets,
    check_n_jobs,
)
from tsmdbench.validation import check_flag, check_integer

LENGTHS = 5  # tried between l_min and l_max, unless a step is given
MAX_BITS = 10
SHORTER = (0.75, 1.0)  # of l_min, in the grid


@dataclass(frozen=True)
class MDLClust(Method):
    """Find groups of windows that compress the series.

    Parameters
    ----------
    l_min, l_max : int
        Shortest and longest window of a new group, at least 4 samples.
    max_sets : int, optional
        Largest number of sets; None for all.
    channel : int, default 0
        Channel of a multivariate series.
    step : int, optional
        Difference between the lengths that are tried, from `l_min` on; by default five
        lengths from `l_min` to `l_max`, evenly spaced.
    max_operations : int, default 200
        Largest number of operations, at least 1. A set of k windows needs at least k -
        1 operations. The public code stops after 50.
    bits : int, default 6
        Samples are rounded to ``2^bits`` levels; 1 to 10.
    neighbours : int, default 10
        Neighbours of each window that are candidates for a new group, at least 1.
    compat : bool, default False
        Return what tsmd 0.1.4 returns, in its order.
    n_jobs : int, default 1
        Number of threads; -1 for one per processor. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=400)
    >>> for start in (50, 200, 350):
    ...     x[start : start + 40] = 9 * np.sin(np.arange(40) ** 2 / 90)
    >>> MDLClust(l_min=40, l_max=40, max_sets=1).find(x)
    (MotifSet(((50, 90), (200, 240), (350, 390))),)
    """

    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    paper: ClassVar[Mapping[str, Any]] = {
        "step": None,
        "bits": 6,
        "neighbours": 10,
        "max_operations": 50,
        "compat": True,
    }
    symbolic: ClassVar[bool] = False

    l_min: int
    l_max: int
    max_sets: int | None = None
    channel: int = 0
    step: int | None = None
    max_operations: int = 200
    bits: int = 6
    neighbours: int = 10
    compat: bool = False
    n_jobs: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        check_length(self.l_min, "l_min")
        check_length(self.l_max, "l_max")
        if self.l_min > self.l_max:
            raise InputError(
                f"l_min must not exceed l_max, got {self.l_min} and {self.l_max}"
            )
        check_max_sets(self.max_sets)
        if self.step is not None:
            check_integer(self.step, "step", minimum=1)
        check_integer(self.max_operations, "max_operations", minimum=1)
        if check_integer(self.bits, "bits", minimum=1) > MAX_BITS:
            raise InputError(f"bits must be at most {MAX_BITS}, got {self.bits}")
        check_integer(self.neighbours, "neighbours", minimum=1)
        check_flag(self.compat, "compat")
        check_n_jobs(self.n_jobs)

    @staticmethod
    def grid(facts: Any) -> dict[str, Sequence[Any]]:
        """Return the shortest lengths to try: merges make windows longer, not shorter.

        The longest one follows from the data.
        """
        lengths = {max(4, round(part * facts.l_min)) for part in SHORTER}
        return {"l_min": sorted(lengths)}

    @property
    def lengths(self) -> tuple[int, ...]:
        """The window lengths that are tried, ascending."""
        if self.step is not None:
            return tuple(range(self.l_min, self.l_max + 1, self.step))
        spaced = np.linspace(self.l_min, self.l_max, LENGTHS).round().astype(int)
        return tuple(np.unique(spaced).tolist())

    def _find(self, x: Series) -> Found:
        check_fits(x, self.l_max, "l_max")
        values, usable = quantise(x, self.bits)
        pairs = [
            Pairs.of(
                values,
                usable,
                length,
                self.neighbours,
                self.n_jobs,
                compat=self.compat,
            )
            for length in self.lengths
        ]
        search = Compression(values, usable, 2**self.bits, pairs)
        search.run(self.max_operations, allow_zero=self.compat)
        if self.compat:
            found = [segments(group) for group in search.groups.values()]
        else:
            found = search.ranked()
        return tuple(found[: self.max_sets])

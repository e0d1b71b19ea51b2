"""A-PEPA: PEPA that infers the number of motif sets from a gap of persistences.

The graph, the birth cut and the segments are those of `tsmdbench.methods.pepa`. Only
the persistence cut differs. The persistences of all groups that are born early are
sorted, and the cut lies in the middle of a gap between two of them. The largest gap
often separates a single dominant group from all others. So by default the cut lies in
the second gap: the largest one below the largest.

Conventions
-----------
As for PEPA. The group that outlives all others has no death of its own and does not
take part in the search for gaps. `max_sets` does not move the cut; it only limits how
many sets are returned, the most persistent first.

Cost
----
O(n^2) time, O(n) memory beside the neighbours.

Limitations
-----------
* Series with one or two motif sets: a second gap always exists, also among groups of
  noise, so the number of sets is overestimated.
* The limitations of PEPA: periodic series, series without noise between the motifs,
  motifs shorter than `length`, more than one channel.

References
----------
T. Germain, C. Truong, L. Oudre: Persistence-based motif discovery in time series, IEEE
Transactions on Knowledge and Data Engineering, 2024. Public code:
``AdaptativeBasePersistentPattern`` of tsmd 0.1.4 (MIT).

Departures
----------
Those of PEPA, and:

* If no gap is left below the largest one, that one is used; the public code then cuts
  at the gap between the two largest persistences.
* With fewer than two persistences the public code fails; here all of them are kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsmdbench.methods._persistence import Diagram, cut_at_gap
from tsmdbench.methods.pepa import PEPA
from tsmdbench.validation import check_integer


@dataclass(frozen=True)
class APEPA(PEPA):
    """Find persistent groups of similar windows; their number follows from the data.

    Parameters
    ----------
    length : int
        Samples per window, at least 4; segments are as long or longer.
    max_sets : int, optional
        Largest number of sets; None for all.
    channel : int, default 0
        Channel of a multivariate series.
    neighbours : int, default 5
        Neighbours of a window in the graph, at least 1.
    alpha : float, default 10.0
        How far small distances are spread out, above 0.
    compat : bool, default False
        Return what tsmd 0.1.4 returns, in its order, including its errors.
    n_jobs : int, default 1
        Threads; -1 for one per processor. Does not change the result.
    jump : int, default 2
        Which gap of persistences to cut at: 1 for the largest, 2 for the largest one
        below it, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> for start in (50, 250, 450):
    ...     x[start : start + 50] += 9 * np.sin(np.arange(50) ** 2 / 90)
    >>> APEPA(length=40, max_sets=1).find(x)
    (MotifSet(((54, 109), (254, 309), (454, 509))),)
    """

    jump: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self.jump, "jump", minimum=1)

    def _cut(self, diagram: Diagram) -> float:
        found = diagram.persistences(survivors=False)
        return cut_at_gap(found, self.jump, compat=self.compat)

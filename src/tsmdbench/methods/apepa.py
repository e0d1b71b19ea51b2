"""A-PEPA: PEPA that infers the number of motif sets from a gap of persistences.

The graph, the birth cut and the segments are those of `tsmdbench.methods.pepa`. Only
the persistence cut differs. The persistences of all groups that are born early are
sorted, and the cut is in the middle of a gap between two of them. The largest gap
often separates a single dominant group from all others. So by default the cut is in
the largest gap among the persistences below that one.

Conventions
-----------
As for PEPA. The group that outlives all others never dies and is not used in the search
for gaps. `max_sets` does not change the cut; it only limits how many sets are returned,
the most persistent first.

Cost
----
O(n^2) time, and O(n) memory in addition to the neighbours.

Limitations
-----------
* The number of sets is overestimated if there are only one or two: a second gap always
  exists, if necessary between groups of noise.
* The limitations of PEPA apply: periodic series, series without noise between the
  motifs, motifs shorter than `length`, and only one channel.

References
----------
T. Germain, C. Truong, L. Oudre: Persistence-based motif discovery in time series, IEEE
Transactions on Knowledge and Data Engineering, 2024. Public code:
``AdaptativeBasePersistentPattern`` of tsmd 0.1.4 (MIT).

Departures
----------
The departures of PEPA, and the following:

* If there is no gap below the largest one, the largest one is used; the public code
  then uses the gap between the two largest persistences.
* With fewer than two persistences the public code fails; here all of them are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tsmdbench.methods.pepa import PEPA, Diagram, cut_at_gap
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
        How much small distances are spread out, above 0.
    n_jobs : int, default 1
        Number of threads; -1 for one per processor. Does not change the result.
    jump : int, default 2
        The gap of persistences that determines the cut: 1 for the largest gap, 2 for
        the largest gap below it, and so on.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=600)
    >>> for start in (50, 250, 450):
    ...     x[start : start + 50] += 9 * np.sin(np.arange(50) ** 2 / 90)
    >>> APEPA(length=40, max_sets=1).find(x)
    (MotifSet(((54, 109), (254, 309), (454, 509))),)
    """

    display_name: ClassVar[str] = "A-PEPA"
    paper: ClassVar[Mapping[str, Any]] = {**PEPA.paper, "jump": 2}

    jump: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self.jump, "jump", minimum=1)

    def _cut(self, diagram: Diagram) -> float:
        return cut_at_gap(diagram.persistences(survivors=False), self.jump)

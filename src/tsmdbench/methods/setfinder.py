"""SetFinder: the windows with the most matches within a radius.

Every window has a list of matches: the windows within `radius`, nearest first, that
overlap neither it nor each other. The window with the longest list is the centre of the
first motif set, which consists of the centre and its list. Further centres follow in
the order of the lengths of their lists, each more than ``2 radius`` away from all
earlier ones.

Conventions
-----------
`radius` is the z-normalised Euclidean distance between two windows and is inclusive.
Ties are broken by the smaller standard deviation of the distances in a list, then by
the lower start. Windows without a match, and windows that contain a NaN or infinite
sample, are never returned.

Cost
----
O(n^2) time and O(n) memory, independent of the radius.

Limitations
-----------
* Occurrences that differ in length or speed are missed: every segment has `length`
  samples, and the distance of a stretched copy soon exceeds the radius.
* All patterns have the same radius, although the copies of some patterns are more
  similar than those of others.
* Rare patterns are found late: sets are ordered by their number of matches.

References
----------
A. Bagnall, J. Hills, J. Lines, Finding motif sets in time series, 2014,
arXiv:1407.3685. Public code: ``Baseline`` of tsmd 0.1.4 (MIT), which returns the sets
of ``disjoint=False`` with its distance ``NormalizedEuclidean``.

Departures
----------
* The ``2 radius`` rule keeps centres apart, but not segments, so a later set may be an
  earlier one shifted by a few samples. `disjoint`, on by default, prevents this:
  windows that overlap a member of an earlier set are removed, and matches are counted
  again. ``disjoint=False`` is the published rule.
* In tsmd the radius is exclusive, and windows without a match are returned if many sets
  are requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tsmdbench.methods._density import KMotifs


@dataclass(frozen=True, repr=False)
class SetFinder(KMotifs):
    """Find the windows with the most matches within a radius.

    Parameters
    ----------
    length : int
        Samples per window, at least 4.
    radius : float
        Largest z-normalised Euclidean distance of a match to its centre, above 0.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        Forbid that segments of a later set overlap those of an earlier one.
    channel : int, default 0
        Channel of a multivariate series that is searched.
    constant : {"skip", "keep"}, default "skip"
        Leave out windows whose samples are all equal, or compare them like others.
    n_jobs : int, default 1
        Number of threads; -1 for all processors. Does not change the result.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=300)
    >>> x[200:230] = x[40:70] + 0.01 * x[100:130]
    >>> SetFinder(length=30, radius=0.1).find(x)
    (MotifSet(((40, 70), (200, 230))),)
    """

    paper: ClassVar[Mapping[str, Any]] = {"constant": "keep", "disjoint": False}

"""VONSEM: motifs of any length from the diagonals of one distance matrix.

Two copies of a pattern appear as a run of small distances on a diagonal of the distance
matrix of all windows of `l_min` samples. The longer the copies, the longer the run.
Diagonals are visited in the order of their number of *hits*, which are cells below a
threshold. Each hit is extended along its diagonal to a pair of longer segments, the
*proof*. If the segments of a proof are not similar as a whole, it is split at the
windows that repeat best. All segments that are similar to either half of a proof form
the motif set, and the windows inside them are not used again.

Conventions
-----------
The distance is in [0, 1] and depends on the scale on purpose: half of its square comes
from the shape, ``zED / (2 sqrt(length))``, and half from the ratio of the two standard
deviations. `radius` is a z-normalised Euclidean distance between windows of `l_min`
samples as everywhere in this package; for windows of equal scale it corresponds to the
threshold ``radius / (2 sqrt(2 l_min))``, which is then used at every length.

Cost
----
O(n^2) time to count the hits of all diagonals, O(n) for every diagonal that is visited,
and O(n l) for every proof of length l. Memory is O(n).

Limitations
-----------
* Copies with a different amplitude are missed: the distance depends on the scale.
* Sets may be split: members must be similar to a proof over its full length, so copies
  of one pattern may be reported as several sets, one per proof.
* All patterns have the same threshold, at every length, although the copies of some
  patterns are more similar than those of others.
* Only one channel is searched.

References
----------
M. Van Onsem et al.: Variable length motif discovery in time series data, IEEE Access,
2023. Authors' code: VOMatthias/Variable-Length-Motif-Discovery-Data-And-Code, commit
a24f1f9, MIT. ``compat=True`` returns exactly its sets, except for the order of
diagonals with equal numbers of hits and of NaN. There, this order depends on the
versions of NumPy and Python; here, the nearest diagonal comes first and NaN last.

Departures
----------
By default, differences between the authors' code and its description are corrected:

* A proof is a run without gaps on one diagonal, and its halves do not overlap; the
  authors' code extends it by the column minima, ignores gaps, and allows the halves to
  overlap.
* Members of a set do not overlap; the authors' code compares starts with the extension
  instead of the length. The distance of a segment to itself is 0; in the authors' code
  rounding may make it NaN, so it returns sets with one or no member.
* Constant windows match nothing. In the authors' code this depends on rounding.
* Windows in the last `l_min` samples of a member are not used again, either.
* Sets are ranked by prominence, which compares the mean standard deviation of the
  members with the quartiles of the standard deviation around them. The authors' code
  adds a bonus for seasons of 288 or 2016 samples, because its data has a sample every
  five minutes; this is left out. If the quartiles are equal, the authors' code adds a
  constant; here the difference is used without scaling.
* The matrix is never stored: hits are counted per diagonal, and a diagonal is computed
  again when it is visited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench.methods._distance import SingleChannel
from tsmdbench.methods._progress import within
from tsmdbench.methods._vonsem import ProofMatrix, ProofSearch, Rules
from tsmdbench.methods._windows import check_positive
from tsmdbench.methods.base import Found, Series, check_fits, check_length
from tsmdbench.types import MotifSet

MATRIX = 0.9  # about the share of the time that the matrix takes


@dataclass(frozen=True, repr=False)
class VONSEM(SingleChannel):
    """Find motif sets of any length from `l_min` on.

    Parameters
    ----------
    l_min : int
        Shortest length of a motif, at least 4 samples.
    radius : float
        Largest z-normalised Euclidean distance of two matching windows of `l_min`
        samples and equal scale, above 0. See the conventions of the module.
    compat : bool, default False
        Return what the authors' code returns, in its order, including sets with one or
        no member. `disjoint` then has no effect.
    scale_cap, pair_scale_cap : float, default 2.0 and 1.0
        Windows with a ratio of standard deviations above ``1 + cap`` do not match.
        `pair_scale_cap` is used to check a proof. Both values are those of the authors'
        code.
    max_sets : int, optional
        Largest number of sets; None for all.
    disjoint : bool, default True
        No segment may overlap a segment of an earlier set.
    channel : int, default 0
        Channel of a multivariate series.

    Examples
    --------
    >>> import numpy as np
    >>> series = np.random.default_rng(0).normal(size=300)
    >>> series[50:90] = series[200:240] = 2 * np.sin(np.arange(40) ** 2 / 90)
    >>> VONSEM(l_min=24, radius=0.5).find(series)
    (MotifSet(((50, 90), (200, 240))),)
    """

    l_min: int
    radius: float
    compat: bool = False
    scale_cap: float = 2.0
    pair_scale_cap: float = 1.0

    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "inter"
    paper: ClassVar[Mapping[str, Any]] = {
        "scale_cap": 2.0,
        "pair_scale_cap": 1.0,
        "compat": True,
        "disjoint": False,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        check_length(self.l_min, "l_min")
        for name in ("radius", "scale_cap", "pair_scale_cap"):
            check_positive(getattr(self, name), name)

    @property
    def threshold(self) -> float:
        """The radius on the scale of the distance, [0, 1]."""
        return float(self.radius / (2 * np.sqrt(2 * self.l_min)))

    def _rules(self) -> Rules:
        return Rules(
            self.l_min,
            self.threshold,
            self.scale_cap,
            self.pair_scale_cap,
            self.compat,
            self.disjoint,
        )

    def _find(self, x: Series) -> Found:
        check_fits(x, self.l_min, "l_min")
        with within(0.0, MATRIX):
            matrix = ProofMatrix(self._rules(), x, [self.threshold])
        with within(MATRIX, 1.0):
            return self._search(matrix)

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all, walking the matrix once for all radii."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for place, one in enumerate(methods):
            key = (one.channel, one.l_min, one.compat, one.scale_cap)
            groups.setdefault(key, []).append(place)
        found: list[Found] = [()] * len(methods)
        for places in groups.values():
            some = methods[places[0]]
            x = some._checked(series)
            check_fits(x, some.l_min, "l_min")
            thresholds = sorted({methods[place].threshold for place in places})
            matrix = ProofMatrix(some._rules(), x, thresholds)
            for place in places:
                found[place] = methods[place]._search(matrix)
        return found

    def _search(self, matrix: ProofMatrix) -> Found:
        search = ProofSearch(self._rules(), matrix)
        raw = list(search.sets())
        if not self.compat:
            raw = search.ranked(raw)
        sets = [MotifSet.from_starts(sorted(one.starts), one.length) for one in raw]
        return tuple(sets[: self.max_sets])

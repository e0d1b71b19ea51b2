"""Find what is not random walk: the method that solves random-walk benchmarks.

Benchmarks are often made by inserting instances into a Gaussian random walk. The first
difference of a random walk is stationary; that of a shape usually is not. So a window
slides over the series, the differences in it are tested for a unit root (the test of
Dickey and Fuller), and windows in which a unit root is not rejected are reported as
motifs; overlapping windows are merged. The method does not use repetition at all. It is
not meant to discover motifs: if it scores high on a benchmark, the benchmark is too
easy.

Conventions
-----------
* A window has `window` samples, hence ``window - 1`` differences; its segment consists
  of exactly these samples.
* The regression has a constant: ``y[t+1] - y[t] = c + b y[t] + ...``; the p-value of
  the t statistic of b is read from MacKinnon's response surface in statsmodels.
* ``lags=0``: no further terms. ``lags="bic"``: up to ``ceil(12 (m / 100)^(1/4))``
  lagged differences for m differences, their number chosen by BIC, as
  ``statsmodels.tsa.stattools.adfuller(autolag="BIC")`` does.
* If lags explain the differences exactly (a pure sine), the test depends on rounding,
  as in statsmodels; measured data has noise and is not affected.
* Windows whose differences are constant up to rounding (straight lines) are not a
  random walk and count as not rejected.

Cost
----
O(n w) time and O(n) memory without lags; with ``lags="bic"`` O(n w L^2) time for
windows of w samples and up to L lags.

Limitations
-----------
Everything that is not a random walk is put into one set, so two patterns are never
separated. If the background is not a random walk, the result is meaningless.

References
----------
D. A. Dickey, W. A. Fuller, "Distribution of the estimators for autoregressive time
series with a unit root", JASA 74(366a), 1979, doi:10.1080/01621459.1979.10482531.
J. G. MacKinnon, "Approximate asymptotic distribution functions for unit-root and
cointegration tests", J. Business & Economic Statistics 12(2), 1994,
doi:10.1080/07350015.1994.10510005.
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation of
Motif Sets in Time Series", 2024, arXiv:2412.09346, section 6.3.

Departures
----------
The paper does not state whether lags were used; in its public notebook BIC chooses
them, which is also the default here. The significance level is 0.01 in the notebook,
and 0.05 in the text and by default here. Positions refer to the series; the notebook
uses positions in the differenced series, which differ by one.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, MissingExtraError
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fits,
    check_max_sets,
)
from tsmdbench.paper import dickey_fuller
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer, check_number

MIN_WINDOW = 8  # fewer rows than this leave the regression next to no freedom
ROUNDING = 8 * np.finfo(np.float64).eps  # per unit of the largest sample


@dataclasses.dataclass(frozen=True)
class RandomWalkDetector(Method):
    """Return the parts of a series that are not random walk, as one motif set.

    Parameters
    ----------
    window : int
        Samples per window, at least 8; about half the length of an instance.
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    lags : {0, "bic"}, default "bic"
        No lagged differences, or as many as BIC chooses (some 20 times slower), as in
        the public notebook of the paper.
    channel : int, default 0
        Channel of a multivariate series that is searched.
    max_sets : int, optional
        No effect: there is never more than one set. Part of the common interface.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> walk = np.cumsum(rng.standard_normal(600))
    >>> walk[200:320] = walk[200] + np.sin(np.arange(120) / 12)
    >>> walk[320:] += walk[319] - walk[320]
    >>> RandomWalkDetector(window=60, lags=0).find(walk)
    (MotifSet(((200, 323),)),)
    """

    window: int
    alpha: float = 0.05
    lags: Literal[0, "bic"] = "bic"
    channel: int = 0
    max_sets: int | None = None

    display_name: ClassVar[str] = "Random walk detector"
    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = False
    constant: ClassVar[str] = "keep"
    warm_up: ClassVar[Sequence[Mapping[str, Any]]] = ({}, {"lags": 0})

    def __post_init__(self) -> None:
        check_integer(self.window, "window", minimum=MIN_WINDOW)
        check_integer(self.channel, "channel", minimum=0)
        check_max_sets(self.max_sets)
        if not 0 < check_number(self.alpha, "alpha") < 1:
            raise InputError(f"alpha must lie in (0, 1), got {self.alpha}")
        if isinstance(self.lags, bool) or self.lags not in (0, "bic"):
            raise InputError(f'lags must be 0 or "bic", got {self.lags!r}')

    def statistics(self, series: Any) -> NDArray[np.float64]:
        """Return the Dickey-Fuller statistic of every window.

        NaN where the differences do not vary, ``-inf`` where a sample is missing; the
        p-value of a statistic is `p_value`.
        """
        return self._statistics(self._checked(series))

    def _statistics(self, x: Series) -> NDArray[np.float64]:
        check_fits(x, self.window, "window")
        missing = ~np.isfinite(x)
        x = np.where(missing, 0.0, x)
        floor = float(ROUNDING * np.abs(x).max())
        most = 0 if self.lags == 0 else largest_lag(self.window - 1)
        found, _ = dickey_fuller.rolling_statistic(x, self.window, most, floor)
        before = np.concatenate([[0], np.cumsum(missing)])
        skipped = before[self.window :] > before[: -self.window]
        return np.where(skipped, -np.inf, found)

    def _find(self, x: Series) -> Found:
        return self._sets(self._statistics(x))

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Find for all, computing the statistics once for all levels."""
        known: dict[tuple[object, ...], NDArray[np.float64]] = {}
        found = []
        for method in methods:
            key = method.window, method.lags, method.channel
            if key not in known:
                known[key] = method.statistics(series)
            found.append(method._sets(known[key]))
        return found

    def _sets(self, statistics: NDArray[np.float64]) -> Found:
        """Return the windows in which a unit root is not rejected, merged."""
        rejected = statistics < critical_value(self.alpha)  # False for NaN
        starts = np.flatnonzero(~rejected)
        if not len(starts):
            return ()
        # Windows that overlap are joined; windows that only touch stay apart.
        groups = np.split(starts, np.flatnonzero(np.diff(starts) >= self.window) + 1)
        return (MotifSet([(own[0], own[-1] + self.window) for own in groups]),)


def largest_lag(differences: int) -> int:
    """Return how many lagged differences are tried for a number of differences.

    >>> largest_lag(198), largest_lag(10)
    (15, 3)
    """
    wanted = int(np.ceil(12 * (differences / 100) ** 0.25))
    return min(wanted, differences // 2 - 2)


def p_value(statistic: float) -> float:
    """Return MacKinnon's approximate p-value of a statistic (regression with constant).

    >>> round(p_value(-2.86), 3)
    0.05
    """
    try:
        from statsmodels.tsa.adfvalues import mackinnonp
    except ImportError:
        raise MissingExtraError(
            "the unit root test needs statsmodels", "archive"
        ) from None
    return float(mackinnonp(statistic, regression="c", N=1))


@cache
def critical_value(alpha: float) -> float:
    """Return the statistic whose p-value is `alpha`, to the last bit.

    The surface rises with the statistic, so a comparison with this one value replaces
    a p-value for every window.

    >>> round(critical_value(0.05), 2)
    -2.86
    """
    low, high = -40.0, 10.0
    while (middle := (low + high) / 2) not in (low, high):
        if p_value(middle) < alpha:
            low = middle
        else:
            high = middle
    return high

r"""Wilcoxon's signed-rank test, exact also where differences are tied.

Under the hypothesis that two methods do not differ, each difference is as likely to be
positive as negative. The statistic is the sum of the ranks, by size, of the positive
ones; its distribution over all :math:`2^n` signs is counted rank by rank, in
:math:`O(n^3)`. Tied sizes share the mean of their ranks; doubled, it is a whole number.

Departures
----------
aeon and scipy agree with this where they are exact (tests compare), but with ties or
zeros they try all :math:`2^n` signs, which took a second per pair of methods at twelve
datasets, and beyond thirteen they fall back to a normal approximation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_EXACT = 50  # datasets; beyond, the normal approximation is scipy's choice too


class SignedRank(NamedTuple):
    """P-values of the three alternatives, for differences of first less second."""

    greater: float
    less: float
    two_sided: float


def signed_rank(differences: NDArray[np.float64]) -> SignedRank:
    """Test whether differences are symmetric around 0.

    Parameters
    ----------
    differences : float64[n]
        Those of 0 are left out. Ties are seen where sizes are equal to the last bit.

    Returns
    -------
    SignedRank
        All 1 if there is no difference but 0.

    Examples
    --------
    >>> signed_rank(np.array([1.0, 2.0, 3.0, 0.0]))
    SignedRank(greater=0.125, less=1.0, two_sided=0.25)
    """
    from scipy.stats import rankdata, wilcoxon

    moved = differences[differences != 0]
    if not len(moved):
        return SignedRank(1.0, 1.0, 1.0)
    if len(differences) > MOST_EXACT:
        greater, less = (
            float(wilcoxon(differences, alternative=side).pvalue)
            for side in ("greater", "less")
        )
    else:
        doubled = np.rint(2 * rankdata(np.abs(moved))).astype(np.int64)
        greater, less = _tails(doubled, int(doubled[moved > 0].sum()))
    return SignedRank(greater, less, min(1.0, 2 * min(greater, less)))


def _tails(ranks: NDArray[np.int64], seen: int) -> tuple[float, float]:
    """Return how often a sum of some of the ranks is at least, and at most, `seen`."""
    counts = np.zeros(int(ranks.sum()) + 1)  # whole numbers up to 2**50: exact
    counts[0] = 1.0
    for rank in ranks:
        with_it = counts[:-rank].copy()
        counts[rank:] += with_it
    share = counts / 2.0 ** len(ranks)
    return float(share[seen:].sum()), float(share[: seen + 1].sum())

"""Sums of quotients of whole numbers, rounded once at the very end.

Two matchings can have equal sums out of different quotients; adding rounded
quotients would tell them apart in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence


def mean_of_quotients(over: Sequence[int], under: Sequence[int], divisor: int) -> float:
    """Return the sum of ``over / under``, divided by `divisor`, as the nearest float.

    Nothing out of nothing counts as 0, and so does the mean of nothing.

    Examples
    --------
    >>> mean_of_quotients([1, 2, 0], [3, 3, 0], 2)
    0.5
    """
    shared = math.lcm(*filter(None, under))
    total = sum(o * (shared // u) for o, u in zip(over, under, strict=True) if o)
    return total / (shared * divisor) if divisor else 0.0

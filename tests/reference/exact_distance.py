"""Nearest distances of windows to 60 digits: integers, then one root per pair.

Samples are dyadic rationals, so that sums of their products are exact as integers. What
is far from the nearest is left out by longdouble, whose error is far below `FAR`.
"""

import math
from decimal import Decimal, localcontext

import numpy as np

from tests.reference.distance import znormalised

DIGITS = 60
FAR = 1e-9  # of sqrt(length): a window this much farther than another is not nearest


def integers(x):
    """Samples of one channel, times a power of two, as Python integers."""
    ratios = [float(value).as_integer_ratio() for value in x]
    common = max(denominator for _, denominator in ratios)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def pair_distance(x, length, i, j):
    """Mean over the channels of the zED of two windows, as a Decimal."""
    total = Decimal(0)
    with localcontext() as context:
        context.prec = DIGITS
        for channel in np.atleast_2d(x.T):
            both = integers([*channel[i : i + length], *channel[j : j + length]])
            a, b = both[:length], both[length:]
            covariance = length * sum(map(int.__mul__, a, b)) - sum(a) * sum(b)
            variances = [
                length * sum(value * value for value in one) - sum(one) ** 2
                for one in (a, b)
            ]
            total += _distance(length, covariance, *variances)
        return total / len(np.atleast_2d(x.T))


def _distance(length, covariance, first, second):
    if first == 0 or second == 0:  # constant windows
        return Decimal(0 if first == second else length).sqrt()
    rho = Decimal(covariance) / (Decimal(first) * Decimal(second)).sqrt()
    return (2 * length * max(1 - rho, Decimal(0))).sqrt()


def nearest_distance(x, length, gap, i):
    """Distance of window i to the nearest window at least `gap` away, as a Decimal."""
    rough = np.mean([_row(c, length, i) for c in np.atleast_2d(x.T)], axis=0)
    rough[max(0, i - gap + 1) : i + gap] = np.inf
    near = np.flatnonzero(rough <= rough.min() + FAR * math.sqrt(length))
    return min(pair_distance(x, length, i, int(j)) for j in near)


def _row(channel, length, i):
    """Distances of window i in one channel, in longdouble."""
    z, constant, broken = znormalised(channel, length)
    row = np.sqrt(((z - z[i]) ** 2).sum(axis=1)).astype(float)
    row[constant != constant[i]] = math.sqrt(length)
    row[broken] = np.inf
    return row

"""Overlap of true and found segments, in integers: no rounding decides a match.

Conventions
-----------
The *overlap rate* of two segments is ``common / joint``: the number of samples that
both cover over the number that either covers. A found segment is *matchable* with a
true one when their rate is strictly above a threshold of at least one half.

A true segment that can match covers more than half of the found one, so it contains
the found one's middle sample. True segments do not overlap, so at most one does: a
binary search over the sorted starts finds every candidate in ``O((K + L) log K)``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.arrays import Integers
from tsmdbench.segments import INT64_MAX, Segments

# Two rates whose joint lengths stay below this differ by more than the spacing of
# float64 below 1, so comparing their quotients is comparing them exactly.
EXACT_QUOTIENT = 2**26


class SegmentPairs(NamedTuple):
    """Pairs of one true and one found segment that share samples."""

    truth: Integers  # position of the true segment
    found: Integers  # position of the found segment
    common: Integers  # samples that both cover
    joint: Integers  # samples that the two cover together, counting a gap never

    def where(self, mask: NDArray[np.bool_]) -> SegmentPairs:
        """Return the pairs that `mask` selects."""
        return SegmentPairs(*(column[mask] for column in self))


def pairs_around_midpoints(
    truth: Segments, found: Segments, order: Integers | None = None
) -> SegmentPairs:
    """Pair each found segment with the true one that contains its middle sample.

    Every pair with an overlap rate above one half is among them.

    Parameters
    ----------
    truth : int64[K, 2]
        Segments that do not overlap, in any order.
    found : int64[L, 2]
        Any segments.
    order : int64[K], optional
        The true segments by start, where that is known already.
    """
    if order is None:
        order = np.argsort(truth[:, 0], kind="stable")
    true_starts, true_ends = truth[order, 0], truth[order, 1]
    starts, ends = np.ascontiguousarray(found.T)
    middle = starts + ((ends - starts) >> 1)
    place = np.searchsorted(true_starts, middle, side="right") - 1
    # Before the first true segment, place is -1: the last one, which ends later.
    inside = ((middle < true_ends[place]) & (place >= 0)).nonzero()[0]
    place, starts, ends = place[inside], starts[inside], ends[inside]
    true_starts, true_ends = true_starts[place], true_ends[place]
    return _measured(order[place], inside, true_starts, true_ends, starts, ends)


def overlapping_pairs(
    truth: Segments, found: Segments, order: Integers | None = None
) -> SegmentPairs:
    """Pair segments that share at least one sample, found by found.

    Parameters
    ----------
    truth : int64[K, 2]
        Segments that do not overlap, in any order.
    found : int64[L, 2]
        Any segments.
    order : int64[K], optional
        The true segments by start, where that is known already.
    """
    if order is None:
        order = np.argsort(truth[:, 0], kind="stable")
    # Without overlap, ends are sorted as starts are: the partners are one run.
    first = np.searchsorted(truth[order, 1], found[:, 0], side="right")
    last = np.searchsorted(truth[order, 0], found[:, 1], side="left")
    counts = np.maximum(last - first, 0)
    of_found = np.repeat(np.arange(len(found)), counts)
    step = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    of_truth = order[first[of_found] + step]
    return _measured(of_truth, of_found, *truth[of_truth].T, *found[of_found].T)


def _measured(
    of_truth: Integers,
    of_found: Integers,
    true_starts: Integers,
    true_ends: Integers,
    starts: Integers,
    ends: Integers,
) -> SegmentPairs:
    """Add the common and joint lengths of pairs that overlap."""
    common = np.minimum(true_ends, ends) - np.maximum(true_starts, starts)
    joint = (true_ends - true_starts) + (ends - starts) - common
    return SegmentPairs(of_truth, of_found, common, joint)


def above(pairs: SegmentPairs, threshold: Fraction) -> NDArray[np.bool_]:
    """Tell which pairs have an overlap rate strictly above `threshold`, exactly."""
    over, under = threshold.numerator, threshold.denominator
    if len(pairs.joint) and int(pairs.joint.max()) > INT64_MAX // under:
        left = pairs.common.astype(object) * under
        return np.asarray(left > pairs.joint.astype(object) * over, dtype=np.bool_)
    return pairs.common * under > pairs.joint * over


def rates(pairs: SegmentPairs) -> NDArray[np.float64]:
    """Return the overlap rates, for sums and display; not for comparisons."""
    return pairs.common / pairs.joint


def rate_order(pairs: SegmentPairs) -> NDArray[np.float64]:
    """Return numbers that compare exactly as the overlap rates do."""
    if not len(pairs.joint) or int(pairs.joint.max()) <= EXACT_QUOTIENT:
        return rates(pairs)
    exact = [Fraction(*pair) for pair in zip(*map(np.ndarray.tolist, pairs[2:]))]  # noqa: B905
    places = {rate: place for place, rate in enumerate(sorted(set(exact)))}
    return np.array([places[rate] for rate in exact], dtype=np.float64)

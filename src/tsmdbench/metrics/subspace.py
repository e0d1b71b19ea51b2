r"""Subspace PROM: PROM for motif sets that live in some of the channels.

A *subspace motif set* names its channels, and each of its motifs has an interval in
each of them. Two sets can be matched only if their channels agree:

1. A true and a found set are *comparable* if the Jaccard index of their channels
   :math:`|c \cap c'| / |c \cup c'|` is at least `tau`.
2. The overlap of two motifs of comparable sets is the lowest overlap rate over the
   channels that both sets have. It must exceed the threshold, and each true motif takes
   the found motif with the highest overlap.
3. From there on everything is PROM: matching of sets, matching matrix, averages.

Conventions
-----------
* A plain set lives in all channels. If all sets are plain, or all name all channels
  with equal intervals, the result is that of `tsmdbench.metrics.prom`.
* `tau` exceeds one half, and no two true motifs overlap in a channel that both have. So
  a found motif matches at most one true motif: comparable true sets have more than half
  of the channels of the found set, hence two of them have one of these channels in
  common. There both motifs overlap the found one by more than half, and so each other.

Departures
----------
The public code [1]_ pairs channels by their position in the list where the channels of
two sets differ, gives other results for another order of the found sets, and allows
``tau = 0.5``, where a found motif can have two partners. Here channels are paired by
number, ties follow the rule of PROM, and `tau` must exceed one half.

References
----------
.. [1] The package SubTSMD of ML-KULeuven (MIT licence), 2026; no paper yet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.metrics.batch import Batch, SegmentPairs, Side
from tsmdbench.metrics.prom import close_pairs, compare, rate_order
from tsmdbench.metrics.prom_result import Prom, PromCurve, curve_of
from tsmdbench.segments import Segments
from tsmdbench.types import MotifSet, MotifSets
from tsmdbench.validation import (
    check_channel_range,
    check_flag,
    check_motif_sets,
    check_number,
    check_threshold,
    check_truth,
)

DEFAULT_TAUS = tuple(percent / 100 for percent in range(55, 105, 5))


def subspace_prom(
    truth: Any,
    found: Any,
    *,
    tau: float | Fraction = 0.9,
    threshold: float = 0.5,
    penalize_off_target: bool = False,
    n_channels: int | None = None,
) -> Prom:
    """Compare found motif sets with the true ones, in time and channels.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`; sets with channels are `tsmdbench.MotifSet`.
    tau : float, default 0.9
        Jaccard index of the channels that sets must reach to be matched, in
        ``(0.5, 1]``, as an exact decimal number.
    threshold : float, default 0.5
        Overlap rate that a match must exceed in every common channel, in ``[0.5, 1)``.
    penalize_off_target : bool, default False
        Whether motifs of found sets without a partner are false positives.
    n_channels : int, optional
        Channels of the series. Needed where plain sets, which live in all channels, are
        compared with sets that name theirs. If given, no channel may exceed it.

    Returns
    -------
    Prom
        As `tsmdbench.metrics.prom` returns it.

    Raises
    ------
    InputError
        Truth is empty, or overlaps itself in time and channel; a channel or a threshold
        is out of range.

    Examples
    --------
    Both motifs are found, but in one channel too many, a Jaccard index of 2/3:

    >>> from tsmdbench import MotifSet
    >>> truth = [MotifSet([(0, 10), (50, 60)], channels=[0, 2])]
    >>> found = [MotifSet([(0, 10), (50, 60)], channels=[0, 1, 2])]
    >>> subspace_prom(truth, found).f1, subspace_prom(truth, found, tau=0.6).f1
    (0.0, 1.0)
    """
    exact, limit = check_threshold(threshold), _check_tau(tau)
    penalty = check_flag(penalize_off_target, "penalize_off_target")
    sides = _checked(truth, found, n_channels)
    return _evaluated(*sides, limit, exact, penalize_off_target=penalty)


def subspace_prom_curve(
    truth: Any,
    found: Any,
    taus: Any = DEFAULT_TAUS,
    *,
    threshold: float = 0.5,
    penalize_off_target: bool = False,
    n_channels: int | None = None,
    macro: bool = False,
) -> PromCurve:
    """Evaluate subspace PROM at several thresholds of channels.

    Parameters
    ----------
    taus : sequence of float, default 0.55, 0.60, ..., 1.00
        Jaccard indices to reach, each in ``(0.5, 1]``; sorted if they are not.
    truth, found, threshold, penalize_off_target, n_channels
        As for `tsmdbench.metrics.subspace_prom`.
    macro : bool, default False
        Which precision, recall and F1 are recorded.

    Examples
    --------
    >>> from tsmdbench import MotifSet
    >>> truth = [MotifSet([(0, 10), (50, 60)], channels=[0, 2])]
    >>> found = [MotifSet([(0, 10), (50, 60)], channels=[0, 1, 2])]
    >>> subspace_prom_curve(truth, found, [0.6, 0.7, 0.8]).f1.tolist()
    [1.0, 0.0, 0.0]
    """
    limits = sorted(_check_tau(tau, "taus") for tau in taus)
    if not limits:
        raise InputError("taus is empty; give at least one")
    exact = check_threshold(threshold)
    penalty = check_flag(penalize_off_target, "penalize_off_target")
    sides = _checked(truth, found, n_channels)
    results = [
        _evaluated(*sides, limit, exact, penalize_off_target=penalty)
        for limit in limits
    ]
    return curve_of([float(t) for t in limits], results, macro=macro, over="tau")


def _check_tau(tau: Any, name: str = "tau") -> Fraction:
    """Return the threshold of channels as the decimal number that was written."""
    if not 0.5 < check_number(tau, name) <= 1:
        raise InputError(
            f"{name} must lie in (0.5, 1], got {tau}; at 0.5 one found motif could "
            f"match two true ones"
        )
    return Fraction(str(tau))


def _checked(
    truth: Any, found: Any, n_channels: int | None
) -> tuple[MotifSets, MotifSets]:
    """Return checked sets, either all plain or all with channels."""
    sides = {
        "truth": check_truth(truth, by_channel=True),
        "found": check_motif_sets(found, "found"),
    }
    if n_channels is not None:
        ranged = [check_channel_range(s, n_channels, k) for k, s in sides.items()]
        return ranged[0], ranged[1]
    every = [motifs for side in sides.values() for motifs in side.sets]
    if len({motifs.channels is None for motifs in every}) > 1:
        raise InputError(
            "some sets name their channels and others, which live in all, do not; give "
            "n_channels, the number of channels of the series"
        )
    return sides["truth"], sides["found"]


def _evaluated(
    truth: MotifSets,
    found: MotifSets,
    tau: Fraction,
    threshold: Fraction,
    *,
    penalize_off_target: bool,
) -> Prom:
    """Evaluate checked sets: step 1 is that of subspaces, the others are PROM's."""
    sides = []
    for sets in (truth, found):
        side = Side.of([sets])
        side.tags = [(m.channels or (), m.intervals.tolist()) for m in sets.sets]
        sides.append(side)
    batch = Batch(*sides)
    in_order = truth.reordered(batch.truth.places), found.reordered(batch.found.places)
    pairs = motif_pairs(*in_order, tau, close_pairs)
    return compare(
        batch,
        truth,
        found,
        pairs.where(pairs.above(threshold)),
        threshold,
        penalize_off_target=penalize_off_target,
        tau=tau,
    )


def jaccard(first: tuple[int, ...] | None, second: tuple[int, ...] | None) -> Fraction:
    """Return the share of channels that two sets have in common; None is for all."""
    one, other = set(first or (0,)), set(second or (0,))
    return Fraction(len(one & other), len(one | other))


def motif_pairs(
    truth: MotifSets,
    found: MotifSets,
    tau: Fraction,
    pair_up: Callable[[Segments, Segments], SegmentPairs],
) -> SegmentPairs:
    """Return pairs of motifs of comparable sets that overlap in all common channels.

    Each with the overlap in the channel where it is lowest. `pair_up` pairs the
    intervals of one channel, of which the true ones do not overlap: `close_pairs` for
    rates above one half, `touching_pairs` for all.
    """
    count = 1 + max(
        (max(m.channels or (0,)) for m in (*truth.sets, *found.sets)), default=0
    )
    has = [
        np.array([np.isin(range(count), m.channels or (0,)) for m in side.sets], int)
        for side in (truth, found)
    ]
    shared = has[0] @ has[1].T if found.sets else np.zeros((len(truth.sets), 0), int)
    union = has[0].sum(axis=1)[:, None] + has[1].reshape(-1, count).sum(axis=1) - shared
    comparable = shared * tau.denominator >= union * tau.numerator
    # The pairs of intervals, channel by channel, with the motifs that they belong to.
    parts = []
    for channel in range(count):
        true_motif, true_intervals = _in_channel(truth.sets, channel)
        found_motif, found_intervals = _in_channel(found.sets, channel)
        if len(true_motif) and len(found_motif):
            near = pair_up(true_intervals, found_intervals)
            motifs = true_motif[near.truth], found_motif[near.found]
            parts.append(SegmentPairs(*motifs, near.common, near.joint))
    if not parts:
        none = np.empty(0, dtype=np.int64)
        return SegmentPairs(none, none, none, none)
    pairs = SegmentPairs(*map(np.concatenate, zip(*parts, strict=True)))
    sets = truth.owner[pairs.truth], found.owner[pairs.found]
    pairs = pairs.where(comparable[sets])
    # One pair of motifs for those that overlap in as many channels as they share.
    key = pairs.found * len(truth.segments) + pairs.truth
    order = np.lexsort((rate_order(pairs), key))
    pairs = pairs.where(order)
    _, first, times = np.unique(key[order], return_index=True, return_counts=True)
    sets = truth.owner[pairs.truth[first]], found.owner[pairs.found[first]]
    return pairs.where(first[times == shared[sets]])


def _in_channel(sets: Sequence[MotifSet], channel: int) -> tuple[Any, Segments]:
    """Return the positions of motifs in one channel, and their intervals there."""
    motifs, intervals, begin = [np.empty(0, int)], [np.empty((0, 2), int)], 0
    for motif_set in sets:
        channels = motif_set.channels or (0,)
        if channel in channels:
            motifs.append(begin + np.arange(len(motif_set)))
            intervals.append(motif_set.intervals[:, channels.index(channel)])
        begin += len(motif_set)
    return np.concatenate(motifs), np.concatenate(intervals)

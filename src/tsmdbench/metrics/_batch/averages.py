"""PROM's averages from counts: every formula and every divisor, once.

The functions take counts of one problem as Python integers, or of many problems as
arrays of int64 with one entry per problem; the arithmetic is the same. All sums are
exact: quotients are added over a common denominator and divided once, at the very
end. Two matchings can have equal sums out of different quotients, and adding rounded
quotients would tell them apart in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

Count = Any  # int, or int64[problems]
Value = Any  # float, or float64[problems]


class Quotient(NamedTuple):
    """A sum of quotients over one denominator."""

    over: Count
    under: Count


class PairSums(NamedTuple):
    """Precision, recall and F1, each added up over the matched pairs of sets."""

    precision: Quotient
    recall: Quotient
    f1: Quotient


def counted(matched: Count, everything: Count, *, penalize_off_target: bool) -> Count:
    """Return how many found sets, or found motifs, count for precision.

    Those that are matched; all of them when sets off target are penalised.
    """
    return everything if penalize_off_target else matched


def micro_averages(
    tp: Count, true_motifs: Count, found_motifs: Count
) -> tuple[Value, Value, Value]:
    """Return precision, recall and F1 over all motifs.

    Parameters
    ----------
    tp : int
        True positives.
    true_motifs, found_motifs : int
        All true motifs, and the found motifs that count.

    Examples
    --------
    >>> micro_averages(2, 5, 4)
    (0.5, 0.4, 0.4444444444444444)
    >>> micro_averages(0, 5, 0)
    (0.0, 0.0, 0.0)
    """
    return (
        _ratio(tp, found_motifs),
        _ratio(tp, true_motifs),
        _ratio(2 * tp, true_motifs + found_motifs),
    )


def macro_averages(
    sums: PairSums,
    true_sets: Count,
    found_sets: Count,
    pairs: Count,
    *,
    penalize_off_target: bool,
) -> tuple[Value, Value, Value]:
    """Return the means of precision, recall and F1 over sets.

    A set without partner adds 0 to a sum. Recall is divided by the number of true
    sets; precision by the number of pairs, or of found sets with the penalty; F1 by
    the number of true sets, or with the penalty by the larger number of sets.

    Parameters
    ----------
    sums : PairSums
        What the matched pairs add up to.
    true_sets, found_sets, pairs : int
        Numbers of sets, and of pairs: the smaller of the two.

    Examples
    --------
    One of two true sets is matched, and both its motifs are found; a found set of
    four motifs has the two:

    >>> sums = sums_over_pairs([2], [2], [4])
    >>> macro_averages(sums, 2, 1, 1, penalize_off_target=False)
    (0.5, 0.5, 0.3333333333333333)
    """
    precise_sets = counted(pairs, found_sets, penalize_off_target=penalize_off_target)
    # The larger number of sets is that of both sides less the smaller.
    either = true_sets + found_sets - pairs
    return (
        _mean(sums.precision, precise_sets),
        _mean(sums.recall, true_sets),
        _mean(sums.f1, either if penalize_off_target else true_sets),
    )


def sums_over_pairs(
    hits: Sequence[int], true_sizes: Sequence[int], found_sizes: Sequence[int]
) -> PairSums:
    """Add up the matched pairs of one problem.

    Parameters
    ----------
    hits, true_sizes, found_sizes : sequences of int
        Common motifs and cardinalities, pair by pair.
    """
    both = [true + found for true, found in zip(true_sizes, found_sizes, strict=True)]
    return PairSums(
        precision=sum_of_quotients(hits, found_sizes),
        recall=sum_of_quotients(hits, true_sizes),
        f1=sum_of_quotients([2 * hit for hit in hits], both),
    )


def sum_of_quotients(over: Sequence[int], under: Sequence[int]) -> Quotient:
    """Return the exact sum of ``over / under``; nothing out of nothing counts as 0.

    Examples
    --------
    >>> sum_of_quotients([1, 2, 0], [3, 2, 0])
    Quotient(over=8, under=6)
    """
    shared = math.lcm(*filter(None, under))
    total = sum(o * (shared // u) for o, u in zip(over, under, strict=True) if o)
    return Quotient(total, shared)


def _mean(total: Quotient, divisor: Count) -> Value:
    return _ratio(total.over, total.under * divisor)


def _ratio(over: Count, under: Count) -> Value:
    """Divide; nothing out of nothing is 0."""
    return over / (under + (under == 0))

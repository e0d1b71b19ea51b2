"""Diagnose one evaluation: a status for every motif and every pair of sets.

`explain` starts from the matching that PROM chose and gives each motif one of a few
plain words. The words are chosen so that fixing all errors of one kind is a change that
can be carried out, see `tsmdbench.metrics.explain.oracle`, and fixing all kinds, in
any order, leads to a perfect score.

True motifs
    *matched*; *found twice* (matched, and found again); *wrong set* (found, in a set
    that is matched with another true set or with none); *off* (overlapped, but not
    enough); *missed* (nothing overlaps it).
Found motifs
    *true positive*; *duplicate* (of a true motif that another found motif matches);
    *wrong set*; *off* (shifted or of a wrong length); *spurious* (it overlaps no
    true motif).
Pairs of sets
    *complete*, *partial* (matched, but motifs are missing), *split* (a part of the
    true set lies in this other found set), *merged* (this found set also holds
    motifs of that other true set), *nothing in common*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tsmdbench.arrays import Integers
from tsmdbench.metrics.batch import SegmentPairs, above, rates, touching_pairs
from tsmdbench.metrics.explain.explanation import (
    Explanation,
    FoundMotif,
    SetRelation,
    TrueMotif,
)
from tsmdbench.metrics.prom import prom
from tsmdbench.metrics.prom_result import Prom
from tsmdbench.segments import overlap_rate


def explain(
    truth: Any,
    found: Any,
    *,
    threshold: float = 0.5,
    penalize_off_target: bool = False,
) -> Explanation:
    """Explain what was matched, what went wrong, and what F1 would be if fixed.

    Parameters
    ----------
    truth, found, threshold, penalize_off_target
        As for `tsmdbench.metrics.prom`.

    Returns
    -------
    Explanation
        ``print`` shows a summary; its attributes have the status of every motif.

    Examples
    --------
    >>> truth = {"a": [(0, 10), (50, 60), (90, 100)], "b": [(20, 30), (70, 80)]}
    >>> found = [[(0, 10), (56, 66), (20, 30)], [(70, 80), (70, 79), (200, 210)]]
    >>> print(explain(truth, found))
    F1 0.364 (precision 0.333, recall 0.400): 2 of 5 true motifs are matched.
    found: 2 true positives, 1 duplicate, 1 in the wrong set, 1 off, 1 spurious
    true:  1 matched, 1 found twice, 1 in the wrong set, 1 off, 1 missed
    F1 if fixed:
      0.545  put 1 motif into the right set
      0.545  put 1 motif into the right place
      0.500  add 1 missed motif
      0.400  remove 1 duplicate
      0.400  remove 1 spurious motif
    what to look at:
      'a' [50, 60): best overlap 0.25 with [56, 66) of set 0, start late by 6
      'a' [90, 100): missed
      'b' [20, 30): in set 0 instead of set 1
      set 0 holds motifs of 'a' and 'b' (merged)
      'b' lies in sets 0 and 1 (split)
    """
    return diagnose(
        prom(
            truth,
            found,
            threshold=threshold,
            penalize_off_target=penalize_off_target,
        )
    )


def diagnose(result: Prom) -> Explanation:
    """Explain an evaluation that was made already."""
    true, found = result.truth.segments, result.found.segments
    pairs = touching_pairs(true, found, np.argsort(true[:, 0], kind="stable"))
    return Explanation(
        result=result,
        true_motifs=_true_motifs(result, pairs),
        found_motifs=_found_motifs(result, pairs),
        relations=_relations(result),
    )


def _best_partner(of: Integers, other: Integers, rate: Any, size: int) -> Integers:
    """Return for each motif the overlap pair with the highest rate, or -1."""
    best = np.full(size, -1, dtype=np.int64)
    order = np.lexsort((-other, rate, of))  # later entries win: high rate, low index
    best[of[order]] = order
    return best


def _links(result: Prom) -> tuple[Integers, Integers]:
    """Return for each true motif its found motif, and the reverse; -1 for none."""
    forward = np.full(len(result.truth.segments), -1, dtype=np.int64)
    backward = np.full(len(result.found.segments), -1, dtype=np.int64)
    forward[result.links[:, 0]] = result.links[:, 1]
    backward[result.links[:, 1]] = result.links[:, 0]
    return forward, backward


def _in_pair(result: Prom, row: int, column: int) -> bool:
    """Return whether a true and a found set are matched with each other."""
    return row == column < result.matched


def _true_motifs(result: Prom, pairs: SegmentPairs) -> tuple[TrueMotif, ...]:
    forward, _ = _links(result)
    rate = rates(pairs)
    close = np.bincount(
        pairs.truth[above(pairs, result.threshold)], minlength=len(forward)
    )
    best = _best_partner(pairs.truth, pairs.found, rate, len(forward))
    motifs = []
    for place, (start, end) in enumerate(result.truth.segments.tolist()):
        row, link = int(result.truth.owner[place]), int(forward[place])
        if link >= 0:
            inside = _in_pair(result, row, int(result.found.owner[link]))
            status = "wrong set" if not inside else "matched"
            if inside and close[place] > 1:
                status = "found twice"
            partner = link
            other = result.found.segments[link].tolist()
            overlap = overlap_rate((start, end), other)
        elif best[place] >= 0:
            status = "off"
            partner, overlap = int(pairs.found[best[place]]), float(rate[best[place]])
        else:
            status, partner, overlap = "missed", -1, 0.0
        motifs.append(TrueMotif(place, row, start, end, status, partner, overlap))
    return tuple(motifs)


def _found_motifs(result: Prom, pairs: SegmentPairs) -> tuple[FoundMotif, ...]:
    _, backward = _links(result)
    rate = rates(pairs)
    matchable = above(pairs, result.threshold)
    best = _best_partner(pairs.found, pairs.truth, rate, len(backward))
    motifs = []
    for place, (start, end) in enumerate(result.found.segments.tolist()):
        column, link = int(result.found.owner[place]), int(backward[place])
        if link >= 0:
            inside = _in_pair(result, int(result.truth.owner[link]), column)
            status, partner = "true positive" if inside else "wrong set", link
        elif best[place] >= 0:
            status = "duplicate" if matchable[best[place]] else "off"
            partner = int(pairs.truth[best[place]])
        else:
            status, partner = "spurious", -1
        motifs.append(
            _measured(result, FoundMotif(place, column, start, end, status, partner))
        )
    return tuple(motifs)


def _measured(result: Prom, motif: FoundMotif) -> FoundMotif:
    """Add how late it starts and how much too long it is."""
    if motif.true_motif < 0:
        return motif
    start, end = result.truth.segments[motif.true_motif].tolist()
    length = (motif.end - motif.start) / (end - start) - 1
    return motif.located(late=motif.start - start, too_long=length)


def _relations(result: Prom) -> tuple[SetRelation, ...]:
    common = result.matrix[:-1, :-1]
    spread = (common > 0).sum(axis=1)
    mixed = (common > 0).sum(axis=0)
    relations = []
    for row, column in np.ndindex(common.shape):
        hits, matched = int(common[row, column]), _in_pair(result, row, column)
        if not hits and not matched:
            continue
        kinds = []
        if matched:
            full = hits == result.matrix[row].sum()
            kinds.append("complete" if full else "partial" if hits else "nothing")
        if hits and spread[row] > 1:
            kinds.append("split")
        if hits and mixed[column] > 1:
            kinds.append("merged")
        if kinds or hits:
            relations.append(SetRelation(row, column, hits, matched, tuple(kinds)))
    return tuple(relations)

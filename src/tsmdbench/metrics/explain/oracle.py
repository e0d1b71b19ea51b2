"""Oracle fixes: found motif sets with the errors of chosen kinds fixed.

Each kind of error names a change to what was found:

* *duplicate*: remove the second found motif of a true motif;
* *wrong set*: move the motif into the set that its true set is matched with;
* *off*: put the motif where the true motif is, into the right set, or remove it when
  another found motif is closer;
* *spurious*: remove what overlaps no true motif;
* *missed*: add the true motif to the right set.

A true set without partner gets a new found set as its right set. The changes are
planned once, from the explanation, and concern different motifs, so any selection of
kinds can be applied, in any order, with the same outcome; all of them together leave
exactly one found motif for each true motif, in the right set: F1 = 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tsmdbench.errors import InputError
from tsmdbench.segments import overlap_rate
from tsmdbench.types import MotifSet, MotifSets

if TYPE_CHECKING:
    from tsmdbench.metrics.explain.explanation import Explanation

KINDS = ("duplicate", "wrong set", "off", "spurious", "missed")
Segment = tuple[int, int]


def fixed(explanation: Explanation, kinds: Iterable[str]) -> MotifSets:
    """Return what was found with the errors of the given kinds fixed."""
    chosen = set(kinds)
    unknown = chosen - set(KINDS)
    if unknown:
        raise InputError(
            f"no kind of error {sorted(unknown)[0]!r}; known: {', '.join(KINDS)}"
        )
    result = explanation.result
    g, d = len(result.truth.sets), len(result.found.sets)
    sets: list[list[Segment]] = [[] for _ in range(d)]
    homes: dict[int, list[Segment]] = {row: [] for row in range(g)}
    for row in range(result.matched):
        homes[row] = sets[row]
    owner = result.truth.owner
    settled = _best_off(explanation)
    for motif in explanation.found_motifs:
        segment = motif.start, motif.end
        if motif.status not in chosen:
            sets[motif.found_set].append(segment)
        elif motif.status == "wrong set":
            homes[int(owner[motif.true_motif])].append(segment)
        elif motif.status == "off" and settled.get(motif.true_motif) == motif.index:
            start, end = result.truth.segments[motif.true_motif].tolist()
            homes[int(owner[motif.true_motif])].append((start, end))
    for true in explanation.true_motifs:
        if _to_add(true.status, true.index, settled) and "missed" in chosen:
            homes[true.true_set].append((true.start, true.end))
    new = [homes[row] for row in range(result.matched, g) if homes[row]]
    kept = [segments for segments in [*sets, *new] if segments or not chosen]
    labels = tuple(range(len(kept)))
    return MotifSets(labels, tuple(MotifSet(segments) for segments in kept))


def _best_off(explanation: Explanation) -> dict[int, int]:
    """Return for each true motif that is off the found motif that can be fixed.

    A found motif overlaps the true motif it is nearest to; a true motif whose every
    overlapping found motif is nearer to another true motif has none, and must be added.
    """
    true_motifs = explanation.true_motifs
    best: dict[int, tuple[float, int]] = {}
    for motif in explanation.found_motifs:
        if motif.status != "off" or true_motifs[motif.true_motif].status != "off":
            continue
        true = true_motifs[motif.true_motif]
        rate = overlap_rate((motif.start, motif.end), (true.start, true.end))
        if rate > best.get(motif.true_motif, (0.0, -1))[0]:
            best[motif.true_motif] = rate, motif.index
    return {true: index for true, (_, index) in best.items()}


def _to_add(status: str, index: int, settled: dict[int, int]) -> bool:
    """Return whether a true motif has no found motif that another fix moves to it."""
    return status == "missed" or (status == "off" and index not in settled)

"""Diagnose one evaluation: a status for every motif and every pair of sets.

`explain` starts from the matching that PROM chose and gives each motif one of a few
plain words. The words are chosen so that fixing all errors of one kind is a change that
can be carried out (`fixed`), and fixing all kinds, in any order, leads to a perfect
score.

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

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io.timebase import TimeBase, plain_number
from tsmdbench.metrics.batch import Batch, SegmentPairs, above, rates, touching_pairs
from tsmdbench.metrics.prom import prom, prom_of
from tsmdbench.metrics.prom_result import Prom
from tsmdbench.segments import overlap_rate
from tsmdbench.types import MotifSet, MotifSets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 12  # lines of detail in the text
LENGTH_SHOWN = 0.005  # a difference in length below half a percent is not worth a word


@dataclass(frozen=True)
class TrueMotif:
    """What happened to one true motif.

    Attributes
    ----------
    index, true_set : int
        Position in ``result.truth.segments`` and of its set.
    start, end : int
        The segment.
    status : str
        "matched", "found twice", "wrong set", "off" or "missed".
    found_motif : int
        The found motif that it is matched with or overlaps most, -1 for none.
    overlap : float
        Overlap rate with that motif.
    """

    index: int
    true_set: int
    start: int
    end: int
    status: str
    found_motif: int
    overlap: float


@dataclass(frozen=True)
class FoundMotif:
    """What one found motif is.

    Attributes
    ----------
    index, found_set : int
        Position in ``result.found.segments`` and of its set.
    start, end : int
        The segment.
    status : str
        "true positive", "duplicate", "wrong set", "off" or "spurious".
    true_motif : int
        The true motif that it is matched with or overlaps most, -1 for none.
    late : int
        Samples that it starts after that true motif; negative if before.
    too_long : float
        How much longer than that true motif, as a share; negative if shorter.
    """

    index: int
    found_set: int
    start: int
    end: int
    status: str
    true_motif: int
    late: int = 0
    too_long: float = 0.0

    def located(self, *, late: int, too_long: float) -> FoundMotif:
        """Return the same motif with its displacement filled in."""
        return replace(self, late=late, too_long=too_long)

    def displacement(self, rate: float | None = None) -> str:
        """Describe in words where it lies relative to its true motif.

        In seconds if a sampling rate is given, else in samples.
        """
        words = []
        if self.late:
            when = "late" if self.late > 0 else "early"
            late = abs(self.late)
            seconds = "" if rate is None else f"{plain_number(late / rate, 3)} s"
            words.append(f"start {when} by {seconds or late}")
        if abs(self.too_long) >= LENGTH_SHOWN:
            how = "long" if self.too_long > 0 else "short"
            words.append(f"{abs(self.too_long):.0%} too {how}")
        return ", ".join(words) or "exact"


@dataclass(frozen=True)
class SetRelation:
    """What a true and a found set have in common.

    Attributes
    ----------
    true_set, found_set : int
        Row and column of the matching matrix.
    common : int
        Motifs in common.
    matched : bool
        Whether the two are matched with each other.
    kinds : tuple of str
        Of "complete", "partial", "nothing", "split", "merged".
    """

    true_set: int
    found_set: int
    common: int
    matched: bool
    kinds: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Explanation:
    """Every motif and every pair of sets of one evaluation, explained.

    Made by `tsmdbench.metrics.explain`; ``print`` it to read it.
    """

    result: Prom
    true_motifs: tuple[TrueMotif, ...]
    found_motifs: tuple[FoundMotif, ...]
    relations: tuple[SetRelation, ...]

    @property
    def true_counts(self) -> dict[str, int]:
        """Number of true motifs by status."""
        return dict(Counter(motif.status for motif in self.true_motifs))

    @property
    def found_counts(self) -> dict[str, int]:
        """Number of found motifs by status."""
        return dict(Counter(motif.status for motif in self.found_motifs))

    @cached_property
    def f1_if_fixed(self) -> dict[str, float]:
        """F1 if all errors of one kind, and only those, were fixed.

        Kinds that do not occur are left out.
        """
        counts = self.error_counts()
        return {kind: self.f1_after([kind]) for kind in KINDS if counts[kind]}

    @property
    def repairs(self) -> dict[str, float]:
        """Return `f1_if_fixed`, with a warning: this is its deprecated name."""
        warnings.warn(
            "Explanation.repairs is deprecated, use Explanation.f1_if_fixed",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.f1_if_fixed

    def f1_after(self, kinds: Iterable[str]) -> float:
        """Return F1 with the errors of these kinds fixed.

        Fixing all kinds gives 1.0, in whatever order they are added.
        """
        found = fixed(self, kinds)
        batch = Batch.of_one(self.result.truth, found)
        values = prom_of(
            batch,
            threshold=self.result.threshold,
            penalize_off_target=self.result.penalize_off_target,
        )
        return float(values["prom_f1"][0])

    def error_counts(self) -> dict[str, int]:
        """Return the number of errors of each kind that can be fixed."""
        counts = Counter(self.found_counts)
        fixable = {motif.true_motif for motif in self.found_motifs}
        counts["missed"] = sum(
            motif.status == "missed"
            or (motif.status == "off" and motif.index not in fixable)
            for motif in self.true_motifs
        )
        return counts

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings, ready for JSON."""
        return {
            **self.result.to_dict(),
            "true_motifs": [vars(motif) for motif in self.true_motifs],
            "found_motifs": [vars(motif) for motif in self.found_motifs],
            "relations": [vars(relation) for relation in self.relations],
            "true_counts": self.true_counts,
            "found_counts": self.found_counts,
            "f1_if_fixed": self.f1_if_fixed,
        }

    def plot(self, series: Any = None) -> Figure:
        """Draw the evaluation with a mark at every motif that went wrong."""
        from tsmdbench.metrics.explain_figure import draw

        return draw(self.result, series, explanation=self)

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        """Show the explanation in a notebook."""
        return html(self)


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


KINDS = ("duplicate", "wrong set", "off", "spurious", "missed")
Segment = tuple[int, int]


def fixed(explanation: Explanation, kinds: Iterable[str]) -> MotifSets:
    """Return what was found with the errors of the given kinds fixed.

    Each kind of error names a change to what was found:

    * *duplicate*: remove the second found motif of a true motif;
    * *wrong set*: move the motif into the set that its true set is matched with;
    * *off*: put the motif where the true motif is, into the right set, or remove it
      when another found motif is closer;
    * *spurious*: remove what overlaps no true motif;
    * *missed*: add the true motif to the right set.

    A true set without partner gets a new found set as its right set. The changes are
    planned once, from the explanation, and concern different motifs, so any selection
    of kinds can be applied, in any order, with the same outcome; all of them together
    leave exactly one found motif for each true motif, in the right set: F1 = 1.
    """
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


FOUND_WORDS = {
    "true positive": ("true positive", "true positives"),
    "duplicate": ("duplicate", "duplicates"),
    "wrong set": ("in the wrong set", "in the wrong set"),
    "off": ("off", "off"),
    "spurious": ("spurious", "spurious"),
}
TRUE_WORDS = ("matched", "found twice", "wrong set", "off", "missed")
ADVICE = {
    "duplicate": ("remove 1 duplicate", "remove {n} duplicates"),
    "wrong set": (
        "put 1 motif into the right set",
        "put {n} motifs into the right set",
    ),
    "off": ("put 1 motif into the right place", "put {n} motifs into the right place"),
    "spurious": ("remove 1 spurious motif", "remove {n} spurious motifs"),
    "missed": ("add 1 missed motif", "add {n} missed motifs"),
}


def text(
    explanation: Explanation, base: TimeBase | None = None, units: str = "samples"
) -> str:
    """Return the explanation as lines, the most useful first.

    Segments are in `units`, which need the time base of the recording unless samples.
    """
    lines = counted_lines(explanation)
    if explanation.f1_if_fixed:
        lines.append("F1 if fixed:")
        lines.extend(_fix_lines(explanation))
    seen = details(explanation, base or TimeBase(), units)
    if seen:
        lines.append("what to look at:")
        lines.extend(f"  {line}" for line in seen[:SHOWN])
    if len(seen) > SHOWN:
        lines.append(f"  ... and {len(seen) - SHOWN} more")
    return "\n".join(lines)


def counted_lines(explanation: Explanation) -> list[str]:
    """Return the score, and the numbers of motifs by status."""
    result = explanation.result
    return [
        f"F1 {result.f1:.3f} (precision {result.precision:.3f}, recall "
        f"{result.recall:.3f}): {result.tp} of {result.tp + result.fn} true motifs "
        f"are matched.",
        f"found: {_found_line(explanation)}",
        f"true:  {_true_line(explanation)}",
    ]


def details(
    explanation: Explanation, base: TimeBase | None = None, units: str = "samples"
) -> list[str]:
    """Return a line for each motif and each set that went wrong."""
    motifs = _motif_lines(explanation, base or TimeBase(), units)
    return [*motifs, *_set_lines(explanation)]


def _found_line(explanation: Explanation) -> str:
    counts = explanation.found_counts
    parts = [
        f"{counts[status]} {words[counts[status] > 1]}"
        for status, words in FOUND_WORDS.items()
        if counts.get(status)
    ]
    return ", ".join(parts) or "nothing"


def _true_line(explanation: Explanation) -> str:
    counts = explanation.true_counts
    return ", ".join(
        f"{counts[status]} {'in the wrong set' if status == 'wrong set' else status}"
        for status in TRUE_WORDS
        if counts.get(status)
    )


def _fix_lines(explanation: Explanation) -> Iterator[str]:
    """Yield what to fix, the kind that brings most first."""
    counts = explanation.error_counts()
    for kind, f1 in sorted(explanation.f1_if_fixed.items(), key=lambda item: -item[1]):
        words = ADVICE[kind][counts[kind] > 1].format(n=counts[kind])
        yield f"  {f1:.3f}  {words}"


def _shown(start: int, end: int, base: TimeBase, units: str) -> str:
    first, last = base.shown(start, end, units)
    suffix = "" if units in ("samples", "time") else f" {units}"
    return f"[{first}, {last}){suffix}"


def _motif_lines(explanation: Explanation, base: TimeBase, units: str) -> Iterator[str]:
    """Yield a line for each true motif that is not right."""
    labels = explanation.result.row_labels
    for motif in explanation.true_motifs:
        if motif.status in ("matched", "found twice"):
            continue
        where = _shown(motif.start, motif.end, base, units)
        what = _what_happened(explanation, motif, base, units)
        yield f"{labels[motif.true_set]!r} {where}: {what}"


def _what_happened(
    explanation: Explanation, motif: TrueMotif, base: TimeBase, units: str
) -> str:
    if motif.status == "missed":
        return "missed"
    result = explanation.result
    found = explanation.found_motifs[motif.found_motif]
    column = result.column_labels[found.found_set]
    if motif.status == "wrong set":
        if motif.true_set < result.matched:
            return f"in set {column!r} instead of set " + repr(
                result.column_labels[motif.true_set]
            )
        return f"in set {column!r}, while its own set has no partner"
    where = (
        found.displacement(None if units == "samples" else base.rate)
        if found.true_motif == motif.index
        else "nearer another"
    )
    return (
        f"best overlap {motif.overlap:.2f} with "
        f"{_shown(found.start, found.end, base, units)} of set {column!r}, {where}"
    )


def _set_lines(explanation: Explanation) -> Iterator[str]:
    """Yield a line for each found set that is merged and true set that is split."""
    result = explanation.result
    merged: dict[int, list[str]] = {}
    split: dict[int, list[str]] = {}
    for relation in explanation.relations:
        if "merged" in relation.kinds:
            name = repr(result.row_labels[relation.true_set])
            merged.setdefault(relation.found_set, []).append(name)
        if "split" in relation.kinds:
            name = repr(result.column_labels[relation.found_set])
            split.setdefault(relation.true_set, []).append(name)
    for column, names in merged.items():
        label = repr(result.column_labels[column])
        yield f"set {label} holds motifs of {_listed(names)} (merged)"
    for row, names in split.items():
        label = repr(result.row_labels[row])
        yield f"{label} lies in sets {_listed(sorted(names))} (split)"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def html(explanation: Explanation) -> str:
    """Return the explanation as HTML; labels come from outside and are escaped."""
    parts = [html_lines(counted_lines(explanation))]
    if explanation.f1_if_fixed:
        counts = explanation.error_counts()
        rows = [
            [ADVICE[kind][counts[kind] > 1].format(n=counts[kind]), f"{f1:.3f}"]
            for kind, f1 in sorted(
                explanation.f1_if_fixed.items(), key=lambda item: -item[1]
            )
        ]
        parts.append(html_table(["what to fix", "F1 if fixed"], rows))
    lines = details(explanation)
    if lines:
        rows = [[line] for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            rows.append([f"... and {len(lines) - SHOWN} more"])
        parts.append(html_table(["what to look at"], rows))
    return html_block(*parts)

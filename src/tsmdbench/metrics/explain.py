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

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io.timebase import TimeBase, plain_number
from tsmdbench.metrics.batch import Batch, touching_pairs
from tsmdbench.metrics.prom import prom, prom_of
from tsmdbench.metrics.prom_result import Prom
from tsmdbench.metrics.subspace import jaccard, motif_pairs, subspace_prom
from tsmdbench.segments import overlap_rate
from tsmdbench.types import MotifSet, MotifSets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 12  # lines of detail in the text
LENGTH_SHOWN = 0.005  # a difference in length below half a percent is not worth a word


@dataclass(frozen=True)
class TrueMotif:
    """Status of one true motif.

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
    """Status of one found motif.

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

    def displacement(self, rate: float | None = None) -> str:
        """Describe in words where it lies relative to its true motif.

        In seconds if a sampling rate is given, else in samples.
        """
        words = []
        if self.late:
            when = "late" if self.late > 0 else "early"
            late = abs(self.late)
            far = str(late) if rate is None else f"{plain_number(late / rate, 3)} s"
            words.append(f"start {when} by {far}")
        if abs(self.too_long) >= LENGTH_SHOWN:
            how = "long" if self.too_long > 0 else "short"
            words.append(f"{abs(self.too_long):.0%} too {how}")
        return ", ".join(words) or "exact"


@dataclass(frozen=True)
class SetRelation:
    """Relation between a true and a found set.

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
    """Status of every motif and every pair of sets of one evaluation.

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

    def f1_after(self, kinds: Iterable[str]) -> float:
        """Return F1 with the errors of these kinds fixed.

        Fixing all kinds gives 1.0, in whatever order they are added.
        """
        result, found = self.result, fixed(self, kinds)
        options: dict[str, Any] = {
            "threshold": result.threshold,
            "penalize_off_target": result.penalize_off_target,
        }
        if result.tau is not None:
            return subspace_prom(result.truth, found, tau=result.tau, **options).f1
        values = prom_of(Batch.of_one(result.truth, found), **options)
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
        """Draw the evaluation, marking every error."""
        from tsmdbench.metrics.explain_figure import draw

        return draw(self.result, series, explanation=self)

    def __str__(self) -> str:
        return text(self)

    def _repr_html_(self) -> str:
        """Show the explanation in a notebook."""
        parts = [html_lines(_counted(self))]
        if fixes := [[words, f"{f1:.3f}"] for f1, words in _fixes(self)]:
            parts.append(html_table(["what to fix", "F1 if fixed"], fixes))
        if lines := _shortened(_details(self, TimeBase(), "samples")):
            parts.append(html_table(["what to look at"], [[line] for line in lines]))
        return html_block(*parts)


def explain(
    truth: Any,
    found: Any,
    *,
    threshold: float = 0.5,
    penalize_off_target: bool = False,
    tau: float | None = None,
    n_channels: int | None = None,
) -> Explanation:
    """Explain the matches and errors of a result, and F1 without each error.

    Parameters
    ----------
    truth, found, threshold, penalize_off_target
        As for `tsmdbench.metrics.prom`.
    tau, n_channels : optional
        With `tau`, subspace PROM is explained: as for
        `tsmdbench.metrics.subspace_prom`. Motifs of sets that are not comparable do not
        overlap then.

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
    options: dict[str, Any] = {
        "threshold": threshold,
        "penalize_off_target": penalize_off_target,
    }
    if tau is None:
        return diagnose(prom(truth, found, **options))
    options |= {"tau": tau, "n_channels": n_channels}
    return diagnose(subspace_prom(truth, found, **options))


def diagnose(result: Prom) -> Explanation:
    """Explain an existing PROM result."""
    true, found = result.truth.segments, result.found.segments
    true_owner, found_owner = result.truth.owner.tolist(), result.found.owner.tolist()
    if result.tau is None:
        pairs = touching_pairs(true, found)
    else:
        pairs = motif_pairs(result.truth, result.found, result.tau, touching_pairs)
    rate, matchable = pairs.rate, pairs.above(result.threshold)
    both = zip(pairs.truth.tolist(), pairs.found.tolist(), strict=True)
    rates = dict(zip(both, rate.tolist(), strict=True))
    links = dict(result.links.tolist())
    back = {segment: motif for motif, segment in links.items()}
    times_found = Counter(pairs.truth[matchable].tolist())
    # The overlap with the highest rate, for each motif of both sides.
    nearest = _nearest(pairs.truth, pairs.found, rate)
    near = _nearest(pairs.found, pairs.truth, rate)

    def inside(motif: int, segment: int) -> bool:
        """Return True if the sets of two motifs are matched with each other."""
        return bool(true_owner[motif] == found_owner[segment] < result.matched)

    true_motifs = []
    for motif, (start, end) in enumerate(true.tolist()):
        segment, overlap = links.get(motif, -1), 0.0
        if segment >= 0:
            twice = "found twice" if times_found[motif] > 1 else "matched"
            status = twice if inside(motif, segment) else "wrong set"
            overlap = rates[motif, segment]
        elif motif in nearest:
            status, pair = "off", nearest[motif]
            segment, overlap = int(pairs.found[pair]), float(rate[pair])
        else:
            status = "missed"
        row = true_owner[motif]
        true_motifs.append(TrueMotif(motif, row, start, end, status, segment, overlap))
    found_motifs = []
    for segment, (start, end) in enumerate(found.tolist()):
        motif, late, too_long = back.get(segment, -1), 0, 0.0
        if motif >= 0:
            status = "true positive" if inside(motif, segment) else "wrong set"
        elif segment in near:
            motif = int(pairs.truth[near[segment]])
            status = "duplicate" if matchable[near[segment]] else "off"
        else:
            status = "spurious"
        if motif >= 0:
            true_start, true_end = true[motif].tolist()
            late = start - true_start
            too_long = (end - start) / (true_end - true_start) - 1
        found_motifs.append(
            FoundMotif(
                segment, found_owner[segment], start, end, status, motif, late, too_long
            )
        )
    return Explanation(
        result, tuple(true_motifs), tuple(found_motifs), _relations(result)
    )


def _nearest(of: Integers, other: Integers, rate: Floats) -> dict[int, int]:
    """Map each overlapping motif to its pair with the highest rate."""
    order = np.lexsort((-other, rate, of))  # later entries win: high rate, low index
    return dict(zip(of[order].tolist(), order.tolist(), strict=True))


def _relations(result: Prom) -> tuple[SetRelation, ...]:
    """Return the relations of sets that share motifs or are matched."""
    common = result.matrix[:-1, :-1]
    spread, mixed = (common > 0).sum(axis=1), (common > 0).sum(axis=0)
    relations = []
    for row, column in np.ndindex(common.shape):
        hits, matched = int(common[row, column]), row == column < result.matched
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
        relations.append(SetRelation(row, column, hits, matched, tuple(kinds)))
    return tuple(relations)


KINDS = ("duplicate", "wrong set", "off", "spurious", "missed")


def fixed(explanation: Explanation, kinds: Iterable[str]) -> MotifSets:
    """Return the found sets with the errors of the given kinds fixed.

    Each kind of error names a change of the found sets:

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
    result, true_motifs = explanation.result, explanation.true_motifs
    # Of the found motifs that are off, the one that overlaps a true motif most is put
    # into its place. A true motif without one (they are all nearer to others) is added.
    best: dict[int, tuple[float, int]] = {}
    for motif in explanation.found_motifs:
        true = true_motifs[motif.true_motif]
        if motif.status == "off" == true.status:
            rate = overlap_rate((motif.start, motif.end), (true.start, true.end))
            if rate > best.get(true.index, (-1.0, -1))[0]:
                best[true.index] = rate, motif.index
    # Each set as its channels and motifs, each motif as channel to interval.
    found, truth = _by_channel(result.found), _by_channel(result.truth)
    sets: list[Growing] = [(m.channels, []) for m in result.found.sets]
    homes: list[Growing] = [(m.channels, []) for m in result.truth.sets]
    new = list(homes)
    for row in range(result.matched):
        if result.tau is None or jaccard(homes[row][0], sets[row][0]) >= result.tau:
            homes[row] = sets[row]
    for motif in explanation.found_motifs:
        own = found[motif.index]
        if motif.status not in chosen:
            _put(sets[motif.found_set], own)
        elif motif.status == "wrong set":
            home = homes[true_motifs[motif.true_motif].true_set]
            _put(home, own, truth[motif.true_motif])
        elif motif.status == "off" and (
            best.get(motif.true_motif, (0, -1))[1] == motif.index
        ):
            home = homes[true_motifs[motif.true_motif].true_set]
            _put(home, truth[motif.true_motif])
    for true in true_motifs if "missed" in chosen else ():
        if true.status == "missed" or (true.status == "off" and true.index not in best):
            _put(homes[true.true_set], truth[true.index])
    kept = [(c, motifs) for c, motifs in sets if motifs or not chosen]
    kept += [(c, motifs) for c, motifs in new if motifs]
    made = [MotifSet([m[0] for m in ms] if c is None else ms, c) for c, ms in kept]
    return MotifSets(tuple(range(len(made))), tuple(made))


Interval = list[int]
Growing = tuple[tuple[int, ...] | None, list[list[Interval]]]


def _by_channel(sets: MotifSets) -> list[dict[int, Interval]]:
    """Return for each motif its interval in each channel, 0 standing for all."""
    return [
        dict(zip(motifs.channels or (0,), intervals, strict=True))
        for motifs in sets.sets
        for intervals in motifs.intervals.tolist()
    ]


def _put(
    into: Growing, motif: dict[int, Interval], other: dict[int, Interval] | None = None
) -> None:
    """Add a motif to a set; in channels that it lacks, the other one, or its span."""
    starts, ends = zip(*motif.values(), strict=True)
    known = {**(other or {}), **motif}
    span = [min(starts), max(ends)]
    into[1].append([known.get(channel, span) for channel in into[0] or (0,)])


FOUND_WORDS = ("true positive", "duplicate", "wrong set", "off", "spurious")
TRUE_WORDS = ("matched", "found twice", "wrong set", "off", "missed")
COUNTED = ("true positive", "duplicate")  # words that have a plural
ADVICE = {
    "duplicate": "remove {n} duplicate{s}",
    "wrong set": "put {n} motif{s} into the right set",
    "off": "put {n} motif{s} into the right place",
    "spurious": "remove {n} spurious motif{s}",
    "missed": "add {n} missed motif{s}",
}


def text(
    explanation: Explanation, base: TimeBase | None = None, units: str = "samples"
) -> str:
    """Return the explanation as lines, the most useful first.

    Segments are in `units`, which need the time base of the recording unless samples.
    """
    lines = _counted(explanation)
    if fixes := [f"  {f1:.3f}  {words}" for f1, words in _fixes(explanation)]:
        lines += ["F1 if fixed:", *fixes]
    if seen := _shortened(_details(explanation, base or TimeBase(), units)):
        lines += ["what to look at:", *(f"  {line}" for line in seen)]
    return "\n".join(lines)


def _counted(explanation: Explanation) -> list[str]:
    """Return the score, and the numbers of motifs by status."""
    result = explanation.result

    def listed(counts: dict[str, int], words: tuple[str, ...]) -> str:
        parts = []
        for word in words:
            if n := counts.get(word, 0):
                many = "s" if n > 1 and word in COUNTED else ""
                shown = "in the wrong set" if word == "wrong set" else word + many
                parts.append(f"{n} {shown}")
        return ", ".join(parts) or "nothing"

    return [
        f"F1 {result.f1:.3f} (precision {result.precision:.3f}, recall "
        f"{result.recall:.3f}): {result.tp} of {result.tp + result.fn} true motifs "
        f"are matched.",
        f"found: {listed(explanation.found_counts, FOUND_WORDS)}",
        f"true:  {listed(explanation.true_counts, TRUE_WORDS)}",
    ]


def _fixes(explanation: Explanation) -> list[tuple[float, str]]:
    """Return F1 after each fix with its description, best first."""
    counts, fixes = explanation.error_counts(), explanation.f1_if_fixed
    return [
        (fixes[kind], ADVICE[kind].format(n=counts[kind], s="s" * (counts[kind] > 1)))
        for kind in sorted(fixes, key=lambda kind: -fixes[kind])
    ]


def _shortened(lines: list[str]) -> list[str]:
    """Truncate a list of lines, stating how many are omitted."""
    more = len(lines) - SHOWN
    return lines[:SHOWN] + [f"... and {more} more"] * (more > 0)


def _details(explanation: Explanation, base: TimeBase, units: str) -> list[str]:
    """Return one line per error of a motif or a set."""
    result = explanation.result
    rows = [repr(label) for label in result.row_labels]
    columns = [repr(label) for label in result.column_labels]
    rate = None if units == "samples" else base.rate

    def shown(motif: TrueMotif | FoundMotif) -> str:
        first, last = base.shown(motif.start, motif.end, units)
        suffix = "" if units in ("samples", "time") else f" {units}"
        return f"[{first}, {last}){suffix}"

    lines = []
    for motif in explanation.true_motifs:
        if motif.status in ("matched", "found twice"):
            continue
        what = "missed"
        if motif.found_motif >= 0:
            found = explanation.found_motifs[motif.found_motif]
            column = columns[found.found_set]
            if motif.status == "off":
                near = found.true_motif == motif.index
                where = found.displacement(rate) if near else "nearer another"
                what = f"best overlap {motif.overlap:.2f} with {shown(found)} of set "
                what += f"{column}, {where}"
            elif motif.true_set < result.matched:
                what = f"in set {column} instead of set {columns[motif.true_set]}"
            else:
                what = f"in set {column}, while its own set has no partner"
        lines.append(f"{rows[motif.true_set]} {shown(motif)}: {what}")
    merged: dict[int, list[str]] = {}
    split: dict[int, list[str]] = {}
    for relation in explanation.relations:
        if "merged" in relation.kinds:
            merged.setdefault(relation.found_set, []).append(rows[relation.true_set])
        if "split" in relation.kinds:
            split.setdefault(relation.true_set, []).append(columns[relation.found_set])
    for place, names in merged.items():
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        lines.append(f"set {columns[place]} holds motifs of {listed} (merged)")
    for place, names in split.items():
        *others, last = sorted(names)
        lines.append(
            f"{rows[place]} lies in sets {', '.join(others)} and {last} (split)"
        )
    return lines

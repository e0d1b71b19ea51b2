"""The explanation as text: the score, what went wrong, what F1 would be if fixed."""

from __future__ import annotations

from collections.abc import Iterator

from tsmdbench.io.timebase import TimeBase
from tsmdbench.metrics.explain.explanation import SHOWN, Explanation, TrueMotif

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

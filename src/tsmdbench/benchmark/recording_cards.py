"""A data card of annotated recordings: what is in them, and what to beware of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tsmdbench.benchmark.recordings import AnnotatedRecording, Recordings
from tsmdbench.html_text import html_block, html_facts, html_lines, html_table
from tsmdbench.plural import counted

CROWDED = 0.9  # share of annotated samples from which motifs touch each other
LONGEST = 1.5  # 0.9 quantile of the lengths over their 0.1 quantile


class PatternRow(NamedTuple):
    """The occurrences of one label over all recordings."""

    label: str
    recordings: int
    occurrences: int
    l_min: int
    l_mean: float
    l_max: int


class RecordingsCard(NamedTuple):
    """Summary of annotated recordings.

    Attributes
    ----------
    name : str
    recordings, samples, channels : int
    rate : float or None
        Samples per second, where one of the recordings tells.
    patterns : tuple of PatternRow
    covered : float
        Share of the samples that are annotated.
    splits : dict
        Split to its problems and recordings.
    notes : tuple of str
        What was left out.
    warnings : tuple of str
        What makes a benchmark of these recordings unreliable; empty if there is
        nothing.
    """

    name: str
    recordings: int
    samples: int
    channels: int
    rate: float | None
    patterns: tuple[PatternRow, ...]
    covered: float
    splits: dict[str, tuple[int, tuple[str, ...]]]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    def text(self) -> str:
        """Return the card as Markdown."""
        rate = "not known" if self.rate is None else f"{self.rate:.10g} Hz"
        lines = [
            f"# Data card of {self.name}",
            "",
            f"- recordings: {self.recordings}, {self.samples} samples, "
            f"{counted(self.channels, 'channel')}, sampling rate {rate}",
            f"- annotated: {self.covered:.0%} of the samples",
            *(
                f"- {split}: {counted(number, 'problem')} from {', '.join(names)}"
                for split, (number, names) in self.splits.items()
            ),
            "",
            "| pattern | recordings | occurrences | shortest | mean | longest |",
            "|---|--:|--:|--:|--:|--:|",
            *(
                f"| {row.label} | {row.recordings} | {row.occurrences} | {row.l_min} | "
                f"{row.l_mean:.1f} | {row.l_max} |"
                for row in self.patterns
            ),
            "",
            "## Left out",
            "",
            *([f"- {note}" for note in self.notes] or ["nothing"]),
            "",
            "## Warnings",
            "",
            *([f"- {warning}" for warning in self.warnings] or ["none"]),
        ]
        return "\n".join(lines) + "\n"

    def _repr_html_(self) -> str:
        """Show the card in a notebook."""
        facts = {
            "recordings": self.recordings,
            "samples": self.samples,
            "channels": self.channels,
            "sampling rate": "not known" if self.rate is None else f"{self.rate:g} Hz",
            "annotated": f"{self.covered:.0%} of the samples",
        }
        head = ["pattern", "recordings", "occurrences", "shortest", "mean", "longest"]
        rows = [[*row._replace(l_mean=round(row.l_mean, 1))] for row in self.patterns]
        warned = html_lines(f"Warning: {warning}" for warning in self.warnings)
        return html_block(
            html_facts(f"Data card of {self.name}", facts),
            html_table(head, rows),
            html_lines(self.notes),
            warned,
        )


def recordings_card(*splits: Recordings) -> RecordingsCard:
    """Describe recordings before methods run on them.

    Parameters
    ----------
    *splits : Recordings
        The splits of one dataset, as `load_recordings` returns them.
    """
    first = splits[0]
    sources = [first.sources[name] for name in sorted(first.sources)]
    patterns = _patterns(sources)
    samples = sum(len(one.recording) for one in sources)
    marked = sum(
        int(motifs.lengths.sum()) for one in sources for motifs in one.truth.values()
    )
    rates = [one.recording.rate for one in sources if one.recording.rate is not None]
    return RecordingsCard(
        name=first.name,
        recordings=len(sources),
        samples=samples,
        channels=sources[0].recording.values.shape[1],
        rate=rates[0] if rates else None,
        patterns=patterns,
        covered=marked / samples,
        splits={one.split: (len(one), one.used) for one in splits if len(one)},
        notes=tuple(f"{one.split}: {note}" for one in splits for note in one.notes),
        warnings=tuple(_warnings(sources, splits, marked / samples)),
    )


def _patterns(sources: list[AnnotatedRecording]) -> tuple[PatternRow, ...]:
    labels = sorted({label for one in sources for label in one.truth})
    rows = []
    for label in labels:
        sets = [one.truth[label] for one in sources if label in one.truth]
        lengths = np.concatenate([motifs.lengths for motifs in sets])
        rows.append(
            PatternRow(
                label,
                len(sets),
                len(lengths),
                int(lengths.min()),
                float(lengths.mean()),
                int(lengths.max()),
            )
        )
    return tuple(rows)


def _warnings(
    sources: list[AnnotatedRecording], splits: tuple[Recordings, ...], covered: float
) -> list[str]:
    found = []
    validation = [one for one in splits if one.split == "validation"]
    if validation and len(validation[0].used) == 1:
        found.append(
            "one recording is for validation: the lengths and radii of the methods "
            "depend on it alone"
        )
    if len(sources) == 1:
        found.append(
            "one recording cannot be split into validation and test: parameters must "
            "be given"
        )
    if covered > CROWDED:
        found.append(
            f"{covered:.0%} of the samples are annotated, so there is hardly "
            f"a place where a found motif would be a false positive"
        )
    lengths = np.concatenate(
        [motifs.lengths for one in sources for motifs in one.truth.values()]
    )
    low, high = np.quantile(lengths, (0.1, 0.9))
    if high > LONGEST * low:
        found.append(
            f"lengths differ (0.1 quantile {low:.0f}, 0.9 quantile {high:.0f} samples):"
            f" a method with one length cannot match all"
        )
    blank = sum(bool(np.ptp(one.recording.values) == 0) for one in sources)
    if blank:
        found.append(f"{counted(blank, 'recording')} without any change of value")
    return found

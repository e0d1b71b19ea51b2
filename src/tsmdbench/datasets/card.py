"""Data cards of labelled instances and of annotated recordings, with warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tsmdbench.datasets.cluster import (
    THRESHOLD,
    adjusted_rand_of_classes,
    class_balanced,
    distance_matrix,
    near_duplicate_classes,
    resampled,
)
from tsmdbench.datasets.construct import MIN_PER_SIDE, copy_groups, largest_g
from tsmdbench.datasets.dataset import Instance, label_order
from tsmdbench.datasets.own_data import check_instances
from tsmdbench.datasets.recordings import AnnotatedRecording, Recordings
from tsmdbench.html_text import html_block, html_facts, html_lines, html_table
from tsmdbench.plural import counted

FEW_INSTANCES = 10  # below this, a class has two or fewer instances for validation
SHOWN = 5
# Clustering for a card takes seconds, so long instances are resampled to this length.
CARD_SAMPLES = 100


class DataCard(NamedTuple):
    """Summary of labelled instances.

    Attributes
    ----------
    instances, channels, l_min, l_max : int
    l_mean : float
    classes : dict of str to int
        Instances of each class.
    g_max : int
        Largest number of motif sets that a problem can have.
    copies : int
        Instances that are byte-identical to an earlier one.
    clustered : int
        Instances that the two indices were computed from.
    ari_euclidean, ari_dtw : float
        Adjusted Rand index of k-medoids against the classes.
    warnings : tuple of str
        What makes a benchmark of this data unreliable; empty if there is nothing.
    """

    instances: int
    channels: int
    l_min: int
    l_max: int
    l_mean: float
    classes: dict[str, int]
    g_max: int
    copies: int
    clustered: int
    ari_euclidean: float
    ari_dtw: float
    warnings: tuple[str, ...]

    def text(self) -> str:
        """Return the card as Markdown."""
        sizes = ", ".join(f"{label}: {size}" for label, size in self.classes.items())
        part = (
            "" if self.clustered == self.instances else f" ({self.clustered} of them)"
        )
        lines = [
            "# Data card",
            "",
            f"- instances: {self.instances}; channels of each: {self.channels}",
            f"- lengths: {self.l_min} to {self.l_max}, mean {self.l_mean:.1f}",
            f"- classes: {len(self.classes)} ({sizes})",
            f"- motif sets per problem: 1 to {self.g_max}",
            f"- byte-identical copies: {self.copies}",
            f"- adjusted Rand index of k-medoids{part}: Euclidean "
            f"{self.ari_euclidean:.3f}, DTW {self.ari_dtw:.3f} (the datasets of "
            f"TSMD-Bench have a mean of at least {THRESHOLD})",
            "",
            "## Warnings",
            "",
            *([f"- {warning}" for warning in self.warnings] or ["none"]),
        ]
        return "\n".join(lines) + "\n"

    def _repr_html_(self) -> str:
        """Show the card in a notebook."""
        facts = {
            "instances": self.instances,
            "channels": self.channels,
            "lengths": f"{self.l_min} to {self.l_max}, mean {self.l_mean:.1f}",
            "classes": ", ".join(f"{name} ({n})" for name, n in self.classes.items()),
            "motif sets per problem": f"1 to {self.g_max}",
            "byte-identical copies": self.copies,
            "adjusted Rand index, Euclidean": f"{self.ari_euclidean:.3f}",
            "adjusted Rand index, DTW": f"{self.ari_dtw:.3f}",
        }
        warned = html_lines(f"Warning: {warning}" for warning in self.warnings)
        return html_block(html_facts("Data card", facts), warned)


def data_card(
    instances: Sequence[object],
    labels: Sequence[object],
    *,
    max_instances: int = 200,
    seed: int = 0,
    time_axis: str | None = None,
) -> DataCard:
    """Describe labelled instances before a benchmark is made of them.

    Parameters
    ----------
    instances, labels : sequences
        As for `tsmdbench.benchmark.build_benchmark`.
    max_instances : int, default 200
        Clustering takes a class-balanced part of this size, and where instances are
        longer than 100 samples, all of them resampled by one factor.
    seed : int, default 0
    time_axis : {None, "first", "last"}
        As for `tsmdbench.benchmark.build_benchmark`.
    """
    arrays, classes = check_instances(instances, labels, time_axis=time_axis)
    kept = class_balanced(classes, max_instances, seed)
    part = _shortened([arrays[position] for position in kept])
    names = [classes[position] for position in kept]
    euclidean, dtw = (distance_matrix(part, name) for name in ("euclidean", "dtw"))
    first, second = (
        adjusted_rand_of_classes(matrix, names, seed=seed)
        for matrix in (euclidean, dtw)
    )
    counts = Counter(classes)
    sizes = {label: counts[label] for label in sorted(counts, key=label_order)}
    groups = copy_groups(arrays)
    copies = len(groups) - len(set(groups))
    lengths = np.array([len(array) for array in arrays])
    return DataCard(
        instances=len(arrays),
        channels=arrays[0].shape[1],
        l_min=int(lengths.min()),
        l_max=int(lengths.max()),
        l_mean=float(lengths.mean()),
        classes=sizes,
        g_max=largest_g(len(sizes)),
        copies=copies,
        clustered=len(kept),
        ari_euclidean=first,
        ari_dtw=second,
        warnings=(
            *_about_classes(sizes),
            *_about_shapes(arrays, copies, (first + second) / 2),
            *_about_pairs(near_duplicate_classes(dtw, names)),
        ),
    )


def _shortened(instances: list[Instance]) -> list[Instance]:
    """Resample by one factor so that the longest has `CARD_SAMPLES` samples."""
    longest = max(map(len, instances))
    if longest <= CARD_SAMPLES:
        return instances
    return [
        resampled([instance], max(2, len(instance) * CARD_SAMPLES // longest))[0]
        for instance in instances
    ]


def _about_pairs(pairs: list[tuple[str, str]]) -> list[str]:
    return [
        f"classes {first!r} and {second!r} are nearly the same: the distance "
        f"(DTW) between them is hardly larger than the distances within them"
        for first, second in pairs
    ]


def _about_classes(sizes: dict[str, int]) -> list[str]:
    found = []
    if largest_g(len(sizes)) < 2:
        found.append(
            f"{len(sizes)} classes allow one motif set per problem only; two need five"
        )
    too_few = [label for label, size in sizes.items() if size < 2 * MIN_PER_SIDE]
    if too_few:
        found.append(
            f"{_listed(too_few)} cannot be split into validation and test: "
            f"fewer than {2 * MIN_PER_SIDE} instances"
        )
    few = [
        label
        for label, size in sizes.items()
        if 2 * MIN_PER_SIDE <= size < FEW_INSTANCES
    ]
    if few:
        found.append(
            f"{_listed(few)} has few instances (below {FEW_INSTANCES}): the same "
            f"instances occur in many problems"
        )
    return found


def _about_shapes(
    arrays: Sequence[Instance], copies: int, mean_index: float
) -> list[str]:
    found = []
    channels, length = arrays[0].shape[1], float(np.mean([*map(len, arrays)]))
    if channels > length:
        found.append(
            f"there are more channels ({channels}) than samples (mean {length:.1f}): "
            f"if time is the last axis, give time_axis='last'"
        )
    constant = sum(bool(array.min() == array.max()) for array in arrays)
    if constant:
        found.append(f"{constant} instances are constant: they have no shape")
    if copies:
        found.append(
            f"{copies} instances are copies of others; no problem has two copies"
        )
    if mean_index < THRESHOLD:
        found.append(
            f"the classes are hard to tell apart without labels: mean adjusted Rand "
            f"index {mean_index:.3f}, below {THRESHOLD}"
        )
    return found


def _listed(labels: list[str]) -> str:
    shown = ", ".join(map(repr, labels[:SHOWN]))
    more = f" and {len(labels) - SHOWN} more" if len(labels) > SHOWN else ""
    return f"class {shown}{more}"


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

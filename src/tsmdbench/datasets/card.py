"""Data cards of labelled instances and of annotated recordings, with warnings.

A card has the facts as they are shown and, in `DataCard.values`, as numbers:

* of instances: ``instances``, ``channels``, ``l_min``, ``l_max``, ``l_mean``,
  ``classes`` (label to instances), ``g_max`` (most motif sets of a problem), ``copies``
  (instances that are byte-identical to an earlier one), ``clustered`` (instances that
  the indices were computed from), ``ari_euclidean`` and ``ari_dtw`` (adjusted Rand
  index of k-medoids against the classes);
* of recordings: ``recordings``, ``samples``, ``channels``, ``rate``, ``covered`` (share
  of the samples that are annotated), ``splits`` (split to its problems and recordings);
* of the subspace suite: ``splits`` (split to its number of problems), ``channels`` and
  ``sets`` (mean of the problems), ``without_motif`` (mean share of the channels that
  have no motif), ``covered`` (share of samples times channels that motifs cover),
  ``repeated`` (share of the other blocks of a channel that show a channel of a class
  that it had before).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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
from tsmdbench.datasets.subspace import SubspaceBenchmark
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_facts, html_lines, html_table
from tsmdbench.plural import counted, first_few

FEW_INSTANCES = 10  # below this, a class has two or fewer instances for validation
# Clustering for a card takes seconds, so long instances are resampled to this length.
CARD_SAMPLES = 100
CROWDED = 0.9  # share of annotated samples from which motifs touch each other
LONGEST = 1.5  # 0.9 quantile of the lengths over their 0.1 quantile
HEAD = ("pattern", "recordings", "occurrences", "shortest", "mean", "longest")


class PatternRow(NamedTuple):
    """The occurrences of one label over all recordings."""

    label: str
    recordings: int
    occurrences: int
    l_min: int
    l_mean: float
    l_max: int


@dataclass(frozen=True)
class DataCard:
    """Summary of labelled instances, or of annotated recordings.

    Attributes
    ----------
    title : str
    facts : mapping of str to str
        As they are shown.
    values : mapping
        The numbers behind them, such as ``values["l_min"]``; see the module.
    warnings : tuple of str
        What makes a benchmark of this data unreliable; empty if there is nothing.
    patterns : tuple of PatternRow
        Of recordings: the occurrences of each label.
    notes : tuple of str or None
        Of recordings: what was left out.
    """

    title: str
    facts: Mapping[str, str]
    values: Mapping[str, Any]
    warnings: tuple[str, ...]
    patterns: tuple[PatternRow, ...] = ()
    notes: tuple[str, ...] | None = None

    def text(self) -> str:
        """Return the card as Markdown."""
        lines = [f"# {self.title}", ""]
        lines += [f"- {name}: {fact}" for name, fact in self.facts.items()]
        if self.patterns:
            lines += ["", f"| {' | '.join(HEAD)} |", "|---|--:|--:|--:|--:|--:|"]
            lines += [f"| {' | '.join(map(str, row))} |" for row in self._rows()]
        for heading, items, nothing in (
            ("Left out", self.notes, "nothing"),
            ("Warnings", self.warnings, "none"),
        ):
            if items is not None:
                listed = [f"- {item}" for item in items] or [nothing]
                lines += ["", f"## {heading}", "", *listed]
        return "\n".join(lines) + "\n"

    def _repr_html_(self) -> str:
        """Show the card in a notebook."""
        return html_block(
            html_facts(self.title, self.facts),
            html_table(HEAD, self._rows()) if self.patterns else "",
            html_lines(self.notes or ()),
            html_lines(f"Warning: {warning}" for warning in self.warnings),
        )

    def _rows(self) -> list[list[Any]]:
        return [[*row._replace(l_mean=round(row.l_mean, 1))] for row in self.patterns]


def data_card(
    data: Sequence[Any],
    labels: Sequence[object] | None = None,
    *,
    max_instances: int = 200,
    seed: int = 0,
    time_axis: str | None = None,
) -> DataCard:
    """Describe data before a benchmark is made of it, or methods run on it.

    Parameters
    ----------
    data : sequence
        Labelled instances as for `tsmdbench.benchmark.build_benchmark`; or what
        `tsmdbench.benchmark.load_recordings` returns, or `load_benchmark` for the
        subspace suite, or a list of its splits.
    labels : sequence
        Of instances.
    max_instances : int, default 200
        Clustering takes a class-balanced part of this size, and where instances are
        longer than 100 samples, all of them resampled by one factor.
    seed : int, default 0
    time_axis : {None, "first", "last"}
        As for `tsmdbench.benchmark.build_benchmark`.
    """
    if labels is None:
        kinds = (Recordings, SubspaceBenchmark)
        splits: list[Any] = [data] if isinstance(data, kinds) else list(data)
        if splits and all(isinstance(one, SubspaceBenchmark) for one in splits):
            return _of_subspaces(splits)
        if not splits or not all(isinstance(one, Recordings) for one in splits):
            raise InputError("instances need labels; give data_card(instances, labels)")
        return _of_recordings(splits)
    arrays, classes = check_instances(data, labels, time_axis=time_axis)
    kept = class_balanced(classes, max_instances, seed)
    names = [classes[position] for position in kept]
    part = [arrays[position] for position in kept]
    longest = max(map(len, part))
    if longest > CARD_SAMPLES:  # one factor for all
        sizes = (max(2, len(array) * CARD_SAMPLES // longest) for array in part)
        part = [resampled([a], n)[0] for a, n in zip(part, sizes, strict=True)]
    dtw = distance_matrix(part, "dtw")
    first, second = (
        adjusted_rand_of_classes(matrix, names, seed=seed)
        for matrix in (distance_matrix(part, "euclidean"), dtw)
    )
    counts = Counter(classes)
    classes_of = {label: counts[label] for label in sorted(counts, key=label_order)}
    groups = copy_groups(arrays)
    lengths = np.array([len(array) for array in arrays])
    values: dict[str, Any] = {
        "instances": len(arrays),
        "channels": arrays[0].shape[1],
        "l_min": int(lengths.min()),
        "l_max": int(lengths.max()),
        "l_mean": float(lengths.mean()),
        "classes": classes_of,
        "g_max": largest_g(len(classes_of)),
        "copies": len(groups) - len(set(groups)),
        "clustered": len(kept),
        "ari_euclidean": first,
        "ari_dtw": second,
    }
    shown = ", ".join(f"{label}: {size}" for label, size in classes_of.items())
    some = "" if len(kept) == len(arrays) else f" ({len(kept)} of them)"
    return DataCard(
        "Data card",
        {
            "instances": f"{len(arrays)}; channels of each: {values['channels']}",
            "lengths": f"{lengths.min()} to {lengths.max()}, mean {lengths.mean():.1f}",
            "classes": f"{len(classes_of)} ({shown})",
            "motif sets per problem": f"1 to {values['g_max']}",
            "byte-identical copies": str(values["copies"]),
            f"adjusted Rand index of k-medoids{some}": (
                f"Euclidean {first:.3f}, DTW {second:.3f} (the datasets of TSMD-Bench "
                f"have a mean of at least {THRESHOLD})"
            ),
        },
        values,
        tuple(_about_instances(arrays, values, near_duplicate_classes(dtw, names))),
    )


def _about_instances(
    arrays: Sequence[Instance],
    values: dict[str, Any],
    alike: list[tuple[str, str]],
) -> list[str]:
    """Return the warnings about labelled instances."""
    sizes, channels, length = values["classes"], values["channels"], values["l_mean"]
    least = 2 * MIN_PER_SIDE
    too_few = [label for label, size in sizes.items() if size < least]
    few = [label for label, size in sizes.items() if least <= size < FEW_INSTANCES]
    constant = sum(bool(array.min() == array.max()) for array in arrays)
    mean_index = (values["ari_euclidean"] + values["ari_dtw"]) / 2

    warnings = {
        f"{len(sizes)} classes allow one motif set per problem only; two need five": (
            values["g_max"] < 2
        ),
        f"class {first_few(map(repr, too_few))} cannot be split into validation and "
        f"test: fewer than {least} instances": too_few,
        f"class {first_few(map(repr, few))} has few instances (below "
        f"{FEW_INSTANCES}): the same instances occur in many problems": few,
        f"there are more channels ({channels}) than samples (mean {length:.1f}): if "
        f"time is the last axis, give time_axis='last'": channels > length,
        f"{constant} instances are constant: they have no shape": constant,
        f"{values['copies']} instances are copies of others; no problem has two "
        f"copies": values["copies"],
        f"the classes are hard to tell apart without labels: mean adjusted Rand index "
        f"{mean_index:.3f}, below {THRESHOLD}": mean_index < THRESHOLD,
    }
    return [sentence for sentence, applies in warnings.items() if applies] + [
        f"classes {first!r} and {second!r} are nearly the same: the distance "
        f"(DTW) between them is hardly larger than the distances within them"
        for first, second in alike
    ]


def _of_subspaces(splits: list[SubspaceBenchmark]) -> DataCard:
    """Describe the splits of one dataset of the subspace suite."""
    lengths, channels, sets, motifs = [], [], [], []
    without, covered, repeated = [], [], []
    for bench in splits:
        for place, problem in enumerate(bench):
            n, width = problem.series.shape
            found = list(problem.truth.values())
            used = {channel for one in found for channel in one.channels or ()}
            inside = sum(int(np.diff(one.intervals).sum()) for one in found)
            lengths.append(n)
            channels.append(width)
            sets.append(len(found))
            motifs += [len(one) for one in found]
            without.append(1 - len(used) / width)
            covered.append(inside / (n * width))
            layout, recipe = bench.layout(place), bench.recipes[place]
            # Per channel, what class and source channel each block shows beside motifs.
            kinds: list[list[tuple[str, int]]] = [[] for _ in range(width)]
            for position, block in zip(recipe, layout.blocks, strict=True):
                home = layout.homes.get(bench.labels[position], ())
                for one in block:
                    for source, channel in zip(one.sources, one.channels, strict=True):
                        if channel not in home:
                            kinds[channel].append((bench.labels[one.position], source))
            repeated += [1 - len(set(each)) / len(each) for each in kinds]
    values: dict[str, Any] = {
        "splits": {bench.split: len(bench) for bench in splits},
        "channels": float(np.mean(channels)),
        "sets": float(np.mean(sets)),
        "without_motif": float(np.mean(without)),
        "covered": float(np.mean(covered)),
        "repeated": float(np.mean(repeated)),
    }
    bare = sum(share > 0 for share in without)
    return DataCard(
        f"Data card of {splits[0].name}",
        {
            "problems": ", ".join(f"{n} {s}" for s, n in values["splits"].items()),
            "samples": f"mean {np.mean(lengths):.0f}",
            "channels": f"{min(channels)} to {max(channels)}, mean "
            f"{values['channels']:.1f}; of the data: {splits[0].instances[0].shape[1]}",
            "motif sets per problem": f"{min(sets)} to {max(sets)}, mean "
            f"{values['sets']:.1f}, of {min(motifs)} to {max(motifs)} motifs",
            "channels without motif": f"{values['without_motif']:.1%} "
            f"(in {bare} of {len(without)} problems)",
            "samples inside motifs, all channels": f"{values['covered']:.1%}",
            "other blocks of a channel with a class as before": (
                f"{values['repeated']:.1%}"
            ),
        },
        values,
        (),
    )


def _of_recordings(splits: list[Recordings]) -> DataCard:
    """Describe the splits of one folder of recordings."""
    first = splits[0]
    sources = [first.sources[name] for name in sorted(first.sources)]
    samples = sum(len(one.recording) for one in sources)
    marked = sum(
        int(motifs.lengths.sum()) for one in sources for motifs in one.truth.values()
    )
    rates = [one.recording.rate for one in sources if one.recording.rate is not None]
    values: dict[str, Any] = {
        "recordings": len(sources),
        "samples": samples,
        "channels": sources[0].recording.values.shape[1],
        "rate": rates[0] if rates else None,
        "covered": marked / samples,
        "splits": {one.split: (len(one), one.used) for one in splits if len(one)},
    }
    rate = f"{rates[0]:.10g} Hz" if rates else "not known"
    rows = []
    for label in sorted({label for one in sources for label in one.truth}):
        sets = [one.truth[label] for one in sources if label in one.truth]
        sizes = np.concatenate([motifs.lengths for motifs in sets])
        low, mean, high = int(sizes.min()), float(sizes.mean()), int(sizes.max())
        rows.append(PatternRow(label, len(sets), len(sizes), low, mean, high))
    return DataCard(
        f"Data card of {first.name}",
        {
            "recordings": (
                f"{len(sources)}, {samples} samples, "
                f"{counted(values['channels'], 'channel')}, sampling rate {rate}"
            ),
            "annotated": f"{marked / samples:.0%} of the samples",
        }
        | {
            split: f"{counted(number, 'problem')} from {', '.join(names)}"
            for split, (number, names) in values["splits"].items()
        },
        values,
        tuple(_about_recordings(sources, splits, marked / samples)),
        tuple(rows),
        tuple(f"{one.split}: {note}" for one in splits for note in one.notes),
    )


def _about_recordings(
    sources: list[AnnotatedRecording], splits: Sequence[Recordings], covered: float
) -> list[str]:
    """Return the warnings about recordings."""
    validation = [one for one in splits if one.split == "validation"]
    lengths = np.concatenate(
        [motifs.lengths for one in sources for motifs in one.truth.values()]
    )
    low, high = np.quantile(lengths, (0.1, 0.9))
    blank = sum(bool(np.ptp(one.recording.values) == 0) for one in sources)
    warnings = {
        "one recording is for validation: the lengths and radii of the methods depend "
        "on it alone": validation and len(validation[0].used) == 1,
        "one recording cannot be split into validation and test: parameters must be "
        "given": len(sources) == 1,
        f"{covered:.0%} of the samples are annotated, so there is hardly a place where "
        f"a found motif would be a false positive": covered > CROWDED,
        f"lengths differ (0.1 quantile {low:.0f}, 0.9 quantile {high:.0f} samples): a "
        f"method with one length cannot match all": high > LONGEST * low,
        f"{counted(blank, 'recording')} without any change of value": blank,
    }
    return [sentence for sentence, applies in warnings.items() if applies]

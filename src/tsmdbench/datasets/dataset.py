"""A classification dataset in memory: labelled instances, and where each comes from.

`describe` computes its properties, `read_dataset` reads it from ``.ts`` files.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.catalogue import PARTS
from tsmdbench.errors import DataError
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io.ts_format import canonical_label, parse_ts

Instance = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled instances of one classification dataset.

    Parameters
    ----------
    name : str
        Name in the archive.
    instances : tuple of float64[length, d]
        Read-only; time is axis 0. TRAIN comes before TEST, each in its official order.
    labels : tuple of str
        Class of each instance. Whole numbers are written as such: ``"1"``, whether a
        file says ``1`` or ``1.0``.
    parts : tuple of str
        ``"TRAIN"`` or ``"TEST"``, the official origin of each instance.
    source : str
        Description of the place where the data was found.
    """

    name: str
    instances: tuple[Instance, ...]
    labels: tuple[str, ...]
    parts: tuple[str, ...]
    source: str = ""

    def __len__(self) -> int:
        return len(self.instances)

    def _repr_html_(self) -> str:
        """Show what is in it, in a notebook."""
        sizes = Counter(self.labels)
        facts = {
            "instances": len(self),
            "channels": self.channels,
            "lengths": f"{self.lengths.min()} to {self.lengths.max()}",
            "classes": ", ".join(f"{label} ({sizes[label]})" for label in self.classes),
            "source": self.source,
        }
        return html_block(html_facts(self.name, facts))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The distinct labels, sorted as numbers where they are numbers."""
        return tuple(sorted(set(self.labels), key=label_order))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of samples of each instance."""
        return np.fromiter(map(len, self.instances), np.int64, len(self.instances))

    @property
    def channels(self) -> int:
        """Number of channels, the same for all instances."""
        return int(self.instances[0].shape[1])

    @cached_property
    def origins(self) -> tuple[tuple[str, int], ...]:
        """``(part, row)`` of each instance: its official part and position there."""
        seen: dict[str, int] = {}
        found = []
        for part in self.parts:
            row = seen.get(part, 0)
            found.append((part, row))
            seen[part] = row + 1
        return tuple(found)

    def of_part(self, part: str) -> range:
        """Return the positions of one official part, which lie together."""
        first = self.parts.index(part)
        return range(first, first + self.parts.count(part))


def label_order(label: str) -> tuple[int, float, str]:
    """Sort key that puts ``"2"`` before ``"10"`` and numbers before words."""
    try:
        number = float(label)
    except ValueError:
        return (1, 0.0, label)
    return (0, number, label) if math.isfinite(number) else (1, 0.0, label)


class Properties(NamedTuple):
    """What a dataset holds.

    `sizes` has the number of instances of each class, in the order of the classes.
    """

    classes: int
    l_min: int
    l_max: int
    channels: int
    instances: int
    l_mean: float
    sizes: dict[str, int]


def describe(dataset: Dataset) -> Properties:
    """Return the properties of a dataset.

    Examples
    --------
    >>> from tsmdbench.archive import describe_dataset, load
    >>> found = describe_dataset(load("JapaneseVowels"))
    >>> found[:5], found.sizes["1"]
    ((9, 7, 29, 12, 640), 61)
    """
    counts = Counter(dataset.labels)
    return Properties(
        len(dataset.classes),
        int(dataset.lengths.min()),
        int(dataset.lengths.max()),
        dataset.channels,
        len(dataset),
        float(dataset.lengths.mean()),
        {label: counts[label] for label in dataset.classes},
    )


def part_files(folder: Path, name: str) -> dict[str, Path]:
    """Return the file of each official part below `folder`."""
    return {part: folder / name / f"{name}_{part}.ts" for part in PARTS}


def read_dataset(folder: Path, name: str, source: str) -> Dataset:
    """Parse both parts of a dataset from ``<folder>/<name>/<name>_TRAIN.ts``."""
    instances: list[Instance] = []
    labels: list[str] = []
    parts: list[str] = []
    for part, file in part_files(folder, name).items():
        values, classes = read_ts(file)
        instances += values
        labels += classes
        parts += [part] * len(values)
    channels = {instance.shape[1] for instance in instances}
    if len(channels) > 1:
        raise DataError(
            f"{folder / name}: the two parts have {sorted(channels)} channels; "
            f"they are not of one dataset"
        )
    return Dataset(name, tuple(instances), tuple(labels), tuple(parts), source)


def read_ts(file: Path) -> tuple[list[Instance], list[str]]:
    """Parse one ``.ts`` file into ``float64[length, d]`` instances and labels.

    Samples that are missing at the end of some, not all, channels of an instance are
    set to 0, as in the copies that the benchmark was frozen from; missing values
    anywhere else are an error.

    Raises
    ------
    DataError
        The file is missing, cut off, not in the format, or holds missing values.
    """
    parsed = parse_ts(file)
    if not parsed.labels:
        raise DataError(f"{file} is cut off: it holds no labelled instance")
    classes = [canonical_label(label) for label in parsed.labels]
    instances = [_whole(x, file, row) for row, x in enumerate(parsed.instances)]
    return instances, classes


def _whole(array: Instance, file: Path, row: int) -> Instance:
    """Return an instance without missing samples, read-only."""
    missing = np.isnan(array)
    if missing.any():
        kept = np.flatnonzero(~missing.all(axis=1))
        array = array[: kept[-1] + 1 if len(kept) else 0]
        missing = missing[: len(array)]
        trailing = np.logical_and.accumulate(missing[::-1], axis=0)[::-1]
        if not len(array) or (missing & ~trailing).any():
            raise DataError(f"{file}: instance {row} holds missing values")
        array = np.where(trailing, 0.0, array)
    array.flags.writeable = False
    return array

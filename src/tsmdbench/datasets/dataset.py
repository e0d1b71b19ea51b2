"""A classification dataset in memory: labelled instances, and where each comes from.

`read_dataset` reads it from ``.ts`` files, `describe` computes its properties, and
`verify` checks that a copy is the one that is meant.

Verification
------------
Copies of one dataset differ in the number of digits that were written, so hashes of
the values would refuse good data. The structure must agree exactly: the
number of instances, the labels in order, the lengths in order, the channels. The
values are probed: one sample of every instance must agree to `TOLERANCE` of its size
and of the spread of all probes. The probe of row r of a part is sample
``7 r mod length`` of channel ``r mod d``. A probe that is NaN is not compared: 39
instances of CharacterTrajectories had samples missing at the end of a channel, which
copies fill in differently. The expected values (`Fingerprint`) are shipped for the
datasets of the frozen recipes; for the others that the catalogue knows, the counts and
sizes are compared.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.catalogue import KNOWN, OTHER_VERSIONS, PARTS
from tsmdbench.errors import DataError
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io.files import read_table
from tsmdbench.io.formats.ts import canonical_label, parse_ts

Instance = NDArray[np.float64]
TOLERANCE = 1e-3  # the coarsest copy that we know of keeps five significant digits


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
        """Show the properties in a notebook."""
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
        return tuple(
            (part, row)
            for part in dict.fromkeys(self.parts)
            for row in range(self.parts.count(part))
        )

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
    """Properties of a dataset.

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
    lengths, classes = dataset.lengths, dataset.classes
    return Properties(
        len(classes),
        int(lengths.min()),
        int(lengths.max()),
        dataset.channels,
        len(dataset),
        float(lengths.mean()),
        {label: counts[label] for label in classes},
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
    """
    parsed = parse_ts(file)
    if not parsed.labels:
        raise DataError(f"{file} is cut off: it holds no labelled instance")
    instances = []
    for row, array in enumerate(parsed.instances):
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
        instances.append(array)
    return instances, [canonical_label(label) for label in parsed.labels]


class Fingerprint(NamedTuple):
    """Expected content of one part of a dataset."""

    n: int
    channels: int
    labels_sha256: bytes
    lengths_sha256: bytes
    probes: NDArray[np.float32]


def fingerprint(dataset: Dataset, part: str) -> Fingerprint:
    """Compute the fingerprint of one official part, for `verify`."""
    rows = dataset.of_part(part)
    labels = "\n".join(dataset.labels[position] for position in rows)
    lengths = dataset.lengths[rows.start : rows.stop].astype("<i8")
    instances = dataset.instances[rows.start : rows.stop]
    probes = (x[7 * row % len(x), row % x.shape[1]] for row, x in enumerate(instances))
    return Fingerprint(
        len(rows),
        dataset.channels,
        hashlib.sha256(labels.encode()).digest(),
        hashlib.sha256(lengths.tobytes()).digest(),
        np.fromiter(probes, np.float32, len(rows)),
    )


def shipped_rows(name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the package."""
    resource = files("tsmdbench.datasets") / "data" / f"{name}.parquet"
    rows: list[dict[str, Any]] = read_table(resource.read_bytes()).to_pylist()
    return rows


@cache
def shipped_fingerprints() -> dict[str, dict[str, Fingerprint]]:
    """Read the fingerprints in the package: dataset to part to fingerprint."""
    found: dict[str, dict[str, Fingerprint]] = {}
    for row in shipped_rows("fingerprints"):
        name, part = row.pop("dataset"), row.pop("part")
        row["probes"] = np.array(row["probes"], dtype=np.float32)
        found.setdefault(name, {})[part] = Fingerprint(**row)
    return found


def verify(dataset: Dataset) -> None:
    """Raise `DataError` unless the dataset is the one that its name stands for.

    A name that the catalogue does not know passes: anyone may use other datasets.
    """
    entry = KNOWN.get(dataset.name)
    if entry is not None:
        first, second = (dataset.parts.count(part) for part in PARTS)
        said = f"{entry.train}/{entry.test}"
        other = OTHER_VERSIONS.get(dataset.name, {}).get((first, second))
        if other:
            raise DataError(
                f"{dataset.name} from {dataset.source} is {other}; TSMD-Bench uses the "
                f"version of 2018 with {said} instances (TRAIN/TEST): place the files "
                f"of the archive of 2018 by hand"
            )
        if (first, second) != (entry.train, entry.test):
            part = PARTS[first == entry.train]
            raise DataError(
                f"{dataset.name}_{part}.ts from {dataset.source} is cut off or another "
                f"version: TRAIN/TEST have {first}/{second} instances, but {said} are "
                f"expected"
            )
        sizes = tuple(describe(dataset)[:4])
        if sizes != entry[:4]:
            raise DataError(
                f"{dataset.name} from {dataset.source} is another version: (classes, "
                f"shortest, longest, channels) are {sizes}, but {entry[:4]} are "
                f"expected"
            )
    for part, expected in shipped_fingerprints().get(dataset.name, {}).items():
        seen = fingerprint(dataset, part)
        what = (
            f"{dataset.name}_{part}.ts from {dataset.source} is not the version that "
            f"the benchmark was frozen from"
        )
        for field, word in (
            ("n", "number of instances"),
            ("channels", "number of channels"),
            ("labels_sha256", "labels or their order"),
            ("lengths_sha256", "lengths or their order"),
        ):
            if getattr(seen, field) != getattr(expected, field):
                raise DataError(f"{what}: the {word} differ")
        wanted = expected.probes.astype(np.float64)
        compared = ~np.isnan(wanted)
        allowed = TOLERANCE * (np.abs(wanted) + np.nanstd(wanted))
        off = compared & ~(np.abs(seen.probes - wanted) <= allowed)
        if off.any():
            row = int(np.argmax(off))
            raise DataError(
                f"{what}: {int(off.sum())} of {int(compared.sum())} probed values "
                f"differ, first in instance {row} ({seen.probes[row]:.6g} where "
                f"{wanted[row]:.6g} is expected)"
            )

"""Is this copy of a dataset the one that is meant? Structure exactly, values nearly.

Copies of one dataset differ in the number of digits that somebody wrote down, so
hashes of the values would refuse good data. What must agree exactly is the structure:
the number of instances, the labels in order, the lengths in order, the channels. The
values are probed: one sample of every instance, at a place that its row determines,
must agree to `TOLERANCE` of its size and of the spread of all probes. The expected
values (`Fingerprint`) are shipped for the datasets of the frozen recipes; for the
others that the catalogue knows, the counts and sizes are compared.

Conventions
-----------
The probe of row r of a part is sample ``7 r mod length`` of channel ``r mod d``. A
probe that is NaN is not compared: 39 instances of CharacterTrajectories had samples
missing at the end of a channel, which copies fill in differently.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.cache import read_table
from tsmdbench.datasets.catalogue import KNOWN, OTHER_VERSIONS, PARTS, Entry
from tsmdbench.datasets.dataset import Dataset, describe
from tsmdbench.errors import DataError

TOLERANCE = 1e-3  # the coarsest copy that we know of keeps five significant digits


class Fingerprint(NamedTuple):
    """What one part of a dataset must look like."""

    n: int
    channels: int
    labels_sha256: bytes
    lengths_sha256: bytes
    probes: NDArray[np.float32]


def fingerprint(dataset: Dataset, part: str) -> Fingerprint:
    """Compute what `verify` compares, for one official part."""
    positions = dataset.of_part(part)
    labels = "\n".join(dataset.labels[position] for position in positions)
    lengths = dataset.lengths[positions.start : positions.stop].astype("<i8")
    return Fingerprint(
        len(positions),
        dataset.channels,
        hashlib.sha256(labels.encode()).digest(),
        hashlib.sha256(lengths.tobytes()).digest(),
        _probes(dataset, part),
    )


def verify(dataset: Dataset) -> None:
    """Raise unless the dataset is the one that its name stands for.

    A name that the catalogue does not know passes: anyone may use other datasets.

    Raises
    ------
    DataError
        Names the source, the part and the first thing that differs.
    """
    entry = KNOWN.get(dataset.name)
    if entry is not None:
        _check_counts(dataset, entry)
        _check_sizes(dataset, entry)
    for part, expected in shipped_fingerprints().get(dataset.name, {}).items():
        _compare(dataset, part, expected)


@cache
def shipped_fingerprints() -> dict[str, dict[str, Fingerprint]]:
    """Read the fingerprints in the package: dataset to part to fingerprint."""
    resource = files("tsmdbench.datasets") / "data" / "fingerprints.parquet"
    table = read_table(resource.read_bytes())
    found: dict[str, dict[str, Fingerprint]] = {}
    for row in table.to_pylist():
        found.setdefault(row["dataset"], {})[row["part"]] = Fingerprint(
            row["n"],
            row["channels"],
            row["labels_sha256"],
            row["lengths_sha256"],
            np.array(row["probes"], dtype=np.float32),
        )
    return found


def _probes(dataset: Dataset, part: str) -> NDArray[np.float32]:
    d = dataset.channels
    values = (
        dataset.instances[position][7 * row % len(dataset.instances[position]), row % d]
        for row, position in enumerate(dataset.of_part(part))
    )
    return np.fromiter(values, np.float32, dataset.parts.count(part))


def _check_counts(dataset: Dataset, entry: Entry) -> None:
    expected = (entry.train, entry.test)
    counts = tuple(dataset.parts.count(part) for part in PARTS)
    if counts == expected:
        return
    said = "/".join(map(str, expected))
    known = OTHER_VERSIONS.get(dataset.name, {}).get((counts[0], counts[1]))
    if known:
        raise DataError(
            f"{dataset.name} from {dataset.source} is {known}; TSMD-Bench uses the "
            f"version of 2018 with {said} instances (TRAIN/TEST): place the files of "
            f"the archive of 2018 by hand"
        )
    part = PARTS[0] if counts[0] != expected[0] else PARTS[1]
    raise DataError(
        f"{dataset.name}_{part}.ts from {dataset.source} is cut off or another "
        f"version: TRAIN/TEST have {'/'.join(map(str, counts))} instances, "
        f"but {said} are expected"
    )


def _check_sizes(dataset: Dataset, entry: Entry) -> None:
    seen = tuple(describe(dataset)[:4])
    if seen != tuple(entry[:4]):
        raise DataError(
            f"{dataset.name} from {dataset.source} is another version: (classes, "
            f"shortest, longest, channels) are {seen}, but {tuple(entry[:4])} are "
            f"expected"
        )


def _compare(dataset: Dataset, part: str, expected: Fingerprint) -> None:
    seen = fingerprint(dataset, part)
    what = f"{dataset.name}_{part}.ts from {dataset.source}"
    for field, word in (
        ("n", "number of instances"),
        ("channels", "number of channels"),
        ("labels_sha256", "labels or their order"),
        ("lengths_sha256", "lengths or their order"),
    ):
        if getattr(seen, field) != getattr(expected, field):
            raise DataError(
                f"{what} is not the version that the benchmark was frozen from: "
                f"the {word} differ"
            )
    wanted = expected.probes.astype(np.float64)
    compared = ~np.isnan(wanted)
    allowed = TOLERANCE * (np.abs(wanted) + np.nanstd(wanted))
    off = compared & ~(np.abs(seen.probes - wanted) <= allowed)
    if off.any():
        row = int(np.argmax(off))
        raise DataError(
            f"{what} is not the version that the benchmark was frozen from: "
            f"{int(off.sum())} of {int(compared.sum())} probed values differ, first in "
            f"instance {row} ({seen.probes[row]:.6g} where {wanted[row]:.6g} is "
            f"expected)"
        )

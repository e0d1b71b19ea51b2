"""Datasets from the archive's ``.ts`` files, with errors that name the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tsmdbench.archive.catalogue import PARTS
from tsmdbench.archive.dataset import Dataset, Instance
from tsmdbench.errors import DataError
from tsmdbench.io.ts_format import canonical_label, parse_ts


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

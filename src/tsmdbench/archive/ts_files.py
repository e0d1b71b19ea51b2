"""Read the archive's ``.ts`` files through aeon, with errors that name the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.archive.catalogue import PARTS
from tsmdbench.archive.dataset import Dataset, Instance, canonical_label
from tsmdbench.errors import DataError, MissingExtraError


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
    loader = _loader()
    try:
        values, labels, header = loader(str(file), return_meta_data=True)
    except FileNotFoundError:
        raise DataError(f"{file} does not exist") from None
    except (OSError, ValueError, IndexError, KeyError, UnicodeDecodeError) as cause:
        detail = " ".join(str(cause).split())[:200]
        raise DataError(
            f"{file} is cut off or not a .ts file ({detail}); get it again"
        ) from None
    if not len(labels) or len(values) != len(labels):
        raise DataError(f"{file} is cut off: it holds no labelled instance")
    classes = [canonical_label(label) for label in labels]
    _check_classes(file, classes, header["class_values"])
    return [_instance(value, file, row) for row, value in enumerate(values)], classes


def _loader() -> Any:
    try:
        from aeon.datasets import load_from_ts_file
    except ImportError:
        raise MissingExtraError("archive data needs aeon", "archive") from None
    return load_from_ts_file


def _check_classes(file: Path, labels: list[str], declared: list[str]) -> None:
    """Raise for a class that is not declared: a file cut within its last label."""
    known = {canonical_label(value) for value in declared}
    for row, label in enumerate(labels):
        if known and label not in known:
            raise DataError(
                f"{file}: instance {row} has the label {label!r}, which the header "
                f"does not declare; the file is cut off or damaged, get it again"
            )


def _instance(value: Any, file: Path, row: int) -> Instance:
    """Turn aeon's ``[d, length]`` into a read-only ``[length, d]``."""
    array = np.ascontiguousarray(np.asarray(value, dtype=np.float64).T)
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

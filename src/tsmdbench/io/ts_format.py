"""The text format ``.ts`` of the UCR and UEA archives, parsed without other packages.

A header of lines ``@key value`` ends with ``@data``; each further line is one instance.
Its channels are separated by colons, the samples of a channel by commas, and the label
follows the last colon. ``?`` and ``NaN`` stand for a missing sample. Lines that begin
with ``#`` in the header are comments.

Everything is read in lower case, labels too, as aeon reads it: the recipes of the
benchmark were frozen from what aeon returned. Files with time stamps are refused; no
dataset of the archives that have classes and whole channels uses them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.errors import DataError


@dataclass(frozen=True)
class Header:
    """What the header of a file declares."""

    univariate: bool = True
    equal_length: bool = True
    labelled: bool = True
    classes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Parsed:
    """The content of a file: instances ``float64[length, d]`` and their labels.

    Labels are empty for a file without labels.
    """

    header: Header
    instances: list[Floats]
    labels: list[str]


def canonical_label(label: object) -> str:
    """Return a label as text; whole numbers without a fraction.

    >>> [canonical_label(label) for label in ("7.0", 7, 7.0, "7.05", "1_0", "walk")]
    ['7', '7', '7', '7.05', '1_0', 'walk']
    """
    return re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", str(label).strip())


def parse_ts(file: Path) -> Parsed:
    """Parse a ``.ts`` file; missing samples are NaN.

    Parameters
    ----------
    file : Path
        A file in the format of the archives.

    Raises
    ------
    DataError
        The file is missing, cut off or not in the format.
    """
    try:
        with file.open(encoding="utf-8") as lines:
            parsed = _parsed(line.strip().lower() for line in lines)
    except FileNotFoundError:
        raise DataError(f"{file} does not exist") from None
    except (OSError, ValueError) as cause:
        detail = " ".join(str(cause).split())[:200]
        raise DataError(
            f"{file} is cut off or not a .ts file ({detail}); get it again"
        ) from None
    _check_classes(file, parsed.labels, parsed.header.classes)
    return parsed


def _check_classes(file: Path, labels: list[str], declared: Iterable[str]) -> None:
    """Raise for a class that is not declared: a file cut within its last line."""
    known = {canonical_label(value) for value in declared}
    for row, label in enumerate(map(canonical_label, labels)):
        if known and label not in known:
            raise DataError(
                f"{file}: instance {row} has the label {label[:40]!r}, which the "
                f"header does not declare; the file is cut off or damaged, get it again"
            )


def _parsed(lines: Iterator[str]) -> Parsed:
    header = _header(lines)
    instances: list[Floats] = []
    labels: list[str] = []
    for line in filter(None, lines):
        parts = line.split(":")
        label = parts.pop() if header.labelled else None
        try:
            instance = _instance(parts)
            _check_like_first(instance, instances, header)
        except ValueError as cause:
            raise ValueError(f"instance {len(instances)}: {cause}") from None
        instances.append(instance)
        if label is not None:
            labels.append(label)
    return Parsed(header, instances, labels)


def _header(lines: Iterable[str]) -> Header:
    """Read lines up to ``@data``."""
    given: dict[str, list[str]] = {}
    for line in lines:
        if not line or line.startswith("#"):
            continue
        key, *values = line.split()
        if key == "@data":
            return _declared(given)
        if not key.startswith("@"):
            raise ValueError(f"the header has the line {line[:40]!r} without a key")
        given[key[1:]] = values
    raise ValueError("there is no line @data")


def _declared(given: dict[str, list[str]]) -> Header:
    if _truth(given, "timestamps", default=False):
        raise ValueError("time stamps are not supported")
    labels = given.get("classlabel", ["true"])
    is_target = _truth(given, "targetlabel", default=False)
    return Header(
        univariate=_truth(given, "univariate", default=True),
        equal_length=_truth(given, "equallength", default=True),
        labelled=is_target or _truth({"classlabel": labels[:1]}, "classlabel"),
        classes=tuple(labels[1:]),
    )


def _truth(
    given: dict[str, list[str]], key: str, *, default: bool | None = None
) -> bool:
    if key not in given and default is not None:
        return default
    values = given[key]
    if values not in (["true"], ["false"]):
        raise ValueError(f"@{key} must be true or false, got {' '.join(values)!r}")
    return values == ["true"]


def _instance(channels: list[str]) -> Floats:
    """Return one line's channels as ``[length, d]``."""
    if not channels:
        raise ValueError("there is no channel before the label")
    values = [
        np.array([float(text) for text in channel.replace("?", "nan").split(",")])
        for channel in channels
    ]
    lengths = sorted({len(channel) for channel in values})
    if len(lengths) > 1:
        raise ValueError(f"the channels have {lengths} samples")
    return np.stack(values, axis=1)


def _check_like_first(instance: Floats, before: list[Floats], header: Header) -> None:
    """Raise for a line whose shape contradicts the first one or the header."""
    first = before[0] if before else instance
    if instance.shape[1] != first.shape[1]:
        raise ValueError(f"{instance.shape[1]} channels, the first {first.shape[1]}")
    if header.univariate and instance.shape[1] > 1:
        raise ValueError(f"{instance.shape[1]} channels in a univariate file")
    if header.equal_length and len(instance) != len(first):
        raise ValueError(f"{len(instance)} samples, the first {len(first)}")

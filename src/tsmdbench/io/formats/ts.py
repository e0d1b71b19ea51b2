"""The text format ``.ts`` of the UCR and UEA archives, parsed without other packages.

A header of lines ``@key value`` ends with ``@data``; each further line is one case. Its
channels are separated by colons, the samples of a channel by commas, and the label
follows the last colon. ``?`` and ``NaN`` stand for a missing sample. Lines that begin
with ``#`` in the header are comments.

Everything is read in lower case, labels too, as aeon reads it: the recipes of the
benchmark were frozen from what aeon returned. Files with time stamps are refused; no
dataset of the archives that have classes and whole channels uses them.

As a series, one case is read: ``--case`` chooses it, counted from 0, and is only needed
where there are several. Channels have no names; labels are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.errors import DataError, InputError
from tsmdbench.io.files import brief, check_text
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.series import SeriesOptions, Table, array_names


class Parsed(NamedTuple):
    """The content of a file."""

    instances: list[Floats]  # (length, d)
    labels: list[str]  # empty for a file without labels
    classes: tuple[str, ...]


def canonical_label(label: object) -> str:
    """Return a label as text; whole numbers without a fraction.

    >>> [canonical_label(label) for label in ("7.0", 7, 7.0, "7.05", "1_0", "walk")]
    ['7', '7', '7', '7.05', '1_0', 'walk']
    """
    return re.sub(r"^([+-]?[0-9]+)\.0+$", r"\1", str(label).strip())


def parse_ts(file: Path) -> Parsed:
    """Parse a ``.ts`` file; missing samples are NaN.

    Raises `DataError` for a file that is missing, cut off or not in the format.
    """
    try:
        with file.open(encoding="utf-8") as lines:
            parsed = _parsed(line.strip().lower() for line in lines)
    except FileNotFoundError:
        raise DataError(f"{file} does not exist") from None
    except (OSError, ValueError) as cause:
        raise DataError(
            f"{file} is cut off or not a .ts file ({brief(cause, 200)}); get it again"
        ) from None
    known = set(map(canonical_label, parsed.classes))
    for row, label in enumerate(map(canonical_label, parsed.labels)):
        if known and label not in known:  # a file that is cut within its last line
            raise DataError(
                f"{file}: instance {row} has the label {label[:40]!r}, which the "
                f"header does not declare; the file is cut off or damaged, get it again"
            )
    return parsed


def _parsed(lines: Iterator[str]) -> Parsed:
    header: dict[str, list[str]] = {}
    for line in lines:
        if not line or line.startswith("#"):
            continue
        key, *values = line.split()
        if key == "@data":
            break
        if not key.startswith("@"):
            raise ValueError(f"the header has the line {line[:40]!r} without a key")
        header[key[1:]] = values
    else:
        raise ValueError("there is no line @data")

    def declares(key: str, default: str) -> bool:
        values = header.get(key, [default])
        value = values[:1] if key == "classlabel" else values
        if value not in (["true"], ["false"]):
            raise ValueError(f"@{key} must be true or false, got {' '.join(value)!r}")
        return value == ["true"]

    if declares("timestamps", "false"):
        raise ValueError("time stamps are not supported")
    univariate, equal = declares("univariate", "true"), declares("equallength", "true")
    labelled = declares("targetlabel", "false") or declares("classlabel", "true")
    parsed = Parsed([], [], tuple(header.get("classlabel", [])[1:]))
    for row, line in enumerate(filter(None, lines)):
        *channels, last = line.split(":")
        try:
            if not labelled:
                channels.append(last)
            if not channels:
                raise ValueError("there is no channel before the label")
            columns = [
                np.array([float(cell) for cell in text.replace("?", "nan").split(",")])
                for text in channels
            ]
            lengths = sorted({len(channel) for channel in columns})
            if len(lengths) > 1:
                raise ValueError(f"the channels have {lengths} samples")
            case = np.stack(columns, axis=1)
            length, d = case.shape
            first = (parsed.instances or [case])[0]
            if d != first.shape[1]:
                raise ValueError(f"{d} channels, the first {first.shape[1]}")
            if univariate and d > 1:
                raise ValueError(f"{d} channels in a univariate file")
            if equal and length != len(first):
                raise ValueError(f"{length} samples, the first {len(first)}")
        except ValueError as cause:
            raise ValueError(f"instance {row}: {cause}") from None
        parsed.instances.append(case)
        if labelled:
            parsed.labels.append(last)
    return parsed


def _read(file: Path, options: SeriesOptions) -> Table:
    check_text(file, options.max_bytes)
    cases = parse_ts(file).instances
    if not cases:
        raise InputError(f"{file}: not a readable .ts file (it holds no series)")
    if options.case is None and len(cases) > 1:
        raise InputError(
            f"{file} holds {len(cases)} series; choose one with --case, from 0 on"
        )
    place = options.case or 0
    if not 0 <= place < len(cases):
        raise InputError(f"--case must lie in [0, {len(cases)}), got {place}")
    columns = list(cases[place].T)
    return Table(array_names(len(columns)), columns, str(file), named=False)


FORMATS = (SeriesFormat("ts", (".ts",), _read, "one case of an archive file (--case)"),)

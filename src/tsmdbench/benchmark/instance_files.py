"""Read labelled instances from one file: ``.ts``, ``.csv``, ``.npz`` or ``.parquet``.

Conventions
-----------
* ``.ts``: the format of the archive.
* ``.csv`` and ``.parquet``, one line per sample: the columns ``instance``, ``label``,
  then one per channel. Lines of one instance follow each other and have one label.
* ``.csv``, one line per instance, one channel: the header starts with ``label``, the
  samples follow; cells at the end may be empty where instances differ in length.
* Cells of ``.csv`` are separated by commas, semicolons or tabs; with the latter two,
  a comma is a decimal sign.
* ``.npz``: ``labels``, and ``instances`` of shape (count, length) or (count, length,
  d); or, for several lengths, ``values`` of shape (total, d) and ``lengths``. Nothing
  is unpickled.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.archive.cache import read_table, require_pyarrow
from tsmdbench.archive.dataset import Instance, check_instances
from tsmdbench.archive.ts_files import read_ts
from tsmdbench.errors import InputError
from tsmdbench.io import PathLike
from tsmdbench.io.npy_arrays import read_npz
from tsmdbench.io.paths import MAX_SERIES_BYTES, check_size, read_text

ENDINGS = (".ts", ".csv", ".npz", ".parquet")
LONG = ["instance", "label"]
SEPARATORS = (";", "\t", ",")


def read_instances(path: PathLike) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Return the instances of a file and their labels.

    Raises
    ------
    InputError
        Names the file, and the line where there is one.
    """
    file = Path(path)
    readers = {
        ".ts": read_ts,
        ".csv": _from_csv,
        ".npz": _from_npz,
        ".parquet": _from_parquet,
    }
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise InputError(
            f"{file}: unknown format {file.suffix!r}; known: {', '.join(ENDINGS)}"
        )
    if not file.is_file():
        raise InputError(f"{file} does not exist or is not a file")
    instances, labels = reader(file)
    return check_instances(instances, labels, str(file))


def _from_csv(file: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    text = read_text(file, MAX_SERIES_BYTES)
    first = text.partition("\n")[0]
    separator = next((sep for sep in SEPARATORS if sep in first), ",")
    comma = separator != ","  # then it may be the decimal sign
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    header = [cell.strip().lower() for cell in next(lines, [])]
    if header[:2] == LONG and len(header) > 2:
        rows = [
            (
                cells[0],
                cells[1],
                _numbers(file, lines.line_num, cells[2:], len(header) - 2, comma=comma),
            )
            for cells in lines
            if cells
        ]
        return _grouped(file, rows)
    if header[:1] == ["label"] and len(header) > 1:
        wide = [
            (cells[0], _samples(file, lines.line_num, cells[1:], comma=comma))
            for cells in lines
            if cells
        ]
        return [values for _, values in wide], [label for label, _ in wide]
    raise InputError(
        f"{file}, line 1: the header must start with instance,label and name the "
        f"channels (one line per sample), or with label (one line per instance), "
        f"got {','.join(header)[:60]!r}"
    )


def _numbers(
    file: Path, line: int, cells: list[str], expected: int, *, comma: bool
) -> list[float]:
    if len(cells) != expected:
        raise InputError(
            f"{file}, line {line}: {len(cells)} channels where the header names "
            f"{expected}"
        )
    try:
        return [float(cell.replace(",", ".") if comma else cell) for cell in cells]
    except ValueError as cause:
        raise InputError(f"{file}, line {line}: {cause}") from None


def _samples(file: Path, line: int, cells: list[str], *, comma: bool) -> list[float]:
    """Read the samples of a line, leaving out empty cells at its end."""
    filled = [place for place, cell in enumerate(cells) if cell.strip()]
    kept = cells[: filled[-1] + 1] if filled else []
    return _numbers(file, line, kept, len(kept), comma=comma)


def _grouped(
    file: Path, rows: list[tuple[Any, Any, list[float]]]
) -> tuple[list[Any], list[Any]]:
    """Gather consecutive samples of one instance."""
    instances: list[list[list[float]]] = []
    labels: list[Any] = []
    seen: dict[Any, Any] = {}
    current: Any = object()
    for key, label, values in rows:
        if key != current:
            if key in seen:
                raise InputError(
                    f"{file}: the samples of instance {key!r} do not follow each other"
                )
            current = key
            seen[key] = label
            instances.append([])
            labels.append(label)
        if label != seen[key]:
            raise InputError(
                f"{file}: instance {key!r} has two labels, {seen[key]!r} and {label!r}"
            )
        instances[-1].append(values)
    return instances, labels


def _from_parquet(file: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    arrow = require_pyarrow()
    check_size(file, MAX_SERIES_BYTES, "instances")
    try:
        table = read_table(file.read_bytes())
    except (arrow.ArrowException, OSError) as cause:
        raise InputError(f"{file}: not a readable Parquet file ({cause})") from None
    if table.column_names[:2] != LONG or table.num_columns < 3:
        raise InputError(
            f"{file}: the columns must be instance, label and one per channel, "
            f"got {', '.join(table.column_names)[:80]}"
        )
    keys, labels = (table.column(name).to_pylist() for name in LONG)
    values = np.stack([column.to_numpy() for column in table.columns[2:]], axis=1)
    return _grouped(file, list(zip(keys, labels, values.tolist(), strict=True)))


def _from_npz(file: Path) -> tuple[Sequence[Any], Sequence[Any]]:
    content = read_npz(file, MAX_SERIES_BYTES)
    if "labels" not in content:
        raise InputError(f"{file} lacks the array 'labels'")
    labels = content["labels"].tolist()
    if "instances" in content:
        return list(content["instances"]), labels
    if {"values", "lengths"} <= set(content):
        return _cut(file, content["values"], content["lengths"]), labels
    raise InputError(
        f"{file} has {', '.join(sorted(content))}; it needs labels and instances, or "
        f"labels, values and lengths"
    )


def _cut(file: Path, values: NDArray[Any], lengths: NDArray[Any]) -> list[NDArray[Any]]:
    if lengths.dtype.kind not in "iu" or int(lengths.sum()) != len(values):
        raise InputError(
            f"{file}: lengths must be whole numbers that add up to {len(values)}, the "
            f"number of samples"
        )
    return np.split(values, np.cumsum(lengths)[:-1])

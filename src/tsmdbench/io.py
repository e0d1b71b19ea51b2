"""Files of motif sets and of series: JSON, CSV, Parquet, npy.

Conventions
-----------
Motif sets are written in three ways, told apart by the ending of the file name:

* ``.json``: ``{"label": [[start, end], ...], ...}`` or a list of lists of pairs;
* ``.csv``: a header ``set,start,end`` and one segment per line;
* ``.parquet``: the columns ``set``, ``start``, ``end``.

CSV and Parquet cannot say that a set is empty; JSON can. A series is ``.csv`` or
``.txt`` (one line per sample, one column per channel, header optional), ``.npy``, or
``.parquet`` (one column per channel). Nothing here can run code: no pickle.

An error names the file, the line and the column. Text beyond `MAX_TEXT_BYTES` is
refused at once: so much text is either no list of segments, or belongs in Parquet.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, MissingExtraError
from tsmdbench.types import MotifSet

MAX_TEXT_BYTES = 256 * 2**20  # some ten million segments
CSV_HEADER = ["set", "start", "end"]
SET_ENDINGS = (".json", ".csv", ".parquet")
SERIES_ENDINGS = (".csv", ".txt", ".npy", ".parquet")

PathLike = str | os.PathLike[str]


def read_motif_sets(path: PathLike) -> Any:
    """Read motif sets as a mapping, or as a list where a JSON file holds one.

    The content is parsed here and checked by
    `tsmdbench.validation.check_motif_sets`, like motif sets from anywhere else.

    Raises
    ------
    InputError
        The file is missing, a folder, not text, too large, malformed (with line and
        column), or of an unknown format.
    """
    file = _existing_file(path, SET_ENDINGS)
    if file.suffix.lower() == ".parquet":
        return _sets_from_parquet(file)
    text = _read_text(file)
    if file.suffix.lower() == ".json":
        return _sets_from_json(file, text)
    return _sets_from_csv(file, text)


def write_motif_sets(path: PathLike, sets: Mapping[Any, MotifSet]) -> None:
    """Write labelled motif sets in the format that the file's ending names."""
    file = Path(path)
    ending = _known_ending(file, SET_ENDINGS)
    rows = [
        (str(label), start, end)
        for label, motifs in sets.items()
        for start, end in motifs
    ]
    if ending != ".json" and any(not len(motifs) for motifs in sets.values()):
        raise InputError(f"{file}: {ending} cannot hold an empty set; write .json")
    if ending == ".json":
        lists = {str(label): list(motifs) for label, motifs in sets.items()}
        data = (json.dumps(lists) + "\n").encode()
    elif ending == ".csv":
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows([CSV_HEADER, *rows])
        data = buffer.getvalue().encode()
    else:
        data = _parquet_bytes(rows)
    write_atomically(file, data)


def write_atomically(file: Path, data: bytes) -> None:
    """Write to a temporary name beside `file`, sync, and rename: all or nothing."""
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as stream:  # never through a link
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def read_series(path: PathLike) -> NDArray[np.float64]:
    """Read a series as ``float64[n]`` or ``float64[n, d]``."""
    file = _existing_file(path, SERIES_ENDINGS)
    ending = file.suffix.lower()
    if ending == ".npy":
        try:
            array = np.load(file, allow_pickle=False)
        except (ValueError, EOFError, OSError) as cause:
            raise InputError(f"{file}: not a npy file of numbers ({cause})") from None
    elif ending == ".parquet":
        array = _series_from_parquet(file)
    else:
        array = _series_from_text(file, _read_text(file))
    if array.dtype.kind not in "biuf":
        raise InputError(f"{file}: a series holds numbers, not {array.dtype}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    return np.ascontiguousarray(array, dtype=np.float64)


def _existing_file(path: PathLike, endings: tuple[str, ...]) -> Path:
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; give a file ({', '.join(endings)})")
    if not file.exists():
        raise InputError(f"{file} does not exist")
    _known_ending(file, endings)
    return file


def _known_ending(file: Path, endings: tuple[str, ...]) -> str:
    ending = file.suffix.lower()
    if ending not in endings:
        raise InputError(
            f"{file}: unknown format {ending or 'without ending'!r}; "
            f"known: {', '.join(endings)}"
        )
    return ending


def _read_text(file: Path) -> str:
    """Return the text of a file, having looked at its size and first bytes."""
    size = file.stat().st_size
    if size > MAX_TEXT_BYTES:
        raise InputError(
            f"{file} has {size} bytes, more than {MAX_TEXT_BYTES} for text; "
            f"is it the right file? Use Parquet for data of that size"
        )
    with file.open("rb") as stream:
        if b"\0" in stream.read(4096):
            raise InputError(f"{file} is binary, not text")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as cause:
        raise InputError(f"{file} is not UTF-8 text ({cause})") from None


def _sets_from_json(file: Path, text: str) -> Any:
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys)
    except json.JSONDecodeError as cause:
        raise InputError(
            f"{file}, line {cause.lineno}, column {cause.colno}: "
            f"malformed JSON ({cause.msg})"
        ) from None
    except (RecursionError, InputError) as cause:
        raise InputError(f"{file}: {cause}") from None
    if not isinstance(value, dict | list):
        raise InputError(
            f'{file}: expected {{"label": [[start, end], ...]}} or a list of lists, '
            f"got {type(value).__name__}"
        )
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a label that stands twice: JSON would silently keep the last one."""
    labels = [label for label, _ in pairs]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InputError(f"the label {twice!r} stands twice; merge the two sets")
    return dict(pairs)


def _sets_from_csv(file: Path, text: str) -> dict[str, list[tuple[int, int]]]:
    lines = csv.reader(io.StringIO(text))
    sets: dict[str, list[tuple[int, int]]] = {}
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        if header != CSV_HEADER:
            shown = ",".join(header)[:60]
            raise InputError(
                f"{file}, line 1, column 1: the header must be set,start,end, "
                f"got {shown!r}"
            )
        for cells in lines:
            if not cells:
                continue
            if len(cells) != len(CSV_HEADER):
                raise InputError(
                    f"{file}, line {lines.line_num}, column {len(cells)}: "
                    f"expected set,start,end, got {len(cells)} cells"
                )
            start, end = (
                _csv_integer(file, lines.line_num, column, cells[column - 1])
                for column in (2, 3)
            )
            sets.setdefault(cells[0].strip(), []).append((start, end))
    except csv.Error as cause:
        raise InputError(f"{file}, line {lines.line_num}: {cause}") from None
    return sets


def _csv_integer(file: Path, line: int, column: int, cell: str) -> int:
    try:
        return int(cell)
    except ValueError:
        raise InputError(
            f"{file}, line {line}, column {column}: "
            f"{cell!r} is not a whole number of samples"
        ) from None


def _sets_from_parquet(file: Path) -> dict[Any, NDArray[np.int64]]:
    table = _read_parquet(file)
    missing = [name for name in CSV_HEADER if name not in table.column_names]
    if missing:
        raise InputError(
            f"{file} lacks the column {missing[0]!r}; it needs set, start, end"
        )
    labels = table.column("set").to_pylist()
    bounds = np.stack([table.column(name).to_numpy() for name in CSV_HEADER[1:]], 1)
    rows: dict[Any, list[int]] = {}
    for row, label in enumerate(labels):
        rows.setdefault(label, []).append(row)
    return {label: bounds[members] for label, members in rows.items()}


def _parquet_bytes(rows: list[tuple[str, int, int]]) -> bytes:
    arrow = _pyarrow()
    labels, starts, ends = zip(*rows, strict=True) if rows else ((), (), ())
    table = arrow.table(
        {
            "set": arrow.array(labels, arrow.string()),
            "start": arrow.array(starts, arrow.int64()),
            "end": arrow.array(ends, arrow.int64()),
        }
    )
    sink = arrow.BufferOutputStream()
    arrow.parquet.write_table(table, sink)
    return bytes(sink.getvalue())


def _series_from_parquet(file: Path) -> NDArray[Any]:
    table = _read_parquet(file)
    if not table.num_columns:
        raise InputError(f"{file} has no column; a series has one per channel")
    return np.stack([column.to_numpy() for column in table.columns], axis=1)


def _series_from_text(file: Path, text: str) -> NDArray[np.float64]:
    lines = text.splitlines()
    separator = "," if "," in text[:10_000] else None
    first = 0 if lines and _is_number(lines[0].split(separator)[0]) else 1
    rows: list[list[float]] = []
    for number, line in enumerate(lines[first:], start=first + 1):
        cells = line.split(separator)
        if not line.strip():
            continue
        for column, cell in enumerate(cells, start=1):
            if not _is_number(cell):
                raise InputError(
                    f"{file}, line {number}, column {column}: {cell!r} is not a number"
                )
        if rows and len(cells) != len(rows[0]):
            raise InputError(
                f"{file}, line {number}: {len(cells)} columns where the lines above "
                f"have {len(rows[0])}"
            )
        rows.append([float(cell) for cell in cells])
    if not rows:
        raise InputError(f"{file} holds no samples")
    return np.array(rows)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _read_parquet(file: Path) -> Any:
    arrow = _pyarrow()
    try:
        return arrow.parquet.read_table(file)
    except (arrow.ArrowException, OSError) as cause:
        raise InputError(f"{file}: not a readable Parquet file ({cause})") from None


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Parquet needs pyarrow", "parquet") from None
    return pyarrow

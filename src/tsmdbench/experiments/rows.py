"""Rows and parts: the columns of a store, the identity of a run, and its files.

Columns
-------
``key``
    Names the run: a hash of method, version, parameters, dataset, split, problem and
    data. The same run has the same key on every machine, so it is done once. It is not
    written to files, but computed when it is read.
``data``
    Hash of the series and the truth of the problem, see `truth.data_digest`.
``parameters``
    All hyperparameters as JSON with sorted keys, so that equal settings are equal
    texts. Fields that do not change the result (``compare=False``) are left out.
``status``
    ``ok``; ``timeout`` or ``memory``, a limit was broken; ``error``, the method raised,
    returned an invalid result or ended its process. All but ``ok`` has found nothing.
``seconds``
    What finding took, compilation and warm-up excluded (see `child`). Where `shared`
    runs were found together by a sweep, each gets an equal part of its time. Times
    have 12 bits, which are more digits than two measurements share.
``cpu_seconds``
    The processor time of the same, over all threads: what a run costs on a machine that
    does other things too.
``peak_memory``
    Most resident bytes of the process that computed, interpreter included.
``found``
    The motif sets, each a list of ``[start, end]``. Motifs of a set with channels are
    ``[start, end, channel, start, end, ...]``, see `tsmdbench.MotifSet.to_rows`. Files
    have them as columns of small numbers (`packed_sets`).
``message``
    Why a run failed: the exception, or the limit that it broke.
``traceback``
    Where it was raised, shortened. Null for other runs.

Parts
-----
A part is ``runs-FIRST-LAST.parquet``. A new one has a new number, FIRST = LAST. Merging
parts FIRST to LAST writes one part of that name and removes the others afterwards.
A reader takes the widest parts only, so at every moment, also after a crash in the
middle of a merge, each row is read once. A part is written to a temporary name, synced,
renamed, and the folder is synced; pages carry checksums.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tsmdbench.errors import InputTypeError
from tsmdbench.experiments.packed_sets import LISTS, PACKED, encodings, packed, unpacked
from tsmdbench.io import write_atomically
from tsmdbench.io.files import parquet_bytes

STATUSES = ("ok", "timeout", "memory", "error")
KILLED = "killed"  # in place of a status, where it is not known who ended the process
ATTEMPTS = 4  # of a run whose process is killed
FoundLists = list[list[list[int]]]
SEED = "seed"  # field that makes a method random
NAME = re.compile(r"runs-(\d{8})-(\d{8})\.parquet")
TEMPORARY = ".tmp"
CHECKED: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True}
ROW_GROUP = 10_000  # rows that are read together, where only some are wanted
# What reading a file raises that is damaged, or of another kind.
FAULTS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError)
Where = Mapping[str, str | Iterable[str]]

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("method", pa.string()),
        ("version", pa.string()),
        ("parameters", pa.string()),
        ("dataset", pa.string()),
        ("split", pa.string()),
        ("problem", pa.string()),
        ("data", pa.string()),
        ("status", pa.string()),
        ("seconds", pa.float64()),
        ("cpu_seconds", pa.float64()),
        ("peak_memory", pa.int64()),
        ("shared", pa.int32()),
        ("found", LISTS),
        ("message", pa.string()),
        ("traceback", pa.string()),
    ]
)
KEY, FOUND = "key", "found"
TIMES = ("seconds", "cpu_seconds")
NAMED = ("method", "version", "parameters", "dataset", "split", "problem", "data")
# The columns of a file.
STORED = pa.schema(
    [
        field.with_type(PACKED) if field.name == FOUND else field
        for field in SCHEMA
        if field.name != KEY
    ]
)
# Columns whose values repeat; for others, a dictionary only costs space.
REPEATING = ["method", "version", "parameters", "dataset", "split", "data", "status"]
TIME_STEPS = 2**12  # of a time, between two powers of two
MEASURED = {"seconds", "cpu_seconds", "peak_memory", "shared"}
# What a row is sorted by wherever rows are merged: nothing that depends on time.
ORDER = ("dataset", "split", "method", "version", "parameters", "problem")


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run."""

    status: str
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    shared: int = 1
    found: FoundLists = field(default_factory=list)
    message: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Run:
    """Identity of a run."""

    method: str
    version: str
    parameters: str
    dataset: str
    split: str
    problem: str
    data: str = ""

    @property
    def key(self) -> str:
        """Hash of all fields."""
        head = (self.method, self.version, self.parameters, self.dataset, self.split)
        whole = _hashed(head).copy()  # what runs share is hashed once
        whole.update(f"{self.problem}\0{self.data}".encode())
        return str(whole.hexdigest())

    def row(self, outcome: Outcome) -> dict[str, Any]:
        """Return the row that is stored."""
        row = {"key": self.key, **vars(self), **vars(outcome)}
        for name in TIMES:
            row[name] = rounded_time(row[name])
        return row | {"traceback": outcome.traceback or None}


def rounded_time(seconds: Any) -> Any:
    """Round measured times to 12 bits.

    >>> rounded_time(0.25), rounded_time(1 / 3)
    (0.25, 0.3333740234375)
    """
    mantissa, exponent = np.frexp(seconds)
    rounded = np.ldexp(np.rint(mantissa * TIME_STEPS) / TIME_STEPS, exponent)
    return rounded if np.ndim(seconds) else float(rounded)


@lru_cache(maxsize=4096)
def _hashed(shared: tuple[str, ...]) -> Any:
    """Return the hash of what the runs on many problems share."""
    head = hashlib.blake2b(digest_size=16)
    head.update(json.dumps(shared).encode())
    return head


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Return parameters as JSON: sorted, and the same for NumPy and Python numbers.

    >>> parameters_text({"radius": np.float64(0.5), "length": np.int64(8)})
    '{"length": 8, "radius": 0.5}'
    """
    return json.dumps(dict(parameters), sort_keys=True, default=plain_value)


def plain_value(value: Any) -> Any:
    """Convert a value to plain JSON types."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise InputTypeError(
        f"a parameter must be a number, a text, a truth value or a list of them, to be "
        f"stored, got {value!r}"
    )


def storable(text: str) -> str:
    r"""Return text from outside as UTF-8 can hold it.

    >>> storable("caf\u00e9 \udcff")
    'café \\udcff'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def seed_of(parameters: str) -> Any:
    """Return the seed in the parameters of a row; None where there is none.

    >>> seed_of('{"length": 8, "seed": 3}')
    3
    """
    return json.loads(parameters).get(SEED)


def seed_order(seed: Any) -> tuple[bool, float, str]:
    """Return a sort key for seeds: numbers first, by value."""
    is_number = isinstance(seed, int | float)
    return not is_number, float(seed) if is_number else 0.0, str(seed)


def without_seed(parameters: str) -> str:
    """Return the parameters of a row, as the store has them, without the seed.

    >>> without_seed('{"length": 8, "seed": 3}')
    '{"length": 8}'
    """
    if f'"{SEED}"' not in parameters:
        return parameters
    fields = json.loads(parameters)
    fields.pop(SEED, None)
    return json.dumps(fields, sort_keys=True)


# Parts


def live_parts(folder: Path) -> list[Path]:
    """Return the parts that count, in order: those that lie in no wider one."""
    found = [file for file in folder.iterdir() if NAME.fullmatch(file.name)]
    ranges = [(*part_range(file), file) for file in found]
    live: list[Path] = []
    end = -1
    for _, last, file in sorted(ranges, key=lambda each: (each[0], -each[1])):
        if last > end:
            live.append(file)
            end = last
    return live


def part_range(file: Path) -> tuple[int, int]:
    """Return FIRST and LAST of a part's name."""
    _, first, last = file.stem.split("-")
    return int(first), int(last)


def write_part(
    folder: Path, first: int, last: int, table: pa.Table, level: int | None = None
) -> Path:
    """Write a part; a higher `level` of compression is slower and saves space."""
    file = folder / f"runs-{first:08d}-{last:08d}.parquet"
    stored = pa.table(
        [
            packed(table[name]) if name == FOUND else table[name]
            for name in STORED.names
        ],
        schema=STORED,
    )
    repeating, encoding = encodings(FOUND)
    encoding |= dict.fromkeys(TIMES, "BYTE_STREAM_SPLIT")
    data = parquet_bytes(
        stored,
        **CHECKED,
        use_dictionary=[*REPEATING, *repeating],
        column_encoding=encoding,
        compression_level=level,
        row_group_size=ROW_GROUP,
    )
    write_durably(file, data)
    return file


def write_durably(file: Path, data: bytes) -> None:
    """Write all or nothing of a file, and its name; both outlast a loss of power."""
    write_atomically(file, data)
    handle = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_part(
    file: Path, columns: list[str] | None = None, where: Where | None = None
) -> pa.Table:
    """Read and check columns of the rows that have given values.

    Groups of rows of which none has the values are skipped; parts are sorted, so these
    are most.
    """
    columns = columns or SCHEMA.names
    found = [SCHEMA.empty_table().select(columns)]
    # Not by pyarrow.dataset, whose threads now and then abort a process at its exit.
    with open_parquet(file) as part:
        check_columns(part.schema_arrow, STORED, "a store")
        for group in range(part.num_row_groups):
            wanted = None
            if where:
                values = _read(part, group, [*where])
                wanted = _mask(values, where)
                if not pc.any(wanted).as_py():
                    continue
            rows = _read(part, group, columns)
            found.append(rows if wanted is None else rows.filter(wanted))
    return checked(pa.concat_tables(found))


def _read(part: pq.ParquetFile, group: int, columns: list[str]) -> pa.Table:
    """Read columns of a group of rows: computes keys, unpacks motif sets."""
    names = dict.fromkeys([*columns, *(NAMED if KEY in columns else ())])
    stored = [name for name in names if name != KEY]
    table = part.read_row_group(group, stored, use_threads=False)
    if len(table) != part.metadata.row_group(group).num_rows:
        raise ValueError("a column has too few values")
    if FOUND in columns:
        place = table.column_names.index(FOUND)
        table = table.set_column(place, FOUND, unpacked(table[FOUND]))
    if KEY in columns:
        named = zip(*(table[name].to_pylist() for name in NAMED), strict=True)
        keys = [Run(*values).key for values in named]
        table = table.append_column(KEY, pa.array(keys, pa.string()))
    return table.select(columns)


def open_parquet(file: Path) -> pq.ParquetFile:
    """Open a regular file; a pipe would be waited for, without end.

    Pages have checksums. The numbers of rows at the end of a file have none, so that of
    the file is compared with those of its groups of rows.
    """
    if not file.is_file():
        raise OSError("it is not a regular file")
    opened = pq.ParquetFile(file, page_checksum_verification=True)
    whole = opened.metadata
    groups = range(whole.num_row_groups)
    if whole.num_rows != sum(whole.row_group(group).num_rows for group in groups):
        opened.close()
        raise ValueError("its numbers of rows contradict each other")
    return opened


def check_columns(schema: pa.Schema, expected: pa.Schema, what: str) -> None:
    """Raise `ValueError` if a file does not have the expected columns and no others."""
    present = {field.name: field.type for field in schema}
    if any(present.get(field.name) != field.type for field in expected):
        raise ValueError(f"its columns are not those of {what}")
    unknown = sorted(set(present) - set(expected.names))
    if unknown:
        raise ValueError(f"it has columns that {what} does not have: {unknown}")


def checked(table: pa.Table) -> pa.Table:
    """Return columns of runs, or of a search; raise `ValueError` for wrong values."""
    empty = [n for n in table.column_names if table[n].null_count and n != "traceback"]
    if empty:
        raise ValueError(f"its column {empty[0]!r} has empty cells")
    for name in MEASURED.intersection(table.column_names):
        values = table[name].to_numpy()
        if not ((values >= 0) & (values < np.inf)).all():
            raise ValueError(f"its column {name!r} has values below 0 or not finite")
    if "status" in table.column_names:
        unknown = set(table["status"].unique().to_pylist()) - set(STATUSES)
        if unknown:
            raise ValueError(f"its column 'status' has unknown values: {unknown}")
    if "parameters" in table.column_names:
        for text in table["parameters"].unique().to_pylist():
            with suppress(ValueError, RecursionError):
                if isinstance(json.loads(text), dict):
                    continue
            raise ValueError("its column 'parameters' holds something else")
    return table


def _mask(table: pa.Table, where: Where) -> pa.ChunkedArray:
    """Mark the rows whose columns have the given values, or one of several."""
    wanted = {name: [v] if isinstance(v, str) else [*v] for name, v in where.items()}
    marks = [
        pc.is_in(table[name], pa.array(values, pa.string()))
        for name, values in wanted.items()
    ]
    return reduce(pc.and_, marks)


def merge_parts(
    folder: Path,
    parts: list[Path],
    without: Where | None = None,
    level: int | None = None,
) -> Path:
    """Replace adjacent parts by one, sorted by what was run.

    Rows that have the values `without` are left out; `level` is that of `write_part`.
    """
    rows = pa.concat_tables([read_part(part) for part in parts])
    if without:
        rows = rows.filter(pc.invert(_mask(rows, without)))
    rows = rows.sort_by([(name, "ascending") for name in ORDER])
    first, last = part_range(parts[0])[0], part_range(parts[-1])[1]
    file = write_part(folder, first, last, rows, level)
    for part in parts:
        if part != file:  # replaced in place where it was the only one
            part.unlink(missing_ok=True)
    return file


def damage(file: Path) -> str | None:
    """Describe the damage of a part; None if it is intact."""
    try:
        read_part(file)
    except FAULTS as error:
        return str(error).split("\n")[0]
    return None


def sweep_up(folder: Path) -> None:
    """Remove leftovers of a killed writer: temporary files and merged parts."""
    live = live_parts(folder)
    for file in folder.iterdir():
        stale = file.name.startswith(".") and file.suffix == TEMPORARY
        if stale or (NAME.fullmatch(file.name) and file not in live):
            file.unlink(missing_ok=True)

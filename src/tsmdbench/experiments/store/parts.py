"""The files of a store: written whole or not at all, merged without a gap.

Conventions
-----------
A part is ``runs-FIRST-LAST.parquet``. A new one has a new number, FIRST = LAST. Merging
parts FIRST to LAST writes one part of that name and removes the others afterwards.
A reader takes the widest parts only, so at every moment, also after a crash in the
middle of a merge, each row is read once. A part is written to a temporary name, synced,
renamed, and the folder is synced; pages carry checksums.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tsmdbench.experiments.store.rows import (
    NULLABLE,
    ORDER,
    REPEATING,
    SCHEMA,
    STATUSES,
)

NAME = re.compile(r"runs-(\d{8})-(\d{8})\.parquet")
TEMPORARY = ".tmp"
ROW_GROUP = 10_000  # rows that are read together, where only some are wanted
# What reading a file raises that is damaged, or of another kind.
FAULTS = (pa.ArrowException, OSError, ValueError, KeyError, TypeError)
Where = Mapping[str, str | Iterable[str]]


def live_parts(folder: Path) -> list[Path]:
    """Return the parts that count, in order: those that lie in no wider one."""
    found = []
    for file in folder.iterdir():
        match = NAME.fullmatch(file.name)
        if match:
            found.append((int(match[1]), -int(match[2]), file))
    live: list[Path] = []
    last = -1
    for _, minus_end, file in sorted(found):
        if -minus_end > last:
            live.append(file)
            last = -minus_end
    return live


def part_range(file: Path) -> tuple[int, int]:
    """Return FIRST and LAST of a part's name."""
    match = NAME.fullmatch(file.name)
    if match is None:
        raise ValueError(f"{file} is not a part")
    return int(match[1]), int(match[2])


def write_part(folder: Path, first: int, last: int, table: pa.Table) -> Path:
    """Write a part: all or nothing, and on the disk when this returns."""
    file = folder / f"runs-{first:08d}-{last:08d}.parquet"
    temporary = folder / f".{file.name}{TEMPORARY}"
    try:
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as stream:  # never through a link
            pq.write_table(
                table,
                stream,
                compression="zstd",
                row_group_size=ROW_GROUP,
                write_page_checksum=True,
                use_dictionary=[name for name in SCHEMA.names if name in REPEATING],
            )
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(file)
        sync_folder(folder)
    finally:
        temporary.unlink(missing_ok=True)
    return file


def sync_folder(folder: Path) -> None:
    """Make a renamed file's name last beyond a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_part(
    file: Path, columns: list[str] | None = None, where: Where | None = None
) -> pa.Table:
    """Read columns of the rows that have given values; verify what is read.

    Requested columns are read only from groups of rows of which one has the
    values; parts are sorted, so these are few.
    """
    # Not by pyarrow.dataset, whose threads now and then abort a process at its exit.
    with open_parquet(file) as part:
        check_columns(part.schema_arrow, SCHEMA, "a store")
        if not where:
            return _checked(part.read(columns=columns, use_threads=False))
        looked_at = part.read(columns=list(where), use_threads=False)
        mask = _mask(looked_at, where)
        found = [SCHEMA.empty_table().select(columns or SCHEMA.names)]
        first = 0
        for number in range(part.num_row_groups):
            some = mask.slice(first, part.metadata.row_group(number).num_rows)
            first += len(some)
            if pc.any(some).as_py():
                rows = part.read_row_group(number, columns=columns, use_threads=False)
                found.append(_checked(rows.filter(some)))
        return pa.concat_tables(found)


def open_parquet(file: Path) -> pq.ParquetFile:
    """Open a regular file; a pipe would be waited for, without end."""
    if not file.is_file():
        raise OSError("it is not a regular file")
    return pq.ParquetFile(file, page_checksum_verification=True)


def check_columns(schema: pa.Schema, expected: pa.Schema, what: str) -> None:
    """Raise `ValueError` if a file does not have the expected columns and no others."""
    present = {field.name: field.type for field in schema}
    if any(present.get(field.name) != field.type for field in expected):
        raise ValueError(f"its columns are not those of {what}")
    unknown = sorted(set(present) - set(expected.names))
    if unknown:
        raise ValueError(f"it has columns that {what} does not have: {unknown}")


def _checked(table: pa.Table) -> pa.Table:
    """Return rows as they are; raise `ValueError` if they are not those of runs."""
    present = set(table.column_names)
    for name in present - NULLABLE:
        if table[name].null_count:
            raise ValueError(f"its column {name!r} has empty cells")
    if "status" in present:
        unknown = set(table["status"].unique().to_pylist()) - set(STATUSES)
        if unknown:
            raise ValueError(f"its column 'status' has unknown values: {unknown}")
    if "parameters" in present:
        for text in table["parameters"].unique().to_pylist():
            if not isinstance(_parsed(text), dict):
                raise ValueError("its column 'parameters' holds something else")
    if "found" in present:
        sets = pc.list_flatten(table["found"])
        pairs = pc.list_flatten(sets)
        whole = not sets.null_count and not pairs.null_count
        sizes = pc.list_value_length(pairs)
        if not whole or pc.any(pc.not_equal(sizes, 2)).as_py():
            raise ValueError("its column 'found' holds something else than segments")
    return table


def _parsed(text: str) -> object:
    """Return JSON as an object; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _mask(table: pa.Table, where: Where) -> pa.ChunkedArray:
    """Mark the rows whose columns have the given values, or one of several."""
    marks = [
        pc.equal(table[name], value)
        if isinstance(value, str)
        else pc.is_in(table[name], value_set=pa.array(list(value)))
        for name, value in where.items()
    ]
    return reduce(pc.and_, marks)


def merge_parts(folder: Path, parts: list[Path], without: Where | None = None) -> Path:
    """Replace adjacent parts by one, sorted by what was run.

    Parameters
    ----------
    folder, parts : path and paths
    without : mapping, optional
        Rows that have these values are left out.
    """
    tables = pa.concat_tables([read_part(part) for part in parts])
    if without:
        tables = tables.filter(pc.invert(_mask(tables, without)))
    order = pc.sort_indices(tables, [(name, "ascending") for name in ORDER])
    merged = tables.take(order)
    first, last = part_range(parts[0])[0], part_range(parts[-1])[1]
    file = write_part(folder, first, last, merged)
    for part in parts:
        if part != file:  # replaced in place where it was the only one
            part.unlink(missing_ok=True)
    return file


def damage(file: Path) -> str | None:
    """Return what is wrong with a part, or None."""
    try:
        read_part(file)
    except FAULTS as error:
        return str(error).split("\n")[0]
    return None


def sweep_up(folder: Path) -> None:
    """Remove what a killed writer left: temporary files and merged parts."""
    live = set(live_parts(folder))
    for file in folder.iterdir():
        stale = file.name.startswith(".runs-") and file.suffix == TEMPORARY
        if stale or (NAME.fullmatch(file.name) and file not in live):
            file.unlink(missing_ok=True)


def next_number(parts: Iterable[Path]) -> int:
    """Return the number of the part that is written next."""
    return max((part_range(part)[1] for part in parts), default=-1) + 1

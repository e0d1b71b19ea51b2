"""The user's cache: downloaded files, and parsed datasets as Parquet.

Parsing text takes seconds, reading Parquet a fraction of one, so what was parsed is
kept. A cached dataset is named by the path, size and time of change of the files it
came from; a changed file is therefore parsed again, and nothing has to be cleared by
hand. The folder is that of the operating system, or `TSMDBENCH_CACHE`. A user without a
home folder, as in many containers, gets a private temporary one.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from tsmdbench.datasets.dataset import Dataset
from tsmdbench.errors import InputError, MissingExtraError
from tsmdbench.io import write_atomically

LAYOUT = 1  # raise when the columns change: older files are then parsed again


def cache_folder() -> Path:
    """Return the folder of the cache; it need not exist yet.

    A user without a home gets a folder inside the temporary one.
    """
    given = os.environ.get("TSMDBENCH_CACHE")
    try:
        folder = (
            Path(given).expanduser()
            if given
            else platformdirs.user_cache_path("tsmdbench", appauthor=False)
        )
    except RuntimeError:  # neither HOME nor an entry in the list of users
        folder = None
    if given and folder is None:
        raise InputError(
            f"TSMDBENCH_CACHE names {given}, but there is no such home folder; set it "
            f"to a folder without '~', or unset it"
        )
    # Older versions of platformdirs return "~" itself for a user without a home.
    if folder is None or str(folder).startswith("~"):
        return _homeless_folder()
    return folder


@cache
def _homeless_folder() -> Path:
    """Return a temporary folder that is this user's alone, the same every time."""
    folder = Path(tempfile.gettempdir()) / f"tsmdbench-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        if mine and not found.st_mode & 0o077:
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="tsmdbench-"))


def archive_folder() -> Path:
    """Return where downloaded datasets are, in the layout of the archive."""
    return cache_folder() / "archive"


def parsed_file(name: str, files: Iterable[Path]) -> Path:
    """Return where the parsed form of these files belongs."""
    digest = hashlib.sha256(f"{LAYOUT}".encode())
    for file in files:
        stat = file.stat()
        line = f"{file.resolve()}|{stat.st_size}|{stat.st_mtime_ns}\n"
        digest.update(line.encode())
    return cache_folder() / "parsed" / f"{name}-{digest.hexdigest()[:16]}.parquet"


def read_parsed(file: Path, name: str, source: str) -> Dataset | None:
    """Return a parsed dataset, or None where there is none that can be read."""
    if not file.is_file():
        return None
    arrow = require_pyarrow()
    try:
        table = read_table(file.read_bytes())
        channels = int(table.schema.metadata[b"channels"])
        values = table.column("values").combine_chunks()
        flat = values.flatten().to_numpy(zero_copy_only=False)
        offsets = values.offsets.to_numpy() // channels
        labels = tuple(table.column("label").to_pylist())
        parts = tuple(table.column("part").to_pylist())
    except (arrow.ArrowException, OSError, KeyError, TypeError, ValueError):
        return None  # damaged: the caller parses the source again and replaces it
    samples = flat.reshape(-1, channels)
    samples.flags.writeable = False
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    instances = tuple(samples[start:end] for start, end in bounds)
    return Dataset(name, instances, labels, parts, source)


def write_parsed(file: Path, dataset: Dataset) -> None:
    """Keep a parsed dataset; a cache that cannot be written costs time, not results."""
    arrow = require_pyarrow()
    sizes = dataset.lengths * dataset.channels
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    flat = np.concatenate([instance.ravel() for instance in dataset.instances])
    table = arrow.table(
        {
            "part": arrow.array(dataset.parts).dictionary_encode(),
            "label": arrow.array(dataset.labels).dictionary_encode(),
            "values": arrow.ListArray.from_arrays(offsets, flat),
        }
    ).replace_schema_metadata({"channels": str(dataset.channels)})
    sink = arrow.BufferOutputStream()
    arrow.parquet.write_table(
        table, sink, compression="zstd", use_dictionary=False, write_page_checksum=True
    )
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, bytes(sink.getvalue()))
    except OSError as cause:
        warnings.warn(
            f"cannot keep {dataset.name} in the cache ({cause}), so it is parsed "
            f"every time; set TSMDBENCH_CACHE to a folder that can be written",
            RuntimeWarning,
            stacklevel=2,
        )


def read_table(data: bytes, columns: list[str] | None = None) -> Any:
    """Return the table of a Parquet file, or some of its columns, checksums verified.

    From memory and without threads: those that pyarrow's dataset layer starts can abort
    a short-lived interpreter on its way out. Leaving that layer out saves the import
    of pandas as well.
    """
    arrow = require_pyarrow()
    file = arrow.parquet.ParquetFile(
        arrow.BufferReader(data), pre_buffer=False, page_checksum_verification=True
    )
    return file.read(columns, use_threads=False)


def require_pyarrow() -> Any:
    """Return pyarrow, or say how to have it."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("archive data needs pyarrow", "archive") from None
    return pyarrow

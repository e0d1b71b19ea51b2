"""Safe opening, reading and atomic writing of files.

Nothing here can run code that a file holds. The kind and the size of a file are checked
before it is read: folders, FIFOs, devices and files above the limit of their format are
refused. Packages that only some formats need are imported here.
"""

from __future__ import annotations

import codecs
import csv
import importlib
import io
import os
import shutil
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, MissingExtraError, TsmdbenchError

PathLike = str | os.PathLike[str]

MAX_TEXT_BYTES = 256 * 2**20  # of motif sets: some ten million segments
MAX_SERIES_BYTES = 4 * 2**30  # of a series: some 25 million rows of 8 channels as text
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# What NumPy, SciPy and wfdb raise for damaged headers and archives, for chunks that are
# missing, and for shapes beyond memory.
BROKEN = (
    *(ValueError, TypeError, LookupError, OSError, EOFError, SyntaxError, RuntimeError),
    *(ArithmeticError, AttributeError, MemoryError, UnboundLocalError),
    *(struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)


@contextmanager
def readable(file: Path, kind: str, *more: type[Exception]) -> Iterator[None]:
    """Raise `InputError` for what a library raises on a damaged file."""
    known: tuple[type[Exception], ...] = (*BROKEN, *more)
    try:
        yield
    except TsmdbenchError:
        raise
    except known as cause:
        raise InputError(f"{file}: not a {kind} ({brief(cause)})") from None


def regular_file(path: PathLike) -> Path:
    """Return the path of an existing regular file, or raise."""
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; give a file")
    if not file.exists():
        raise InputError(f"{file} does not exist")
    if not file.is_file():
        raise InputError(
            f"{file} is not a regular file; save what it delivers to a file first"
        )
    return file


def check_size(file: Path, limit: int, what: str = "a file") -> int:
    """Return the size of a file in bytes, which must not exceed `limit`."""
    size = file.stat().st_size
    if size > limit:
        raise InputError(
            f"{file} has {size} bytes, more than {limit} for {what}; if it is the "
            f"right file, raise the limit with max_bytes (--max-bytes {size})"
        )
    return size


def check_text(file: Path, limit: int, encoding: str | None = None) -> None:
    """Raise for a file that is too large for text, or that is not text."""
    check_size(file, limit, "text")
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise InputError(f"there is no encoding {encoding!r}") from None
    with file.open("rb") as stream:
        head = stream.read(4096)
    if encoding is None and head.startswith(UTF16_MARKS):
        raise InputError(
            f"{file} is UTF-16 text; save it as UTF-8, or give encoding='utf-16' "
            f"(--encoding utf-16)"
        )
    if b"\0" in head and not (encoding or "").lower().startswith("utf-16"):
        raise InputError(f"{file} is binary, not text")


def read_text(
    file: Path, limit: int = MAX_TEXT_BYTES, encoding: str | None = None
) -> str:
    """Return the text of a file, after checking its size and first bytes."""
    check_text(file, limit, encoding)
    try:
        return file.read_text(encoding=encoding or "utf-8-sig")
    except UnicodeError as cause:
        raise InputError(not_decodable(file, encoding, cause)) from None


def read_cells(
    file: Path, limit: int = MAX_TEXT_BYTES, encoding: str | None = None
) -> tuple[list[str], list[tuple[str, list[str]]], str]:
    """Return the header, the rows with their places, and the separator of a table.

    The separator is the first of ``;``, tab, ``|`` and ``,`` that the header has.
    """
    text = read_text(file, limit, encoding)
    first = text.partition("\n")[0]
    separator = next((sep for sep in (";", "\t", "|") if sep in first), ",")
    lines = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        header = [cell.strip().lower() for cell in next(lines, [])]
        rows = [(f"{file}, line {lines.line_num}", row) for row in lines if row]
    except csv.Error as cause:
        raise InputError(f"{file}, line {lines.line_num}: {cause}") from None
    return header, rows, separator


def not_decodable(file: Path, encoding: str | None, cause: object) -> str:
    """Return the message about a file in another encoding."""
    return (
        f"{file} is not {encoding or 'UTF-8'} text ({cause}); save it as UTF-8, or "
        f"name its encoding (--encoding latin-1)"
    )


def brief(cause: object, most: int = 160) -> str:
    """Return the message of a library, or a cell, as one short line."""
    return " ".join(str(cause).split())[:most]


def import_optional(module: str, need: str, extra: str) -> Any:
    """Import a module that an extra of this package installs."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(need, extra) from None


def pyarrow(what: str = "Parquet") -> Any:
    """Return pyarrow with its submodule ``parquet``."""
    import_optional("pyarrow.parquet", f"{what} needs pyarrow", "parquet")
    return importlib.import_module("pyarrow")


def read_table(source: Path | bytes, columns: list[str] | None = None) -> Any:
    """Return the table of a Parquet file, or some columns; checksums are verified."""
    # Threads of pyarrow's dataset layer can abort an interpreter that exits.
    arrow = pyarrow()
    opened = arrow.parquet.ParquetFile(
        arrow.BufferReader(source) if isinstance(source, bytes) else source,
        pre_buffer=False,
        page_checksum_verification=True,
    )
    return opened.read(columns, use_threads=False)


def read_parquet(file: Path, columns: list[str] | None = None) -> Any:
    """Return the table of a Parquet file that a user gives."""
    with readable(file, "readable Parquet file", pyarrow().ArrowException):
        return read_table(file, columns)


def parquet_bytes(table: Any, **options: Any) -> bytes:
    """Return a table as the bytes of a Parquet file."""
    arrow = pyarrow()
    sink = arrow.BufferOutputStream()
    arrow.parquet.write_table(table, sink, **options)
    return bytes(sink.getvalue())


def named_columns(frame: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and column of a pandas, polars or Arrow table."""
    pairs: Any
    if hasattr(frame, "column_names"):
        pairs = zip(frame.column_names, frame.columns, strict=True)
    elif hasattr(frame, "items"):
        pairs = frame.items()
    else:
        pairs = ((name, frame[name]) for name in frame.columns)
    return ((str(name), column) for name, column in pairs)


def is_frame(value: Any) -> bool:
    """Return True for a table with named columns."""
    named = hasattr(value, "columns") or hasattr(value, "column_names")
    return named and hasattr(value, "__getitem__") and not isinstance(value, np.ndarray)


def read_arrays(file: Path, limit: int) -> NDArray[Any] | dict[str, NDArray[Any]]:
    """Return the array of a ``.npy`` file, or those of a ``.npz`` file by name."""
    check_size(file, limit, "arrays")
    kind = "NumPy file of numbers"
    with readable(file, kind), file.open("rb") as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a header of Python 2
        head = stream.read(6)
        if head != b"\x93NUMPY" and head[:2] != b"PK":
            raise ValueError(f"it begins with {head!r}")
        if head[:2] == b"PK":
            with zipfile.ZipFile(stream) as archive:
                unpacked = sum(member.file_size for member in archive.infolist())
            if unpacked > limit:
                raise InputError(
                    f"{file} unpacks to {unpacked} bytes, more than {limit}; if it is "
                    f"the right file, raise the limit with max_bytes (--max-bytes)"
                )
        stream.seek(0)
        loaded = np.load(stream, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            if stream.read(1):
                raise ValueError(f"bytes follow the array of shape {loaded.shape}")
            return loaded
        arrays = {name: loaded[name] for name in loaded.files}
        for name, array in arrays.items():
            if not isinstance(array, np.ndarray):
                raise ValueError(f"{name!r} is not an array")
        return arrays


def write_atomically(
    file: Path, data: bytes, check: Callable[[Path], bool] | None = None
) -> None:
    """Write a file completely or not at all, by renaming a temporary file.

    Parameters
    ----------
    file : path
        The file; permissions of an existing one stay as they are.
    data : bytes
    check : callable, optional
        Called with the temporary file, which takes its place if the result is True.
    """
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        temporary.unlink(missing_ok=True)
        with temporary.open("xb") as stream:  # never through a link
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if file.is_file() and not file.is_symlink():
            shutil.copymode(file, temporary)
        if check is None or check(temporary):
            temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)

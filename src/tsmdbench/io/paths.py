"""Files on disk: what may be opened, how much of it is read, how it is written.

Nothing here can run code that a file holds, and nothing is read before its kind and its
size are known: a folder, a FIFO or a device is refused by one sentence, and so is a
file that is larger than the limit of its format.
"""

from __future__ import annotations

import codecs
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tsmdbench.errors import InputError

PathLike = str | os.PathLike[str]

MAX_TEXT_BYTES = 256 * 2**20  # of motif sets: some ten million segments
MAX_SERIES_BYTES = 4 * 2**30  # of a series: some 25 million rows of 8 channels as text
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def regular_file(path: PathLike) -> Path:
    """Return the path of an existing regular file, or say what is there instead."""
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
    """Refuse a file that is too large for text, or that is not text."""
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
    """Return the text of a file, having looked at its size and first bytes."""
    check_text(file, limit, encoding)
    try:
        return file.read_text(encoding=encoding or "utf-8-sig")
    except UnicodeError as cause:
        raise InputError(not_decodable(file, encoding, cause)) from None


def not_decodable(file: Path, encoding: str | None, cause: object) -> str:
    """Return the sentence about a file that is in another encoding."""
    name = encoding or "UTF-8"
    return (
        f"{file} is not {name} text ({cause}); save it as UTF-8, or name its encoding "
        f"(--encoding latin-1)"
    )


def brief(cause: object, most: int = 160) -> str:
    """Return what a library says about a file, or a cell, as one short line."""
    return " ".join(str(cause).split())[:most]


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
        Called with the temporary file; it takes its place if the answer is True.
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

"""One writer per store: a lock of the operating system, and who holds it.

The lock is on the file ``lock`` of the store, which stays there. The system releases it
the moment its holder ends, however that is. While somebody writes, the file says who:
process, host and begin, as JSON.
"""

from __future__ import annotations

import json
import os
import socket
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from tsmdbench.errors import StoreError
from tsmdbench.io import PathLike

NAME = "lock"
LONGEST = 4096  # bytes that are read of who holds a lock


class Lock:
    """Hold a store for writing, as a context.

    Attributes
    ----------
    took_over : str
        The writer before, if it was killed; empty otherwise.

    Raises
    ------
    StoreError
        Somebody else writes to the store; the message names process and host.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._lock = FileLock(self._file, timeout=0, thread_local=False)
        self.took_over = ""

    def __enter__(self) -> Self:
        # The lock never follows a link; a pipe would be waited for.
        if self._file.is_symlink() or (
            self._file.exists() and not self._file.is_file()
        ):
            raise StoreError(
                f"{self._file} is a link or not a file, so somebody has tampered with "
                f"the store; remove it"
            )
        try:
            self._lock.acquire()
        except Timeout:
            raise StoreError(
                f"{self._file.parent} is being written by "
                f"{_holder(self._file) or 'another process'}; wait for it or end it"
            ) from None
        self.took_over = _holder(self._file)
        about = {"pid": os.getpid(), "host": socket.gethostname(), "began": time.time()}
        self._file.write_text(json.dumps(about), encoding="utf-8")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._file.write_bytes(b"")
        finally:
            self._lock.release()


def writer_of(folder: PathLike) -> str:
    """Return who writes to a store; empty if nobody does."""
    file = Path(folder) / NAME
    if file.is_symlink() or not file.is_file():
        return ""
    try:
        with FileLock(file, timeout=0, thread_local=False):
            return ""
    except Timeout:
        return _holder(file) or "another process"
    except OSError:  # a store that can be read only: nobody can be asked
        return _holder(file)


def _holder(file: Path) -> str:
    """Return who wrote into a lock, in words; empty if nobody did."""
    with file.open("rb") as opened:
        text = opened.read(LONGEST)
    if not text:
        return ""
    try:
        holder: dict[str, Any] = json.loads(text)
        began = time.localtime(float(holder["began"]))
        when = time.strftime("%Y-%m-%d %H:%M:%S", began)
        return f"process {holder['pid']} on {holder['host']} (started {when})"
    except (ValueError, TypeError, KeyError, OverflowError, OSError):
        return "another process"  # killed while it wrote this, or not ours

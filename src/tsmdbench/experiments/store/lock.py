"""One writer per store: a lock that says who holds it and knows when nobody does.

The lock is the file ``lock`` in the store: process, host and start of the writer, as
JSON. On one machine the kernel keeps it (``flock``), so it is gone the moment its
holder dies, however it dies. A holder on another machine, which our kernel may
not see, shows that it lives by touching the file; a file that was not touched for
`SILENCE` seconds is stale.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import psutil

from tsmdbench.errors import StoreError
from tsmdbench.experiments.store import file_lock as fcntl
from tsmdbench.io import PathLike

HEARTBEAT = 15.0  # seconds between touches
# A link is an error instead of being followed, a pipe does not wait for a writer.
UNLINKED = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
SILENCE = 300.0  # seconds without a touch after which a holder elsewhere is dead


class Lock:
    """Hold a store for writing, as a context.

    Attributes
    ----------
    took_over : str
        Whose stale lock was replaced; empty if there was none.

    Raises
    ------
    StoreError
        Somebody else writes to the store; the message names process and host.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "lock"
        self._handle = -1
        self._touched = 0.0
        self.took_over = ""

    def __enter__(self) -> Self:
        while not self._acquire():
            pass  # the holder removed the file between opening and locking it
        return self

    def _acquire(self) -> bool:
        """Lock the file; False if it is no longer the file of that name."""
        handle = self._opened()
        try:
            self._lock(handle)
            if not _is_same(handle, self._file):
                os.close(handle)
                return False
        except BaseException:
            os.close(handle)
            raise
        os.ftruncate(handle, 0)
        os.pwrite(handle, json.dumps(_myself()).encode(), 0)
        os.fsync(handle)
        self._handle, self._touched = handle, time.monotonic()
        return True

    def _opened(self) -> int:
        """Open or make the file; what a link points to is never touched."""
        try:
            handle = os.open(self._file, os.O_RDWR | os.O_CREAT | UNLINKED, 0o644)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
                raise self._no_lock() from None
            raise
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise self._no_lock()
        return handle

    def _no_lock(self) -> StoreError:
        return StoreError(
            f"{self._file} is a link or not a file, so somebody has tampered with the "
            f"store; remove it"
        )

    def _lock(self, handle: int) -> None:
        """Take the kernel's lock, then judge what an earlier holder left."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._held(_holder(handle)) from None
        holder = _holder(handle)
        if holder is None:
            return
        silent = time.time() - os.fstat(handle).st_mtime
        if holder.get("host") != socket.gethostname() and silent < SILENCE:
            raise self._held(holder)
        self.took_over = _describe(holder)

    def _held(self, holder: dict[str, Any] | None) -> StoreError:
        return StoreError(
            f"{self._file.parent} is being written by {_describe(holder)}; wait for it "
            f"or end it. If it is gone for certain, remove {self._file}"
        )

    def beat(self) -> None:
        """Show that the holder lives, at most every `HEARTBEAT` seconds."""
        if time.monotonic() - self._touched > HEARTBEAT:
            os.utime(self._handle)
            self._touched = time.monotonic()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if _is_same(self._handle, self._file):
            self._file.unlink(missing_ok=True)
        os.close(self._handle)
        self._handle = -1


def writer_of(folder: PathLike) -> str:
    """Return who writes to a store; empty if nobody does."""
    file = Path(folder) / "lock"
    try:
        handle = os.open(file, os.O_RDONLY | UNLINKED)
    except OSError:
        return ""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return ""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _describe(_holder(handle))
    finally:
        holder = _holder(handle) or {}
        silent = time.time() - os.fstat(handle).st_mtime
        os.close(handle)
    elsewhere = holder.get("host", "") not in ("", socket.gethostname())
    return _describe(holder) if elsewhere and silent < SILENCE else ""


def _is_same(handle: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), file.lstat())
    except FileNotFoundError:
        return False


def _myself() -> dict[str, Any]:
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "started": psutil.Process().create_time(),
    }


def _holder(handle: int) -> dict[str, Any] | None:
    """Return who wrote the lock; None for a new file."""
    text = os.pread(handle, 4096, 0)
    try:
        holder = json.loads(text) if text else None
    except ValueError:
        return {}  # killed while writing it
    return holder if isinstance(holder, dict) or holder is None else {}


def _describe(holder: dict[str, Any] | None) -> str:
    if not holder:
        return "another process"
    try:
        started = time.localtime(float(holder.get("started", 0)))
    except (TypeError, ValueError, OverflowError, OSError):
        return "another process"  # tsmdbench did not write this
    began = time.strftime("%Y-%m-%d %H:%M:%S", started)
    pid, host = holder.get("pid"), holder.get("host")
    return f"process {pid} on {host} (started {began})"

"""Locks of files that the kernel keeps: those of POSIX.

Windows has none. Stores can be read there, but nobody can write to one (see
`tsmdbench.experiments.platforms`), so a store on Windows never has a writer.
"""

from __future__ import annotations

import sys

from tsmdbench.errors import StoreError

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock
else:
    LOCK_SH, LOCK_EX, LOCK_NB = 1, 2, 4

    def flock(_: int, operation: int) -> None:
        """Refuse to lock for writing; a lock for reading is always free."""
        if operation & LOCK_EX:
            raise StoreError("a store cannot be written on Windows")


__all__ = ["LOCK_EX", "LOCK_NB", "LOCK_SH", "flock"]

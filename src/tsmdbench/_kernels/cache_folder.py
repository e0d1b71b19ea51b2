"""The folder that keeps compiled kernels, named after the sources of all kernels.

numba compiles a kernel again when the file of that kernel changes, but not when it
calls a kernel of another file and that one changes: it would go on running the old
code. So the folder has a hash of all kernel sources in its name, and any change starts
with an empty one. The versions of numba, NumPy and Python are part of the hash.

The folder lies inside ``NUMBA_CACHE_DIR`` if that is set, else in the ``__pycache__``
of this package, else in numba's folder for the user. Where none of them is writable, a
private temporary folder is used: compiled code is pickled, so a folder that
others can write to is never read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numba
import numpy as np
from numba.core import config
from numba.misc.appdirs import AppDirs

KERNELS = Path(__file__).parent
PREFIX = "tsmdbench-"
UNUSED = 30 * 86_400.0  # seconds after which a folder of other sources is removed


@cache
def cache_folder() -> Path | None:
    """Return the folder for this process, ready to use; None if there is none."""
    name = PREFIX + source_hash(KERNELS)
    given = config.CACHE_DIR
    bases = [Path(given).absolute()] if given else [KERNELS / "__pycache__", *_user()]
    found = first_usable(bases, name)
    if found is not None:
        return found
    private = private_temporary()
    found = first_usable([private], name) if private else None
    warnings.warn(
        f"compiled code cannot be kept in {' or '.join(map(str, bases))} and is kept "
        f"in {found or 'no folder at all'}; set NUMBA_CACHE_DIR to a writable folder",
        RuntimeWarning,
        stacklevel=2,
    )
    return found


def source_hash(folder: Path) -> str:
    """Return a hash of the Python sources below a folder and of compiler versions."""
    versions = f"{numba.__version__} {np.__version__} {sys.implementation.cache_tag}"
    digest = hashlib.sha256(versions.encode())
    for file in sorted(folder.rglob("*.py")):
        text = file.read_bytes()
        digest.update(f"\n{file.relative_to(folder)} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:16]


def first_usable(bases: Iterable[Path], name: str) -> Path | None:
    """Return the first folder of that name that can be written; make it if needed.

    Making one removes folders of other sources beside it that have not been used for
    `UNUSED` seconds.
    """
    for base in bases:
        folder = base / name
        try:
            is_new = not folder.is_dir()
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            os.utime(folder)  # the time of the last use
        except OSError:
            continue
        if is_new:
            _remove_unused(base)
        return folder
    return None


def _remove_unused(base: Path) -> None:
    # A process that still runs the old sources makes its folder again: no harm done.
    for folder in base.glob(f"{PREFIX}*"):
        try:
            is_unused = time.time() - folder.stat().st_mtime > UNUSED
        except OSError:
            continue
        if is_unused:
            shutil.rmtree(folder, ignore_errors=True)


def private_temporary(base: Path | None = None) -> Path | None:
    """Return a folder that only this user can read and write, the same every time."""
    try:
        base = base or Path(tempfile.gettempdir())
        if sys.platform == "win32":  # the temporary folder is the user's own
            return base / "tsmdbench-numba"
        folder = base / f"tsmdbench-numba-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if (
            stat.S_ISDIR(found.st_mode)
            and found.st_uid == os.getuid()
            and not found.st_mode & 0o077
        ):
            return folder
        return Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
    except OSError:
        return None


def _user() -> list[Path]:
    """Return numba's folder for the user; nothing for a user without a home."""
    folder = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    return [folder] if folder.is_absolute() else []

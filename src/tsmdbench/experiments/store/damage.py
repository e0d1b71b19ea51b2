"""Set damaged parts of a store aside, so that their runs are done again."""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import StoreError
from tsmdbench.experiments.store import parts
from tsmdbench.experiments.store.lock import Lock
from tsmdbench.experiments.store.store import Store
from tsmdbench.io import PathLike

ASIDE = ".damaged"


def damaged_parts(path: PathLike) -> dict[Path, str]:
    """Read every part of a store to the last byte; return what is wrong with which."""
    found = {}
    for part in Store(path).parts():
        fault = parts.damage(part)
        if fault is not None:
            found[part] = fault
    return found


def _free_name(part: Path) -> Path:
    """Return a name that no part which was set aside before has."""
    taken = len(list(part.parent.glob(f"{part.name}{ASIDE}*")))
    return part.with_name(part.name + ASIDE + (f"{taken + 1}" if taken else ""))


def set_aside(path: PathLike) -> dict[Path, str]:
    """Rename damaged parts to ``….damaged``; return what was wrong with which.

    Their runs are missing from the store afterwards, and `resume` does them again.
    Nothing is deleted.
    """
    store = Store(path)
    try:
        with Lock(store.path):
            broken = damaged_parts(path)
            for part in broken:
                part.rename(_free_name(part))
            parts.sync_folder(store.path)
    except OSError as error:
        raise StoreError(f"cannot repair {path}: {error.strerror or error}") from None
    return broken

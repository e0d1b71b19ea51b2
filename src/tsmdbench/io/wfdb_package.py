"""The package wfdb, imported when a PhysioNet file needs it."""

from __future__ import annotations

from typing import Any

from tsmdbench.errors import MissingExtraError


def import_wfdb() -> Any:
    """Return the package wfdb, or say how to have it."""
    try:
        import wfdb
    except ImportError:
        raise MissingExtraError("PhysioNet records need wfdb", "wfdb") from None
    return wfdb

"""The package wfdb, imported when a PhysioNet file needs it."""

from __future__ import annotations

from typing import Any

from tsmdbench.errors import InputError


def import_wfdb() -> Any:
    """Return the package wfdb, or say how to have it."""
    try:
        import wfdb
    except ImportError:
        raise InputError(
            "PhysioNet records need wfdb: pip install 'tsmdbench[wfdb]'"
        ) from None
    return wfdb

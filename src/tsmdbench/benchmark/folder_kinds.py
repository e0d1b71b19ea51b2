"""What a folder holds, so that no command writes over the content of another.

Stores, folders of problems and reports are told apart by their files. A folder that
holds something else is nobody's, and only what makes new folders refuses it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.io import PathLike

STORE = "a store"
PROBLEMS = "a folder of problems"
REPORT = "a report"
LONGEST = 256 * 2**20  # bytes of a manifest


def folder_kind(folder: PathLike) -> str | None:
    """Return what a folder holds; None if it is not there or of no known kind."""
    path = Path(folder)
    if not path.is_dir():
        return None
    if next(path.glob("runs-*-*.parquet"), None) is not None:
        return STORE
    manifest = _manifest(path / "manifest.json")
    if "format" in manifest and "specifications" in manifest:
        return STORE
    if "files" in manifest and "versions" in manifest:
        return PROBLEMS
    if (path / "index.html").is_file() and (path / "tables").is_dir():
        return REPORT
    return None


def check_folder(folder: PathLike, kind: str) -> None:
    """Raise `InputError` if a folder holds something of another kind."""
    if Path(folder).exists() and not Path(folder).is_dir():
        raise InputError(f"{folder} is a file; {kind} is a folder")
    found = folder_kind(folder)
    if found is not None and found != kind:
        raise InputError(
            f"{folder} is {found}; {kind} needs a folder of its own: choose another one"
        )


def _manifest(file: Path) -> dict[str, Any]:
    """Return a manifest of whatever kind; empty if there is none that can be read."""
    try:
        if not file.is_file() or file.stat().st_size > LONGEST:
            return {}
        found = json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}

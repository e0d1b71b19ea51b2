"""The manifest of a store: what was requested, and who did it, as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tsmdbench.errors import StoreError

FORMAT = 1
MANIFEST = "manifest.json"
LONGEST = 64 * 2**20  # bytes; one of a large experiment has some kilobytes
FILES = "files"  # field: where methods and datasets of the user's own files are
# The fields that are read, with their types, where they are present.
FIELDS = {
    "specifications": list,
    "planned": list,
    "datasets": dict,
    "made_by": dict,
    "packed": dict,
    "versions": dict,
    "methods": dict,
    "machines": dict,
    "environments": dict,
    FILES: dict,
}


def read_manifest(file: Path) -> dict[str, Any]:
    """Return the manifest.

    Raises
    ------
    StoreError
        It is damaged, or of something else than a store.
    """
    try:
        if file.stat().st_size > LONGEST:
            raise damaged_manifest(file, f"it has more than {LONGEST} bytes")
        manifest = json.loads(file.read_bytes())
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise damaged_manifest(file, str(error)) from None
    if not isinstance(manifest, dict) or "format" not in manifest:
        raise damaged_manifest(file, "it is not the manifest of a store")
    if manifest["format"] != FORMAT or isinstance(manifest["format"], bool):
        raise StoreError(
            f"{file} has format {manifest['format']!r}; this version reads {FORMAT}"
        )
    for name, kind in FIELDS.items():
        if name in manifest and not isinstance(manifest[name], kind):
            raise damaged_manifest(file, f"{name!r} is {manifest[name]!r:.60}")
    if not all(type(number) is int for number in manifest.get("planned", [])):
        raise damaged_manifest(file, "'planned' must hold whole numbers")
    if not all(map(_is_specification, manifest.get("specifications", []))):
        raise damaged_manifest(file, "what was requested cannot be read")
    if not all(map(_is_history, manifest.get("versions", {}).values())):
        raise damaged_manifest(file, "'versions' holds something else")
    return manifest


def _is_history(entries: Any) -> bool:
    """Tell whether the versions of a method can be read, see `store.versions`."""
    return isinstance(entries, list) and all(
        isinstance(entry, dict)
        and isinstance(entry.get("version"), str)
        and isinstance(entry.get("since"), str)
        for entry in entries
    )


def _is_specification(asked: Any) -> bool:
    """Tell whether the fields that are read without `Specification` can be read."""
    if not isinstance(asked, dict):
        return False
    limits = asked.get("limits", {})
    return (
        all(_is_texts(asked.get(name, [])) for name in ("datasets", "methods"))
        and isinstance(limits, dict)
        and all(type(limit) in (int, float) for limit in limits.values())
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def damaged_manifest(file: Path, reason: str) -> StoreError:
    """Return the error for a manifest that cannot be used."""
    return StoreError(
        f"{file} is damaged ({reason}); the runs are intact: move this file away "
        f"and repeat the same 'tsmdbench run'"
    )

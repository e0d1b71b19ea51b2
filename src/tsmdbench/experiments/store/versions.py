"""Which versions of a method a store has, and which of them is the newest.

Rows have no date. The manifest therefore notes when a version of a method was asked for
last: under ``versions``, for each method, a list of ``{"version": ..., "since": ...}``,
the latest at the end. Versions that are not in it, of stores that were written before
it was kept, count as older than those that are, and among each other by their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from tsmdbench.experiments.store.store import Store

NEWEST = "newest"
ALL = "all"
Age = tuple[int, list[tuple[bool, int, str]]]
History = dict[str, list[dict[str, str]]]


def age_order(manifest: Mapping[str, Any], method: str) -> Callable[[str], Age]:
    """Return a sort key for the versions of a method: the oldest comes first."""
    noted = [entry["version"] for entry in manifest.get("versions", {}).get(method, ())]
    places = {version: place for place, version in enumerate(noted)}
    return lambda version: (places.get(version, -1), version_numbers(version))


def version_numbers(version: str) -> list[tuple[bool, int, str]]:
    """Return a sort key for versions.

    >>> sorted(["1.10", "1.9", "1.0"], key=version_numbers)
    ['1.0', '1.9', '1.10']
    """
    return [
        (part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.findall(r"[0-9]+|[^0-9.]+", version)
    ]


def noted_version(history: History, method: str, version: str) -> History:
    """Return a history in which a version is the newest of a method."""
    before = [e for e in history.get(method, ()) if e["version"] != version]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {**history, method: [*before, {"version": version, "since": now}]}


def noted_since(manifest: Mapping[str, Any], method: str, version: str) -> str:
    """Return when a version was asked for last, in local time; empty if unknown."""
    for entry in manifest.get("versions", {}).get(method, ()):
        if entry["version"] == version:
            try:
                since = datetime.fromisoformat(entry["since"]).astimezone()
            except (ValueError, OverflowError):
                return ""
            return since.strftime("%Y-%m-%d %H:%M")
    return ""


def chosen_versions(
    store: Store, split: str, version: str = NEWEST
) -> dict[str, tuple[str, ...]]:
    """Return which versions of each method of a split are wanted.

    Parameters
    ----------
    store : Store
    split : {"test", "validation"}
    version : str
        ``"newest"``; ``"all"``; or a version: methods that have it are taken in it, the
        others in their newest one.

    Raises
    ------
    InputError
        No method has that version.
    """
    known = store.versions({"split": split})
    if version == ALL:
        return known
    if version != NEWEST and not any(version in each for each in known.values()):
        raise InputError(
            f"no method of {store.path} has version {version!r} in split {split!r}; "
            f"known: {_listed(known.items())}"
        )
    return {
        method: (version,) if version in each else each[-1:]
        for method, each in known.items()
    }


def rows_of_versions(rows: pa.Table, chosen: Mapping[str, Container[str]]) -> pa.Table:
    """Keep the rows of the chosen versions of each method."""
    pairs = zip(rows["method"].to_pylist(), rows["version"].to_pylist(), strict=True)
    return rows.filter([version in chosen[method] for method, version in pairs])


def _listed(known: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    return "; ".join(f"{method} {', '.join(each)}" for method, each in known)

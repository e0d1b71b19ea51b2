"""What a store has of each version of a method, and how to take it out again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.seeds import SEED
from tsmdbench.experiments.store.store import Store, StoreWriter
from tsmdbench.experiments.store.versions import noted_since
from tsmdbench.io import PathLike

TUNING = "tuning"
TUNED = "tuned.toml"


class Contents(NamedTuple):
    """The runs of one version of a method.

    Attributes
    ----------
    method, version : str
    newest : bool
        Whether this version is what a leaderboard shows.
    runs, failed, datasets : int
        How many there are, those of searches included.
    seeds : int
        Different values of the field `seed`; 0 where the method has none.
    since : str
        When it was asked for last, in local time; empty if that was not noted.
    """

    method: str
    version: str
    newest: bool
    runs: int
    failed: int
    datasets: int
    seeds: int
    since: str


def contents(store: Store) -> list[Contents]:
    """Return what a store has, by method and version, the newest version last."""
    names = ["method", "version", "status", "dataset", "parameters"]
    table = store.table(names)
    rows: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    columns = (table[name].to_pylist() for name in names)
    for method, version, *rest in zip(*columns, strict=True):
        rows.setdefault((method, version), []).append((rest[0], rest[1], rest[2]))
    manifest = store.manifest
    return [
        Contents(
            method,
            version,
            version == versions[-1],
            len(rows[method, version]),
            sum(status != "ok" for status, _, _ in rows[method, version]),
            len({dataset for _, dataset, _ in rows[method, version]}),
            _count_seeds({text for _, _, text in rows[method, version]}),
            noted_since(manifest, method, version),
        )
        for method, versions in store.versions().items()
        for version in versions
    ]


def _count_seeds(parameters: set[str]) -> int:
    given = [json.loads(text) for text in parameters]
    return len({json.dumps(fields[SEED]) for fields in given if SEED in fields})


def remove_method(
    path: PathLike,
    method: str,
    version: str | None = None,
    *,
    dry_run: bool = False,
) -> int:
    """Delete the runs of a method, or of one version of it; return how many.

    Parameters
    ----------
    path : path
        The store.
    method : str
    version : str, optional
        Without one, all versions are deleted, the method is no longer asked for, and
        what was found by tuning it is deleted too.
    dry_run : bool, default False
        Only count.

    Raises
    ------
    InputError
        The store has no such runs.
    StoreError
        Somebody writes to the store.
    """
    store = Store(path)
    known = store.versions()
    if method not in known:
        raise InputError(
            f"{store.path} has no runs of method {method!r}; it has "
            f"{', '.join(known) or 'none at all'}"
        )
    if version is not None and version not in known[method]:
        raise InputError(
            f"{store.path} has no runs of {method} in version {version!r}; it has "
            f"{', '.join(known[method])}"
        )
    where = {"method": method} | ({} if version is None else {"version": version})
    if dry_run:
        return len(store.table(["key"], where))
    with StoreWriter(store.path) as writer:
        gone = writer.forget(where)
        manifest = store.manifest
        history = manifest.get("versions", {})
        noted = history.get(method, ())
        kept = [entry for entry in noted if version not in (None, entry["version"])]
        manifest["versions"] = {k: v for k, v in history.items() if k != method}
        if kept:
            manifest["versions"][method] = kept
        if version is None:
            _no_longer_asked(manifest, method)
            _remove_tuning(writer, method)
        writer.write_manifest(manifest)
    return gone


def _no_longer_asked(manifest: dict[str, Any], method: str) -> None:
    """Take a method out of what was requested, so that `resume` does not run it."""
    asked = manifest.get("specifications", [])
    kept = []
    for one in asked:
        others = [name for name in one.get("methods", []) if name != method]
        if others:
            kept.append({**one, "methods": others})
    if kept != asked:
        manifest["specifications"] = kept
        manifest["planned"] = []  # how many runs that are is no longer known


def _remove_tuning(writer: StoreWriter, method: str) -> None:
    """Delete the surfaces and winners of a method's searches."""
    folder = writer.path / TUNING
    for file in sorted(folder.glob("*.parquet")) if folder.is_dir() else ():
        if _is_surface_of(file, method):
            file.unlink()
    winners = folder / TUNED
    if winners.is_file():
        from tsmdbench.experiments.tune import tuned_toml

        text = winners.read_text("utf-8")
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise StoreError(f"{winners} is damaged ({error}); remove it") from None
        if method in tables:
            left = tuned_toml([], text, without=method)
            writer.write_file(f"{TUNING}/{TUNED}", left.encode())


def _is_surface_of(file: Path, method: str) -> bool:
    try:
        column = pq.read_table(file, columns=["method"], use_threads=False)["method"]
    except (pa.ArrowException, OSError, KeyError):
        return False
    return set(column.to_pylist()) == {method}

"""What a store has of each version of a method, and how to take it out again."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.seeds import SEED, without_seed
from tsmdbench.experiments.store.store import Store, StoreWriter
from tsmdbench.experiments.store.versions import noted_since
from tsmdbench.io import PathLike

TUNING = "tuning"
TUNED = "tuned.toml"
TUNED_SETTING, UNTUNED_SETTING = "tuned", "untuned"


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
    setting: str | None = None,
    dry_run: bool = False,
) -> int:
    """Delete the runs of a method, or some of them; return how many.

    Parameters
    ----------
    path : path
        The store.
    method : str
    version : str, optional
        Without one, all versions are deleted, the method is no longer asked for, and
        what was found by tuning it is deleted too.
    setting : str, optional
        Only the runs of the test split with this setting: ``"untuned"``, all but the
        winner of the search on each dataset; ``"tuned"``, the winners; or values of
        fields as JSON, ``'{"length": 20}'``. Requests without, or with, a search no
        longer contain the method.
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
    if setting is not None:
        return _remove_setting(store, where, setting, dry_run=dry_run)
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


def _remove_setting(
    store: Store, where: dict[str, str], setting: str, *, dry_run: bool
) -> int:
    """Delete the test runs of a method that have a setting; return how many."""
    method = where["method"]
    columns = ["key", "dataset", "parameters"]
    rows = store.table(columns, {**where, "split": "test"}).to_pylist()
    if setting in (TUNED_SETTING, UNTUNED_SETTING):
        winners = _winners(store, method)
        if not winners:
            raise InputError(
                f"{store.path} has no search of {method}, so no setting is tuned; name "
                f"fields instead: --setting '{{\"length\": 20}}'"
            )
        wanted = [
            (without_seed(row["parameters"]) == winners.get(row["dataset"]))
            == (setting == TUNED_SETTING)
            for row in rows
        ]
    else:
        fields = _fields(setting)
        given = [json.loads(row["parameters"]) for row in rows]
        wanted = [
            all(name in one and one[name] == fields[name] for name in fields)
            for one in given
        ]
    keys = [
        row["key"] for row, is_wanted in zip(rows, wanted, strict=True) if is_wanted
    ]
    if not keys:
        raise InputError(
            f"{store.path} has no test runs of {method} that are {setting}"
        )
    if dry_run:
        return len(keys)
    with StoreWriter(store.path) as writer:
        gone = writer.forget({"key": keys})
        if setting in (TUNED_SETTING, UNTUNED_SETTING):
            manifest = store.manifest
            _no_longer_asked(manifest, method, tune=setting == TUNED_SETTING)
            writer.write_manifest(manifest)
    return gone


def _winners(store: Store, method: str) -> dict[str, str]:
    """Return the setting that won the search of a method, by dataset, without seed."""
    found = {}
    for file in sorted((store.path / TUNING).glob("*.parquet")):
        if _is_surface_of(file, method):
            columns = ["dataset", "parameters", "winner"]
            for row in pq.read_table(file, columns=columns).to_pylist():
                if row["winner"]:
                    found[row["dataset"]] = without_seed(row["parameters"])
    return found


def _fields(text: str) -> dict[str, Any]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict) or not fields:
        raise InputError(
            f"a setting must be 'tuned', 'untuned' or values of fields like "
            f"'{{\"length\": 20}}', got {text!r:.80}"
        )
    return fields


def _no_longer_asked(
    manifest: dict[str, Any], method: str, *, tune: bool | None = None
) -> None:
    """Take a method out of what was requested, so that `resume` does not run it.

    With `tune`, only out of the requests with, or without, a search.
    """
    asked = manifest.get("specifications", [])
    kept = []
    for one in asked:
        if tune is not None and one.get("tune", False) != tune:
            kept.append(one)
            continue
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

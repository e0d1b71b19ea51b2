"""Look into stores and change them: remove runs, repair, pack one, join several.

A packed store has the runs of one split in one file, to be published. What is kept: the
rows of the split, the truth of its problems, the surfaces of the grid searches and the
settings that won them, and a manifest that says how all of it was made. What is left
out: the single runs of the searches, which are many times more, the name of the machine
and paths on it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tsmdbench.benchmark import SPLITS
from tsmdbench.datasets.export import STORE, check_folder
from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments import rows as parts
from tsmdbench.experiments.rows import SEED, STATUSES, without_seed
from tsmdbench.experiments.store import (
    FILES,
    LOCK,
    SHARD,
    Lock,
    Store,
    StoreWriter,
    noted_since,
)
from tsmdbench.experiments.truth import TRUTH, read_truth, truth_parquet
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice

TUNING = "tuning"
TUNED = "tuned.toml"
TUNED_SETTING, UNTUNED_SETTING = "tuned", "untuned"
ASIDE = ".damaged"
PRIVATE = ("host", "system")  # of the machine, not of the experiment


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
        Without one, all versions are deleted, the method is no longer requested, and
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


def pack(
    store: PathLike,
    out: PathLike,
    *,
    split: str = "test",
    methods: Sequence[str] | None = None,
) -> Store:
    """Write the runs of one split of a store to a new one.

    Parameters
    ----------
    store : path
    out : path
        A folder that is not there yet, or is empty.
    split : {"test", "validation"}
    methods : sequence of str, optional
        Only these, with their searches and what was requested of them.

    Raises
    ------
    InputError
        There are no runs of this split, or `out` holds something.
    """
    check_choice(split, "split", SPLITS)
    source = Store(store)
    rows = source.table(where={"split": split})
    if methods is not None:
        rows = rows.filter(pc.is_in(rows["method"], pa.array(methods, pa.string())))
    if not len(rows):
        raise InputError(f"{source.path} has no runs of split {split!r}")
    with _new_store(out) as work:
        _write(source, rows, split, work, methods)
    return Store(out)


def _write(
    source: Store, rows: Any, split: str, work: Path, methods: Sequence[str] | None
) -> None:
    """Write what is kept of a store into a new folder."""
    truths = {k: t for k, t in read_truth(source.path).items() if k[1] == split}
    with StoreWriter(work) as writer:
        writer.add(rows.to_pylist())
        writer.flush()
        writer.compact()
        writer.write_file(TRUTH, truth_parquet(truths))
        for file in sorted((source.path / "tuning").glob("*")):
            if file.is_file() and not file.is_symlink() and _is_of(file, methods):
                writer.write_file(f"tuning/{file.name}", file.read_bytes())
        writer.write_manifest(_manifest(source, split, rows, methods))


def _is_of(surface: Path, methods: Sequence[str] | None) -> bool:
    """Return True if a file of the searches is about some methods, or about all."""
    if methods is None or surface.suffix != ".parquet":
        return True
    found = pq.read_table(surface, columns=["method"])["method"].to_pylist()
    return set(found) <= set(methods)


def _manifest(
    source: Store, split: str, rows: Any, methods: Sequence[str] | None
) -> dict[str, Any]:
    """Return the manifest, with what packing left out and what had failed."""
    manifest = source.manifest
    manifest.pop(FILES, None)  # paths of this machine
    if "specifications" in manifest:
        manifest["specifications"] = [
            _without_paths(asked)
            for asked in manifest["specifications"]
            if methods is None or set(asked["methods"]) & set(methods)
        ]
    made_by = manifest.get("made_by", {})
    counts = source.counts()
    searched = sum(n for what, n in counts.items() if what[1] != split)
    failures = [[*what, n] for what, n in sorted(counts.items()) if what[3] != "ok"]
    return {
        **manifest,
        "made_by": {k: v for k, v in made_by.items() if k not in PRIVATE},
        "packed": {
            "split": split,
            "runs": len(rows),
            "runs_left_out": searched,
            "failures": failures,
            "settings": _settings(rows),
        },
    }


def _without_paths(asked: dict[str, Any]) -> dict[str, Any]:
    """Return what was requested without the interpreter's path on this machine."""
    environment = asked.get("environment")
    if not environment or not environment.get("python"):
        return asked
    return {**asked, "environment": {**environment, "python": "python"}}


def _settings(rows: Any) -> dict[str, dict[str, list[Any]]]:
    """Return the settings that were run: by method and dataset, mostly one each."""
    columns = ["method", "dataset", "parameters"]
    kinds = zip(*(rows[name].to_pylist() for name in columns), strict=True)
    settings: dict[str, dict[str, list[Any]]] = {}
    for method, dataset, text in sorted(set(kinds)):
        by_dataset = settings.setdefault(method, {})
        by_dataset.setdefault(dataset, []).append(json.loads(text))
    return settings


def merge_stores(stores: Sequence[PathLike], out: PathLike) -> Store:
    """Join stores that are parts of one experiment, such as shards, into a new one.

    Parameters
    ----------
    stores : sequence of path
    out : path
        A folder that is not there yet, or is empty.

    Raises
    ------
    InputError
        The stores do not fit together: they are of other requests, other data or other
        versions of a method.
    """
    opened = [Store(path) for path in stores]
    if not opened:
        raise InputError("name at least one store to merge")
    first = opened[0]
    asked, versions = first.specifications, first.versions()
    truths = read_truth(first.path)
    for other in opened[1:]:
        if other.specifications != asked:
            raise InputError(
                f"{other.path} does not fit to {first.path}: it was made by another "
                f"request"
            )
        for method, theirs in other.versions().items():
            ours = versions.setdefault(method, theirs)
            if ours != theirs:
                raise InputError(
                    f"{other.path} does not fit to {first.path}: the code of {method} "
                    f"is version {theirs[-1]} there, and {ours[-1]} here"
                )
        for place, truth in read_truth(other.path).items():
            if truths.setdefault(place, truth) != truth:
                raise InputError(
                    f"{other.path} does not fit to {first.path}: problem {place[2]!r} "
                    f"of {place[0]!r} has other data"
                )
    with _new_store(out) as work, StoreWriter(work) as writer:
        manifest = first.manifest
        manifest.pop(SHARD, None)
        for store in opened:
            writer.add_table(store.table())
            for name in ("machines", FILES, "methods", "environments"):
                theirs_too = store.manifest.get(name, {})
                if theirs_too:
                    manifest[name] = manifest.get(name, {}) | theirs_too
            for file in sorted((store.path / TUNING).glob("*")):
                if file.is_file() and not file.is_symlink():
                    writer.write_file(f"{TUNING}/{file.name}", file.read_bytes())
        writer.compact()
        writer.write_file(TRUTH, truth_parquet(truths))
        writer.write_manifest(manifest)
    return Store(out)


@contextmanager
def _new_store(out: PathLike) -> Iterator[Path]:
    """Yield a folder that becomes `out` when it is complete."""
    target = Path(out)
    check_folder(target, STORE)
    if target.exists() and any(target.iterdir()):
        raise InputError(f"{out} is not empty; a new store gets a new folder")
    work = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield work
        (work / LOCK).unlink(missing_ok=True)
        if target.exists():
            target.rmdir()
        work.replace(target)
    except OSError as error:
        raise StoreError(f"cannot write {out}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


NUMBER = re.compile(r"[+-]?[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?", re.IGNORECASE)


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
        Time of the last request, in local time; empty if that was not noted.
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


class FailureKind(NamedTuple):
    """Runs of one method that failed alike.

    Attributes
    ----------
    method, version, status : str
    runs : int
        How many.
    message : str
        What the last of them said; the others differ from it in numbers only.
    problem : str
        The problem of the last one, as ``dataset: problem``.
    traceback : str
        Where that raised, see `child`; empty where it is not known.
    """

    method: str
    version: str
    status: str
    runs: int
    message: str
    problem: str
    traceback: str


def failure_kinds(store: Store) -> list[FailureKind]:
    """Return the failures of a store by method and kind, the most frequent first.

    Messages that differ in numbers only are of one kind.
    """
    columns = ["method", "version", "status", "message", "dataset", "problem"]
    table = store.table([*columns, "traceback"], {"status": STATUSES[1:]})
    found: dict[tuple[str, ...], FailureKind] = {}
    for row in table.to_pylist():
        kind = NUMBER.sub("#", row["message"])
        key = (row["method"], row["version"], row["status"], kind)
        before = found[key].runs if key in found else 0
        found[key] = FailureKind(
            *key[:3],
            before + 1,
            row["message"],
            f"{row['dataset']}: {row['problem']}",
            row["traceback"] or "",
        )
    return sorted(found.values(), key=lambda each: (each.method, -each.runs, each))

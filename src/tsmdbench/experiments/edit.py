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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from tsmdbench.benchmark import SPLITS
from tsmdbench.datasets.export import STORE, check_folder
from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.rows import FAULTS, SEED, STATUSES, open_parquet
from tsmdbench.experiments.settings import (
    TUNED,
    chosen_fields,
    tuned_toml,
    tuned_winners,
)
from tsmdbench.experiments.store import (
    FILES,
    LOCK,
    SHARD,
    Store,
    StoreWriter,
    locked,
    noted_since,
)
from tsmdbench.experiments.truth import PLACE, TRUTH, read_truth, truth_parquet
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice

TUNING = "tuning"
SETTINGS = ("tuned", "untuned")
ASIDE = ".damaged"
PRIVATE = ("host", "system")  # of the machine, not of the experiment
SMALLEST = 19  # level of compression of a packed store, which is written once
NUMBER = re.compile(r"[+-]?[0-9]+(?:[.][0-9]+)?(?:e[+-]?[0-9]+)?", re.IGNORECASE)


def remove_method(
    path: PathLike,
    method: str,
    version: str | None = None,
    *,
    setting: str | None = None,
    dry_run: bool = False,
) -> int:
    """Delete the runs of a method, or some of them; return how many.

    Without a `version` all are deleted, the method is no longer requested, and what was
    found by tuning it is deleted too. With a `setting` only the runs of the test split
    that have it: ``"untuned"``, all but the winner of the search on each dataset;
    ``"tuned"``, the winners; or values of fields as JSON, ``'{"length": 20}'``. The
    requests without, or with, a search then no longer contain the method.
    """
    store = Store(path)
    known = store.versions()
    fault, there = "", known.get(method, known)
    if method not in known:
        fault = f"method {method!r}"
    elif version is not None and version not in known[method]:
        fault = f"{method} in version {version!r}"
    if fault:
        raise InputError(
            f"{store.path} has no runs of {fault}; it has "
            f"{', '.join(there) or 'none at all'}"
        )
    where: dict[str, Any] = {"method": method}
    if version is not None:
        where["version"] = version
    if setting is not None:
        where = {"key": _keys_of_setting(store, where, setting)}
    if dry_run:
        return len(store.table(["key"], where))
    with StoreWriter(store.path) as writer:
        gone = writer.forget(where)
        manifest = store.manifest
        if setting in SETTINGS:
            _withdraw(manifest, method, tune=setting == "tuned")
        elif setting is None:
            history = manifest.get("versions", {})
            noted = history.get(method, ())
            kept = [entry for entry in noted if version not in (None, entry["version"])]
            others = {k: v for k, v in history.items() if k != method}
            manifest["versions"] = others | ({method: kept} if kept else {})
            if version is None:
                _withdraw(manifest, method)
                winners = tuned_winners(store.path)
                left = {k: v for k, v in winners.items() if k[0] != method}
                for file in _surfaces(store, [method]):
                    file.unlink()
                if left != winners:
                    writer.write_file(TUNED, tuned_toml(left).encode())
        writer.write_manifest(manifest)
    return gone


def _keys_of_setting(store: Store, where: dict[str, Any], setting: str) -> list[str]:
    """Return the keys of the test runs of a method that have a setting."""
    method, fields = where["method"], None
    winners = {
        d: won for (m, d), won in tuned_winners(store.path).items() if m == method
    }
    if setting in SETTINGS:
        if not winners:
            raise InputError(
                f"{store.path} has no search of {method}, so no setting is tuned; name "
                f"fields instead: --setting '{{\"length\": 20}}'"
            )
    else:
        with suppress(ValueError, RecursionError):
            fields = json.loads(setting)
        if not isinstance(fields, dict) or not fields:
            raise InputError(
                f"a setting must be 'tuned', 'untuned' or values of fields like "
                f"'{{\"length\": 20}}', got {setting!r:.80}"
            )
    keys = []
    rows = store.table(["key", "dataset", "parameters"], {**where, "split": "test"})
    for key, dataset, text in zip(*rows.to_pydict().values(), strict=True):
        given, won = json.loads(text), winners.get(dataset)
        has_won = won is not None and chosen_fields(given) == chosen_fields(won)
        fits = has_won == (setting == "tuned")
        if fields is not None:
            fits = fields.items() <= given.items()
        if fits:
            keys.append(key)
    if not keys:
        raise InputError(
            f"{store.path} has no test runs of {method} that are {setting}"
        )
    return keys


def _withdraw(
    manifest: dict[str, Any], method: str, *, tune: bool | None = None
) -> None:
    """Remove a method from the request, so that `resume` does not run it.

    With `tune`, only out of the requests with, or without, a search.
    """
    requests, kept = manifest["specifications"], []
    for one in requests:
        others = [name for name in one["methods"] if name != method]
        if tune is not None and one.get("tune", False) != tune:
            others = one["methods"]
        if others:
            kept.append({**one, "methods": others})
    if kept != requests:
        manifest["specifications"] = kept
        manifest["planned"] = []  # how many runs that are is no longer known


def _surfaces(store: Store, methods: Sequence[str]) -> list[Path]:
    """Return the files of the searches of some methods."""
    found = []
    for file in sorted((store.path / TUNING).glob("*.parquet")):
        with suppress(*FAULTS), open_parquet(file) as surface:
            table = surface.read(["method"], use_threads=False)
            of = set(table["method"].to_pylist())
            if of <= set(methods) and not file.is_symlink():
                found.append(file)
    return found


def _copy_searches(source: Store, methods: Sequence[str], writer: StoreWriter) -> None:
    """Copy the surfaces of some methods, and all winners, to another store."""
    for file in (*_surfaces(source, methods), source.path / TUNED):
        if file.is_file() and not file.is_symlink():
            writer.write_file(f"{TUNING}/{file.name}", file.read_bytes())


def set_aside(path: PathLike) -> dict[Path, str]:
    """Rename damaged parts to ``….damaged``; return the damage of each.

    Their runs are missing from the store afterwards, and `resume` does them again.
    Nothing is deleted.
    """
    store = Store(path)
    try:
        with locked(store.path):
            broken = store.damaged_parts()
            for part in broken:
                taken = len(list(part.parent.glob(f"{part.name}{ASIDE}*")))
                number = f"{taken + 1}" if taken else ""
                part.rename(part.with_name(part.name + ASIDE + number))
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
    """Write the runs of one split of a store, or of some methods in it, to a new one.

    The searches of these methods and what was requested of them are kept.
    """
    check_choice(split, "split", SPLITS)
    source = Store(store)
    methods = list(source.versions()) if methods is None else methods
    rows = source.table(where={"split": split, "method": methods})
    if not len(rows):
        raise InputError(f"{source.path} has no runs of split {split!r}")
    truths = {k: t for k, t in read_truth(source.path).items() if k[1] == split}
    ran = zip(*(rows[name].to_pylist() for name in PLACE), strict=True)
    if lacking := sorted(set(ran) - set(truths)):
        raise InputError(
            f"{source.path} does not have the truth of {lacking[0][2]!r}; 'tsmdbench "
            f"resume {source.path}' adds it"
        )
    manifest, counts = source.manifest, source.counts()
    manifest.pop(FILES, None)  # paths of this machine
    requests = manifest["specifications"]
    requests = [one for one in requests if set(one["methods"]) & set(methods)]
    for one in requests:
        if (one.get("environment") or {}).get("python"):
            one["environment"]["python"] = "python"
    settings: dict[str, dict[str, list[Any]]] = {}  # mostly one for each dataset
    columns = (rows[name].to_pylist() for name in ("method", "dataset", "parameters"))
    for method, dataset, text in sorted(set(zip(*columns, strict=True))):
        by_dataset = settings.setdefault(method, {})
        by_dataset.setdefault(dataset, []).append(json.loads(text))
    made_by = manifest.get("made_by", {})
    manifest |= {
        "specifications": requests,
        "made_by": {k: v for k, v in made_by.items() if k not in PRIVATE},
        "packed": {
            "split": split,
            "runs": len(rows),
            "runs_left_out": sum(n for what, n in counts.items() if what[1] != split),
            "failures": [[*w, n] for w, n in sorted(counts.items()) if w[3] != "ok"],
            "settings": settings,
        },
    }
    with _new_store(out) as work, StoreWriter(work) as writer:
        writer.add_table(rows)
        writer.compact(SMALLEST)
        writer.write_file(TRUTH, truth_parquet(truths))
        _copy_searches(source, methods, writer)
        writer.write_manifest(manifest)
    return Store(out)


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
    versions, truths = first.versions(), read_truth(first.path)
    for other in opened[1:]:
        fault = ""
        if other.specifications != first.specifications:
            fault = "it was made by another request"
        for method, theirs in other.versions().items():
            ours = versions.setdefault(method, theirs)
            if ours != theirs:
                fault = (
                    f"the code of {method} is version {theirs[-1]} there, and "
                    f"{ours[-1]} here"
                )
        for place, truth in read_truth(other.path).items():
            if truths.setdefault(place, truth) != truth:
                fault = f"problem {place[2]!r} of {place[0]!r} has other data"
        if fault:
            raise InputError(f"{other.path} does not fit to {first.path}: {fault}")
    with _new_store(out) as work, StoreWriter(work) as writer:
        manifest = first.manifest
        manifest.pop(SHARD, None)
        for store in opened:
            writer.add_table(store.table())
            for name in ("machines", FILES, "methods", "environments"):
                if theirs_too := store.manifest.get(name):
                    manifest[name] = manifest.get(name, {}) | theirs_too
            _copy_searches(store, list(versions), writer)
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


class Contents(NamedTuple):
    """The runs of one version of a method, those of searches included."""

    method: str
    version: str
    newest: bool  # whether this version is what a leaderboard shows
    runs: int
    failed: int
    datasets: int
    seeds: int  # different values of the field `seed`
    since: str  # local time of the last request; empty if that was not noted


def contents(store: Store) -> list[Contents]:
    """Return the content of a store by method and version, newest last."""
    names = ["method", "version", "status", "dataset", "parameters"]
    runs = store.table(names).to_pandas()
    groups = dict(iter(runs.groupby(["method", "version"])))
    manifest = store.manifest
    found = []
    for method, versions in store.versions().items():
        for version in versions:
            mine = groups[method, version]
            settings = map(json.loads, mine["parameters"].unique())
            seeds = {json.dumps(one[SEED]) for one in settings if SEED in one}
            failed = int((mine["status"] != "ok").sum())
            numbers = len(mine), failed, mine["dataset"].nunique(), len(seeds)
            newest, since = versions[-1], noted_since(manifest, method, version)
            found.append(Contents(method, version, version == newest, *numbers, since))
    return found


class FailureKind(NamedTuple):
    """Runs of one method that failed alike; the last of them is the example."""

    method: str
    version: str
    status: str
    runs: int
    message: str
    problem: str  # as ``dataset: problem``
    traceback: str  # empty where it is not known


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
        runs = found[key].runs + 1 if key in found else 1
        where = f"{row['dataset']}: {row['problem']}"
        last = (row["message"], where, row["traceback"] or "")
        found[key] = FailureKind(*key[:3], runs, *last)
    return sorted(found.values(), key=lambda each: (each.method, -each.runs, each))

"""Pack a store: the runs of one split in one file, to be published.

What is kept: the rows of the split, the truth of its problems, the surfaces of the grid
searches and the settings that won them, and a manifest that says how all of it was
made. What is left out: the single runs of the searches, which are many times more, and
the name of the machine.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tsmdbench.benchmark import SPLITS
from tsmdbench.datasets.export import STORE, check_folder
from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.store.store import Store, StoreWriter
from tsmdbench.experiments.store.truth import TRUTH, read_truth, truth_parquet
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice

PRIVATE = ("host", "system")  # of the machine, not of the experiment


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
    target = Path(out)
    check_folder(target, STORE)
    if target.exists() and any(target.iterdir()):
        raise InputError(f"{out} is not empty; a packed store gets a new folder")
    # Under another name until it is complete: a failure leaves nothing behind.
    work = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        _write(source, rows, split, work, methods)
        if target.exists():
            target.rmdir()
        work.replace(target)
    except OSError as error:
        raise StoreError(f"cannot write {out}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
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
    """Tell whether a file of the searches is about some methods, or about all."""
    if methods is None or surface.suffix != ".parquet":
        return True
    found = pq.read_table(surface, columns=["method"])["method"].to_pylist()
    return set(found) <= set(methods)


def _manifest(
    source: Store, split: str, rows: Any, methods: Sequence[str] | None
) -> dict[str, Any]:
    """Return the manifest, with what packing left out and what had failed."""
    manifest = source.manifest
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

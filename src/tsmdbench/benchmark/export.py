"""Write problems to files, and read them back.

A folder holds one Parquet file per dataset and split, ``<dataset>-<split>.parquet``:
the columns ``name``, ``channels``, ``series`` (samples in order of time, channels side
by side), ``truth`` (set, start, end), ``recipe`` (part, row) and ``sha256``; and a
``manifest.json`` with the versions, the hash of the recipes, the SHA-256 of every
series, and how many of these equal the frozen ones (fewer than all where the copy of
the archive keeps other digits). The same recipes and data give the same files.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.archive.cache import read_table, require_pyarrow
from tsmdbench.benchmark.folder_kinds import PROBLEMS, check_folder, folder_kind
from tsmdbench.benchmark.recordings import Recordings
from tsmdbench.benchmark.suite import Benchmark, series_sha256
from tsmdbench.errors import DataError
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.types import MotifSet, Problem

MANIFEST = "manifest.json"
PACKAGES = ("tsmdbench", "numpy", "pyarrow")


def write_benchmarks(
    benchmarks: Iterable[Benchmark | Recordings], folder: PathLike
) -> list[Path]:
    """Write benchmarks and the manifest into a folder; return the files written.

    The manifest comes last: a file that it does not name was not finished. Files of
    other datasets that are in the folder keep their entries.

    Raises
    ------
    InputError
        The folder is a store or a report.
    """
    target = Path(folder)
    check_folder(target, PROBLEMS)
    target.mkdir(parents=True, exist_ok=True)
    written = []
    entries = _known(target)
    for bench in benchmarks:
        problems = list(bench)
        file = target / f"{bench.name}-{bench.split}.parquet"
        hashes = [series_sha256(problem.series).hex() for problem in problems]
        write_atomically(file, _parquet(problems, hashes))
        written.append(file)
        entries[file.name] = _entry(bench, hashes)
    manifest = {
        "versions": {name: version(name) for name in PACKAGES}
        | {"python": platform.python_version()},
        "files": entries,
    }
    file = target / MANIFEST
    write_atomically(file, (json.dumps(manifest, indent=1) + "\n").encode())
    return [*written, file]


def _known(folder: Path) -> dict[str, Any]:
    """Return the entries of the files that a folder has."""
    if folder_kind(folder) != PROBLEMS:
        return {}
    files = json.loads((folder / MANIFEST).read_bytes())["files"]
    if not isinstance(files, dict):
        raise DataError(f"{folder / MANIFEST} is damaged: its list of files is invalid")
    return {name: entry for name, entry in files.items() if (folder / name).is_file()}


def read_problems(path: PathLike) -> tuple[Problem, ...]:
    """Read the problems of one file that `write_benchmarks` wrote.

    Raises
    ------
    DataError
        The file is not of this kind, or a series does not have the hash beside it.
    """
    file = Path(path)
    arrow = require_pyarrow()
    try:
        if file.exists() and not file.is_file():
            raise OSError("it is not a regular file")
        rows = read_table(file.read_bytes()).to_pylist()
        return tuple(_problem(row, file) for row in rows)
    except DataError:
        raise
    except (arrow.ArrowException, OSError, KeyError, TypeError, ValueError) as cause:
        raise DataError(f"{file}: not a file of problems ({cause})") from None


def _entry(bench: Benchmark | Recordings, hashes: list[str]) -> dict[str, Any]:
    return {
        "dataset": bench.name,
        "split": bench.split,
        "problems": len(bench),
        "recipes": _origin(bench),
        "recipe_sha256": bench.recipe_sha256,
        "normalize": bench.normalize,
        "noise": None if bench.noise is None else bench.noise._asdict(),
        "equal_to_frozen": sum(
            digest == frozen.hex()
            for digest, frozen in zip(hashes, bench.hashes, strict=False)
        ),
        "series_sha256": hashes,
    }


def _origin(bench: Benchmark | Recordings) -> str:
    if bench.frozen:
        return "frozen"
    return "recordings" if isinstance(bench, Recordings) else "drawn here"


def _parquet(problems: list[Problem], hashes: list[str]) -> bytes:
    arrow = require_pyarrow()
    rows = [
        {
            "name": problem.name,
            "channels": 1 if problem.series.ndim == 1 else problem.series.shape[1],
            "series": problem.series.ravel(),
            "truth": [
                {"set": str(label), "start": start, "end": end}
                for label, motifs in problem.truth.items()
                for start, end in motifs
            ],
            "recipe": [{"part": part, "row": row} for part, row in problem.recipe],
            "sha256": digest,
        }
        for problem, digest in zip(problems, hashes, strict=True)
    ]
    integer, text = arrow.int64(), arrow.string()
    segment = arrow.struct({"set": text, "start": integer, "end": integer})
    instance = arrow.struct({"part": text, "row": integer})
    schema = arrow.schema(
        {
            "name": text,
            "channels": arrow.int32(),
            "series": arrow.list_(arrow.float64()),
            "truth": arrow.list_(segment),
            "recipe": arrow.list_(instance),
            "sha256": text,
        }
    )
    sink = arrow.BufferOutputStream()
    table = arrow.Table.from_pylist(rows, schema)
    arrow.parquet.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def _problem(row: dict[str, Any], file: Path) -> Problem:
    series = np.array(row["series"], dtype=np.float64)
    if row["channels"] > 1:
        series = series.reshape(-1, row["channels"])
    if series_sha256(series).hex() != row["sha256"]:
        raise DataError(f"{file}: the series of {row['name']} is damaged")
    segments: dict[str, list[tuple[int, int]]] = {}
    for part in row["truth"]:
        segments.setdefault(part["set"], []).append((part["start"], part["end"]))
    return Problem(
        series,
        {label: MotifSet(found) for label, found in segments.items()},
        row["name"],
        tuple((part["part"], part["row"]) for part in row["recipe"]),
    )

"""Write problems to files, read them back, and give them an identity.

A folder holds one Parquet file per dataset and split, ``<dataset>-<split>.parquet``:
the columns ``name``, ``channels``, ``series`` (samples in order of time, channels side
by side), ``truth`` (set, start, end and, if sets have channels, the channel, start and
end in each), ``recipe`` (part, row) and ``sha256`` of series and truth; and a
``manifest.json`` with the versions, the seed and options, the hash of the recipes, the
SHA-256 of every series, and how many of these equal the frozen ones (fewer than all
where the copy of the archive keeps other digits). The same recipes and data give the
same files.

The identity of a benchmark, ``name@hash``, is computed from the ``sha256`` of all its
problems, so it is the same wherever the files are. Reading compares series and truth
with their hash: what was edited is refused.

Kinds of folders
----------------
No command writes over the content of another. Stores, folders of problems and reports
are distinguished by their files. A folder that holds something else is of no kind, and
only commands that make new folders refuse it.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.datasets.recordings import Recordings
from tsmdbench.datasets.suite import Benchmark, series_sha256
from tsmdbench.errors import DataError, InputError
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.io.files import parquet_bytes, pyarrow, read_table
from tsmdbench.types import Label, MotifSet, Problem

MANIFEST = "manifest.json"
PACKAGES = ("tsmdbench", "numpy", "pyarrow")
SPLITS = ("all", "test", "validation")
IDENTITY = 12  # hexadecimal digits of an identity
FORBIDDEN = "/\\@?:"  # characters that follow or precede a name
STORE = "a store"
PROBLEMS = "a folder of problems"
REPORT = "a report"
LONGEST = 256 * 2**20  # bytes of a manifest


def write_benchmarks(
    benchmarks: Iterable[Benchmark | Recordings], folder: PathLike
) -> list[Path]:
    """Write benchmarks and the manifest into a folder; return the files written.

    The manifest comes last: a file that it does not name was not finished. Files of
    other datasets that are in the folder keep their entries.

    Raises
    ------
    InputError
        The folder is a store or a report, or a name cannot be that of a file.
    """
    target = Path(folder)
    check_folder(target, PROBLEMS)
    benchmarks = list(benchmarks)
    for bench in benchmarks:
        if not bench.name or set(bench.name) & set(FORBIDDEN):
            raise InputError(
                f"the name of a benchmark must not be empty or contain one of "
                f"{' '.join(FORBIDDEN)}, got {bench.name!r}"
            )
    target.mkdir(parents=True, exist_ok=True)
    entries: dict[str, Any] = {}
    if folder_kind(target) == PROBLEMS:
        entries = json.loads((target / MANIFEST).read_bytes())["files"]
        if not isinstance(entries, dict):
            raise DataError(
                f"{target / MANIFEST} is damaged: its list of files is invalid"
            )
        entries = {name: e for name, e in entries.items() if (target / name).is_file()}
    written = []
    for bench in benchmarks:
        problems = list(bench)
        hashes = map(problem_sha256, problems)
        file = target / f"{bench.name}-{bench.split}.parquet"
        write_atomically(file, _parquet(problems))
        written.append(file)
        drawn = "recordings" if isinstance(bench, Recordings) else "drawn here"
        series = [series_sha256(problem.series).hex() for problem in problems]
        entries[file.name] = {
            "dataset": bench.name,
            "split": bench.split,
            "problems": len(bench),
            "sha256": _together(hashes, (problem.name for problem in problems)),
            "recipes": "frozen" if bench.frozen else drawn,
            "recipe_sha256": bench.recipe_sha256,
            "options": dict(bench.options),
            "equal_to_frozen": sum(
                digest == frozen.hex()
                for digest, frozen in zip(series, bench.hashes, strict=False)
            ),
            "series_sha256": series,
        }
    versions = {name: version(name) for name in PACKAGES}
    manifest = {
        "versions": versions | {"python": platform.python_version()},
        "files": entries,
    }
    text = json.dumps(manifest, indent=1, default=str) + "\n"
    write_atomically(target / MANIFEST, text.encode())
    return [*written, target / MANIFEST]


def read_problems(path: PathLike) -> tuple[Problem, ...]:
    """Read the problems of one file that `write_benchmarks` wrote.

    Raises
    ------
    DataError
        The file is not of this kind, or a problem does not have the hash beside it.
    """
    return tuple(_problem(row, Path(path)) for row in _rows(Path(path)))


def benchmark_identity(folder: PathLike, name: str) -> str:
    """Return ``name@hash``, the identity of a benchmark in a folder.

    The hash is computed from those beside the problems, which `read_problems` checks.
    """
    digest = hashlib.sha256()
    files = split_files(folder, name)
    if not files:
        raise DataError(f"{folder} has no problems of {name!r}")
    for split, file in files.items():
        rows = _rows(file, ["name", "sha256"])
        hashes, names = (row["sha256"] for row in rows), (row["name"] for row in rows)
        digest.update(f"{split} {_together(hashes, names)}\n".encode())
    return f"{name}@{digest.hexdigest()[:IDENTITY]}"


def split_files(folder: PathLike, name: str) -> dict[str, Path]:
    """Return the files of a benchmark by split."""
    files = {split: Path(folder) / f"{name}-{split}.parquet" for split in SPLITS}
    return {split: file for split, file in files.items() if file.is_file()}


def check_benchmarks(folder: PathLike) -> dict[str, int]:
    """Check the files that `write_benchmarks` wrote into a folder.

    Returns
    -------
    dict of str to int
        Identity of each benchmark, and its number of problems.

    Raises
    ------
    DataError
        A file is missing or damaged, a problem was edited, or a file is not the one
        that the manifest describes.
    """
    root = Path(folder)
    if folder_kind(root) != PROBLEMS:
        raise DataError(f"{root} is not a folder that 'tsmdbench build' wrote")
    sizes: dict[str, int] = {}
    for file, entry in json.loads((root / MANIFEST).read_bytes())["files"].items():
        problems = read_problems(root / file)
        found = _together(map(problem_sha256, problems), (p.name for p in problems))
        if not isinstance(entry, dict) or found != entry.get("sha256"):
            raise DataError(
                f"{root / file} is not the file that {MANIFEST} describes: problems "
                f"were replaced; build it again"
            )
        name = str(entry["dataset"])
        sizes[name] = sizes.get(name, 0) + len(problems)
    return {benchmark_identity(root, name): size for name, size in sizes.items()}


def problem_sha256(problem: Problem) -> str:
    """Return the SHA-256 of series and truth, labels included."""
    truth = [[str(label), motifs.to_rows()] for label, motifs in problem.truth.items()]
    text = json.dumps(truth, ensure_ascii=True).encode()
    return hashlib.sha256(series_sha256(problem.series) + text).hexdigest()


def _together(hashes: Iterable[str], names: Iterable[str]) -> str:
    """Return the SHA-256 of all problems of a file, in order."""
    pairs = zip(hashes, names, strict=True)
    lines = "".join(f"{digest} {name}\n" for digest, name in pairs)
    return hashlib.sha256(lines.encode()).hexdigest()


def _rows(file: Path, columns: list[str] | None = None) -> list[dict[str, Any]]:
    arrow = pyarrow("a file of problems")
    try:
        if file.exists() and not file.is_file():
            raise OSError("it is not a regular file")
        rows: list[dict[str, Any]] = read_table(file, columns).to_pylist()
        if rows and not {"name", "sha256"} <= rows[0].keys():
            raise ValueError("it lacks the columns name and sha256")
    except (arrow.ArrowException, OSError, TypeError, ValueError) as cause:
        raise DataError(f"{file}: not a file of problems ({cause})") from None
    return rows


def _parquet(problems: list[Problem]) -> bytes:
    arrow = pyarrow("a file of problems")
    in_channels = any(
        motifs.channels is not None for p in problems for motifs in p.truth.values()
    )
    rows = [
        {
            "name": problem.name,
            "channels": 1 if problem.series.ndim == 1 else problem.series.shape[1],
            "series": problem.series.ravel(),
            "truth": [
                {"set": str(label), "start": start, "end": end, "intervals": rest}
                for label, motifs in problem.truth.items()
                for start, end, *rest in motifs.to_rows()
            ],
            "recipe": [{"part": part, "row": row} for part, row in problem.recipe],
            "sha256": problem_sha256(problem),
        }
        for problem in problems
    ]
    integer, text = arrow.int64(), arrow.string()
    numbers = {"start": integer, "end": integer}
    if in_channels:
        numbers["intervals"] = arrow.list_(integer)
    segment = arrow.struct({"set": text, **numbers})
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
    return parquet_bytes(arrow.Table.from_pylist(rows, schema), compression="zstd")


def _problem(row: dict[str, Any], file: Path) -> Problem:
    try:
        series = np.array(row["series"], dtype=np.float64)
        if row["channels"] > 1:
            series = series.reshape(-1, row["channels"])
        motifs: dict[Label, list[list[int]]] = {}
        for part in row["truth"]:
            numbers = [part["start"], part["end"], *part.get("intervals", ())]
            motifs.setdefault(part["set"], []).append(numbers)
        problem = Problem(
            series,
            {label: MotifSet.from_rows(found) for label, found in motifs.items()},
            row["name"],
            tuple((part["part"], part["row"]) for part in row["recipe"]),
        )
    except (KeyError, TypeError, ValueError) as cause:
        raise DataError(f"{file}: not a file of problems ({cause})") from None
    if problem_sha256(problem) != row["sha256"]:
        raise DataError(
            f"{file}: series or truth of {row['name']} are not what was written; "
            f"build it again, from changed data if they should change"
        )
    return problem


def folder_kind(folder: PathLike) -> str | None:
    """Return what a folder holds; None if it is not there or of no known kind."""
    path = Path(folder)
    if not path.is_dir():
        return None
    if next(path.glob("runs-*-*.parquet"), None) is not None:
        return STORE
    manifest: Any = {}
    file = path / MANIFEST
    with suppress(OSError, ValueError, RecursionError):  # then it is of no known kind
        if file.is_file() and file.stat().st_size <= LONGEST:
            manifest = json.loads(file.read_bytes())
    manifest = manifest if isinstance(manifest, dict) else {}
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

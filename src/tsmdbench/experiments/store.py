"""The store: a folder of Parquet parts with a row per run, and a manifest.

`Store` reads, lazily and by column, also while a process writes. `StoreWriter` adds
rows; there is one at a time (`locked`). What `StoreWriter.flush` has returned from is
on the disk. Scores are not stored: they are computed from what was found, so a new
metric needs no old run again.

Layout
------
``manifest.json``
    The requests, and the versions and hosts that ran them (`MANIFEST_SHAPE`).
``runs-FIRST-LAST.parquet``
    The rows, see `tsmdbench.experiments.rows`.
``tuning/``
    Surfaces of grid searches, see `tsmdbench.experiments.settings`.
``truth.parquet``
    Ground truth of the problems, see `tsmdbench.experiments.truth`.
``lock``
    A lock of the operating system, which ends with its holder. While a process writes,
    the file says who: process, host and begin, as JSON; it is empty otherwise.

Rows have no date. The manifest therefore notes when a version of a method was requested
last: under ``versions``, for each method, a list of ``{"version": ..., "since": ...}``,
the latest at the end. Versions that are not in it count as older than those that are,
and among each other by their numbers.

Nothing in it is pickled: reading a store cannot run code.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
from filelock import FileLock, Timeout

from tsmdbench.datasets.export import STORE, check_folder
from tsmdbench.errors import DataError, InputError, StoreError
from tsmdbench.experiments import rows as parts
from tsmdbench.experiments.rows import SCHEMA, Where, without_seed
from tsmdbench.experiments.truth import read_truth
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import PathLike
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_shape

if TYPE_CHECKING:
    from tsmdbench.metrics import Explanation

FORMAT = 1
MANIFEST = "manifest.json"
LONGEST_MANIFEST = 64 * 2**20  # bytes; one of a large experiment has some kilobytes
SHARD = "shard"  # field: which part of the request the store is for
FILES = "files"  # field: where methods and datasets of the user's own files are
# The fields that are read; all but the first two may be absent. See `check_shape`.
MANIFEST_SHAPE: dict[str, Any] = {
    "format": int,
    "specifications": [
        {"datasets": [str], "methods": [str], "limits": {...: (int, float)}}
    ],
    "planned": [int],
    "versions": {...: [{"version": str, "since": str}]},
    SHARD: str,
    **dict.fromkeys(("datasets", "made_by", "packed", "methods", "machines"), dict),
    **dict.fromkeys(("environments", FILES), dict),
}
MERGE = 64  # parts of one flush each that are merged into one
TRIES = 5  # readings of a store in which a merge goes on
LOCK = "lock"
LONGEST_HOLDER = 4096  # bytes that are read of who holds a lock
NEWEST, ALL = "newest", "all"  # which versions of a method
History = dict[str, list[dict[str, str]]]


class Store:
    """Read a store. It can be given wherever the path of a store can.

    Parameters
    ----------
    path : path
        The folder.

    Raises
    ------
    InputError
        The folder is not a store.
    StoreError
        On reading: a part is damaged; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> with StoreWriter(Path(tempfile.mkdtemp()) / "new") as writer:
    ...     path = writer.path
    >>> store = Store(path)
    >>> len(store), store.table(["key", "seconds"]).column_names
    (0, ['key', 'seconds'])
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise InputError(f"{self.path} is not a store: there is no such folder")
        if not (self.path / MANIFEST).is_file():
            raise InputError(f"{self.path} is not a store: it has no {MANIFEST}")

    @property
    def manifest(self) -> dict[str, Any]:
        """The requests, and the versions and hosts that ran them."""
        return read_manifest(self.path / MANIFEST)

    @property
    def specifications(self) -> list[Any]:
        """The requests, one by one."""
        kept: list[Any] = self.manifest["specifications"]
        return kept

    def parts(self) -> list[Path]:
        """Return the files that hold the rows."""
        return parts.live_parts(self.path)

    def dataset(self) -> Any:
        """Return the files as an Arrow dataset: lazy, for queries of one's own.

        Its rows have no key, and motif sets in the form of files (`packed_sets`).
        """
        import pyarrow.dataset as pds

        options = pds.ParquetFragmentScanOptions(page_checksum_verification=True)
        return pds.dataset(
            [str(part) for part in self.parts()],
            schema=parts.STORED,
            format=pds.ParquetFileFormat(default_fragment_scan_options=options),
        )

    def table(
        self, columns: Sequence[str] | None = None, where: Where | None = None
    ) -> pa.Table:
        """Return rows, in no particular order.

        Parameters
        ----------
        columns : sequence of str, optional
            Only these are read; by default all.
        where : mapping, optional
            Only rows that have these values: column to a value, or to several of which
            one will do: ``{"method": "locomotif", "status": ["ok", "timeout"]}``.
        """
        wanted = list(SCHEMA.names if columns is None else columns)
        for attempt in range(TRIES):
            before = self.parts()
            if not before:
                break
            try:
                return pa.concat_tables(
                    [parts.read_part(part, wanted, where) for part in before]
                )
            except parts.FAULTS as error:
                # A merge removes files after it has written their rows.
                if before == self.parts() or attempt == TRIES - 1:
                    raise self._explained(error) from None
        return SCHEMA.empty_table().select(wanted)

    def keys(self) -> set[str]:
        """Return the keys of all runs that are done."""
        return set(self.table(["key"])["key"].to_pylist())

    def counts(self) -> Counter[tuple[str, str, str, str]]:
        """Return how many rows there are by dataset, split, method and status."""
        names = ["dataset", "split", "method", "status"]
        table = self.table(names)
        return Counter(zip(*(table[name].to_pylist() for name in names), strict=True))

    def _repr_html_(self) -> str:
        """Show how many runs there are of what, in a notebook."""
        counts = self.counts()
        groups = sorted({(d, s, m) for d, s, m, _ in counts})
        ended = sorted({status for *_, status in counts})
        rows = [[*group, *(counts[(*group, e)] for e in ended)] for group in groups]
        table = html_table(["dataset", "split", "method", *ended], rows, left=range(3))
        said = f"{self.path}: {counted(len(self), 'run')}"
        return html_block(html_lines([said]), table)

    def versions(self, where: Where | None = None) -> dict[str, tuple[str, ...]]:
        """Return the versions of each method that has rows, the newest last."""
        table = self.table(["method", "version"], where)
        pairs = table.group_by(["method", "version"], use_threads=False).aggregate([])
        history = self.manifest.get("versions", {})
        found: dict[str, list[Any]] = {}
        for method, version in zip(*pairs.to_pydict().values(), strict=True):
            noted = [entry["version"] for entry in history.get(method, ())]
            age = noted.index(version) if version in noted else -1
            order = age, version_numbers(version), version
            found.setdefault(method, []).append(order)
        return {m: tuple(v for *_, v in sorted(found[m])) for m in sorted(found)}

    def explain(
        self,
        problem: str | int = 0,
        method: str | None = None,
        dataset: str | None = None,
        *,
        split: str = "test",
        version: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        threshold: float = 0.5,
        tau: float | None = None,
    ) -> Explanation:
        """Explain the result of a method on one problem.

        Parameters
        ----------
        problem : str or int
            Its name, or its place among the problems of the dataset.
        method : str, optional
            Name, or the class in ``module:Class``; needed if there are several.
        dataset : str, optional
            Needed if there are several and `problem` is a number.
        split : {"test", "validation"}
        version : str, optional
            Of the method; by default the newest.
        parameters : mapping, optional
            Some parameters of the run, where the method ran with several settings.
        threshold : float, default 0.5
            Overlap rate that a match must exceed.
        tau : float, optional
            Explain subspace PROM with this threshold of channels.

        Raises
        ------
        InputError
            There is no such run, or there are several.
        DataError
            The run failed.
        """
        from tsmdbench.metrics import explain

        columns = ["dataset", "problem", "method", "version", "parameters", "status"]
        rows = self.table([*columns, "message", "found"], {"split": split}).to_pylist()
        if not rows:
            raise InputError(f"{self.path} has no run in split {split!r}")
        if isinstance(problem, str):
            places = {row["problem"]: row["dataset"] for row in reversed(rows)}
            dataset = dataset or places.get(problem)
        rows = _only(rows, "dataset", dataset)
        names = sorted({row["problem"] for row in rows})
        if isinstance(problem, int):
            if not -len(names) <= problem < len(names):
                raise InputError(
                    f"problem must be below {len(names)}, the number of problems of "
                    f"{rows[0]['dataset']!r}, got {problem}"
                )
            problem = str(names[problem])
        rows = _only(rows, "problem", problem)
        classes = {row["method"].rpartition(":")[2]: row["method"] for row in rows}
        rows = _only(rows, "method", method and classes.get(method, method))
        newest = self.versions({"split": split})[rows[0]["method"]]
        own = {row["version"] for row in rows}
        rows = _only(rows, "version", version or [v for v in newest if v in own][-1])
        wanted, known = dict(parameters or {}), [row["parameters"] for row in rows]
        rows = [
            r for r in rows if wanted.items() <= json.loads(r["parameters"]).items()
        ]
        settings = sorted({without_seed(row["parameters"]) for row in rows})
        if len(settings) != 1:
            raise InputError(
                f"{len(settings)} settings of the method fit {wanted}; name parameters "
                f"(--set) that one has: {'; '.join(settings or known)}"
            )
        row = min(rows, key=lambda row: str(row["parameters"]))
        if row["status"] != "ok":
            raise DataError(
                f"{row['method']} failed on {problem!r} ({row['status']}): "
                f"{row['message']}"
            )
        truth = read_truth(self.path).get((row["dataset"], split, row["problem"]))
        if truth is None:
            raise DataError(
                f"{self.path} does not have the truth of {problem!r}; 'tsmdbench "
                f"resume {self.path}' adds it"
            )
        sets = map(MotifSet.from_rows, truth.sets)
        return explain(
            dict(zip(truth.labels, sets, strict=True)),
            row["found"],
            threshold=threshold,
            tau=tau,
            n_channels=None if tau is None else truth.channels,
        )

    def __len__(self) -> int:
        return len(self.table(["status"]))

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"<store {self.path}>"

    def damaged_parts(self) -> dict[Path, str]:
        """Read every part completely; return the damage of each that is damaged."""
        faults = {part: parts.damage(part) for part in self.parts()}
        return {part: fault for part, fault in faults.items() if fault is not None}

    def _explained(self, error: Exception) -> StoreError:
        broken = self.damaged_parts()
        if not broken:
            return StoreError(f"{self.path} cannot be read: {error}")
        return StoreError(
            f"{', '.join(map(str, broken))}: damaged ({next(iter(broken.values()))}); "
            f"'tsmdbench store repair {self.path}' renames it, 'tsmdbench resume "
            f"{self.path}' then repeats its runs"
        )


def _only(
    rows: list[dict[str, Any]], column: str, wanted: str | None
) -> list[dict[str, Any]]:
    """Keep the rows of one value of a column; raise unless it is clear which."""
    known = sorted({row[column] for row in rows})
    if wanted is None and len(known) == 1:
        return rows
    if wanted not in known:
        shown = f"{', '.join(known[:20])}{' ...' if len(known) > 20 else ''}"
        start = f"there is no run of {column} {wanted!r}"
        start = f"name the {column}" if wanted is None else start
        raise InputError(f"{start}; there are: {shown or 'none'}")
    return [row for row in rows if row[column] == wanted]


class StoreWriter:
    """Add rows to a store, as a context; creates the store where there is none.

    A run that is in the store is not added again. Rows count as stored when `flush` has
    returned. Raises `StoreError` where the store is locked, damaged, or cannot be
    written: no space, no permission.
    """

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        self.took_over = ""
        self._stack = ExitStack()
        self._buffer: list[Mapping[str, Any]] = []

    def __enter__(self) -> Self:
        with self._stack as opened:
            with self._explaining():
                check_folder(self.path, STORE)
                holds = {file.name for file in self.path.glob("*")}
                known = {LOCK, MANIFEST} & holds
                if holds and not known and not parts.live_parts(self.path):
                    raise InputError(
                        f"{self.path} is not empty and is not a store; choose another "
                        f"folder"
                    )
                self.path.mkdir(parents=True, exist_ok=True)
                self.took_over = opened.enter_context(locked(self.path))
                parts.sweep_up(self.path)
            if not (self.path / MANIFEST).exists():
                self.write_manifest({"format": FORMAT, "specifications": []})
            self.done = Store(self.path).keys()
            live = parts.live_parts(self.path)
            self._next = parts.part_range(live[-1])[1] + 1 if live else 0
            self._stack = opened.pop_all()
        return self

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        """Replace the manifest."""
        text = json.dumps(manifest, indent=1) + "\n"
        self.write_file(MANIFEST, text.encode())

    def write_file(self, name: str, data: bytes) -> None:
        """Write a file beside the parts, whole or not at all."""
        file = self.path / name
        with self._explaining():
            file.parent.mkdir(exist_ok=True)
            parts.write_durably(file, data)

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Take rows; those of runs that are in the store are left out."""
        for row in rows:
            if row["key"] not in self.done:
                self.done.add(row["key"])
                self._buffer.append(row)

    def add_table(self, rows: pa.Table) -> None:
        """Write the rows of a table at once; those of known runs are left out."""
        keys = rows["key"].to_pylist()
        new = rows.filter(pa.array([key not in self.done for key in keys], pa.bool_()))
        self.done.update(keys)
        self._write(new)

    def flush(self) -> None:
        """Write pending rows; merge the last `MERGE` parts if each is of one flush."""
        self._write(pa.Table.from_pylist(self._buffer, schema=SCHEMA))
        self._buffer = []
        with self._explaining():
            tail = parts.live_parts(self.path)[-MERGE:]
            ranges = [parts.part_range(part) for part in tail]
            if len(tail) == MERGE and all(first == last for first, last in ranges):
                parts.merge_parts(self.path, tail)

    def _write(self, rows: pa.Table) -> None:
        """Write a part."""
        if len(rows):
            with self._explaining():
                parts.write_part(self.path, self._next, self._next, rows)
            self._next += 1

    def compact(self, level: int | None = None) -> None:
        """Merge all parts, sorted by what was run: for the end of an experiment.

        With a `level` of compression one part is written again, too.
        """
        with self._explaining():
            live = parts.live_parts(self.path)
            if len(live) > 1 or (live and level is not None):
                parts.merge_parts(self.path, live, level=level)

    def forget(self, where: Where) -> int:
        """Take out the runs that have these values, see `Store.table`; count them."""
        before = len(self.done)
        with self._explaining():
            live = parts.live_parts(self.path)
            if live:
                parts.merge_parts(self.path, live, where)
        self.done = Store(self.path).keys()
        return before - len(self.done)

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        with self._stack:
            if kind is None or not issubclass(kind, StoreError):
                self.flush()

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise `StoreError` for an error of the disk: what is lost, what to do."""
        try:
            yield
        except OSError as error:
            lost = len(self._buffer)
            again = f"; {lost} finished runs were not stored and will run again"
            raise StoreError(
                f"cannot write to {self.path}: {error.strerror or error}"
                f"{again * bool(lost)}. What was stored before is intact: fix the "
                f"cause, then 'tsmdbench resume {self.path}'"
            ) from None


def read_manifest(file: Path) -> dict[str, Any]:
    """Return the manifest; raise `StoreError` where it is damaged, or is none."""
    try:
        if file.stat().st_size > LONGEST_MANIFEST:
            raise InputError(f"it has more than {LONGEST_MANIFEST} bytes")
        manifest: dict[str, Any] = json.loads(file.read_bytes())
        json.dumps(manifest, ensure_ascii=False).encode()  # no half of a character
        check_shape(manifest, {"format": int}, "it")
        if manifest["format"] != FORMAT:
            raise StoreError(
                f"{file} has format {manifest['format']!r}; this version reads {FORMAT}"
            )
        for name, shape in MANIFEST_SHAPE.items():
            if name in manifest or name == "specifications":
                check_shape(manifest.get(name), shape, name)
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise StoreError(
            f"{file} is damaged ({error}); the runs are intact: move this file away "
            f"and repeat the same 'tsmdbench run'"
        ) from None
    return manifest


@contextmanager
def locked(folder: Path) -> Iterator[str]:
    """Hold a store for writing; yield the writer before, if it was killed.

    Raises `StoreError` with process and host of the writer where there is one.
    """
    file = folder / LOCK
    # The lock never follows a link; a pipe would be waited for.
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise StoreError(
            f"{file} is a link or not a file, so the store was tampered with; remove it"
        )
    lock = FileLock(file, timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(
            f"{folder} is being written by {_holder(file) or 'another process'}; wait "
            f"for it or end it"
        ) from None
    try:
        took_over = _holder(file)
        about = {"pid": os.getpid(), "host": socket.gethostname(), "began": time.time()}
        file.write_text(json.dumps(about), encoding="utf-8")
        yield took_over
    finally:
        try:
            file.write_bytes(b"")
        finally:
            lock.release()


def writer_of(folder: PathLike) -> str:
    """Return the process that writes to a store; empty if there is none."""
    file = Path(folder) / LOCK
    if file.is_symlink() or not file.is_file():
        return ""
    try:
        with FileLock(file, timeout=0, thread_local=False):
            return ""
    except Timeout:
        return _holder(file) or "another process"
    except OSError:  # a read-only store: the lock cannot be tested
        return _holder(file)


def _holder(file: Path) -> str:
    """Return the holder of a lock in words; empty if there is none."""
    with file.open("rb") as opened:
        text = opened.read(LONGEST_HOLDER)
    if not text:
        return ""
    try:
        holder: dict[str, Any] = json.loads(text)
        began = time.localtime(float(holder["began"]))
        when = time.strftime("%Y-%m-%d %H:%M:%S", began)
        return f"process {holder['pid']} on {holder['host']} (started {when})"
    except (ValueError, TypeError, KeyError, OverflowError, OSError):
        return "another process"  # killed while it wrote this, or not ours


def version_numbers(version: str) -> list[tuple[bool, int, str]]:
    """Return a sort key for versions.

    >>> sorted(["1.10", "1.9", "1.0"], key=version_numbers)
    ['1.0', '1.9', '1.10']
    """
    return [
        (bool(number), len(number), number or text)
        for number, text in re.findall(r"0*([0-9]+)|([^0-9.]+)", version)
    ]


def noted_version(history: History, method: str, version: str) -> History:
    """Return a history in which a version is the newest of a method."""
    before = [e for e in history.get(method, ()) if e["version"] != version]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return {**history, method: [*before, {"version": version, "since": now}]}


def noted_since(manifest: Mapping[str, Any], method: str, version: str) -> str:
    """Return the local time of the last request for a version; empty if unknown."""
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

    `version` is ``"newest"``, ``"all"``, or a version: methods that have it are taken
    in it, the others in their newest one.
    """
    known = store.versions({"split": split})
    if version == ALL:
        return known
    if version != NEWEST and not any(version in each for each in known.values()):
        listed = "; ".join(f"{m} {', '.join(each)}" for m, each in known.items())
        raise InputError(
            f"no method of {store.path} has version {version!r} in split {split!r}; "
            f"known: {listed}"
        )
    return {
        method: (version,) if version in each else each[-1:]
        for method, each in known.items()
    }


def rows_of_versions(rows: pa.Table, chosen: Mapping[str, Container[str]]) -> pa.Table:
    """Keep the rows of the chosen versions of each method."""
    pairs = zip(rows["method"].to_pylist(), rows["version"].to_pylist(), strict=True)
    kept = [version in chosen[method] for method, version in pairs]
    return rows if all(kept) else rows.filter(kept)

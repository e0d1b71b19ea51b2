"""Submissions: the runs of a store and an entry, packed into one file.

`write_submission` packs a file and `read_submission` reads it; `submit` has the rules,
and what authors and keepers of boards do.

The file is a ZIP file without code: ``submission.json``, and the files of a packed
store (`edit.pack`). Times in it are fixed, so the same content is the same file. A
reader looks at names, sizes and checksums before anything is written, and executes or
unpickles nothing. Checksums show that a file is complete, not that it is true: anyone
can write a file like it. What the author says about repeated runs is therefore shown as
the author's check only.

An entry is a TOML file::

    name = "MyMethod"
    version = "1.2"
    licence = "MIT"
    contact = "me@example.org"
    authors = "A. Author, B. Author"
    organisation = "University of Somewhere"
    url = "https://example.org/mymethod"
    code = "https://example.org/mymethod/replication"
    paper = "https://doi.org/10.1000/1"
    date = "2026-11-16"
    about = "One sentence about the method."
    tuning = "The grid of the class, on the validation split."
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.experiments.edit import pack
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import check_sets, read_truth
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.validation import check_shape

SPLIT = "test"
LEAST = 0.1  # share of the runs that is repeated
NEEDED = ("name", "version", "licence", "contact")
LONGEST = 1000  # characters of a field of an entry
LARGEST_ENTRY = 2**20  # bytes of its file
ADDRESS = re.compile(r"https?://[^\s<>\"'\\^`{|}]+")
RUN = ("method", "version", "dataset", "problem", "parameters", "status", "found")
FORMAT = 2
ABOUT = "submission.json"
# The names that a packed store has; nothing else is read.
NAMES = re.compile(
    r"store/(manifest\.json|truth\.parquet|runs-[0-9]+-[0-9]+\.parquet"
    r"|tuning/tuned\.toml|tuning/[\w-]{1,200}\.parquet)"
)
# The description of a file; a receipt has the first two fields.
CHECK_SHAPE: dict[str, Any] = {
    "findings": [[(str, bool)]],
    "recomputed": {"share": (float, int), "of": str, "runs": int, "equal": int},
}
ABOUT_SHAPE: dict[str, Any] = {
    **CHECK_SHAPE,
    "tsmdbench": str,
    "entry": {...: str},
    "methods": {...: {"version": str, ...: (str, bool)}},
    "files": {...: str},
}
LARGEST = 2**30  # bytes of all parts together, unpacked
MOST_PARTS = 10_000
BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, for ZIP files
DAMAGES = (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, OSError,
           EOFError, ValueError)  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """Who submits what, and under which licence; all texts.

    Parameters
    ----------
    name : str
        What the method is called on a board; several versions have one name.
    version : str
    licence : str
        Of the results: what others may do with them.
    contact : str
        Where a question reaches the authors. It is in the file and not on a board.
    authors, organisation, url, code, paper, about : str
        Shown on a board; `code` is where others find the code to repeat the results.
        The three addresses begin with ``https://`` or ``http://``.
    date : str
        ``YYYY-MM-DD``; the versions of a name are ordered by it.
    tuning : str
        How settings were chosen that neither a search of this package nor the data
        chose.
    """

    name: str
    version: str
    licence: str
    contact: str
    authors: str = ""
    organisation: str = ""
    url: str = ""
    code: str = ""
    paper: str = ""
    date: str = ""
    about: str = ""
    tuning: str = ""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            rule = ""
            if not isinstance(value, str):
                rule = "be a text"
            elif len(value) > LONGEST or not value.isprintable():
                rule = f"be one line of at most {LONGEST} characters"
            elif name in ("url", "code", "paper") and value:
                rule = "be an address like https://example.org"
                rule *= not ADDRESS.fullmatch(value)
            if rule:
                raise InputError(f"entry: {name} must {rule}, got {value!r:.80}")
            if name in NEEDED and not value.strip():
                raise InputError(
                    f"entry: {name} is missing; give --{name}, or {name} = ... in the "
                    f"file of --entry"
                )
        try:
            date.fromisoformat(self.date or "2000-01-01")
        except ValueError:
            raise InputError(
                f"entry: date must be written YYYY-MM-DD, got {self.date!r:.80}"
            ) from None

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """Make an entry of names and values; raise `InputError` for unknown names."""
        known = [field.name for field in fields(cls)]
        unknown = [name for name in given if name not in known]
        if unknown:
            raise InputError(
                f"entry: {unknown[0]!r:.80} is not a field; fields are "
                f"{', '.join(known)}"
            )
        return cls(**{**dict.fromkeys(NEEDED, ""), **given})


def read_entry(file: PathLike | None, options: Mapping[str, str | None]) -> Entry:
    """Return the entry of a TOML file; options that are given take precedence."""
    given: dict[str, Any] = {}
    if file is not None:
        path = Path(file)
        try:
            if path.stat().st_size > LARGEST_ENTRY:
                raise InputError(f"{path} has more than {LARGEST_ENTRY} bytes")
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{path} is not a TOML file: {error}") from None
    given |= {name: value for name, value in options.items() if value is not None}
    if isinstance(given.get("date"), date):  # TOML has dates of its own
        given["date"] = given["date"].isoformat()
    return Entry.from_dict(given)


# The check


class Finding(NamedTuple):
    """Result of checking one rule."""

    rule: str
    kept: bool
    seen: str

    def __str__(self) -> str:
        return f"{'ok' if self.kept else 'NO'}  {self.rule}: {self.seen}"


class Recomputed(NamedTuple):
    """The outcome of repeating runs."""

    share: float  # part of the runs that was repeated
    of: str  # hash of all runs, see `runs_digest`
    runs: int  # how many were repeated
    equal: int  # how many of them found the same


def runs_of(
    store: Store, columns: Sequence[str], methods: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return columns of the test runs of some methods, by default of all."""
    where = {"split": SPLIT} | ({} if methods is None else {"method": list(methods)})
    rows: list[dict[str, Any]] = store.table(columns, where).to_pylist()
    return rows


def runs_digest(store: Store, methods: Sequence[str]) -> str:
    """Return a hash of the test runs of some methods, in whatever order they are."""
    rows = runs_of(store, RUN, methods)
    lines = sorted(json.dumps([row[name] for name in RUN]) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def sample(
    store: Store, methods: Sequence[str], share: float, seed: int
) -> list[dict[str, Any]]:
    """Return the runs that are repeated, dataset by dataset."""
    rng = np.random.default_rng(seed)
    drawn = []
    for method in sorted(methods):
        rows = runs_of(store, RUN, [method])
        rows = [row for row in rows if row["status"] in ("ok", "error")]
        rows.sort(key=lambda row: (row["dataset"], row["problem"], row["parameters"]))
        number = math.ceil(share * len(rows))
        drawn += [rows[n] for n in rng.choice(len(rows), number, replace=False)]
    return sorted(drawn, key=lambda row: (row["dataset"], row["method"]))


# The file


@dataclass(frozen=True)
class Submission:
    """A submission that was read and verified."""

    entry: Entry
    methods: Mapping[str, Mapping[str, Any]]  # version and facts of each method
    tsmdbench: str  # the version that made it
    findings: tuple[Finding, ...]
    recomputed: Recomputed  # the check of the author
    sha256: str  # of the whole file
    store: Store  # open as long as the context that read it


def write_submission(
    out: PathLike,
    store: Store,
    entry: Entry,
    methods: Mapping[str, Mapping[str, Any]],
    findings: Sequence[Finding],
    recomputed: Recomputed,
) -> Path:
    """Pack a submission into one file; `methods` are by name, with their facts."""
    with tempfile.TemporaryDirectory(prefix="tsmdbench-") as folder:
        packed = Path(folder) / "store"
        pack(store.path, packed, split=SPLIT, methods=tuple(methods))
        files = {
            f"store/{file.relative_to(packed).as_posix()}": file.read_bytes()
            for file in sorted(packed.rglob("*"))
            if file.is_file()
        }
    kept = {name: data for name, data in files.items() if NAMES.fullmatch(name)}
    about = {
        "format": FORMAT,
        "tsmdbench": version("tsmdbench"),
        "entry": asdict(entry),
        "methods": methods,
        "findings": findings,
        "recomputed": recomputed._asdict(),
        "files": {n: hashlib.sha256(data).hexdigest() for n, data in kept.items()},
    }
    whole = {ABOUT: json.dumps(about, indent=1, sort_keys=True).encode(), **kept}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in whole.items():
            info = zipfile.ZipInfo(name, BEGINNING)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    write_atomically(Path(out), made.getvalue())
    return Path(out)


@contextmanager
def read_submission(file: PathLike) -> Iterator[Submission]:
    """Yield the content of a file.

    Raises `InputError` where it is not a submission, or was damaged or changed.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    verified = False
    with tempfile.TemporaryDirectory(prefix="tsmdbench-") as folder:
        try:
            read = _verified(data, Path(folder))
            verified = True
            yield read
        except (TsmdbenchError, TypeError, ValueError) as error:
            if verified and folder not in str(error):
                raise  # an error of the caller, not of the file
            fault = str(error).replace(f"{folder}/", "").split(";")[0]
            raise InputError(
                f"{path} is not a submission that can be used ({fault}); 'tsmdbench "
                f"submit' writes them"
            ) from None


def _verified(data: bytes, folder: Path) -> Submission:
    """Unpack a submission; raise `ValueError` unless all of it fits together."""
    # Names and sizes before anything is unpacked.
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            names = [info.filename for info in infos]
            odd = [n for n in names if n != ABOUT and not NAMES.fullmatch(n)]
            size = sum(info.file_size for info in infos)
            fault = ""
            if odd:
                fault = f"a submission has no part {odd[0]!r:.80}"
            elif len(set(names)) < len(names) or len(names) > MOST_PARTS:
                fault = "it has too many parts, or two of one name"
            elif size > LARGEST:
                fault = f"it would have {size} bytes, more than {LARGEST}"
            parts = {} if fault else {i.filename: archive.read(i) for i in infos}
    except DAMAGES as error:
        raise ValueError(f"it is not a ZIP file that can be read: {error}") from None
    if fault:
        raise ValueError(fault)
    # The description, and that the parts are those that it describes.
    try:
        about = json.loads(parts.pop(ABOUT))
        json.dumps(about, ensure_ascii=False).encode()  # no half of a character
    except (KeyError, ValueError, RecursionError):
        raise ValueError(f"it has no {ABOUT} that can be read") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"it is not of format {FORMAT}")
    sums = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    if about.get("files") != sums:
        raise ValueError("its parts are not those that were packed")
    check = _read_check(about, ABOUT_SHAPE)
    entry, methods, done = Entry.from_dict(about["entry"]), about["methods"], check[1]
    for name, content in parts.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    # All of the store, and that its runs are those that the author checked.
    store = Store(folder / "store")
    truths, runs = read_truth(store.path), store.table().to_pylist()
    if {run["method"] for run in runs} != set(methods) or not methods:
        raise ValueError("its runs are of other methods than it describes")
    for run in runs:
        truth = truths.get((run["dataset"], run["split"], run["problem"]))
        name = f"problem {run['problem']!r:.80}"
        if truth is None or run["data"] != truth.data:
            raise ValueError(f"{name} is not the one that its truth is of")
        check_sets(run["found"], truth, name)
    if done.of != runs_digest(store, list(methods)):
        raise ValueError("its runs are not those of which a part was recomputed")
    expected = len(sample(store, list(methods), done.share, 0))
    if done.runs != expected or done.equal != done.runs:
        raise ValueError(
            f"{done.equal} of {done.runs} runs recomputed are the same, {expected} "
            f"must be"
        )
    sha256 = hashlib.sha256(data).hexdigest()
    return Submission(entry, methods, about["tsmdbench"], *check, sha256, store)


class Receipt(NamedTuple):
    """The check of a submitted file by the keeper of a board."""

    findings: tuple[Finding, ...]
    recomputed: Recomputed


def read_receipts(folder: PathLike) -> dict[str, Receipt]:
    """Return the receipts of a folder, by the hash of the file that they are about."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder} is not a folder; 'submit --check' writes receipts")
    found = {}
    for file in sorted(Path(folder).glob("*.json")):
        try:
            about = json.loads(file.read_text("utf-8"))
            receipt = Receipt(*_read_check(about, {"sha256": str, **CHECK_SHAPE}))
        except (OSError, TypeError, ValueError, RecursionError) as error:
            raise InputError(f"{file} is not a receipt of a check: {error}") from None
        found[about["sha256"]] = receipt
    return found


def _read_check(about: Any, shape: Any) -> tuple[tuple[Finding, ...], Recomputed]:
    """Return the check that a file or a receipt has; raise `ValueError` for none."""
    check_shape(about, shape, "description")
    findings = tuple(
        Finding(str(rule), kept is True, str(seen))
        for rule, kept, seen in about["findings"]
    )
    given = about["recomputed"]
    if not LEAST <= given["share"] <= 1.0:
        raise ValueError(
            f"the share recomputed must be a number in [{LEAST:g}, 1], got "
            f"{given['share']!r:.80}"
        )
    done = (float(given["share"]), given["of"], given["runs"], given["equal"])
    return findings, Recomputed(*done)

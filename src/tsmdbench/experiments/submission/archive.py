"""One file of a submission: a packed store, who made it, and a checksum of each part.

It is a ZIP file without code: ``submission.json``, and the files of a packed store
(`store.pack`). Times in it are fixed, so the same content is the same file. A reader
takes nothing on trust: names, sizes and checksums are looked at before anything is
written, and nothing in it is executed or unpickled. Checksums show that a file is
complete, not that it is true: anyone can write a file like it. What the author says
about recomputed runs is therefore shown as the author's check only.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.edit import pack
from tsmdbench.experiments.submission.check import SPLIT, Finding
from tsmdbench.experiments.submission.entry import Entry
from tsmdbench.experiments.submission.recompute import Recomputed, runs_digest, sample
from tsmdbench.io import PathLike, write_atomically

FORMAT = 2
ABOUT = "submission.json"
# The names that a packed store has; nothing else is read.
NAMES = re.compile(
    r"store/(manifest\.json|truth\.parquet|runs-[0-9]+-[0-9]+\.parquet"
    r"|tuning/tuned\.toml|tuning/[\w-]{1,200}\.parquet)"
)
LARGEST = 2**30  # bytes of all parts together, unpacked
MOST_PARTS = 10_000
BEGINNING = (1980, 1, 1, 0, 0, 0)  # of time, for ZIP files


@dataclass(frozen=True)
class Submission:
    """A submission that was read and verified.

    Attributes
    ----------
    entry : Entry
    methods : mapping
        Name of each method to what it says of itself: version, facts.
    tsmdbench : str
        The version that made it.
    findings : tuple of Finding
    recomputed : Recomputed
        What the author says of the check of their own.
    sha256 : str
        Of the whole file.
    store : Store
        Open as long as the context that read it.
    """

    entry: Entry
    methods: Mapping[str, Mapping[str, Any]]
    tsmdbench: str
    findings: tuple[Finding, ...]
    recomputed: Recomputed
    sha256: str
    store: Store


def write_submission(
    out: PathLike,
    store: Store,
    entry: Entry,
    methods: Mapping[str, Mapping[str, Any]],
    findings: Sequence[Finding],
    recomputed: Recomputed,
) -> Path:
    """Pack a submission into one file.

    Parameters
    ----------
    out : path
    store : Store
    entry : Entry
    methods : mapping
        Which are submitted, and what they say of themselves.
    findings : sequence of Finding
    recomputed : Recomputed
    """
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
        "entry": entry.to_dict(),
        "methods": {name: dict(facts) for name, facts in methods.items()},
        "findings": [[f.rule, f.kept, f.seen] for f in findings],
        "recomputed": recomputed.to_dict(),
        "files": {n: hashlib.sha256(data).hexdigest() for n, data in kept.items()},
    }
    whole = {ABOUT: json.dumps(about, indent=1, sort_keys=True).encode(), **kept}
    write_atomically(Path(out), _zipped(whole))
    return Path(out)


def _zipped(files: Mapping[str, bytes]) -> bytes:
    import io

    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(
                zipfile.ZipInfo(name, BEGINNING), data, zipfile.ZIP_DEFLATED
            )
    return made.getvalue()


@contextmanager
def read_submission(file: PathLike) -> Iterator[Submission]:
    """Verify a file and give its content, as a context.

    Raises
    ------
    InputError
        It is not a submission, or damaged, or changed after it was made.
    """
    path = Path(file)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    about, parts = _verified(path, data)
    with tempfile.TemporaryDirectory(prefix="tsmdbench-") as folder:
        for name, content in parts.items():
            target = Path(folder) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        digest = hashlib.sha256(data).hexdigest()
        yield _submission(path, about, digest, Store(Path(folder) / "store"))


def _verified(path: Path, data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what a file says, and its parts, which it says the checksums of."""
    import io

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            _check_sizes(path, infos)
            parts = {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError,
            OSError, EOFError, ValueError) as error:  # fmt: skip
        if isinstance(error, InputError):
            raise
        raise _damaged(
            path, f"it is not a ZIP file that can be read: {error}"
        ) from None
    try:
        about = json.loads(parts.pop(ABOUT))
    except (KeyError, ValueError, RecursionError):
        raise _damaged(path, f"it has no {ABOUT} that can be read") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise _damaged(path, f"it is not of format {FORMAT}")
    sums = {name: hashlib.sha256(part).hexdigest() for name, part in parts.items()}
    if about.get("files") != sums:
        raise _damaged(path, "its parts are not those that were packed")
    return about, parts


def _check_sizes(path: Path, infos: Sequence[zipfile.ZipInfo]) -> None:
    names = [info.filename for info in infos]
    odd = [name for name in names if name != ABOUT and not NAMES.fullmatch(name)]
    if odd:
        raise _damaged(path, f"a submission has no part {odd[0]!r:.80}")
    if len(set(names)) < len(names) or len(names) > MOST_PARTS:
        raise _damaged(path, "it has too many parts, or two of one name")
    size = sum(info.file_size for info in infos)
    if size > LARGEST:
        raise _damaged(path, f"it would have {size} bytes, more than {LARGEST}")


def _submission(
    path: Path, about: Mapping[str, Any], digest: str, store: Store
) -> Submission:
    """Return what a file says of itself; raise if it contradicts its runs."""
    try:
        methods = _methods(about["methods"])
        findings = tuple(
            Finding(str(rule), kept is True, str(seen))
            for rule, kept, seen in about["findings"]
        )
        recomputed = Recomputed.from_dict(about["recomputed"])
        made_by = str(about["tsmdbench"])
        entry = Entry.from_dict(about["entry"])
    except KeyError as error:
        raise _damaged(path, f"its description lacks {error}") from None
    except (TypeError, ValueError) as error:
        raise _damaged(path, f"its description cannot be read: {error}") from None
    if set(store.table(["method"])["method"].to_pylist()) != set(methods):
        raise _damaged(path, "its runs are of other methods than it describes")
    # Runs that were changed after the author's check have another hash.
    if recomputed.of != runs_digest(store, tuple(methods)):
        raise _damaged(path, "its runs are not those of which a part was recomputed")
    expected = len(sample(store, tuple(methods), recomputed.share, 0))
    if recomputed.runs != expected or recomputed.equal != recomputed.runs:
        raise _damaged(
            path,
            f"{recomputed.equal} of {recomputed.runs} runs recomputed are the same, "
            f"{expected} must be",
        )
    return Submission(entry, methods, made_by, findings, recomputed, digest, store)


def _methods(given: Any) -> dict[str, dict[str, Any]]:
    """Return what is said of the methods; raise `ValueError` unless it is plain."""
    if not isinstance(given, dict) or not given:
        raise ValueError("'methods' must have the methods by name")
    for name, facts in given.items():
        if not isinstance(facts, dict) or not isinstance(facts.get("version"), str):
            raise ValueError(f"method {name!r:.80} has no version")
        for fact, value in facts.items():
            if not isinstance(value, str | bool):
                raise ValueError(
                    f"{fact!r:.80} of method {name!r:.80} must be a text, true or "
                    f"false, got {value!r:.80}"
                )
    return given


def _damaged(path: Path, reason: str) -> InputError:
    return InputError(
        f"{path} is not a submission that can be used ({reason}); 'tsmdbench submit' "
        f"writes them"
    )

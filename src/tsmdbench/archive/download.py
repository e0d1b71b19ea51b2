"""Download a dataset through aeon into the user's cache: whole and checked, or not.

aeon writes to a temporary folder beside the final one; only when both parts have been
parsed and verified is the folder renamed. A connection that breaks is tried again. An
interrupted download leaves nothing that a later load could take for a dataset.
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tsmdbench.archive.cache import archive_folder
from tsmdbench.archive.catalogue import check_name
from tsmdbench.archive.ts_files import part_files, read_dataset
from tsmdbench.archive.verify import verify
from tsmdbench.errors import DataError, DownloadError, MissingExtraError

Progress = Callable[[str, int], None]
PAUSES = (1.0, 4.0)  # seconds before the second and the third attempt
MOST_MEMBERS = 10_000  # files of an archive; a dataset has two and a few notes
MOST_BYTES = 16 * 2**30  # of all files together; the largest dataset has some GB
POLL = 0.2  # seconds between two looks at how much has arrived
WEBSITE = "https://www.timeseriesclassification.com"


def download(
    name: str, *, progress: Progress | None = None, pauses: Sequence[float] = PAUSES
) -> Path:
    """Fetch both parts of a dataset; return the folder that now holds them.

    Parameters
    ----------
    name : str
        Name in the archive.
    progress : callable, optional
        Called with the name and the bytes that have arrived, a few times per second.
    pauses : sequence of float
        Seconds to wait before each further attempt; empty for a single attempt.

    Raises
    ------
    DownloadError
        No connection, no such dataset, or what arrived is not the dataset.
    """
    target = archive_folder() / check_name(name)
    work = target.with_name(f".{name}.{os.getpid()}.part")
    try:
        work.mkdir(parents=True, exist_ok=True)
        with _watched(work, name, progress):
            _fetch_with_retries(name, work, pauses)
        _leave_only_parts(work, name)
        _check(work, name)
        _keep(work / name, target, name)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def by_hand(name: str) -> str:
    """Say how to place the files of a dataset without the network."""
    files = part_files(archive_folder(), name)
    return (
        f"get {name} from {WEBSITE} and place {name}_TRAIN.ts and {name}_TEST.ts in "
        f"{files['TRAIN'].parent}, or point TSMDBENCH_DATA at a folder that has "
        f"{name}/{name}_TRAIN.ts and {name}/{name}_TEST.ts"
    )


def _fetch_with_retries(name: str, work: Path, pauses: Sequence[float]) -> None:
    load = _aeon_loader()
    for pause in [*pauses, None]:
        try:
            load(name, extract_path=str(work))
        except (OSError, ValueError) as cause:
            shutil.rmtree(work / name, ignore_errors=True)
            if pause is None:
                raise DownloadError(
                    f"{name} could not be downloaded through aeon ({_root(cause)}); "
                    f"{by_hand(name)}"
                ) from None
            time.sleep(pause)
        else:
            return


def _leave_only_parts(work: Path, name: str) -> None:
    """Remove all that arrived but the two files of the dataset; refuse a flood.

    Names, links and further files of an archive are somebody else's choice: nothing of
    them gets into the cache, and nothing is read through a link.
    """
    expected = set(part_files(work, name).values())
    members = sorted(work.rglob("*"), reverse=True)
    size = sum(file.lstat().st_size for file in members)
    if len(members) > MOST_MEMBERS or size > MOST_BYTES:
        raise DownloadError(
            f"what was downloaded as {name} has {len(members)} files of {size} bytes, "
            f"more than {MOST_MEMBERS} or {MOST_BYTES}; {by_hand(name)}"
        )
    for member in members:
        if member.is_symlink() or (member.is_file() and member not in expected):
            member.unlink()
        elif member.is_dir() and member != work / name and not any(member.iterdir()):
            member.rmdir()


def _check(work: Path, name: str) -> None:
    """Refuse a download that is not the dataset."""
    try:
        verify(read_dataset(work, name, f"download of {name}"))
    except DataError as cause:
        raise DownloadError(str(cause)) from None


def _root(error: BaseException) -> str:
    """Return what the first of a chain of errors says; the others only wrap it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join(str(error).split())[:160]


def _keep(made: Path, target: Path, name: str) -> None:
    """Move a complete folder into place; another process may have been faster."""
    try:
        made.replace(target)
    except OSError:
        if not all(file.is_file() for file in part_files(target.parent, name).values()):
            raise


@contextmanager
def _watched(work: Path, name: str, progress: Progress | None) -> Iterator[None]:
    """Report the size of a growing folder: aeon has no hook for its progress."""
    if progress is None:
        yield
        return
    stop = threading.Event()

    def report() -> None:
        while not stop.wait(POLL):
            progress(name, _size(work))

    thread = threading.Thread(target=report, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        progress(name, _size(work))


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _aeon_loader() -> Any:
    try:
        from aeon.datasets import load_classification
    except ImportError:
        raise MissingExtraError("a download needs aeon", "archive") from None
    return load_classification

"""Download a dataset into the user's cache: whole and checked, or not at all.

`remote` writes the two files to a temporary folder beside the final one; only when both
have been parsed and verified is the folder renamed. A connection that breaks is tried
again. An interrupted download leaves nothing that a later load takes for a dataset.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from tempfile import mkdtemp
from urllib.error import HTTPError

from tsmdbench.archive.cache import archive_folder
from tsmdbench.archive.catalogue import check_name
from tsmdbench.archive.remote import fetch_parts
from tsmdbench.archive.ts_files import part_files, read_dataset
from tsmdbench.archive.verify import verify
from tsmdbench.errors import DataError, DownloadError

Progress = Callable[[str, int], None]
PAUSES = (1.0, 4.0)  # seconds before the second and the third attempt
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
        Called with the name and the bytes that have arrived, for every megabyte.
    pauses : sequence of float
        Seconds to wait before each further attempt; empty for a single attempt.

    Raises
    ------
    DownloadError
        No connection, no such dataset, or what arrived is not the dataset.
    """
    target = archive_folder() / check_name(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(mkdtemp(prefix=f".{name}.", suffix=".part", dir=target.parent))
    try:
        _fetch_with_retries(name, work / name, progress, pauses)
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


def _fetch_with_retries(
    name: str, folder: Path, progress: Progress | None, pauses: Sequence[float]
) -> None:
    for pause in [*pauses, None]:
        folder.mkdir()
        arrived = 0

        def tell(more: int) -> None:
            nonlocal arrived
            arrived += more
            if progress is not None:
                progress(name, arrived)

        try:
            fetch_parts(name, folder, tell)
        except (OSError, ValueError, HTTPException) as cause:
            shutil.rmtree(folder, ignore_errors=True)
            absent = isinstance(cause, HTTPError) and cause.code == HTTPStatus.NOT_FOUND
            if pause is None or absent:
                raise DownloadError(
                    f"{name} could not be downloaded ({_shown(cause)}); {by_hand(name)}"
                ) from None
            time.sleep(pause)
        else:
            return


def _check(work: Path, name: str) -> None:
    """Refuse a download that is not the dataset."""
    try:
        verify(read_dataset(work, name, f"download of {name}"))
    except DataError as cause:
        raise DownloadError(str(cause)) from None


def _shown(error: BaseException) -> str:
    """Return what an error says, on one short line."""
    return " ".join(str(error).split())[:160] or type(error).__name__


def _keep(made: Path, target: Path, name: str) -> None:
    """Move a complete folder into place; another process may have been faster."""
    try:
        made.replace(target)
    except OSError:
        if not all(file.is_file() for file in part_files(target.parent, name).values()):
            raise

"""The user's cache, and verified downloads into it.

The cache is the folder of the operating system, or `TSMDBENCH_CACHE`. A user without a
home folder, as in many containers, gets a private temporary one.

`download` writes the two files of a dataset to a temporary folder beside the final one;
only when both have been parsed and verified is the folder renamed. A connection that
breaks is tried again. An interrupted download leaves nothing that a later load takes
for a dataset.

Zenodo has a record for each dataset of the archive, which states size and checksum of
its files. Datasets whose record is not known are taken from the archive's website,
where each is a zip file.

Conventions
-----------
What a service sends is not trusted. Files are written under the names that we expect
and no others, so neither a record nor a zip file can name a path; addresses are made
here, never taken from an answer. Sizes are limited while they are read, and a file that
is longer or shorter than stated, or has another checksum, is an error. pooch limits
neither what it reads nor what it unpacks; with a downloader of our own that does, it
would only save the loop of attempts, so it is not used.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Sequence
from functools import cache, partial
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import platformdirs

from tsmdbench.datasets.catalogue import KNOWN, PARTS, check_name
from tsmdbench.datasets.dataset import part_files, read_dataset, verify
from tsmdbench.errors import DataError, DownloadError, InputError
from tsmdbench.io.files import brief

Progress = Callable[[str, int], None]
Arrived = Callable[[int], None]  # called with the number of bytes that arrived
PAUSES = (1.0, 4.0)  # seconds before the second and the third attempt
WEBSITE = "https://www.timeseriesclassification.com"
RECORD_ADDRESS = "https://zenodo.org/api/records"
ZIP_ADDRESS = "https://timeseriesclassification.com/aeon-toolkit"
TIMEOUT = 60.0  # seconds without an answer
CHUNK = 2**20
MOST_BYTES = 16 * 2**30  # of a file; the largest dataset has some GB
MOST_ANSWER = 2**22  # bytes of the description of a record
MOST_MEMBERS = 10_000  # of a zip file; a dataset has two and a few notes
MOST_RATIO = 200  # of a member's size to its compressed size; text has about 5


def cache_folder() -> Path:
    """Return the folder of the cache; it need not exist yet."""
    given = os.environ.get("TSMDBENCH_CACHE")
    try:
        if given:
            return Path(given).expanduser()
        folder = platformdirs.user_cache_path("tsmdbench", appauthor=False)
    except RuntimeError:  # neither HOME nor an entry in the list of users
        if given:
            raise InputError(
                f"TSMDBENCH_CACHE names {given}, but there is no such home folder; set "
                f"it to a folder without '~', or unset it"
            ) from None
        return _temporary_folder()
    # Older versions of platformdirs return "~" itself for a user without a home.
    return _temporary_folder() if str(folder).startswith("~") else folder


@cache
def _temporary_folder() -> Path:
    """Return a temporary folder that is this user's alone, the same every time."""
    folder = Path(tempfile.gettempdir()) / f"tsmdbench-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        mine = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
        if mine and not found.st_mode & 0o077:
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="tsmdbench-"))


def archive_folder() -> Path:
    """Return where downloaded datasets are, in the layout of the archive."""
    return cache_folder() / "archive"


def download(
    name: str, *, progress: Progress | None = None, pauses: Sequence[float] = PAUSES
) -> Path:
    """Fetch both parts of a dataset; return the folder that now holds them.

    `progress` is called with the name and the bytes that have arrived, for every
    megabyte; `pauses` are seconds before each further attempt. Raises `DownloadError`
    where there is no connection, no such dataset, or what arrived is not the dataset.
    """
    target = archive_folder() / check_name(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".part", dir=target.parent))
    folder, total = work / name, 0

    def arrived(more: int) -> None:
        nonlocal total
        total += more
        if progress is not None:
            progress(name, total)

    try:
        for pause in [*pauses, None]:
            folder.mkdir()
            total = 0
            try:
                fetch_parts(name, folder, arrived)
                break
            except (OSError, ValueError, HTTPException) as cause:
                shutil.rmtree(folder, ignore_errors=True)
                status = cause.code if isinstance(cause, HTTPError) else None
                if pause is None or status == HTTPStatus.NOT_FOUND:
                    reason = brief(cause) or type(cause).__name__
                    raise DownloadError(
                        f"{name} could not be downloaded ({reason}); {by_hand(name)}"
                    ) from None
                time.sleep(pause)
        verify(read_dataset(work, name, f"download of {name}"))
        try:
            folder.replace(target)
        except OSError:  # another process may have been faster
            files = part_files(target.parent, name).values()
            if not all(file.is_file() for file in files):
                raise
    except DataError as cause:
        raise DownloadError(str(cause)) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def by_hand(name: str) -> str:
    """Return how to place the files of a dataset without the network."""
    files = part_files(archive_folder(), name)
    return (
        f"get {name} from {WEBSITE} and place {name}_TRAIN.ts and {name}_TEST.ts in "
        f"{files['TRAIN'].parent}, or point TSMDBENCH_DATA at a folder that has "
        f"{name}/{name}_TRAIN.ts and {name}/{name}_TEST.ts"
    )


def fetch_parts(name: str, folder: Path, arrived: Arrived) -> None:
    """Write ``<name>_TRAIN.ts`` and ``<name>_TEST.ts`` into an empty folder.

    Raises `OSError` or `ValueError` where there is no connection, no such dataset, or
    an answer that is refused.
    """
    files = [f"{name}_{part}.ts" for part in PARTS]
    known = KNOWN.get(name)
    if known is None:
        _from_zip(name, files, folder, arrived)
        return
    address = f"{RECORD_ADDRESS}/{known.record}"
    with _opened(address) as answer:
        text = answer.read(MOST_ANSWER + 1)
    try:
        if len(text) > MOST_ANSWER:
            raise ValueError("too long")
        stated = {
            str(entry["key"]): (entry["size"], str(entry["checksum"]))
            for entry in json.loads(text)["files"]
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(f"{address} does not describe files") from None
    for file, (size, _) in stated.items():
        if type(size) is not int or not 0 <= size <= MOST_BYTES:
            raise ValueError(
                f"{address} states a size of {str(size)[:20]} for {file!r}"
            )
    for file in files:
        if file not in stated:
            raise ValueError(f"record {known.record} of Zenodo has no file {file}")
        size, checksum = stated[file]
        with _opened(f"{address}/files/{file}/content") as answer:
            _copy(answer, folder / file, size, arrived)
        with (folder / file).open("rb") as written:
            md5 = partial(hashlib.md5, usedforsecurity=False)  # what Zenodo states
            digest = hashlib.file_digest(written, md5).hexdigest()
            found = written.tell()
        if found != size:
            raise ValueError(f"{file} has {found} bytes instead of {size}")
        if f"md5:{digest}" != checksum:
            raise ValueError(f"{file} does not have the checksum that Zenodo states")


def _from_zip(name: str, files: list[str], folder: Path, arrived: Arrived) -> None:
    packed = folder / "archive.zip"
    with _opened(f"{ZIP_ADDRESS}/{name}.zip") as answer:
        _copy(answer, packed, MOST_BYTES, arrived)
    try:
        with zipfile.ZipFile(packed) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise ValueError(f"{name}.zip has {len(members)} members")
            for file in files:
                same = [m for m in members if m.filename in (file, f"{name}/{file}")]
                if len(same) != 1:
                    raise ValueError(
                        f"{name}.zip has {len(same)} members {file} instead of one"
                    )
                size, small = same[0].file_size, same[0].compress_size
                if size > min(MOST_BYTES, MOST_RATIO * small):
                    raise ValueError(
                        f"{file} in {name}.zip claims {size} bytes, from {small}"
                    )
                with archive.open(same[0]) as content:  # which compares the checksum
                    _copy(content, folder / file, size)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as cause:
        raise ValueError(f"{name}.zip cannot be unpacked ({cause})") from None
    packed.unlink()


def _opened(address: str) -> Any:
    request = Request(address, headers={"User-Agent": "tsmdbench"})
    return urlopen(request, timeout=TIMEOUT)


def _copy(
    source: IO[bytes], target: Path, most: int, arrived: Arrived | None = None
) -> None:
    """Write at most `most` bytes to a new file."""
    written = 0
    with target.open("xb") as file:
        while chunk := source.read(CHUNK):
            written += len(chunk)
            if written > most:
                raise ValueError(f"{target.name} is longer than {most} bytes")
            file.write(chunk)
            if arrived is not None:
                arrived(len(chunk))

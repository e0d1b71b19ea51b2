"""Download a dataset into the user's cache: whole and checked, or not at all.

`fetch_parts` writes the two files to a temporary folder beside the final one; only when
both have been parsed and verified is the folder renamed. A connection that breaks is
tried again. An interrupted download leaves nothing that a later load takes for a
dataset.

Zenodo has a record for each dataset of the archive, which states size and checksum of
its files. Datasets whose record is not known are taken from the archive's website,
where each is a zip file.

Conventions
-----------
What a service sends is not trusted. Files are written under the names that we expect
and no others, so neither a record nor a zip file can name a path; addresses are made
here, never taken from an answer. Sizes are limited while they are read, and a file that
is longer or shorter than stated, or has another checksum, is an error. pooch has no
limit for the bytes that it reads and unpacks, so it is not used.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from tempfile import mkdtemp
from typing import IO, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tsmdbench.datasets.cache import archive_folder
from tsmdbench.datasets.catalogue import PARTS, RECORDS, check_name
from tsmdbench.datasets.dataset import part_files, read_dataset
from tsmdbench.datasets.verify import verify
from tsmdbench.errors import DataError, DownloadError

Progress = Callable[[str, int], None]
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
Tell = Callable[[int], None]  # is called with the number of bytes that arrived


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


class RefusedError(ValueError):
    """What a service sent is not what it should be."""


def fetch_parts(name: str, folder: Path, tell: Tell) -> None:
    """Write ``<name>_TRAIN.ts`` and ``<name>_TEST.ts`` into an empty folder.

    Raises
    ------
    OSError, ValueError
        No connection, no such dataset, or an answer that is refused.
    """
    files = [f"{name}_{part}.ts" for part in PARTS]
    if name in RECORDS:
        _from_record(RECORDS[name], files, folder, tell)
    else:
        _from_zip(name, files, folder, tell)


def _from_record(record: int, files: list[str], folder: Path, tell: Tell) -> None:
    address = f"{RECORD_ADDRESS}/{record}"
    stated = _stated(address)
    for file in files:
        if file not in stated:
            raise RefusedError(f"record {record} of Zenodo has no file {file}")
        size, checksum = stated[file]
        digest = hashlib.md5(usedforsecurity=False)  # what Zenodo states
        with _opened(f"{address}/files/{file}/content") as answer:
            written = _copy(answer, folder / file, size, tell, digest.update)
        if written != size:
            raise RefusedError(f"{file} has {written} bytes instead of {size}")
        if f"md5:{digest.hexdigest()}" != checksum:
            raise RefusedError(f"{file} does not have the checksum that Zenodo states")


def _stated(address: str) -> dict[str, tuple[int, str]]:
    """Return size and checksum of every file of a record."""
    with _opened(address) as answer:
        text = answer.read(MOST_ANSWER + 1)
    try:
        if len(text) > MOST_ANSWER:
            raise ValueError("too long")
        entries = json.loads(text)["files"]
        stated = {
            str(entry["key"]): (entry["size"], str(entry["checksum"]))
            for entry in entries
        }
    except (ValueError, TypeError, KeyError, RecursionError):
        raise RefusedError(f"{address} does not describe files") from None
    for file, (size, _) in stated.items():
        if type(size) is not int or not 0 <= size <= MOST_BYTES:
            raise RefusedError(
                f"{address} states a size of {str(size)[:20]} for {file!r}"
            )
    return stated


def _from_zip(name: str, files: list[str], folder: Path, tell: Tell) -> None:
    packed = folder / "archive.zip"
    with _opened(f"{ZIP_ADDRESS}/{name}.zip") as answer:
        _copy(answer, packed, MOST_BYTES, tell)
    try:
        with zipfile.ZipFile(packed) as archive:
            for file in files:
                _unpack(archive, name, file, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as cause:
        raise RefusedError(f"{name}.zip cannot be unpacked ({cause})") from None
    packed.unlink()


def _unpack(archive: zipfile.ZipFile, name: str, file: str, folder: Path) -> None:
    """Write one member; zipfile compares its checksum."""
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise RefusedError(f"{name}.zip has {len(members)} members")
    same = [one for one in members if one.filename in (file, f"{name}/{file}")]
    if len(same) != 1:
        raise RefusedError(f"{name}.zip has {len(same)} members {file} instead of one")
    size, packed = same[0].file_size, same[0].compress_size
    if size > min(MOST_BYTES, MOST_RATIO * packed):
        raise RefusedError(f"{file} in {name}.zip claims {size} bytes, from {packed}")
    with archive.open(same[0]) as content:
        _copy(content, folder / file, size, _nobody)


def _nobody(_: int) -> None:
    """Tell nobody."""


def _opened(address: str) -> Any:
    return urlopen(
        Request(address, headers={"User-Agent": "tsmdbench"}), timeout=TIMEOUT
    )


def _copy(
    source: IO[bytes],
    target: Path,
    most: int,
    tell: Tell,
    update: Callable[[bytes], None] | None = None,
) -> int:
    """Write at most so many bytes to a new file; return how many arrived."""
    written = 0
    with target.open("xb") as file:
        for chunk in _chunks(source):
            written += len(chunk)
            if written > most:
                raise RefusedError(f"{target.name} is longer than {most} bytes")
            file.write(chunk)
            tell(len(chunk))
            if update is not None:
                update(chunk)
    return written


def _chunks(source: IO[bytes]) -> Iterator[bytes]:
    while chunk := source.read(CHUNK):
        yield chunk

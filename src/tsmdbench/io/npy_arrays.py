"""Arrays of NumPy's own files, read without pickle and without believing the header.

A header may claim any shape; NumPy would reserve the memory first. So the size that the
header claims is compared with the size of the file before anything is read.
"""

from __future__ import annotations

import math
import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.paths import brief, check_size

BROKEN_ZIP = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
)
BROKEN_HEADER = (ValueError, EOFError, SyntaxError, TypeError, tokenize.TokenError)
HEADERS: dict[Any, Any] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}
read_magic: Any = npy.read_magic


def read_npy(file: Path, limit: int) -> NDArray[Any]:
    """Return the array of a ``.npy`` file."""
    size = check_size(file, limit, "an array")
    with file.open("rb") as stream:
        return _read_array(stream, size, str(file), "npy file of numbers")


def read_npz(file: Path, limit: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a ``.npz`` file."""
    check_size(file, limit, "arrays")
    try:
        with zipfile.ZipFile(file) as archive:
            members = {
                member.filename.removesuffix(".npy"): member
                for member in archive.infolist()
            }
            unpacked = sum(member.file_size for member in members.values())
            if unpacked > limit:
                raise InputError(
                    f"{file} unpacks to {unpacked} bytes, more than {limit}; if it is "
                    f"the right file, raise the limit with max_bytes (--max-bytes)"
                )
            arrays = {}
            for name, member in members.items():
                with archive.open(member) as stream:
                    where = f"{file}, array {name!r}"
                    arrays[name] = _read_array(
                        stream, member.file_size, where, "npz file of plain arrays"
                    )
    except BROKEN_ZIP as cause:
        raise InputError(
            f"{file}: not a npz file of plain arrays ({brief(cause)})"
        ) from None
    return arrays


def _read_array(stream: IO[bytes], size: int, where: str, kind: str) -> NDArray[Any]:
    """Read one array whose bytes, header included, are `size`."""
    try:
        version = read_magic(stream)
        if version not in HEADERS:
            raise ValueError(f"version {version} of the format holds no plain numbers")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a header of Python 2
            shape, fortran, dtype = HEADERS[version](stream)
    except BROKEN_HEADER as cause:
        raise InputError(f"{where}: not a {kind} ({brief(cause)})") from None
    if dtype.hasobject:
        raise InputError(
            f"{where}: not a {kind} (it holds pickled objects, which are never loaded)"
        )
    claimed = math.prod(shape) * dtype.itemsize
    present = size - stream.tell()
    if min(shape, default=0) < 0 or claimed != present:
        raise InputError(
            f"{where} is damaged: the header claims shape {shape}, {claimed} bytes, "
            f"but {present} bytes follow"
        )
    data = stream.read(present)
    if len(data) != present:
        raise InputError(f"{where} is cut off")
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")

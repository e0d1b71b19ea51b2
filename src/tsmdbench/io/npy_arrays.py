"""Arrays of NumPy's own files, read without pickle."""

from __future__ import annotations

import tokenize
import warnings
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.paths import brief, check_size

# What NumPy raises for damaged headers and archives, and for shapes beyond memory.
BROKEN = (
    ValueError,
    OSError,
    EOFError,
    SyntaxError,
    TypeError,
    KeyError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_npy(file: Path, limit: int) -> NDArray[Any]:
    """Return the array of a ``.npy`` file."""
    check_size(file, limit, "an array")
    loaded = _load(file, "npy file of numbers")
    if not isinstance(loaded, np.ndarray):
        raise InputError(f"{file}: not a npy file of numbers (it is an archive)")
    return loaded


def read_npz(file: Path, limit: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a ``.npz`` file."""
    check_size(file, limit, "arrays")
    kind = "npz file of plain arrays"
    try:
        with zipfile.ZipFile(file) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
    except BROKEN as cause:
        raise InputError(f"{file}: not a {kind} ({brief(cause)})") from None
    if unpacked > limit:
        raise InputError(
            f"{file} unpacks to {unpacked} bytes, more than {limit}; if it is the "
            f"right file, raise the limit with max_bytes (--max-bytes)"
        )
    return dict(_load(file, kind))


def _load(file: Path, kind: str) -> Any:
    """Load a file; the arrays of an archive are read before it is closed."""
    try:
        with file.open("rb") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a header of Python 2
            loaded = np.load(stream, allow_pickle=False)
            if isinstance(loaded, np.ndarray):
                if stream.read(1):
                    raise ValueError(f"bytes follow the array of shape {loaded.shape}")
                return loaded
            arrays = {name: loaded[name] for name in loaded.files}
    except BROKEN as cause:
        raise InputError(f"{file}: not a {kind} ({brief(cause)})") from None
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise InputError(f"{file}, array {name!r}: not a {kind}")
    return arrays

"""PhysioNet records (WFDB): the header ``.hea`` names the signals and their files."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import brief, check_size, not_decodable
from tsmdbench.io.table import Table
from tsmdbench.io.wfdb_package import import_wfdb

BROKEN = (
    ValueError,
    OSError,
    IndexError,
    KeyError,
    TypeError,
    AttributeError,
    struct.error,
    MemoryError,
)


def _read(file: Path, options: SeriesOptions) -> Table:
    wfdb = import_wfdb()
    check_size(file, options.limit, "a header")
    name = str(file.with_suffix("").absolute())
    try:
        header = wfdb.rdheader(name)
        _check_files(file, header, options.limit)
        record = wfdb.rdrecord(name)
        signal = np.asarray(record.p_signal, dtype=np.float64)
    except InputError:
        raise
    except BROKEN as cause:
        raise InputError(
            f"{file}: not a readable WFDB record ({brief(cause)})"
        ) from None
    _check_header(file)
    names = [str(channel) for channel in record.sig_name]
    said = ", ".join(f"{n} in {u}" for n, u in zip(names, record.units, strict=True))
    table = Table(names, list(signal.T), str(file), named=False, notes=[said])
    table.units = [str(unit) for unit in record.units]
    table.rate = float(record.fs)
    moment = getattr(record, "base_datetime", None)
    if moment is not None:
        table.start = np.datetime64(moment, "ns")
    if len(set(getattr(record, "samps_per_frame", None) or [1])) > 1:
        table.notes.append("signals of a higher rate are averaged per frame")
    return table


def _check_header(file: Path) -> None:
    """Refuse what wfdb replaces in silence: letters that are not UTF-8, bad rates."""
    lines = [line for line in file.read_bytes().splitlines() if line[:1] != b"#"]
    try:
        first = b"\n".join(lines).decode("utf-8").split("\n")[0]
    except UnicodeDecodeError as cause:
        raise InputError(not_decodable(file, None, cause)) from None
    for given in first.split()[2:3]:
        try:
            rate = float(given.partition("/")[0])
        except ValueError:
            rate = math.nan
        if not 0 < rate < math.inf:
            raise InputError(f"{file}: the sampling rate must be positive, got {given}")


def _check_files(file: Path, header: object, limit: int) -> None:
    """Refuse signals that are too large; names cannot lead out of the folder."""
    for name in set(getattr(header, "file_name", None) or []):
        if (file.parent / name).is_file():
            check_size(file.parent / name, limit, "a signal")


FORMAT = SeriesFormat("wfdb", (".hea",), _read, "PhysioNet records, by their header")

"""PhysioNet records (WFDB): the header ``.hea`` names the signals and their files."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.files import check_size, import_optional, not_decodable, readable
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.series import SeriesOptions, Table


def _read(file: Path, options: SeriesOptions) -> Table:
    wfdb = import_optional("wfdb", "PhysioNet records need wfdb", "wfdb")
    check_size(file, options.limit, "a header")
    name = str(file.with_suffix("").absolute())
    with readable(file, "readable WFDB record"):
        header = wfdb.rdheader(name)
        for signal in set(getattr(header, "file_name", None) or []):
            if (file.parent / signal).is_file():
                check_size(file.parent / signal, options.limit, "a signal")
        record = wfdb.rdrecord(name)
        values = np.asarray(record.p_signal, dtype=np.float64)
    _check_header(file)
    names, units = [str(channel) for channel in record.sig_name], record.units
    moment = getattr(record, "base_datetime", None)
    table = Table(
        names,
        list(values.T),
        str(file),
        named=False,
        rate=float(record.fs),
        start=None if moment is None else np.datetime64(moment, "ns"),
        notes=[", ".join(f"{n} in {u}" for n, u in zip(names, units, strict=True))],
        units=[str(unit) for unit in units],
    )
    if len(set(getattr(record, "samps_per_frame", None) or [1])) > 1:
        table.notes.append("signals of a higher rate are averaged per frame")
    return table


def _check_header(file: Path) -> None:
    """Raise for what wfdb replaces silently: letters that are not UTF-8, bad rates."""
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


FORMAT = SeriesFormat("wfdb", (".hea",), _read, "PhysioNet records, by their header")

"""PhysioNet records (WFDB): signals by their header, and beats as motif sets.

An annotation marks a beat at one sample. The segment of a beat lies between the
midpoints to the beats before and after it; the first and the last beat have only one
neighbour and are left out. Annotations that are not beats (rhythm, noise, comments) are
left out, and they are not neighbours.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.files import check_size, import_optional, not_decodable, readable
from tsmdbench.io.formats import MotifFormat, SeriesFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks
from tsmdbench.io.series import SeriesOptions, Table

# https://archive.physionet.org/physiobank/annotations.shtml, "Beat annotations"
BEATS = frozenset("NLRBAaJSVrFejnE/fQ?")


def _wfdb() -> Any:
    return import_optional("wfdb", "PhysioNet records need wfdb", "wfdb")


def _read(file: Path, options: SeriesOptions) -> Table:
    wfdb = _wfdb()
    check_size(file, options.max_bytes, "a header")
    name = str(file.with_suffix("").absolute())
    with readable(file, "readable WFDB record"):
        header = wfdb.rdheader(name)
        for signal in set(getattr(header, "file_name", None) or []):
            if (file.parent / signal).is_file():
                check_size(file.parent / signal, options.max_bytes, "a signal")
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


def _read_beats(file: Path, options: MarkOptions) -> Marks:
    wfdb = _wfdb()
    check_size(file, options.max_bytes, "annotations")
    with readable(file, "readable file of WFDB annotations"):
        found = wfdb.rdann(str(file.with_suffix("").absolute()), file.suffix[1:])
    pairs = list(zip(found.sample.tolist(), found.symbol, strict=True))
    beats = [(at, symbol) for at, symbol in pairs if symbol in BEATS]
    if len(beats) < 3:
        raise InputError(f"{file} has {len(beats)} beats; midpoints need three")
    if any(a >= b for (a, _), (b, _) in pairwise(beats)):
        raise InputError(f"{file} is damaged: its beats are not in order of time")
    middle = [(a + b) // 2 for (a, _), (b, _) in pairwise(beats)]
    rows = [
        Mark(symbol, start, end, f"{file}, beat at sample {at}")
        for (at, symbol), (start, end) in zip(
            beats[1:-1], pairwise(middle), strict=True
        )
    ]
    notes = ["segments lie between midpoints; the first and the last beat left out"]
    others = Counter(symbol for _, symbol in pairs if symbol not in BEATS)
    if others:
        counts = (f"{count} {symbol!r}" for symbol, count in others.most_common(5))
        notes.append(f"annotations that are not beats left out: {', '.join(counts)}")
    return Marks(rows, notes)


FORMATS = (
    SeriesFormat("wfdb", (".hea",), _read, "PhysioNet records, by their header"),
    MotifFormat(
        "wfdb",
        (".atr", ".ecg", ".qrs"),
        _read_beats,
        "beats of a PhysioNet record, by midpoints",
    ),
)

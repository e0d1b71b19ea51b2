"""Beats of a PhysioNet record (WFDB annotations), by the midpoint rule.

An annotation marks a beat at one sample. The segment of a beat lies between the
midpoints to the beats before and after it; the first and the last beat have only one
neighbour and are left out. Annotations that are not beats (rhythm, noise, comments) are
left out, and they are not neighbours.
"""

from __future__ import annotations

import itertools
import struct
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks
from tsmdbench.io.paths import brief, check_size
from tsmdbench.io.wfdb_package import import_wfdb

# https://archive.physionet.org/physiobank/annotations.shtml, "Beat annotations"
BEATS = frozenset("NLRBAaJSVrFejnE/fQ?")
BROKEN = (ValueError, OSError, IndexError, KeyError, TypeError, struct.error)


def midpoint_segments(samples: Sequence[int]) -> list[tuple[int, int]]:
    """Return the segments of all beats but the first and the last.

    Examples
    --------
    >>> midpoint_segments([10, 20, 40, 50])
    [(15, 30), (30, 45)]
    """
    middle = [(a + b) // 2 for a, b in itertools.pairwise(samples)]
    return list(itertools.pairwise(middle))


def _read(file: Path, options: MarkOptions) -> Marks:
    wfdb = import_wfdb()
    check_size(file, options.limit, "annotations")
    name = str(file.with_suffix("").absolute())
    try:
        found = wfdb.rdann(name, file.suffix[1:])
    except BROKEN as cause:
        raise InputError(
            f"{file}: not readable WFDB annotations ({brief(cause)})"
        ) from None
    pairs = list(zip(found.sample.tolist(), found.symbol, strict=True))
    beats = [(at, symbol) for at, symbol in pairs if symbol in BEATS]
    if len(beats) < 3:
        raise InputError(f"{file} has {len(beats)} beats; midpoints need three")
    places = [at for at, _ in beats]
    if any(a >= b for a, b in itertools.pairwise(places)):
        raise InputError(f"{file} is damaged: its beats are not in order of time")
    segments = zip(beats[1:-1], midpoint_segments(places), strict=True)
    rows = [
        Mark(symbol, start, end, f"{file}, beat at sample {at}")
        for (at, symbol), (start, end) in segments
    ]
    notes = ["segments lie between midpoints; the first and the last beat left out"]
    others = Counter(symbol for _, symbol in pairs if symbol not in BEATS)
    if others:
        shown = ", ".join(
            f"{count} {symbol!r}" for symbol, count in others.most_common(5)
        )
        notes.append(f"annotations that are not beats left out: {shown}")
    return Marks(rows, notes)


FORMAT = MotifFormat(
    "wfdb", (".atr", ".ecg", ".qrs"), _read, "beats of a PhysioNet record, by midpoints"
)

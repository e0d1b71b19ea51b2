"""Beats of a PhysioNet record (WFDB annotations), by the midpoint rule.

An annotation marks a beat at one sample. The segment of a beat lies between the
midpoints to the beats before and after it; the first and the last beat have only one
neighbour and are left out. Annotations that are not beats (rhythm, noise, comments) are
left out, and they are not neighbours.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import check_size, import_optional, readable
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks

# https://archive.physionet.org/physiobank/annotations.shtml, "Beat annotations"
BEATS = frozenset("NLRBAaJSVrFejnE/fQ?")


def _read(file: Path, options: MarkOptions) -> Marks:
    wfdb = import_optional("wfdb", "PhysioNet records need wfdb", "wfdb")
    check_size(file, options.limit, "annotations")
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


FORMAT = MotifFormat(
    "wfdb", (".atr", ".ecg", ".qrs"), _read, "beats of a PhysioNet record, by midpoints"
)

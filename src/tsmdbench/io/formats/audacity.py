"""Label tracks of Audacity: ``start<TAB>end<TAB>label`` per line, in seconds.

Lines that begin with a backslash hold the frequencies of a spectral selection; they are
left out. A label at a point in time has no length and is refused.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import read_text
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, as_bound
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.max_bytes, options.encoding)
    marks, spectral = Marks(), 0
    for number, line in enumerate(text.splitlines(), start=1):
        where, cells = f"{file}, line {number}", line.split("\t")
        if line.startswith("\\"):
            spectral += 1
            continue
        if not line.strip():
            continue
        if len(cells) != 3:
            raise InputError(
                f"{where}: a label track has start, end and label, separated by tabs, "
                f"got {len(cells)} cells"
            )
        try:
            times = [float(cell) for cell in cells[:2]]
        except ValueError:
            raise InputError(
                f"{where}: {cells[0]!r} and {cells[1]!r} must be seconds"
            ) from None
        label = cells[2].strip()
        if not label:
            raise InputError(f"{where} has no label; give it one, or remove it")
        if times[0] == times[1]:
            raise InputError(
                f"{where}: {label!r} marks a point in time; a motif has a start and an "
                f"end"
            )
        start, end = (as_bound(time, "s", where) for time in times)
        marks.rows.append(Mark(label, start, end, where))
    if not marks.rows:
        raise InputError(f"{file} holds no label")
    if spectral:
        marks.left_out.append(f"{counted(spectral, 'spectral selection')} left out")
    return marks


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    rows = writing.seconds(sets)
    return "".join(f"{a:.9f}\t{b:.9f}\t{label}\n" for a, b, label in rows).encode()


FORMATS = (
    MotifFormat(
        "audacity",
        (".audacity",),
        _read,
        "label track of Audacity, in seconds",
        write=_write,
        loses="the sampling rate: reading the file again needs it",
    ),
)

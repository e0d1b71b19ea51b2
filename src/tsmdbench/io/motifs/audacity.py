"""Label tracks of Audacity: ``start<TAB>end<TAB>label`` per line, in seconds.

Lines that begin with a backslash hold the frequencies of a spectral selection; they are
left out. A label at a point in time has no length and is refused.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks, Writing, bound_of_number
from tsmdbench.io.paths import read_text
from tsmdbench.plural import counted
from tsmdbench.types import MotifSet


def _read(file: Path, options: MarkOptions) -> Marks:
    text = read_text(file, options.limit, options.encoding)
    marks = Marks()
    spectral = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("\\"):
            spectral += 1
        elif line.strip():
            marks.rows.append(_mark(line, f"{file}, line {number}"))
    if not marks.rows:
        raise InputError(f"{file} holds no label")
    if spectral:
        marks.left_out.append(f"{counted(spectral, 'spectral selection')} left out")
    return marks


def _mark(line: str, where: str) -> Mark:
    cells = line.split("\t")
    if len(cells) != 3:
        raise InputError(
            f"{where}: a label track has start, end and label, separated by tabs, got "
            f"{len(cells)} cells"
        )
    try:
        start, end = (float(cell) for cell in cells[:2])
    except ValueError:
        raise InputError(
            f"{where}: {cells[0]!r} and {cells[1]!r} must be seconds"
        ) from None
    label = cells[2].strip()
    if not label:
        raise InputError(f"{where} has no label; give it one, or remove it")
    if start == end:
        raise InputError(
            f"{where}: {label!r} marks a point in time; a motif has a start and an end"
        )
    begin, stop = (bound_of_number(second, "s", where) for second in (start, end))
    return Mark(label, begin, stop, where)


def _write(sets: dict[str, MotifSet], writing: Writing) -> bytes:
    lines = [
        f"{start:.9f}\t{end:.9f}\t{label}\n"
        for start, end, label in writing.seconds(sets)
    ]
    return "".join(lines).encode()


FORMAT = MotifFormat(
    "audacity",
    (".audacity",),
    _read,
    "label track of Audacity, in seconds",
    write=_write,
    loses="the sampling rate: reading the file again needs it",
)

"""The matrix of starts that ``stumpy.motifs`` returns, saved as ``.npy``.

One row per motif set, filled up with -1; the length of the windows is not in it.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import read_npy
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import MarkOptions, Marks
from tsmdbench.io.results import from_stumpy


def _read(file: Path, options: MarkOptions) -> Marks:
    if options.length is None:
        raise InputError(f"{file}: give the length of the windows (--length)")
    array = read_npy(file, options.limit)
    try:
        found = from_stumpy(array, options.length)
    except InputError as cause:
        raise InputError(f"{file}: {cause}") from None
    sets = {str(place): list(motifs) for place, motifs in enumerate(found)}
    return Marks(plain=sets)


FORMAT = MotifFormat(
    "stumpy", (".npy",), _read, "matrix of starts of stumpy.motifs (--length)"
)

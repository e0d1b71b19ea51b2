"""One label per sample: an array (``.npy``) or a text with one label per line.

Runs of one label are segments; `background` is not a motif. Two occurrences of
one pattern that touch are one run, so they come back as one segment.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.files import read_npy, read_text
from tsmdbench.io.formats import MotifFormat
from tsmdbench.io.marks import Mark, MarkOptions, Marks
from tsmdbench.io.results import label_runs


def _read(file: Path, options: MarkOptions) -> Marks:
    if options.background is None:
        raise InputError(
            f"{file}: give the label outside of motifs with background (--background 0)"
        )
    if file.suffix.lower() == ".npy":
        array = read_npy(file, options.limit)
        if array.ndim != 1:
            raise InputError(f"{file}: labels have shape (n,), got {array.shape}")
        labels = [str(label) for label in array.tolist()]
    else:
        text = read_text(file, options.limit, options.encoding)
        labels = [line.strip() for line in text.splitlines()]
    if not labels:
        raise InputError(f"{file} holds no label")
    if options.background not in labels:
        raise InputError(
            f"{file} has no sample with the background label {options.background!r}; "
            f"check its spelling"
        )
    rows = [
        Mark(label, start, end, f"{file}, samples {start} to {end}")
        for label, start, end in label_runs(labels)
        if label != options.background
    ]
    return Marks(rows, ["occurrences that touch have become one segment"])


FORMAT = MotifFormat(
    "sample-labels", (".labels",), _read, "one label per sample (--background)"
)

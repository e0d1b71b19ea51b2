"""Records of the recordings suite, from the files that their authors distribute.

Nothing of the data comes with the package. A record is read from the layout of its
source or from a plain one, ``name.csv`` with ``name.truth.json`` beside it:

MITBIH
    ``100.hea``, ``100.dat``, ``100.atr`` as PhysioNet has them. The first lead; beats
    by the midpoint rule; premature ventricular contractions are ``V``, all other beats
    ``N``.
Muscle
    ``muscle_activation.csv`` and ``muscle_activation_gt.csv`` of motiflets
    (``datasets/ground_truth``). Where two annotated segments overlap, once and by 35
    samples, both end in the middle.
Music
    ``<song>.csv`` and ``<song>_gt.csv`` of leitmotifs (``datasets/audio``), 20 MFCC
    channels, rounded to 4 decimals.
SemiSynthetic
    ``synthetic_001.csv`` and ``synthetic_001_gt.csv`` of motiflets
    (``datasets/ground_truth/synthetic``).
"""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.benchmark.recording_files import Pair
from tsmdbench.benchmark.recordings import AnnotatedRecording, halved, read_pair
from tsmdbench.errors import DataError, InputError
from tsmdbench.io import Recording, as_recording
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_motif_sets, check_truth

MOST = 64 * 2**20  # bytes of a file, unpacked
DECIMALS = 4  # of MFCC channels
VENTRICULAR = "V"
OTHER = "N"
# Record to the name of its files at the source, without the ending.
AUTHORS = {
    "muscle-activation": "muscle_activation",
    "common-starling-sturnus-vulgaris": "common-starling-sturnus-vulgaris",
    "lord-of-the-rings-symphony-the-shire": "Lord-of-the-Rings-Symphony-The-Shire",
    "star-wars-the-imperial-march-theme-song": (
        "Star_Wars_The_Imperial_March_Theme_Song"
    ),
    "the-rolling-stones-paint-it-black": "The-Rolling-Stones-Paint-It-Black",
    "vanilla-ice-ice-ice-baby": "Vanilla_Ice-Ice_Ice_Baby",
    "what-i-ve-done-linkin-park": "What-I-ve-Done-Linkin-Park",
    **{f"{number:03d}": f"synthetic_{number:03d}" for number in range(1, 21)},
}


def read_record(record: str, folder: Path) -> AnnotatedRecording:
    """Read a record of the suite from a folder that has its files.

    Raises
    ------
    DataError
        The folder does not have them, or they cannot be read.
    """
    try:
        if (folder / f"{record}.hea").is_file():
            return _beats(record, folder)
        if (folder / f"{record}.truth.json").is_file():
            truth = folder / f"{record}.truth.json"
            return read_pair(
                Pair(record, folder / f"{record}.csv", truth), {}, halve=True
            )
        name = AUTHORS.get(record, record)
        if (folder / f"{name}_gt.csv").is_file():
            return _authors(record, folder / f"{name}.csv", folder / f"{name}_gt.csv")
    except (InputError, OSError, ValueError) as cause:
        raise DataError(f"record {record}: {cause}") from None
    raise DataError(f"{folder} does not have the files of record {record}")


def _beats(record: str, folder: Path) -> AnnotatedRecording:
    pair = Pair(record, folder / f"{record}.hea", folder / f"{record}.atr")
    read = read_pair(pair, {})
    whole = read.recording
    first = replace(whole, values=whole.values[:, :1], channels=whole.channels[:1])
    kinds: dict[str, list[Any]] = {OTHER: [], VENTRICULAR: []}
    for label, motifs in read.truth.items():
        kinds[VENTRICULAR if label == VENTRICULAR else OTHER] += list(motifs)
    truth = {label: MotifSet(segments) for label, segments in kinds.items() if segments}
    return AnnotatedRecording(record, first, truth)


def _authors(record: str, series: Path, truth: Path) -> AnnotatedRecording:
    """Read a table of the authors' repositories, and the table of its motif sets."""
    recording = _author_series(series)
    header, row = list(csv.reader(io.StringIO(_text(truth))))[:2]
    cells = zip(header[1:], row[1:], strict=True)
    # One of the files writes pairs in round brackets.
    brackets = str.maketrans("()", "[]")
    sets = {label: json.loads(cell.translate(brackets)) for label, cell in cells}
    clean = halved(check_motif_sets(sets, str(truth), n=len(recording)))
    checked = check_truth(clean, str(truth), n=len(recording))
    return AnnotatedRecording(
        record, recording, dict(zip(clean, checked.sets, strict=True))
    )


def _author_series(file: Path) -> Recording:
    rows = list(csv.reader(io.StringIO(_text(file))))
    if rows[0][0] == "MFCC":  # a row per channel, the first cell is its name
        values = np.array([row[1:] for row in rows[1:]], dtype=np.float64).T
        return as_recording(np.round(values, DECIMALS))
    # A row per sample; the first cell is its number, or its time in seconds.
    table = np.array([row[:2] for row in rows[1:]], dtype=np.float64)
    return as_recording(np.ascontiguousarray(table[:, 1]))


def _text(file: Path) -> str:
    """Return the text of a file, which may be compressed."""
    with file.open("rb") as plain:
        packed = plain.read(2) == b"\x1f\x8b"
    with gzip.open(file) if packed else file.open("rb") as stream:
        content = stream.read(MOST + 1)
    if len(content) > MOST:
        raise DataError(f"{file} has more than {MOST} bytes")
    return content.decode("utf-8")

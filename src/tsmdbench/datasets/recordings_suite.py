"""The recordings suite: real recordings as problems, the same on every machine.

Four datasets, each with validation and test problems. Which samples of which record a
problem is, is frozen in ``data/recordings.csv``: dataset, split, record, start, end,
and SHA-256 of series and truth. The data stays with its authors; `SOURCES` says where
it comes from and under which licence. A file that gives other samples is refused.

Records are searched in the folder that is given, in the folder ``recordings`` inside of
that which `TSMDBENCH_DATA` names, and in the user's cache.

Files of the authors
--------------------
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
import hashlib
import io
import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tsmdbench.datasets.archive import places
from tsmdbench.datasets.recordings import (
    LEAST,
    AnnotatedRecording,
    Piece,
    Recordings,
    halved,
    read_pair,
    truth_within,
)
from tsmdbench.datasets.suite import SPLITS, series_sha256
from tsmdbench.errors import DataError, InputError
from tsmdbench.io import PathLike, as_recording
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_choice, check_motif_sets, check_truth

_MOTIFLETS = "https://github.com/patrickzib/motiflets"
MOST = 64 * 2**20  # bytes of a file, unpacked
DECIMALS = 4  # of MFCC channels
VENTRICULAR = "V"
OTHER = "N"


class Source(NamedTuple):
    """Where the records of a dataset come from."""

    title: str
    where: str  # address of the data
    licence: str
    folders: tuple[str, ...]  # that may have the files, the plain one first
    fetch: str  # how to get them


SOURCES = {
    "MITBIH": Source(
        "MIT-BIH Arrhythmia Database: one-lead ECG, normal and ventricular beats",
        "https://physionet.org/content/mitdb/1.0.0/",
        "ODC-By 1.0",
        ("mitdb",),
        "python -c \"import wfdb; wfdb.dl_database('mitdb', 'DATA/recordings/mitdb')\"",
    ),
    "Muscle": Source(
        "Muscle activation: EMG of a person on an elliptical trainer",
        f"{_MOTIFLETS} (datasets/ground_truth)",
        "GPL-3.0 (the repository)",
        ("muscle", "ground_truth"),
        f"git clone {_MOTIFLETS} and copy datasets/ground_truth to DATA/recordings",
    ),
    "Music": Source(
        "Songs and a bird as 20 MFCC channels, with recurring themes",
        "https://github.com/patrickzib/leitmotifs (datasets/audio)",
        "GPL-3.0 (the repository)",
        ("music", "audio"),
        "git clone https://github.com/patrickzib/leitmotifs and copy datasets/audio to "
        "DATA/recordings",
    ),
    "SemiSynthetic": Source(
        "Real series with one implanted motif each",
        f"{_MOTIFLETS} (datasets/ground_truth/synthetic)",
        "GPL-3.0 (the repository)",
        ("semisynthetic", "synthetic", "ground_truth/synthetic"),
        f"git clone {_MOTIFLETS} and copy datasets/ground_truth to DATA/recordings",
    ),
}
RECORDINGS_SUITE = tuple(SOURCES)


class Recipe(NamedTuple):
    """One problem of the suite: samples ``[start, end)`` of a record."""

    dataset: str
    split: str
    record: str
    start: int
    end: int
    series_sha256: str
    truth_sha256: str


def load_recordings_suite(
    name: str, split: str = "test", *, folder: PathLike | None = None
) -> Recordings:
    """Load the problems of one split of a dataset of the recordings suite.

    Parameters
    ----------
    name : {"MITBIH", "Muscle", "Music", "SemiSynthetic"}
    split : {"test", "validation"}
        No record is in both. Muscle has one record, of which validation is the first
        half and test the second.
    folder : path, optional
        Folder that is searched first for the records.

    Raises
    ------
    DataError
        The records are not here, with how to get them; or a file gives other samples
        than the suite was frozen with.
    """
    check_choice(name, "name", RECORDINGS_SUITE)
    check_choice(split, "split", SPLITS)
    wanted = [r for r in suite_recipes() if (r.dataset, r.split) == (name, split)]
    place = locate_records(name, folder)
    if place is None:
        raise DataError(
            f"{name} is unavailable; get it with: {SOURCES[name].fetch} "
            f"(DATA is the folder that TSMDBENCH_DATA names)"
        )
    names = dict.fromkeys(recipe.record for recipe in wanted)
    sources = {record: read_record(record, place) for record in names}
    pieces = []
    for recipe in wanted:
        pieces.append(Piece(recipe.record, recipe.start, recipe.end))
        series, truth = pieces_digests(sources[recipe.record], pieces[-1])
        if (series, truth) != (recipe.series_sha256, recipe.truth_sha256):
            what = "annotations" if series == recipe.series_sha256 else "samples"
            raise DataError(
                f"{name}: the {what} {recipe.start} to {recipe.end} of record "
                f"{recipe.record} are not those that the suite was frozen with; get "
                f"the record again: {SOURCES[name].fetch}"
            )
    return Recordings(
        name,
        split,
        sources,
        tuple(pieces),
        hashes=tuple(bytes.fromhex(recipe.series_sha256) for recipe in wanted),
        frozen=True,
    )


def locate_records(name: str, folder: PathLike | None = None) -> Path | None:
    """Return the folder that has the records of a dataset, or None."""
    records = {r.record for r in suite_recipes() if r.dataset == name}
    roots = [] if folder is None else [Path(folder)]
    roots += [place.folder / "recordings" for place in places()]
    for root in roots:
        for place in (root, *(root / inner for inner in SOURCES[name].folders)):
            if all(any(file.is_file() for file in _files(place, r)) for r in records):
                return place
    return None


def _files(place: Path, record: str) -> tuple[Path, Path, Path]:
    """Return the files that determine the layout: WFDB, plain, or its authors'."""
    author = AUTHORS.get(record, record)
    names = (f"{record}.hea", f"{record}.truth.json", f"{author}_gt.csv")
    wfdb, plain, authors = (place / name for name in names)
    return wfdb, plain, authors


def pieces_digests(source: AnnotatedRecording, piece: Piece) -> tuple[str, str]:
    """Return SHA-256 of the series and of the truth of a piece."""
    series = source.recording.series[piece.start : piece.end]
    truth = truth_within(source.truth, piece, LEAST)
    text = json.dumps({label: list(truth[label]) for label in sorted(truth)})
    return series_sha256(series).hex(), hashlib.sha256(text.encode()).hexdigest()


@cache
def suite_recipes() -> tuple[Recipe, ...]:
    """Return the frozen recipes, as they come with the package."""
    text = files("tsmdbench.datasets").joinpath("data/recordings.csv").read_text()
    _, *rows = csv.reader(text.splitlines())
    return tuple(Recipe(a, b, c, int(d), int(e), f, g) for a, b, c, d, e, f, g in rows)


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
    """Read a record of the suite from a folder that has its files."""
    wfdb, plain, authors = _files(folder, record)
    try:
        if wfdb.is_file():
            read = read_pair(record, wfdb, folder / f"{record}.atr")
            kinds: dict[str, list[Any]] = {OTHER: [], VENTRICULAR: []}
            for label, motifs in read.truth.items():
                kinds[VENTRICULAR if label == VENTRICULAR else OTHER] += list(motifs)
            whole = read.recording
            lead, channel = whole.values[:, :1], whole.channels[:1]
            return AnnotatedRecording(
                record,
                replace(whole, values=lead, channels=channel),
                {label: MotifSet(found) for label, found in kinds.items() if found},
            )
        if plain.is_file():
            return read_pair(record, folder / f"{record}.csv", plain, halve=True)
        if authors.is_file():
            return _of_authors(record, authors)
    except (InputError, OSError, ValueError) as cause:
        raise DataError(f"record {record}: {cause}") from None
    raise DataError(f"{folder} does not have the files of record {record}")


def _of_authors(record: str, truth: Path) -> AnnotatedRecording:
    """Read a table of the authors' repositories, and the table of its motif sets."""
    rows = _rows(truth.with_name(truth.name.replace("_gt.csv", ".csv")))
    if rows[0][0] == "MFCC":  # a row per channel, the first cell is its name
        values = np.array([row[1:] for row in rows[1:]], dtype=np.float64).T
        recording = as_recording(np.round(values, DECIMALS))
    else:  # a row per sample; the first cell is its number, or its time in seconds
        table = np.array([row[:2] for row in rows[1:]], dtype=np.float64)
        recording = as_recording(np.ascontiguousarray(table[:, 1]))
    labels, cells = _rows(truth)[:2]
    brackets = str.maketrans("()", "[]")  # one of the files has pairs in round ones
    sets = {
        label: json.loads(cell.translate(brackets))
        for label, cell in zip(labels[1:], cells[1:], strict=True)
    }
    clean = halved(check_motif_sets(sets, str(truth), n=len(recording)))
    check_truth(clean, str(truth), n=len(recording))
    return AnnotatedRecording(record, recording, clean)


def _rows(file: Path) -> list[list[str]]:
    """Return the cells of a table, which may be compressed."""
    with file.open("rb") as start:
        packed = start.read(2) == b"\x1f\x8b"
    with gzip.open(file) if packed else file.open("rb") as stream:
        content = stream.read(MOST + 1)
    if len(content) > MOST:
        raise DataError(f"{file} has more than {MOST} bytes")
    return list(csv.reader(io.StringIO(content.decode("utf-8"))))

"""Choose the pieces of the recordings suite and write what the package ships.

    python tools/freeze_recordings.py FOLDER [--check]

FOLDER has the records (``FOLDER/mitdb``, ``FOLDER/music``, ...). Writes
``src/tsmdbench/datasets/data/recordings.csv``, byte for byte the same every time;
``--check`` writes nothing and says whether the shipped file would come out again.

* MITBIH: 30-second pieces with at least two beats of each kind; all of records 105 and
  114 for validation, 20 at equal steps of each of 106 and 116 for test.
* Muscle: the first half of the record for validation, the second for test.
* Music, SemiSynthetic: whole records; a third and a quarter of them, drawn, for
  validation.
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
from pathlib import Path

import numpy as np

from tsmdbench.datasets.draws import Draws
from tsmdbench.datasets.recordings import AnnotatedRecording, Piece, truth_within
from tsmdbench.datasets.recordings_suite import (
    AUTHORS,
    SOURCES,
    Recipe,
    pieces_digests,
    read_record,
)
from tsmdbench.io import write_atomically

FILE = (
    Path(__file__).parents[1]
    / "src"
    / "tsmdbench"
    / "benchmark"
    / "data"
    / "recordings.csv"
)
MITBIH = {"105": "validation", "114": "validation", "106": "test", "116": "test"}
SECONDS = 30
PER_TEST_RECORD = 20


def main() -> int:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    text = as_csv(recipes(given.folder))
    if given.check:
        same = FILE.read_text("utf-8") == text
        print(f"{FILE.name}: {'the same' if same else 'DIFFERENT'}")
        return 0 if same else 1
    write_atomically(FILE, text.encode())
    print(f"{FILE.name}: {text.count(chr(10)) - 1} problems")
    return 0


def recipes(folder: Path) -> list[Recipe]:
    """Return the recipes of all four datasets."""
    found = []
    for record, split in sorted(MITBIH.items()):
        source = read_record(record, folder / "mitdb")
        found += [recipe("MITBIH", split, source, p) for p in beats(source, split)]
    muscle = read_record("muscle-activation", folder / "muscle")
    half = len(muscle.recording) // 2
    for split, start in (("validation", 0), ("test", half)):
        piece = Piece(muscle.name, start, start + half)
        found.append(recipe("Muscle", split, muscle, piece))
    for dataset, part in (("Music", 3), ("SemiSynthetic", 4)):
        digits = dataset == "SemiSynthetic"
        records = [
            name
            for name in sorted(AUTHORS)
            if name.isdigit() == digits and name != muscle.name
        ]
        drawn = Draws(0, dataset, "recordings").sample(records, len(records) // part)
        for name in records:
            place = folder / SOURCES[dataset].folders[0]
            source = read_record(name, place)
            whole = Piece(name, 0, len(source.recording))
            split = "validation" if name in drawn else "test"
            found.append(recipe(dataset, split, source, whole))
    return found


def beats(source: AnnotatedRecording, split: str) -> list[Piece]:
    """Return the pieces of a record that have two beats of each kind."""
    size = round(SECONDS * (source.recording.rate or 0))
    starts = range(0, len(source.recording) - size + 1, size)
    pieces = [Piece(source.name, start, start + size) for start in starts]
    both = [p for p in pieces if len(truth_within(source.truth, p)) == 2]
    if split == "validation" or len(both) <= PER_TEST_RECORD:
        return both
    steps = np.linspace(0, len(both) - 1, PER_TEST_RECORD).round().astype(int)
    return [both[step] for step in steps]


def recipe(
    dataset: str, split: str, source: AnnotatedRecording, piece: Piece
) -> Recipe:
    """Return the recipe of a piece, with its hashes."""
    return Recipe(dataset, split, *piece, *pieces_digests(source, piece))


def as_csv(rows: list[Recipe]) -> str:
    """Return recipes as a table."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(Recipe._fields)
    writer.writerows(rows)
    return buffer.getvalue()


if __name__ == "__main__":
    sys.exit(main())

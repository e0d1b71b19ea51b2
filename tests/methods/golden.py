"""Golden cases: series, settings, and the motif sets that other code found."""

import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parents[1] / "golden" / "distance"
CASES = json.loads((FOLDER / "cases.json").read_text())["cases"]


def series(name):
    with np.load(FOLDER / "series.npz") as stored:
        return stored[name]


def lists(found):
    return [[list(segment) for segment in motifs] for motifs in found]


def starts(found):
    return [motifs.starts.tolist() for motifs in found]

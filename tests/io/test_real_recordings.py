"""Recordings as they are distributed: every one is read, with its truth."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tsmdbench import MotifSet
from tsmdbench.io import read_motif_sets, read_recording, write_motif_sets
from tsmdbench.validation import check_motif_sets

FOLDER = Path(os.environ.get("TSMDBENCH_DATA", "none")) / "recordings"
FILES = sorted(FOLDER.glob("*/*.csv"))

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FILES, reason="needs recordings in TSMDBENCH_DATA"),
]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_values_are_those_of_pandas_and_truth_fits(file, tmp_path):
    frame = pd.read_csv(file, float_precision="round_trip")
    recording = read_recording(file)
    timed = "seconds" in frame
    channels = frame.drop(columns="seconds") if timed else frame
    assert recording.channels == tuple(channels.columns)
    assert np.array_equal(recording.values, channels.to_numpy(float))
    assert (recording.rate is not None) == timed
    truth = file.with_suffix(".truth.json")
    sets = check_motif_sets(truth, "truth", n=len(recording))
    if timed:
        assert recording.rate == pytest.approx(1 / np.diff(frame["seconds"]).mean())
        track = tmp_path / "track.audacity"
        labelled = dict(zip(sets.labels, sets.sets, strict=True))
        write_motif_sets(track, labelled, recording=recording)
        again = read_motif_sets(track, recording=recording)
        assert {label: MotifSet(pairs) for label, pairs in again.items()} == labelled
    assert set(sets.labels) == set(json.loads(truth.read_text()))

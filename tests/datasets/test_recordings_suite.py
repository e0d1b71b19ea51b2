"""The recordings suite: frozen pieces, from the sources' own files."""

import gzip
import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest
import wfdb

from tsmdbench.benchmark import RECORDINGS_SUITE, SPLITS, load_recordings_suite
from tsmdbench.datasets.recordings_suite import read_record, suite_recipes
from tsmdbench.errors import DataError
from tsmdbench.types import MotifSet

FOLDER = Path(os.environ.get("TSMDBENCH_DATA", "none")) / "recordings"
here = pytest.mark.skipif(not FOLDER.is_dir(), reason="needs the recordings")


def test_recipes_keep_records_apart():
    recipes = suite_recipes()
    assert {recipe.dataset for recipe in recipes} == set(RECORDINGS_SUITE)
    for dataset in set(RECORDINGS_SUITE) - {"Muscle"}:
        sides = [
            {r.record for r in recipes if (r.dataset, r.split) == (dataset, split)}
            for split in SPLITS
        ]
        assert all(sides)
        assert not sides[0] & sides[1]
    for recipe in recipes:
        assert 0 <= recipe.start < recipe.end
        assert len(recipe.series_sha256) == len(recipe.truth_sha256) == 64
    by_record = sorted((r.dataset, r.record, r.start, r.end) for r in recipes)
    for before, after in itertools.pairwise(by_record):
        assert before[:2] != after[:2] or before[3] <= after[2]


@here
@pytest.mark.parametrize("name", RECORDINGS_SUITE)
@pytest.mark.parametrize("split", SPLITS)
def test_frozen_problems_come_out_again(name, split):
    found = load_recordings_suite(name, split, folder=FOLDER)
    assert found.frozen
    for problem in found:
        assert all(len(motifs) >= 2 for motifs in problem.truth.values())
        assert np.isfinite(problem.series).all()
        if name == "MITBIH":
            assert set(problem.truth) == {"N", "V"}
            assert len(problem.series) == 10800


def test_without_data_it_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TSMDBENCH_DATA", str(tmp_path))
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DataError, match="MITBIH is unavailable; get it with"):
        load_recordings_suite("MITBIH", folder=tmp_path)


def test_other_samples_are_refused(tmp_path):
    for split in SPLITS:
        for recipe in suite_recipes():
            if (recipe.dataset, recipe.split) == ("Muscle", split):
                np.savetxt(tmp_path / f"{recipe.record}.csv", np.arange(14950.0))
                truth = tmp_path / f"{recipe.record}.truth.json"
                truth.write_text(json.dumps({"a": [[0, 300], [8000, 8300]]}))
    with pytest.raises(DataError, match="not those that the suite was frozen with"):
        load_recordings_suite("Muscle", "test", folder=tmp_path)


def test_tables_of_the_authors_are_read(tmp_path):
    values = np.random.default_rng(0).normal(size=(3, 50))
    lines = [
        "MFCC,0.0,0.1",
        *(
            f"MFCC {i}," + ",".join(map(repr, map(float, row)))
            for i, row in enumerate(values)
        ),
    ]
    (tmp_path / "song.csv").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "song_gt.csv").write_text('id,"A"\n0,"[(1, 9), (20, 30)]"\n')
    song = read_record("song", tmp_path)
    np.testing.assert_array_equal(song.recording.values, values.T.round(4))
    assert song.truth == {"A": MotifSet([(1, 9), (20, 30)])}
    (tmp_path / "synthetic_001.csv").write_text(",0\n0,1.5\n1,2.5\n2,0.5\n3,1\n")
    (tmp_path / "synthetic_001_gt.csv").write_text(',Implanted\n0,"[[0, 1], [2, 4]]"\n')
    made = read_record("001", tmp_path)
    assert made.recording.series.tolist() == [1.5, 2.5, 0.5, 1.0]
    (tmp_path / "synthetic_001_gt.csv").write_text(",Implanted\n0,what\n")
    with pytest.raises(DataError, match="record 001"):
        read_record("001", tmp_path)


def test_leads_and_beats_of_the_full_database(tmp_path):
    rng = np.random.default_rng(0)
    signals = rng.normal(size=(2000, 2)).round(2)
    wfdb.wrsamp(
        "200",
        fs=360,
        units=["mV", "mV"],
        sig_name=["MLII", "V1"],
        p_signal=signals,
        fmt=["16", "16"],
        write_dir=str(tmp_path),
    )
    wfdb.wrann(
        "200",
        "atr",
        np.array([50, 100, 200, 300, 400, 450, 500]),
        symbol=["N", "+", "V", "A", "V", "/", "N"],
        write_dir=str(tmp_path),
    )
    found = read_record("200", tmp_path)
    assert found.recording.values.shape == (2000, 1)
    assert found.recording.channels == ("MLII",)
    assert found.truth["V"] == MotifSet([(125, 250), (350, 425)])
    assert found.truth["N"] == MotifSet([(250, 350), (425, 475)])

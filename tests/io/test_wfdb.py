"""PhysioNet records: the signals, and beats by the midpoint rule."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
import wfdb

from tests.io.damage import sentence
from tsmdbench.errors import MissingExtraError
from tsmdbench.io import read_annotations, read_recording
from tsmdbench.metrics import prom

FOLDER = Path(os.environ.get("TSMDBENCH_DATA", "none")) / "recordings" / "mitdb"


@pytest.fixture(autouse=True)
def made(tmp_path):
    """Write a record with annotations."""
    values, both = np.random.default_rng(0).normal(size=(2000, 2)).round(2), ["16"] * 2
    folder = str(tmp_path)
    wfdb.wrsamp(
        "made", 250, ["mV"] * 2, ["I", "II"], values, fmt=both, write_dir=folder
    )
    places, symbols = np.array([100, 300, 450, 700, 900]), ["N", "V", "+", "N", "N"]
    wfdb.wrann("made", "atr", places, symbol=symbols, write_dir=folder)


def test_a_made_up_record(tmp_path):
    recording = read_recording(tmp_path / "made.hea")
    assert (recording.channels, recording.rate) == (("I", "II"), 250.0)
    expected = wfdb.rdrecord(str(tmp_path / "made")).p_signal
    assert np.array_equal(recording.values, expected)
    found = read_annotations(tmp_path / "made.atr", recording=recording)
    assert found.sets == {"V": [(200, 500)], "N": [(500, 800)]}
    assert "annotations that are not beats left out: 1 '+'" in found.notes


def test_damaged_records_are_one_sentence(tmp_path):
    file, signal = tmp_path / "made.hea", tmp_path / "made.dat"
    header = file.read_text()
    assert "250 Hz, but rate is" in sentence(read_recording, file, rate=360)
    for old, new in (
        (header, ""),
        (header, "made"),
        (header, "\n\n"),
        ("2000", "200000000"),
        ("made.dat", "../made.dat"),
        *((" 250 ", f" {rate} ") for rate in ("0", "-250", "0/10", "nan", "inf", "x")),
        (" I\n", " größe\n"),
    ):
        assert old in header
        file.write_bytes(header.replace(old, new).encode("latin-1"))
        assert "made.hea" in sentence(read_recording, file)
    file.write_text(header)
    signal.write_bytes(signal.read_bytes()[:100])
    assert "made.hea" in sentence(read_recording, file)
    (tmp_path / "made.atr").write_bytes(b"")
    assert "made.atr" in sentence(read_annotations, tmp_path / "made.atr")


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wfdb", None)
    with pytest.raises(MissingExtraError, match=r'pip install "tsmdbench\[wfdb\]"'):
        read_recording(tmp_path / "made.hea")


@pytest.mark.data
@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs recordings in TSMDBENCH_DATA")
def test_a_real_record():
    recording = read_recording(FOLDER / "106.hea")
    assert recording.values.shape == (650_000, 1)
    assert (recording.channels, recording.rate) == (("ECG",), 360.0)
    truth = read_annotations(FOLDER / "106.atr", recording=recording).sets
    assert len(truth["V"]) == 520
    assert prom(truth, truth, n=len(recording)).f1 == 1.0

"""PhysioNet records: the signals, and beats by the midpoint rule."""

import os
from pathlib import Path

import numpy as np
import pytest
import wfdb

from tsmdbench.errors import InputError, MissingExtraError
from tsmdbench.io import read_annotations, read_recording
from tsmdbench.metrics import prom

FOLDER = Path(os.environ.get("TSMDBENCH_DATA", "none")) / "recordings" / "mitdb"


def made(folder, samples=2000):
    rng = np.random.default_rng(0)
    wfdb.wrsamp(
        "made",
        fs=250,
        units=["mV", "mV"],
        sig_name=["I", "II"],
        p_signal=rng.normal(size=(samples, 2)).round(2),
        fmt=["16", "16"],
        write_dir=str(folder),
    )
    places = np.array([100, 300, 450, 700, 900])
    wfdb.wrann(
        "made", "atr", places, symbol=["N", "V", "+", "N", "N"], write_dir=str(folder)
    )


def test_a_made_up_record(tmp_path):
    made(tmp_path)
    recording = read_recording(tmp_path / "made.hea")
    assert (recording.channels, recording.rate) == (("I", "II"), 250.0)
    expected = wfdb.rdrecord(str(tmp_path / "made")).p_signal
    assert np.array_equal(recording.values, expected)
    found = read_annotations(tmp_path / "made.atr", recording=recording)
    assert found.sets == {"V": [(200, 500)], "N": [(500, 800)]}
    assert "annotations that are not beats left out: 1 '+'" in found.notes


def test_damaged_records_are_one_sentence(tmp_path):
    made(tmp_path)
    header = (tmp_path / "made.hea").read_text()
    signal = (tmp_path / "made.dat").read_bytes()
    elsewhere = header.replace("made.dat", "../made.dat")
    far = header.replace("2000", "200000000")
    for content in ("", "made", "\n\n", far, elsewhere):
        (tmp_path / "made.hea").write_text(content)
        with pytest.raises(InputError, match=r"made\.hea") as error:
            read_recording(tmp_path / "made.hea")
        assert "\n" not in str(error.value)
    (tmp_path / "made.hea").write_text(header)
    (tmp_path / "made.dat").write_bytes(signal[:100])
    with pytest.raises(InputError, match=r"made\.hea"):
        read_recording(tmp_path / "made.hea")
    (tmp_path / "made.atr").write_bytes(b"")
    with pytest.raises(InputError, match=r"made\.atr"):
        read_annotations(tmp_path / "made.atr")


def test_rates_and_encodings_of_records(tmp_path):
    made(tmp_path)
    with pytest.raises(InputError, match="250 Hz, but rate is"):
        read_recording(tmp_path / "made.hea", rate=360)
    header = (tmp_path / "made.hea").read_text()
    for rate in ("0", "-250", "0/10", "nan", "inf", "fast"):
        content = header.replace(" 250 ", f" {rate} ", 1)
        assert content != header
        (tmp_path / "made.hea").write_text(content)
        with pytest.raises(InputError, match=r"made\.hea") as error:
            read_recording(tmp_path / "made.hea")
        assert "\n" not in str(error.value)
    named = header.replace(" I\n", " größe\n", 1)
    assert named != header
    (tmp_path / "made.hea").write_bytes(named.encode("latin-1"))
    with pytest.raises(InputError, match=r"made\.hea"):
        read_recording(tmp_path / "made.hea")


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "wfdb", None)
    (tmp_path / "x.hea").write_text("x 1 360 10\n")
    with pytest.raises(MissingExtraError, match=r'pip install "tsmdbench\[wfdb\]"'):
        read_recording(tmp_path / "x.hea")


@pytest.mark.data
@pytest.mark.skipif(not FOLDER.is_dir(), reason="needs recordings in TSMDBENCH_DATA")
def test_a_real_record():
    recording = read_recording(FOLDER / "106.hea")
    assert recording.values.shape == (650_000, 1)
    assert (recording.channels, recording.rate) == (("ECG",), 360.0)
    truth = read_annotations(FOLDER / "106.atr", recording=recording).sets
    assert len(truth["V"]) == 520
    assert prom(truth, truth, n=len(recording)).f1 == 1.0

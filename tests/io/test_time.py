"""Time columns: recognised, checked, and said; and times turned into samples."""

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError
from tsmdbench.io import read_recording
from tsmdbench.io.time_column import unit_of
from tsmdbench.io.timebase import Seconds, TimeBase, parse_bound, parse_duration

STAMP = np.datetime64("2024-05-01T12:00:00", "ns")


def written(tmp_path, times, name="time", n=None):
    file = tmp_path / "x.csv"
    frame = pd.DataFrame({name: times, "x": np.sin(np.arange(n or len(times)))})
    frame.to_csv(file, index=False)
    return file


@pytest.mark.parametrize(
    ("name", "times", "start", "says"),
    [
        ("seconds", np.arange(50) * 0.01, 0.0, "seconds"),
        ("time", 3 + np.arange(50) * 0.01, 3.0, "seconds"),
        ("time (ms)", np.arange(50) * 10, 0.0, "ms"),
        ("Time_ms", 500 + np.arange(50) * 10, 0.5, "ms"),
        ("t", np.arange(50) * 0.01, 0.0, "seconds"),
        ("timestamp", 1714564800 + np.arange(50) * 0.01, STAMP, "seconds since 1970"),
        ("timestamp", 1714564800000 + np.arange(50) * 10, STAMP, "ms since 1970"),
        ("epoch", 1714564800000000 + np.arange(50) * 10_000, STAMP, "us since 1970"),
        ("time", 1714564800 * 10**9 + np.arange(50) * 10**7, STAMP, "ns since 1970"),
        (
            "when",
            STAMP + np.arange(50) * np.timedelta64(10, "ms"),
            STAMP,
            "time stamps",
        ),
    ],
)
def test_time_columns_are_recognised_and_said(tmp_path, name, times, start, says):
    recording = read_recording(written(tmp_path, times, name))
    assert recording.channels == ("x",)
    assert recording.rate == 100.0
    assert recording.start == start
    assert f"time from {name!r} ({says})" in recording.notes


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2024-05-01T12:00:00Z", STAMP),
        ("2024-05-01T14:00:00+02:00", STAMP),
        ("2024-05-01 12:00:00", STAMP),
        ("2024-05-01T12:00", STAMP),
    ],
)
def test_stamps_with_and_without_zone(tmp_path, text, start):
    zone = text[16:].lstrip(":0123456789") if len(text) > 19 else ""
    first = pd.Timestamp(text[:19])
    lines = [
        f"{(first + pd.Timedelta(seconds=k)).isoformat()}{zone},{k % 3}"
        for k in range(9)
    ]
    file = tmp_path / "x.csv"
    file.write_text("\n".join(["when,x", *lines]))
    recording = read_recording(file)
    assert recording.start == start
    assert recording.rate == 1.0
    assert ("time stamps converted to UTC" in recording.notes) == bool(zone)


def test_clock_times_are_seconds(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("clock,x\n00:00:59.5,1\n00:01:00.0,2\n00:01:00.5,3\n")
    recording = read_recording(file)
    assert (recording.rate, recording.start) == (2.0, 59.5)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("seconds", "s"),
        ("Time [s]", "s"),
        ("time_us", "us"),
        ("milliseconds", "ms"),
        ("timestamp", ""),
        ("acc_x", None),
        ("s", None),
        ("temperature", None),
        ("sometimes", None),
    ],
)
def test_units_come_from_names(name, unit):
    assert unit_of(name) == unit


def test_a_temperature_called_t_is_a_channel(tmp_path):
    file = written(tmp_path, [20.5, 20.4, 20.6, 20.5], "t")
    recording = read_recording(file)
    assert recording.channels == ("t", "x")
    assert recording.rate is None


def test_a_ramp_without_a_name_is_left_out_with_a_word(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("\n".join(f"{k / 10},{k % 3}" for k in range(30)))
    recording = read_recording(file)
    assert recording.channels == ("1",)
    assert "if it is the time, give --time-column '0'" in " ".join(recording.notes)
    timed = read_recording(file, time_column="0")
    assert (timed.channels, timed.rate) == (("1",), 10.0)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (
            [0, 1, 2, 1, 4],
            r"goes back at line 5 \(2.0 is followed by 1.0\), 1 such row in all",
        ),
        ([0, 1, 1, 2, 3], "stands still at line 4"),
        ([0, 1, np.nan, 3, 4], "lacks 1 value, the first at line 4"),
        ([0, 1, 1.1, 5, 6], "are not constant"),
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 14, 15], "3 samples after line 12 "),
    ],
)
def test_bad_time_is_named_with_its_place(tmp_path, times, message):
    with pytest.raises(InputError, match=message):
        read_recording(written(tmp_path, times))
    kept = read_recording(written(tmp_path, times), time_column="none", missing="keep")
    assert kept.channels == ("time", "x")


def test_two_time_columns_are_not_guessed(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("time,seconds,x\n0,0,1\n1,1,2\n")
    with pytest.raises(InputError, match="several columns may be the time"):
        read_recording(file)
    chosen = read_recording(file, time_column="seconds", columns="x")
    assert chosen.rate == 1.0


def test_a_rate_that_contradicts_the_file_is_refused(tmp_path):
    file = written(tmp_path, np.arange(20) * 0.01)
    assert read_recording(file, rate=100).rate == 100
    with pytest.raises(InputError, match="100 Hz, but rate is 50"):
        read_recording(file, rate=50)
    with pytest.raises(InputError, match="rate must be a positive"):
        read_recording(file, rate=-1)


def test_rounded_stamps_are_constant_steps(tmp_path):
    times = np.round(np.arange(3600) / 360, 3)  # 2 or 3 ms apart
    recording = read_recording(written(tmp_path, times, "seconds"))
    assert recording.rate == pytest.approx(360, rel=1e-3)
    assert "vary by up to" in " ".join(recording.notes)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3s", 3),
        ("500ms", 0.5),
        ("1.5 min", 90),
        ("2h", 7200),
        ("80", None),
        ("s", None),
    ],
)
def test_durations(text, seconds):
    assert parse_duration(text) == seconds


def test_bounds():
    assert parse_bound("12") == 12
    assert parse_bound("1.5s") == Seconds(1.5)
    assert parse_bound("00:01:30.5") == Seconds(90.5)
    assert parse_bound("2024-05-01T14:00:00+02:00") == STAMP
    assert parse_bound("1.5") is None
    assert parse_bound("2024-13-01") is None


def test_times_become_samples_of_the_recording():
    base = TimeBase(100.0, STAMP)
    assert base.sample(STAMP + np.timedelta64(1, "s")) == (100, 0.0)
    assert base.sample(Seconds(0.25)) == (25, 0.0)
    nearest, moved = base.sample(Seconds(0.254))
    assert (nearest, round(moved, 9)) == (25, 0.004)
    assert TimeBase(100.0, 3.0).sample(Seconds(3.5)) == (50, 0.0)
    with pytest.raises(InputError, match="no sampling rate is known"):
        TimeBase().sample(Seconds(1.0))
    with pytest.raises(InputError, match="is a time stamp, but the recording has none"):
        TimeBase(100.0).sample(STAMP)

"""Time columns, times as samples, missing values and missing rows."""

import numpy as np
import pandas as pd
import pytest

from tests.io.damage import sentence
from tsmdbench import InputError, MotifSet
from tsmdbench.io import (
    Gap,
    Recording,
    read_annotations,
    read_recording,
    split_at_missing,
    write_motif_sets,
)

STAMP = np.datetime64("2024-05-01T12:00:00", "ns")
EPOCH = 1714564800
HOLES = "a,b\n1,10\n2,\n3,NA\n4,40\n,50\n6,60\n"
GAP = pd.DataFrame({"seconds": [*range(10), *range(12, 22)], "x": np.arange(20.0)})


def written(tmp_path, times, name="time"):
    file = tmp_path / "x.csv"
    frame = pd.DataFrame({name: times, "x": np.sin(np.arange(len(times)))})
    frame.to_csv(file, index=False)
    return file


def test_time_columns_are_recognised_and_noted(tmp_path):
    k = np.arange(50)
    for name, times, start, unit in (
        ("seconds", k * 0.01, 0.0, "seconds"),
        ("time", 3 + k * 0.01, 3.0, "seconds"),
        ("time (ms)", k * 10, 0.0, "ms"),
        ("Time_ms", 500 + k * 10, 0.5, "ms"),
        ("t", k * 0.01, 0.0, "seconds"),
        ("timestamp", EPOCH + k * 0.01, STAMP, "seconds since 1970"),
        ("timestamp", 1000 * EPOCH + k * 10, STAMP, "ms since 1970"),
        ("epoch", 10**6 * EPOCH + k * 10_000, STAMP, "us since 1970"),
        ("time", 10**9 * EPOCH + k * 10**7, STAMP, "ns since 1970"),
        ("when", STAMP + k * np.timedelta64(10, "ms"), STAMP, "time stamps"),
    ):
        recording = read_recording(written(tmp_path, times, name))
        assert recording.channels == ("x",)
        assert (recording.rate, recording.start) == (100.0, start)
        assert f"time from {name!r} ({unit})" in recording.notes


def test_stamps_with_and_without_zone_and_clock_times(tmp_path):
    file = tmp_path / "x.csv"
    for form in ("{}Z", "{}+02:00", "{}"):
        hour = 14 if "+" in form else 12
        times = (form.format(f"2024-05-01T{hour}:00:0{k}") for k in range(9))
        lines = [f"{time},{k % 3}" for k, time in enumerate(times)]
        file.write_text("\n".join(["when,x", *lines]))
        recording = read_recording(file)
        assert (recording.start, recording.rate) == (STAMP, 1.0)
        assert ("time stamps converted to UTC" in recording.notes) == (form != "{}")
    file.write_text("clock,x\n00:00:59.5,1\n00:01:00.0,2\n00:01:00.5,3\n")
    recording = read_recording(file)
    assert (recording.rate, recording.start) == (2.0, 59.5)
    file.write_text("time,seconds,x\n0,0,1\n1,1,2\n")
    chosen = read_recording(file, time_column="seconds", columns="x")
    assert (chosen.channels, chosen.rate) == (("x",), 1.0)


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([0, 1, 2, 1, 4], "goes back at line 5 (2.0 is followed by 1.0), 1 such row"),
        ([0, 1, 1, 2, 3], "stands still at line 4"),
        ([0, 1, np.nan, 3, 4], "lacks 1 value, the first at line 4"),
        ([0, 1, 1.1, 5, 6], "are not constant"),
        ([*range(11), 14, 15], "3 samples after line 12 "),
    ],
)
def test_bad_time_is_named_with_its_place(tmp_path, times, message):
    file = written(tmp_path, np.array(times, dtype=float))
    assert message in sentence(read_recording, file)
    kept = read_recording(file, time_column="none", missing="keep")
    assert kept.channels == ("time", "x")


def test_rounded_stamps_are_constant_steps(tmp_path):
    times = np.round(np.arange(3600) / 360, 3)  # 2 or 3 ms apart
    recording = read_recording(written(tmp_path, times, "seconds"))
    assert recording.rate == pytest.approx(360, rel=1e-3)
    assert "vary by up to" in " ".join(recording.notes)


def test_parts_are_named_by_samples_durations_clocks_and_stamps():
    recording = Recording(np.zeros((20_000, 1)), ("x",), rate=100.0, start=STAMP)
    for start, first in (
        (250, 250),
        ("250", 250),
        ("2.5s", 250),
        ("2500ms", 250),
        ("1.5 min", 9000),
        ("00:01:30.5", 9050),
        ("2024-05-01T14:00:01+02:00", 100),
    ):
        assert recording.part(start).first == first
    for wrong in ("1.5", "2024-13-01", "s"):
        with pytest.raises(InputError, match="is not a place in a recording"):
            recording.part(wrong)
    with pytest.raises(InputError, match="no sampling rate is known"):
        Recording(np.zeros((9, 1)), ("x",)).part("1s")
    with pytest.raises(InputError, match="is a time stamp, but the recording has none"):
        Recording(np.zeros((9, 1)), ("x",), rate=1.0).part("2024-05-01T12:00:01")
    assert (
        Recording(np.zeros((99, 1)), ("x",), rate=9.0, start=3.0).part("4s").first == 9
    )


def test_missing_values_are_named_or_filled_as_pandas_does(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text(HOLES)
    said = sentence(read_recording, file)
    assert "3 values are missing in a, b, the first at line 3" in said
    assert "--missing interpolate" in said
    filled = read_recording(file, missing="interpolate")
    expected = pd.read_csv(file).interpolate().to_numpy()
    assert np.allclose(filled.values, expected, rtol=1e-15)
    assert "3 missing values interpolated" in filled.notes
    pieces = split_at_missing(read_recording(file, missing="keep"))
    assert [(piece.first, len(piece)) for piece in pieces] == [(0, 1), (3, 1), (5, 1)]
    for text in ("a,b\n,1\n2,2\n3,3\n", "a,b\n1,1\n2,2\n,3\n"):
        file.write_text(text)
        said = sentence(read_recording, file, missing="interpolate")
        assert "cannot be interpolated" in said
    file.write_text("a,b\n1,\n,2\n")
    with pytest.raises(InputError, match="no row without a missing value"):
        split_at_missing(read_recording(file, missing="keep"))


def test_samples_are_rows_of_the_file_whatever_is_missing(tmp_path):
    file = tmp_path / "x.csv"
    GAP.to_csv(file, index=False)
    said = sentence(read_recording, file)
    assert "1 gap in time, 2 samples missing: 2 samples after line 11" in said
    filled = read_recording(file, missing="interpolate")
    kept = read_recording(file, missing="keep")
    assert np.array_equal(filled.series, GAP.x)
    assert filled.gaps == kept.gaps == (Gap(9, 2),)
    assert kept.summary().endswith("1 Hz, 0 s to 21 s")
    first, second = split_at_missing(kept)
    assert (len(first), first.start, second.first, second.start) == (10, 0.0, 10, 12.0)
    # A missing value is interpolated in time, also beside a gap.
    GAP.assign(x=GAP.x.where(GAP.index != 10)).to_csv(file, index=False)
    beside = read_recording(file, missing="interpolate")
    there = GAP.drop(index=10)
    assert beside.series[10] == pytest.approx(np.interp(12, there.seconds, there.x))


def test_times_and_samples_of_a_recording_with_gaps(tmp_path):
    """Every segment written in seconds is read back as the same rows."""
    GAP.to_csv(tmp_path / "x.csv", index=False)
    recording = read_recording(tmp_path / "x.csv", missing="keep")
    pairs = [(a, b) for a in range(20) for b in range(a + 1, 21)]
    sets = {f"{a} {b}": MotifSet([(a, b)]) for a, b in pairs}
    for name in ("sets.csv", "sets.json", "sets.audacity"):
        write_motif_sets(tmp_path / name, sets, recording=recording, units="s")
        read = read_annotations(tmp_path / name, recording=recording)
        assert {k: MotifSet(v) for k, v in read.sets.items()} == sets
    # The last row before the gap ends before it, the first one after it begins there.
    lines = (tmp_path / "sets.csv").read_text().splitlines()
    assert lines[0] == "set,start_s,end_s"
    assert {"9 10,9.0,10.0", "10 11,12.0,13.0", "9 11,9.0,13.0"} <= set(lines)
    inside = tmp_path / "inside.csv"
    inside.write_text("set,start,end\na,8s,10.6s\n")
    found = read_annotations(inside, recording=recording)
    assert found.sets == {"a": [(8, 10)]}
    assert "by up to 600 ms" in found.notes[0]


def test_pieces_cover_exactly_the_whole_rows():
    rng = np.random.default_rng(1)
    for _ in range(100):
        values = np.where(rng.random((12, 2)) < 0.2, np.nan, 1.0)
        rows = sorted(rng.choice(11, size=2, replace=False).tolist())
        gaps = tuple(Gap(row, 3) for row in rows)
        good = ~np.isnan(values).any(axis=1)
        if not good.any():
            continue
        pieces = split_at_missing(Recording(values, ("a", "b"), rate=1.0, gaps=gaps))
        covered = [k for p in pieces for k in range(p.first, p.first + len(p))]
        assert covered == np.flatnonzero(good).tolist()
        for piece in pieces:  # no piece runs over a gap, none could be longer
            inner = range(piece.first, piece.first + len(piece) - 1)
            assert not set(inner) & set(rows)
            skipped = sum(3 for row in rows if row < piece.first)
            assert piece.start == piece.first + skipped

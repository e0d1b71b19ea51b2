"""Missing values and rows: named, filled on straight lines, or cut out."""

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError, MotifSet
from tsmdbench.io import (
    read_annotations,
    read_recording,
    split_at_missing,
    write_motif_sets,
)


def written(tmp_path, text):
    file = tmp_path / "x.csv"
    file.write_text(text)
    return file


HOLES = "a,b\n1,10\n2,\n3,NA\n4,40\n,50\n6,60\n"


def test_missing_values_are_named_with_count_place_and_option(tmp_path):
    with pytest.raises(InputError) as error:
        read_recording(written(tmp_path, HOLES))
    said = str(error.value)
    assert "3 values are missing in a, b, the first at line 3" in said
    assert "--missing interpolate" in said
    assert "\n" not in said


def test_interpolation_is_that_of_pandas(tmp_path):
    file = written(tmp_path, HOLES)
    filled = read_recording(file, missing="interpolate")
    expected = pd.read_csv(file).interpolate().to_numpy()
    assert np.allclose(filled.values, expected, rtol=1e-15)
    assert "3 missing values interpolated" in filled.notes


def test_ends_are_not_extended(tmp_path):
    for text in ("a,b\n,1\n2,2\n3,3\n", "a,b\n1,1\n2,2\n,3\n"):
        file = written(tmp_path, text)
        with pytest.raises(InputError, match="cannot be interpolated"):
            read_recording(file, missing="interpolate")


def test_split_gives_the_pieces_without_holes(tmp_path):
    pieces = split_at_missing(read_recording(written(tmp_path, HOLES), missing="keep"))
    assert [(piece.first, len(piece)) for piece in pieces] == [(0, 1), (3, 1), (5, 1)]
    assert pieces[1].values.tolist() == [[4, 40]]


GAP = pd.DataFrame({"seconds": [*range(10), *range(12, 22)], "x": np.arange(20.0)})


def test_samples_are_rows_of_the_file_whatever_is_missing(tmp_path):
    file = tmp_path / "x.csv"
    GAP.to_csv(file, index=False)
    with pytest.raises(
        InputError, match=r"1 gap in time, 2 samples missing: 2 samples"
    ):
        read_recording(file)
    filled = read_recording(file, missing="interpolate")
    kept = read_recording(file, missing="keep")
    assert np.array_equal(filled.series, GAP.x)
    assert filled.gaps == kept.gaps
    # A missing value is interpolated in time, also beside a gap.
    GAP.assign(x=GAP.x.where(GAP.index != 10)).to_csv(file, index=False)
    beside = read_recording(file, missing="interpolate")
    there = GAP.drop(index=10)
    assert beside.series[10] == pytest.approx(np.interp(12, there.seconds, there.x))


def test_times_and_samples_of_a_recording_with_gaps(tmp_path):
    """Every segment written in seconds is read back as the same rows."""
    file = tmp_path / "x.csv"
    GAP.to_csv(file, index=False)
    recording = read_recording(file, missing="keep")
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


def test_pieces_know_their_time(tmp_path):
    file = tmp_path / "x.csv"
    GAP.to_csv(file, index=False)
    whole = read_recording(file, missing="keep")
    assert [tuple(gap) for gap in whole.gaps] == [(9, 2)]
    first, second = split_at_missing(whole)
    assert (len(first), first.start, len(second), second.start) == (10, 0.0, 10, 12.0)
    assert second.first == 10
    assert whole.summary().endswith("1 Hz, 0 s to 21 s")


def test_nothing_left_is_refused(tmp_path):
    whole = read_recording(written(tmp_path, "a,b\n1,\n,2\n"), missing="keep")
    with pytest.raises(InputError, match="no row without a missing value"):
        split_at_missing(whole)


def test_pieces_cover_exactly_the_whole_rows():
    from tsmdbench.io import Gap, Recording

    rng = np.random.default_rng(1)
    for _ in range(200):
        values = np.where(rng.random((12, 2)) < 0.2, np.nan, 1.0)
        rows = sorted(rng.choice(11, size=2, replace=False).tolist())
        gaps = tuple(Gap(row, 3) for row in rows)
        whole = Recording(values, ("a", "b"), rate=1.0, gaps=gaps)
        good = ~np.isnan(values).any(axis=1)
        if not good.any():
            continue
        pieces = split_at_missing(whole)
        covered = [k for p in pieces for k in range(p.first, p.first + len(p))]
        assert covered == np.flatnonzero(good).tolist()
        for piece in pieces:  # no piece runs over a gap, none could be longer
            inner = range(piece.first, piece.first + len(piece) - 1)
            assert not set(inner) & set(rows)
            skipped = sum(3 for row in rows if row < piece.first)
            assert piece.start == piece.first + skipped

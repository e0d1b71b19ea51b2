"""`tsmdbench.discover`: from an array, a frame or a file to motif sets in time."""

import json

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError, MotifSet, discover, prom
from tsmdbench.cli import main
from tsmdbench.io import read_annotations, read_recording, write_motif_sets
from tsmdbench.methods import Auto, SetFinder, SubspaceMerge
from tsmdbench.methods.contract import planted_problem

PROBLEM = planted_problem()
X = PROBLEM.series
N = len(X)
PARAMS = {"length": 50, "radius": 1.0}
SET = [f"--set={key}={value}" for key, value in PARAMS.items()]
FOUND = [list(motifs) for motifs in SetFinder(**PARAMS).find(X)]


class Nothing:
    def find(self, _):
        return []


def pairs(result):
    return [list(motifs) for motifs in result]


def timed(x, rate=100.0, first=0, gap=None):
    """A frame with time stamps, and rows missing in a gap (start, end)."""
    places = np.arange(len(x))
    kept = np.ones(len(x), bool)
    if gap is not None:
        kept[slice(*gap)] = False
    stamps = pd.Timestamp("2024-05-01") + pd.to_timedelta((places + first) / rate, "s")
    return pd.DataFrame({"time": stamps, "load": x})[kept].reset_index(drop=True)


def test_without_a_method_auto_searches(tmp_path):
    file = tmp_path / "walk.csv"
    timed(X).to_csv(file, index=False)
    result = discover(file)
    assert pairs(result) == pairs(Auto().find(X))
    assert f"{result.results.results[0].bits[0]:.0f} bits" in str(result)
    ranged = discover(
        file, length=("0.4s", 60), max_sets=1, params={"channels": "load"}
    )
    known = {"length": (40, 60), "max_sets": 1, "channels": (0,)}
    assert ranged.method == Auto(**known)
    assert pairs(ranged) == pairs(Auto(**known).find(X))


def test_arrays_frames_files_and_the_command_find_the_same(tmp_path, capsys):
    file = tmp_path / "walk.csv"
    timed(X).to_csv(file, index=False)
    results = [
        discover(data, method, params=params)
        for data in (X, timed(X).set_index("time"), file, read_recording(file))
        for method, params in (("setfinder", PARAMS), (SetFinder, PARAMS))
    ]
    results.append(discover(X, SetFinder(**PARAMS)))
    assert all(pairs(result) == FOUND for result in results)
    assert main(["discover", str(file), "-m", "setfinder", *SET, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [[tuple(p) for p in found] for found in printed.values()] == FOUND


def test_a_result_has_times_a_figure_a_page_and_files(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    timed(X).to_csv("walk.csv", index=False)
    result = discover("walk.csv", "setfinder", params={**PARAMS, "length": "500ms"})
    frame = result.to_frame()
    start, end = FOUND[0][0]
    stamp = pd.Timestamp("2024-05-01")
    assert frame.start_time[0] == stamp + pd.Timedelta(start / 100, "s")
    assert frame.end_time[0] == stamp + pd.Timedelta(end / 100, "s")
    assert list(frame[frame.set == "set 1"][["start", "end"]].itertuples(index=False))
    assert "2024-05-01T00:00:0" in str(result)
    assert "set 1" in result._repr_html_()
    assert result.plot().axes
    assert result.view().read_text().startswith("<!DOCTYPE html>")
    for name, units in (
        ("found.json", "s"),
        ("found.csv", "ms"),
        ("found.tsv", "time"),
        ("found.parquet", "epoch-ns"),
        ("found.TextGrid", "s"),
    ):
        result.save(name, units=units)
        again = read_annotations(name, recording=result.recording)
        assert [sorted(map(tuple, p)) for p in again.sets.values()] == FOUND or (
            name == "found.TextGrid"
        )
        assert prom(again, result.sets).f1 == 1.0
    kept = json.loads((tmp_path / "found.json").read_text())
    assert kept["method"] == "setfinder"
    assert kept["settings"]["length"] == 50
    assert (kept["source"], kept["rate"], kept["units"]) == ("walk.csv", 100.0, "s")
    assert kept["sets"]["set 1"][0] == [start / 100, end / 100]
    # The file says all that is needed to read it without the recording.
    assert prom(read_annotations("found.json"), result.sets).f1 == 1.0
    assert (tmp_path / "found.tsv").read_text().startswith("set\tstart\tend\n")


def test_channels_of_sets_are_kept(tmp_path):
    x = np.random.default_rng(1).normal(size=(300, 3))
    for start in (51, 90, 130, 201):
        x[start : start + 20, 1:] = np.sin(np.arange(20))[:, None]
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    method = SubspaceMerge(SetFinder(length=20, radius=1.0, max_sets=1))
    (whole,) = discover(frame, method)
    assert whole.channels == (1, 2)
    found = discover(frame, method, start=60)
    (motifs,) = found
    assert motifs == whole[1:]
    assert str(found).startswith("set 1: 3 segments in b, c  [90, 110)")
    assert found.to_frame()["channels"].tolist() == ["b, c"] * 3
    found.save(tmp_path / "found.json")
    saved = read_annotations(tmp_path / "found.json").sets
    assert saved == {"set 1": motifs.to_json()}


def test_what_find_returns_is_written(tmp_path):
    found = SetFinder(**PARAMS).find(X)
    write_motif_sets(tmp_path / "found.json", found)
    assert "set 1" in json.loads((tmp_path / "found.json").read_text())
    assert prom(read_annotations(tmp_path / "found.json"), found).f1 == 1.0
    with pytest.raises(TypeError, match=r"write \[motif_set\]"):
        write_motif_sets(tmp_path / "one.json", found[0])


@pytest.mark.parametrize("missing", [None, "skip", "split", "interpolate"])
def test_segments_are_rows_of_the_file_whatever_is_missing(missing):
    """A pattern recurs before and after a gap in time and missing values."""
    x = np.random.default_rng(3).normal(size=900)
    planted = [50, 150, 420, 520, 700, 800]
    for at in planted:
        x[at : at + 50] = 5 * np.sin(np.arange(50) ** 2 / 90)
    x[600:630] = np.nan
    frame = timed(x, gap=(300, 340))
    params = {"length": 50, "radius": 0.1}
    result = discover(frame, "setfinder", params=params, missing=missing, max_sets=1)
    rows = frame.load.to_numpy()
    seen = {pair for motifs in result for pair in motifs}
    assert seen == {(a, a + 50) for a in (50, 150, 380, 480, 660, 760)}
    assert all(np.isfinite(rows[start:end]).all() for start, end in seen)
    # Times count the gap, rows do not.
    times = result.to_frame().query("start >= 300")
    offset = times.start_time - pd.Timestamp("2024-05-01")
    assert np.allclose(offset.dt.total_seconds(), (times.start + 40) / 100)


def test_no_motif_lies_in_filled_values():
    rng = np.random.default_rng(1)
    x = rng.normal(size=3000)
    x[500:1220] = np.nan
    x[2000:2600] = np.nan
    for factor in (1, 4):
        result = discover(
            x, "stomp", params={"length": 40}, missing="interpolate", resample=factor
        )
        for motifs in result:
            assert len(motifs) > 1
            for start, end in motifs:
                assert np.isnan(x[start:end]).mean() <= 0.1
    assert any("in filled values left out" in note for note in result.notes)


def test_methods_of_others_are_not_given_missing_values():
    class Halves:
        def find(self, x):
            half = len(x) // 2
            return [[(0, half), (half, 2 * half)]]

    x = np.where(np.arange(200) == 20, np.nan, 1.0)
    with pytest.raises(InputError, match=r"Halves may not take them.*--missing split"):
        discover(x, Halves)
    with pytest.raises(InputError, match=r"does not take them.*'interpolate'$"):
        discover(x, "locomotif", params={"l_min": 20, "l_max": 30})
    assert pairs(discover(np.ones(200), Halves)) == [[(0, 100), (100, 200)]]
    # One of the two segments contains the missing value, and one is no motif.
    assert pairs(discover(x, Halves, missing="skip")) == []


def test_a_part_is_searched_and_keeps_its_place():
    long = np.concatenate([np.zeros(500), X, np.zeros(300)])
    frame = timed(long)
    for start, end in ((500, 500 + N), ("5s", f"{5 + N / 100}s")):
        result = discover(frame, "setfinder", params=PARAMS, start=start, end=end)
        assert pairs(result) == [[(a + 500, b + 500) for a, b in s] for s in FOUND]
    stamp = "2024-05-01T00:00:05"
    part = discover(frame, "setfinder", params=PARAMS, start=stamp, end=500 + N)
    assert pairs(part) == pairs(result)
    for start, end in ((9000, None), (5, 5), ("soon", None)):
        with pytest.raises(InputError, match=r"part from|not a place"):
            discover(frame, "setfinder", params=PARAMS, start=start, end=end)


def test_resampling_keeps_samples_of_the_file():
    fine = np.repeat(X, 4) + np.random.default_rng(0).normal(0, 1e-3, 4 * N)
    result = discover(
        fine, "setfinder", params={"length": 200, "radius": 1.0}, resample=4
    )
    assert pairs(result) == [[(4 * a, 4 * b) for a, b in s] for s in FOUND]
    assert any(note.startswith("resampled by 4") for note in result.notes)
    long = discover(np.zeros(60_000), Nothing())
    assert any("--resample 3 searches 20000 means" in note for note in long.notes)
    with pytest.raises(InputError, match="resample must be at least 1"):
        discover(fine, resample=0)


def test_printed_segments_are_written_in_the_same_units(tmp_path, capsys):
    file = tmp_path / "walk.csv"
    frame = timed(X, rate=360.0)
    seconds = np.arange(N) / 360
    frame.assign(time=seconds.round(6)).to_csv(file, index=False)
    words = ["discover", str(file), "-m", "setfinder", *SET, "--units", "s"]
    out = tmp_path / "found.csv"
    assert main([*words, "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    start, end = FOUND[0][0]
    assert f"[{round(start / 360, 3)}, {round(end / 360, 3)}) s" in printed
    assert f"set 1,{round(start / 360, 3)},{round(end / 360, 3)}" in out.read_text()
    assert main([*words, "--json"]) == 0
    sets = json.loads(capsys.readouterr().out)["sets"]
    assert sets["set 1"][0] == [round(start / 360, 3), round(end / 360, 3)]
    truth = tmp_path / "truth.json"
    truth.write_text(json.dumps({"a": FOUND[0]}))
    words = ["evaluate", str(truth), str(out), "--series", str(file)]
    assert main([*words, "--metric", "prom_recall"]) == 0
    assert "1.0000" in capsys.readouterr().out


def test_split_in_time_is_written_and_printed(tmp_path, capsys):
    file, out = tmp_path / "walk.csv", tmp_path / "found.json"
    timed(np.concatenate([X, X]), gap=(N - 10, N)).to_csv(file, index=False)
    words = ["discover", str(file), "-m", "setfinder", *SET, "--missing", "split"]
    assert main([*words, "--units", "time", "--out", str(out)]) == 0
    assert "2024-05-01T00:00:0" in capsys.readouterr().out
    again = read_annotations(out).sets
    assert set(again) >= {"piece 1 set 1", "piece 2 set 1"}
    assert MotifSet(again["piece 2 set 1"]).starts.min() >= N - 10

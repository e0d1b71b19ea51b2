"""``tsmdbench discover`` and ``methods``."""

import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

import tsmdbench
from tsmdbench.cli import discover as searching
from tsmdbench.example import example_path
from tsmdbench.io import read_annotations
from tsmdbench.methods import METHODS, STOMP, LoCoMotif, locomotif
from tsmdbench.methods.contract import planted_problem
from tsmdbench.methods.setfinder import SetFinder
from tsmdbench.metrics import prom

PROBLEM = planted_problem()
N = len(PROBLEM.series)
SET = ["--set", "length=50", "--set", "radius=1.0"]
SHORT = ["-m", "setfinder", *SET, "--max-sets", 2]


@pytest.fixture
def series(tmp_path):
    np.save(tmp_path / "series.npy", PROBLEM.series)
    return tmp_path / "series.npy"


@pytest.fixture
def timed(tmp_path):
    """The planted series at 100 Hz beside noise, as a spreadsheet writes it."""
    columns = {
        "when": pd.date_range("2024-05-01", periods=N, freq="10ms"),
        "noise": np.random.default_rng(0).normal(size=N),
        "load": PROBLEM.series,
    }
    file = tmp_path / "walk.csv"
    pd.DataFrame(columns).to_csv(file, sep=";", decimal=",", index=False)
    return file


def expected(**changes):
    settings = {"length": 50, "radius": 1.0, **changes}
    return SetFinder(**settings).find(PROBLEM.series)


def test_sets_are_printed_and_json_can_be_evaluated(cli, series, tmp_path):
    lines = cli("discover", *SHORT, series).out.splitlines()
    assert "SetFinder(length=50, radius=1.0" in lines[0]
    for line, motifs in zip(lines[1:], expected(max_sets=2), strict=True):
        assert all(f"[{start}, {end})" in line for start, end in motifs)
    options = ["-m", "emma", *SET, "--max-sets", 2, "--json"]
    printed = cli("discover", series, *options).out
    assert list(json.loads(printed)) == ["set 1", "set 2"]
    (tmp_path / "found.json").write_text(printed)
    assert prom(PROBLEM.truth, tmp_path / "found.json").recall == 1.0


def test_every_format_gives_the_same(cli, series, tmp_path):
    x = PROBLEM.series
    csv, table, ts = (tmp_path / f"series.{end}" for end in ("csv", "parquet", "ts"))
    np.savetxt(csv, x, fmt="%.17g")
    pd.DataFrame({"load": x}).to_parquet(table)
    values = ",".join(map(repr, x.tolist()))
    noise = ",".join(map(repr, np.arange(N).tolist()))
    ts.write_text(
        "@problemName planted\n@timeStamps false\n@missing false\n@univariate true\n"
        f"@equalLength true\n@seriesLength {N}\n@classLabel true a b\n@data\n"
        f"{noise}:b\n{values}:a\n"
    )
    wanted = cli("discover", *SHORT, "--json", series).out
    for words in ([csv], [table], [ts, "--case", 1]):
        assert cli("discover", *SHORT, "--json", *words).out == wanted
    refused = cli("discover", *SHORT, ts, status=2).err
    assert "holds 2 series; choose one with --case" in refused
    refused = cli("discover", *SHORT, ts, "--case", 2, status=2).err
    assert "--case must lie in [0, 2), got 2" in refused


def test_a_plot_is_written(cli, series, tmp_path):
    file = tmp_path / "found.png"
    assert f"figure: {file}" in cli("discover", *SHORT, series, "--plot", file).out
    assert file.read_bytes().startswith(b"\x89PNG")


def test_values_are_read_by_their_kind():
    params = {"length": "20", "radius": 2, "mode": "sax", "disjoint": "false"}
    made = tsmdbench.discover(
        PROBLEM.series, "emma", params={**params, "max_sets": "none"}
    )
    assert made.method == METHODS["emma"](20, radius=2, mode="sax", disjoint=False)


class Everything:
    def __init__(self, half):
        self.half = half

    def find(self, x):
        return [[(0, self.half), (self.half, len(x))]]


def test_any_class_with_find_can_be_used(cli, series):
    name = f"{__name__}:Everything"
    printed = cli("discover", "-m", name, series, "--set", "half=350", "--json").out
    assert json.loads(printed) == {"set 1": [[0, 350], [350, 700]]}


def test_methods_are_listed(cli):
    lines = cli("methods").out.splitlines()
    assert lines[0].split()[0] == "method"
    assert [line.split()[0] for line in lines[1:]] == list(METHODS)
    valmod = next(line for line in lines if line.startswith("valmod")).split()
    assert valmod[1:] == ["inter", "no", "no", "l_min,", "l_max,", "radius_factor"]
    rows = {row["name"]: row for row in json.loads(cli("methods", "--json").out)}
    assert list(rows) == list(METHODS)
    assert rows["emma"]["parameters"] == ["length", "radius"]
    assert rows["emma"]["options"]["mode"] == "exact"


def test_constant_windows_are_left_out_and_counted():
    stuck = np.concatenate([PROBLEM.series, np.full(120, 3.0), PROBLEM.series])
    note = tsmdbench.discover(stuck, "stomp", params={"length": 50}).notes[-1]
    assert note.startswith("71 windows in which the series does not change left out")
    assert "--set constant=keep" in note
    kept = {"length": 50, "constant": "keep"}
    assert not tsmdbench.discover(stuck, "stomp", params=kept).notes


def test_lengths_in_time_and_channels_by_name(timed, cli):
    words = ["-m", "setfinder", timed, "--set", "length=500ms", "--set", "radius=1.0"]
    words += ["--set", "channel=load"]
    printed = cli("discover", *words, "--json")
    found = [[tuple(p) for p in pairs] for pairs in json.loads(printed.out).values()]
    assert found == [list(motifs) for motifs in expected()]
    assert printed.err.splitlines()[0].endswith(
        f"{N} samples, 2 channels (noise, load), 100 Hz, 2024-05-01T00:00:00 to "
        f"2024-05-01T00:00:{(N - 1) / 100:05.2f}; decimal comma; "
        f"time from 'when' (time stamps)"
    )
    assert "length=500ms is 50 samples" in printed.err


def test_segments_are_shown_in_time_and_rounding_is_stated(timed, cli):
    words = ["-m", "setfinder", timed, "--columns", "load", "--set", "radius=1.0"]
    words += ["--set", "length=503ms", "--units"]
    start, end = expected()[0][0]
    shown = [f"2024-05-01T00:00:{at / 100:05.2f}".rstrip("0") for at in (start, end)]
    printed = cli("discover", *words, "time")
    assert f"[{shown[0]}, {shown[1]})" in printed.out
    assert "length=503ms is 50 samples, rounded from 50.3" in printed.err
    assert f"[{start / 100}, {end / 100}) s" in cli("discover", *words, "s").out


def test_a_rate_gives_times(series, cli):
    words = ["-m", "setfinder", "--set", "length=500ms", "--set", "radius=1.0"]
    assert "length=50" in cli("discover", series, *words, "--rate", 100).out


def test_split_searches_each_piece(tmp_path, cli):
    x = np.concatenate([PROBLEM.series, [np.nan], PROBLEM.series, [np.nan, 1.0]])
    pd.DataFrame({"load": x}).to_csv(tmp_path / "x.csv", index=False)
    words = ["discover", "-m", "setfinder", tmp_path / "x.csv", *SET, "--missing"]
    assert "2 values missing" in cli(*words, "error", status=2).err
    printed = cli(*words, "split", "--json")
    sets = json.loads(printed.out)
    assert "piece 3 skipped: the series has 1 sample" in printed.err
    assert f"piece 2: rows {N + 1} to {2 * N + 1}" in printed.err
    for number, shift in ((1, 0), (2, N + 1)):
        for place, motifs in enumerate(expected(), start=1):
            moved = [[start + shift, end + shift] for start, end in motifs]
            assert sets[f"piece {number} set {place}"] == moved


def test_found_sets_are_written_for_other_programs(timed, tmp_path, cli):
    track = tmp_path / "found.txt"
    more = ["--columns", "load", "--out", track, "--out-format", "audacity"]
    printed = cli("discover", "-m", "setfinder", timed, *SET, *more)
    assert f"sets: {track}" in printed.out
    assert "lost: the sampling rate" in printed.err
    found = read_annotations(track, file_format="audacity", rate=100).sets
    again = sorted(sorted(pairs) for pairs in found.values())
    assert again == sorted(list(motifs) for motifs in expected())


def test_without_parameters_a_choice_is_explained(cli):
    words = ["discover", example_path("series.csv")]
    printed = cli(*words).out
    assert re.search(r"set 3: 2 segments, \d+ samples, \d+ bits  \[", printed)
    assert re.search(r"confidence: \d+\.\d times the bits", printed)
    other = re.search(r"--alternative 2: \d sets? \(([\d, ]+) segments\)", printed)
    again = cli(*words, "--alternative", 2).out
    assert re.findall(r"set \d+: (\d+) segments", again) == other[1].split(", ")
    assert "--alternative 1: 3 sets (4, 3, 2 segments)" in again


def test_what_is_not_better_than_chance_is_not_found(tmp_path, cli):
    np.savetxt(tmp_path / "noise.csv", np.random.default_rng(0).normal(size=400))
    printed = cli("discover", tmp_path / "noise.csv").out
    assert "nothing found: the best sets save" in printed
    assert "set 1" not in printed


def test_a_named_method_gets_estimated_lengths_only(cli, series):
    words = ["-m", "valmod", "--max-sets", 1]
    said = cli("discover", example_path("series.csv"), *words).err
    assert "--set l_min=" in said
    assert "--set radius_factor=3.0" in said
    given = ["--set", "length=60", "--set", "n_jobs=1"]
    printed = cli("discover", series, "-m", "stomp", *given)
    assert "settings" not in printed.err
    assert "n_jobs=1)" in printed.out
    assert "radius" in cli("discover", series, "-m", "setfinder", status=2).err


def test_sweeps(cli, series):
    words = ["discover", series, "-m", "stomp", "--set", "length=50"]
    axes = ["--sweep", "length=30,60", "--sweep", "radius_factor=2,3"]
    rows = json.loads(cli(*words, *axes, "--json").out)
    settings = [{"length": a, "radius_factor": b} for a in (30, 60) for b in (2, 3)]
    assert [row["settings"] for row in rows] == settings
    found = STOMP(length=60, radius_factor=3).find(PROBLEM.series)
    assert rows[3]["sets"] == [[list(p) for p in motifs] for motifs in found]
    assert rows[0]["shared_with_previous"] is None
    printed = cli(*words, "--sweep", "auto").out
    assert all(f"length={length} " in printed for length in (25, 35, 50, 70, 100))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_shown_on_a_terminal_only(monkeypatch):
    monkeypatch.setattr(locomotif, "SHORT", 0)  # several strips, so that there are
    monkeypatch.setattr(locomotif, "STRIP", 1)  # fractions of the work
    monkeypatch.setenv("TERM", "xterm")

    def shown(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        with searching.showing_progress():
            LoCoMotif(20, 20).find(np.random.default_rng(0).normal(size=1000))
        return stream.getvalue()

    assert shown(io.StringIO()) == ""
    assert re.search("searching.*100%", shown(Terminal()))


class Slow(STOMP):
    """Notes the lengths it is given, and takes time as a function of them."""

    def find(self, series):
        self.searched.append(len(series))
        self.clock[0] += self.seconds(len(series))
        return ()


@pytest.mark.parametrize(
    ("seconds", "announced"),
    [
        (lambda n: n / 1e3, "about 3 min ("),
        (lambda n: (n / 1e4) ** 2, "about 7 min ("),
        (lambda n: 1 + (n / 1e4) ** 2, "about 2 min to 4 min ("),
        (lambda n: (n / 1e4) ** 2.5, "about 12 min ("),
        (lambda n: n / 1e6, None),
    ],
)
def test_times_are_announced_from_two_sizes(seconds, announced, monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(searching.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(Slow, "searched", [], raising=False)
    monkeypatch.setattr(Slow, "clock", clock, raising=False)
    monkeypatch.setattr(Slow, "seconds", staticmethod(seconds), raising=False)
    searching.say_expected_time(Slow(length=50), np.zeros(200_000))
    assert Slow.searched[1:] == [10_000, 20_000]
    said = capsys.readouterr().err
    assert said == "" if announced is None else f"this takes {announced}" in said


def test_short_series_and_methods_of_others_are_not_measured():
    for method, n in ((STOMP(length=50), 5000), (object(), 200_000)):
        assert searching.expected_seconds(method, np.zeros(n)) == (0.0, 0.0)

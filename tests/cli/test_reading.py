"""Reading by the commands: what is said, what is asked for, what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from tsmdbench.cli import main
from tsmdbench.example import example_path
from tsmdbench.io import read_annotations
from tsmdbench.methods.contract import planted_problem
from tsmdbench.methods.setfinder import SetFinder
from tsmdbench.metrics import evaluate

PROBLEM = planted_problem()
TRUTH, FOUND = str(example_path("truth.json")), str(example_path("found.json"))
N = len(PROBLEM.series)


@pytest.fixture
def timed(tmp_path):
    """The planted series at 100 Hz beside noise, as a spreadsheet writes it."""
    file = tmp_path / "walk.csv"
    frame = pd.DataFrame(
        {
            "when": pd.date_range("2024-05-01", periods=N, freq="10ms"),
            "noise": np.random.default_rng(0).normal(size=N),
            "load": PROBLEM.series,
        }
    )
    frame.to_csv(file, sep=";", decimal=",", index=False)
    return file


def discover(capsys, *words):
    status = main(["discover", "-m", "setfinder", *map(str, words)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def expected():
    return SetFinder(length=50, radius=1.0).find(PROBLEM.series)


def test_lengths_in_time_and_channels_by_name(timed, capsys):
    words = ["--set", "length=500ms", "--set", "radius=1.0", "--set", "channel=load"]
    status, out, err = discover(capsys, timed, *words, "--json")
    assert status == 0
    found = [[tuple(pair) for pair in pairs] for pairs in json.loads(out).values()]
    assert found == [list(motifs) for motifs in expected()]
    assert err.splitlines()[0].endswith(
        f"{N} samples, 2 channels (noise, load), 100 Hz, 2024-05-01T00:00:00 to "
        f"2024-05-01T00:00:{(N - 1) / 100:05.2f}; decimal comma; "
        f"time from 'when' (time stamps)"
    )
    assert "length=500ms is 50 samples" in err


def test_segments_are_shown_in_time(timed, capsys):
    words = ["--columns", "load", "--set", "length=0.5s", "--set", "radius=1.0"]
    _, out, _ = discover(capsys, timed, *words, "--units", "time")
    start, end = expected()[0][0]
    shown = [f"2024-05-01T00:00:{at / 100:05.2f}".rstrip("0") for at in (start, end)]
    assert f"[{shown[0]}, {shown[1]})" in out
    _, out, _ = discover(capsys, timed, *words, "--units", "s")
    assert f"[{start / 100}, {end / 100}) s" in out


def test_rounding_is_said(timed, capsys):
    words = ["--columns", "load", "--set", "length=503ms", "--set", "radius=1"]
    _, _, err = discover(capsys, timed, *words)
    assert "length=503ms is 50 samples, rounded from 50.3" in err


def test_a_rate_gives_times(tmp_path, capsys):
    np.save(tmp_path / "x.npy", PROBLEM.series)
    words = [tmp_path / "x.npy", "--set", "length=500ms", "--set", "radius=1.0"]
    status, out, _ = discover(capsys, *words, "--rate", 100)
    assert (status, "length=50" in out) == (0, True)


def test_split_searches_each_piece(tmp_path, capsys):
    x = np.concatenate([PROBLEM.series, [np.nan], PROBLEM.series, [np.nan, 1.0]])
    pd.DataFrame({"load": x}).to_csv(tmp_path / "x.csv", index=False)
    words = [tmp_path / "x.csv", "--set", "length=50", "--set", "radius=1.0"]
    status, _, err = discover(capsys, *words, "--missing", "error")
    assert status == 2
    assert "2 values missing" in err
    _, out, err = discover(capsys, *words, "--missing", "split", "--json")
    sets = json.loads(out)
    assert "piece 3 skipped: the series has 1 samples" in err
    assert f"piece 2: rows {N + 1} to {2 * N + 1}" in err
    for number, shift in ((1, 0), (2, N + 1)):
        for place, motifs in enumerate(expected(), start=1):
            moved = [[start + shift, end + shift] for start, end in motifs]
            assert sets[f"piece {number} set {place}"] == moved


def test_what_was_found_is_written_for_other_programs(timed, tmp_path, capsys):
    words = ["--columns", "load", "--set", "length=50", "--set", "radius=1.0"]
    track = tmp_path / "found.txt"
    more = ["--out", track, "--out-format", "audacity"]
    status, out, err = discover(capsys, timed, *words, *more)
    assert (status, f"sets: {track}" in out) == (0, True)
    assert "lost: the sampling rate" in err
    found = read_annotations(track, file_format="audacity", rate=100).sets
    again = [sorted(pairs) for pairs in found.values()]
    assert sorted(again) == sorted(list(motifs) for motifs in expected())


def test_any_metric_can_be_asked_for(capsys):
    names = ["prom_f1", "score", "ranged_f1"]
    words = [word for name in names for word in ("--metric", name)]
    assert main(["evaluate", TRUTH, FOUND, *words]) == 0
    values = evaluate(TRUTH, FOUND, names)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"{name:<9}  {value:.4f}" for name, value in values.items()]
    assert main(["evaluate", TRUTH, FOUND, *words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == values
    options = ["--metric", "prom_f1", "--threshold", "0.8", "--penalize-off-target"]
    assert main(["evaluate", TRUTH, FOUND, *options]) == 0
    wanted = evaluate(
        TRUTH, FOUND, ["prom_f1"], threshold=0.8, penalize_off_target=True
    )
    assert f"{wanted['prom_f1']:.4f}" in capsys.readouterr().out


def test_truth_in_seconds_and_a_figure_with_names(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    frame = pd.DataFrame({"seconds": np.arange(400) / 50, "left": 0.0, "right": 1.0})
    frame.to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "truth.csv").write_text("set,start,end\na,1s,2s\na,4s,5s\n")
    (tmp_path / "found.json").write_text("[[[50, 100], [200, 250]]]")
    words = [
        tmp_path / "truth.csv",
        tmp_path / "found.json",
        "--series",
        tmp_path / "x.csv",
        "--plot",
        tmp_path / "x.svg",
    ]
    assert main(["evaluate", *map(str, words)]) == 0
    assert "F1         1.0000" in capsys.readouterr().out
    drawn = (tmp_path / "x.svg").read_text()
    assert "<!-- left -->" in drawn
    assert "<!-- right -->" in drawn


def test_evaluate_reads_a_series_as_discover_does(tmp_path, capsys):
    lines = [
        "12,5\t0",
        *(f"{12.5 + k / 10}".replace(".", ",") + "\t1" for k in range(1, 60)),
    ]
    (tmp_path / "x.txt").write_text("\n".join(lines))
    (tmp_path / "a.csv").write_text("set,start,end\na,13s,14s\na,15s,16s\n")
    options = "--no-header --separator tab --decimal , --time-column 0 --time-unit s"
    words = [
        "evaluate",
        *[str(tmp_path / "a.csv")] * 2,
        "--series",
        str(tmp_path / "x.txt"),
    ]
    assert main([*words, *options.split(), "--metric", "prom_f1"]) == 0
    printed = capsys.readouterr()
    assert "60 samples, 1 channel (1), 10 Hz, 12.5 s to 18.4 s" in printed.err
    assert printed.out == "prom_f1  1.0000\n"

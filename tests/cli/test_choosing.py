"""``tsmdbench discover`` without parameters, ``--sweep``, and estimates of time."""

import json
import re

import numpy as np
import pytest

from tsmdbench.cli.app import app
from tsmdbench.cli.discover import duration
from tsmdbench.errors import InputError
from tsmdbench.example import example_path
from tsmdbench.methods import STOMP

typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402


@pytest.fixture
def series(tmp_path):
    x = np.cumsum(np.random.default_rng(0).normal(size=600))
    x[400:460] = x[100:160]
    np.savetxt(tmp_path / "series.csv", x)
    return tmp_path / "series.csv"


def run(*arguments):
    return CliRunner().invoke(app, ["discover", *map(str, arguments)])


def test_without_parameters_it_says_why():
    done = run(example_path("series.csv"))
    assert done.exit_code == 0, done.output
    assert re.search(r"set 3: 2 segments, \d+ samples, \d+ bits  \[", done.output)
    assert re.search(r"confidence: \d+\.\d times the bits", done.output)
    other = re.search(
        r"--alternative 2: (\d) sets? \(([\d, ]+) segments\)", done.output
    )
    again = run(example_path("series.csv"), "--alternative", 2)
    sizes = re.findall(r"set \d+: (\d+) segments", again.output)
    assert sizes == other[2].split(", ")
    assert "--alternative 1: 3 sets (4, 3, 2 segments)" in again.output


def test_nothing_better_than_chance_is_said(tmp_path):
    np.savetxt(tmp_path / "noise.csv", np.random.default_rng(0).normal(size=400))
    done = run(tmp_path / "noise.csv")
    assert done.exit_code == 0
    assert "nothing found: the best sets save" in done.output
    assert "set 1" not in done.output


def test_a_named_method_gets_estimated_lengths():
    done = run(example_path("series.csv"), "-m", "valmod", "--max-sets", 1)
    assert done.exit_code == 0, done.output
    assert "--set l_min=" in done.output
    assert "--set radius_factor=3.0" in done.output


def test_what_is_given_is_not_estimated(series):
    done = run(series, "-m", "stomp", "--set", "length=60", "--set", "n_jobs=1")
    assert "chose" not in done.output
    assert "n_jobs=1)" in done.output


def test_a_radius_is_not_guessed(series):
    done = run(series, "-m", "setfinder")
    assert isinstance(done.exception, InputError | SystemExit)
    assert "radius" in (done.output + str(done.exception))


def test_sweep_shows_one_row_per_setting(series):
    done = run(
        series,
        "-m",
        "stomp",
        "--sweep",
        "length=30,60",
        "--sweep",
        "radius_factor=2,3",
        "--set",
        "length=50",
        "--json",
    )
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout.splitlines()[-1])
    assert [row["settings"] for row in rows] == [
        {"length": a, "radius_factor": b} for a in (30, 60) for b in (2, 3)
    ]
    x = np.loadtxt(series)
    expected = STOMP(length=60, radius_factor=3).find(x)
    assert rows[3]["sets"] == [[list(p) for p in motifs] for motifs in expected]
    assert rows[0]["shared_with_previous"] is None


def test_sweep_auto_changes_the_lengths(series):
    done = run(series, "-m", "stomp", "--set", "length=50", "--sweep", "auto")
    assert done.exit_code == 0, done.output
    for length in (25, 35, 50, 70, 100):
        assert f"length={length} " in done.output


def test_durations_are_short():
    assert [duration(s) for s in (0.2, 59, 200, 9000)] == [
        "1 s",
        "59 s",
        "3 min",
        "2 h",
    ]

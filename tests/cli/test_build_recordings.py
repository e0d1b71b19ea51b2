"""``tsmdbench build --from`` a folder of annotated recordings."""

import json

import numpy as np
import pytest

from tsmdbench.benchmark import read_problems
from tsmdbench.cli.app import app

typer = pytest.importorskip("typer")
from typer.testing import CliRunner  # noqa: E402


@pytest.fixture
def walks(tmp_path):
    folder = tmp_path / "walks"
    folder.mkdir()
    for name in "abc":
        np.savetxt(folder / f"{name}.csv", np.random.default_rng(0).normal(size=200))
        truth = {"step": [[10, 30], [60, 80], [120, 140], [160, 181]]}
        (folder / f"{name}.truth.json").write_text(json.dumps(truth))
    return folder


def run(*arguments):
    return CliRunner().invoke(app, ["build", *map(str, arguments)])


def test_problems_and_card_are_written(walks, tmp_path):
    out = tmp_path / "out"
    done = run("--from", walks, "--piece", 100, "--out", out)
    assert done.exit_code == 0, done.output
    assert "walks-validation.parquet: 2 problems, from 1 recording" in done.output
    assert "walks-test.parquet: 4 problems, from 2 recordings" in done.output
    card = (out / "data_card.md").read_text()
    assert "| step | 3 | 12 | 20 | 20.2 | 21 |" in card
    assert {file.name for file in out.iterdir()} == {
        "data_card.md",
        "manifest.json",
        "walks-test.parquet",
        "walks-validation.parquet",
    }


def test_one_recording_writes_no_validation(walks, tmp_path):
    for name in "bc":
        (walks / f"{name}.csv").unlink()
    done = run("--from", walks, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "walks-test.parquet: 1 problem, from 1 recording" in done.output
    assert "validation.parquet" not in done.output
    assert "parameters must be given" in done.output


def test_truth_in_seconds_and_of_label_studio(walks, tmp_path):
    """The rate turns seconds into the same problems as samples."""
    from tsmdbench.benchmark import from_annotations, load_recordings
    from tsmdbench.experiments import load_problems

    plain = load_recordings(walks)
    region = {"timeserieslabels": ["step"], "instant": False}
    for name in "abc":
        file = walks / f"{name}.truth.json"
        pairs = json.loads(file.read_text())["step"]
        seconds = [[start / 10, end / 10] for start, end in pairs]
        if name == "a":
            values = [{"start": s, "end": e, **region} for s, e in seconds]
            result = [{"type": "timeserieslabels", "value": v} for v in values]
            task = {"id": 1, "data": {}, "annotations": [{"result": result}]}
            file.write_text(json.dumps([task]))
        else:
            file.write_text(json.dumps({"step": seconds}))
    timed = load_recordings(walks, units="s", rate=10)
    assert [problem.truth for problem in timed] == [p.truth for p in plain]
    one = from_annotations(
        walks / "a.csv", walks / "a.truth.json", units="s", rate=10, name="a"
    )
    assert one.truth == plain[0].truth
    options = ["--units", "s", "--rate", 10]
    done = run("--from", walks, "--out", tmp_path / "out", *options)
    assert done.exit_code == 0, done.output
    refused = run("--from", walks, "--rate", 10, "--out", tmp_path / "other")
    assert "units" in str(refused.exception)
    assert not (tmp_path / "other").exists()
    named = load_problems(str(tmp_path / "out" / "walks"), "test")
    assert {p.name: p.truth for p in named} == {
        p.name: p.truth for p in load_recordings(walks, "test", units="s", rate=10)
    }


def test_arrays_with_time_along_their_last_axis(tmp_path):
    series = np.random.default_rng(0).normal(size=(2, 300))
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", series)
        truth = {"step": [[10, 30], [100, 120]]}
        (tmp_path / f"{name}.truth.json").write_text(json.dumps(truth))
    out = tmp_path / "out"
    options = ("--from", tmp_path, "--out", out, "--split", "all")
    assert "time_axis='last'" in str(run(*options).exception)
    assert run(*options, "--time-axis", "last").exit_code == 0
    (file,) = out.glob("*.parquet")
    assert np.array_equal(read_problems(file)[0].series, series.T)

"""``tsmdbench datasets`` and ``build``."""

import json

import numpy as np
import pytest

from tests.archive_files import own_cache
from tsmdbench.benchmark import (
    from_annotations,
    load_benchmark,
    load_recordings,
    read_problems,
)
from tsmdbench.experiments import load_problems

pytestmark = pytest.mark.archive

__all__ = ["own_cache"]


def test_the_fourteen_are_listed(cli):
    listed = cli("datasets").out
    assert listed == cli("datasets", "list").out
    lines = listed.splitlines()
    assert len([line for line in lines if " frozen  " in line]) == 12
    assert any(line.startswith("Mallat") and "drawn" in line for line in lines)
    vowels = next(line for line in lines if line.startswith("JapaneseVowels"))
    assert "bundled with aeon" in vowels
    assert vowels.split()[-2:] == ["3", "236"]
    assert "g>=2" not in listed
    assert "1 of 14 datasets available" in listed
    assert "those of Mallat and Cricket are drawn on this machine" in listed
    listed = cli("datasets", "list", "--paper").out
    vowels = next(x for x in listed.splitlines() if x.startswith("JapaneseVowels"))
    assert vowels.split()[-5:] == ["236", "166", "233", "218", "neither"]
    assert "equal the paper's for 1 of 1 available dataset." in listed
    rows = {
        row["dataset"]: row for row in json.loads(cli("datasets", "list", "--json").out)
    }
    assert len(rows) == 14
    assert rows["Plane"]["paper"]["n_avg"] == 1584
    assert rows["Plane"]["available"] is None


def test_data_that_cannot_be_used_is_listed_with_its_reason(tmp_path, cli):
    (tmp_path / "Mallat").mkdir()
    (tmp_path / "Mallat" / "Mallat_TRAIN.ts").write_text("")
    listed = cli("datasets", "list", "--data", tmp_path).out
    assert "Unusable: " in listed
    assert "lacks Mallat_TEST.ts" in listed
    assert "datasets fetch ECG5000" in listed
    rows = json.loads(cli("datasets", "list", "--data", tmp_path, "--json").out)
    assert [row["dataset"] for row in rows if row["trouble"]] == ["Mallat"]


def test_fetch_prints_where_data_is(monkeypatch, cli):
    assert "bundled with aeon" in cli("datasets", "fetch", "JapaneseVowels").out
    monkeypatch.setattr("tsmdbench.datasets.fetch.time.sleep", lambda _: None)

    def no_network(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("tsmdbench.datasets.fetch.urlopen", no_network)
    assert "no network" in cli("datasets", "fetch", "Mallat", status=4).err


@pytest.mark.slow
def test_select_writes_table_figure_and_state(tmp_path, cli):
    out = tmp_path / "selection"
    words = ["datasets", "select", "PickupGestureWiimoteZ", "--max-instances", 20]
    assert "20 (part)" in cli(*words, "--out", out).out
    written = sorted(file.name for file in out.iterdir())
    assert written == ["selection.csv", "selection.json", "selection.pdf"]
    (row,) = json.loads(cli(*words, "--out", out, "--json").out)
    assert row["dataset"] == words[2]


def test_shipped_selection_is_shown(cli):
    printed = cli("datasets", "select", "--shipped").out
    assert "below 0.5: none" in printed
    assert "not clustered here: Cricket" in printed
    assert "Suitable, but not in the paper: none" in printed


def test_build_writes_problems_and_manifest(tmp_path, cli):
    printed = cli("build", "JapaneseVowels", "--out", tmp_path, "--split", "test").out
    assert "JapaneseVowels-test.parquet: 200 problems, frozen recipes" in printed
    problems = read_problems(tmp_path / "JapaneseVowels-test.parquet")
    bench = load_benchmark("JapaneseVowels")
    for read, made in zip(problems, bench, strict=True):
        assert np.array_equal(read.series, made.series)
        assert read.truth == made.truth
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    entry = manifest["files"]["JapaneseVowels-test.parquet"]
    assert entry["series_sha256"] == [digest.hex() for digest in bench.hashes]
    assert entry["equal_to_frozen"] == 200
    assert {"tsmdbench", "numpy", "python"} <= set(manifest["versions"])


def test_build_without_names_states_what_is_missing(tmp_path, cli):
    printed = json.loads(cli("build", "--out", tmp_path, "--json").out)
    assert len(printed["files"]) == 3
    assert "skipped, not available: ECG5000" in printed["notes"][0]


def write_wide(file, labels, noise):
    """Write one line per instance: sines whose frequency is the label."""
    rng = np.random.default_rng(0)
    lines = ["label," + ",".join(f"t{k}" for k in range(12))]
    for label in labels:
        values = np.sin(np.arange(12) * (1 + label)) + noise * rng.normal(size=12)
        lines.append(f"{label}," + ",".join(map(str, values)))
    file.write_text("\n".join(lines))


def test_build_from_own_instances(tmp_path, cli):
    file, out = tmp_path / "gestures.csv", tmp_path / "out"
    write_wide(file, [k % 5 for k in range(60)], noise=0.05)
    words = ["build", "--from", file, "--out", out]
    printed = cli(*words, "--problems", 7, "--g-min", 2).out
    assert "gestures-validation.parquet: 7 problems" in printed
    assert "gestures-test.parquet: 7 problems" in printed
    assert (out / "data_card.md").read_text().startswith("# Data card")
    problems = read_problems(out / "gestures-test.parquet")
    assert all(len(problem.truth) == 2 for problem in problems)
    write_wide(file, [0, 1, 2] * 3, noise=0.05)
    out = ["--out", tmp_path / "few"]
    refused = cli("build", "--from", file, *out, status=2).err
    assert "has 3 different instances; a sp" in refused
    printed = cli("build", "--from", file, *out, "--split", "all").out
    assert "gestures-all.parquet: 200 problems" in printed
    write_wide(file, [0, 1, 2] * 3, noise=0.0)
    refused = cli("build", "--from", file, *out, status=2).err
    assert "'0' has only one instance" in refused


def test_arrays_without_dimensions_and_unknown_homes_are_refused(
    tmp_path, monkeypatch, cli
):
    file, out = tmp_path / "x.npz", tmp_path / "x"
    for arrays in (
        {"labels": "a", "instances": 3.0},
        {"labels": ["a", "b"], "instances": 3.0},
        {"labels": ["a"], "values": 3.0, "lengths": 3},
    ):
        np.savez(file, **arrays)
        refused = cli("build", "--from", file, "--out", out, status=2).err
        assert "no dimensions" in refused
    monkeypatch.setenv("TSMDBENCH_CACHE", "~no-such-user/cache")
    for command in (["datasets", "list"], ["build", "--out", out]):
        refused = cli(*command, status=2).err
        assert "TSMDBENCH_CACHE names ~no-such-user/cache" in refused
    assert not out.exists()


@pytest.fixture
def walks(tmp_path):
    folder = tmp_path / "walks"
    folder.mkdir()
    for name in "abc":
        np.savetxt(folder / f"{name}.csv", np.random.default_rng(0).normal(size=200))
        truth = {"step": [[10, 30], [60, 80], [120, 140], [160, 181]]}
        (folder / f"{name}.truth.json").write_text(json.dumps(truth))
    return folder


def test_recordings_become_problems_and_a_card(walks, tmp_path, cli):
    out = tmp_path / "out"
    printed = cli("build", "--from", walks, "--piece", 100, "--out", out).out
    assert "walks-validation.parquet: 2 problems, from 1 recording" in printed
    assert "walks-test.parquet: 4 problems, from 2 recordings" in printed
    assert "| step | 3 | 12 | 20 | 20.2 | 21 |" in (out / "data_card.md").read_text()
    files = ["walks-test.parquet", "walks-validation.parquet"]
    written = sorted(file.name for file in out.iterdir())
    assert written == ["data_card.md", "manifest.json", *files]
    for name in "bc":
        (walks / f"{name}.csv").unlink()
    printed = cli("build", "--from", walks, "--out", tmp_path / "one")
    assert "walks-test.parquet: 1 problem, from 1 recording" in printed.out
    assert "validation.parquet" not in printed.out
    assert "parameters must be given" in printed.err


def test_truth_in_seconds_and_of_label_studio(walks, tmp_path, cli):
    """The rate turns seconds into the same problems as samples."""
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
    files = walks / "a.csv", walks / "a.truth.json"
    one = from_annotations(*files, units="s", rate=10, name="a")
    assert one.truth == plain[0].truth
    words = ["build", "--from", walks, "--rate", 10, "--out"]
    cli(*words, tmp_path / "out", "--units", "s")
    assert "units" in cli(*words, tmp_path / "other", status=2).err
    assert not (tmp_path / "other").exists()
    named = load_problems(str(tmp_path / "out" / "walks"), "test")
    again = load_recordings(walks, "test", units="s", rate=10)
    assert {p.name: p.truth for p in named} == {p.name: p.truth for p in again}


def test_arrays_with_time_along_their_last_axis(tmp_path, cli):
    series = np.random.default_rng(0).normal(size=(2, 300))
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", series)
        truth = {"step": [[10, 30], [100, 120]]}
        (tmp_path / f"{name}.truth.json").write_text(json.dumps(truth))
    out = tmp_path / "out"
    options = ("--from", tmp_path, "--out", out, "--split", "all")
    assert "time_axis='last'" in cli("build", *options, status=2).err
    cli("build", *options, "--time-axis", "last")
    (file,) = out.glob("*.parquet")
    assert np.array_equal(read_problems(file)[0].series, series.T)

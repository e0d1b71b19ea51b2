"""The commands `datasets` and `build`, from the outside."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.archive_files import own_cache, write_dataset
from tsmdbench.benchmark import load_benchmark, read_problems
from tsmdbench.cli.app import app
from tsmdbench.errors import DownloadError, InputError

pytestmark = pytest.mark.archive

__all__ = ["own_cache", "write_dataset"]


def _run(*arguments, fails=None, by=InputError):
    """Run and return what was printed; an error is the caller's to expect."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if fails is not None:
        assert isinstance(result.exception, by), result.output
        assert fails in str(result.exception)
        return result.output
    assert result.exit_code == 0, result.output + repr(result.exception)
    return result.stdout


def test_bare_datasets_lists_the_fourteen():
    listed = _run("datasets")
    assert listed == _run("datasets", "list")
    lines = listed.splitlines()
    assert len([line for line in lines if " frozen  " in line]) == 12
    assert any(line.startswith("Mallat") and "drawn" in line for line in lines)
    vowels = next(line for line in lines if line.startswith("JapaneseVowels"))
    assert "bundled with aeon" in vowels
    assert vowels.split()[-2:] == ["3", "236"]
    assert "paper has" not in listed
    assert "g>=2" not in listed
    assert "1 of 14 datasets available" in listed
    assert "those of Mallat and Cricket are drawn on this machine" in listed


def test_the_values_of_the_paper_are_an_option():
    listed = _run("datasets", "list", "--paper")
    assert listed == _run("datasets", "--paper")
    vowels = next(x for x in listed.splitlines() if x.startswith("JapaneseVowels"))
    assert vowels.split()[-5:] == ["236", "166", "233", "218", "neither"]
    assert "equal the paper's for 1 of 1 available dataset." in listed


def test_datasets_as_json():
    rows = json.loads(_run("datasets", "--json"))
    assert len(rows) == 14
    plane = next(row for row in rows if row["dataset"] == "Plane")
    assert plane["paper"]["n_avg"] == 1584
    assert plane["available"] is None


def test_data_that_cannot_be_used_is_listed_with_its_reason(tmp_path):
    (tmp_path / "Mallat").mkdir()
    (tmp_path / "Mallat" / "Mallat_TRAIN.ts").write_text("")
    listed = _run("datasets", "--data", tmp_path)
    assert "Unusable: " in listed
    assert "lacks Mallat_TEST.ts" in listed
    assert "datasets fetch ECG5000" in listed
    with_trouble = json.loads(_run("datasets", "--data", tmp_path, "--json"))
    assert [row["dataset"] for row in with_trouble if row["trouble"]] == ["Mallat"]


def test_fetch_says_where_data_is(monkeypatch):
    assert "bundled with aeon" in _run("datasets", "fetch", "JapaneseVowels")
    monkeypatch.setattr("tsmdbench.datasets.fetch.time.sleep", lambda _: None)

    def no_network(*_, **__):
        raise OSError("no network")

    monkeypatch.setattr("tsmdbench.datasets.fetch.urlopen", no_network)
    _run("datasets", "fetch", "Mallat", fails="no network", by=DownloadError)


def test_select_writes_table_figure_and_state(tmp_path):
    out = tmp_path / "selection"
    name = "PickupGestureWiimoteZ"
    printed = _run("datasets", "select", name, "--max-instances", 40, "--out", out)
    assert "40 (part)" in printed
    assert sorted(file.name for file in out.iterdir()) == [
        "selection.csv",
        "selection.json",
        "selection.pdf",
    ]
    again = _run(
        "datasets", "select", name, "--max-instances", 40, "--out", out, "--json"
    )
    assert json.loads(again)[0]["dataset"] == name


def test_shipped_selection_is_shown():
    printed = _run("datasets", "select", "--shipped")
    assert "below 0.5: none" in printed
    assert "not clustered here: Cricket" in printed
    assert "Suitable, but not in the paper: none" in printed


def test_build_writes_problems_and_manifest(tmp_path):
    printed = _run("build", "JapaneseVowels", "--out", tmp_path, "--split", "test")
    assert "JapaneseVowels-test.parquet: 200 problems, frozen recipes" in printed
    problems = read_problems(tmp_path / "JapaneseVowels-test.parquet")
    bench = load_benchmark("JapaneseVowels")
    assert all(
        np.array_equal(read.series, made.series) and read.truth == made.truth
        for read, made in zip(problems, bench, strict=True)
    )
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    entry = manifest["files"]["JapaneseVowels-test.parquet"]
    assert entry["series_sha256"] == [digest.hex() for digest in bench.hashes]
    assert entry["equal_to_frozen"] == 200
    assert {"tsmdbench", "numpy", "python"} <= set(manifest["versions"])


def test_build_without_names_says_what_is_missing(tmp_path):
    printed = json.loads(_run("build", "--out", tmp_path, "--json"))
    assert len(printed["files"]) == 3
    assert "skipped, not available: ECG5000" in printed["notes"][0]


def _write_wide(file, labels, noise):
    """Write one line per instance: sines whose frequency is the label."""
    rng = np.random.default_rng(0)
    lines = ["label," + ",".join(f"t{k}" for k in range(12))]
    for label in labels:
        values = np.sin(np.arange(12) * (1 + label)) + noise * rng.normal(size=12)
        lines.append(f"{label}," + ",".join(map(str, values)))
    file.write_text("\n".join(lines))


def test_build_from_own_data(tmp_path):
    file, out = tmp_path / "gestures.csv", tmp_path / "out"
    _write_wide(file, [k % 5 for k in range(60)], noise=0.05)
    printed = _run("build", "--from", file, "--out", out, "--problems", 7, "--g-min", 2)
    assert "gestures-validation.parquet: 7 problems" in printed
    assert "gestures-test.parquet: 7 problems" in printed
    assert (out / "data_card.md").read_text().startswith("# Data card")
    problems = read_problems(out / "gestures-test.parquet")
    assert all(len(problem.truth) == 2 for problem in problems)


def test_arrays_without_dimensions_and_unknown_homes_are_refused(tmp_path, monkeypatch):
    for place, arrays in enumerate(
        [
            {"labels": "a", "instances": 3.0},
            {"labels": ["a", "b"], "instances": 3.0},
            {"labels": ["a"], "values": 3.0, "lengths": 3},
        ]
    ):
        np.savez(tmp_path / f"{place}.npz", **arrays)
        file = tmp_path / f"{place}.npz"
        _run("build", "--from", file, "--out", tmp_path / "x", fails="no dimensions")
    monkeypatch.setenv("TSMDBENCH_CACHE", "~no-such-user/cache")
    for command in (["datasets", "list"], ["build", "--out", tmp_path / "x"]):
        _run(*command, fails="TSMDBENCH_CACHE names ~no-such-user/cache")
    assert not (tmp_path / "x").exists()


def test_build_from_few_instances_explains_the_split(tmp_path):
    file, out = tmp_path / "few.csv", tmp_path / "out"
    _write_wide(file, [0, 1, 2] * 3, noise=0.05)
    _run("build", "--from", file, "--out", out, fails="has 3 different instances; a sp")
    printed = _run("build", "--from", file, "--out", out, "--split", "all")
    assert "few-all.parquet: 200 problems" in printed
    _write_wide(file, [0, 1, 2] * 3, noise=0.0)
    _run("build", "--from", file, "--out", out, fails="'0' has only one instance")

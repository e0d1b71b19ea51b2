"""No command writes into a folder that belongs to another kind of content."""

import json

import numpy as np
import pytest

from tsmdbench.benchmark import load_benchmark, read_problems
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments.store import StoreWriter


@pytest.fixture
def instances(tmp_path):
    rng = np.random.default_rng(0)
    file = tmp_path / "mine.npz"
    labels = (np.arange(40) % 4).astype(str)
    np.savez(file, instances=rng.normal(size=(40, 30)), labels=labels)
    return file


def build(instances, out, *options):
    """Build problems; the data card compares instances by DTW, which aeon has."""
    pytest.importorskip("aeon")
    return main(["build", "--from", str(instances), "--out", str(out), *options])


def test_build_refuses_a_store(instances, tmp_path, capsys):
    with StoreWriter(tmp_path / "store"):
        pass
    before = (tmp_path / "store" / "manifest.json").read_bytes()
    assert build(instances, tmp_path / "store") == 2
    assert "is a store; a folder of problems needs a folder" in capsys.readouterr().err
    assert (tmp_path / "store" / "manifest.json").read_bytes() == before
    assert not (tmp_path / "store" / "data_card.md").exists()


def test_a_store_refuses_a_folder_of_problems(instances, tmp_path):
    assert build(instances, tmp_path / "problems", "--problems", "2") == 0
    with pytest.raises(InputError, match="is a folder of problems; a store needs"):
        StoreWriter(tmp_path / "problems").__enter__()


def test_a_report_refuses_both(instances, tmp_path, capsys):
    with StoreWriter(tmp_path / "store"):
        pass
    assert build(instances, tmp_path / "problems", "--problems", "2") == 0
    for other in ("store", "problems"):
        arguments = [str(tmp_path / "store"), "--out", str(tmp_path / other)]
        assert main(["report", *arguments]) == 2
        assert "a report needs a folder of its own" in capsys.readouterr().err


def test_build_remembers_what_it_wrote_before(instances, tmp_path):
    out = tmp_path / "problems"
    assert build(instances, out, "--problems", "2", "--split", "test") == 0
    other = instances.with_name("others.npz")
    instances.rename(other)
    assert build(other, out, "--problems", "2", "--split", "test") == 0
    files = json.loads((out / "manifest.json").read_text())["files"]
    assert sorted(files) == ["mine-test.parquet", "others-test.parquet"]


@pytest.mark.parametrize(
    "option",
    [["--problems", "9"], ["--g-max", "2"], ["--piece", "7"], ["--time-axis", "last"]],
)
def test_options_without_effect_are_refused(tmp_path, capsys, option):
    assert main(["build", "Plane", "--out", str(tmp_path / "p"), *option]) == 2
    assert f"{option[0]} has no effect" in capsys.readouterr().err
    assert not (tmp_path / "p").exists()


@pytest.mark.archive
def test_variants_of_the_benchmark_are_built_by_options(tmp_path):
    options = ["--split", "validation", "--seed", "3", "--g-min", "2"]
    out = tmp_path / "problems"
    assert main(["build", "JapaneseVowels", *options, "--out", str(out)]) == 0
    written = read_problems(out / "JapaneseVowels-validation.parquet")
    loaded = load_benchmark("JapaneseVowels", "validation", seed=3, g_min=2)
    assert [p.truth for p in written] == [p.truth for p in loaded]

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


def test_builds_stores_and_reports_refuse_each_other(instances, tmp_path, capsys):
    store, problems = tmp_path / "store", tmp_path / "problems"
    with StoreWriter(store):
        pass
    before = (store / "manifest.json").read_bytes()
    assert build(instances, store) == 2
    assert "is a store; a folder of problems needs a folder" in capsys.readouterr().err
    assert (store / "manifest.json").read_bytes() == before
    assert not (store / "data_card.md").exists()
    assert build(instances, problems, "--problems", "2") == 0
    with pytest.raises(InputError, match="is a folder of problems; a store needs"):
        StoreWriter(problems).__enter__()
    for other in (store, problems):
        assert main(["report", str(store), "--out", str(other)]) == 2
        assert "a report needs a folder of its own" in capsys.readouterr().err


def test_build_remembers_what_it_wrote_before(instances, tmp_path):
    out = tmp_path / "problems"
    assert build(instances, out, "--problems", "2", "--split", "test") == 0
    other = instances.with_name("others.npz")
    instances.rename(other)
    assert build(other, out, "--problems", "2", "--split", "test") == 0
    files = json.loads((out / "manifest.json").read_text())["files"]
    assert sorted(files) == ["mine-test.parquet", "others-test.parquet"]


def test_options_without_effect_are_refused(tmp_path, capsys):
    for option in ("--problems 9", "--g-max 2", "--piece 7", "--time-axis last"):
        given = option.split()
        assert main(["build", "Plane", "--out", str(tmp_path / "p"), *given]) == 2
        assert f"{given[0]} has no effect" in capsys.readouterr().err
        assert not (tmp_path / "p").exists()


@pytest.mark.archive
def test_variants_of_the_benchmark_are_built_by_options(tmp_path):
    options = ["--split", "validation", "--seed", "3", "--g-min", "2"]
    out = tmp_path / "problems"
    assert main(["build", "JapaneseVowels", *options, "--out", str(out)]) == 0
    written = read_problems(out / "JapaneseVowels-validation.parquet")
    loaded = load_benchmark("JapaneseVowels", "validation", seed=3, g_min=2)
    assert [p.truth for p in written] == [p.truth for p in loaded]

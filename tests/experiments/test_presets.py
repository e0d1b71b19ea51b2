"""Presets: what their names stand for, and datasets that are not here."""

import dataclasses
from pathlib import Path

import pytest

from tsmdbench.errors import DataError, InputError, MissingExtraError
from tsmdbench.experiments import preset_params
from tsmdbench.experiments.presets import (
    experiment,
    extra_methods,
    obtainable,
)
from tsmdbench.experiments.settings import DataFacts
from tsmdbench.experiments.specification import Specification
from tsmdbench.methods import METHODS, PAPER_METHODS


@pytest.mark.parametrize(
    ("name", "limits"), [("quick", (10, 30)), ("paper", (None, None))]
)
def test_experiments_tune_and_test_on_some_or_all_problems(name, limits):
    asked = Specification(**experiment(name))
    assert asked.tune
    assert (asked.limit_of("validation"), asked.limit_of("test")) == limits
    assert len(asked.datasets) == 14
    assert asked.methods[:11] == PAPER_METHODS
    assert set(asked.methods) <= set(METHODS)


@pytest.mark.archive
def test_a_dataset_that_cannot_be_had_is_left_out_and_told(monkeypatch, tmp_path):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)

    def fail(*_arguments, **_options):
        raise OSError("no route to host")

    monkeypatch.setattr("tsmdbench.datasets.fetch.urlopen", fail)
    said = []
    assert obtainable(["Mallat", "JapaneseVowels"], said.append) == ("JapaneseVowels",)
    assert said[0] == "Mallat is not on this machine; downloading it ..."
    assert said[1].startswith("left out: Mallat could not be downloaded")
    with pytest.raises(DataError, match="none of the datasets is available"):
        obtainable(["Mallat"], said.append)


def test_a_package_that_is_missing_leaves_no_dataset_out(monkeypatch, tmp_path):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)

    def fail(*_arguments):
        raise MissingExtraError("reading a dataset needs pyarrow", "archive")

    monkeypatch.setattr("tsmdbench.datasets.fetch.fetch_parts", fail)
    said = []
    with pytest.raises(MissingExtraError, match="needs pyarrow"):
        obtainable(["Mallat", "JapaneseVowels"], said.append)
    assert not any("left out" in line for line in said)


# Fields that follow from data, or that do not change what is found.
OF_DATA = {"length", "l_min", "l_max", "k_max", "radius", "max_sets", "channel"}


def defaults(cls):
    return {field.name: field.default for field in dataclasses.fields(cls)}


def grid_fields(cls):
    facts = DataFacts(40, 30, 50, 10, 3, 1, (2.0,), 2.0)
    grid = cls.grid
    return set(grid(facts) if callable(grid) else grid)


@pytest.mark.parametrize("name", [*PAPER_METHODS, *extra_methods()])
def test_the_preset_sets_every_field_that_neither_data_nor_a_search_decides(name):
    cls = METHODS[name]
    fields = {field.name for field in dataclasses.fields(cls) if field.compare}
    decided = OF_DATA | grid_fields(cls)
    assert set(preset_params("paper")[name]) == fields - decided


def test_the_two_full_experiments_differ_by_their_fields_and_grid_only():
    paper, best = experiment("paper"), experiment("best")
    assert paper["params"]["mmotifs"]["max_matches"] == 10
    assert best["params"] == {}
    assert {key for key in paper if paper[key] != best[key]} == {"params", "grid"}
    assert paper["methods"][:11] == PAPER_METHODS
    assert paper["methods"][11:] == extra_methods()
    with pytest.raises(InputError, match="run the experiment 'best'"):
        experiment("paper", "best")
    assert experiment("quick", "paper")["params"] == paper["params"]
    assert experiment("demo")["params"] == best["params"]
    with pytest.raises(InputError, match="experiment must be one of"):
        experiment("mine")


def test_the_page_has_a_row_for_every_field():
    page = Path(__file__).parents[2] / "docs" / "experiments" / "presets.md"
    rows = [
        [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    said = {(row[0], row[1]): (row[2], row[3]) for row in rows if len(row) == 5}
    expected = {
        (method, field): (repr(value), repr(defaults(METHODS[method])[field]))
        for method, fields in preset_params("paper").items()
        for field, value in fields.items()
    }
    assert said == expected
    assert all(row[4] for row in rows if len(row) == 5)

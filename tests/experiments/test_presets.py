"""Presets: what their names stand for, and datasets that are not here."""

import sys

import pytest

from tsmdbench.errors import DataError, MissingExtraError
from tsmdbench.experiments.presets import PAPER_METHODS, obtainable, preset
from tsmdbench.experiments.specification import Specification
from tsmdbench.methods import METHODS


def test_the_methods_of_the_paper_are_known():
    assert len(PAPER_METHODS) == 11
    assert set(PAPER_METHODS) <= set(METHODS)


def test_quick_tunes_on_ten_problems_and_tests_on_thirty():
    asked = Specification(**preset("quick"))
    assert asked.tune
    assert asked.limit_of("validation") == 10
    assert asked.limit_of("test") == 30
    assert len(asked.datasets) == 14


def test_paper_takes_every_problem():
    asked = Specification(**preset("paper"))
    assert asked.tune
    assert asked.limit_of("validation") is asked.limit_of("test") is None


@pytest.mark.archive
def test_a_dataset_that_cannot_be_had_is_left_out_and_told(monkeypatch, tmp_path):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)

    def fail(*_arguments, **_options):
        raise OSError("no route to host")

    monkeypatch.setattr("aeon.datasets.load_classification", fail)
    told = []
    assert obtainable(["Mallat", "JapaneseVowels"], told.append) == ("JapaneseVowels",)
    assert told[0] == "Mallat is not here; downloading it ..."
    assert told[1].startswith("left out: Mallat could not be downloaded")
    with pytest.raises(DataError, match="none of the datasets is here"):
        obtainable(["Mallat"], told.append)


def test_a_package_that_is_missing_leaves_no_dataset_out(monkeypatch, tmp_path):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)
    monkeypatch.setitem(sys.modules, "aeon.datasets", None)
    told = []
    with pytest.raises(MissingExtraError, match="a download needs aeon"):
        obtainable(["Mallat", "JapaneseVowels"], told.append)
    assert not any("left out" in line for line in told)

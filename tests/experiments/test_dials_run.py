"""The experiment with difficulty dials, from the command to where methods break."""

import pytest

from tsmdbench.analysis import breaking_points, score_store
from tsmdbench.cli import main
from tsmdbench.datasets.dials import dial_datasets
from tsmdbench.experiments import (
    Specification,
    Store,
    experiment,
    extra_methods,
    obtainable,
    run,
)
from tsmdbench.experiments.sources import stored_name
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.report import all_tables
from tsmdbench.report.drawn import drawn_figures
from tsmdbench.report.explorer import SeriesSource

POSITIONS = ("dials", "dials?noise=1", "dials?empty_channels=1", "dials?sets=3")


def test_dials_has_all_methods_and_positions():
    options = experiment("dials")
    assert options["datasets"] == dial_datasets()
    options["datasets"] = tuple(map(stored_name, options["datasets"]))
    asked = Specification(**options)
    assert len(asked.datasets) == len(dial_datasets())
    assert asked.methods == (*PAPER_METHODS, *extra_methods())
    assert asked.tune
    assert (asked.limit_of("validation"), asked.limit_of("test")) == (5, 10)


def test_dials_need_no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)
    said = []
    assert obtainable(POSITIONS, said.append) == POSITIONS
    assert said == []
    source = SeriesSource("dials?sets=3&protocol=pvldb", "test")
    assert source.reason == ""
    assert source.get("dials/test/004") is not None
    assert source.get("dials/test/999") is None


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The store of two quick methods at four positions."""
    path = tmp_path_factory.mktemp("dials") / "store"
    moved = [{"noise": 1}, {"empty_channels": 1}, {"sets": 3}]
    datasets = ["dials", *({"name": "dials", **one} for one in moved)]
    options = {**experiment("dials"), "methods": ["stomp", "mrmotif"], "limit": 2}
    run(**options | {"datasets": datasets, "limit_validation": 1}, out=path, workers=0)
    return path


@pytest.mark.slow
def test_the_command_runs_dials_end_to_end(made):
    scores = score_store(made)
    assert set(scores.datasets) == set(POSITIONS)
    assert (scores.table["status"] == "ok").all()
    assert len(scores.table) == 2 * 2 * len(POSITIONS)
    found = breaking_points(scores).set_index(["label", "dial"])
    assert found.loc[("stomp", "noise"), "default"] > 0.9
    assert found.loc[("stomp", "noise"), "breaks_at"] == 1.0
    # The channel with the motifs is chosen on the validation problem.
    assert found.loc[("stomp", "empty_channels"), "score_there"] > 0.9


@pytest.mark.slow
def test_runs_are_not_repeated(made, capsys):
    assert main(["resume", str(made)]) == 0
    assert "ran      0 of" in capsys.readouterr().out


@pytest.mark.slow
def test_the_report_shows_where_methods_break(made):
    scores, store = score_store(made), Store(made)
    tables = {table.name: table for table in all_tables(scores, store)}
    breaking = tables["breaking_points"].frame.set_index("method")
    assert breaking.loc["stomp", "noise"] == 1.0
    assert "| stomp |" in tables["breaking_points"].markdown()
    dials = tables["dials"].frame
    assert list(dials["dial"]) == [
        *("noise", "noise"),
        *("sets", "sets"),
        *("empty_channels", "empty_channels"),
    ]
    assert list(dials["position"]) == [0.1, 1.0, 2.0, 3.0, 0.0, 1.0]
    assert "sets" in set(tables["properties"].frame["property"])
    figures, _ = drawn_figures(scores, store)
    names = {figure.name for figure in figures}
    assert {"breaking_stomp", "breaking_mrmotif"} <= names

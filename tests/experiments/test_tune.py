"""The search: every setting on every validation problem, the first of the best wins."""

import json
import tomllib

import pyarrow.parquet as pq
import pytest

from tests.experiments import mock_problems
from tests.experiments.driving import MOCKS, PROBLEMS, asked
from tests.experiments.mock_methods import Chooser
from tsmdbench.experiments.running import resume, run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.methods import SubSetFinder
from tsmdbench.metrics import evaluate, subspace_prom

CHOOSER = MOCKS + "Chooser"
LEVELS = [40, 3, 0, 2, 1]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    path = tmp_path_factory.mktemp("tuned") / "store"
    grid = {CHOOSER: {"level": LEVELS}}
    run_specification(asked("Chooser", "Mock", tune=True, grid=grid), path, workers=0)
    return path


def surface(path):
    (file,) = (path / "tuning").glob("*Chooser.parquet")
    return pq.read_table(file).to_pylist()


def mean_f1(level):
    problems = mock_problems.small("validation")
    method = Chooser(length=20, max_sets=1, level=level)
    scores = [
        evaluate(problem.truth, method.find(problem.series), ["prom_f1"])["prom_f1"]
        for problem in problems
    ]
    return sum(scores) / len(scores)


def test_the_whole_surface_is_stored_with_true_scores(tuned):
    rows = surface(tuned)
    assert [json.loads(row["parameters"])["level"] for row in rows] == LEVELS
    expected = [mean_f1(level) for level in LEVELS]
    assert [row["mean_f1"] for row in rows] == pytest.approx(expected)
    assert len(set(expected)) > 1
    assert {row["problems"] for row in rows} == {6}
    assert sum(row["winner"] for row in rows) == 1
    best = expected.index(max(expected))
    assert [row["winner"] for row in rows].index(True) == best


def test_the_search_uses_validation_and_the_winner_is_tested(tuned):
    counts = {what[1:3]: n for what, n in Store(tuned).counts().items()}
    assert counts == {
        ("validation", CHOOSER): 5 * 6,
        ("test", CHOOSER): 12,
        ("test", MOCKS + "Mock"): 12,
    }
    table = Store(tuned).table(["split", "method", "parameters", "shared"]).to_pylist()
    tested = {
        json.loads(r["parameters"])["level"]
        for r in table
        if (r["split"], r["method"]) == ("test", CHOOSER)
    }
    scores = [mean_f1(level) for level in LEVELS]
    assert tested == {LEVELS[scores.index(max(scores))]}
    searched = [r for r in table if r["split"] == "validation"]
    assert {r["shared"] for r in searched} == {5}


def test_ties_go_to_the_first_of_the_grid(tmp_path):
    # The level counts modulo the length that is left, 60 samples: three equal settings.
    grid = {CHOOSER: {"level": [61, 1, 121]}}
    run_specification(
        asked("Chooser", tune=True, grid=grid, limit=3), tmp_path / "s", workers=0
    )
    rows = surface(tmp_path / "s")
    assert len({row["mean_f1"] for row in rows}) == 1
    assert [row["winner"] for row in rows] == [True, False, False]


def test_a_setting_that_fails_scores_nothing_and_the_search_goes_on(tmp_path):
    grid = {CHOOSER: {"level": [0], "bad": ["raise", ""]}}
    run_specification(asked("Chooser", tune=True, grid=grid), tmp_path / "s", workers=0)
    rows = surface(tmp_path / "s")
    assert [(row["failed"], row["winner"]) for row in rows] == [(6, False), (0, True)]
    assert rows[0]["mean_f1"] == 0.0 < rows[1]["mean_f1"]


def test_winners_can_be_given_back_as_parameters(tuned, tmp_path):
    params = tomllib.loads((tuned / "tuning" / "tuned.toml").read_text())
    run_specification(asked("Chooser", params=params), tmp_path / "s", workers=0)
    again = {r["key"] for r in Store(tmp_path / "s").table(["key"]).to_pylist()}
    assert again <= Store(tuned).keys()
    assert len(again) == 12


def test_winners_of_several_searches_are_kept(tmp_path):
    path = tmp_path / "s"
    for method in ("Chooser", "Mock"):
        grid = {MOCKS + method: {"length": [10, 15]}}
        run_specification(asked(method, tune=True, grid=grid, limit=2), path, workers=0)
    params = tomllib.loads((path / "tuning" / "tuned.toml").read_text())
    assert set(params) == {MOCKS + "Chooser", MOCKS + "Mock"}


def test_a_grid_of_one_setting_needs_no_search(tmp_path):
    grid = {CHOOSER: {"level": [7]}}
    run_specification(asked("Chooser", tune=True, grid=grid), tmp_path / "s", workers=0)
    rows = Store(tmp_path / "s").table(["split", "parameters"]).to_pylist()
    assert {row["split"] for row in rows} == {"test"}
    assert {json.loads(row["parameters"])["level"] for row in rows} == {7}


def test_resuming_a_finished_search_runs_nothing(tuned):
    (summary,) = resume(tuned, workers=0, trust=True)
    assert (summary.planned, summary.skipped) == (54, 54)


def test_parameters_of_one_dataset_go_before_those_of_all():
    params = {CHOOSER: {"level": 1, "bad": "", "datasets": {"x": {"level": 2}}}}
    made = Specification((PROBLEMS + "small",), (CHOOSER,), params=params)
    assert made.fixed_fields(CHOOSER, "x") == {"level": 2, "bad": ""}
    assert made.fixed_fields(CHOOSER, "y") == {"level": 1, "bad": ""}
    assert made.fixed_fields("other", "x") == {}


def test_the_validation_split_can_have_a_limit_of_its_own(tmp_path):
    grid = {CHOOSER: {"level": [1, 2]}}
    wanted = asked("Chooser", tune=True, grid=grid, limit=4, limit_validation=3)
    run_specification(wanted, tmp_path / "s", workers=0)
    counts = Store(tmp_path / "s").counts()
    assert {key[1]: n for key, n in counts.items()} == {"validation": 6, "test": 4}


def test_sets_with_channels_are_searched_by_subspace_prom(tmp_path):
    dataset = PROBLEMS.rpartition(":")[0] + ":subspaces"
    grid = {"sub_setfinder": {"radius": [0.5, 5.0], "delta": [0.5, 1.0]}}
    request = Specification((dataset,), ("sub_setfinder",), tune=True, grid=grid)
    run_specification(request, tmp_path / "store", workers=1)
    store = Store(tmp_path / "store")
    (file,) = (store.path / "tuning").glob("*sub_setfinder.parquet")
    problems = mock_problems.subspaces("validation")
    means = []
    for row in pq.read_table(file).to_pylist():
        method = SubSetFinder(**json.loads(row["parameters"]))
        scores = [
            subspace_prom(p.truth, method.find(p.series), n_channels=3).f1
            for p in problems
        ]
        means.append(sum(scores) / len(scores))
        assert row["mean_f1"] == pytest.approx(means[-1])
    assert max(means) > min(means)

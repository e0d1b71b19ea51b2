"""Random methods: one row per problem, the mean over seeds, and its spread."""

import math

import numpy as np
import pytest

from tests.analysis.made import DATASET, perfect, write_store
from tests.experiments.mock_problems import small
from tsmdbench.analysis import Scores, leaderboard, score_store, seed_spread
from tsmdbench.analysis.costs import cost
from tsmdbench.experiments.rows import Outcome
from tsmdbench.experiments.store import Store
from tsmdbench.metrics import evaluate
from tsmdbench.paper.robustness import chosen_parameters
from tsmdbench.report.explorer import store_rows
from tsmdbench.report.tables import all_tables, seeds_table

SEEDS = (0, 1, 2)
PROBLEMS = 4


def drawn(seed, number):
    """What a seed finds: the truth, moved by a random number of samples."""
    rng = np.random.default_rng([seed, number])
    truth = small("test")[number].truth
    move = int(rng.integers(0, 18))
    return [(m.segments + move).tolist()[:-1] for m in truth.values()]


@pytest.fixture
def store(tmp_path):
    """A random method with three seeds, one that has none, and one with one seed."""
    runs = [
        (
            "mine",
            {"rho": 0.5, "seed": seed},
            n,
            Outcome("ok", 1.0 + seed, 2.0, 10, 1, drawn(seed, n)),
        )
        for seed in SEEDS
        for n in range(PROBLEMS)
    ]
    runs += [("fixed", {}, n, perfect()[n]) for n in range(PROBLEMS)]
    runs += [("single", {"seed": 7}, n, perfect()[n]) for n in range(PROBLEMS)]
    return write_store(tmp_path / "store", runs)


def f1(seed, number):
    return evaluate(small("test")[number].truth, drawn(seed, number))["prom_f1"]


def test_a_row_is_the_mean_over_seeds(store):
    scores = score_store(store)
    assert scores.labels == ("fixed", "mine", "single")
    mine = scores.table[scores.table["label"] == "mine"]
    assert len(mine) == PROBLEMS
    for number, (_, row) in enumerate(mine.iterrows()):
        each = [f1(seed, number) for seed in SEEDS]
        assert row["prom_f1"] == pytest.approx(np.mean(each))
        assert [row["by_seed"][s]["prom_f1"] for s in SEEDS] == pytest.approx(each)
        assert (row["repeats"], row["seconds"], row["status"]) == (3, 2.0, "ok")
    others = scores.table[scores.table["label"] != "mine"]
    assert set(others["repeats"]) == {1}


def test_the_spread_is_that_of_the_mean_of_each_seed(store):
    found = seed_spread(score_store(store))
    means = [np.mean([f1(seed, n) for n in range(PROBLEMS)]) for seed in SEEDS]
    assert found.loc["mine", "seeds"] == 3
    assert found.loc["mine", "sd"] == pytest.approx(np.std(means, ddof=1))
    assert found.loc["mine", "sd"] > 0
    for label in ("fixed", "single"):
        assert found.loc[label, "seeds"] == 1
        assert math.isnan(found.loc[label, "sd"])


def test_only_seeds_that_all_problems_have_make_the_spread(tmp_path):
    runs = [
        ("mine", {"seed": seed}, n, Outcome("ok", found=drawn(seed, n)))
        for seed in SEEDS
        for n in range(PROBLEMS)
        if (seed, n) != (2, 3)
    ]
    scores = score_store(write_store(tmp_path / "store", runs))
    assert seed_spread(scores).loc["mine", "seeds"] == 2
    means = [np.mean([f1(seed, n) for n in range(PROBLEMS)]) for seed in (0, 1)]
    sd = seed_spread(scores).loc["mine", "sd"]
    assert sd == pytest.approx(np.std(means, ddof=1))


def test_a_failed_repeat_counts_as_nothing_found(tmp_path):
    runs = [("mine", {"seed": 0}, 0, perfect()[0])]
    runs += [("mine", {"seed": 1}, 0, Outcome("timeout", 9.0, 9.0, 50))]
    scores = score_store(write_store(tmp_path / "store", runs))
    (row,) = scores.table.to_dict("records")
    assert (row["prom_f1"], row["status"], row["repeats"]) == (0.5, "timeout", 2)
    assert row["seconds"] == 1.0  # of the run that ended well
    assert cost(scores).loc["mine", "failed"] == 1


def test_other_settings_are_rivals_and_not_repeats(tmp_path):
    runs = [
        ("mine", {"rho": rho, "seed": seed}, 0, perfect()[0])
        for rho in (0.1, 0.2)
        for seed in SEEDS
    ]
    scores = score_store(write_store(tmp_path / "store", runs))
    assert scores.labels == ("mine [rho=0.1]", "mine [rho=0.2]")
    assert set(scores.table["repeats"]) == {3}


def test_cutting_and_joining_keep_the_spread(store):
    scores = score_store(store)
    before = seed_spread(scores).loc["mine", "sd"]
    joined = scores.only(labels=["fixed"]).join(scores.only(labels=["mine"]))
    assert seed_spread(joined.on_common_problems()).loc["mine", "sd"] == before
    assert isinstance(joined, Scores)


def test_leaderboard_and_report_show_the_spread_where_there_is_one(store):
    board = leaderboard(score_store(store))
    table = board.table.set_index("label")
    assert table.loc["mine", "seeds"] == 3
    shown = str(board)
    assert "± seeds" in shown
    assert f"{table.loc['mine', 'seed_sd']:.3f}" in shown
    assert "± seeds: standard deviation of prom_f1 over the seeds" in shown
    without = leaderboard(score_store(store), only=["fixed"])
    assert "seeds" not in str(without)
    # The report has a table of seeds, and the runs of each.
    scores = score_store(store)
    table = seeds_table(scores)
    assert table.frame["method"].tolist() == ["mine"]
    assert table.frame["seeds"].tolist() == [3]
    assert "seeds" in [one.name for one in all_tables(scores, Store(store))]
    (rows,) = store_rows(scores, {"": [Store(store)]}, "test").values()
    shown = rows["mine", small("test")[1].name]
    assert [run["found"] for run in shown] == [drawn(seed, 1) for seed in SEEDS]
    # A study of variants takes the first seed.
    chosen = chosen_parameters(store)
    assert chosen["mine"]["datasets"] == {DATASET: {"rho": 0.5, "seed": 0}}

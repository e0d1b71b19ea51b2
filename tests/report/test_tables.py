"""The tables of the report hold what the analysis computed."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from tests.report.fakes import HOSTILE, fake_scores
from tsmdbench.analysis import leaderboard
from tsmdbench.analysis.metric_agreement import agreement
from tsmdbench.analysis.ranking import significance
from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.report.tables import (
    agreement_table,
    all_tables,
    cost_table,
    failures_table,
    intervals_table,
    means_table,
    methods_table,
    p_value,
    p_values_table,
    ranks_table,
    settings_table,
    spread_table,
)

DATASETS = ("Plane", "ERing", "NATOPS", "JapaneseVowels", "mine", "other")
METHODS = ("emma", "mrmotif", "locomotif")
NAMES = """comparison means_f1 means_precision means_recall means_macro_f1 spread
    ranks_f1 p_values_f1 ranks_precision p_values_precision ranks_recall
    p_values_recall bayesian_f1 intervals_f1 kendall settings cost failures methods"""


@pytest.fixture(scope="module")
def scores():
    return fake_scores(METHODS, DATASETS, problems=4)


@pytest.fixture(scope="module")
def with_gaps():
    return fake_scores(METHODS, DATASETS, problems=4, gaps=True)


def rows(table):
    return list(csv.DictReader(io.StringIO(table.csv())))


def test_all_tables_have_names_of_their_own_and_are_the_same_twice(with_gaps):
    first, second = all_tables(with_gaps), all_tables(with_gaps)
    assert [table.name for table in first] == NAMES.split()
    for one, other in zip(first, second, strict=True):
        assert one.markdown() == other.markdown()
        assert one.latex() == other.latex()
        assert one.csv() == other.csv()


@pytest.mark.parametrize(
    "odd",
    [
        fake_scores(("emma",), ("Plane",), 1),
        fake_scores(HOSTILE, ("a|b", "$d_1$"), 2, gaps=True),
    ],
    ids=["one run", "hostile names"],
)
def test_all_tables_can_be_made_of_odd_results(odd):
    for table in all_tables(odd):
        text, latex = table.markdown(), table.latex()
        lines = [line for line in text.splitlines() if line.startswith("|")]
        assert len({line.count("|") for line in lines}) == 1, table.name
        begun = (latex.count(rf"\begin{{{x}}}") for x in ("tabular", "longtable"))
        assert sum(begun) == 1
        assert "<script" not in text


def test_means_are_those_of_the_scores(with_gaps):
    table = means_table(with_gaps, "prom_recall")
    means = with_gaps.means("prom_recall")
    *read, last = rows(table)
    for row, dataset in zip(read, means.index, strict=True):
        assert row["dataset"] == dataset
        for label in means.columns:
            value = means.loc[dataset, label]
            assert row[label] == ("" if np.isnan(value) else repr(float(value)))
    assert last["dataset"] == "mean"
    assert float(last["locomotif"]) == pytest.approx(means["locomotif"].mean())
    assert last["mrmotif"] == ""  # has no run on a dataset
    assert "†" in table.markdown()  # emma has failed runs
    assert "†" not in means_table(with_gaps.only(labels=["locomotif"])).markdown()
    assert means_table(with_gaps, "score").best == "lowest"
    assert means_table(with_gaps, "prom_f1").best == "highest"


def test_ranks_say_from_whom_a_method_does_not_differ(scores):
    found = significance(scores)
    read = rows(ranks_table(found))
    assert [row["method"] for row in read] == list(found.labels)
    for row in read:
        label, same = row["method"], row["not different from"]
        assert float(row["average rank"]) == found.average_ranks[label]
        different = int(found.rejected.loc[label].sum())
        if different == 0:
            assert same == "all others"
        else:
            assert len(same.split(", ")) == 2 - different
    assert found.note in ranks_table(found).caption
    clear = fake_scores(("emma", "locomotif"), [f"d{k}" for k in range(12)], 3)
    clear.table.loc[clear.table["label"] == "emma", "prom_f1"] *= 0.1
    first, second = rows(ranks_table(significance(clear)))
    assert (first["method"], first["better than"]) == ("locomotif", "1")
    assert first["not different from"] == "none"
    assert second["better than"] == "0"


def test_p_values_are_those_of_the_tests(scores):
    found = significance(scores, "prom_precision")
    read = rows(p_values_table(found, "prom_precision"))
    assert len(read) == 3
    for row in read:
        pair = row["first"], row["second"]
        assert float(row["p"]) == found.p_values.loc[pair]
        assert float(row["p (Holm)"]) == found.adjusted.loc[pair]
        assert row["different"] == str(bool(found.rejected.loc[pair]))
    assert (p_value(0.00049), p_value(0.0005)) == ("< 0.001", "0.001")


def test_spread_intervals_and_agreement_are_complete(scores):
    assert len(rows(spread_table(scores))) == 6 * 3 * 6
    read = rows(intervals_table(scores))
    assert len(read) == 6 * 3 + 3
    assert all(float(r["low"]) <= float(r["mean"]) <= float(r["high"]) for r in read)
    taus = rows(agreement_table(agreement(scores)))
    assert [row["metric"] for row in taus] == ["F", "P", "R", "C_m", "C_g", "S"] * 2
    assert float(taus[0]["F"]) == 1.0


def test_costs_and_settings_are_those_of_the_runs(scores):
    table = cost_table(scores)
    longest = scores.table.groupby("label")["cpu_seconds"].max()
    for row in rows(table):
        assert float(row["longest time"]) == longest[row["method"]]
    assert "GiB" in table.markdown()
    read = rows(settings_table(scores))
    assert len(read) == len(METHODS) * len(DATASETS)
    assert read[0]["parameters"] == "length=12"


def test_failures_are_counted_with_their_message(with_gaps, scores, tmp_path):
    with StoreWriter(tmp_path / "store") as writer:
        for problem, message in (("b", "second"), ("a", "first\n| time")):
            run = Run("emma", "1", "{}", "Plane", "test", problem)
            writer.add([run.row(Outcome("timeout", message=message))])
    read = rows(failures_table(with_gaps, Store(tmp_path / "store")))
    assert [row["dataset"] for row in read] == list(DATASETS)
    assert {(row["failed"], row["runs"]) for row in read} == {("1", "4")}
    assert [row["first message"] for row in read[:2]] == ["first | time", ""]
    assert failures_table(scores).caption == "No run failed."


def test_table_of_methods_is_that_of_the_paper():
    read = {row["method"]: row for row in rows(methods_table())}
    assert tuple(read) == PAPER_METHODS
    yes = [m for m in read if read[m]["multivariate"] == "True"]
    assert yes == ["mmotifs", "locomotif"]
    lengths = {m: read[m]["variable length"] for m in read if m.startswith("v")}
    assert lengths == {"valmod": "inter", "vonsem": "inter"}
    symbolic = [m for m in read if read[m]["no symbolic approximation"] == "False"]
    assert symbolic == ["mrmotif", "gv_sequitur", "gv_repair"]
    (own,) = rows(methods_table(["my.module:Mine"]))
    assert own["parameters"] == "unknown"


def test_ties_share_a_place_in_every_table():
    scores = fake_scores(("low", "tied", "high"), datasets=DATASETS[:5])
    copy = scores.table[scores.table["label"] == "tied"].assign(label="copy")
    table = pd.concat([scores.table.assign(origin=""), copy.assign(origin="")])
    both = Scores(table.assign(by_seed=None, repeats=1).reset_index(drop=True))
    board = leaderboard(both).table.set_index("label")["place"]
    assert board.astype(int).to_dict() == {"high": 1, "copy": 2, "tied": 2, "low": 4}
    ranked = ranks_table(significance(both)).frame.set_index("method")["place"]
    assert ranked.astype(int).to_dict() == board.astype(int).to_dict()

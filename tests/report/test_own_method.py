"""The method that a report is about: highlighted, named and coloured."""

import csv
import dataclasses
import io
import re

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.report.fakes import fake_scores, fake_significance
from tsmdbench.analysis.standings import standings
from tsmdbench.errors import DataError, InputError
from tsmdbench.methods.info import MethodInfo
from tsmdbench.plotting import GREEN, SHADES
from tsmdbench.report import drawn
from tsmdbench.report.figures.properties import OWN, different, looks, own_colours
from tsmdbench.report.figures.style import (
    highlight,
    house_style,
    new_figure,
)
from tsmdbench.report.page import groups_of, leaderboard_rows, palette_css
from tsmdbench.report.tables import (
    all_tables,
    check_metrics,
    comparison_table,
    means_table,
    ranks_table,
)
from tsmdbench.report.write import write_scores

MINE = "my.pkg:New"
METHODS = ("emma", "locomotif", MINE)
DATASETS = ("Plane", "ERing", "NATOPS")


@pytest.fixture(scope="module")
def scores():
    return fake_scores(METHODS, DATASETS, problems=4)


def declared(scores, **facts):
    return dataclasses.replace(scores, declared={MINE: MethodInfo(**facts)})


def rows_of(table):
    return list(csv.DictReader(io.StringIO(table.csv())))


def test_ones_own_has_a_colour_that_no_kind_has(scores):
    found = looks(scores)
    assert found["locomotif"].colour == GREEN
    assert found[MINE].colour == OWN[0]
    assert own_colours(scores) == {MINE: OWN[0]}
    chosen = declared(scores, colour="#123456", variable_length="no", univariate=True)
    assert looks(chosen)[MINE].colour == "#123456"
    assert looks(chosen)[MINE].meaning == f"{MINE} (fixed length, univariate)"
    # Many are coloured by what they can do.
    new = [f"my.pkg:New{k}" for k in range(4)]
    many = looks(fake_scores(("emma", *new), DATASETS, 2))
    assert len(different(many)) == 2
    assert {many[name].meaning for name in new} == {"properties not declared"}


def test_page_and_figures_agree_on_every_colour(scores):
    chosen = declared(scores, colour="#123456")
    groups, places = groups_of(chosen)
    css = palette_css(groups)
    for label, one in looks(chosen).items():
        light, dark = SHADES.get(one.colour, (one.colour, one.colour))
        rule = f".group-{places[label]} {{ color: light-dark({light}, {dark}); }}"
        assert rule in css, label


def test_entries_say_what_was_declared_and_how_it_was_tuned(scores):
    chosen = declared(scores, univariate=False, variable_length="intra")
    rows = leaderboard_rows(chosen, standings(chosen, "prom_f1"))
    made = {row["label"]: row for row in rows}
    assert made[MINE]["own"]
    assert not made["emma"]["own"]
    assert made[MINE]["properties"].words == "within sets, multivariate"
    assert made[MINE]["comparable"]
    assert made[MINE]["tuned_on"] == "not tuned"


def test_names_of_ones_own_are_bold_and_coloured(scores):
    with house_style():
        figure = new_figure(3, 2)
        axes = figure.add_subplot()
        texts = [axes.text(0, 0, name) for name in (MINE, f"{MINE}  1.50", "emma")]
    highlight(figure, own_colours(scores))
    assert [text.get_fontweight() for text in texts] == ["bold", "bold", "normal"]
    assert texts[0].get_color() == OWN[0]


def test_the_comparison_has_mean_and_interval_and_the_best_in_bold(scores):
    table = comparison_table(scores, ["prom_f1", "score"])
    first, *_ = rows = rows_of(table)
    assert [row["method"] for row in rows] == list(METHODS)
    assert list(first)[3:] == ["F1 low", "F1 high", "score low", "score high"]
    for row in rows:
        assert float(row["F1 low"]) <= float(row["F1"]) <= float(row["F1 high"])
    text = table.latex()
    best = max(float(row["F1"]) for row in rows)
    lowest = min(float(row["score"]) for row in rows)  # a cost
    assert rf"\textbf{{{best:.3f}}}~{{[}}" in text
    assert rf"\textbf{{{lowest:.3f}}}~{{[}}" in text
    assert text.count(r"\textbf") == 2
    assert re.search(r"\\caption\{.* tsmdbench \d+\.\d+.*\}", text)
    turned = comparison_table(scores, ["prom_f1", "score"], transpose=True)
    assert [row["metric"] for row in rows_of(turned)] == ["F1", "score"]
    assert turned.latex().count(r"\textbf") == 2
    assert rf"\textbf{{{lowest:.3f}}}" in turned.latex()


def test_means_can_be_turned_round():
    scores = fake_scores(METHODS, DATASETS, problems=4, gaps=True)
    plain, turned = means_table(scores), means_table(scores, transpose=True)
    by_dataset = {row["dataset"]: row for row in rows_of(plain)}
    for row in rows_of(turned):
        for dataset in (*DATASETS, "mean"):
            assert row[dataset] == by_dataset[dataset][row["method"]]
    for table in (plain, turned):
        assert table.latex().count(r"\textbf") == len(DATASETS) + 1
        # The first method fails once on every dataset, and so over all of them.
        assert table.markdown().count("†") == len(DATASETS) + 1 + 1  # and the caption


def test_metrics_are_chosen_and_checked(scores):
    names = {t.name for t in all_tables(scores, metrics=["prom_recall"])}
    assert {"comparison", "means_recall"} <= names
    assert "means_f1" not in names
    with pytest.raises(InputError, match="metric must be one of"):
        check_metrics(scores, ["f3"])
    with pytest.raises(InputError, match="at least one metric"):
        check_metrics(scores, [])


def test_equal_ranks_share_a_place():
    names = ("a", "b", "c", "d")
    found = fake_significance(names, [1.0, 2.5, 2.5, 4.0], cliques=[])
    found.adjusted, found.alpha = found.p_values, 0.05
    found.datasets_used = ("x",)
    table = ranks_table(found)
    assert [row["place"] for row in rows_of(table)] == ["1", "2", "2", "4"]
    assert "over 1 dataset (" in table.caption


def test_one_dataset_has_no_diagram_of_average_ranks():
    one = fake_scores(METHODS, DATASETS[:1], problems=3)
    with pytest.raises(DataError, match="at least two datasets"):
        drawn._critical_difference(one, "prom_f1", "F1")
    two = fake_scores(METHODS, DATASETS[:2], problems=3)
    assert drawn._critical_difference(two, "prom_f1", "F1").axes


def test_scores_per_problem_come_back_as_they_were(scores, tmp_path):
    files = write_scores(scores, tmp_path, csv=True, parquet=True)
    assert [file.name for file in files] == ["scores.csv", "scores.parquet"]
    back = pd.read_csv(files[0])
    stored = pq.read_table(files[1]).to_pandas()
    assert len(back) == len(stored) == len(scores.table)
    assert back["prom_f1"].tolist() == pytest.approx(scores.table["prom_f1"].tolist())
    assert stored["method"].tolist() == scores.table["label"].tolist()
    assert write_scores(scores, tmp_path, csv=False, parquet=False) == ()

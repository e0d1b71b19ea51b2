"""Every registered metric against every property that it claims."""

import pytest
from hypothesis import given, settings

from tests.strategies import cases
from tsmdbench import InputError, InputTypeError
from tsmdbench.metrics import METRICS, check_metric, evaluate, evaluate_many
from tsmdbench.metrics.metric import PROPERTIES
from tsmdbench.metrics.properties import CASES, PAPER_TABLE, differences, property_table

NAMES = list(METRICS)
DEFAULT = [n for n in NAMES if METRICS[n].general and not METRICS[n].by_channel]
TRUTH = {"a": [(0, 10), (50, 60)]}


@pytest.fixture(scope="module")
def cards():
    return {card.name: card for card in property_table()}


@pytest.mark.parametrize("name", NAMES)
def test_a_metric_keeps_what_it_declares(name, cards):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.formula and metric.reference and metric.empty  # noqa: PT018
    assert metric.lowest < metric.highest
    assert cards[name].cells == dict(metric.properties)
    for case in CASES:
        try:
            best = metric(case.truth, list(case.truth.values()))
            value = metric(case.truth, case.found)
        except InputError:
            continue
        assert type(value) is float
        assert metric.lowest <= value <= metric.highest
        if metric.properties["counts a motif once"] is True:
            assert best >= value if metric.higher_is_better else best <= value
    nothing = 20.0 if name == "score" else float(metric.empty)
    assert metric(TRUTH, []) == nothing
    if metric.properties["any cardinality"]:
        assert metric(TRUTH, [[]]) == nothing
    elsewhere = metric(TRUTH, [[(200, 210), (300, 310)]])
    assert elsewhere == (40.0 if name == "score" else 0.0)
    with pytest.raises(InputError, match="truth is empty"):
        metric([], [[(0, 10)]])
    with pytest.raises(InputTypeError, match="no option 'treshold'"):
        metric(TRUTH, TRUTH, treshold=0.5)


def test_at_least_forty_named_cases_cover_every_decided_property():
    assert len(CASES) >= 40
    assert len({case.name for case in CASES}) == len(CASES)
    decided = set(PROPERTIES) - {"independent of order", "bounded"}
    assert {case.shows for case in CASES} == decided | {""}


def test_every_difference_from_the_papers_table_is_explained(cards):
    lines = differences(cards.values())
    assert len(lines) == 6
    assert all(": " in line for line in lines)
    for name in ("prom_f1", "correctness_m"):
        ours = tuple(cards[name].cells[key] for key in PROPERTIES[:7])
        assert ours == PAPER_TABLE[name]


def test_check_metric_prints_the_scorecard_of_anybodys_metric(capsys):
    def first_set_only(truth, found):
        """Depend on the order: compare the first sets."""
        first = next(iter(truth.values()))
        return len(set(first) & set(found[0] if found else [])) / len(first)

    card = check_metric(first_set_only)
    printed = capsys.readouterr().out
    assert "first_set_only: 53 cases" in printed
    assert card.cells["independent of order"] is False
    assert card.cells["false-positive sets"] is False
    assert card.cells["false-negative motifs"] is True
    assert "not:" in printed


def test_check_metric_knows_registered_ones_and_costs():
    by_name = check_metric("score", quiet=True)
    assert by_name.cells["false-positive sets"] is True
    cost = check_metric(lambda _, f: -len(f), higher_is_better=False, quiet=True)
    assert cost.cells["bounded"] is False


@settings(max_examples=50, deadline=None)
@given(cases(max_sets=4))
def test_evaluate_many_equals_evaluate(case):
    alone = evaluate(*case)
    table = evaluate_many([([[(5, 9)]], []), case, ([[(0, 3)]], [[(1, 4)]]), case])
    for name, value in alone.items():
        assert table[name][1] == table[name][3] == value


def test_evaluate_many_takes_tables():
    pytest.importorskip("pandas")
    import pandas as pd
    import pyarrow as pa

    truth, found = [[(0, 10), (50, 60)]], [[(0, 10)]]
    columns = {"truth": [truth] * 5, "found": [found, [], truth, found, [[]]]}
    expected = [2 / 3, 0.0, 1.0, 2 / 3, 0.0]
    for table in (columns, pd.DataFrame(columns), pa.table(columns)):
        values = evaluate_many(table, ["prom_f1"])
        assert values["prom_f1"].tolist() == pytest.approx(expected)
        assert len(values) == 5
    assert list(pd.DataFrame(values).columns) == ["prom_f1"]
    assert len(evaluate_many([])) == 0
    assert set(evaluate_many([]).dtype.names) == set(DEFAULT)


def test_evaluate_many_separates_huge_time_stamps():
    late = 2**61
    rows = [([[(late - 10, late)]], [[(late - 10, late)] * 2])] * 20
    table = evaluate_many(rows, ["prom_f1", "score"])
    assert table["prom_f1"].tolist() == [2 / 3] * 20
    assert table["score"].tolist() == [10.0] * 20


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(TRUTH, TRUTH), ([[(0, 5), (3, 9)]], [])], "row 1: truth must not overlap"),
        ([(TRUTH, [[(5, 3)]])], "row 0: found, set 0"),
        ([TRUTH], "row 0 is not a pair"),
        ({"truth": []}, "lacks the column 'found'"),
    ],
)
def test_evaluate_many_names_the_wrong_row(rows, message):
    with pytest.raises(InputError, match=message):
        evaluate_many(rows)


def test_evaluate_chooses_metrics_and_passes_options():
    found = [[(0, 7), (50, 60)], [(200, 210)]]
    assert set(evaluate(TRUTH, found)) == set(DEFAULT)
    loose, tight = (
        evaluate(TRUTH, found, ["prom_f1", "correctness_m"], threshold=t)
        for t in (0.5, 0.8)
    )
    assert loose["prom_f1"] > tight["prom_f1"]
    assert loose["correctness_m"] > tight["correctness_m"]
    strict = evaluate(TRUTH, found, "prom_precision", penalize_off_target=True)
    assert strict["prom_precision"] == pytest.approx(2 / 3)
    with pytest.raises(KeyError, match="did you mean 'prom_f1'"):
        evaluate(TRUTH, found, ["prom_f2"])
    with pytest.raises(InputError, match="metrics is empty"):
        evaluate(TRUTH, found, [])
    with pytest.raises(InputTypeError, match="no option 'share'"):
        evaluate(TRUTH, found, ["prom_f1"], share=0.5)

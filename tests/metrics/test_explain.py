"""Explanations: every motif gets its word, and fixing all errors gives one."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import cases
from tsmdbench import InputError
from tsmdbench.cli import main
from tsmdbench.example import example_path
from tsmdbench.metrics import explain, prom
from tsmdbench.metrics.explain import KINDS, fixed

TRUTH = {"a": [(0, 10), (50, 60), (90, 100)], "b": [(20, 30), (70, 80)]}
FOUND = [[(0, 10), (56, 66), (20, 30)], [(70, 80), (70, 79), (200, 210)]]


def test_every_motif_gets_its_word():
    explanation = explain(TRUTH, FOUND)
    found = {(m.start, m.end): m.status for m in explanation.found_motifs}
    assert found == {
        (0, 10): "true positive",
        (56, 66): "off",
        (20, 30): "wrong set",
        (70, 80): "true positive",
        (70, 79): "duplicate",
        (200, 210): "spurious",
    }
    true = {(m.start, m.end): m.status for m in explanation.true_motifs}
    assert true == {
        (0, 10): "matched",
        (50, 60): "off",
        (90, 100): "missed",
        (20, 30): "wrong set",
        (70, 80): "found twice",
    }
    assert explanation.true_counts["off"] == 1
    assert explanation.found_counts["true positive"] == 2


def test_displacement_is_measured():
    explanation = explain([[(0, 10), (50, 60)]], [[(12, 25), (46, 59)]], threshold=0.9)
    by_start = {m.start: m for m in explanation.found_motifs}
    assert by_start[46].displacement() == "start early by 4, 30% too long"
    assert by_start[46].status == "off"
    assert by_start[12].status == "spurious"
    near = explain([[(0, 10)]], [[(0, 10)]]).found_motifs[0]
    assert near.displacement() == "exact"
    off = explain([[(0, 10), (50, 60)]], [[(7, 15)]]).true_motifs[0]
    assert off.status == "off"
    assert off.overlap == pytest.approx(3 / 15)


def test_sets_are_split_merged_partial_or_complete():
    relations = {
        (r.true_set, r.found_set): r.kinds
        for r in explain(
            {
                "a": [(0, 10), (20, 30), (40, 50), (100, 110)],
                "b": [(60, 70)],
                "c": [(80, 90)],
            },
            [[(0, 10), (20, 30), (100, 110), (80, 90)], [(60, 70)], [(40, 50)]],
        ).relations
    }
    assert relations[0, 0] == ("partial", "split", "merged")
    assert relations[1, 1] == ("complete",)
    assert relations[0, 2] == ("split",)
    assert relations[2, 0] == ("merged",)
    assert relations[2, 2] == ("nothing",)


@settings(max_examples=60, deadline=None)
@given(cases(), st.booleans(), st.sampled_from([0.5, 0.7]), st.permutations(KINDS))
def test_fixing_everything_gives_one_in_any_order(case, penalize, threshold, order):
    explanation = explain(*case, threshold=threshold, penalize_off_target=penalize)
    after = [explanation.f1_after(order[:k]) for k in range(len(KINDS) + 1)]
    assert after[-1] == prom(case[0], fixed(explanation, order)).f1 == 1.0
    assert explanation.f1_after([]) == explanation.result.f1
    assert sum(explanation.found_counts.values()) == len(explanation.found_motifs)
    hits = explanation.found_counts.get("true positive", 0)
    assert hits == explanation.result.tp


def test_repairs_name_only_errors_that_occur():
    explanation = explain(TRUTH, FOUND)
    assert set(explanation.f1_if_fixed) == set(KINDS)
    assert all(f1 >= explanation.result.f1 for f1 in explanation.f1_if_fixed.values())
    assert explain(TRUTH, list(TRUTH.values())).f1_if_fixed == {}
    assert explain(TRUTH, []).f1_if_fixed == {"missed": 1.0}
    with pytest.raises(InputError, match="no kind of error 'typo'"):
        explanation.f1_after(["typo"])


def test_text_names_what_to_look_at():
    text = str(explain(TRUTH, FOUND))
    assert "'a' [50, 60): best overlap 0.25 with [56, 66) of set 0" in text
    assert "'a' [90, 100): missed" in text
    many = {"a": [(20 * k, 20 * k + 10) for k in range(50)]}
    assert "... and 38 more" in str(explain(many, []))
    assert "nothing" in str(explain(many, []))
    lone = str(explain(TRUTH, [[(20, 30), (70, 80), (0, 10)]]))
    assert "while its own set has no partner" in lone


def test_the_figure_carries_letters():
    figure = explain(TRUTH, FOUND).plot()
    truth_axes, found_axes = figure.subfigs[0].axes
    assert sorted(t.get_text() for t in truth_axes.texts) == ["2", "M", "O", "W"]
    assert sorted(t.get_text() for t in found_axes.texts) == ["D", "O", "W", "X"]


def test_command_line_explains(capsys):
    files = [str(example_path("truth.json")), str(example_path("found.json"))]
    assert main(["evaluate", *files, "--explain"]) == 0
    assert "F1 if fixed:" in capsys.readouterr().out
    assert main(["evaluate", *files, "--explain", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["found_counts"]["true positive"] == data["tp"]
    assert set(data["f1_if_fixed"]) <= set(KINDS)

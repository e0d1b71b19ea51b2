"""Subspace PROM: its definition, the authors' numbers, PROM as a special case."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import subspace as reference
from tests.strategies import cases
from tsmdbench import InputError, InputTypeError, MotifSet, evaluate, evaluate_many
from tsmdbench.metrics import (
    check_metric,
    explain,
    prom,
    subspace_prom,
    subspace_prom_curve,
)
from tsmdbench.metrics.explain import KINDS

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden/subspace_prom.json").read_text()
)
AVERAGES = ("precision", "recall", "f1")
CHANNELS = 4


def numbers(result):
    names = ("tp", "fp", "fn", *AVERAGES)
    return {name: getattr(result, name) for name in names} | {
        f"macro_{name}": getattr(result.macro, name) for name in AVERAGES
    }


def motif_sets(sets):
    return [MotifSet(motifs, channels=channels) for channels, motifs in sets]


@st.composite
def subspaces(draw):
    """Draw true sets, disjoint in time and channel, and found sets near them."""
    channels = st.lists(
        st.integers(0, CHANNELS - 1), min_size=1, max_size=CHANNELS, unique=True
    ).map(sorted)
    free = [0] * CHANNELS
    truth = [(draw(channels), []) for _ in range(draw(st.integers(1, 3)))]
    order = [*range(len(truth)), *draw(st.lists(st.integers(0, len(truth) - 1)))[:6]]
    small = st.integers(0, 2)
    for place in order:
        own, motifs = truth[place]
        start = max(free[channel] for channel in own)
        motif = []
        for channel in own:
            begin = start + draw(small)
            motif.append((begin, begin + draw(st.integers(2, 7))))
            free[channel] = motif[-1][1]
        motifs.append(motif)
    found = []
    for _ in range(draw(st.integers(0, 4))):
        own = draw(st.one_of(channels, st.sampled_from([c for c, _ in truth])))
        motifs = []
        for _ in range(draw(st.integers(0, 4))):
            true_channels, true = draw(st.sampled_from(truth))
            near = dict(zip(true_channels, draw(st.sampled_from(true)), strict=True))
            motif = []
            for channel in own:
                start, end = near.get(channel, next(iter(near.values())))
                start += draw(small)
                motif.append((start, max(start + 1, end + draw(small) - 1)))
            motifs.append(motif)
        found.append((own, motifs))
    return truth, found


taus = st.sampled_from([0.51, 0.6, 0.75, 1.0])


@settings(max_examples=200, deadline=None)
@given(subspaces(), taus, st.sampled_from([0.5, 0.7]), st.booleans())
def test_subspace_prom_equals_brute_force(case, tau, threshold, penalize):
    truth, found = case
    exact = [Fraction(str(value)) for value in (tau, threshold)]
    expected = reference.evaluate(truth, found, *exact)[penalize]
    options = {"tau": tau, "threshold": threshold, "penalize_off_target": penalize}
    result = subspace_prom(motif_sets(truth), motif_sets(found), **options)
    assert numbers(result) == {name: float(v) for name, v in expected.items()}
    assert result.matrix[:-1].sum(axis=1).tolist() == result.truth.sizes.tolist()
    assert result.matrix[:, :-1].sum(axis=0).tolist() == result.found.sizes.tolist()


@settings(max_examples=60, deadline=None)
@given(subspaces(), taus, st.randoms(use_true_random=False))
def test_order_of_sets_channels_and_motifs_does_not_matter(case, tau, random):
    expected = subspace_prom(*map(motif_sets, case), tau=tau)
    mixed = []
    for sets in case:
        turned = [
            (channels[::-1], [motif[::-1] for motif in random.sample(ms, len(ms))])
            for channels, ms in sets
        ]
        mixed.append(motif_sets(random.sample(turned, len(turned))))
    assert numbers(subspace_prom(*mixed, tau=tau)) == numbers(expected)
    found_only = subspace_prom(motif_sets(case[0]), mixed[1], tau=tau)
    assert found_only.matrix.tolist() == expected.matrix.tolist()


@settings(max_examples=60, deadline=None)
@given(subspaces(), taus, st.booleans())
def test_fixing_everything_gives_one(case, tau, penalize):
    sides = map(motif_sets, case)
    explained = explain(*sides, tau=tau, penalize_off_target=penalize)
    assert explained.f1_after(KINDS) == 1.0
    assert explained.f1_after([]) == explained.result.f1
    assert explained.found_counts.get("true positive", 0) == explained.result.tp
    assert str(explained).startswith("F1 ")


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from([0.5, 0.75]), st.booleans())
def test_prom_is_the_case_of_all_channels_and_equal_intervals(case, threshold, off):
    options = {"threshold": threshold, "penalize_off_target": off}
    expected = prom(*case, **options)
    named = [[MotifSet(m, channels=range(3)) for m in sets] for sets in case]
    for sides, more in (
        (case, {}),
        (named, {}),
        (case, {"n_channels": 3}),
        ((named[0], case[1]), {"n_channels": 3}),
    ):
        result = subspace_prom(*sides, **options, **more)
        assert numbers(result) == numbers(expected)
        assert result.matrix.tolist() == expected.matrix.tolist()
        assert result.links.tolist() == expected.links.tolist()
        assert str(explain(*sides, tau=0.9, **options, **more)) == str(
            explain(*case, **options)
        )


def test_the_numbers_of_the_public_implementation():
    for case in GOLDEN:
        truth, found = case["truth"], case["found"]
        result = subspace_prom(truth, found, tau=1, n_channels=case["channels"])
        off = subspace_prom(truth, found, tau=1, penalize_off_target=True)
        seen = {
            f"{kind}_{name[0] if name != 'f1' else name}": getattr(averages, name)
            for kind, averages in (("micro", result.micro), ("macro", result.macro))
            for name in AVERAGES
        } | {"micro_p_off": off.precision, "micro_f1_off": off.f1}
        assert seen == pytest.approx(case["at_1"] or seen, abs=1e-9)
        at_06 = subspace_prom(truth, found, tau=0.6)
        matched = np.zeros((len(truth), len(found)), int)
        matched[np.ix_(at_06.row_labels, at_06.column_labels)] = at_06.matrix[:-1, :-1]
        assert matched.tolist() == case["matched_by_channel_at_0_6"]


TRUE = MotifSet([(0, 10), (50, 60)], channels=[0, 2])
ABOVE = MotifSet([(2, 12), (52, 62)], channels=[1])  # at the same time


def test_sets_may_overlap_in_time_but_not_in_a_channel():
    assert subspace_prom([TRUE, ABOVE], [ABOVE, TRUE]).f1 == 1.0
    names = ["subspace_prom_f1", "subspace_prom_macro_recall"]
    values = evaluate([TRUE, ABOVE], [ABOVE], names)
    assert values == {names[0]: 2 / 3, names[1]: 0.5}
    rows = [([TRUE, ABOVE], [ABOVE]), ([TRUE], [TRUE]), ([[(0, 5)]], [[(0, 5)]])]
    assert evaluate_many(rows, names)[names[0]].tolist() == [2 / 3, 1.0, 1.0]
    with pytest.raises(InputError, match="do; subspace_prom takes sets that share no"):
        prom([TRUE, ABOVE], [])
    with pytest.raises(InputError, match="row 0: truth must not overlap"):
        evaluate_many(rows, ["prom_f1", *names])
    clash = MotifSet([[(80, 90), (9, 12)]], channels=[1, 2])
    message = r"\[0, 10\) of set 0 and \[9, 12\) of set 1 do in channel 2"
    with pytest.raises(InputError, match=message):
        subspace_prom([TRUE, clash], [])


def test_a_curve_over_tau_and_words_for_channels():
    wide = MotifSet(TRUE, channels=[0, 1, 2])
    curve = subspace_prom_curve([TRUE], [wide], [0.7, 0.6])
    assert (curve.thresholds.tolist(), curve.f1.tolist()) == ([0.6, 0.7], [1.0, 0.0])
    assert ">tau</th>" in curve._repr_html_()
    assert subspace_prom([TRUE], [wide]).to_dict()["tau"] == 0.9
    statuses = explain([TRUE], [wide], tau=0.9).found_counts
    assert statuses == {"spurious": 2}
    late = MotifSet([[(0, 10), (3, 13)], (50, 60)], channels=[0, 2])
    assert explain([TRUE], [late], tau=1).true_motifs[0].overlap == 7 / 13


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tau": 0.5}, InputError, r"tau must lie in \(0.5, 1\], got 0.5"),
        ({"tau": 1.1}, InputError, r"tau must lie in"),
        ({"tau": "1"}, InputTypeError, "tau must be a number"),
        ({"threshold": 0.4}, InputError, "threshold must lie in"),
        ({"n_channels": 2}, InputError, "truth, set 0 has channel 2, but the series"),
        ({"n_channels": 0}, InputError, "n_channels must be at least 1"),
    ],
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        subspace_prom([TRUE], [TRUE], **options)


def test_wrong_sets_are_refused():
    with pytest.raises(InputError, match="give n_channels"):
        subspace_prom([TRUE], [[(0, 10)]])
    wrong = {"channels": [0, 1], "segments": [[[0, 10]]]}
    with pytest.raises(InputError, match=r"found, set 0: .*motif 0 has 1 intervals"):
        subspace_prom([TRUE], [wrong])
    with pytest.raises(InputError, match="taus is empty"):
        subspace_prom_curve([TRUE], [TRUE], [])


def test_its_properties_are_those_of_prom():
    cells = check_metric("subspace_prom_f1", quiet=True).cells
    assert cells == check_metric("prom_f1", quiet=True).cells

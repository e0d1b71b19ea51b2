"""PEPA and A-PEPA: golden sets, the twin, odd series, sweeps and options."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from tests.methods import golden
from tests.reference import persistence as reference
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import DataFacts, settings_for, untuned
from tsmdbench.methods import METHODS
from tsmdbench.methods.apepa import APEPA
from tsmdbench.methods.pepa import PEPA, Diagram, cut_at_gap, cut_for, otsu

FILE = Path(__file__).parents[1] / "golden" / "persistence_mdl.json"
CASES = [
    case
    for case in json.loads(FILE.read_text())["cases"]
    if case["method"] in ("pepa", "apepa")
]


def planted(seed, n=420, length=24):
    """Rough noise with four copies of a shape and three of another."""
    rng = np.random.default_rng(seed)
    x = 0.3 * rng.normal(size=n).cumsum() + rng.normal(size=n)
    for starts in ((20, 130, 250, 370), (75, 190, 310)):
        shape = 2 * rng.normal(size=length).cumsum()
        for start in starts:
            x[start : start + length] = shape + 0.2 * rng.normal(size=length)
    return x


def lists(found):
    return [list(motifs) for motifs in found]


def disjoint(found):
    segments = sorted(segment for motifs in found for segment in motifs)
    return all(a[1] <= b[0] for a, b in itertools.pairwise(segments))


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['method']}-{c['series']}")
def test_golden_sets_and_cuts(case):
    method = METHODS.get(case["method"])(**case["settings"])
    x = golden.series(case["series"])
    # tsmd loses a sample at each end, and returns sets in another order.
    expected = [[[start - 1, end + 1] for start, end in one] for one in case["sets"]]
    assert sorted(golden.lists(method.find(x))) == sorted(expected)
    diagram = Diagram.of(method._prepare(x, [method]), method.alpha)
    # The stable order comes with distances that are rounded to nine digits.
    assert diagram.birth_cut == pytest.approx(case["birth_cut"], abs=1e-8)
    assert method._cut(diagram) == pytest.approx(case["persistence_cut"], abs=1e-8)


@pytest.mark.parametrize("seed", range(3))
def test_pepa_follows_the_definition(seed):
    x = planted(seed)
    for sets in (1, 2, 4):
        found = PEPA(18, max_sets=sets).find(x)
        assert lists(found) == reference.pepa(x, 18, sets=sets)
        assert found
        assert disjoint(found)
    assert lists(PEPA(18).find(x)) == reference.pepa(x, 18)


@pytest.mark.parametrize("jump", [1, 2, 3])
@pytest.mark.parametrize("seed", range(2))
def test_apepa_follows_the_definition(seed, jump):
    x = planted(seed)
    found = APEPA(18, jump=jump).find(x)
    assert lists(found) == reference.pepa(x, 18, jump=jump)
    assert disjoint(found)


@pytest.mark.parametrize("seed", range(2))
def test_neighbours_and_alpha_follow_the_definition(seed):
    x = planted(seed)
    for k, alpha in ((1, 10.0), (3, 1.0), (8, 30.0)):
        found = PEPA(18, max_sets=2, neighbours=k, alpha=alpha).find(x)
        assert lists(found) == reference.pepa(x, 18, sets=2, k=k, alpha=alpha)


def test_broken_and_straight_parts_follow_the_definition():
    x = planted(1)
    x[[5, 175]] = np.nan
    x[220:245] = np.linspace(-1, 4, 25)
    x[345:366] = 2.5
    for method, settings in ((PEPA(18, max_sets=2), {"sets": 2}), (APEPA(18), {})):
        found = method.find(x)
        expected = reference.pepa(x, 18, **(settings or {"jump": 2}))
        assert lists(found) == expected
        assert found


def test_exact_repeats():
    x = np.random.default_rng(5).normal(size=600)
    planted = (50, 200, 320, 480)
    for start in planted[1:]:
        x[start : start + 60] = x[50:110]
    (found,) = PEPA(50, max_sets=1).find(x)
    assert lists([found]) == reference.pepa(x, 50, sets=1)
    for start, (a, b) in zip(planted, found, strict=True):
        assert start - 10 <= a <= start
        assert start + 60 <= b <= start + 70


@pytest.mark.parametrize("cls", [PEPA, APEPA])
def test_series_without_shape_or_end(cls):
    assert cls(20).find(np.zeros(200)) == ()
    assert cls(20).find(5.0 - 0.7 * np.arange(200)) == ()
    assert cls(20).find(np.tile(np.random.default_rng(0).normal(size=25), 12)) == ()
    assert cls(20).find(np.random.default_rng(0).normal(size=40)) == ()


def test_a_trend_changes_nothing():
    x = planted(2)
    found = PEPA(18, max_sets=2).find(x)
    assert PEPA(18, max_sets=2).find(x + 5.0 * np.arange(len(x)) - 100.0) == found


def test_cuts():
    sizes = np.array([9.0, 4.0, 3.0, 1.0])
    assert [cut_for(sizes, k) for k in (1, 2, 4, 9)] == [6.5, 3.5, 0.5, 0.5]
    assert [cut_at_gap(sizes, k) for k in (1, 2, 3, 9)] == [6.5, 2.0, 2.0, 2.0]
    last = np.array([9.0, 8.0, 1.0])
    assert cut_at_gap(last, 2) == 4.5
    assert cut_at_gap(sizes[:1], 2) == 4.5
    assert cut_at_gap(sizes[:0], 1) == np.inf


def test_otsu_separates_two_groups():
    values = np.array([0.1, 0.12, 0.14, 0.8, 0.82, 0.9])
    assert 0.13 < otsu(values) < 0.8
    assert otsu(values) == pytest.approx(reference.otsu(values.tolist()))
    assert otsu(np.full(4, 0.3)) == -np.inf
    assert otsu(np.array([])) == -np.inf


def test_grid_follows_from_the_data():
    facts = DataFacts(100, 80, 120, 8, 3, 2, (1.0, 1.0), 1.0)
    settings = settings_for(describe("pepa"), facts)
    assert [s["length"] for s in settings if s["channel"] == 0] == [51, 68, 84]
    assert {s["max_sets"] for s in settings} == {3}
    assert untuned(describe("apepa"), facts)["length"] == 68


@pytest.mark.slow
def test_a_pair_in_a_long_series_is_found():
    x = np.random.default_rng(0).normal(size=30_000)
    x[20_000:20_060] = x[5_000:5_060] = 4 * np.sin(np.arange(60) ** 2 / 90)
    found = PEPA(50, max_sets=1).find(x)
    assert any(a <= 5_010 < b for motifs in found for a, b in motifs)

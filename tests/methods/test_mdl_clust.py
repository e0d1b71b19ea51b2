"""MDL-Clust: golden sets, the twin, odd series and options."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.methods import golden
from tests.reference import mdl as reference
from tsmdbench._kernels import description_length as kernels
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import DataFacts, settings_for
from tsmdbench.methods.mdl_clust import MDLClust, quantise

FILE = Path(__file__).parents[1] / "golden" / "persistence_mdl.json"
CASES = [
    case
    for case in json.loads(FILE.read_text())["cases"]
    if case["method"] == "mdl_clust"
]


def planted(seed, n=220, length=18):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    for starts in ((10, 60, 110, 180), (35, 85, 140)):
        shape = 2 * rng.normal(size=length).cumsum()
        for start in starts:
            x[start : start + length] = shape + 0.2 * rng.normal(size=length)
    return x


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["series"])
def test_golden_sets(case):
    x = golden.series(case["series"])
    found = golden.lists(MDLClust(**case["settings"]).find(x))
    # tsmd also does what saves nothing, and misses a few neighbours: on var2k 7 of 9.
    same = [motifs for motifs in found if motifs in case["sets"]]
    assert len(same) == (7 if case["series"] == "var2k" else len(case["sets"]))


@pytest.mark.parametrize("seed", range(3))
def test_it_follows_the_definition(seed):
    x = planted(seed)
    method = MDLClust(l_min=14, l_max=18, step=2, max_operations=12)
    found = method.find(x)
    expected = reference.mdl_clust(x, (14, 16, 18), operations=12)
    assert [list(motifs) for motifs in found] == expected
    assert found


@pytest.mark.parametrize(("bits", "neighbours"), [(3, 2), (8, 1)])
def test_options_follow_the_definition(bits, neighbours):
    x = planted(7)
    x[[70, 71]] = np.nan
    method = MDLClust(14, 14, max_operations=9, bits=bits, neighbours=neighbours)
    expected = reference.mdl_clust(x, (14,), operations=9, bits=bits, k=neighbours)
    assert [list(motifs) for motifs in method.find(x)] == expected


def test_best_merge_tries_every_move():
    rng = np.random.default_rng(0)
    values = rng.integers(1, 9, size=60)
    bits, room = kernels.bits_table(60), np.zeros(20, np.int64)
    one = (values[0:9].copy(), np.array([[0, 9, 0], [20, 9, 0]]))
    other = (values[5:17].copy(), np.array([[5, 12, 0], [30, 8, 4], [40, 12, 0]]))
    move, cost = kernels.best_merge(values, one, other, bits, room)
    groups = [(c.tolist(), [tuple(m) for m in ms.tolist()]) for c, ms in (one, other)]
    costs = [
        reference.cost(values.tolist(), *group) for group in reference.merges(*groups)
    ]
    assert cost == pytest.approx(min(costs), abs=1e-9)
    best = int(np.argmin(costs))
    assert move == (-best if best < 12 else best - 11)
    assert not room.any()


def test_description_length():
    bits, room = kernels.bits_table(50), np.zeros(40, np.int64)
    for size in (1, 5, 50):
        values = np.random.default_rng(size).integers(1, 17, size=size)
        expected = reference.description(values.tolist())
        assert kernels.own_bits(values, bits, room) == pytest.approx(expected)


def test_many_repeats_need_many_operations():
    rng = np.random.default_rng(0)
    shape = 4 * rng.normal(size=20).cumsum()
    x = np.concatenate([[*shape, *rng.normal(size=5)] for _ in range(40)])
    x += 0.05 * rng.normal(size=len(x))
    few = MDLClust(20, 20, max_operations=20).find(x)
    many = MDLClust(20, 20).find(x)
    assert max(map(len, many)) >= 35
    assert max(map(len, few)) < max(map(len, many))


@pytest.mark.parametrize(
    "x",
    [np.tile(np.random.default_rng(1).normal(size=30), 6), np.linspace(0, 1, 120)],
    ids=["repeats", "line"],
)
def test_exact_repeats_and_lines(x):
    found = MDLClust(20, 20, max_operations=8).find(x)
    expected = reference.mdl_clust(x, (20,), operations=8)
    assert [list(motifs) for motifs in found] == expected
    assert found  # on a line, windows differ by a constant, which costs nothing


def test_copies_at_another_amplitude_are_missed():
    x = 0.1 * np.random.default_rng(0).normal(size=300)
    shape = np.sin(np.arange(30) ** 2 / 50)
    for start, amplitude in ((40, 1), (120, 1), (220, 6)):
        x[start : start + 30] += amplitude * shape
    found = MDLClust(30, 30, max_sets=1).find(x)
    assert not any(start < 250 and end > 220 for start, end in found[0])


@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_levels_do_not_depend_on_the_scale(scale):
    x = np.array([-1.7, 0.2, 1.7, np.nan, 0.4])
    expected, finite = quantise(x, 6)
    values, _ = quantise(x * scale, 6)
    assert values.tolist() == expected.tolist() == reference.quantise(x, 6)
    assert finite.tolist() == [True, True, True, False, True]


def test_lengths():
    assert MDLClust(20, 30).lengths == (20, 22, 25, 28, 30)
    assert MDLClust(20, 22).lengths == (20, 21, 22)
    assert MDLClust(20, 30, step=4).lengths == (20, 24, 28)


def test_grid_follows_from_the_data():
    facts = DataFacts(100, 80, 120, 8, 3, 1, (1.0,), 1.0)
    settings = settings_for(describe("mdl_clust"), facts)
    assert [(s["l_min"], s["l_max"]) for s in settings] == [(60, 120), (80, 120)]

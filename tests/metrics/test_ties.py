"""Matchings that tie, against trying all: also where numbers exceed 2**53."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.prom import evaluate as by_definition
from tests.reference.prom import summarise
from tsmdbench.metrics import evaluate, evaluate_many, prom

NAMES = ("precision", "recall", "f1")
PROM = [f"prom_{kind}{name}" for kind in ("", "macro_") for name in NAMES]


def sets_of(common, true_extra, found_extra):
    """Return sets whose common motifs a table counts, and where each true motif is."""
    g, d = common.shape
    truth, found, start = [[] for _ in range(g)], [[] for _ in range(d)], 0
    tied = [[] for _ in range(g)]
    for i, j, count in [
        *((i, j, common[i, j]) for i in range(g) for j in range(d)),
        *((i, None, true_extra[i]) for i in range(g)),
        *((None, j, found_extra[j]) for j in range(d)),
    ]:
        for _ in range(int(count)):
            if i is not None:
                truth[i].append((start, start + 3))
                tied[i].append(set() if j is None else {j})
            if j is not None:
                found[j].append((start, start + 3))
            start += 5
    return truth, found, tied


def numbers(expected, *, penalize):
    """Return the six numbers of the reference in the order of `PROM`."""
    kinds = [f"{kind}{name}" for kind in ("", "macro_") for name in NAMES]
    return [float(expected[penalize][kind]) for kind in kinds]


def check(common, true_extra, found_extra):
    truth, found, tied = sets_of(common, true_extra, found_extra)
    expected = summarise(tied, truth, found)
    for penalize in (False, True):
        result = prom(truth, found, penalize_off_target=penalize)
        seen = [
            getattr(each, n) for each in (result.micro, result.macro) for n in NAMES
        ]
        assert seen == numbers(expected, penalize=penalize)
        values = evaluate(truth, found, PROM, penalize_off_target=penalize)
        assert list(values.values()) == seen


@st.composite
def tables(draw, most_extra=4, scale=1):
    g, d = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = st.integers(0, 2).map(lambda count: count * scale)
    common = np.array([[draw(cells) for _ in range(d)] for _ in range(g)])
    extra = st.integers(0, most_extra)
    true_extra = [draw(extra) for _ in range(g)]
    # A true set has at least one motif.
    true_extra = [
        max(e, int(not row.any())) for e, row in zip(true_extra, common, strict=True)
    ]
    return common, true_extra, [draw(extra) for _ in range(d)]


@settings(max_examples=150, deadline=None)
@given(tables())
def test_ties_of_small_sets(table):
    check(*table)


@settings(max_examples=60, deadline=None)
@given(tables(most_extra=60, scale=7))
def test_ties_of_sets_with_large_common_denominators(table):
    check(*table)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(5, 6), (6, 6), (6, 4)])
def test_sums_beyond_float64_are_distinguished(seed, shape):
    """Sizes are different primes: common denominators have up to 150 bits."""
    primes = [q for q in range(101, 400) if all(q % p for p in range(2, 20))]
    rng = np.random.default_rng(seed)
    common = np.full(shape, 3)
    common[rng.integers(shape[0]), rng.integers(shape[1])] += rng.integers(0, 2)
    sizes = [rng.choice(primes, count, replace=False) for count in shape]
    true_extra, found_extra = sizes[0] - common.sum(1), sizes[1] - common.sum(0)
    check(common, true_extra.tolist(), found_extra.tolist())


def test_many_sets_with_large_common_denominators():
    """More sets than can be tried: rows must agree with sets in any other order."""
    rng = np.random.default_rng(3)
    count, motifs = 90, 4000
    owner = [np.r_[:count, rng.integers(0, count, motifs - count)] for _ in range(2)]
    starts = 10 * np.arange(motifs)
    segments = np.stack([starts, starts + 8], axis=1)
    truth, found = ([segments[o == k] for k in range(count)] for o in owner)
    values = evaluate(truth, found, PROM)
    mixed = [found[k] for k in rng.permutation(count)]
    assert evaluate(truth[::-1], mixed, PROM) == values
    assert evaluate_many([(truth, mixed)] * 2, PROM)[1].tolist() == tuple(
        values.values()
    )
    swapped = evaluate(found, truth, PROM)
    assert swapped["prom_macro_f1"] == values["prom_macro_f1"]
    assert swapped["prom_precision"] == values["prom_recall"]


@pytest.mark.slow
def test_twenty_thousand_problems_made_of_ties():
    """Equal rates, equal sets, empty sets, against trying all matchings."""
    rng = np.random.default_rng(12)
    problems = []
    for _ in range(20_000):
        g, d = rng.integers(1, 4), rng.integers(0, 5)
        starts = 20 * np.arange(rng.integers(g, 7))
        owner = rng.permutation(np.r_[:g, rng.integers(0, g, len(starts) - g)])
        truth = [[(a, a + 10) for a in starts[owner == k].tolist()] for k in range(g)]
        # Shifts of the same size to either side tie, and a true motif may be in
        # several found sets, or several times in one.
        found = []
        for _ in range(d):
            chosen = rng.choice(starts, rng.integers(0, 5)) + rng.integers(-1, 2)
            found.append([(a + 20, a + 30) for a in chosen.tolist()])
        problems.append(([[(a + 20, b + 20) for a, b in m] for m in truth], found))
    expected = [by_definition(*problem) for problem in problems]
    for penalize in (False, True):
        seen = evaluate_many(problems, PROM, penalize_off_target=penalize).tolist()
        wanted = [tuple(numbers(one, penalize=penalize)) for one in expected]
        assert seen == wanted
        for problem, row in list(zip(problems, wanted, strict=True))[::20]:
            result = prom(*problem, penalize_off_target=penalize)
            assert (result.f1, result.macro.f1) == (row[2], row[5])


@pytest.mark.parametrize(
    "count", [20_000, pytest.param(200_000, marks=pytest.mark.slow)]
)
def test_many_more_found_than_true_sets(count):
    """Found sets that are empty, nested in true ones, equal to them, or elsewhere."""
    truth = [
        [(100 * k + 10 * s, 100 * k + 10 * s + 8) for k in range(20)] for s in range(3)
    ]
    filler = [[(9000 + 5 * k, 9003 + 5 * k)] * (1 + k % 5) for k in range(count)]
    nested = [[(a, a + 5) for a, _ in motifs] for motifs in truth]
    found = [*filler, *nested, *([] for _ in range(count // 4)), *truth, *truth]
    result = prom(truth, found)
    assert result.f1 == 1.0
    assert [int(size) for size in result.found.sizes[:3]] == [20, 20, 20]
    strict = prom(truth, found, penalize_off_target=True)
    assert strict.recall == 1.0
    assert strict.fp == sum(map(len, found)) - 60
    assert prom(truth, filler).f1 == 0.0
    assert sorted(prom(truth, filler).found.sizes[:3].tolist()) == [1, 1, 1]
    # As many true sets; without `prom`, whose matrix has a cell for every pair of sets.
    alone = [motifs[:1] for motifs in filler]
    assert evaluate(alone, [*truth, *filler, *nested], PROM)["prom_recall"] == 1.0


def test_python_integers_and_float64_give_the_same(monkeypatch):
    """Below 2**53 SciPy solves; with the limit at 0, small problems are exact too."""
    module = sys.modules["tsmdbench.metrics.prom"]
    rng = np.random.default_rng(9)
    rows = []
    for _ in range(300):
        shape = rng.integers(1, 8, 2)
        extra = rng.integers(1, 5, shape[0]), rng.integers(0, 5, shape[1])
        rows.append(sets_of(rng.integers(0, 3, shape), *extra)[:2])
    expected = evaluate_many(rows, PROM).tolist()
    calls = []
    exactly = module.assign_exactly
    monkeypatch.setattr(module, "EXACT_FLOAT", 0)
    monkeypatch.setattr(
        module, "assign_exactly", lambda t: calls.append(1) or exactly(t)
    )
    assert evaluate_many(rows, PROM).tolist() == expected
    assert len(calls) > 100

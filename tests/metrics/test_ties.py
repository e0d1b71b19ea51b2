"""Matchings that tie, against trying all: also where numbers exceed 2**53."""

import itertools
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsmdbench.metrics import evaluate, evaluate_many, prom

NAMES = ("precision", "recall", "f1")
PROM = [f"prom_{kind}{name}" for kind in ("", "macro_") for name in NAMES]


def sets_of(common, true_extra, found_extra):
    """Return true and found sets whose common motifs are counted by a table."""
    g, d = common.shape
    truth, found, start = [[] for _ in range(g)], [[] for _ in range(d)], 0
    for sides, count in [
        *(((truth[i], found[j]), common[i, j]) for i in range(g) for j in range(d)),
        *(((truth[i],), true_extra[i]) for i in range(g)),
        *(((found[j],), found_extra[j]) for j in range(d)),
    ]:
        for _ in range(int(count)):
            for motifs in sides:
                motifs.append((start, start + 3))
            start += 5
    return truth, found


def best(common, truth, found):
    """Return the numbers of the best matching by the documented rule."""
    g, d = common.shape
    a, b = [len(motifs) for motifs in truth], [len(motifs) for motifs in found]
    ways = (
        (
            list(zip(range(g), way, strict=True))
            for way in itertools.permutations(range(d), g)
        )
        if g <= d
        else (
            list(zip(way, range(d), strict=True))
            for way in itertools.permutations(range(g), d)
        )
    )

    def worth(pairs):
        hits = [(int(common[i, j]), a[i], b[j]) for i, j in pairs]
        return (
            sum(c for c, _, _ in hits),
            -sum(y for _, _, y in hits),
            -sum(x for _, x, _ in hits),
            sum(Fraction(2 * c, x + y) for c, x, y in hits),
            sum(Fraction(c, y) if y else 0 for c, _, y in hits),
            sum(Fraction(c, x) for c, x, _ in hits),
        )

    tp, in_pairs, _, f1, precision, recall = max(map(worth, ways))
    counted, motifs, m = -in_pairs, sum(a), min(g, d)
    values = [
        Fraction(tp, counted) if counted else 0,
        Fraction(tp, motifs),
        Fraction(2 * tp, counted + motifs),
        precision / m,
        recall / g,
        f1 / g,
    ]
    return [float(value) for value in values]


def check(common, true_extra, found_extra):
    truth, found = sets_of(common, true_extra, found_extra)
    expected = best(common, truth, found)
    result = prom(truth, found)
    seen = [getattr(result.micro, n) for n in NAMES]
    assert seen + [getattr(result.macro, n) for n in NAMES] == expected
    assert list(evaluate(truth, found, PROM).values()) == expected


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
def test_sums_beyond_float64_are_told_apart(seed, shape):
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


def test_many_more_found_than_true_sets():
    truth = [
        [(100 * k + 10 * s, 100 * k + 10 * s + 8) for k in range(20)] for s in range(3)
    ]
    filler = [[(9000 + 5 * k, 9003 + 5 * k)] * (1 + k % 5) for k in range(20_000)]
    nested = [[(a, a + 5) for a, _ in motifs] for motifs in truth]
    found = [*filler, *nested, *([] for _ in range(5000)), *truth, *truth]
    result = prom(truth, found)
    assert result.f1 == 1.0
    assert [int(size) for size in result.found.sizes[:3]] == [20, 20, 20]
    strict = prom(truth, found, penalize_off_target=True)
    assert strict.recall == 1.0
    assert strict.fp == sum(map(len, found)) - 60
    assert prom(truth, filler).f1 == 0.0
    assert sorted(prom(truth, filler).found.sizes[:3].tolist()) == [1, 1, 1]


def test_python_integers_and_float64_give_the_same(monkeypatch):
    """Below 2**53 SciPy solves; with the limit at 0, small problems are exact too."""
    module = sys.modules["tsmdbench.metrics.prom"]
    rng = np.random.default_rng(9)
    rows = []
    for _ in range(300):
        shape = rng.integers(1, 8, 2)
        extra = rng.integers(1, 5, shape[0]), rng.integers(0, 5, shape[1])
        rows.append(sets_of(rng.integers(0, 3, shape), *extra))
    expected = evaluate_many(rows, PROM).tolist()
    calls = []
    exactly = module.assign_exactly
    monkeypatch.setattr(module, "EXACT_FLOAT", 0)
    monkeypatch.setattr(
        module, "assign_exactly", lambda t: calls.append(1) or exactly(t)
    )
    assert evaluate_many(rows, PROM).tolist() == expected
    assert len(calls) > 100

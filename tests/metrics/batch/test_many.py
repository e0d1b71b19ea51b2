"""Thousands at once: every row is, to the last bit, what a single call returns."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import cases
from tsmdbench import InputError, MotifSet
from tsmdbench.metrics import correctness, evaluate, evaluate_many, prom, score
from tsmdbench.metrics._batch import assignment, chunks
from tsmdbench.metrics._batch.averages import PairSums, macro_averages, sum_of_quotients
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.flat import Flat, by_content, flat_sets
from tsmdbench.metrics._batch.prom import Levels
from tsmdbench.validation import check_motif_sets, check_truth

FAST = [
    f"prom_{kind}{name}"
    for kind in ("", "macro_")
    for name in ("precision", "recall", "f1")
] + ["correctness_m", "correctness_g", "score"]


def problem(rng, most_sets):
    """Return a truth and a find with duplicates, ties, and sets of one first motif."""
    g, d = rng.integers(1, most_sets + 1, 2).tolist()
    motifs = g + int(rng.integers(0, 4 * g))
    gaps, lengths = rng.integers(0, 4, motifs), rng.integers(2, 9, motifs)
    ends = np.cumsum(gaps + lengths)
    segments = list(zip((ends - lengths).tolist(), ends.tolist(), strict=True))
    owner = [*range(g), *rng.integers(0, g, motifs - g).tolist()]
    rng.shuffle(owner)
    truth = [
        [s for s, o in zip(segments, owner, strict=True) if o == k] for k in range(g)
    ]
    found = [[] for _ in range(d)]
    for place in rng.integers(0, motifs, int(rng.integers(0, 3 * motifs))).tolist():
        start, end = segments[place]
        shift = int(rng.integers(0, 2))
        column = owner[place] % d if rng.random() < 0.6 else int(rng.integers(d))
        found[column].append((start + shift, end + shift * int(rng.integers(0, 2))))
    return truth, found


@pytest.fixture(scope="module")
def problems():
    rng = np.random.default_rng(5)
    return [problem(rng, most) for most in [3] * 150 + [6] * 200 + [12] * 60]


@pytest.mark.parametrize("penalize", [False, True])
@pytest.mark.parametrize("threshold", [0.5, 0.7])
def test_rows_equal_single_calls(problems, threshold, penalize):
    options = {"threshold": threshold, "penalize_off_target": penalize}
    table = evaluate_many(problems, FAST, **options)
    for row, (truth, found) in zip(table, problems, strict=True):
        assert dict(zip(FAST, row.tolist(), strict=True)) == evaluate(
            truth, found, FAST, **options
        )
        result = prom(truth, found, **options)
        for kind, averages in (("", result.micro), ("macro_", result.macro)):
            for name in ("precision", "recall", "f1"):
                assert row[f"prom_{kind}{name}"] == getattr(averages, name)
        assert row["score"] == score(truth, found, penalize_off_target=penalize)
        for end, normalize in (("m", "matched"), ("g", "truth")):
            assert row[f"correctness_{end}"] == correctness(
                truth, found, threshold=threshold, normalize=normalize
            )


def test_rows_depend_on_no_other_row_and_no_order(problems):
    table = evaluate_many(problems, FAST)
    rng = np.random.default_rng(6)
    order = rng.permutation(len(problems))
    mixed = []
    for place in order:
        truth, found = problems[place]
        sets = [rng.permutation(np.array(s).reshape(-1, 2)).tolist() for s in found]
        mixed.append((truth[::-1], [sets[k] for k in rng.permutation(len(sets))]))
    assert evaluate_many(mixed, FAST).tolist() == table[order].tolist()
    assert evaluate_many(mixed[:7], FAST).tolist() == table[order[:7]].tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tsmdbench.metrics._batch.prom.FEW", 10**9),
        ("tsmdbench.metrics._batch.prom.EXACT_FLOAT", 2000),
        ("tsmdbench.metrics._batch.prom.LOG_INT64", 9),
        ("tsmdbench.metrics._batch.assignment.MOST_STATES", 64),
        ("tsmdbench.metrics._batch.assignment.FEW", 10**9),
        ("tsmdbench.metrics._batch.components.FEW", 10**9),
        ("tsmdbench.metrics._batch.components.SMALL_CELLS", 5),
        ("tsmdbench.metrics._batch.components.SPARSE", 0),
        ("tsmdbench.metrics._batch.batch.MOST_CELLS", 100),
        ("tsmdbench.metrics._batch.batch.LAST_SAMPLE", 1000),
        ("tsmdbench.metrics._batch.flat.INT64_MAX", 1000),
        ("tsmdbench.metrics._batch.chunks.CHUNK", 37),
    ],
)
def test_every_way_gives_the_same(problems, monkeypatch, name, value):
    expected = evaluate_many(problems, FAST)
    monkeypatch.setattr(name, value)
    assert evaluate_many(problems, FAST).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "form",
    [
        dict,
        lambda pairs: [tuple(map(tuple, motifs)) for _, motifs in pairs],
        lambda pairs: [np.array(motifs).reshape(-1, 2) for _, motifs in pairs],
        lambda pairs: [MotifSet(motifs) for _, motifs in pairs],
        lambda pairs: check_motif_sets([motifs for _, motifs in pairs], "found"),
        lambda pairs: (motifs for _, motifs in pairs),
    ],
    ids=["mapping", "tuples", "arrays", "MotifSet", "MotifSets", "generator"],
)
def test_all_forms_of_input_give_the_same(problems, form):
    rows = problems[100:220]
    formed = [tuple(form(list(enumerate(sets))) for sets in row) for row in rows]
    mixed = rows[:60] + [
        tuple(form(list(enumerate(sets))) for sets in row) for row in rows[60:]
    ]
    expected = evaluate_many(rows, FAST).tolist()
    assert evaluate_many(iter(formed), FAST).tolist() == expected
    assert evaluate_many(mixed, FAST).tolist() == expected


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (([[(0, 5), (4, 9)]], []), "truth must not overlap"),
        (([[(0, 5)], [(4, 9)]], []), "truth must not overlap"),
        (([], []), "truth is empty"),
        (([[(0, 5)], []], []), "truth, set 1 has no segment"),
        (([[(0, 5)]], [[(5, 5)]]), "found, set 0: segment 0"),
        (([[(-1, 5)]], []), "truth, set 0: segment 0"),
        (([[(0, 5)]], [[(0, 5, 6)]]), "a segment is a"),
        (([[(0, 5)]], [(0, 5)]), "one flat list"),
        (([[(0, 5.5)]], []), "whole numbers"),
        (([[(0, 2**70)]], []), "beyond 64 bits"),
        (([[(0, 5)]],), "is not a pair"),
        (5, "is not a pair"),
    ],
)
def test_a_wrong_row_is_named_in_any_chunk(problems, monkeypatch, row, message):
    for chunk in (16, 4096):
        monkeypatch.setattr(chunks, "CHUNK", chunk)
        with pytest.raises(InputError, match=rf"row 50\b.*{message}"):
            evaluate_many([*problems[:50], row, *problems[:9]], FAST)


small_tables = st.integers(1, 4).flatmap(
    lambda short: st.integers(short, 5).flatmap(
        lambda long: st.lists(
            st.lists(
                st.lists(st.integers(-3, 6), min_size=short, max_size=short),
                min_size=long,
                max_size=long,
            ),
            min_size=1,
            max_size=4,
        )
    )
)


@settings(max_examples=200, deadline=None)
@given(small_tables, st.booleans())
def test_best_totals_try_every_assignment(drawn, not_negative):
    worth = np.maximum(drawn, 0) if not_negative else np.array(drawn)
    second = worth[::-1, ::-1] ** 2 % 7
    n, long, short = worth.shape
    ways = list(itertools.permutations(range(long), short))
    expected = [
        max(
            (
                sum(worth[k, i, j] for j, i in enumerate(way)),
                sum(second[k, i, j] for j, i in enumerate(way)),
            )
            for way in ways
        )
        for k in range(n)
    ]
    stacked = np.moveaxis(worth + 1j * second, 0, 2)
    best = assignment.best_totals(stacked)
    assert list(zip(best.real, best.imag, strict=True)) == expected
    assert assignment.best_totals(stacked.real.copy()).tolist() == [
        e[0] for e in expected
    ]


def test_large_and_small_tables_stand_together():
    rng = np.random.default_rng(7)
    shapes = assignment.Shapes(np.array([2, 11, 3, 0, 1]), np.array([5, 12, 2, 4, 1]))
    worth = rng.integers(0, 50, shapes.first[-1]).astype(np.float64)
    together = assignment.highest_totals(worth, shapes, whole=False)
    assert (
        together.tolist()
        == assignment.highest_totals(worth, shapes, whole=True).tolist()
    )
    assert together[3] == 0
    assert together[4] == worth[-1]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 40))), st.integers(1, 9))
def test_macro_averages_round_once(pairs, divisor):
    over, under = [o for o, _ in pairs], [u for _, u in pairs]
    exact = sum((Fraction(o, u) for o, u in pairs), Fraction(0)) / divisor
    total = sum_of_quotients([*over, 0], [*under, 0])
    sums = PairSums(total, total, total)
    plain = macro_averages(sums, divisor, 10, divisor, penalize_off_target=False)
    assert plain == (float(exact),) * 3
    # Found sets without partner count with the penalty, true ones always.
    halves = macro_averages(
        sums, divisor, 2 * divisor, divisor, penalize_off_target=True
    )
    assert halves == (float(exact / 2), float(exact), float(exact / 2))
    nothing = PairSums(*[sum_of_quotients([], [])] * 3)
    assert macro_averages(nothing, 3, 0, 0, penalize_off_target=True) == (0, 0, 0)


def test_packed_levels_are_those_of_the_worked_example():
    both = [(0, 10), (20, 30)]
    more = [(start, start + 5) for start in (40, 50, 60)]
    truth = check_truth([both])
    found = check_motif_sets([both + more, both + more[:1]], "found")
    batch = Batch([truth], [found])
    # Sorted by content, the found set of 3 motifs stands first or second.
    sizes = batch.found.sizes.tolist()
    levels = Levels(batch, np.array([2, 2]))
    worth = dict(zip(sizes, levels.worth.tolist(), strict=True))
    assert worth == {5: 488 + 20j, 3: 568 + 32j}
    values = levels.averages(
        np.array([0]), np.array([568 + 32j]), penalize_off_target=False
    )
    expected = [2 / 3, 1.0, 4 / 5, 2 / 3, 1.0, 4 / 5]
    assert values[:, 0].tolist() == expected


@settings(max_examples=100, deadline=None)
@given(cases(max_sets=5), st.randoms(use_true_random=False))
def test_content_order_forgets_the_order_of_sets(case, random):
    for sets in case:
        first, places = by_content(flat_sets([check_motif_sets(sets, "sets")]))
        assert sorted(places.tolist()) == list(range(len(sets)))
        moved = random.sample(sets, len(sets))
        second, _ = by_content(flat_sets([check_motif_sets(moved, "sets")]))
        assert np.array_equal(first.segments, second.segments)
        assert np.array_equal(first.sizes, second.sizes)
        listed = [sorted(sets[place]) for place in places]
        assert listed == sorted(map(sorted, sets), key=lambda s: (not s, s))


def test_correctness_adds_many_rates_exactly():
    rng = np.random.default_rng(8)
    starts = 100 * np.arange(20_000)
    late = rng.integers(0, 25, len(starts))
    truth = np.stack([starts, starts + 80], axis=1)
    total = sum((80 - late) / (80 + late) for late in map(Fraction, late.tolist()))
    value = correctness([truth], [truth + late[:, None]])
    assert value == pytest.approx(float(total / len(starts)), rel=3e-16, abs=0)


@pytest.mark.parametrize(
    "sizes", [(4001, 4003), (101, 103, 107, 109, 113, 127, 131, 137)]
)
def test_denominators_without_room_are_matched_one_by_one(sizes):
    """Sums of the first stay in 64 bits and leave 2**53; those of the second do not."""
    rows = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = rng.permutation(np.repeat(range(len(sizes)), sizes))
        other = rng.integers(0, len(sizes), len(truth))
        found = np.where(rng.random(len(truth)) < 0.5, truth, other)
        starts = 10 * np.arange(len(truth))
        segments = np.stack([starts, starts + 8], axis=1)
        owners = (truth, found)
        rows.append([[segments[o == k] for k in range(len(sizes))] for o in owners])
    table = evaluate_many(rows, FAST)
    assert [tuple(evaluate(*row, FAST).values()) for row in rows] == table.tolist()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 4), st.integers(5, 9)), max_size=5),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 8),
)
def test_segments_are_sorted_within_sets(sets, problems):
    sizes = np.array([len(motifs) for motifs in sets])
    segments = np.array([s for motifs in sets for s in motifs]).reshape(-1, 2)
    first = min(problems, len(sets))
    counts = np.array([first, len(sets) - first])
    flat, _ = by_content(Flat(segments.astype(np.int64), sizes, counts))
    cuts = np.split(flat.segments, np.cumsum(flat.sizes)[:-1])
    expected = [
        sorted(map(sorted, part), key=lambda s: (not s, s))
        for part in (sets[:first], sets[first:])
    ]
    assert [[tuple(s) for s in cut.tolist()] for cut in cuts] == [
        motifs for part in expected for motifs in part
    ]


def test_nothing_found_anywhere():
    rows = [([[(3, 9)], [(20, 24)]], []), ([[(0, 5)]], [[], []])] * 6
    table = evaluate_many(rows, FAST)
    assert table["score"].tolist() == [10.0, 5.0] * 6
    assert not any(table[name].any() for name in FAST[:-1])
    assert check_truth(rows[0][0]).sets

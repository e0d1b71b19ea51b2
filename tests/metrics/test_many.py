"""Thousands at once: every row is, to the last bit, what a single call returns."""

from fractions import Fraction

import numpy as np
import pytest

from tsmdbench import InputError, MotifSet
from tsmdbench.metrics import correctness, evaluate, evaluate_many, prom, score
from tsmdbench.validation import check_motif_sets

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
    return [problem(rng, most) for most in [3] * 60 + [6] * 90 + [12] * 30]


@pytest.mark.parametrize(("threshold", "penalize"), [(0.5, False), (0.7, True)])
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
    rows = problems[40:130]
    formed = [tuple(form(list(enumerate(sets))) for sets in row) for row in rows]
    mixed = rows[:45] + [
        tuple(form(list(enumerate(sets))) for sets in row) for row in rows[45:]
    ]
    expected = evaluate_many(rows, FAST).tolist()
    assert evaluate_many(iter(formed), FAST).tolist() == expected
    assert evaluate_many(mixed, FAST).tolist() == expected


WRONG = [
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
]


def test_a_wrong_row_is_named_in_any_chunk(problems):
    for row, message in WRONG:
        with pytest.raises(InputError, match=rf"row 50\b.*{message}"):
            evaluate_many([*problems[:50], row, *problems[:9]], FAST[:1])
    rows = [*(problems * 24)[:4150], WRONG[0][0], *problems[:9]]
    with pytest.raises(InputError, match=r"row 4150\b.*truth must not overlap"):
        evaluate_many(rows, FAST[:1])


def test_correctness_adds_many_rates_exactly():
    rng = np.random.default_rng(8)
    starts = 100 * np.arange(20_000)
    late = rng.integers(0, 25, len(starts))
    truth = np.stack([starts, starts + 80], axis=1)
    total = sum((80 - late) / (80 + late) for late in map(Fraction, late.tolist()))
    value = correctness([truth], [truth + late[:, None]])
    assert value == pytest.approx(float(total / len(starts)), rel=3e-16, abs=0)

"""SAX words against a twin that looks at one window at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import symbolic as reference
from tsmdbench._kernels.symbolic import sax
from tsmdbench.methods._sax import RunningSums, cuts


def walk(n, seed=0):
    return np.random.default_rng(seed).normal(size=n).cumsum()


def as_tuples(words):
    return [None if row[0] < 0 else tuple(row) for row in words.letters().tolist()]


@pytest.mark.parametrize("numerosity", ["none", "exact", "mindist"])
@pytest.mark.parametrize(
    ("window", "word_length", "size"),
    [(16, 4, 4), (20, 6, 3), (17, 5, 10), (12, 12, 2), (40, 20, 16), (33, 32, 40)],
)
def test_words_equal_the_definition(window, word_length, size, numerosity):
    x = walk(150)
    words = RunningSums(x).words(window, word_length, size, numerosity=numerosity)
    expected, starts = reference.sax_words(x, window, word_length, size, numerosity)
    assert as_tuples(words) == expected
    assert words.starts.tolist() == starts


@pytest.mark.parametrize("numerosity", ["none", "exact", "mindist"])
@pytest.mark.parametrize("gap", [None, 2 * 128, 2 * 128 + 63])
def test_words_where_blocks_of_windows_meet(numerosity, gap):
    """Of 32 letters, 128 windows are spelled at once; a gap begins or ends there."""
    assert sax.BLOCK // 32 == 128
    x = np.sin(np.arange(460) / 40) + 0.02 * walk(460)
    if gap is not None:
        x[gap] = np.nan
    words = RunningSums(x).words(64, 32, 3, numerosity=numerosity)
    expected, starts = reference.sax_words(x, 64, 32, 3, numerosity)
    assert as_tuples(words) == expected
    assert words.starts.tolist() == starts


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("at", [[0], [70], [30, 31, 90], [149], list(range(40, 80))])
def test_windows_that_touch_a_bad_sample_have_no_word(bad, at):
    x = walk(150)
    x[at] = bad
    words = RunningSums(x).words(16, 4, 4)
    expected, starts = reference.sax_words(x, 16, 4, 4, "exact")
    assert as_tuples(words) == expected
    assert words.starts.tolist() == starts
    gaps = words.ids[words.is_gap]
    assert len(set(gaps.tolist())) == len(gaps)


def test_every_gap_has_an_id_of_its_own():
    x = walk(150)
    x[[50, 100]] = np.nan
    words = RunningSums(x).words(10, 4, 4)
    assert words.ids[words.is_gap].tolist() == [words.distinct, words.distinct + 1]
    assert words.text().count("-") == 2


@pytest.mark.parametrize("numerosity", ["exact", "mindist"])
def test_a_word_after_a_gap_is_kept_even_if_it_is_the_one_before(numerosity):
    x = np.tile([0.0, 1.0, 5.0, 2.0], 30)
    x[60] = np.nan
    words = RunningSums(x).words(8, 2, 2, numerosity=numerosity)
    texts = words.text()
    at = texts.index("-")
    assert words.starts[at : at + 2].tolist() == [53, 61]
    assert texts[at - 1] == texts[at + 1]


def test_equal_ids_mean_equal_words():
    words = RunningSums(walk(600)).words(16, 4, 4, numerosity="none")
    number = {}
    expected = [number.setdefault(text, len(number)) for text in words.text()]
    assert words.ids.tolist() == expected
    assert words.distinct == len(number)


@given(
    rows=st.lists(
        st.lists(st.integers(0, 2**62 - 1) | st.integers(0, 3), min_size=3, max_size=3),
        max_size=60,
    )
)
@settings(max_examples=60, deadline=None)
def test_ids_never_collide(rows):
    packed = np.array(rows, np.int64).reshape(-1, 3)
    ids, count = sax.word_ids(packed)
    number = {}
    expected = [number.setdefault(tuple(row), len(number)) for row in rows]
    assert ids.tolist() == expected
    assert count == len(number)


def test_words_that_share_a_slot_are_distinguished():
    words = np.arange(40)  # far more than the table has room for without searching
    table = sax.no_words(len(words))[:64]
    for expected in ([-1] * 40, list(range(40))):
        found = [sax.first_place_inplace(words, 1, 1, table, i) for i in range(40)]
        assert found == expected


@given(words=st.lists(st.integers(0, 6), max_size=60), gaps=st.booleans())
@settings(max_examples=60, deadline=None)
def test_ids_by_a_table_are_the_ids(words, gaps):
    packed = np.array(words, np.int64).reshape(-1, 1)
    packed[packed == 6] = sax.GAP if gaps else 6
    expected, distinct = sax.word_ids(packed)
    ids, count = sax.word_ids_by_table(packed, 7)
    assert ids.tolist() == expected.tolist()
    assert count == distinct


@pytest.mark.parametrize("size", [2, 4, 256])
def test_ids_are_numbered_alike_where_a_table_holds_all_words_and_where_not(size):
    words = RunningSums(walk(600)).words(16, 4, size)
    number = {}
    expected = [number.setdefault(text, len(number)) for text in words.text()]
    assert words.ids.tolist() == expected
    assert words.distinct == len(number)


def test_long_words_differ_by_their_last_letter_only():
    """256 letters of 4 bits take 18 limbs: no letter may be lost."""
    x = np.tile([0.0, 1.0], 400)
    x[300] = 3.0
    words = RunningSums(x).words(256, 256, 16, numerosity="none")
    expected, _ = reference.sax_words(x, 256, 256, 16, "none")
    assert as_tuples(words) == expected


@pytest.mark.parametrize("size", [2, 3, 4, 7, 16, 26, 64, 256])
def test_cuts_are_normal_quantiles(size):
    np.testing.assert_allclose(cuts(size), reference.cuts(size), rtol=0, atol=1e-14)


@pytest.mark.parametrize("size", [4, 8, 16, 32])
def test_cuts_nest_exactly(size):
    assert set(cuts(size).tolist()) <= set(cuts(2 * size).tolist())


@pytest.mark.parametrize(("scale", "offset"), [(1e-200, 0), (1e200, 0), (1, 1e6)])
def test_words_do_not_depend_on_units(scale, offset):
    x = walk(300)
    plain = RunningSums(x).words(20, 6, 5)
    moved = RunningSums(x * scale + offset).words(20, 6, 5)
    assert moved.text() == plain.text()
    assert moved.starts.tolist() == plain.starts.tolist()


def test_a_small_shape_beside_a_huge_step_keeps_its_words():
    """Plain running sums of squares would lose all digits here."""
    x = walk(200, seed=3) * 1e-3
    stepped = np.concatenate([x, x + 2.0**20])
    words = RunningSums(stepped).words(20, 5, 6, numerosity="none")
    expected = RunningSums(x).words(20, 5, 6, numerosity="none").text()
    assert words.text()[:181] == expected
    assert words.text()[200:] == expected


@pytest.mark.parametrize("level", [0.0, 0.1, -1e6, 1 / 3])
def test_flat_windows_have_no_shape(level):
    x = np.concatenate([walk(60), np.full(80, level), walk(60, seed=1)])
    words = RunningSums(x).words(16, 4, 4, numerosity="none")
    assert set(words.text()[60:125]) == {"cccc"}


def test_rounding_is_no_shape():
    level = 1e6 / 3
    jitter = np.where(np.arange(80) % 3, level, np.nextafter(level, 0))
    x = np.concatenate([level + walk(60), jitter, level + walk(60, seed=1)])
    words = RunningSums(x).words(16, 4, 4, numerosity="none")
    assert set(words.text()[60:125]) == {"cccc"}


def test_a_flat_threshold_is_in_the_unit_of_the_series():
    x = np.concatenate([walk(100), 1e-3 * np.sin(np.arange(60)), walk(100, seed=1)])
    inside = slice(100, 140)
    assert (
        len(set(RunningSums(x).words(20, 4, 4, numerosity="none").text()[inside])) > 1
    )
    coarse = RunningSums(x).words(20, 4, 4, numerosity="none", flat_threshold=0.01)
    assert set(coarse.text()[inside]) == {"cccc"}
    shrunk = RunningSums(x * 1e-9).words(
        20, 4, 4, numerosity="none", flat_threshold=0.01e-9
    )
    assert shrunk.text() == coarse.text()


def test_running_sums_are_exact():
    from fractions import Fraction

    x = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-5, 5).repeat(50)
    sums = sax.running_sums(x)
    total = sum(map(Fraction, x.tolist()))
    power = sum(Fraction(v) ** 2 for v in x.tolist())
    for row, exact in ((0, total), (2, power)):
        value = Fraction(float(sums[row, -1])) + Fraction(float(sums[row + 1, -1]))
        assert abs(value - exact) <= abs(exact) * Fraction(1, 10**28)


def test_deviation_survives_a_far_mean():
    x = 1e7 + np.random.default_rng(1).normal(size=300) * 1e-3
    moments = sax.window_moments(sax.running_sums(x), 50, 0.0)
    windows = np.lib.stride_tricks.sliding_window_view(x - 1e7, 50)
    np.testing.assert_allclose(1 / moments[1], 50 * windows.std(axis=1), rtol=1e-9)

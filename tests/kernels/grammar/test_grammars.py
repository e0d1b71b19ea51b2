"""Sequitur and Re-Pair: what they promise, on random and on difficult sequences."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import symbolic as reference
from tsmdbench._kernels.grammar import derivation, digrams, re_pair, sequitur


def fibonacci(length):
    last, text = "a", "ab"
    while len(text) < length:
        last, text = text, text + last
    return [ord(letter) - 97 for letter in text[:length]]


DIFFICULT = {
    "empty": [],
    "one": [0],
    "two alike": [0, 0],
    "three alike": [0, 0, 0],
    "four alike": [0] * 4,
    "one letter": [0] * 1000,
    "one letter, odd": [0] * 999,
    "abab": [0, 1] * 400,
    "abcabc": [0, 1, 2] * 300,
    "all different": list(range(800)),
    "fibonacci": fibonacci(900),
    "runs": [letter for letter in range(20) for _ in range(letter)] * 3,
    "run that lost a pair": [2, 1, 1, 1, 2, 1, 0, 0, 1, 1],
    "palindrome": [*range(100), *reversed(range(100))] * 3,
    "binary counter": [bit for k in range(128) for bit in map(int, f"{k:07b}")],
    "growing": [letter for k in range(40) for letter in range(k)],
}

sequences = st.one_of(
    st.lists(st.integers(0, 1), max_size=80),
    st.lists(st.integers(0, 3), max_size=120),
    st.lists(st.integers(0, 2), max_size=12).map(lambda words: words * 6),
    st.lists(st.tuples(st.integers(0, 2), st.integers(1, 5)), max_size=25).map(
        lambda runs: [word for word, times in runs for _ in range(times)]
    ),
)


def sequitur_rules(words):
    words = np.array(words, np.int64)
    return reference.bodies(*sequitur.infer(words, digrams.numbered(words) > 0))


def repair_rules(words):
    top = max(words, default=-1) + 1
    words = np.array(words, np.int64)
    return reference.bodies(*re_pair.infer(words, digrams.numbered(words), top))


@pytest.mark.parametrize("name", DIFFICULT)
def test_sequitur_keeps_its_promises_on_difficult_sequences(name):
    rules = sequitur_rules(DIFFICULT[name])
    assert reference.expansions(rules)[0] == DIFFICULT[name]
    assert reference.grammar_faults(rules) == []


@given(words=sequences)
@settings(max_examples=150, deadline=None)
def test_sequitur_keeps_its_promises(words):
    rules = sequitur_rules(words)
    assert reference.expansions(rules)[0] == words
    assert reference.grammar_faults(rules) == []


@given(words=sequences)
@settings(max_examples=100, deadline=None)
def test_pairs_that_repeat_have_numbers_of_their_own(words):
    found = list(itertools.pairwise(words))
    numbers = digrams.numbered(np.array(words, np.int64)).tolist()
    assert [number > 0 for number in numbers] == [found.count(k) > 1 for k in found]
    different = {number for number in numbers if number > 0}
    assert different == set(range(1, len(different) + 1))
    assert len({*zip(found, numbers, strict=True)}) == len({*found})
    assert len(different) == len({pair for pair in found if found.count(pair) > 1})


def test_sequitur_of_the_papers_example():
    """Nevill-Manning and Witten, figure 1: abcdbcabcd."""
    rules = reference.in_order(sequitur_rules([0, 1, 2, 3, 1, 2, 0, 1, 2, 3]))
    assert rules == [[-1, -2, -1], [0, -2, 3], [1, 2]]


@pytest.mark.parametrize("name", DIFFICULT)
def test_repair_equals_the_definition_on_difficult_sequences(name):
    assert repair_rules(DIFFICULT[name]) == reference.repair(DIFFICULT[name])


@given(words=sequences)
@settings(max_examples=150, deadline=None)
def test_repair_equals_the_definition(words):
    rules = repair_rules(words)
    assert rules == reference.repair(words)
    assert reference.expansions(rules)[0] == words


def test_repair_takes_the_pair_that_occurs_first_among_equal_counts():
    assert repair_rules([0, 1, 5, 2, 3, 6, 2, 3, 7, 0, 1])[1] == [0, 1]


@given(words=sequences)
@settings(max_examples=60, deadline=None)
def test_derivation_equals_the_definition(words):
    array = np.array(words, np.int64)
    made = re_pair.infer(array, digrams.numbered(array), max(words, default=-1) + 1)
    symbols, offsets = derivation.in_order(*made)
    rules = reference.bodies(symbols, offsets)
    assert rules == reference.in_order(reference.bodies(*made))
    lengths, levels, uses = derivation.sizes(symbols, offsets)
    full = reference.expansions(rules)
    assert lengths.tolist() == [len(words) for words in full]
    positions, bounds = derivation.occurrences(symbols, offsets, len(words))
    expected = reference.occurrences(rules)
    for k in range(1, len(rules)):
        assert positions[bounds[k] : bounds[k + 1]].tolist() == expected[k]
        assert derivation.expand(symbols, offsets, k, len(full[k])).tolist() == full[k]
        inner = [levels[-s] for s in rules[k] if s < 0]
        assert levels[k] == 1 + max(inner, default=0)
        assert uses[k] == sum(body.count(-k) for body in rules)
    assert bounds[1] == 0


SIZES = [1, 2, 31, 32, 33, 1023, 1024, 1025, 32**3, 32**3 + 1]


def popped(tree):
    place = int(re_pair.pop_inplace(tree))
    return None if place == re_pair.EMPTY else place


@given(
    size=st.sampled_from(SIZES),
    steps=st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=60),
)
@settings(max_examples=100, deadline=None)
def test_positions_equal_a_set(size, steps):
    tree, expected = re_pair.no_positions(size), set()
    for step in steps:
        if step is None:
            assert popped(tree) == min(expected, default=None)
            expected -= {min(expected, default=None)}
        else:
            place = min(int(step * size), size - 1)
            re_pair.add_inplace(tree, place)
            expected.add(place)
    assert [popped(tree) for _ in range(len(expected) + 1)] == [*sorted(expected), None]


@pytest.mark.parametrize("size", SIZES)
def test_there_is_room_for_all_positions(size):
    tree = re_pair.no_positions(size)
    levels = tree[re_pair.LEVELS :][: int(tree[re_pair.DEPTH])]
    assert int(tree[re_pair.DEPTH]) < re_pair.WORDS
    assert levels[0] == re_pair.WORDS
    assert levels[-1] < len(tree)  # the highest level is one word
    for place in (*np.random.default_rng(0).permutation(size)[:500], size - 1, 0):
        re_pair.add_inplace(tree, place)
    assert popped(tree) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one letter", "abab", "fibonacci", "few", "many"])
def test_a_million_words(kind):
    m = 10**6
    rng = np.random.default_rng(0)
    words = {
        "one letter": np.zeros(m, np.int64),
        "abab": np.arange(m) % 2,
        "fibonacci": np.array(fibonacci(m)),
        "few": rng.integers(0, 4, m),
        "many": rng.integers(0, 50_000, m),
    }[kind]
    top = int(words.max()) + 1
    again = digrams.numbered(words) > 0
    for made in (
        sequitur.infer(words, again),
        re_pair.infer(words, digrams.numbered(words), top),
    ):
        symbols, offsets = derivation.in_order(*made)
        lengths, _, _ = derivation.sizes(symbols, offsets)
        assert lengths[0] == m
        assert np.array_equal(derivation.expand(symbols, offsets, 0, m), words)
    rules = reference.bodies(*sequitur.infer(words, again))
    assert reference.grammar_faults(rules) == []

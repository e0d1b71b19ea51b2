"""The public grammar: rules, occurrences, segments and the exported table."""

import csv
import io
import json

import numpy as np
import pytest

from tests.reference import symbolic as reference
from tsmdbench import InputError, InputTypeError
from tsmdbench.methods.grammar import infer

SAX = {"window": 16, "word_length": 4, "alphabet_size": 3}


def walk(n, seed=0):
    return np.random.default_rng(seed).normal(size=n).cumsum()


@pytest.mark.parametrize("algorithm", ["sequitur", "repair"])
@pytest.mark.parametrize("text", ["", "a", "aa", "aaaa", "abcabc", "abracadabra" * 3])
def test_rules_describe_the_text(algorithm, text):
    grammar = infer(text, algorithm)
    words = " ".join(text)
    assert grammar[0].words == words
    assert grammar[0].length == len(text)
    for rule in list(grammar)[1:]:
        assert rule.count == len(rule.positions) >= 2
        for at in rule.positions:
            assert " ".join(text[at : at + rule.length]) == rule.words


def test_words_may_be_anything_hashable():
    assert infer([("a", 1), 3.5, ("a", 1), 3.5])[0].body == "R1 R1"
    assert infer(np.array([1, 2, 1, 2]))[1].words == "1 2"


@pytest.mark.parametrize("algorithm", ["sequitur", "repair"])
def test_occurrences_include_nested_ones(algorithm):
    grammar = infer("abcdbcabcdxbcy", algorithm)
    inner = next(rule for rule in grammar if rule.words == "b c")
    assert inner.positions == (1, 4, 7, 11)


@pytest.mark.parametrize("algorithm", ["sequitur", "repair"])
@pytest.mark.parametrize("numerosity", ["none", "exact", "mindist"])
def test_segments_cover_the_windows_of_their_words(algorithm, numerosity):
    x = walk(400)
    grammar = infer(x, algorithm, numerosity=numerosity, **SAX)
    _words, starts = reference.sax_words(x, 16, 4, 3, numerosity)
    after = [*starts[1:], len(x) - 15]
    assert len(grammar) > 3
    for rule in list(grammar)[1:]:
        for position, (start, end) in zip(rule.positions, rule.segments, strict=True):
            last = position + rule.length - 1
            assert start == starts[position]
            if algorithm == "sequitur":
                assert end == after[last] + 15
            else:
                assert end == starts[last] + 16
    if algorithm == "sequitur":
        assert grammar[0].segments == ((0, 400),)


def test_table_is_ready_for_json_csv_and_pandas():
    pandas = pytest.importorskip("pandas")
    table = infer(walk(400), **SAX).table()
    assert list(table[0])[:7] == [
        "rule", "body", "words", "level", "length", "uses", "count",
    ]  # fmt: skip
    assert json.loads(json.dumps(table)) == table
    file = io.StringIO()
    writer = csv.DictWriter(file, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    assert len(pandas.DataFrame(table)) == len(table)
    row = table[1]
    assert row["shortest"] <= row["mean"] <= row["longest"]
    assert len(row["starts"].split()) == row["count"]


def test_uses_and_levels():
    grammar = infer("abcdbcabcd")
    assert grammar.uses.tolist() == [0, 2, 2]
    assert grammar.levels.tolist() == [3, 2, 1]
    assert grammar.lengths.tolist() == [10, 4, 2]
    assert grammar.counts.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: infer("ab", "lz77"), "algorithm must be one of"),
        (lambda: infer(5), "words must be a sequence"),
        (lambda: infer([[1], [2]]), "words must be hashable"),
        (lambda: infer(walk(50), window=10), "needs word_length and alphabet_size too"),
        (lambda: infer(walk(20), **SAX), "needs at least 32"),
        (lambda: infer(walk(50).reshape(25, 2), **SAX), "describes one channel"),
        (lambda: infer(walk(50), **SAX | {"window": 3}), "window must be at least 4"),
        (lambda: infer(walk(50), **SAX | {"word_length": 17}), "at most 16"),
        (
            lambda: infer(walk(50), **SAX | {"alphabet_size": 1}),
            "alphabet_size must be",
        ),
        (lambda: infer(walk(50), numerosity="some", **SAX), "numerosity must be one"),
        (lambda: infer("abab")[7], "rule must be at most 1"),
        (lambda: infer("abab").all_segments(), "infer it from a series"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_wrong_kind_of_words_is_a_type_error():
    with pytest.raises(InputTypeError):
        infer(5)


@pytest.mark.parametrize("algorithm", ["sequitur", "repair"])
def test_no_rule_reaches_across_a_gap(algorithm):
    x = np.tile(walk(60, seed=2), 6)
    x[200] = np.nan
    grammar = infer(x, algorithm, **SAX)
    assert len(grammar) > 1
    for rule in list(grammar)[1:]:
        assert "-" not in rule.words.split()
        assert not any(start <= 200 < end for start, end in rule.segments)

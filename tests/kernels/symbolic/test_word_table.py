"""The hash table of words against a dictionary."""

import numpy as np
import pytest

from tsmdbench._kernels.symbolic import word_table


@pytest.mark.parametrize("limbs", [1, 2, 3])
@pytest.mark.parametrize("kinds", [2, 60, 10**18])
def test_first_places_are_those_of_a_dictionary(limbs, kinds):
    words = np.random.default_rng(limbs).integers(0, kinds, (300, limbs))
    words[150:200] = words[:50]
    table = word_table.no_words(len(words))
    first = {}
    for i, word in enumerate(map(tuple, words.tolist())):
        place = word_table.first_place_inplace(words.ravel(), limbs, table, i)
        assert place == first.get(word, -1)
        first.setdefault(word, i)
    assert len(first) == np.count_nonzero(table >= 0) <= len(table) / 2


def test_words_that_share_a_slot_are_told_apart():
    words = np.arange(40)  # far more than the table has room for without searching
    table = word_table.no_words(len(words))[:64]
    found = [word_table.first_place_inplace(words, 1, table, i) for i in range(40)]
    assert found == [-1] * 40
    again = [word_table.first_place_inplace(words, 1, table, i) for i in range(40)]
    assert again == list(range(40))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 8, 9, 1000])
def test_half_of_a_table_stays_empty(count):
    size = word_table.table_size(count)
    assert size >= 2 * count
    assert size & (size - 1) == 0

"""MrMotif against its definition, one window at a time."""

import itertools

import numpy as np
import pytest

from tests.reference import symbolic as reference
from tsmdbench.methods.mrmotif import RESOLUTIONS, MrMotif


def walk(n, seed=0):
    return np.random.default_rng(seed).normal(size=n).cumsum()


def planted(n=500, at=(40, 200, 380), length=60):
    x = walk(n, seed=3)
    shape = 8 * np.sin(np.arange(length) / 7)
    rng = np.random.default_rng(0)
    for start in at:
        x[start : start + length] = shape + rng.normal(size=length) * 0.05
    return x


def pairs(sets):
    return [[tuple(segment) for segment in motifs] for motifs in sets]


@pytest.mark.parametrize("length", [60, 45, 7])
@pytest.mark.parametrize("resolution", [None, 4, 16])
def test_find_equals_the_definition(length, resolution):
    x = planted(300, at=(40, 200))
    levels = RESOLUTIONS if resolution is None else (resolution,)
    found = MrMotif(length, resolution, max_sets=4, disjoint=False).find(x)
    assert pairs(found) == reference.mrmotif(x, length, levels, 4)
    assert found


def test_planted_motifs_are_found():
    best = MrMotif(60, 8, max_sets=1).find(planted())[0]
    assert len(best) == 3
    assert np.abs(best.starts - [40, 200, 380]).max() <= 1


def test_exact_copies_are_found_at_the_finest_resolution():
    x = walk(400)
    x[250:310] = x[80:140]
    assert pairs(MrMotif(60, 64).find(x))[0] == [(80, 140), (250, 310)]


def test_consecutive_windows_are_one_occurrence():
    x = np.concatenate([walk(50), np.full(200, 2.0), walk(50, seed=1)])
    for motifs in MrMotif(30).find(x):
        flat = [start for start in motifs.starts.tolist() if 50 <= start <= 220]
        assert len(flat) <= 1


def test_coarser_words_are_the_finer_ones_cut_short():
    counts = MrMotif(40).counts(walk(300), top=300)
    spelled = {
        level: {start: each.word for each in words for start in each.starts}
        for level, words in counts.items()
    }
    assert list(counts) == list(RESOLUTIONS)
    for fine, coarse in itertools.pairwise(RESOLUTIONS):
        for start, word in spelled[fine].items():
            assert spelled[coarse][start] == tuple(letter // 2 for letter in word)


def test_counts_equal_the_definition():
    x = walk(250)
    for level, words in MrMotif(20).counts(x, top=5).items():
        spelled = [reference.letters(x[i : i + 20], 8, level) for i in range(231)]
        for each in words:
            starts = [i for i, word in enumerate(spelled) if word == each.word]
            assert each.windows == len(starts)
            assert list(each.starts) == starts
        most = max(spelled.count(word) for word in spelled)
        assert words[0].windows == most


def test_long_words_take_several_limbs():
    x = walk(300)
    x[180:240] = x[60:120]
    method = MrMotif(60, word_length=25, max_sets=1)
    assert pairs(method.find(x)) == [[(60, 120), (180, 240)]]


def test_no_window_that_touches_a_bad_sample_is_counted():
    x = walk(200)
    x[100] = np.nan
    words = MrMotif(23, 4).counts(x, top=200)[4]
    starts = sorted(start for each in words for start in each.starts)
    assert starts == [*range(78), *range(101, 178)]


def test_words_do_not_depend_on_units():
    x = planted()
    assert MrMotif(60).find(x * 1e-12 - 7e-9) == MrMotif(60).find(x)

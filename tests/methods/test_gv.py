"""GVSequitur and GVRePair: planted motifs, ranking, sharing, missing samples."""

import numpy as np
import pytest

from tests.reference import symbolic as reference
from tsmdbench.methods.gv import GVRePair, GVSequitur

BOTH = pytest.mark.parametrize("cls", [GVSequitur, GVRePair])


def walk(n, seed=0):
    return np.random.default_rng(seed).normal(size=n).cumsum()


def planted(at=(80, 250, 460), length=60, n=600):
    x = walk(n)
    for start in at:
        x[start : start + length] = 5 * np.sin(np.arange(length) / 6) + x[at[0]]
    return x


def pairs(motif_set):
    return [tuple(segment) for segment in motif_set]


@BOTH
def test_planted_motifs_are_found(cls):
    best = cls(40, 8, 4, max_sets=1).find(planted())[0]
    assert pairs(best) == [(80, 140), (250, 310), (460, 520)]


@BOTH
def test_lengths_vary_within_a_set(cls):
    """The same shape at two speeds: only numerosity reduction makes them alike."""
    x = walk(700)
    fast, slow = np.arange(80) / 80, np.arange(104) / 104
    for start, time in ((100, fast), (300, slow), (500, fast)):
        x[start : start + len(time)] = 9 * np.sin(4 * np.pi * time) + 20 * time
    sets = cls(32, 4, 3).find(x)
    assert any(len(set(each.lengths.tolist())) > 1 for each in sets)


@BOTH
@pytest.mark.parametrize("rank", ["covered", "count", "uses", "length"])
def test_selection_equals_the_definition(cls, rank):
    x = walk(500, seed=4)
    method = cls(16, 4, 3, rank=rank, max_sets=6, disjoint=False)
    grammar = method.grammar(x)
    candidates = []
    top = grammar.symbols[: grammar.offsets[1]].tolist()
    for k, rule in enumerate(grammar):
        segments = reference.disjoint(rule.segments)
        if k == 0 or len(segments) < 2:
            continue
        spans = [end - start for start, end in segments]
        worth = {
            "covered": sum(spans),
            "count": len(spans),
            "uses": top.count(-k),
            "length": max(spans),
        }[rank]
        candidates.append((-worth, -rule.length, segments[0][0], k, segments))
    ordered = [segments for *_, segments in sorted(candidates)]
    expected = [ordered[k] for k in reference.accept(ordered, len(x), 0.5, 6)]
    assert [pairs(each) for each in method.find(x)] == expected
    assert len(expected) == 6


@BOTH
def test_no_set_lies_mostly_in_earlier_ones(cls):
    covered = np.zeros(800, bool)
    for motifs in cls(16, 4, 3).find(walk(800, seed=1)):
        inside = sum(int(covered[start:end].sum()) for start, end in motifs)
        assert inside <= 0.5 * motifs.lengths.sum()
        covered |= motifs.to_mask(800)


@BOTH
def test_max_sets_cuts_the_same_list(cls):
    x = walk(600, seed=2)
    every = cls(16, 4, 3).find(x)
    assert len(every) > 4
    assert cls(16, 4, 3, max_sets=4).find(x) == every[:4]


@BOTH
def test_constant_series_and_constant_stretch(cls):
    assert cls(16, 4, 4).find(np.full(200, 3.7)) == ()
    x = planted()
    x[350:440] = x[350]
    assert cls(20, 5, 4, max_sets=1).find(x) == cls(20, 5, 4, max_sets=1).find(x * 1e-9)

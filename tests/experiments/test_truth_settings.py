"""The protocol that takes parameters from the truth."""

import itertools
import math

import numpy as np
import pytest

from tsmdbench.analysis.labels import setting_labels
from tsmdbench.errors import InputError
from tsmdbench.experiments.grids import truth_setting
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import truth_facts
from tsmdbench.experiments.sources import (
    load_problems,
    runs_code,
    uses_truth,
    with_truth,
    without_protocol,
)
from tsmdbench.experiments.specification import Specification
from tsmdbench.types import MotifSet, Problem


def unit_distance(a, b):
    """Distance of two windows after centring and scaling to norm 1."""
    a, b = a - a.mean(), b - b.mean()
    return float(np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b)))


def published_radius(x, segments):
    """Half of the largest distance, each the smallest over all pairs of windows."""
    length = min(end - start for start, end in segments)
    largest = 0.0
    for (a, b), (c, d) in itertools.combinations(segments, 2):
        near = min(
            unit_distance(x[i : i + length], x[j : j + length])
            for i in range(a, b - length + 1)
            for j in range(c, d - length + 1)
        )
        largest = max(largest, near)
    return largest / 2


def made(seed):
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=400))
    cuts = np.cumsum(rng.integers(12, 24, size=15)).tolist()
    segments = list(zip(cuts[::2], cuts[1::2], strict=False))
    return Problem(x, {"a": MotifSet(segments[:4]), "b": MotifSet(segments[4:])})


@pytest.mark.parametrize("seed", range(5))
def test_facts_by_definition(seed):
    problem = made(seed)
    found = truth_facts(problem)
    sets = [list(motifs) for motifs in problem.truth.values()]
    counts = [len(motifs) for motifs in sets]
    lengths = [[end - start for start, end in motifs] for motifs in sets]
    mean = sum(map(sum, lengths)) / sum(counts)
    radius = np.average(
        [round(published_radius(problem.series, motifs), 2) for motifs in sets],
        weights=counts,
    )
    facts = found.facts
    assert facts.length == int(mean)
    assert facts.l_min == min(map(min, lengths))
    assert facts.l_max == max(map(max, lengths))
    assert facts.k_max == max(counts)
    assert facts.max_sets == 2
    assert found.persistence_length == int(mean) - int(max(map(np.std, lengths)))
    expected = round(float(radius), 2) * math.sqrt(facts.length)
    assert facts.joint_radius == pytest.approx(expected, abs=1e-9)
    assert facts.channel_radius == (facts.joint_radius,)


def test_radius_of_several_channels():
    one = made(0)
    two = Problem(np.c_[one.series, one.series[::-1]], one.truth)
    facts = truth_facts(two).facts
    assert facts.channel_radius[0] == truth_facts(one).facts.joint_radius
    assert len(facts.channel_radius) == 2


def test_constant_motifs_have_a_radius():
    problem = Problem(np.zeros(100), {"a": MotifSet([(0, 20), (40, 60)])})
    facts = truth_facts(problem).facts
    assert 0 < facts.joint_radius < 1e-6


def test_methods_get_what_the_publication_gives_them():
    known = truth_facts(made(0))
    pepa = truth_setting(describe("pepa"), known, {})
    assert pepa["length"] == known.persistence_length
    assert pepa["max_sets"] == 2
    assert truth_setting(describe("apepa"), known, {})["max_sets"] is None
    valmod = truth_setting(describe("valmod"), known, {})
    assert valmod["radius_factor"] == 3.0
    assert (
        truth_setting(describe("valmod"), known, {"radius_factor": 5})["radius_factor"]
        == 5
    )


def test_names_say_that_the_truth_is_used():
    for name in ("Symbols", "Symbols?g_min=2", "walks@12ab"):
        told = with_truth(name)
        assert uses_truth(told)
        assert not uses_truth(name)
        assert without_protocol(told) == name
        assert with_truth(told) == told
    assert runs_code("recordings:folder")
    assert runs_code("my.module:problems")


def test_problems_are_those_of_the_dataset():
    plain = load_problems("JapaneseVowels", "test", 3)
    told = load_problems("JapaneseVowels?protocol=pvldb", "test", 3)
    assert [p.name for p in plain] == [p.name for p in told]
    with pytest.raises(InputError, match="protocol"):
        load_problems("JapaneseVowels?protocol=other", "test")


def test_labels_do_not_tell_parameters_of_problems_apart():
    rows = [
        ("A?protocol=pvldb", "m", "1", '{"length": 5}'),
        ("A?protocol=pvldb", "m", "1", '{"length": 6}'),
        ("A", "m", "1", '{"length": 7}'),
    ]
    assert set(setting_labels(rows).values()) == {"m"}


def test_there_is_nothing_to_tune():
    with pytest.raises(InputError, match="nothing to tune"):
        Specification(("A?protocol=pvldb",), ("stomp",), tune=True)
    Specification(("A", "A?protocol=pvldb"), ("stomp",), tune=True)

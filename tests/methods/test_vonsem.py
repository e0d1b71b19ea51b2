"""VONSEM: the authors' sets, the mended sets from the definition, odd input."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import planted
from tests.reference import vonsem as reference
from tests.reference.planted import compiled
from tsmdbench import MotifSet
from tsmdbench.methods.vonsem import VONSEM, ProofSearch

CASES = planted.golden("vonsem")["cases"]
# Without compilation, NaN from a correlation above 1 and a deviation of 0 warn.
pytestmark = [
    pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning"),
]


def radius_of(threshold, l_min):
    return threshold * 2 * np.sqrt(2 * l_min)


def short_walk(seed=0, n=150):
    """A random walk in which two shapes occur twice."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).cumsum()
    x[20:45] = x[90:115] + 0.05 * rng.normal(size=25)
    x[60:78] = x[120:138] + 0.05 * rng.normal(size=18)
    return x


ROUNDING = 1e-6  # distances of equal windows are the root of a rounding error


def _decide_as_the_authors(monkeypatch, case):
    """Use their order where ours differs: ties, and distances of equal windows.

    Theirs depends on the version of NumPy, and the distance of equal windows on the
    processor too: their correlation is 1 or a little more, and then the distance is
    NaN. So both are recorded.
    """
    by_hits, nearest_first = ProofSearch._diagonals, ProofSearch._nearest_first
    recorded = iter(case["candidates"])

    def diagonals(search):
        ours, theirs = by_hits(search), case["diagonals"]
        assert search.counts[theirs].tolist() == search.counts[ours].tolist()
        assert sorted(theirs) == sorted(ours)
        return theirs

    def candidates(search, found, nearest):
        ours, theirs = nearest_first(search, found, nearest), next(recorded)

        equal = np.flatnonzero(~(nearest > ROUNDING))
        rounded = set((equal[:, None] + [-1, 0, 1]).ravel())  # a NaN parts its run
        assert set(theirs) - rounded == set(ours) - rounded
        assert theirs == ours or rounded  # and upsets the order of all
        return theirs

    monkeypatch.setattr(ProofSearch, "_diagonals", diagonals)
    monkeypatch.setattr(ProofSearch, "_nearest_first", candidates)


@compiled
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["series"])
def test_compat_returns_the_sets_of_the_authors_code(case, monkeypatch):
    m = case["l_min"]
    method = VONSEM(m, radius_of(case["threshold"], m), compat=True)
    expected = [MotifSet([(s, s + n) for s in starts]) for n, _, starts in case["raw"]]
    x = short_walk(case["seed"]) if "seed" in case else planted.series(case["series"])
    _decide_as_the_authors(monkeypatch, case)
    assert list(method.find(x)) == expected


def test_compat_takes_the_nearest_of_diagonals_that_tie():
    method = VONSEM(8, radius_of(0.25, 8), compat=True)
    search = ProofSearch(method, method._prepare(short_walk(5), [method]))
    order = search._diagonals()
    keys = [(-search.counts[offset], offset) for offset in order]
    assert keys == sorted(keys)
    assert len({hits for hits, _ in keys}) < len(keys)  # there are ties


def test_golden_cases_hold_singletons_and_empty_sets():
    sizes = {len(starts) for case in CASES for *_, starts in case["raw"]}
    assert {0, 1, 2} <= sizes


@pytest.mark.parametrize("kind", ["walk", "wave"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("threshold", [0.1, 0.25])
def test_default_follows_the_definition(kind, seed, threshold):
    x, m = short_walk(seed), 10
    if kind == "wave":  # everything is like itself a little later
        x = np.sin(np.arange(150) / (1.5 + seed)) + 0.05 * np.diff(x, append=0.0)
    found = VONSEM(m, radius_of(threshold, m)).find(x)
    expected = reference.motif_sets(x - x.mean(), m, threshold)
    expected = [MotifSet.from_starts(starts, length) for length, starts in expected]
    assert sorted(map(tuple, found)) == sorted(map(tuple, expected))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 12), st.floats(0.05, 0.4))
def test_sets_are_disjoint_and_have_members_of_one_length(seed, m, threshold):
    found = VONSEM(m, radius_of(threshold, m)).find(short_walk(seed, 140))
    segments = sorted(segment for motifs in found for segment in motifs)
    assert all(a[1] <= b[0] for a, b in pairwise(segments))
    for motifs in found:
        assert len(motifs) > 1
        assert len(set(motifs.lengths)) == 1
        assert motifs.lengths[0] >= m


def test_planted_copies_are_found():
    found = VONSEM(40, radius_of(0.2, 40)).find(planted.series("uni600"))
    assert [motifs.starts.tolist() for motifs in found] == [
        [0, 80, 160, 400],
        [235, 315, 475],  # and five samples more at either end, all alike by chance
    ]


def test_answer_does_not_depend_on_level_or_unit():
    x = short_walk(2, 200)
    plain = VONSEM(10, 1.5).find(x)
    assert plain
    assert VONSEM(10, 1.5).find(1e6 + x) == plain
    assert VONSEM(10, 1.5).find(2.0**-30 * x) == plain


@compiled
def test_members_may_overlap_earlier_sets_on_request_only():
    x = planted.series("uni2k")
    method = VONSEM(60, radius_of(0.2, 60), disjoint=False)
    segments = sorted(segment for motifs in method.find(x) for segment in motifs)
    assert any(a[1] > b[0] for a, b in pairwise(segments))


@compiled
def test_max_sets_keeps_the_most_prominent():
    x = planted.series("uni2k")
    everything = VONSEM(60, radius_of(0.2, 60)).find(x)
    assert len(everything) > 2
    assert VONSEM(60, radius_of(0.2, 60), max_sets=2).find(x) == everything[:2]


@pytest.mark.slow
def test_long_series_stays_small_in_memory():
    tracemalloc = pytest.importorskip("tracemalloc")
    x = np.random.default_rng(0).normal(size=10_000).cumsum()
    VONSEM(100, radius_of(0.1, 100)).find(x[:300])
    tracemalloc.start()
    VONSEM(100, radius_of(0.1, 100)).find(x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6

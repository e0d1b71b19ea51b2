"""Methods on the distance kernel: golden sets, brute force, sweeps, options."""

import inspect
import itertools

import numpy as np
import pytest

from tests.methods import golden
from tests.reference import range_motifs as reference
from tsmdbench.methods import METHODS
from tsmdbench.methods._windows import Windows, gap_of
from tsmdbench.methods.emma import EMMA
from tsmdbench.methods.mmotifs import MMotifs
from tsmdbench.methods.panmp import PanMP
from tsmdbench.methods.setfinder import SetFinder
from tsmdbench.methods.stomp import STOMP
from tsmdbench.methods.valmod import VALMOD


def walk(seed, *shape):
    """A rough series, so that many windows are near to each other."""
    x = np.random.default_rng(seed).normal(size=shape).cumsum(axis=0)
    x[len(x) // 2 : len(x) // 2 + 30] = x[10:40] + 0.1 * x[40:70]
    return x


@pytest.mark.parametrize(
    "case",
    golden.CASES,
    ids=lambda case: f"{case['method']}-{case['series']}-{case['source'][:12]}",
)
def test_golden_sets_are_reproduced(case):
    method = METHODS[case["method"]](**case["settings"])
    assert golden.lists(method.find(golden.series(case["series"]))) == case["sets"]


@pytest.mark.parametrize("case", [c for c in golden.CASES if "pairs" in c])
def test_valmod_best_pair_per_length(case):
    s = case["settings"]
    x = golden.series(case["series"])
    for length, pair, expected in case["pairs"]:
        near, starts = Windows.of(x, length).nearest(gap_of(0.5, length))
        first = int(near.argmin())
        assert [first, starts[first]] == pair
        assert near[first] == pytest.approx(expected, abs=1e-9)
    assert len(case["pairs"]) == s["l_max"] - s["l_min"] + 1


@pytest.mark.parametrize("case", [c for c in golden.CASES if "profile" in c])
def test_mmotifs_profile_equals_stumpy(case):
    length = case["settings"]["length"]
    windows = Windows.of(golden.series(case["series"]), length)
    profile, _ = windows.nearest(length // 4 + 1)
    expected = case["profile"]
    np.testing.assert_allclose(profile[: len(expected)], expected, rtol=0, atol=1e-9)
    at, lowest = case["lowest"]
    # The two windows of the nearest pair tie: stumpy takes either, we the first.
    assert profile[at] == profile.min() == pytest.approx(lowest, abs=1e-9)
    assert profile.argmin() <= at


@pytest.mark.parametrize("seed", range(3))
def test_setfinder_follows_the_definition(seed):
    x = walk(seed, 260)
    found = SetFinder(length=20, radius=2.5, max_sets=4, disjoint=False).find(x)
    assert golden.starts(found) == reference.setfinder(x, 20, 2.5, 4)
    assert found


@pytest.mark.parametrize("seed", [0, 2, 3, 5])  # seeds with more than one set
def test_disjoint_sets_are_counted_anew(seed):
    x = walk(seed, 360)
    expected = reference.setfinder_disjoint(x, 20, 2.5, 4)
    found = SetFinder(length=20, radius=2.5, max_sets=4).find(x)
    assert golden.starts(found) == expected
    assert EMMA(length=20, radius=2.5, max_sets=4).find(x) == found
    assert len(found) > 1


@pytest.mark.parametrize("seed", range(3))
def test_emma_counts_windows_by_the_definition(seed):
    x = walk(seed, 260)
    found = EMMA(length=20, radius=2.5, count="windows", max_sets=1).find(x)
    assert golden.starts(found) == reference.emma_windows(x, 20, 2.5)


@pytest.mark.parametrize("seed", range(3))
def test_emma_is_setfinder_when_exact(seed):
    x = walk(seed, 260)
    options = {"length": 20, "radius": 2.5, "max_sets": 4, "disjoint": False}
    assert EMMA(**options).find(x) == SetFinder(**options).find(x)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(2))
def test_mmotifs_follows_the_definition(seed, channels):
    x = walk(seed, 260, channels)
    for exclusion in (0.25, 1.0):
        method = MMotifs(20, 4.0, exclusion, max_sets=5, disjoint=False)
        found = golden.starts(method.find(x))
        assert found == reference.mmotifs(x, 20, 4.0, 5, exclusion)
        assert found


@pytest.mark.parametrize("seed", range(2))
def test_mmotifs_limits_members_and_seeds(seed):
    x = walk(seed, 400, 2)
    free = MMotifs(20, 5.0, disjoint=False)
    every = golden.starts(free.find(x))
    assert max(map(len, every)) > 4
    windows, profile = free._prepare(x, [free])
    seed = int(np.flatnonzero(profile <= profile.min() + 1e-9)[0])
    few = MMotifs(20, 5.0, max_matches=4, disjoint=False).find(x)[0].starts
    near = sorted(every[0], key=lambda at: windows.distances(seed)[at])
    assert few.tolist() == sorted(near[:4])
    lowest = float(profile.min())
    assert len(MMotifs(20, 5.0, cutoff=lowest, disjoint=False).find(x)) == 1
    usual = max(profile.mean() - 2 * profile.std(), lowest)
    options = {"length": 20, "radius": 5.0, "disjoint": False}
    by_name = MMotifs(**options, cutoff="profile").find(x)
    assert by_name == MMotifs(**options, cutoff=float(usual)).find(x)


@pytest.mark.parametrize(("factor", "first"), [(1.0, 0), (3.0, 0), (1.0001, 1)])
def test_mmotifs_takes_the_first_of_seeds_that_tie(factor, first):
    # Copies at 60 and 160 that rounding alone tells apart tie with exact ones at 260
    # and 360; an error of 1e-4 is no rounding.
    x = np.random.default_rng(7).normal(size=(400, 2))
    bend = np.linspace(1, factor if first else 1, 40)[:, None]
    x[160:200] = factor * bend * x[60:100] + 0.1
    x[360:400] = x[260:300]
    sets = golden.starts(MMotifs(40, 0.1).find(x))
    assert sets == [[[60, 160], [260, 360]][k] for k in (first, 1 - first)]


@pytest.mark.parametrize("seed", range(3))
def test_valmod_follows_the_definition(seed):
    x = walk(seed, 200)
    found = VALMOD(16, 20, 3.0, max_sets=4).find(x)
    expected = reference.valmod(x, 16, 20, 3.0, 4)
    assert [list(motifs) for motifs in found] == expected
    assert found


@pytest.mark.parametrize("seed", range(3))
def test_stomp_follows_the_definition(seed):
    x = walk(seed, 260)
    found = STOMP(20, 3.0, max_sets=4).find(x)
    assert golden.starts(found) == reference.stomp(x, 20, 3.0, 4)
    assert found


@pytest.mark.parametrize("seed", range(2))
def test_panmp_of_one_length_is_stomp(seed):
    x = walk(seed, 260)
    one = PanMP(20, 20, 3.0, max_sets=1).find(x)
    assert one == STOMP(20, 3.0, max_sets=1).find(x)


def test_panmp_zscore_does_not_favour_short_lengths():
    x = golden.series("uni600")  # patterns of 40 samples are planted
    short = PanMP(32, 48, max_sets=1).find(x)[0]
    best = PanMP(32, 48, max_sets=1, rank="zscore").find(x)[0]
    assert short.lengths[0] == 32
    assert best.lengths[0] > short.lengths[0]


@pytest.mark.parametrize("name", ["setfinder", "emma", "mmotifs", "stomp", "valmod"])
def test_disjoint_forbids_shifted_copies(name):
    x = golden.series("uni2k")
    settings = {"length": 100, "radius": 8.0 if name == "mmotifs" else 3.0}
    if name == "stomp":
        settings = {"length": 100, "radius_factor": 3}
    if name == "valmod":
        settings = {"l_min": 98, "l_max": 100, "radius_factor": 3}
    cls = METHODS[name]
    found = cls(**settings, max_sets=3, disjoint=True).find(x)
    for first, second in itertools.combinations(found, 2):
        assert not (first.to_mask(len(x)) & second.to_mask(len(x))).any()
    loose = cls(**settings, max_sets=3, disjoint=False).find(x)
    assert loose != found


def test_exact_copies_are_found():
    x = np.random.default_rng(5).normal(size=400)
    x[200:240] = x[300:340] = x[100:140]
    for method in (STOMP(40, max_sets=1), SetFinder(40, 0.5), MMotifs(40, 0.5)):
        assert golden.starts(method.find(x))[0] == [100, 200, 300]
    assert golden.starts(VALMOD(40, 40, 2, max_sets=1).find(x)) == [[100, 200, 300]]


def test_emma_by_words_depends_on_the_words():
    x = golden.series("uni600")
    found = [
        EMMA(40, 1.0, word, letters, mode="sax", max_sets=1).find(x)
        for word, letters in ((8, 4), (10, 8))
    ]
    assert found[0] != found[1]
    assert found[0] == EMMA(40, 1.0, max_sets=1).find(x)


def test_emma_by_words_walks_large_neighbourhoods():
    # Two letters of a short word leave half of the windows in a neighbourhood.
    x = walk(1, 260)
    by_words = EMMA(20, 2.5, 1, 2, mode="sax", max_sets=2).find(x)
    assert by_words == EMMA(20, 2.5, max_sets=2).find(x)


COMMON = ("emma", "setfinder", "stomp", "mmotifs", "valmod", "panmp", "motiflets")


@pytest.mark.parametrize("name", [*COMMON, "lama", "latentmotifs", "vonsem"])
def test_common_fields_are_keywords_after_the_own_ones(name):
    parameters = inspect.signature(METHODS.get(name)).parameters.values()
    common = {"max_sets", "disjoint", "channel", "constant", "n_jobs"}
    for parameter in parameters:
        keyword = parameter.kind is parameter.KEYWORD_ONLY
        assert keyword == (parameter.name in common)

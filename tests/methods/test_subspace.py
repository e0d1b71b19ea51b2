"""LAMA and SubTSMD: motif sets that live in some of the channels."""

import json
from pathlib import Path

import numpy as np
import pytest

from tests.reference import motiflets as reference
from tsmdbench import MotifSet
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods import (
    LAMA,
    STOMP,
    Motiflets,
    SubspaceMerge,
    check_method,
)
from tsmdbench.methods.subspace import merge_channels

GOLDEN = Path(__file__).parents[1] / "golden"
LINKAGES = {"average": "mean", "complete": "minimum"}


def planted(seed, n=300, channels=3, used=2, length=20, copies=4):
    """Random walks, and a pattern that occurs several times in some channels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, channels)).cumsum(axis=0) + rng.normal(size=(n, channels))
    where = np.sort(rng.choice(channels, used, replace=False))
    shape = 3 * rng.normal(size=(length, used)).cumsum(axis=0)
    starts = 2 * length * np.sort(rng.choice(n // (2 * length) - 1, copies, False)) + 5
    for start in starts:
        noise = 0.2 * rng.normal(size=(length, used))
        x[start : start + length, where] = shape + noise
    return x, starts.tolist(), where.tolist()


def smallest_extents(x, m, k_max, subspace, slack):
    """Smallest extents by the definition, looking at all windows."""
    cells = np.stack([reference.squares(channel, m) for channel in x.T])
    zone, count = int(m * slack), cells.shape[1]
    rows = [
        [reference.nearest_apart(one[i], i, k_max - 1, zone) for i in range(count)]
        for one in cells
    ]
    best = {}
    for k in range(2, k_max):
        candidates = []
        for i in range(count):
            last = [cells[c, i, r[i][k - 1]] if len(r[i]) >= k else np.inf
                    for c, r in enumerate(rows)]  # fmt: skip
            near = np.argsort(last, kind="stable")
            if np.isfinite(last[near[0]]):
                members, used = rows[near[0]][i][:k], np.sort(near[:subspace])
                together = cells[used].sum(axis=0)
                extent = together[np.ix_(members, members)].max()
                candidates.append((extent, sorted(members), used.tolist()))
        best[k] = min(candidates, key=lambda one: one[0])
    return best


def extent_of(x, m, starts, channels):
    """Largest distance within a set, summed over channels."""
    cells = sum(reference.squares(x[:, c], m) for c in channels)
    return cells[np.ix_(starts, starts)].max()


@pytest.mark.parametrize("subspace", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_lama_follows_the_definition(seed, subspace):
    x, *_ = planted(seed)
    extents, sets, channels, _ = LAMA(20, 20, 7, slack=0.5)._search(x, 20, subspace)
    expected = smallest_extents(x, 20, 7, subspace, 0.5)
    lowest = np.minimum.accumulate([expected[k][0] for k in range(6, 1, -1)])[::-1]
    np.testing.assert_allclose(extents[2:], lowest, rtol=1e-9)
    for k, (extent, _, _) in expected.items():  # sets of equal extent are ties
        assert extent_of(x, 20, sets[k], channels[k]) == pytest.approx(extent)


@pytest.mark.parametrize("seed", range(6))
def test_lama_finds_the_channels_of_a_pattern(seed):
    x, starts, where = planted(seed)
    sets = LAMA(20, 20, 8, subspace=2).find(x)
    assert any(
        one.starts.tolist() == starts and list(one.channels) == where for one in sets
    )


def test_lama_of_one_channel_is_motiflets():
    x = planted(1)[0][:, 0]
    for slack in (0.5, 1.0):
        ours = LAMA(18, 22, 8, slack=slack).find(x)
        plain = Motiflets(18, 22, 8, slack=slack).find(x)
        assert [one.segments.tolist() for one in ours] == [
            one.segments.tolist() for one in plain
        ]


def test_lama_agrees_with_the_authors_code():
    """Up to the size of the pattern: beyond it their sum is over other channels."""
    for case in json.loads((GOLDEN / "lama.json").read_text())["cases"]:
        x, starts, _ = planted(case["seed"], 600, case["channels"], case["subspace"])
        method = LAMA(20, 20, 10, slack=0.5)
        extents, sets, used, _ = method._search(x, 20, case["subspace"])
        for k in range(2, len(starts) + 1):
            theirs = case["sets"][k]
            assert used[k].tolist() == case["used"][k]
            assert extents[k] == pytest.approx(case["extents"][k], rel=1e-3)
            if sets[k].tolist() != theirs:  # a tie
                extent = extent_of(x, 20, theirs, used[k])
                assert extents[k] == pytest.approx(extent, rel=1e-12)


def test_bad_parameters_of_lama_are_refused():
    x = planted(0)[0]
    with pytest.raises(InputError, match="subspace must be at most 3"):
        LAMA(20, 20, 6, subspace=4).find(x)
    with pytest.raises(InputError, match="subspace"):
        LAMA(20, 20, 6, subspace=0)
    with pytest.raises(InputError, match="l_min must not exceed l_max"):
        LAMA(21, 20, 6)


def as_lists(sets):
    return sorted(
        [list(one.channels), sorted(one.intervals.reshape(len(one), -1).tolist())]
        for one in sets
    )


@pytest.mark.parametrize("linkage", ["average", "complete"])
def test_merging_agrees_with_the_authors_code(linkage):
    """Where the order of channels does not matter there; but for the order of sets."""
    equal = different = 0
    for case in json.loads((GOLDEN / "subspace_merge.json").read_text()):
        shift = 50  # some of their segments begin before the series
        channels = [
            [MotifSet(np.array(one) + shift) for one in sets]
            for sets in case["univariate"]
        ]
        merged = merge_channels(channels, 0.5, LINKAGES[linkage])
        again = merge_channels(
            [sets[::-1] for sets in channels], 0.5, LINKAGES[linkage]
        )
        assert merged == again
        if not case.get(f"order_dependent_{linkage}"):
            theirs = [
                [used, sorted((np.array(motifs) + shift).tolist())]
                for used, motifs in case["merged"][linkage]
            ]
            equal += as_lists(merged) == sorted(theirs)
            different += as_lists(merged) != sorted(theirs)
    assert (equal, different) == {"average": (79, 2), "complete": (80, 1)}[linkage]


def drawn(rng, base):
    """Draw the starts of two sets of four motifs near some times."""
    return [rng.choice(base, 4, False) + rng.integers(0, 15, 4) for _ in range(2)]


def test_the_order_of_channels_only_renames_them():
    rng = np.random.default_rng(3)
    for _ in range(30):
        base = np.sort(rng.choice(30, 6, replace=False)) * 50
        channels = [
            [MotifSet.from_starts(s, 40) for s in drawn(rng, base)] for _ in range(4)
        ]
        order = rng.permutation(4)
        one = merge_channels(channels)
        two = merge_channels([channels[c] for c in order])
        renamed = []
        for motifs in two:
            names = [int(order[c]) for c in motifs.channels]
            renamed.append(MotifSet(motifs.intervals, channels=names))
        assert sorted(map(repr, one)) == sorted(map(repr, renamed))


def test_a_lifted_method_finds_the_channels_of_a_pattern():
    x = np.random.default_rng(5).normal(size=(300, 3))
    starts, shape = [40, 100, 180, 240], 9 * np.sin(np.arange(20) / 2)
    for start in starts:
        x[start : start + 20, 1:] += shape[:, None]
    best, *_ = SubspaceMerge(Motiflets(20, 20, 6, max_sets=1, channel=2)).find(x)
    assert best.channels == (1, 2)
    assert np.abs(best.starts - starts).max() <= 2


def test_both_keep_the_contract_of_methods():
    assert check_method(LAMA(48, 52, 6)).passed
    assert check_method(SubspaceMerge(STOMP(50))).passed


def test_bad_parameters_of_merging_are_refused():
    with pytest.raises(InputTypeError, match="method must be a method"):
        SubspaceMerge("locomotif")
    with pytest.raises(InputError, match=r"delta must lie in \[0.5, 1\)"):
        SubspaceMerge(STOMP(20), delta=0.4)
    with pytest.raises(InputError, match="linkage"):
        SubspaceMerge(STOMP(20), linkage="single")

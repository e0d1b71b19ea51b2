"""LAMA and SubTSMD: motif sets that live in some of the channels."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.methods.settings import entry
from tests.reference import motiflets as reference
from tests.reference.persistence import pepa
from tests.reference.range_motifs import stomp
from tests.reference.subspace import merged
from tsmdbench import MotifSet
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.experiments import data_facts, experiment, run
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.presets import EXPERIMENTS
from tsmdbench.experiments.settings import settings_for, untuned
from tsmdbench.methods import (
    LAMA,
    METHODS,
    PEPA,
    STOMP,
    Motiflets,
    SubspaceMerge,
    planted_problem,
    subspace,
)
from tsmdbench.methods.lama import Leitmotifs
from tsmdbench.methods.motiflets import Extents
from tsmdbench.methods.subspace import merge_channels
from tsmdbench.registry import import_object

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
    if subspace == len(cells):
        cells, subspace = cells.sum(axis=0)[None], 1
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


@pytest.mark.parametrize("subspace", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_lama_follows_the_definition(seed, subspace):
    x, *_ = planted(seed)
    extents, sets, channels = Leitmotifs(x, 20, 7, 0.5, 1).in_channels(subspace)
    expected = smallest_extents(x, 20, 7, subspace, 0.5)
    lowest = np.minimum.accumulate([expected[k][0] for k in range(6, 1, -1)])[::-1]
    np.testing.assert_allclose(extents[2:], lowest, rtol=1e-9)
    for k, (extent, _, _) in expected.items():  # sets of equal extent are ties
        assert extent_of(x, 20, sets[k], channels[k]) == pytest.approx(extent)


@pytest.mark.parametrize("seed", range(3))
def test_lama_finds_the_channels_of_a_pattern(seed):
    x, starts, where = planted(seed)
    sets = LAMA(20, 20, 8, subspace=2).find(x)
    assert any(
        one.starts.tolist() == starts and list(one.channels) == where for one in sets
    )


@pytest.mark.parametrize("seed", range(2))
def test_motiflets_of_all_channels_follow_the_definition(seed):
    x, *_ = planted(seed)
    expected = reference.extents(x, 20, 7, slack=0.5)
    found = Extents(x, 20, 7, 0.5, 1).search(7, 1.0)
    lowest = np.minimum.accumulate([expected[k][0] for k in range(6, 1, -1)])[::-1]
    np.testing.assert_allclose(found.dists[2:], lowest, rtol=1e-9)
    for k, (extent, _) in expected.items():  # sets of equal extent are ties
        starts = found.candidates[k]
        cells = reference.squares(x, 20)[np.ix_(starts, starts)]
        assert cells.max() == pytest.approx(extent)
    together = LAMA(18, 22, 8).find(x)
    assert Motiflets(18, 22, 8, channel="all").find(x) == tuple(
        MotifSet(one.segments) for one in together
    )


@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_stomp_of_all_channels_follows_the_definition(seed, channels):
    x = np.random.default_rng(seed).normal(size=(260, channels)).cumsum(axis=0)
    found = STOMP(20, 3.0, max_sets=4, channel="all").find(x)
    assert [one.starts.tolist() for one in found] == stomp(x, 20, 3.0, 4)
    assert found


@pytest.mark.parametrize("channels", [1, 2, 5])
@pytest.mark.parametrize("seed", range(2))
def test_pepa_of_all_channels_follows_the_definition(seed, channels):
    x, *_ = planted(seed, 400, channels, channels, 30)
    if channels > 1:
        x[60:110, 0] = 1.0  # without shape in one channel, and in all
        x[200:240] = np.linspace(0, 1, 40)[:, None]
        x[300, 1] = np.nan
    for sets in (1, 3):
        found = PEPA(18, max_sets=sets, channel="all").find(x)
        assert [list(one) for one in found] == pepa(x, 18, sets=sets)
        assert found
    threads = PEPA(18, max_sets=3, channel="all", n_jobs=2)
    assert threads.find(np.tile(x, (3, 1))) == replace(threads, n_jobs=1).find(
        np.tile(x, (3, 1))
    )


SUMMING = ["apepa", "motiflets", "pepa", "stomp"]


@pytest.mark.parametrize("name", SUMMING)
def test_all_channels_of_one_are_that_one(name):
    x = planted_problem().series
    one, every = (METHODS[name](**entry(name).good, channel=c) for c in (0, "all"))
    assert one.find(x) == every.find(x) == every.find(x[:, None]) != ()


def test_all_channels_only_where_a_method_can():
    for name, cls in METHODS.items():
        assert cls.all_channels == (name in SUMMING)
        if "channel" in cls.__dataclass_fields__ and not cls.all_channels:
            with pytest.raises(InputError, match="channel must be"):
                cls(**entry(name).good, channel="all").find(np.zeros((400, 2)))
    facts = data_facts([planted_problem(2)])
    setting = untuned(describe("stomp"), facts, {"channel": "all"})
    assert setting["channel"] == "all"


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
        near = Leitmotifs(x, 20, 10, 0.5, 1)
        extents, sets, used = near.in_channels(case["subspace"])
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
        ours = merge_channels(channels, 0.5, LINKAGES[linkage])
        again = merge_channels(
            [sets[::-1] for sets in channels], 0.5, LINKAGES[linkage]
        )
        assert ours == again
        if not case.get(f"order_dependent_{linkage}"):
            theirs = [
                [used, sorted((np.array(motifs) + shift).tolist())]
                for used, motifs in case["merged"][linkage]
            ]
            equal += as_lists(ours) == sorted(theirs)
            different += as_lists(ours) != sorted(theirs)
    assert (equal, different) == {"average": (79, 2), "complete": (80, 1)}[linkage]


@pytest.mark.parametrize("linkage", ["mean", "minimum"])
@pytest.mark.parametrize("shift", [1, 3, 8])  # small: ties
def test_merging_follows_the_definition(shift, linkage):
    """Also where members of a set overlap each other, so that several may match."""
    rng = np.random.default_rng(shift)
    most = 0
    for _ in range(60):
        base = rng.integers(0, 120, 6)
        channels = [
            [
                [(int(s), int(s) + 12) for s in np.unique(base + jitter)]
                for jitter in rng.integers(0, shift + 1, (rng.integers(1, 4), 6))
            ]
            for _ in range(rng.integers(2, 5))
        ]
        sets = [[MotifSet(one) for one in own if len(one) > 1] for own in channels]
        for delta in (0.5, 0.75):
            expected = merged([map(list, own) for own in sets], delta, linkage)
            found = merge_channels(sets, delta, linkage)
            assert as_lists(found) == sorted(
                [
                    sorted(one[0]),
                    sorted([n for c in sorted(m) for n in m[c]] for m in one),
                ]
                for one in expected
            )
            most = max(most, *(len(one.channels) for one in found))
    assert most > 2


def test_many_motifs_are_merged_without_comparing_all_of_them():
    """Sets that repeat in every channel become one set each, over all channels."""
    count, sets = 4000, 4
    starts = np.arange(count).reshape(-1, sets).T * 10
    own = [MotifSet.from_starts(one, 10) for one in starts]
    found = merge_channels([own] * 5)
    assert [one.channels for one in found] == [(0, 1, 2, 3, 4)] * sets
    assert [one.starts.tolist() for one in found] == starts.tolist()


def drawn(rng, base, shift):
    """Draw the starts of two sets of four motifs near some times."""
    return [rng.choice(base, 4, False) + rng.integers(0, shift, 4) for _ in range(2)]


@pytest.mark.parametrize("shift", [1, 2, 15])  # small: ties
def test_the_order_of_channels_only_renames_them(shift):
    rng = np.random.default_rng(3)
    for _ in range(30):
        base = np.sort(rng.choice(30, 6, replace=False)) * 50
        channels = [
            [MotifSet.from_starts(s, 40) for s in drawn(rng, base, shift)]
            for _ in range(4)
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


LIFTED = [name for name in METHODS.added() if name.startswith("sub_")]


@pytest.mark.parametrize("name", LIFTED)
def test_a_lifted_class_is_the_merge_of_its_method(name):
    cls, settings = METHODS[name], entry(name).good
    x = planted_problem(3).series
    x[:, 1] = np.random.default_rng(0).normal(size=len(x))
    one = METHODS[name.removeprefix("sub_")](**settings, max_sets=3)
    assert "channel" not in cls.__dataclass_fields__
    for delta, linkage in ((0.5, "mean"), (0.8, "minimum")):
        given = {"max_sets": 3, "delta": delta, "linkage": linkage}
        lifted = SubspaceMerge(one, delta, linkage).find(x)
        assert cls(**settings, **given).find(x) == lifted
        found = [one.find(x[:, c].copy()) for c in range(3)]
        assert lifted == merge_channels(found, delta, linkage)[:3]


def test_a_sweep_searches_each_channel_once_for_all_merges(monkeypatch):
    x = planted_problem(2).series
    calls = []
    swept = STOMP._sweep.__func__

    def counted(cls, series, methods):
        calls.append(len(methods))
        return swept(cls, series, methods)

    monkeypatch.setattr(STOMP, "_sweep", classmethod(counted))
    lifted = import_object("tsmdbench.methods.subspace:SubSTOMP")
    settings = [
        {"length": 50, "radius_factor": factor, "delta": delta, "linkage": linkage}
        for factor in (2, 3)
        for linkage in ("mean", "minimum")
        for delta in (0.5, 0.7, 1.0)
    ]
    found = lifted.sweep(x, settings)
    assert calls == [2, 2]  # two radii in each of two channels, not twelve settings
    assert found == [lifted(**setting).find(x) for setting in settings]


def test_lifted_methods_are_tuned_stored_and_named(tmp_path):
    """The grid is that of the method times delta and linkage; a store knows both."""
    facts = data_facts([planted_problem(2)])
    settings = settings_for(describe("sub_locomotif"), facts)
    plain = settings_for(describe("locomotif"), facts)
    assert len(settings) == len(plain) * 6 * 2
    assert sorted({one["delta"] for one in settings}) == [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    assert [one["subspace"] for one in settings_for(describe("lama"), facts)] == [2, 1]
    names = ("sub_locomotif", "lama", "tsmdbench.methods.subspace:SubSTOMP")
    for other in set(EXPERIMENTS) - {"subspace"}:
        assert not {*names, *LIFTED} & {*experiment(other)["methods"]}
    grid = {"sub_locomotif": {"rho": [0.8], "delta": [0.5, 0.9], "linkage": ["mean"]}}
    result = run(
        names, "dials", tmp_path, limit=1, limit_validation=1, tune=True, grid=grid
    )
    table = result.store.table(["method", "parameters", "status", "found"]).to_pylist()
    assert {row["method"] for row in table} == set(names)
    assert {row["status"] for row in table} == {"ok"}


def test_bad_parameters_of_merging_are_refused():
    with pytest.raises(AttributeError, match="has no attribute 'SubNothing'"):
        subspace.SubNothing  # noqa: B018
    with pytest.raises(InputError, match="delta must lie in"):
        METHODS["sub_setfinder"](length=20, radius=1.0, delta=1.1)
    with pytest.raises(InputTypeError, match="method must be a method"):
        SubspaceMerge("locomotif")
    with pytest.raises(InputError, match=r"delta must lie in \[0.5, 1\]"):
        SubspaceMerge(STOMP(20), delta=0.4)
    with pytest.raises(InputError, match="linkage"):
        SubspaceMerge(STOMP(20), linkage="single")

"""Sub-TSMD-Bench: frozen, without leak, valid truth in time and channels."""

from dataclasses import replace

import numpy as np
import pytest

from tsmdbench.benchmark import (
    SHIFTED_SUITE,
    SUBSPACE_SUITE,
    data_card,
    load_benchmark,
    read_problems,
    write_benchmarks,
)
from tsmdbench.datasets.construct import copy_groups, normalized
from tsmdbench.datasets.subspace import drawn_fillers, frozen_fillers, stretched
from tsmdbench.errors import DataError
from tsmdbench.metrics import subspace_prom

pytestmark = pytest.mark.archive
SPLITS = ("validation", "test")
EVERY = (*SUBSPACE_SUITE, *SHIFTED_SUITE)


VOWELS = "Sub-JapaneseVowels", "SubShift-JapaneseVowels"  # aeon has the data


def check_truth(problem):
    """Sets of two motifs or more, in as many channels as the data has, valid."""
    n, width = problem.series.shape
    covered = np.zeros((n, width), int)
    d = len(next(iter(problem.truth.values())).channels)
    assert d + 1 <= width <= max(d + 1, len(problem.truth) * d)
    for motifs in problem.truth.values():
        assert len(motifs) >= 2
        assert len(set(motifs.channels)) == d
        for motif in motifs.intervals:
            for channel, (start, end) in zip(motifs.channels, motif, strict=True):
                covered[start:end, channel] += 1
    assert covered.max() == 1  # no self-overlap in time and channel
    # The metric refuses a truth that is not valid.
    assert subspace_prom(problem.truth, list(problem.truth.values())).f1 == 1


def check_fillers(bench, index, groups):
    """Of classes that do not repeat, and no instance nor a copy twice in a channel."""
    layout, recipe = bench.layout(index), bench.recipes[index]
    repeating = {bench.labels[position] for position in recipe[::2]}
    there = [[] for _ in range(layout.width)]
    for block in layout.blocks:
        covered = [channel for one in block for channel in one.channels]
        assert sorted(covered) == list(range(layout.width))
        for position, sources, channels in block:
            assert bench.labels[position] not in repeating
            assert len(set(sources)) == len(sources) == len(channels)
            for channel in channels:
                there[channel].append(groups[position])
    assert all(len(set(row)) == len(row) == len(recipe) for row in there)
    used = {channel for home in layout.homes.values() for channel in home}
    assert layout.width - len(used) == (len(layout.homes) == 1)


def check_samples(bench, index):
    """Each sample is that of the instance that the layout has there."""
    problem, layout, start = bench[index], bench.layout(index), 0
    seen = dict.fromkeys(problem.truth, 0)
    for place, position in enumerate(bench.recipes[index]):
        values = normalized(bench.instances[position], "joint")
        is_motif = place % 2 == 0
        room = len(values) // 4 if bench.shifted and is_motif else 0
        expected = np.empty((len(values) + room, layout.width))
        for filler, sources, channels in layout.blocks[place]:
            whole = normalized(bench.instances[filler], "joint")
            expected[:, channels] = stretched(whole, len(expected))[:, sources]
        if is_motif:
            label = bench.labels[position]
            motifs = problem.truth[label]
            intervals = motifs.intervals[seen[label]] - start
            seen[label] += 1
            for channel, (begin, end) in zip(motifs.channels, intervals, strict=True):
                assert 0 <= begin <= room
                source = layout.homes[label].index(channel)
                expected[begin:end, channel] = values[:, source]
        stop = start + len(expected)
        assert (problem.series[start:stop] == expected).all()
        start = stop
    assert start == len(problem.series)
    assert list(seen.values()) == [len(motifs) for motifs in problem.truth.values()]


def check_dataset(name, number, folder=None):
    """All of the above for `number` problems, and no leak in any."""
    sides = []
    for split in SPLITS:
        bench = load_benchmark(name, split, folder=folder, allow_download=False)
        assert bench.frozen
        assert len(bench) == {"validation": 50, "test": 200}[split]
        groups = copy_groups(bench.instances)
        both = (*bench.recipes, *bench.fillers)
        sides.append({groups[position] for row in both for position in row})
        part = bench[:number]
        assert part.same_bytes() == number
        for index, problem in enumerate(part):
            check_truth(problem)
            check_fillers(part, index, groups)
            check_samples(part, index)
    assert not sides[0] & sides[1]


def test_twelve_datasets_of_which_those_with_several_channels_are_shifted():
    assert len(SUBSPACE_SUITE) == 12
    assert len(SHIFTED_SUITE) == 8
    for split, number in {"validation": 50, "test": 200}.items():
        for name in SUBSPACE_SUITE:
            rows = frozen_fillers()[name.removeprefix("Sub-"), split]
            assert len(rows) == number
            shifted = name.replace("Sub-", "SubShift-") in SHIFTED_SUITE
            assert all((row[2] is not None) == shifted for row in rows)


@pytest.mark.parametrize("name", VOWELS)
def test_vowels_are_valid_without_leak_and_have_the_frozen_bytes(name):
    check_dataset(name, 12)


@pytest.mark.data
@pytest.mark.parametrize("name", [name for name in EVERY if name not in VOWELS])
def test_datasets_are_valid_without_leak_and_have_the_frozen_bytes(name, data_folder):
    check_dataset(name, 4, data_folder)


def test_the_frozen_fillers_are_those_that_are_drawn():
    for split in SPLITS:
        bench = load_benchmark("Sub-JapaneseVowels", split)
        assert drawn_fillers(load_benchmark("JapaneseVowels", split)) == bench.fillers


def test_shifts_differ_between_channels_and_from_motif_to_motif():
    plain, shifted = (load_benchmark(name)[:20] for name in VOWELS)
    for one, two in zip(plain, shifted, strict=True):
        for label, motifs in one.truth.items():
            assert not np.ptp(motifs.intervals, axis=1).any()
            assert two.truth[label].channels == motifs.channels
            starts = two.truth[label].intervals[:, :, 0]
            assert np.ptp(starts, axis=1).any()
            assert np.ptp(starts - starts[:, :1], axis=0).any()


def test_interpolation_agrees_with_numpy():
    rng = np.random.default_rng(0)
    for before, after in ((5, 9), (9, 5), (2, 7), (1, 4), (6, 1)):
        values = rng.normal(size=(before, 2))
        at = np.linspace(0, before - 1, after)
        expected = [np.interp(at, np.arange(before), column) for column in values.T]
        assert stretched(values, after) == pytest.approx(np.stack(expected, axis=1))


def test_a_slice_another_seed_and_noise():
    bench = load_benchmark("Sub-JapaneseVowels")
    part = bench[5:7]
    assert (part[1].series == bench[6].series).all()
    assert part[1].name == "Sub-JapaneseVowels/test/006"
    assert part.recipe_sha256 != bench.recipe_sha256
    other = load_benchmark("Sub-JapaneseVowels", seed=1)
    assert not other.frozen
    assert other[0].series.shape[1] >= 13
    assert not other.same_bytes()
    noisy = load_benchmark("Sub-JapaneseVowels", noise=0.1)[0]
    assert noisy.series.shape == bench[0].series.shape
    assert (noisy.series != bench[0].series).all()
    assert not replace(bench, hashes=()).same_bytes()


def test_problems_are_written_and_read_with_channels(tmp_path):
    bench = load_benchmark("SubShift-JapaneseVowels", "validation")[:2]
    write_benchmarks([bench], tmp_path)
    read = read_problems(tmp_path / "SubShift-JapaneseVowels-validation.parquet")
    for one, two in zip(bench, read, strict=True):
        assert one.truth == two.truth
        assert (one.series == two.series).all()


def test_the_card_has_the_share_of_channels_without_motif():
    bench = load_benchmark("Sub-JapaneseVowels", "validation")
    card = data_card(bench)
    single = np.mean([len(problem.truth) == 1 for problem in bench])
    assert card.values["without_motif"] == pytest.approx(single / 13)
    widths = [problem.series.shape[1] for problem in bench]
    assert card.values["channels"] == np.mean(widths)
    assert "channels without motif" in card.text()


def test_a_wrong_name_is_refused_with_a_near_one():
    with pytest.raises(DataError, match="did you mean Sub-NATOPS"):
        load_benchmark("Sub-NATOP")
    with pytest.raises(DataError, match="SubShift-ECG5000"):
        load_benchmark("SubShift-ECG5000")

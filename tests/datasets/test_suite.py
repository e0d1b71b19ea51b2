"""TSMD-Bench: complete, frozen, without leak, the same bytes."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from tsmdbench.archive import load
from tsmdbench.benchmark import DATASETS, Benchmark, load_benchmark, overview
from tsmdbench.datasets.catalogue import KNOWN, PAPER
from tsmdbench.datasets.construct import copy_groups
from tsmdbench.datasets.suite import (
    draw_recipes,
    expected_length,
    frozen_recipes,
    recipes_for,
    series_sha256,
)
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.validation import check_truth

pytestmark = pytest.mark.archive

FROZEN = sorted(set(PAPER) - {"Mallat", "Cricket"})


def _check_structure(bench: Benchmark) -> None:
    """Every problem is what section 5.1 says, and its truth is valid."""
    labels = dict(zip(bench.origins, bench.labels, strict=True))
    for problem in bench:
        n = len(problem.series)
        check_truth(problem.truth, n=n)
        classes = [labels[origin] for origin in problem.recipe]
        motifs, separators = classes[::2], classes[1::2]
        assert set(problem.truth) == set(motifs)
        assert not set(motifs) & set(separators)
        assert len(set(separators)) == len(separators) == len(motifs) - 1
        assert all(len(segments) >= 2 for segments in problem.truth.values())
        assert len(set(problem.recipe)) == len(problem.recipe)


def test_recipes_of_twelve_datasets_are_frozen_and_do_not_share_instances():
    frozen = frozen_recipes()
    assert sorted({name for name, _ in frozen}) == FROZEN
    for name in FROZEN:
        limits = {"TRAIN": KNOWN[name].train, "TEST": KNOWN[name].test}
        used = []
        for split, number in (("validation", 50), ("test", 200)):
            recipes = frozen[name, split].origins
            assert len(recipes) == number
            assert all(len(recipe) % 2 for recipe in recipes)
            used.append({origin for recipe in recipes for origin in recipe})
            assert all(0 <= row < limits[part] for part, row in used[-1])
        assert not used[0] & used[1]


def test_vowels_come_out_of_the_wheel_byte_for_byte():
    bench = load_benchmark("JapaneseVowels")
    assert bench.frozen
    assert bench.same_bytes() == len(bench) == 200
    _check_structure(bench)
    assert bench[0].name == "JapaneseVowels/test/000"
    assert series_sha256(bench[0].series) == bench.hashes[0]
    vowels = load("JapaneseVowels")
    for split in ("validation", "test"):
        assert recipes_for(vowels, split)[0] == draw_recipes(vowels, split)


def test_instances_in_problems_are_jointly_normalised():
    bench = load_benchmark("JapaneseVowels", "validation")
    problem = bench[3]
    vowels = load("JapaneseVowels")
    place = {origin: k for k, origin in enumerate(vowels.origins)}
    start = 0
    for origin in problem.recipe:
        instance = vowels.instances[place[origin]]
        part = problem.series[start : start + len(instance)]
        assert np.allclose(part, (instance - instance.mean()) / instance.std())
        start += len(instance)
    assert start == len(problem.series)


def test_a_copy_of_fewer_digits_gives_nearly_the_same_problems():
    bench = load_benchmark("JapaneseVowels", "validation")
    rounded = replace(
        bench,
        instances=tuple(np.round(instance, 4) for instance in bench.instances),
        _ready={},
    )
    assert rounded.same_bytes() < len(bench)
    for exact, near in zip(bench, rounded, strict=True):
        assert exact.truth == near.truth
        assert np.allclose(exact.series, near.series, atol=1e-3)


def test_loading_a_benchmark_imports_neither_aeon_nor_numba():
    use = "from tsmdbench.benchmark import load_benchmark as load\n"
    use += "load('JapaneseVowels')[0]\nimport sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", use], capture_output=True, text=True, check=True
    )
    modules = set(done.stdout.split())
    assert "pyarrow" in modules
    assert not {"aeon", "numba", "sklearn", "matplotlib"} & modules


def test_benchmark_is_a_lazy_sequence():
    bench = load_benchmark("JapaneseVowels", "validation")
    assert not bench._ready
    part = bench[10:13]
    assert [problem.name for problem in part] == [
        f"JapaneseVowels/validation/{k:03d}" for k in (10, 11, 12)
    ]
    assert part.same_bytes() == 3
    assert np.array_equal(bench[-1].series, bench[49].series)
    with pytest.raises(IndexError):
        bench[50]
    assert repr(bench) == "<JapaneseVowels/validation: 50 problems, frozen>"


def test_studies_can_change_g_normalisation_and_noise():
    plain = load_benchmark("JapaneseVowels", "validation")
    larger = load_benchmark("JapaneseVowels", "validation", g_min=2)
    assert min(len(problem.truth) for problem in larger) == 2
    assert min(len(problem.truth) for problem in plain) == 1
    assert not larger.frozen
    assert larger.same_bytes() == 0
    loud = load_benchmark("JapaneseVowels", "validation", noise=0.3)
    assert loud.recipes == plain.recipes
    assert loud.same_bytes() == 0
    assert np.std(loud[0].series - plain[0].series) == pytest.approx(0.3, rel=0.1)
    raw = load_benchmark("JapaneseVowels", "validation", normalize=None)
    assert np.array_equal(raw[0].series[:5], raw.instances[raw.recipes[0][0]][:5])
    with pytest.raises(InputError, match="g_min must be at most g_max, which is 3"):
        load_benchmark("JapaneseVowels", g_min=4)


def test_a_leak_puts_validation_instances_into_test_problems_only():
    def used(*arguments, **options):
        bench = load_benchmark("JapaneseVowels", *arguments, **options)
        return {place for recipe in bench.recipes for place in recipe}

    seen = used("validation")
    assert not seen & used("test")
    assert seen & used("test", leak=True)
    assert used("validation", leak=True) == seen
    with pytest.raises(InputTypeError, match="leak must be True or False"):
        load_benchmark("JapaneseVowels", leak="no")
    assert used("validation", seed=1) == used("validation", seed=1) != seen
    assert not load_benchmark("JapaneseVowels", seed=1).frozen


def test_wrong_names_are_refused_with_a_hint():
    with pytest.raises(InputError, match="did you mean JapaneseVowels"):
        load_benchmark("japanesevowel")
    with pytest.raises(InputError, match="split must be one of 'validation', 'test'"):
        load_benchmark("JapaneseVowels", "train")


@pytest.mark.parametrize(
    "name", [pytest.param("Mallat", marks=pytest.mark.slow), "Cricket"]
)
def test_datasets_without_frozen_recipes_work_once_their_files_are_there(
    name, tmp_path, write_dataset
):
    entry = KNOWN[name]
    rng = np.random.default_rng(1)
    parts = {}
    for part, size in (("TRAIN", entry.train), ("TEST", entry.test)):
        labels = [str(1 + k % entry.classes) for k in range(size)]
        instances = [
            rng.integers(0, 10, size=(entry.l_min, entry.channels)) for _ in labels
        ]
        parts[part] = (instances, labels)
    folder = write_dataset(tmp_path, name, parts, digits=3)
    (row,) = (row for row in overview(folder) if row.dataset == name)
    assert row.available == "folder given"
    assert not row.frozen
    assert row.g_max == PAPER[name].g_max
    seen = []
    for split, size in (("validation", 50), ("test", 200)):
        bench = load_benchmark(name, split, folder=folder)
        assert not bench.frozen
        assert len(bench) == size
        again = load_benchmark(name, split, folder=folder)
        assert again.recipes == bench.recipes
        _check_structure(bench[:20])
        shape = bench[0].series.shape
        assert shape[1:] == ((entry.channels,) if entry.channels > 1 else ())
        assert len(bench[0].series) == entry.l_min * len(bench[0].recipe)
        seen.append({position for recipe in bench.recipes for position in recipe})
    assert not seen[0] & seen[1]


@pytest.mark.data
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if KNOWN[name].test > 1000 else name
        for name in FROZEN
    ],
)
def test_frozen_problems_on_the_real_data(name, data_folder):
    if not (data_folder / name).is_dir():
        pytest.skip(f"{data_folder} has no {name}")
    sides = []
    for split in ("validation", "test"):
        bench = load_benchmark(name, split, folder=data_folder)
        assert bench.recipes == draw_recipes(load(name, data_folder), split)
        assert bench.same_bytes() == len(bench)
        _check_structure(bench)
        groups = copy_groups(bench.instances)
        copies = sum(group != place for place, group in enumerate(groups))
        assert copies == {"Symbols": 20, "SpokenArabicDigits": 107}.get(name, copies)
        used = [[groups[position] for position in recipe] for recipe in bench.recipes]
        assert all(len(set(recipe)) == len(recipe) for recipe in used)
        sides.append({group for recipe in used for group in recipe})
    assert not sides[0] & sides[1]  # copies stay apart


def test_overview_has_the_paper_beside_it():
    rows = {row.dataset: row for row in overview()}
    assert list(rows) == list(DATASETS)
    vowels = rows["JapaneseVowels"]
    assert vowels.available == "bundled with aeon"
    assert vowels[3:8] == (9, 7, 29, 12, 3)
    assert vowels.n_avg == pytest.approx(236.465)
    assert vowels.paper.n_avg == 166
    assert rows["Mallat"].available is None
    assert rows["Mallat"].n_avg is None
    agreeing = {name: row.paper_g_min for name, row in rows.items()}
    for name in ("ECG5000", "Plane", "Symbols", "ERing", "NATOPS"):
        assert agreeing[name] == 2
        # Not only to one percent, but exactly.
        row = PAPER[name]
        assert expected_length(row.classes, row.l_min, 2) == row.n_avg
    assert agreeing["UWaveGestureLibrary"] == 1
    assert agreeing["JapaneseVowels"] is None

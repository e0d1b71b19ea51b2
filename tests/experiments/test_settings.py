"""Settings from validation data, from the truth, and in grids."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.experiments import mock_problems
from tests.experiments.mock_methods import Mock, Plain
from tests.reference import settings as reference
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.labels import setting_labels
from tsmdbench.benchmark import (
    SPLITS,
    build_benchmark,
    load_benchmark,
    write_benchmarks,
)
from tsmdbench.errors import InputError
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.presets import GRIDS, PRESETS, preset_params
from tsmdbench.experiments.settings import (
    DataFacts,
    central_radius,
    complete,
    data_facts,
    resampled,
    settings_for,
    truth_facts,
    truth_setting,
    untuned,
    validation_instances,
)
from tsmdbench.experiments.sources import (
    load_problems,
    runs_code,
    uses_truth,
    with_truth,
    without_protocol,
)
from tsmdbench.experiments.specification import Specification
from tsmdbench.methods.gv import GVSequitur, window_axis
from tsmdbench.methods.info import MethodInfo
from tsmdbench.types import MotifSet, Problem

FACTS = DataFacts(20, 18, 25, 6, 2, 1, (1.5,), 1.5)
WIDE = dataclasses.replace(FACTS, channels=3, channel_radius=(1.0, 2.0, 3.0))
ALPHABETS = [2, 4, 8, 16]


def method(name, *fields, required=(), univariate=True, **attributes):
    cls = type("Fake", (), attributes)
    return MethodInfo(
        name=name,
        univariate=univariate,
        cls=cls,
        fields=(*fields, "channel"),
        parameters=required,
    )


GV = method(
    "gv_sequitur",
    "window",
    "word_length",
    "alphabet_size",
    grid=staticmethod(GVSequitur.grid),
    full_grid=staticmethod(GVSequitur.full_grid),
)


@pytest.mark.parametrize("channels", [1, 3])
def test_radius_agrees_with_its_definition(channels):
    rng = np.random.default_rng(0)
    instances = rng.normal(size=(14, 9, channels)) * rng.uniform(1, 9, size=(14, 1, 1))
    instances[3, :, 0] = 5.0  # a channel that stands still
    labels = [int(k) for k in rng.integers(0, 3, size=14)]
    expected = reference.radius(instances.tolist(), labels)
    assert central_radius(instances, labels) == pytest.approx(expected, rel=1e-12)


def test_resampling_agrees_with_its_definition():
    rng = np.random.default_rng(1)
    instances = [rng.normal(size=(n, 2)) for n in (5, 9, 14)]
    expected = [reference.resample(i.tolist(), 9) for i in instances]
    np.testing.assert_allclose(resampled(instances, 9), expected, atol=1e-12)
    np.testing.assert_array_equal(resampled(instances, 9)[1], instances[1])


def test_facts_of_problems_without_instances_come_from_their_truth():
    problems = mock_problems.wide("validation")
    facts = data_facts(problems)
    assert (facts.length, facts.l_min, facts.l_max) == (20, 20, 20)
    assert (facts.k_max, facts.max_sets, facts.channels) == (6, 1, 3)
    motifs = [
        (problem.series[start:end].tolist(), label)
        for problem in problems
        for label, found in problem.truth.items()
        for start, end in found
    ]
    instances, labels = zip(*motifs, strict=True)
    assert facts.joint_radius == pytest.approx(reference.radius(instances, labels))
    second = [[[sample[1]] for sample in instance] for instance in instances]
    assert facts.channel_radius[1] == pytest.approx(reference.radius(second, labels))


def test_facts_of_one_s_own_data_of_varying_length():
    rng = np.random.default_rng(2)
    lengths = rng.integers(10, 40, size=60)
    instances = [np.sin(np.arange(n) * (1 + k % 5)) for k, n in enumerate(lengths)]
    labels = [k % 5 for k in range(60)]
    bench = build_benchmark(instances, labels, 30, split="validation")
    used = sorted({place for recipe in bench.recipes for place in recipe})
    facts = data_facts(bench)
    assert facts.length == round(lengths[used].mean())
    assert facts.l_min == round(float(np.quantile(lengths[used], 0.1)))
    assert facts.l_max == round(float(np.quantile(lengths[used], 0.9)))
    assert facts.max_sets == 2
    assert facts.k_max == 2 * max(len(s) for p in bench for s in p.truth.values())
    with pytest.raises(InputError, match="come from validation problems"):
        data_facts(build_benchmark(instances, labels, 30, split="test"))


@pytest.mark.data
@pytest.mark.parametrize("name", ["JapaneseVowels", "ECG5000"])
def test_facts_of_the_benchmark_never_touch_the_test_side(data_folder, name):
    validation = load_benchmark(name, "validation", folder=data_folder)
    test = load_benchmark(name, "test", folder=data_folder)
    instances, labels = validation_instances(validation)
    side = {instance.tobytes() for instance in instances}
    tested = {place for recipe in test.recipes for place in recipe}
    assert not side & {test.instances[place].tobytes() for place in tested}
    used = {place for recipe in validation.recipes for place in recipe}
    assert {validation.instances[place].tobytes() for place in used} <= side
    facts = data_facts(validation)
    lengths = [len(instance) for instance in instances]
    assert facts.length == round(np.mean(lengths))
    assert facts.max_sets == (len(set(labels)) + 1) // 3
    assert min(lengths) <= facts.l_min <= facts.length <= facts.l_max <= max(lengths)


def test_problems_come_from_files_that_build_wrote(tmp_path):
    instances = [np.sin(np.arange(30) * (1 + k % 5)) + k for k in range(40)]
    labels = [k % 5 for k in range(40)]
    benches = [build_benchmark(instances, labels, 3, split=s) for s in SPLITS]
    write_benchmarks(benches, tmp_path)
    for split, bench in zip(SPLITS, benches, strict=True):
        problems = load_problems(str(tmp_path / "own"), split)
        names = tuple(problem.name for problem in problems)
        assert names == tuple(problem.name for problem in bench)
        np.testing.assert_array_equal(problems[1].series, bench[1].series)
        assert len(load_problems(str(tmp_path / "own"), split, limit=2)) == 2
    with pytest.raises(InputError, match="nowhere"):
        load_problems("nowhere/own", "test")


@pytest.mark.archive
def test_a_variant_is_named_by_the_options_of_the_dataset():
    plain = load_problems("JapaneseVowels", "test")
    variant = load_problems("JapaneseVowels?g_min=2&seed=3", "test")
    assert min(len(problem.truth) for problem in variant) == 2
    assert variant.seed == 3
    assert not set(variant.recipes) & set(plain.recipes)
    facts = data_facts(load_problems("JapaneseVowels?seed=3", "validation"))
    assert facts != data_facts(load_problems("JapaneseVowels", "validation"))
    with pytest.raises(InputError, match="no option 'g' of a dataset; known: g_min"):
        load_problems("JapaneseVowels?g=2", "test")
    with pytest.raises(InputError, match="leak must be a number, true or false"):
        load_problems("JapaneseVowels?leak=perhaps", "test")


def test_parameters_of_a_dataset_hold_for_its_variants():
    params = {"emma": {"mode": "sax", "datasets": {"Symbols": {"radius": 2.0}}}}
    asked = Specification(("Symbols?seed=1",), ("emma",), params=params)
    given = asked.fixed_fields("emma", "Symbols?seed=1")
    assert given == {"mode": "sax", "radius": 2.0}


def test_fields_are_filled_by_name_and_channel():
    wanted = ("length", "radius", "max_sets", "other")
    assert WIDE.fields(wanted, 1) == {"length": 20, "radius": 2.0, "max_sets": 2}
    assert WIDE.fields(("radius", "k_max"), None) == {"radius": 1.5, "k_max": 6}


def axis(settings, name):
    return list(dict.fromkeys(setting[name] for setting in settings))


def test_grid_of_emma():
    emma = describe("emma")
    settings = settings_for(emma, FACTS)
    assert axis(settings, "word_length") == [4, 8]
    assert axis(settings, "alphabet_size") == ALPHABETS
    assert len(settings) == 8
    assert settings[0] == {
        "length": 20,
        "radius": 1.5,
        "word_length": 4,
        "alphabet_size": 2,
        "max_sets": 2,
    }
    full = settings_for(emma, FACTS, grid="full")
    assert axis(full, "word_length") == [4, 5, 6, 7, 8, 9, 10]


def test_grid_of_grammars():
    settings = settings_for(GV, FACTS)
    # 2 l_max = 50: log2 is 5.64, which is nearest to 6.
    assert axis(settings, "window") == [8, 16, 32, 64]
    words = {
        w: [s["word_length"] for s in settings if s["window"] == w][::4]
        for w in (8, 16, 32, 64)
    }
    assert words == {8: [4], 16: [4, 8], 32: [4, 8, 16], 64: [4, 8, 16, 32]}
    assert len(settings) == 10 * 4
    full = settings_for(GV, FACTS, grid="full")
    assert [s["word_length"] for s in full if s["window"] == 16][::4] == [4, 5, 6, 7, 8]


@pytest.mark.parametrize("l_max", [4, 5, 6, 22, 23, 45, 46, 90, 91, 1000, 1448, 1449])
def test_windows_end_at_the_nearest_power(l_max):
    assert window_axis(l_max)[-1] == max(8, 2 ** round(np.log2(2 * l_max)))


def test_grids_of_valmod_and_locomotif():
    valmod = settings_for(describe("valmod"), FACTS)
    assert [s["radius_factor"] for s in valmod] == [2, 3, 4, 5, 6]
    settings = settings_for(describe("locomotif"), FACTS)
    assert axis(settings, "rho") == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert axis(settings, "warping") == [True, False]
    assert len(settings) == 18


def test_a_univariate_method_tries_every_channel_with_its_radius():
    settings = settings_for(method("setfinder", "length", "radius"), WIDE)
    assert [(s["channel"], s["radius"]) for s in settings] == [
        (0, 1.0),
        (1, 2.0),
        (2, 3.0),
    ]
    joint = method("mmotifs", "length", "radius", univariate=False)
    assert [s["radius"] for s in settings_for(joint, WIDE)] == [1.5]


def test_given_fields_replace_axes():
    fixed = {"channel": 2, "window": 16}
    settings = settings_for(GV, WIDE, fixed=fixed)
    assert axis(settings, "channel") == [2]
    assert axis(settings, "window") == [16]
    assert len(settings) == 2 * 4
    with pytest.raises(InputError, match="channel must be below 3"):
        settings_for(GV, WIDE, fixed={"channel": 3})


def test_a_file_overrides_the_grid_and_a_class_names_its_own():
    file = {"gv_sequitur": {"window": [8], "alphabet_size": [3, 5]}}
    settings = settings_for(GV, FACTS, grid=file)
    assert settings == [
        {"window": 8, "alphabet_size": 3},
        {"window": 8, "alphabet_size": 5},
    ]
    own = method("mine", "depth", grid={"depth": [1, 2]})
    assert settings_for(own, FACTS) == [{"depth": 1}, {"depth": 2}]
    computed = method("mine", "depth", grid=lambda facts: {"depth": [facts.length]})
    computed.cls.grid = staticmethod(computed.cls.grid)
    assert settings_for(computed, FACTS) == [{"depth": 20}]
    with pytest.raises(InputError, match="grid of mine names 'dept'; its fields are"):
        settings_for(own, FACTS, grid={"mine": {"dept": [1]}})
    with pytest.raises(InputError, match="needs a list of values for 'depth', got 3"):
        settings_for(own, FACTS, grid={"mine": {"depth": 3}})


def test_without_a_search_required_fields_are_in_the_middle():
    required = ("window", "word_length", "alphabet_size")
    gv = dataclasses.replace(GV, parameters=required)
    assert untuned(gv, FACTS) == {"window": 32, "word_length": 8, "alphabet_size": 8}
    assert untuned(gv, FACTS, {"window": 8}) == {
        "window": 8,
        "word_length": 4,
        "alphabet_size": 8,
    }


def test_methods_are_described_by_their_fields():
    mock = describe("tests.experiments.mock_methods:Mock")
    assert mock.fields == ("length", "max_sets")
    assert not mock.shares_work
    assert complete(mock, {"length": 5}) == {"length": 5, "max_sets": None}
    assert describe("tests.experiments.mock_methods:Chooser").shares_work
    plain = describe("tests.experiments.mock_methods:Plain")
    assert (plain.version, plain.univariate, plain.cls) == ("7.1", True, Plain)
    assert mock.cls is Mock
    with pytest.raises(InputError, match=r"needs seconds, .* --params FILE"):
        complete(dataclasses.replace(mock, parameters=("seconds",)), {})


@pytest.mark.parametrize("which", PRESETS)
def test_grids_are_those_of_the_published_searches(which):
    """The shipped surfaces name every setting that was tried, in order."""
    store, params = load_baselines(which), preset_params(which)
    surfaces = sorted((store.path / "tuning").glob("*.parquet"))
    assert len(surfaces) > 90
    for file in surfaces:
        rows = pq.read_table(file, columns=["dataset", "method", "parameters"])
        dataset, name = rows["dataset"][0].as_py(), rows["method"][0].as_py()
        kept = store.manifest["datasets"][dataset]["facts"]
        facts = DataFacts(**{**kept, "channel_radius": tuple(kept["channel_radius"])})
        settings = settings_for(
            describe(name), facts, fixed=params.get(name), grid=GRIDS[which]
        )
        tried = [json.loads(text) for text in rows["parameters"].to_pylist()]
        for one in settings:  # a field that is younger than the published searches
            one.pop("constant", None)
        assert [{f: one[f] for f in settings[0]} for one in tried] == settings, file


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
        by_truth = with_truth(name)
        assert uses_truth(by_truth)
        assert not uses_truth(name)
        assert without_protocol(by_truth) == name
        assert with_truth(by_truth) == by_truth
    assert runs_code("recordings:folder")
    assert runs_code("my.module:problems")


def test_problems_are_those_of_the_dataset():
    plain = load_problems("JapaneseVowels", "test", 3)
    by_truth = load_problems("JapaneseVowels?protocol=pvldb", "test", 3)
    assert [p.name for p in plain] == [p.name for p in by_truth]
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

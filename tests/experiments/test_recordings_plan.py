"""Recordings as datasets of experiments, and the report's way to their series."""

import json

import numpy as np
import pytest

from tsmdbench.benchmark import SPLITS, load_recordings, write_benchmarks
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments import run
from tsmdbench.experiments.sources import by_protocol
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.tasks import Plan
from tsmdbench.report.explorer import SeriesSource

STEPS = {"step": [[10, 50], [100, 141], [210, 250]]}


def fill(folder, names, **options):
    """Write recordings, build problems from them and return the dataset."""
    folder.mkdir()
    for place, name in enumerate(names):
        series = np.random.default_rng(place).normal(size=300).round(3)
        np.savetxt(folder / f"{name}.csv", series)
        (folder / f"{name}.truth.json").write_text(json.dumps(STEPS))
    splits = [load_recordings(folder, split, **options) for split in SPLITS]
    built = folder.parent / "built"
    write_benchmarks([one for one in splits if len(one)], built)
    return f"{built}/{folder.name}"


def test_settings_come_from_other_recordings(tmp_path):
    dataset = fill(tmp_path / "walks", "abc")
    plan = Plan(Specification((dataset,), ("stomp",)))
    plan.check()
    first, second = plan.runs({})
    assert first.settings == second.settings
    assert first.settings[0]["length"] == 40
    assert first.settings[0]["max_sets"] == 1
    names = [task.runs[0].problem for task in (first, second)]
    assert all(name.startswith("walks/test/") for name in names)


def test_a_single_recording_needs_parameters(tmp_path):
    dataset = fill(tmp_path / "one", "a")
    with pytest.raises(InputError, match="stomp needs length"):
        Plan(Specification((dataset,), ("stomp",))).check()
    with pytest.raises(InputError, match="none is left to tune on"):
        Plan(Specification((dataset,), ("stomp",), tune=True))
    given = Specification((dataset,), ("stomp",), params={"stomp": {"length": 33}})
    plan = Plan(given)
    plan.check()
    (task,) = plan.runs({})
    assert (task.runs[0].problem, task.settings[0]["length"]) == ("one/test/a", 33)
    assert list(plan.facts.values()) == [None]
    assert plan.planned == 1


def test_the_truth_of_each_problem_gives_its_settings(tmp_path):
    datasets = by_protocol([fill(tmp_path / "walks", "abc")], "pvldb")
    plan = Plan(Specification(datasets, ("stomp", "pepa")))
    plan.check()
    tasks = plan.runs({})
    assert plan.planned == 4
    assert [task.settings[0]["length"] for task in tasks] == [40] * 4
    assert all(task.runs[0].problem.startswith("walks/test/") for task in tasks)
    assert len({task.runs[0].key for task in tasks}) == 4


def test_what_a_store_names_is_imported_with_trust_only():
    named = ("recordings:walks", "my:problems"), ("stomp", "recordings:C")
    assert set(Specification(*named).imports) == {*named[0], "recordings:C"}


@pytest.mark.parametrize(("protocol", "piece"), [("validation", 150), ("pvldb", None)])
def test_the_report_has_the_series(tmp_path, protocol, piece):
    datasets = by_protocol([fill(tmp_path / "walks", "abc", piece=piece)], protocol)
    asked = Specification(datasets, ("stomp",))
    source = SeriesSource(asked.datasets[0], "test", asked.folders)
    assert source.reason == ""
    for problem in Plan(asked).problems[asked.datasets[0], "test"]:
        np.testing.assert_array_equal(source.get(problem.name), problem.series)


def test_the_report_says_why_a_series_is_missing(tmp_path):
    for folders in ({}, {"gone@12ab": str(tmp_path)}):
        source = SeriesSource("gone@12ab", "test", folders)
        assert "gone" in source.reason
        assert source.get("anything") is None


@pytest.mark.parametrize(
    ("dataset", "message"),
    [
        ("recordings:walks?piece=30s", "build --from walks --out problems'.*s/walks"),
        ("Symbols?seed=1", "build Symbols --seed 1 .*{'name': 'Symbols', 'seed': 1}"),
        ({"name": "Symbols", "pieces": 3}, "no option 'pieces'"),
        ({"seed": 1}, "a dataset is a name, or a mapping with 'name'"),
        (3, "a dataset is a name"),
    ],
)
def test_options_are_not_part_of_a_name(dataset, message, tmp_path):
    with pytest.raises(InputError, match=message):
        run("stomp", [dataset], tmp_path / "store", workers=0)
    assert not (tmp_path / "store").exists()
    if isinstance(dataset, str):
        arguments = ["run", "--dataset", dataset, "--method", "stomp"]
        assert main([*arguments, "--out", str(tmp_path / "store")]) == 2

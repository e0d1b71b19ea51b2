"""Recordings as datasets of experiments, and the report's way to their series."""

import json

import numpy as np
import pytest

from tsmdbench.errors import InputError
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.tasks import Plan
from tsmdbench.report.page.sources import SeriesSource

STEPS = {"step": [[10, 50], [100, 141], [210, 250]]}


def fill(folder, names):
    folder.mkdir()
    for place, name in enumerate(names):
        series = np.random.default_rng(place).normal(size=300).round(3)
        np.savetxt(folder / f"{name}.csv", series)
        (folder / f"{name}.truth.json").write_text(json.dumps(STEPS))
    return f"recordings:{folder}"


def settings(plan):
    return [(g.dataset, g.names, g.settings) for g in plan.runs([])]


def test_settings_come_from_other_recordings(tmp_path):
    dataset = fill(tmp_path / "walks", "abc")
    plan = Plan(Specification((dataset,), ("stomp",)))
    plan.check()
    ((_, names, (setting,)),) = settings(plan)
    assert setting["length"] == 40
    assert setting["max_sets"] == 1
    assert len(names) == 2
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
    ((_, names, (setting,)),) = settings(plan)
    assert (names, setting["length"]) == (("one/test/a",), 33)
    assert plan.about_data()[dataset]["facts"] is None
    assert plan.planned == 1


def test_the_truth_of_each_problem_makes_a_group(tmp_path):
    dataset = fill(tmp_path / "walks", "abc") + "?protocol=pvldb"
    plan = Plan(Specification((dataset,), ("stomp", "pepa")))
    plan.check()
    groups = plan.runs([])
    assert len(groups) == plan.planned == 4
    for group in groups:
        assert group.size == 1
        assert len(group.digests) == 1
        assert group.settings[0]["length"] == 40
        assert group.names[0].startswith("walks/test/")
    assert len({group.run(0, 0).key for group in groups}) == 4


def test_no_trust_is_needed_for_recordings():
    asked = Specification(("recordings:walks", "my:problems"), ("stomp", "my:Method"))
    assert asked.imports == ("my:problems", "my:Method")


@pytest.mark.parametrize("ending", ["", "?protocol=pvldb", "?piece=150"])
def test_the_report_has_the_series(tmp_path, ending):
    dataset = fill(tmp_path / "walks", "abc") + ending
    plan = Plan(Specification((dataset,), ("stomp",)))
    source = SeriesSource(dataset, "test")
    assert source.reason == ""
    for group in plan.runs([]):
        for name, problem in zip(group.names, group.problems, strict=True):
            np.testing.assert_array_equal(source.get(name), problem.series)


def test_the_report_says_why_a_series_is_missing(tmp_path):
    source = SeriesSource(f"recordings:{tmp_path / 'gone'}", "test")
    assert "is not a folder" in source.reason
    assert source.get("anything") is None


@pytest.mark.parametrize(
    ("ending", "message"),
    [("?pieces=3s", "no option 'pieces'"), ("?seed=x", "must be a number")],
)
def test_bad_options_of_names(tmp_path, ending, message):
    dataset = fill(tmp_path / "walks", "ab") + ending
    with pytest.raises(InputError, match=message):
        Plan(Specification((dataset,), ("stomp",)))

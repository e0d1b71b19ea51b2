"""The speed of a machine: measured once, noted, and read with care."""

import numpy as np
import pytest

from tsmdbench._kernels.calibration import sliding_distances
from tsmdbench.experiments import specification as calibration
from tsmdbench.experiments.specification import (
    is_mixed,
    joint_machines,
    machine_name,
    note_machine,
    speed_of,
)


def machines(*seconds, kernel=1):
    entries = {f"m{n}": {"kernel": kernel, "seconds": s} for n, s in enumerate(seconds)}
    return {"machines": entries}


def test_the_kernel_does_the_work_that_it_is_said_to_do():
    x = np.random.default_rng(0).normal(size=12)
    windows = np.lib.stride_tricks.sliding_window_view(x, 4)
    expected = sum(
        np.linalg.norm(windows[i] - windows[j])
        for i in range(len(windows))
        for j in range(i, len(windows))
    )
    assert sliding_distances(x, 4) == pytest.approx(expected)


def test_a_machine_is_noted_once(monkeypatch):
    spent = iter([0.25, 0.5])
    monkeypatch.setattr(calibration, "kernel_seconds", lambda: next(spent))
    manifest = {}
    note_machine(manifest)
    note_machine(manifest)
    assert manifest["machines"] == {machine_name(): {"kernel": 1, "seconds": 0.25}}
    assert speed_of(manifest) == 0.25


def test_workers_elsewhere_have_no_known_speed(monkeypatch):
    monkeypatch.setattr(calibration, "kernel_seconds", lambda: 0.25)
    manifest = {}
    note_machine(manifest, elsewhere=True)
    assert speed_of(manifest) is None
    assert is_mixed(manifest)
    note_machine(manifest)
    assert speed_of(manifest) is None


@pytest.mark.parametrize(
    "manifest",
    [
        {},
        {"machines": {}},
        {"machines": [1]},
        {"machines": {"a": 3}},
        machines(0.0),
        machines(-1.0),
        machines(float("nan")),
        machines("fast"),
        machines(True),
        machines(0.1, kernel=2),
        machines(0.1, 0.2),
    ],
)
def test_an_unknown_or_mixed_speed_is_none(manifest):
    assert speed_of(manifest) is None


def test_machines_of_about_the_same_speed_are_one():
    assert speed_of(machines(0.100, 0.104)) == pytest.approx(0.102)
    assert not is_mixed(machines(0.100, 0.104))
    assert not is_mixed({})


def test_several_stores_are_known_only_together():
    assert joint_machines([machines(0.1), {}]) == {}
    assert speed_of(joint_machines([machines(0.1), machines(0.1)])) == 0.1

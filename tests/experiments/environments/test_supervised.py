"""A run in another environment ends like one in ours: result, error, limit, death."""

import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from tsmdbench.experiments.environments.environment import Environment
from tsmdbench.experiments.execution.supervisor import Supervisor
from tsmdbench.experiments.execution.task import Task
from tsmdbench.experiments.limits import Limits

FILE = str(Path(__file__).with_name("foreign_methods.py"))
SERIES = np.sin(np.arange(200.0))
HERE = Environment(python=sys.executable)  # an interpreter that has NumPy
# Long enough for a machine that does other things too: only failures wait for them.
LIMITS = Limits(seconds=60.0, memory=400 * 2**20, grace=60.0, max_motifs=1000)
PAIR = [[[0, 5], [5, 10]]]


@pytest.fixture(scope="module")
def supervisor():
    made = Supervisor(LIMITS)
    yield made
    made.stop()


def outcome(supervisor, method, **setting):
    job = Task(f"{FILE}:{method}", (setting,), SERIES, environment=HERE)
    ((result,),) = supervisor.run([job])
    return result


def test_a_method_elsewhere_is_found_and_measured(supervisor):
    result = outcome(supervisor, "Plain", length=10)
    start = int(np.argmax(SERIES)) % 180
    expected = [[[start, start + 10], [start + 10, start + 20]]]
    assert (result.status, result.message, result.found) == ("ok", "", expected)
    # The clock runs around `find`, not around the exchange.
    assert 0 < result.seconds < 0.5
    assert 0 <= result.cpu_seconds < 0.05
    assert 10 * 2**20 < result.peak_memory < LIMITS.memory


def test_series_arrive_with_every_bit_and_shape(supervisor):
    rng = np.random.default_rng(1)
    wide = np.asfortranarray(rng.normal(size=(100, 3)))
    job = Task(f"{FILE}:Plain", ({"length": 5},), wide, environment=HERE)
    ((result,),) = supervisor.run([job])
    assert result.found[0][0][0] == int(np.argmax(wide)) % 90


def test_what_a_method_raises_is_an_error_with_its_place(supervisor):
    result = outcome(supervisor, "Raises")
    assert (result.status, result.found) == ("error", [])
    assert result.message.startswith("ZeroDivisionError: series of 200? [")
    assert "in find" in result.message
    assert "in _inner" in result.message
    assert str(Path(FILE).parent) not in result.message


def test_settings_that_a_method_refuses_are_an_error(supervisor):
    result = outcome(supervisor, "Plain", length=1)
    assert result.status == "error"
    assert "length must be at least 2, got 1" in result.message


@pytest.mark.parametrize(
    ("method", "status", "message"),
    [
        ("NoMemory", "memory", "MemoryError: no more"),
        ("Quits", "error", "SystemExit: 4"),
        ("Killed", "error", "other environment was killed by signal SIGKILL"),
        ("Changes", "error", "changed the series that it was given"),
        ("Hog", "memory", "more than the limit of 400 MiB"),
        ("Huge", "error", "see the limit of motifs (--max-motifs)"),
    ],
)
def test_failures_are_outcomes(supervisor, method, status, message):
    result = outcome(supervisor, method)
    assert (result.status, result.found) == (status, [])
    assert message in result.message


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("none", "what the method returned"),
        ("text", "the method returned a string"),
        ("nan", "what the method returned"),
        ("far", "what the method returned"),
        ("object", "is not a number, a text or a list of them"),
        ("digits", "Exceeds the limit"),
    ],
)
def test_nonsense_is_an_error(supervisor, what, message):
    result = outcome(supervisor, "Returns", what=what)
    assert (result.status, result.found) == ("error", [])
    assert message in result.message


def test_labelled_sets_are_read_like_ours(supervisor):
    assert outcome(supervisor, "Returns", what="dict").found == PAIR


def test_more_motifs_than_allowed_are_an_error():
    small = Supervisor(Limits(seconds=60.0, memory=400 * 2**20, max_motifs=5))
    result = outcome(small, "Many")
    small.stop()
    assert result.status == "error"
    assert "more than the limit of 5" in result.message


@pytest.mark.slow
def test_a_hanging_run_is_ended_with_everything_it_started(tmp_path):
    hanging = Supervisor(Limits(seconds=0.5, memory=400 * 2**20, grace=20.0))
    result = outcome(hanging, "Hangs", file=str(tmp_path / "pid"))
    assert result.status == "timeout"
    hanging.stop()
    runner = int((tmp_path / "pid").read_text())
    # It sees that its parent is gone, which takes a moment.
    deadline = time.monotonic() + 30
    while _runs(runner) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _runs(runner)


def _runs(pid):
    """Tell whether a process computes; one that nobody has asked about may be dead."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_death_in_a_used_process_is_judged_in_a_fresh_one():
    # Two runs warm the process up; the third dies there, and is well in a new one.
    fresh = Supervisor(LIMITS)
    results = [outcome(fresh, "DiesSecond") for _ in range(2)]
    fresh.stop()
    assert [r.status for r in results] == ["ok", "ok"]


def test_memory_that_a_method_keeps_does_not_fail_the_next_run():
    keeping = Supervisor(Limits(seconds=60.0, memory=800 * 2**20, grace=20.0))
    results = [outcome(keeping, "Keeps") for _ in range(3)]
    keeping.stop()
    assert [r.status for r in results] == ["ok"] * 3


def test_a_forked_copy_has_no_say(supervisor):
    assert outcome(supervisor, "Forks").found == PAIR


def test_stray_bytes_are_noticed(supervisor):
    result = outcome(supervisor, "WritesEverywhere")
    assert result.status == "error"
    assert "damaged" in result.message or "exited" in result.message
    assert outcome(supervisor, "Plain", length=10).status == "ok"

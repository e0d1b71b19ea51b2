"""A run that hangs, leaks, crashes or raises is an outcome, and harms no other."""

import os
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from tests.experiments import mock_methods as mocks
from tsmdbench.errors import ExperimentError
from tsmdbench.experiments.execution.supervisor import Supervisor
from tsmdbench.experiments.execution.task import Task
from tsmdbench.experiments.limits import Limits

SERIES = np.sin(np.arange(200.0))
LIMITS = Limits(seconds=1.0, memory=400 * 2**20, grace=5.0)


@pytest.fixture(scope="module")
def shared():
    supervisor = Supervisor(LIMITS)
    yield supervisor
    supervisor.stop()


@pytest.fixture
def supervisor():
    made = Supervisor(Limits(seconds=1.0, memory=400 * 2**20, grace=1.0))
    yield made
    made.stop()


def job(method, *settings):
    """One job, as a list: what `Supervisor.run` takes."""
    name = f"tests.experiments.mock_methods:{method}"
    return [Task(name, settings or ({},), SERIES)]


def found(method, **fields):
    sets = getattr(mocks, method)(**fields).find(SERIES)
    return [motifs.segments.tolist() for motifs in sets]


def child_of(supervisor):
    return supervisor._child._process.pid


def test_a_run_that_ends_well(shared):
    ((outcome,),) = shared.run(job("Mock", {"length": 12}))
    assert (outcome.status, outcome.message, outcome.shared) == ("ok", "", 1)
    assert outcome.found == found("Mock", length=12)
    assert 0 < outcome.seconds < 0.5
    assert 20 * 2**20 < outcome.peak_memory < LIMITS.memory


def test_a_class_that_is_not_ours_works(shared):
    ((outcome,),) = shared.run(job("Plain", {"length": 7}))
    assert outcome.found == [list(map(list, mocks.Plain(7).find(SERIES)[0]))]


@pytest.mark.parametrize(
    ("method", "fields", "status", "message"),
    [
        ("Crasher", {"how": "segfault"}, "error", "SIGSEGV"),
        ("Crasher", {"how": "abort"}, "error", "SIGABRT"),
        # As if somebody had killed it: by SIGKILL, which tells nobody who sent it.
        ("Crasher", {"how": "kill"}, "killed", "SIGKILL"),
        ("Crasher", {"how": "_exit"}, "error", "exited with status 3"),
        ("Crasher", {"how": "exit"}, "error", "SystemExit: sys.exit was called"),
        ("Raiser", {}, "error", "RuntimeError: not in the mood"),
        ("Raiser", {"no": 1}, "error", "unexpected keyword argument 'no'"),
        ("Liar", {"what": "beyond"}, "error", "ends beyond the series"),
        ("Liar", {"what": "none"}, "error", "what the method returned must be"),
        ("Liar", {"what": "reversed"}, "error", "what the method returned"),
        ("Liar", {"what": "text"}, "error", "the method returned a string"),
        ("Missing", {}, "error", "has no 'Missing'"),
        ("Hog", {}, "memory", "more than the limit of 400 MiB"),
    ],
)
def test_a_run_that_fails_is_an_outcome(shared, method, fields, status, message):
    ((outcome,),) = shared.run(job(method, fields))
    assert outcome.status == status
    assert message in outcome.message
    assert outcome.found == []
    ((after,),) = shared.run(job("Mock"))
    assert after.status == "ok"


@pytest.mark.parametrize(
    ("method", "fields"),
    [
        ("Sleeper", {"seconds": 3600.0}),
        ("Looper", {"gil": True}),
        pytest.param("Looper", {"gil": False}, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_hangs_is_ended_also_in_compiled_code(supervisor, method, fields):
    ((outcome,),) = supervisor.run(job(method, fields))
    assert outcome.status == "timeout"
    assert outcome.seconds == pytest.approx(1.0)
    assert "more than the limit of 1 s" in outcome.message
    assert supervisor._child is None


def test_good_and_bad_runs_of_a_batch_each_get_their_outcome(shared):
    methods = ["Mock", "Raiser", "Crasher", "Plain", "Looper", "Mock"]
    batch = [job(method)[0] for method in methods]
    outcomes = [outcome for (outcome,) in shared.run(batch)]
    statuses = ["ok", "error", "error", "ok", "timeout", "ok"]
    assert [outcome.status for outcome in outcomes] == statuses
    assert outcomes[5].found == found("Mock")


def test_the_child_is_kept_between_runs(shared):
    shared.run(job("Mock"))
    before = child_of(shared)
    shared.run(job("Raiser"))
    shared.run(job("Printer"))
    assert child_of(shared) == before


def test_compilation_is_not_counted(shared):
    ((outcome,),) = shared.run(job("Compiler", {"seconds": 1.5}))
    assert outcome.status == "ok"
    assert outcome.seconds < 0.5


def test_a_leak_does_not_harm_the_runs_after_it(shared):
    leaks = [job("Leaker", {"mebibytes": 100})[0] for _ in range(4)]
    outcomes = [outcome for (outcome,) in shared.run(leaks)]
    assert [outcome.status for outcome in outcomes] == ["ok"] * 4


def test_the_peak_is_that_of_the_run_not_of_one_before(shared):
    ((large,),) = shared.run(job("Hog", {"mebibytes": 150}))
    ((small,),) = shared.run(job("Hog", {"mebibytes": 1}))
    assert large.peak_memory - small.peak_memory > 100 * 2**20


def test_a_sweep_gives_each_setting_its_own_outcome(shared):
    settings = [{"level": level} for level in range(8)]
    (outcomes,) = shared.run(job("Chooser", *settings))
    assert [o.found for o in outcomes] == [found("Chooser", **s) for s in settings]
    assert {o.shared for o in outcomes} == {8}
    settings[5]["bad"] = "raise"
    settings[6]["bad"] = "crash"
    (outcomes,) = shared.run(job("Chooser", *settings))
    assert [o.status for o in outcomes] == ["ok"] * 5 + ["error"] * 2 + ["ok"]
    assert outcomes[4].found == found("Chooser", level=4)
    assert "a bad setting" in outcomes[5].message
    assert "SIGSEGV" in outcomes[6].message


@pytest.mark.slow
def test_one_setting_that_hangs_does_not_take_the_others_with_it(supervisor):
    settings = [{"level": 0}, {"level": 1, "bad": "hang"}, {"level": 2}]
    (outcomes,) = supervisor.run(job("Chooser", *settings))
    assert [o.status for o in outcomes] == ["ok", "timeout", "ok"]


def test_a_child_that_was_killed_between_runs_is_replaced(shared):
    shared.run(job("Mock"))
    os.kill(child_of(shared), 9)
    ((outcome,),) = shared.run(job("Mock"))
    assert outcome.status == "ok"


def test_a_child_that_does_not_start_is_a_clear_error(supervisor, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ExperimentError, match="not start: exited with status 1"):
        supervisor.run(job("Mock"))
    monkeypatch.undo()
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(
        "tsmdbench.experiments.execution.supervisor.MODULE", "tsmdbench.no"
    )
    with pytest.raises(ExperimentError, match=r"not start: .*tsmdbench"):
        supervisor.run(job("Mock"))


def test_the_child_ends_with_its_parent():
    code = (
        "import sys, numpy, os, signal, threading, time\n"
        "from tsmdbench.experiments.execution.task import Task\n"
        "from tsmdbench.experiments.limits import Limits\n"
        "from tsmdbench.experiments.execution.supervisor import Supervisor\n"
        "s = Supervisor(Limits())\n"
        "method = 'tests.experiments.mock_methods:'\n"
        "s.run([Task(method + 'Mock', ({},), numpy.arange(200.0))])\n"
        "print(s._child._process.pid, flush=True)\n"
        "s.run([Task(method + 'Looper', ({},), numpy.arange(200.0))])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as run:
        child = psutil.Process(int(run.stdout.readline()))
        time.sleep(1.0)
        assert child.is_running()
        run.kill()
        run.wait()
        child.wait(timeout=10)


def test_processor_time_is_told_apart_from_time(shared):
    ((slept,),) = shared.run(job("Sleeper", {"seconds": 0.3}))
    ((worked,),) = shared.run(job("Worker", {"seconds": 0.3}))
    assert slept.seconds >= 0.3 > 0.15 > slept.cpu_seconds
    assert worked.seconds + 0.05 >= worked.cpu_seconds >= 0.25

"""A run that hangs, leaks, crashes, forks, scribbles or raises harms no other run."""

import dataclasses
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from tests.experiments import mock_methods as mocks
from tests.experiments import plain_methods as plain
from tsmdbench.errors import ExperimentError
from tsmdbench.experiments import Environment, Limits, child
from tsmdbench.experiments.engine import AbandonedError, Supervisor
from tsmdbench.experiments.tasks import Task

SERIES = np.sin(np.arange(200.0)) + np.arange(200.0) % 7
LIMITS = Limits(seconds=20.0, memory=400 * 2**20, grace=40.0, max_motifs=1000)
SHORT = Limits(seconds=1.0, memory=400 * 2**20, grace=1.0)
MOCKS = "tests.experiments.mock_methods:"
PLAIN = "tests.experiments.plain_methods:"
OTHER = Environment(python=sys.executable)  # an interpreter that has NumPy
PLACES = pytest.mark.parametrize("place", [None, OTHER], ids=["ours", "other"])
PAIR = [[[0, 5], [5, 10]]]
BAD = [("Ends", {"how": "abort"}), ("Hog", {})]


@pytest.fixture(scope="module")
def shared():
    supervisor = Supervisor(LIMITS)
    yield supervisor
    supervisor.stop()


@pytest.fixture
def short():
    """A supervisor with a short time limit."""
    made = Supervisor(SHORT)
    yield made
    made.stop()


@pytest.fixture
def fresh():
    made = Supervisor(LIMITS)
    yield made
    made.stop()


def task(method, *settings):
    return Task(MOCKS + method, settings or ({},), SERIES)


def outcomes(supervisor, *tasks):
    """The outcomes of tasks that have one setting each."""
    return [outcome for (outcome,) in supervisor.run(tasks)]


def outcome(supervisor, method, place=None, **setting):
    """The outcome of a plain class, in our or in another environment."""
    name = f"{PLAIN}{method}" if place is None else f"{plain.__file__}:{method}"
    (found,) = outcomes(supervisor, Task(name, (setting,), SERIES, environment=place))
    return found


def found(method, **fields):
    sets = getattr(mocks, method)(**fields).find(SERIES.copy())
    return [np.asarray(motifs).tolist() for motifs in sets]


def alive(pid):
    """Whether a process runs; one that was not waited for may be dead."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until_gone(pid):
    end = time.monotonic() + 30
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(pid)


@PLACES
def test_a_run_is_found_and_measured(shared, place):
    result = outcome(shared, "Plain", place, length=10)
    start = int(np.argmax(SERIES)) % 180
    expected = [[[start, start + 10], [start + 10, start + 20]]]
    assert (result.status, result.message, result.found) == ("ok", "", expected)
    assert result.shared == 1
    # The clock runs around `find`, not around the exchange.
    assert 0 < result.seconds < 0.5
    assert 0 <= result.cpu_seconds < 0.05
    assert 10 * 2**20 < result.peak_memory < LIMITS.memory


@PLACES
def test_series_and_settings_arrive_as_they_are(shared, place):
    wide = np.asfortranarray(np.random.default_rng(1).normal(size=(100, 3)))
    name = f"{PLAIN}Plain" if place is None else f"{plain.__file__}:Plain"
    (result,) = outcomes(shared, Task(name, ({"length": 5},), wide, environment=place))
    assert result.found[0][0][0] == int(np.argmax(wide)) % 90
    setting = {"pair": (1, (2,)), "list": [np.float64(0.5)], "far": np.inf, "no": None}
    result = outcome(shared, "Echo", place, **setting)
    assert (
        result.message
        == f"KeyError: {repr(setting).replace('np.float64(0.5)', '0.5')!r}"
    )


CASES = [
    ("Plain", {"length": 1}, "error", "length must be at least 2, got 1"),
    ("Plain", {"no": 1}, "error", "unexpected keyword argument 'no'"),
    ("Ends", {"how": "memory"}, "memory", "MemoryError: no more"),
    ("Ends", {"how": "exit"}, "error", "SystemExit: 4"),
    ("Ends", {"how": "interrupt"}, "error", "KeyboardInterrupt: "),
    # As if somebody had killed it: SIGKILL does not say who sent it.
    ("Ends", {"how": "kill"}, "killed", "SIGKILL"),
    ("Ends", {"how": "segfault"}, "error", "SIGSEGV"),
    ("Ends", {"how": "_exit"}, "error", "exited with status 3"),
    ("Ends", {"how": "close"}, "error", "the computing process"),
    ("Changes", {"how": "sort"}, "error", "changed the series that it was given"),
    ("Changes", {"how": "one"}, "error", "changed the series that it was given"),
    ("Changes", {"how": "shape"}, "error", "changed the series that it was given"),
    ("Hog", {}, "memory", "more than the limit of 400 MiB"),
    ("Many", {"count": 600}, "error", "600 sets with 600 motifs, more than the"),
    ("Huge", {}, "error", "(--max-motifs)"),
    ("Surrogate", {}, "error", "RuntimeError: caf\\udcc3 \\ud800"),
    ("Unspeakable", {}, "error", "MuteError, whose text cannot be read"),
    ("Returns", {"what": "none"}, "error", "what the method returned"),
    ("Returns", {"what": "text"}, "error", "the method returned a string"),
    ("Returns", {"what": "nan"}, "error", "what the method returned"),
    ("Returns", {"what": "far"}, "error", "what the method returned"),
    ("Returns", {"what": "reversed"}, "error", "what the method returned"),
    ("Returns", {"what": "object"}, "error", ""),
    ("Returns", {"what": "digits"}, "error", ""),
    ("Nowhere", {}, "error", "has no 'Nowhere'"),
]
# The life of the process is the same everywhere; reading and importing are not.
READ = ("Plain", "Many", "Surrogate", "Unspeakable", "Returns", "Nowhere")


@pytest.mark.parametrize(
    ("place", "method", "setting", "status", "message"),
    [
        *((None, *case) for case in CASES),
        *((OTHER, *case) for case in CASES if case[0] in READ),
    ],
)
def test_a_run_that_fails_is_an_outcome(
    shared, place, method, setting, status, message, monkeypatch
):
    monkeypatch.setattr("tsmdbench.experiments.engine.ATTEMPTS", 2)
    result = outcome(shared, method, place, **setting)
    assert (result.status, result.found) == (status, [])
    assert message in result.message
    result.message.encode()
    assert outcome(shared, "Plain", place, length=10).status == "ok"


@PLACES
def test_an_exception_is_stored_with_its_place(shared, place):
    result = outcome(shared, "Raises", place)
    assert result.message == "ZeroDivisionError: series of 200\\udcff"
    last = result.traceback.splitlines()
    assert "in find: return self._inner(series)" in last[-2]
    assert "plain_methods.py" in last[-1]
    assert "in _inner" in last[-1]
    assert str(Path(plain.__file__).parents[1]) not in result.traceback


@PLACES
def test_labelled_and_late_results_are_read_and_timed(shared, place):
    assert outcome(shared, "Returns", place, what="dict").found == PAIR
    for inner in (False, True):
        result = outcome(shared, "Lazy", place, inner=inner)
        assert (result.status, result.found) == ("ok", [[[0, 10]]])
        assert result.seconds >= 0.2


@PLACES
def test_a_run_that_takes_too_long_is_ended(short, place):
    result = outcome(short, "Sleeps", place)
    assert (result.status, result.seconds) == ("timeout", pytest.approx(1.0))
    assert result.message == "the run took more than the limit of 1 s"
    assert short.process is None


@pytest.mark.parametrize("gil", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_run_that_hangs_in_compiled_code_is_ended(short, gil):
    (result,) = outcomes(short, task("Looper", {"gil": gil}))
    assert (result.status, result.seconds) == ("timeout", pytest.approx(1.0))


def test_good_and_bad_runs_of_a_batch_each_get_their_outcome(shared):
    ends, hog = (Task(PLAIN + name, (setting,), SERIES) for name, setting in BAD)
    batch = [task("Mock"), task("Raiser"), ends, task("Plain"), hog, task("Printer")]
    batch.append(task("Mock"))
    results = outcomes(shared, *batch)
    statuses = ["ok", "error", "error", "ok", "memory", "ok", "ok"]
    assert [result.status for result in results] == statuses
    assert "SIGABRT" in results[2].message
    assert results[-1].found == found("Mock")


def test_the_process_is_kept_and_replaced_when_it_was_killed(shared):
    outcomes(shared, task("Mock"))
    before = shared.process.pid
    outcomes(shared, task("Raiser"), task("Printer"), task("Mock"))
    assert shared.process.pid == before
    os.kill(before, 9)
    (result,) = outcomes(shared, task("Mock"))
    assert result.status == "ok"
    assert shared.process.pid != before


def test_runs_that_are_sent_ahead_get_their_own_answers(fresh):
    """Many tasks of one method, of which some crash, leak or raise."""
    names = ["", "raise", "", "crash", "", "", "raise", "", "", ""] * 2
    series = [SERIES + number for number in range(3)]
    tasks = [
        Task(MOCKS + "Chooser", ({"level": n, "bad": bad},), series[n // 5 % 3])
        for n, bad in enumerate(names)
    ]
    results = outcomes(fresh, *tasks)
    assert [r.status for r in results] == ["error" if bad else "ok" for bad in names]
    for one, result in zip(tasks, results, strict=True):
        if result.status == "ok":
            (setting,) = one.settings
            sets = mocks.Chooser(**setting).find(one.series)
            assert result.found == [motifs.segments.tolist() for motifs in sets]


def test_compilation_is_not_counted_and_processor_time_is_its_own(shared):
    compiled, slept, worked = outcomes(
        shared,
        task("Compiler", {"seconds": 1.5}),
        task("Sleeper", {"seconds": 0.3}),
        task("Worker", {"seconds": 0.3}),
    )
    assert compiled.status == "ok"
    assert compiled.seconds < 0.5
    assert slept.seconds >= 0.3 > 0.15 > slept.cpu_seconds
    assert worked.seconds + 0.05 >= worked.cpu_seconds >= 0.25


@pytest.mark.parametrize("late", [True, False])
def test_a_long_first_run_that_imports_numba_is_made_again(monkeypatch, late):
    """Only then: what it compiled could not be taken off its time."""
    calls = []

    class Late:
        def find(self, series):
            calls.append(len(series))
            if late:
                sys.modules["numba"] = sys
            return []

    monkeypatch.setattr("tsmdbench.experiments.child.REPEAT_BELOW", 0.0)
    for name in ("numba", "tsmdbench._kernels.jit"):
        monkeypatch.setitem(sys.modules, name, sys)  # to be put back
        monkeypatch.delitem(sys.modules, name)
    program = child.Program(None, ours=True, methods={"late": Late})
    assert program.find("late", [{}], SERIES)["found"] == [[]]
    assert len(calls) == 1 + late


def test_memory_that_a_method_keeps_does_not_fail_the_next_run(shared):
    results = [outcome(shared, "Keeps") for _ in range(4)]
    assert [result.status for result in results] == ["ok"] * 4


def test_the_peak_is_that_of_the_run_not_of_one_before(shared):
    large, small = (outcome(shared, "Hog", mebibytes=size) for size in (150, 1))
    assert large.peak_memory - small.peak_memory > 100 * 2**20


def test_a_death_in_a_used_process_is_judged_in_a_fresh_one(fresh):
    # Two runs warm the process up; the third dies there, and is well in a new one.
    results = [outcome(fresh, "DiesThird") for _ in range(3)]
    assert [result.status for result in results] == ["ok"] * 3


def test_a_sweep_gives_each_setting_its_own_outcome(shared):
    settings = [{"level": level} for level in range(8)]
    (results,) = shared.run([task("Chooser", *settings)])
    assert [r.found for r in results] == [found("Chooser", **s) for s in settings]
    assert {r.shared for r in results} == {8}
    settings[5]["bad"] = "raise"
    settings[6]["bad"] = "crash"
    (results,) = shared.run([task("Chooser", *settings)])
    assert [r.status for r in results] == ["ok"] * 5 + ["error"] * 2 + ["ok"]
    assert results[4].found == found("Chooser", level=4)
    assert "a bad setting" in results[5].message
    assert "SIGSEGV" in results[6].message
    settings = [{"length": 8, "how": "no"}, {"length": 9}, {"length": 10, "how": "no"}]
    (results,) = shared.run([Task(PLAIN + "Changes", tuple(settings), SERIES)])
    assert [r.status for r in results] == ["ok", "error", "ok"]
    ((pair,),) = plain.Changes(**settings[2]).find(SERIES.copy())
    assert results[2].found == [[list(pair)]]


@pytest.mark.slow
def test_one_setting_that_hangs_does_not_take_the_others_with_it():
    settings = [{"level": 0}, {"level": 1, "bad": "hang"}, {"level": 2}]
    # A new process imports within the grace, also on a machine that is busy.
    made = Supervisor(dataclasses.replace(SHORT, grace=15.0))
    (results,) = made.run([task("Chooser", *settings)])
    made.stop()
    assert [r.status for r in results] == ["ok", "timeout", "ok"]


@pytest.mark.parametrize("how", ["os", "libc"])
@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_the_answer_of_a_forked_copy_is_never_taken(shared, how, seconds):
    """The copy answers at once, or while another method runs."""
    batch = [task("Forker", {"how": how, "seconds": seconds})]
    batch += [task("Sleeper", {"length": n, "seconds": 0.1}) for n in (12, 13, 14, 15)]
    first, *others = outcomes(shared, *batch)
    assert first.status == "error" or first.found == found("Mock")
    for result, length in zip(others, (12, 13, 14, 15), strict=True):
        assert (result.status, result.found) == ("ok", found("Mock", length=length))


def test_a_copy_that_outlives_its_process_does_not_delay_the_error(shared):
    (result,) = outcomes(shared, task("Deserter"))
    assert (result.status, result.found) == ("error", [])
    assert "exited with status 4" in result.message


def test_writing_to_descriptors_is_an_error_of_who_did_it(shared):
    low = outcome(shared, "Writes", highest=1000)
    assert (low.status, low.found) == ("ok", PAIR)
    bad = outcome(shared, "Writes", highest=65536)
    assert bad.status == "error"
    assert "wrote to a file descriptor" in bad.message
    assert outcome(shared, "Plain", length=10).status == "ok"


def test_writing_to_descriptors_later_harms_no_other_method(shared):
    later = Task(PLAIN + "Writes", ({"seconds": 0.2},), SERIES)
    results = outcomes(shared, later, task("Sleeper", {"seconds": 0.5}), task("Mock"))
    assert [result.status for result in results] == ["ok"] * 3
    assert [result.found for result in results] == [PAIR, *[found("Mock")] * 2]


def test_what_a_method_started_ends_with_the_supervisor(fresh, tmp_path):
    fresh.run([task("Starter", {"file": str(tmp_path / "pids")})])
    started = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert all(map(alive, started))
    fresh.stop()
    for pid in started:
        wait_until_gone(pid)


def test_an_abandoned_run_is_ended():
    wanted = [True]
    made = Supervisor(Limits(seconds=60.0), lambda: wanted[0])
    outcomes(made, task("Mock"))
    process, wanted[0] = made.process, False
    with pytest.raises(AbandonedError):
        made.run([task("Sleeper", {"seconds": 30.0})])
    assert process.has_ended()


def test_a_process_that_does_not_start_is_a_clear_error(fresh, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(ExperimentError, match=r"not start: .*exited with status 1"):
        fresh.run([task("Mock")])


@PLACES
def test_the_process_ends_with_its_parent(place):
    name = f"{PLAIN}Sleeps" if place is None else f"{plain.__file__}:Sleeps"
    code = (
        "import sys, numpy\n"
        "from tsmdbench.experiments import Environment, Limits\n"
        "from tsmdbench.experiments.tasks import Task\n"
        "from tsmdbench.experiments.engine import Supervisor\n"
        "s, x = Supervisor(Limits()), numpy.arange(200.0)\n"
        f"place = Environment(sys.executable) if {place is not None} else None\n"
        f"s.run([Task({name!r}, ({{'seconds': 0}},), x, environment=place)])\n"
        "print(s.process.pid, flush=True)\n"
        f"s.run([Task({name!r}, ({{}},), x, environment=place)])\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as run:
        child = int(run.stdout.readline())
        time.sleep(0.5)
        was_alive = alive(child)
        run.kill()
        run.wait()
        assert was_alive
        wait_until_gone(child)

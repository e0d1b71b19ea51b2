"""Kill -9 of driver, workers and scheduler: nothing lost, nothing twice."""

import os
import signal
import subprocess
import time
from contextlib import suppress

import psutil
import pytest

from tests.experiments.driving import (
    MOCKS,
    PROBLEMS,
    asked,
    cluster,
    command,
    end,
    part_keys,
    rows_but_times,
    stored,
    wait_for,
)
from tsmdbench.errors import ExperimentError
from tsmdbench.experiments import Progress, running
from tsmdbench.experiments.running import resume, run_specification

pytestmark = pytest.mark.slow  # each starts and kills whole process trees

RUN = ("run", "--dataset", PROBLEMS + "many", "--method", MOCKS + "Sleeper")
COUNT = 40
SLOWLY = asked("Sleeper", dataset="many")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What a run that nobody disturbs stores."""
    path = tmp_path_factory.mktemp("expected") / "store"
    run_specification(SLOWLY, path, workers=2)
    return rows_but_times(path)


class Watcher(Progress):
    """Counts what was reported as stored, and does something when it is enough."""

    def __init__(self, enough, action):
        self.reported = 0
        self._enough, self._action = enough, action

    def advance(self, stored, _):
        self.reported += stored
        if self._action is not None and self.reported >= self._enough:
            action, self._action = self._action, None
            action()


@pytest.fixture
def often(monkeypatch):
    """Store after every run, so that a kill meets a store that is half full."""
    monkeypatch.setattr(running, "FLUSH", 0.0)
    monkeypatch.setattr("tsmdbench.experiments.tasks.TARGET", 0.01)


def test_a_killed_driver_loses_nothing_that_it_reported(tmp_path, expected):
    path = tmp_path / "store"
    slow = tmp_path / "slow.toml"
    slow.write_text(f'["{MOCKS}Sleeper"]\nseconds = 0.2\n')
    arguments = [*RUN, "--out", path, "--params", slow, "--workers", 2]
    process = command(*arguments, stderr=subprocess.DEVNULL)
    wait_for(lambda: stored(path) >= 5)
    process.kill()
    process.wait()
    before = part_keys(path)
    assert 5 <= len(before) < COUNT
    second = command("resume", path, "--trust", "--workers", 2, stdout=subprocess.PIPE)
    printed, _ = second.communicate()
    assert second.returncode == 0
    assert f"ran      {COUNT - len(before)} of {COUNT} runs" in printed
    assert f"skipped  {len(before)} (already stored)" in printed
    after = part_keys(path)
    assert len(after) == len(set(after)) == COUNT
    assert set(before) <= set(after)
    found = {row["problem"]: row["found"] for row in rows_but_times(path)}
    assert found == {row["problem"]: row["found"] for row in expected}


@pytest.mark.parametrize("moment", range(12))
def test_a_driver_killed_at_any_moment_can_be_resumed(tmp_path, expected, moment):
    """Kill the driver again and again, each time a little later."""
    path = tmp_path / "store"
    known = set()
    for attempt in range(3):
        process = command(*RUN, "--out", path, "--workers", 2, "--quiet")
        try:
            process.wait(timeout=1.0 + 0.35 * moment + 0.4 * attempt)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if stored(path):
            now = part_keys(path)
            assert len(now) == len(set(now))
            assert known <= set(now)
            known = set(now)
    last = command(*RUN, "--out", path, "--workers", 2, "--quiet")
    assert last.wait() == 0
    assert rows_but_times(path) == expected


def computing_processes(*drivers):
    """Processes that compute, of drivers or Dask workers, by their ids."""
    found = []
    for driver_id in drivers:
        with suppress(psutil.NoSuchProcess):  # they may end while we look
            for child in psutil.Process(driver_id).children(recursive=True):
                with suppress(psutil.NoSuchProcess):
                    alive = child.status() != psutil.STATUS_ZOMBIE  # killed before
                    if alive and "experiments/child.py" in " ".join(child.cmdline()):
                        found.append(child)
    return found


def kill_one(driver_id):
    for child in computing_processes(driver_id)[:1]:
        with suppress(psutil.NoSuchProcess):
            child.kill()


@pytest.mark.usefixtures("often")
def test_nothing_is_reported_before_it_is_stored(tmp_path):
    class Auditor(Progress):
        reported = 0

        def advance(self, stored_now, _):
            self.reported += stored_now
            assert stored(tmp_path / "store") == self.reported

    auditor = Auditor()
    run_specification(SLOWLY, tmp_path / "store", workers=2, progress=auditor)
    assert auditor.reported == COUNT


@pytest.mark.usefixtures("often")
def test_processes_that_are_killed_all_the_time_cost_nothing(tmp_path, expected):
    """Kill a process that computes whenever three more runs are stored."""

    class Killer(Progress):
        reported = killed = 0

        def advance(self, stored, _):
            self.reported += stored
            if self.reported >= 3 * (self.killed + 1):
                self.killed += 1
                kill_one(os.getpid())

    killer = Killer()
    summary = run_specification(SLOWLY, tmp_path / "store", workers=2, progress=killer)
    assert killer.killed >= 4
    assert killer.reported == COUNT
    assert summary.ran == {"ok": COUNT}
    assert rows_but_times(tmp_path / "store") == expected


def test_a_run_that_is_killed_every_time_is_no_error_of_the_method(tmp_path):
    path, pids, params = (tmp_path / name for name in ("store", "pids", "params.toml"))
    params.write_text(f'["{MOCKS}Starter"]\nfile = "{pids}"\nseconds = 1.0\n')
    arguments = ["run", "--dataset", PROBLEMS + "many", "--method", MOCKS + "Starter"]
    arguments += ["--out", path, "--params", params, "--limit", 2, "--workers", 1]
    process = command(*arguments, stderr=subprocess.PIPE)
    begun = 0
    while process.poll() is None:  # a run is killed when it has begun
        if pids.exists() and len(pids.read_text()) > begun:
            begun = len(pids.read_text())
            kill_one(process.pid)
        time.sleep(0.05)
    said = process.communicate()[1].splitlines()
    assert process.returncode == 1
    assert said[-1].startswith("tsmdbench: 2 runs could not be completed")
    assert "killed by signal SIGKILL in 4 attempts" in said[-1]
    assert part_keys(path) == []
    (summary,) = resume(path, workers=1, trust=True)
    assert summary.ran == {"ok": 2}


@pytest.mark.usefixtures("often")
def test_a_cluster_gives_the_same_rows_and_may_lose_workers(
    tmp_path, expected, monkeypatch
):
    """Two experiments on the same workers, then half of them die, then all."""
    paths = [tmp_path / name for name in ("all", "other", "half", "none")]
    with cluster(4, nanny=False) as (address, _, workers):
        run_specification(SLOWLY, paths[0], scheduler=address)
        run_specification(asked("Mock"), paths[1], scheduler=address)
        wait_for(lambda: not computing_processes(*(w.pid for w in workers)))
        watcher = Watcher(5, lambda: [end(worker) for worker in workers[:2]])
        summary = run_specification(
            SLOWLY, paths[2], scheduler=address, progress=watcher
        )
        assert watcher._action is None
        assert summary.ran == {"ok": COUNT}
        monkeypatch.setattr("tsmdbench.experiments.cluster.PATIENCE", 3.0)
        watcher = Watcher(5, lambda: [end(worker) for worker in workers[2:]])
        with pytest.raises(ExperimentError, match="no worker for 3 s"):
            run_specification(SLOWLY, paths[3], scheduler=address, progress=watcher)
    resume(paths[3], workers=2, trust=True)
    for path in (paths[0], *paths[2:]):
        assert rows_but_times(path) == expected
    assert len(rows_but_times(paths[1])) == 12


@pytest.mark.usefixtures("often")
def test_a_killed_scheduler_is_a_clear_error_and_can_be_resumed(tmp_path, expected):
    path = tmp_path / "store"
    with cluster(1) as (address, scheduler, _):
        watcher = Watcher(5, scheduler.kill)
        with pytest.raises(ExperimentError, match=f"{address} is gone; what was"):
            run_specification(SLOWLY, path, scheduler=address, progress=watcher)
    assert 5 <= watcher.reported == len(part_keys(path)) < COUNT
    (summary,) = resume(path, workers=2, trust=True)
    assert summary.skipped == watcher.reported
    assert rows_but_times(path) == expected


def test_no_scheduler_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr("tsmdbench.experiments.cluster.CONNECT", 1.0)
    with pytest.raises(ExperimentError, match=r"no Dask scheduler answers at 'tcp://1"):
        run_specification(SLOWLY, tmp_path / "store", scheduler="tcp://127.0.0.1:9")
    assert part_keys(tmp_path / "store") == []


def test_an_interrupt_keeps_what_was_done_and_says_how_to_go_on(tmp_path):
    path = tmp_path / "store"
    slow = tmp_path / "slow.toml"
    slow.write_text(f'["{MOCKS}Sleeper"]\nseconds = 0.2\n')
    process = command(
        *(*RUN, "--out", path, "--params", slow, "--workers", 1),
        stderr=subprocess.PIPE,
    )
    wait_for(lambda: stored(path) >= 3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130
    assert f"interrupted; continue with 'tsmdbench resume {path} --trust'\n" in said
    assert "Traceback" not in said
    assert (path / "lock").read_text() == ""
    assert len(part_keys(path)) >= 3


@pytest.mark.parametrize("moment", [0.0, 0.3, 0.6, 1.0, 1.5, 2.5])
@pytest.mark.parametrize("times", [1, 3])
def test_an_interrupt_at_any_moment_is_one_sentence(tmp_path, expected, moment, times):
    """Once, and as somebody does who presses the keys again."""
    path = tmp_path / "store"
    arguments = [*RUN, "--out", path, "--workers", 2, "--quiet"]
    process = command(*arguments, stderr=subprocess.PIPE)
    wait_for(lambda: path.exists() or process.poll() is not None)
    time.sleep(moment)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
    _, said = process.communicate()
    if process.returncode:  # it may have been done before
        assert process.returncode == 130
        assert said.startswith("tsmdbench: interrupted")
        assert said.count("\n") == 1
    assert computing_processes(process.pid) == []
    last = command(*arguments)
    assert last.wait() == 0
    assert rows_but_times(path) == expected


def gone(pids):
    """Whether none of some processes runs any more."""
    alive = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    return all(one.status() == psutil.STATUS_ZOMBIE for one in alive)


def starting(tmp_path, *options):
    """A driver of a method that starts processes and takes its time."""
    pids, params = tmp_path / "pids", tmp_path / "params.toml"
    params.write_text(f'["{MOCKS}Starter"]\nfile = "{pids}"\nseconds = 60.0\n')
    arguments = ["run", "--dataset", PROBLEMS + "many", "--method", MOCKS + "Starter"]
    arguments += ["--out", tmp_path / "store", "--params", params, *options]
    process = command(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_for(lambda: pids.exists() and pids.read_text().endswith("\n"))
    return process, lambda: [int(line) for line in pids.read_text().split()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_methods_started_ends_with_the_driver(tmp_path, number):
    process, started = starting(tmp_path, "--workers", 1)
    process.send_signal(number)
    _, complaint = process.communicate()
    wait_for(lambda: gone(started()))
    if number == signal.SIGTERM:
        assert process.returncode == 143
        assert "tsmdbench: terminated; continue with 'tsmdbench resume" in complaint
        assert (tmp_path / "store" / "lock").read_text() == ""


def test_on_a_cluster_computing_ends_with_the_driver(tmp_path):
    with cluster(1, nanny=False) as (address, *_):
        process, started = starting(tmp_path, "--scheduler", address)
        end(process)
        process.communicate()
        wait_for(lambda: gone(started()))

"""Requests: limits and addresses as a person writes them, and the machine."""

import socket
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tests.experiments.driving import asked
from tsmdbench._kernels.calibration import sliding_distances
from tsmdbench.errors import ExperimentError, InputError
from tsmdbench.experiments import Limits, Specification, running
from tsmdbench.experiments import specification as calibration
from tsmdbench.experiments.cluster import ClusterEngine, check_address
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import (
    check_platform,
    is_mixed,
    joint_machines,
    machine_name,
    note_machine,
    parse_bytes,
    parse_seconds,
    speed_of,
)


def test_times_and_sizes_are_read_as_they_are_written():
    for texts, seconds in (
        ("600|10m|10min|10 Min", 600.0),
        ("2.5", 2.5),
        ("90 s", 90.0),
        ("100ms", 0.1),
        ("2 minutes", 120.0),
        ("1h", 3600.0),
    ):
        for text in texts.split("|"):
            found = parse_seconds(text)
            assert (found, type(found)) == (seconds, float)
    for text, size in (
        ("300000000", 300_000_000),
        ("500MB", 500_000_000),
        ("4GiB", 4 * 2**30),
        ("4 gib", 4 * 2**30),
        ("1.5GiB", 3 * 2**29),
        ("1TB", 10**12),
    ):
        assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "soon", "5 foos", "-1s", "nan", "inf", "1e400"])
def test_what_is_no_time_is_refused_with_examples(text):
    with pytest.raises(InputError, match="must be written like 600s, 10m, 1h, got"):
        parse_seconds(text)
    with pytest.raises(InputError, match="memory limit must be"):
        parse_bytes(text)


@pytest.mark.parametrize(
    "address",
    [
        *("", "x", "tcp://", "tcp://host", "tcp://host:0", "tcp://host:x"),
        *("tcp://h:99999", "http://host:1", ":8786", "tcp://[::1:8786"),
        *("tcp://h\udcff:1", "inproc://a/1"),
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_made(tmp_path, address):
    with pytest.raises(InputError, match="must be written like tcp://host:8786"):
        run_specification(asked("Mock"), tmp_path / "store", scheduler=address)
    assert not (tmp_path / "store").exists()


def test_outcomes_that_are_lost_with_their_worker_are_not_waited_for():
    class Lost:
        status = "finished"

        def result(self, timeout):
            self.status = "lost"
            raise TimeoutError(f"nothing came for {timeout} s")

    engine = ClusterEngine(Limits(), "tcp://127.0.0.1:9")
    engine._client = SimpleNamespace(status="running", nthreads=lambda: {"worker": 1})
    assert engine.result(Lost(), ()) is None


def test_addresses_have_host_and_port():
    assert check_address("tls://[::1]:8786") == ("::1", 8786)


def test_an_address_where_nobody_listens_is_refused_at_once(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ExperimentError, match="no Dask scheduler answers"):
            run_specification(
                asked("Mock", limit=1), tmp_path / "store", scheduler=address
            )


POSIX_ONLY = ("fcntl", "resource", "termios", "pwd", "grp")


def test_windows_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "check_platform", lambda: check_platform("win32"))
    asked = Specification(("JapaneseVowels",), ("setfinder",))
    with pytest.raises(ExperimentError, match="cannot run on Windows"):
        running.run_specification(asked, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_other_systems_get_a_note_of_what_is_not_measured():
    assert check_platform("linux") == []
    (sentence,) = check_platform("darwin")
    assert "peak memory" in sentence


def test_stores_can_be_read_without_modules_of_posix():
    # Packages of others are imported before: they know the real platform.
    others = "pyarrow.compute, pyarrow.dataset, pyarrow.parquet, psutil, filelock"
    others += ", typer, scipy"
    hidden = "; ".join(f"sys.modules[{name!r}] = None" for name in POSIX_ONLY)
    code = (
        f"import {others}\nimport sys; {hidden}; sys.platform = 'win32'\n"
        "from tsmdbench.experiments.store import Store\n"
        "import tsmdbench.experiments.running, tsmdbench.cli.app, tsmdbench.analysis"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


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


def test_a_machine_is_noted_once_and_workers_of_a_cluster_have_no_speed(monkeypatch):
    spent = iter([0.25, 0.5])
    monkeypatch.setattr(calibration, "kernel_seconds", lambda: next(spent))
    manifest = {}
    note_machine(manifest)
    note_machine(manifest)
    assert manifest["machines"] == {machine_name(): {"kernel": 1, "seconds": 0.25}}
    assert speed_of(manifest) == 0.25
    note_machine(manifest, on_cluster=True)
    assert speed_of(manifest) is None
    assert is_mixed(manifest)


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
    # Several stores are known only together.
    assert joint_machines([machines(0.1), {}]) == {}
    assert speed_of(joint_machines([machines(0.1), machines(0.1)])) == 0.1

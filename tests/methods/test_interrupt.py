"""An interrupt ends every search soon, whatever it is doing."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

from tests.methods.settings import entry
from tsmdbench.methods import METHODS

SAMPLES = 200_000  # minutes of work for most methods
SOON = 6  # seconds of processor time, by several threads; 2 if nothing else runs
ALWAYS = "setfinder"  # of which the whole test must hold, however fast a machine is

FIND = f"""
import json, sys, numpy as np
from tsmdbench.methods import METHODS
settings = json.loads(sys.argv[2])
method = METHODS[sys.argv[1]](**settings)
rng = np.random.default_rng(0)
method.find(rng.normal(size=500))  # compiles, or loads what is compiled
print("searching", flush=True)
method.find(rng.normal(size={SAMPLES}).cumsum())
print("found", flush=True)
"""


def processor_time(process):
    """Return the seconds of a process so far; infinite if it has ended."""
    if process.poll() is None:
        return sum(psutil.Process(process.pid).cpu_times()[:2])
    return math.inf


def end_by(number, process, after):
    """Send a signal once a process has used some processor time.

    Return what it printed and the processor time that it used from then on: wall time
    depends on what else the machine does.
    """
    others = sum(os.times()[2:4])  # processor time of all children that have ended
    while (used := processor_time(process)) < after:
        time.sleep(0.02)
    process.send_signal(number)
    # A search that goes on would take minutes.
    while processor_time(process) < used + 2 * SOON:
        time.sleep(0.02)
    process.kill()
    printed, complaint = process.communicate()
    return printed, complaint, sum(os.times()[2:4]) - others - used


def start(arguments):
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow  # each compiles and searches in a new process
@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("name", METHODS.added())
def test_an_interrupt_ends_a_search(name):
    settings = dict(entry(name).good)
    if "n_jobs" in METHODS[name].__dataclass_fields__:
        settings["n_jobs"] = 2
    process = start(["-c", FIND, name, json.dumps(settings)])
    assert process.stdout.readline() == "searching\n", process.stderr.read()
    after = processor_time(process) + 2
    printed, complaint, seconds = end_by(signal.SIGINT, process, after)
    assert seconds < SOON
    if name == ALWAYS or not printed:
        assert process.returncode == -signal.SIGINT
        assert complaint.endswith("KeyboardInterrupt\n")


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize(
    ("number", "status", "said"),
    [
        pytest.param(signal.SIGINT, 130, "interrupted", marks=pytest.mark.slow),
        (signal.SIGTERM, 143, "terminated"),
    ],
)
def test_a_signal_ends_discover(number, status, said, tmp_path):
    file = tmp_path / "series.npy"
    np.save(file, np.random.default_rng(0).normal(size=SAMPLES).cumsum())
    options = ["-m", "setfinder", "--set", "length=50", "--set", "radius=2"]
    process = start(["-m", "tsmdbench", "discover", str(file), *options])
    printed, complaint, seconds = end_by(number, process, after=6)
    assert seconds < SOON
    assert process.returncode == status, complaint
    assert complaint.splitlines()[-1] == f"tsmdbench: {said}"
    assert not printed

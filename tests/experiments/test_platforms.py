"""What experiments say on systems that they cannot run on, or not as on Linux."""

import subprocess
import sys

import pytest

from tsmdbench.errors import ExperimentError
from tsmdbench.experiments import Specification, running
from tsmdbench.experiments.specification import check_platform

POSIX_ONLY = ("fcntl", "resource", "termios", "pwd", "grp")


def test_windows_is_refused_before_anything_is_written(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "check_platform", lambda: check_platform("win32"))
    asked = Specification(("JapaneseVowels",), ("setfinder",))
    with pytest.raises(ExperimentError, match="cannot run on Windows"):
        running.run_specification(asked, tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_other_systems_are_told_what_is_not_measured():
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

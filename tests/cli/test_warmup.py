"""Compiling: said on first use, done beforehand by ``tsmdbench warmup``."""

import os
import subprocess
import sys

import pytest

from tsmdbench.cli import main
from tsmdbench.example import example_path
from tsmdbench.methods import METHODS
from tsmdbench.methods.warmup import _required

SERIES = str(example_path("series.csv"))
LEFT_OUT = {"sliding_distances"}  # measures the machine, for experiments
DISCOVER = ["discover", SERIES, "-m", "mrmotif", "--set", "length=50"]


def run(*arguments, **environment):
    code = "import sys; from tsmdbench.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_every_method_can_be_warmed_up():
    for name in METHODS.added():
        for given in METHODS[name].warm_up:  # the values are valid
            METHODS[name](**{**_required(METHODS[name], given), **given})


@pytest.mark.slow
def test_first_use_says_that_it_compiles_and_the_second_does_not(tmp_path):
    first = run(*DISCOVER, NUMBA_CACHE_DIR=str(tmp_path))
    assert first.returncode == 0, first.stderr
    said = first.stderr.splitlines()
    assert [line.partition(" ")[0] for line in said] == ["read", "compiling,"]
    assert said[1].startswith("compiling, only the first time")
    second = run(*DISCOVER, NUMBA_CACHE_DIR=str(tmp_path))
    assert (second.stdout, second.stderr) == (first.stdout, f"{said[0]}\n")


@pytest.mark.slow
def test_warmup_compiles_what_a_method_needs(tmp_path):
    ended = run("warmup", "mrmotif", NUMBA_CACHE_DIR=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert "[1/1] mrmotif: " in ended.stdout
    assert "mrmotif: 0 functions" not in ended.stdout
    assert str(tmp_path) in ended.stdout
    again = run("warmup", "mrmotif", NUMBA_CACHE_DIR=str(tmp_path))
    assert "mrmotif: 0 functions compiled" in again.stdout
    assert "compiling" not in run(*DISCOVER, NUMBA_CACHE_DIR=str(tmp_path)).stderr


def test_warmup_skips_a_method_that_needs_a_missing_package():
    code = (
        "import sys; sys.modules['statsmodels'] = None\n"
        "from tsmdbench.cli import main\n"
        "names = ['random_walk_detector', 'mrmotif']\n"
        "sys.exit(main(['warmup', '--workers', '1', *names]))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    first, second, third, _ = ended.stdout.splitlines()
    assert first.startswith("[1/2] random_walk_detector: skipped, ")
    assert "statsmodels" in first
    assert second.startswith("[2/2] mrmotif: ")
    assert third.startswith("1 method ready")


def test_groups_of_methods_are_compiled_in_processes():
    ended = run("warmup", "stomp", "mrmotif", "--workers", "2")
    assert (ended.returncode, ended.stderr) == (0, "")
    *lines, total, _ = ended.stdout.splitlines()
    names = [line.partition("] ")[2].partition(":")[0] for line in lines]
    assert names == ["mrmotif", "stomp"]
    assert total.startswith("2 methods ready in ")


def test_warmup_refuses_an_unknown_method(capsys):
    assert main(["warmup", "mrmotif", "nosuch"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "nosuch" in printed.err


def test_a_home_that_does_not_exist_is_no_error(tmp_path):
    ended = run(
        *DISCOVER, HOME=str(tmp_path / "missing"), XDG_CACHE_HOME="", TSMDBENCH_CACHE=""
    )
    assert ended.returncode == 0, ended.stderr
    assert "set 1" in ended.stdout


@pytest.mark.slow
def test_warmup_compiles_every_kernel(tmp_path):
    """After warmup, only `LEFT_OUT` of ``tsmdbench._kernels`` waits to be compiled."""
    code = """
import importlib, pkgutil
import tsmdbench._kernels as kernels
from numba.core.dispatcher import Dispatcher
from tsmdbench.methods.warmup import warmup
list(warmup())
for module in pkgutil.walk_packages(kernels.__path__, "tsmdbench._kernels."):
    for name, value in vars(importlib.import_module(module.name)).items():
        own = isinstance(value, Dispatcher) and value.__module__ == module.name
        if own and not value.overloads:
            print(f"{module.name}.{name}")
"""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
    )
    assert {name.rpartition(".")[2] for name in ended.stdout.split()} <= LEFT_OUT


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from tsmdbench.cli import main; main(['--help'])\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "scipy", "numba", "pandas", "pyarrow", "matplotlib", "rich"}
    assert not heavy & set(ended.stderr.split())

"""Compiling, announced on first use and done beforehand by ``warmup``; ``demo``."""

import os
import subprocess
import sys

import pytest

from tsmdbench import experiments, report
from tsmdbench.analysis import load_baselines
from tsmdbench.errors import ExperimentError
from tsmdbench.example import example_path
from tsmdbench.experiments import specification
from tsmdbench.methods import METHODS
from tsmdbench.methods.warmup import _required

LEFT_OUT = {"sliding_distances"}  # measures the machine, for experiments
DISCOVER = ["discover", str(example_path("series.csv")), "-m", "mrmotif"]
DISCOVER += ["--set", "length=50"]
CODE = "import sys; from tsmdbench.cli import main; sys.exit(main())"


def run(*arguments, code=CODE, **environment):
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )
    assert ended.returncode == 0, ended.stderr
    return ended


def test_every_method_can_be_warmed_up():
    for name in METHODS.added():
        for given in METHODS[name].warm_up:  # the values are valid
            METHODS[name](**{**_required(METHODS[name], given), **given})


@pytest.mark.slow
def test_first_use_announces_that_it_compiles_and_the_second_does_not(tmp_path):
    first = run(*DISCOVER, NUMBA_CACHE_DIR=str(tmp_path))
    said = first.stderr.splitlines()
    assert [line.partition(" ")[0] for line in said] == ["read", "compiling,"]
    assert said[1].startswith("compiling, only the first time")
    second = run(*DISCOVER, NUMBA_CACHE_DIR=str(tmp_path))
    assert (second.stdout, second.stderr) == (first.stdout, f"{said[0]}\n")


@pytest.mark.slow
def test_warmup_compiles_what_a_method_needs(tmp_path):
    ended = run("warmup", "mrmotif", NUMBA_CACHE_DIR=str(tmp_path))
    assert "[1/1] mrmotif: " in ended.stdout
    assert "mrmotif: 0 functions" not in ended.stdout
    assert str(tmp_path) in ended.stdout
    again = run("warmup", "mrmotif", NUMBA_CACHE_DIR=str(tmp_path))
    assert "mrmotif: 0 functions compiled" in again.stdout
    assert "compiling" not in run(*DISCOVER, NUMBA_CACHE_DIR=str(tmp_path)).stderr


def test_warmup_skips_a_method_that_needs_a_missing_package():
    """In a process of its own: another test may have compiled the method here."""
    names = "['statsmodels', 'statsmodels.tsa.adfvalues']"
    missing = f"import sys; sys.modules.update(dict.fromkeys({names}))\n"
    methods = ("random_walk_detector", "mrmotif")
    ended = run("warmup", "--workers", "1", *methods, code=missing + CODE)
    first, second, third, _ = ended.stdout.splitlines()
    assert first.startswith("[1/2] random_walk_detector: skipped, ")
    assert "statsmodels" in first
    assert second.startswith("[2/2] mrmotif: ")
    assert third.startswith("1 method ready")


def test_groups_of_methods_are_compiled_in_processes():
    ended = run("warmup", "stomp", "mrmotif", "--workers", "2")
    *lines, total, _ = ended.stdout.splitlines()
    names = [line.partition("] ")[2].partition(":")[0] for line in lines]
    assert (names, ended.stderr) == (["mrmotif", "stomp"], "")
    assert total.startswith("2 methods ready in ")


def test_warmup_refuses_an_unknown_method(cli):
    printed = cli("warmup", "mrmotif", "nosuch", status=2)
    assert printed.out == ""
    assert "nosuch" in printed.err


def test_a_home_that_does_not_exist_is_no_error(tmp_path):
    home = {"HOME": str(tmp_path / "missing"), "XDG_CACHE_HOME": ""}
    assert "set 1" in run(*DISCOVER, **home, TSMDBENCH_CACHE="").stdout


@pytest.mark.slow
def test_warmup_compiles_every_kernel(tmp_path):
    """After warmup, only `LEFT_OUT` of ``tsmdbench._kernels`` waits to be compiled."""
    code = """
import importlib, pkgutil
import tsmdbench._kernels as kernels
from tsmdbench._kernels.jit import Kernel
from tsmdbench.methods.warmup import warmup
list(warmup())
for module in pkgutil.walk_packages(kernels.__path__, "tsmdbench._kernels."):
    for name, value in vars(importlib.import_module(module.name)).items():
        own = isinstance(value, Kernel) and value.__module__ == module.name
        if own and not value.dispatcher.overloads:
            print(f"{module.name}.{name}")
"""
    ended = run(code=code, NUMBA_CACHE_DIR=str(tmp_path))
    assert {name.rpartition(".")[2] for name in ended.stdout.split()} <= LEFT_OUT


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from tsmdbench.cli import main; main(['--help'])\n"
        "sys.stderr.write(' '.join(sys.modules))"
    )
    heavy = {"numpy", "scipy", "numba", "pandas", "pyarrow", "matplotlib", "rich"}
    assert not heavy & set(run(code=code).stderr.split())


@pytest.mark.archive
@pytest.mark.slow
def test_the_demo_ends_in_a_conclusion(tmp_path, monkeypatch, cli):
    pytest.importorskip("aeon")
    whole = experiments.experiment("demo")
    assert len(whole["datasets"]) == 2
    small = {"methods": ("emma", "mrmotif", "stomp"), "limit": 2, "tune": False}
    monkeypatch.setattr(experiments, "experiment", lambda _: whole | small)
    printed = cli("demo", "--out", tmp_path, "--workers", 1).out
    page = tmp_path / "report" / "index.html"
    assert "JapaneseVowels: real: instances of" in printed
    assert "dials: generated: random shapes" in printed
    assert page.as_uri() in printed
    assert (tmp_path / "evaluation.png").is_file()
    text = page.read_text()
    for shown in (printed, text):
        assert "has the highest mean F1 over 2 datasets" in shown
    assert "real: instances of the classification dataset JapaneseVowels" in text
    assert "generated: random shapes that repeat" in text
    assert 'href="#ranks"' in text
    assert 'id="ranks"' in text
    assert 'data-key="group"' in text
    assert "smallest possible p-value" not in text


def test_the_demo_shows_published_results_where_experiments_cannot_run(
    tmp_path, monkeypatch, cli
):
    def cannot():
        raise ExperimentError("experiments cannot run here")

    def write(store, out, **_):
        written.append(store)
        return report.Written(out / "index.html", (), (), (), conclusion="Done.")

    written = []
    monkeypatch.setattr(specification, "check_platform", cannot)
    monkeypatch.setattr(report, "write_report", write)
    printed = cli("demo", "--out", tmp_path).out
    assert written == [load_baselines().path]
    assert "the report shows the published results" in printed

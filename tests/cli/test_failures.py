"""What goes wrong in a command ends in one sentence and an exit status."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tsmdbench import errors
from tsmdbench.cli import failures, main
from tsmdbench.example import example_path

ROOT = Path(__file__).parents[2]
TRUTH, FOUND = str(example_path("truth.json")), str(example_path("found.json"))
EVALUATE = ["evaluate", TRUTH, FOUND]
RUN = [sys.executable, "-c", "from tsmdbench.cli import main; raise SystemExit(main())"]


@pytest.fixture
def raising(monkeypatch):
    """Let the metric of ``tsmdbench evaluate`` raise."""

    def arrange(error):
        def raises(*_, **__):
            raise error

        monkeypatch.setattr("tsmdbench.metrics.prom", raises)

    return arrange


def one_line(text):
    assert text.startswith("tsmdbench: ")
    assert text.count("\n") == 1
    return text


def test_every_error_is_one_sentence_with_its_status(raising, capsys):
    for error, status, sentence in (
        (errors.InputError("n must be 2"), 2, "n must be 2"),
        (errors.InputTypeError("n must be a number"), 2, "n must be a number"),
        (errors.DataError("Mallat is damaged"), 2, "Mallat is damaged"),
        (errors.MissingExtraError("figures need x", "plot"), 3, '"tsmdbench[plot]"'),
        (errors.DownloadError("no network"), 4, "no network"),
        (errors.ExperimentError("no scheduler"), 1, "no scheduler"),
        (errors.StoreError("locked"), 1, "locked"),
        (ModuleNotFoundError("no jinja2", name="jinja2.core"), 3, "tsmdbench[report]"),
        (PermissionError(13, "Permission denied", "a.csv"), 2, "a.csv: Permission"),
        (OSError(28, "No space left on device"), 1, "No space left"),
        (MemoryError("8 GiB"), 1, "out of memory (8 GiB)"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ):
        raising(error)
        assert main(EVALUATE) == status
        said = one_line(capsys.readouterr().err)
        assert sentence in said
        assert "report" not in said.replace("[report]", "")


@pytest.mark.parametrize(
    "error",
    [
        KeyError("radius"),
        ValueError("not one of ours"),
        errors.InternalError("two tables differ"),
        ModuleNotFoundError("No module named 'frob'", name="frob"),
    ],
)
def test_a_fault_of_ours_names_where_to_report_it(raising, capsys, error):
    raising(error)
    assert main(EVALUATE) == 70
    said = one_line(capsys.readouterr().err)
    assert "internal error" in said
    assert str(error) in said
    assert failures.REPORT_TO in said
    kept = Path(re.search(r"with (\S+)$", said)[1])
    try:
        assert "Traceback" in kept.read_text()
        assert kept.stat().st_mode & 0o077 == 0
    finally:
        kept.unlink()


@pytest.mark.parametrize("how", ["option", "environment"])
def test_the_traceback_is_shown_on_request(raising, capsys, monkeypatch, how):
    raising(errors.InputError("n must be 2"))
    if how == "environment":
        monkeypatch.setenv("TSMDBENCH_DEBUG", "1")
    assert main([*(["--debug"] if how == "option" else []), *EVALUATE]) == 2
    said = capsys.readouterr().err
    assert said.startswith("Traceback")
    assert said.endswith("tsmdbench: n must be 2\n")
    monkeypatch.setenv("TSMDBENCH_DEBUG", "0")
    assert main(EVALUATE) == 2
    one_line(capsys.readouterr().err)


def test_an_interrupt_says_how_to_continue(raising, capsys):
    stop = KeyboardInterrupt()
    stop.add_note("continue with 'tsmdbench resume s'")
    raising(stop)
    assert main(EVALUATE) == 130
    said = capsys.readouterr().err
    assert said == "tsmdbench: interrupted; continue with 'tsmdbench resume s'\n"


def run_with_module(tmp_path, name, text, *arguments):
    """Run a command where a package of that name is in front of the real one."""
    (tmp_path / f"{name}.py").write_text(text)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    return subprocess.run(
        [*RUN, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.parametrize("name", ["typer", "numpy"])
def test_an_interrupt_during_an_import_is_one_sentence(tmp_path, name):
    ended = run_with_module(tmp_path, name, "raise KeyboardInterrupt", *EVALUATE)
    assert (ended.returncode, ended.stderr) == (130, "tsmdbench: interrupted\n")


@pytest.mark.parametrize(
    ("name", "extra", "command"),
    [
        ("matplotlib", "plot", [*EVALUATE, "--plot", "x.png"]),
        ("pyarrow", "parquet", ["status", "."]),
    ],
)
def test_a_missing_package_is_one_sentence(tmp_path, name, extra, command):
    text = f"raise ModuleNotFoundError('none', name={name!r})"
    ended = run_with_module(tmp_path, name, text, *command)
    assert ended.returncode == 3, ended.stderr
    assert f'pip install "tsmdbench[{extra}]"' in one_line(ended.stderr)


def test_every_optional_package_has_its_extra():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    stated = {
        re.match(r"[\w-]+", requirement)[0]: extra
        for extra in ("report", "run", "archive", "parquet", "plot")
        for requirement in extras[extra]
        if not requirement.startswith("tsmdbench")
    }
    # What is imported under another name, or comes with something else.
    stated["sklearn"] = stated.pop("scikit-learn")
    assert {**stated, "dask": "run"} == failures.EXTRAS


def test_a_reader_that_leaves_is_no_error():
    command = subprocess.Popen(
        [*RUN, "methods"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    command.stdout.close()
    said = command.stderr.read()
    command.stderr.close()
    assert (command.wait(), said) == (141, "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_command_does_not_change_its_status(name):
    """The interpreter takes a moment to shut down; the command is over by then."""
    code = (
        "import atexit, os, signal\n"
        f"atexit.register(lambda: os.kill(os.getpid(), signal.{name}))\n"
        "from tsmdbench.cli import main\n"
        "raise SystemExit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *EVALUATE], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_while_the_handlers_are_removed_changes_no_status():
    """Keys that are pressed several times meet a command that has just ended."""
    code = """
import signal
from tsmdbench.cli import main

set_handler = signal.signal

def interrupted(number, handler):
    if handler is signal.SIG_IGN:
        signal.raise_signal(signal.SIGINT)
    return set_handler(number, handler)

signal.signal = interrupted
status = main()
signal.raise_signal(signal.SIGINT)
raise SystemExit(status)
"""
    done = subprocess.run([sys.executable, "-c", code, "--version"], check=False)
    assert done.returncode == 0

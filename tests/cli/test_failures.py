"""Anything that goes wrong in a command ends in one sentence and an exit status."""

import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tests.methods.settings import entry
from tsmdbench import __version__, errors
from tsmdbench.cli import failures
from tsmdbench.cli.output import SafeStream
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.example import example_path
from tsmdbench.experiments.sources import load_problems
from tsmdbench.methods import METHODS, LoCoMotif
from tsmdbench.registry import import_object
from tsmdbench.validation import check_series

ROOT = Path(__file__).parents[2]
EVALUATE = ["evaluate", *(str(example_path(f"{n}.json")) for n in ("truth", "found"))]
RUN = [sys.executable, "-c", "from tsmdbench.cli import main; raise SystemExit(main())"]
PROBLEMS = "tests.experiments.mock_problems:small"


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


def test_the_command_answers(cli):
    assert cli("--version").out == f"tsmdbench {__version__}\n"
    run = [sys.executable, "-m", "tsmdbench"]
    bare = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "evaluate" in bare.stdout


def test_every_error_is_one_sentence_with_its_status(raising, cli):
    stop = KeyboardInterrupt()
    stop.add_note("continue with 'tsmdbench resume s'")
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
        (stop, 130, "interrupted; continue with 'tsmdbench resume s'\n"),
    ):
        raising(error)
        said = one_line(cli(*EVALUATE, status=status).err)
        assert sentence in said
        assert "report" not in said.replace("[report]", "")


def test_a_bug_names_where_to_report_it(raising, cli):
    for error in (
        KeyError("radius"),
        ValueError("not one of ours"),
        errors.InternalError("two tables differ"),
        ModuleNotFoundError("No module named 'frob'", name="frob"),
    ):
        raising(error)
        said = one_line(cli(*EVALUATE, status=70).err)
        assert "internal error" in said
        assert str(error) in said
        assert failures.REPORT_TO in said
        kept = Path(re.search(r"with (\S+)$", said)[1])
        try:
            assert "Traceback" in kept.read_text()
            assert kept.stat().st_mode & 0o077 == 0
        finally:
            kept.unlink()


def test_the_traceback_is_shown_on_request(raising, cli, monkeypatch):
    raising(errors.InputError("n must be 2"))
    one_line(cli(*EVALUATE, status=2).err)
    by_option = cli("--debug", *EVALUATE, status=2).err
    monkeypatch.setenv("TSMDBENCH_DEBUG", "1")
    for said in (by_option, cli(*EVALUATE, status=2).err):
        assert said.startswith("Traceback")
        assert said.endswith("tsmdbench: n must be 2\n")
    monkeypatch.setenv("TSMDBENCH_DEBUG", "0")
    one_line(cli(*EVALUATE, status=2).err)


@pytest.mark.parametrize(
    ("name", "raised", "command", "status", "said"),
    [
        ("typer", "KeyboardInterrupt", EVALUATE, 130, "tsmdbench: interrupted\n"),
        ("numpy", "KeyboardInterrupt", EVALUATE, 130, "tsmdbench: interrupted\n"),
        ("matplotlib", None, [*EVALUATE, "--plot", "x.png"], 3, '"tsmdbench[plot]"'),
        ("pyarrow", None, ["status", "."], 3, 'pip install "tsmdbench[parquet]"'),
    ],
)
def test_a_package_that_cannot_be_imported_is_one_sentence(
    tmp_path, name, raised, command, status, said
):
    missing = f"ModuleNotFoundError('none', name={name!r})"
    (tmp_path / f"{name}.py").write_text(f"raise {raised or missing}")
    path = os.pathsep.join([str(tmp_path), *sys.path])  # before the real one
    environment = {**os.environ, "PYTHONPATH": path}
    ended = subprocess.run(
        [*RUN, *command], capture_output=True, text=True, env=environment
    )
    assert ended.returncode == status
    assert said in one_line(ended.stderr)


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
def test_a_signal_after_the_command_does_not_change_its_status():
    """The interpreter takes a moment to shut down; the command is over by then.

    Keys that are pressed several times may meet a command that has just ended, while
    its handlers are being removed.
    """
    code = """
import atexit, os, signal, sys
atexit.register(lambda: os.kill(os.getpid(), signal.SIGTERM))
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
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
    command = [sys.executable, "-c", code, *EVALUATE]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


NASTY = "a\x1b[2Jb\x9b\u202e\x07"


def test_names_cannot_steer_the_terminal(tmp_path, cli):
    truth, found = tmp_path / "truth.json", tmp_path / "found.json"
    truth.write_text(json.dumps({NASTY: [[0, 10], [20, 30]], "\u2603": [[40, 50]]}))
    found.write_text(json.dumps({NASTY: [[0, 10], [20, 30]]}))
    for options in ([], ["--explain"]):
        printed = cli("evaluate", truth, found, *options).out
        assert "\x1b" not in printed
        assert r"b\x9b\u202e\x07" in printed
    refused = cli("discover", "--method", f"no{NASTY}", "x.csv", status=2).err
    assert "\x1b" not in refused
    for encoding in ("ascii", "cp1252"):
        environment = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        ended = subprocess.run(
            [*RUN, "evaluate", str(truth), str(found)],
            capture_output=True,
            env={**os.environ, **environment},
        )
        assert (ended.returncode, ended.stderr) == (0, b"")
    kept = io.StringIO()
    assert SafeStream(kept).write("\x1b\ud800 ok\n") == 6  # what it was given
    assert kept.getvalue() == "\\x1b\\ud800 ok\n"
    assert "'\\ud800' is not valid text" in cli("status", "\ud800", status=2).err


MODULES = {
    "raising": "raise RuntimeError('at import')",
    "leaving": "raise SystemExit(3)",
    "mistyped": "def f(:",
    "dividing": "1 / 0",
    "lacking": "import no_such_module_at_all",
}


@pytest.fixture
def refused(cli, tmp_path):
    """Give a method or a dataset to commands that must refuse it in one sentence."""
    series, store = tmp_path / "series.csv", tmp_path / "store"
    series.write_text("\n".join(map(str, np.sin(np.arange(200)))))

    def run(*words):
        words = [series if word == "SERIES" else word for word in words]
        if words[0] == "run":
            words += ["--out", store]
        lines = cli(*words, status=2).err.splitlines()
        (said,) = [line for line in lines if not line.startswith("read ")]
        assert said.startswith("tsmdbench: ")
        assert not store.exists()
        return said

    return run


def test_a_module_that_cannot_be_imported_is_named(tmp_path, monkeypatch, refused):
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in MODULES.items():
        (tmp_path / f"adversary_{name}.py").write_text(text)
        spec = f"adversary_{name}:Method"
        assert spec in refused("discover", "--method", spec, "SERIES")
        assert spec in refused("run", "--dataset", spec, "--method", "setfinder")


def test_foreign_methods_and_datasets_that_are_none_are_refused(refused):
    for spec in (":x", "x:", ".a:b", "a..b:c", "builtins:int", "math:pi", "json:tool"):
        refused("discover", "--method", spec, "SERIES")
        refused("run", "--dataset", PROBLEMS, "--method", spec)
    for spec in ("os:getcwd", "builtins:str", "builtins:len"):
        with pytest.raises(InputError, match=spec):
            load_problems(spec, "test")
    spec = "tests.experiments.mock_methods:Raiser"
    said = refused("discover", "--method", spec, "SERIES")
    assert f"{spec} raised RuntimeError: not in the mood" in said
    with pytest.raises(InputError, match=r"must be written as package.module:object"):
        import_object("os.path:")


def test_malformed_parameters_are_one_sentence(tmp_path, refused):
    file = tmp_path / "params.toml"
    for text in (
        "[setfinder]\ndatasets = 3",
        f'[setfinder.datasets]\n"{PROBLEMS}" = 1',
        "[[setfinder]]",
        "setfinder = 3",
        "a = " + "[" * 3000,
        "x = " + "9" * 5000,
        "\x00",
    ):
        file.write_text(text)
        words = ["--dataset", PROBLEMS, "--method", "setfinder", "--params", file]
        refused("run", *words)


def test_series_that_are_no_plain_numbers_are_refused():
    for name in METHODS.added():
        for large in (1e308, -1.7e308, 1e160):
            x = np.zeros(400)
            x[50] = large
            with pytest.raises(InputError, match="can be squared and added; scale it"):
                METHODS[name](**entry(name).good).find(x)
    x = np.sin(np.arange(300.0)) * 1e140
    assert LoCoMotif(5, 10).find(x) == LoCoMotif(5, 10).find(x)
    with pytest.raises(InputError, match="masked samples"):
        check_series(np.ma.masked_less(np.arange(9.0), 3))
    check_series(np.ma.masked_less(np.arange(9.0), -3))
    with pytest.raises(InputTypeError, match="complex"):
        check_series(np.ones(9, dtype=complex))

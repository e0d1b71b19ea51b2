"""The class of a method in another environment: fields, facts, grids and version."""

import json
import os
import stat
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import psutil
import pytest

from tsmdbench.errors import DownloadError, InputError
from tsmdbench.experiments import environments as make
from tsmdbench.experiments.environments import Environment, external_class, stop_process
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import DataFacts, complete

FILE = str(Path(__file__).with_name("plain_methods.py"))
HERE = Environment(python=sys.executable)
FACTS = DataFacts(20, 10, 40, 3, 2, 1, (1.0,), 1.0)


def program(path, text):
    """Write a program that can be started."""
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_class_of_an_external_method_is_like_any_other():
    known = describe(f"{FILE}:Plain", HERE)
    assert (known.method, known.summary) == (
        "Plain",
        "Two windows, one after the other.",
    )
    assert (known.univariate, known.variable_length) == (True, "no")
    assert known.fields == ("length", "max_sets", "names", "threads")
    assert known.parameters == ("length",)
    expected = {"length": 9, "max_sets": 3, "names": ["a"]}
    assert complete(known, {"length": 9}) == expected
    with pytest.raises(InputError, match="length must be at least 2, got 1"):
        complete(known, {"length": 1})
    assert known.cls.grid(FACTS) == {"max_sets": [1, 2]}
    assert len(known.cls(length=10).find(np.sin(np.arange(100.0)))[0]) == 2
    other = external_class(HERE, f"{FILE}:Versioned")
    assert other.grid(FACTS) == {"length": [20, 40]}


def test_version_names_the_source_or_what_the_class_says_and_the_environment(tmp_path):
    declared = external_class(HERE, f"{FILE}:Versioned").code.version
    assert declared.startswith("7.1+env-")
    file = tmp_path / "mine.py"
    versions = set()
    for body in ("return []", "return [[(0, 5), (5, 10)]]"):
        file.write_text(f"class Mine:\n    def find(self, series):\n        {body}\n")
        external_class.cache_clear()
        stop_process(HERE, f"{file}:Mine")
        versions.add(external_class(HERE, f"{file}:Mine").code.version)
    assert len(versions) == 2
    assert all(v.endswith(declared[3:]) for v in versions)


def test_built_in_methods_stay_here():
    described = describe("locomotif", HERE)
    assert described.environment is None
    assert described == describe("locomotif")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (f"{FILE}:Nothing", "has no 'Nothing'"),
        (f"{FILE}:NotAMethod", "is neither a class with find"),
        ("nowhere.py:Plain", "nowhere.py does not exist or is not a file"),
        ("no_such_module:Plain", "No module named 'no_such_module'"),
    ],
)
def test_a_method_that_is_not_there(name, message):
    with pytest.raises(InputError, match=message):
        external_class(HERE, name)


def test_the_error_of_a_wrapper_that_needs_tsmdbench_has_a_remedy(tmp_path):
    file = tmp_path / "needs.py"
    file.write_text(
        "raise ModuleNotFoundError(\"No module named 'tsmdbench'\", name='tsmdbench')"
    )
    with pytest.raises(InputError, match="a wrapper is a plain class with find"):
        external_class(HERE, f"{file}:Needs")


def test_our_packages_do_not_reach_the_other_environment(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(FILE).parent))
    with pytest.raises(InputError, match="No module named 'plain_methods'"):
        external_class(HERE, "plain_methods:Plain")


def test_a_missing_interpreter():
    for python in ("/nowhere/python", "~nobody-at-all/python"):
        with pytest.raises(InputError, match="there is no such program"):
            external_class(Environment(python=python), f"{FILE}:Plain")


def test_a_program_that_is_not_python(tmp_path):
    fake = program(tmp_path / "fake", "#!/bin/sh\necho no such luck >&2\nexit 2\n")
    with pytest.raises(InputError, match=r"does not start as Python.*no such luck"):
        external_class(Environment(python=fake), f"{FILE}:Plain")
    odd = program(tmp_path / "odd", "not a program at all")
    with pytest.raises(InputError, match=r"cannot start|does not start"):
        external_class(Environment(python=odd), f"{FILE}:Plain")


def test_an_environment_without_numpy(tmp_path):
    venv.create(tmp_path / "bare", with_pip=False)
    bare = str(tmp_path / "bare" / "bin" / "python")
    with pytest.raises(InputError, match=r"has no NumPy.*pip install numpy"):
        external_class(Environment(python=bare), f"{FILE}:Plain")


def test_a_process_that_is_killed_between_requests_is_replaced():
    cls = external_class(HERE, f"{FILE}:Plain")
    for process in psutil.Process().children():
        if "child.py" in " ".join(process.cmdline()):
            process.kill()
            process.wait()
    assert cls(length=10).params["length"] == 10


@pytest.mark.parametrize(
    "requirement",
    [
        "",
        "-r x.txt",
        "--index-url=https://x",
        "../folder",
        "a\nb",
        "a b",
        "x" * 2000,
        3,
    ],
)
def test_requirements_are_names_of_packages(requirement):
    with pytest.raises(InputError, match="a requirement must be written like"):
        Environment(requirements=(requirement,))


@pytest.mark.parametrize(
    "requirement",
    [
        "stumpy",
        "leitmotif==0.3.5",
        "numpy>=1.26,<3",
        "a[b,c]~=1.0; python_version > '3.8'",
        "tsmd @ git+https://example.org/x.git@v1",
    ],
)
def test_requirements_as_pip_takes_them(requirement):
    kept = Environment(requirements=(requirement,))
    assert Environment.from_dict(json.loads(json.dumps(kept.to_dict()))) == kept


def test_requirements_count_and_not_their_order():
    one = Environment(requirements=("a", "b==1"))
    assert one.key == Environment(requirements=("b==1", "a")).key
    assert one.key != Environment(requirements=("b==2", "a")).key


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ("ERROR: No matching distribution found for x==9", InputError, "check names"),
        (
            "NewConnectionError: x\nERROR: No matching distribution found for x",
            DownloadError,
            "is there a network",
        ),
        ("WARNING: old\nERROR: metadata-generation-failed", InputError, "metadata-gen"),
    ],
)
def test_an_installer_that_fails_leaves_nothing(
    tmp_path, monkeypatch, said, error, message
):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    monkeypatch.setattr(make.shutil, "which", lambda _: str(tmp_path / "uv"))
    program(tmp_path / "uv", f"#!/bin/sh\necho '{said}' >&2\nexit 1\n")
    with pytest.raises(error, match=message):
        make.interpreter_of(Environment(requirements=("x==9",)))
    assert list((tmp_path / "environments").iterdir()) == []


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path / "file"))
    with pytest.raises(InputError, match="cannot make an environment"):
        make.interpreter_of(Environment(requirements=("x",)))


def test_an_environment_is_made_once(tmp_path, monkeypatch):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    # In place of uv: makes an empty environment, counts, and installs nothing.
    program(
        tmp_path / "uv",
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n'
        f'if [ "$1" = venv ]; then for last; do :; done; '
        f'"{sys.executable}" -m venv --without-pip "$last"; fi\n',
    )
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    wanted = Environment(requirements=("stumpy==1.14.1",))
    said = []
    first, second = (make.interpreter_of(wanted, said.append) for _ in range(2))
    assert first == second
    assert len(said) == 1
    assert "making an environment" in said[0]
    assert subprocess.run([first, "-c", ""], check=True).returncode == 0
    calls = (tmp_path / "calls").read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["venv", "pip"]
    assert calls[1].endswith("-- numpy stumpy==1.14.1")


@pytest.mark.slow
def test_a_package_that_does_not_exist(tmp_path, monkeypatch):
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path))
    wanted = Environment(requirements=("no-such-package-at-all-1234==9.9",))
    with pytest.raises((InputError, DownloadError), match="no-such-package-at-all"):
        make.interpreter_of(wanted)

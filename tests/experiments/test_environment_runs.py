"""Whole experiments and commands with a method in another environment."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.experiments.driving import LIMITS, MOCKS, PROBLEMS
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments.edit import pack
from tsmdbench.experiments.environments import Environment
from tsmdbench.experiments.running import resume, run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store

FILE = str(Path(__file__).with_name("plain_methods.py"))
PLAIN, RAISES = f"{FILE}:Plain", f"{FILE}:Raises"
HERE = Environment(python=sys.executable)
DATA = f"{PROBLEMS}small"


def asked(*methods, **options):
    return Specification((DATA,), methods, limits=LIMITS, environment=HERE, **options)


def test_an_experiment_is_tuned_run_resumed_and_packed(tmp_path):
    specification = asked(PLAIN, RAISES, tune=True, limit=2)
    done = run_specification(specification, tmp_path / "store", workers=1)
    # Two settings on two validation problems, then two methods on two test problems.
    assert (done.planned, done.ran["ok"], done.ran["error"]) == (8, 6, 2)
    store = Store(tmp_path / "store")
    rows = store.table().to_pylist()
    assert {row["method"] for row in rows} == {PLAIN, RAISES}
    assert all("+env-" in row["version"] for row in rows)
    errors = [row for row in rows if row["method"] == RAISES]
    assert all("ZeroDivisionError" in row["message"] for row in errors)
    assert all("in _inner" in row["traceback"] for row in errors)
    packages = next(iter(store.manifest["environments"].values()))["packages"]
    assert packages["numpy"] == np.__version__
    assert Specification.from_dict(store.specifications[0]) == specification
    with pytest.raises(InputError, match="add --trust"):
        resume(tmp_path / "store")
    (again,) = resume(tmp_path / "store", trust=True, workers=1)
    assert again.skipped == 8
    published = pack(tmp_path / "store", tmp_path / "packed").manifest
    assert sys.executable not in json.dumps(published)


def test_an_environment_that_concerns_no_method_is_refused():
    with pytest.raises(InputError, match="needs a method that is named"):
        asked("locomotif")


def test_manifests_without_an_environment_stay_as_they_were():
    kept = Specification((DATA,), (f"{MOCKS}Mock",)).to_dict()
    assert "environment" not in kept
    damaged = {**asked(PLAIN).to_dict(), "environment": {"python": 3}}
    with pytest.raises(InputError, match="manifest of the store is damaged"):
        Specification.from_dict(damaged)


def test_discover_in_another_environment(tmp_path, capsys):
    file = tmp_path / "series.csv"
    file.write_text("\n".join(map(str, np.sin(np.arange(100.0)))))
    options = ["--method", PLAIN, "--python", sys.executable, "--set", "length=10"]
    assert main(["discover", str(file), *options, "--json"]) == 0
    (segments,) = json.loads(capsys.readouterr().out).values()
    assert [end - start for start, end in segments] == [10, 10]
    options[1] = RAISES
    assert main(["discover", str(file), *options[:4]]) == 2
    assert "ZeroDivisionError: series of 100" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "locomotif", "--python", sys.executable], "--python and --with"),
        (["--method", PLAIN, "--python", "/nowhere/python"], "no such program"),
        (["--method", PLAIN, "--with", "-r evil.txt"], "a requirement must be written"),
    ],
)
def test_bad_options_are_one_sentence(tmp_path, capsys, options, message):
    file = tmp_path / "series.csv"
    file.write_text("\n".join(map(str, np.sin(np.arange(100.0)))))
    assert main(["discover", str(file), *options]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert len(said.strip().splitlines()) == 1

# ruff: noqa: ARG001, ARG002, ARG005 (a method takes a series, whether it looks or not)
"""Classes, instances and functions of a session, as methods."""

import json
import sys
from dataclasses import dataclass

import pytest

from tests.experiments import mock_methods as mocks
from tests.experiments.driving import LIMITS, PROBLEMS
from tsmdbench.errors import InputError, InputTypeError, MissingExtraError
from tsmdbench.experiments.code_hash import is_hash
from tsmdbench.experiments.method_info import as_methods
from tsmdbench.experiments.running import resume, run
from tsmdbench.experiments.settings import complete
from tsmdbench.experiments.store import Store
from tsmdbench.methods import LoCoMotif, declare
from tsmdbench.types import MotifSet

SMALL = PROBLEMS + "small"
FACTOR = 1


def session_class(shift=0, version=None):
    """Return a class that no other process can import."""

    @dataclass(frozen=True)
    class Mine:
        length: int
        max_sets: int = 3

        def find(self, series):
            start = shift + FACTOR
            starts = [start, start + self.length]
            return [MotifSet.from_starts(starts, self.length)]

    if version:
        Mine.version = version
    return Mine


def session_function():
    def ends(series, length):
        n = len(series)
        return [[(0, length), (n - length, n)]]

    return ends


def rows(path, method):
    return Store(path).table(None, {"method": method}).to_pylist()


def test_names_classes_instances_and_functions_can_be_mixed():
    mine = session_class()
    given = ["stomp", LoCoMotif, mocks.Mock, mine, mine(length=7), session_function()]
    names, session = as_methods(given)
    assert names == (
        "stomp",
        "locomotif",
        "tests.experiments.mock_methods:Mock",
        "Mine",
        "Mine(length=7)",
        "ends",
    )
    assert set(session) == {"Mine", "Mine(length=7)", "ends"}
    assert session["ends"].fields == session["ends"].parameters == ("length",)
    assert session["Mine"].fields == ("length", "max_sets")
    assert complete(session["Mine(length=7)"], {}) == {"length": 7, "max_sets": 3}
    assert as_methods(mine)[0] == as_methods([mine])[0] == ("Mine",)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([session_class(), session_class()], "two of the methods are called 'Mine'"),
        (lambda series: [], "must have a name"),
        (3, "a method must be a name, a class or an instance"),
        ([None], "a method must be a name, a class or an instance"),
        (type("Bad", (), {}), "has no find"),
        (type("stomp", (), {"find": len}), "the name of a method that is registered"),
    ],
)
def test_what_is_no_method_is_refused_in_one_sentence(given, message):
    with pytest.raises(InputError, match=message):
        as_methods(given)


def test_a_function_must_take_a_series():
    def nothing():
        return []

    def only_named(*, series):
        return []

    for function in (nothing, only_named):
        with pytest.raises(InputTypeError, match="must take a series"):
            as_methods(function)


def test_an_instance_cannot_be_changed_by_params(tmp_path):
    params = {"Mine(length=7)": {"length": 8}}
    with pytest.raises(InputError, match="is an instance, so params cannot change it"):
        run(session_class()(7), SMALL, tmp_path / "s", params=params, workers=0)


def test_a_version_of_ones_own_goes_before_the_hash():
    _, session = as_methods(session_class(version="2.1"))
    assert session["Mine"].version == "2.1"
    _, session = as_methods(session_class())
    assert is_hash(session["Mine"].version)


def test_without_cloudpickle_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(MissingExtraError, match=r"tsmdbench\[run\]"):
        as_methods(session_class())


def test_what_cannot_be_sent_is_refused_before_anything_runs(tmp_path):
    with (tmp_path / "file").open("w") as handle:

        def find(series):
            handle.write("x")
            return []

        with pytest.raises(InputError, match="cannot be sent to a worker process"):
            as_methods(find)
        assert as_methods(find, by_value=False)[0] == ("find",)


def test_objects_of_the_session_run_in_worker_processes(tmp_path):
    mine = session_class()

    def crash(series):
        raise ValueError("no <b>such</b> luck")

    methods = [mine, mine(length=7), session_function(), crash]
    result = run(methods, SMALL, tmp_path / "s", limit=2, limits=LIMITS, workers=1)
    assert result.ran == {"ok": 6, "error": 2}
    (first, _) = rows(tmp_path / "s", "Mine")
    assert json.loads(first["parameters"])["length"] == 20  # from the data
    assert first["found"] == [[[1, 21], [21, 41]]]
    (first, _) = rows(tmp_path / "s", "Mine(length=7)")
    assert first["found"] == [[[1, 8], [8, 15]]]
    assert rows(tmp_path / "s", "ends")[0]["found"] == [[[0, 20], [80, 100]]]
    assert "no <b>such</b> luck" in rows(tmp_path / "s", "crash")[0]["message"]
    # Nothing of the code is in the store, and nobody can run it from there.
    stored = b"".join(
        f.read_bytes() for f in (tmp_path / "s").rglob("*") if f.is_file()
    )
    assert b"cloudpickle" not in stored
    with pytest.raises(InputError, match="was defined in a Python session"):
        resume(tmp_path / "s", trust=True)


def test_an_edited_cell_runs_again_and_an_unchanged_one_does_not(tmp_path):
    options = {"limit": 1, "workers": 0}
    assert run(session_class(1), SMALL, tmp_path / "s", **options).skipped == 0
    assert run(session_class(1), SMALL, tmp_path / "s", **options).skipped == 1
    again = run(session_class(2), SMALL, tmp_path / "s", **options)
    assert (again.skipped, again.ran["ok"]) == (0, 1)
    assert len({row["version"] for row in rows(tmp_path / "s", "Mine")}) == 2


def test_in_process_the_object_itself_is_used(tmp_path, capsys):
    seen = []

    def find(series):
        seen.append(len(series))
        print("found")  # noqa: T201
        return []

    result = run(find, SMALL, tmp_path / "s", limit=2, workers=0)
    assert result.ran["ok"] == 2
    assert len(seen) >= 2
    assert "found" in capsys.readouterr().out


def test_a_grid_of_a_function_is_searched(tmp_path):
    @declare(grid={"shift": [0, 1]}, display_name="Shifted")
    def shifted(series, length, shift=0):
        starts = [shift, shift + length]
        return [MotifSet.from_starts(starts, length)]

    result = run(shifted, SMALL, tmp_path / "s", limit=2, workers=0, tune=True)
    assert result.ran["ok"] == 2 * 2 + 2
    assert (tmp_path / "s" / "tuning" / "tuned.toml").exists()

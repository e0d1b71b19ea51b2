"""Several versions of a method in one store: which is the newest, and removing some."""

import json

import pytest

from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.edit import contents, failure_kinds, remove_method
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import (
    Store,
    StoreWriter,
    chosen_versions,
    noted_since,
    noted_version,
)


def row(method, version, problem="p", split="test", outcome=None, **parameters):
    text = json.dumps(parameters, sort_keys=True)
    made = Run(method, version, text, "A", split, problem, "ab")
    return made.row(outcome or Outcome("ok"))


def store_of(path, rows, **manifest):
    with StoreWriter(path) as writer:
        writer.add(rows)
        writer.write_manifest({**Store(path).manifest, **manifest})
    return Store(path)


def history(*versions):
    """A history in which these were asked for in this order."""
    made = {}
    for version in versions:
        made = noted_version(made, "m", version)
    return made


def test_the_newest_version_is_the_one_that_was_asked_for_last(tmp_path):
    rows = [row("m", v) for v in ("aa", "bb", "0.9", "0.10")]
    asked = history("bb", "aa", "bb")
    assert [entry["version"] for entry in asked["m"]] == ["aa", "bb"]
    store = store_of(tmp_path / "store", rows, versions=asked)
    # those that the manifest does not know are older, in the order of their numbers
    assert store.versions() == {"m": ("0.9", "0.10", "aa", "bb")}
    assert noted_since(store.manifest, "m", "bb").startswith("20")
    assert noted_since(store.manifest, "m", "0.9") == ""


def test_versions_are_chosen_by_split(tmp_path):
    rows = [row("m", "aa"), row("m", "bb", split="validation"), row("n", "1")]
    store = store_of(tmp_path / "store", rows, versions=history("aa", "bb"))
    assert chosen_versions(store, "test") == {"m": ("aa",), "n": ("1",)}
    assert chosen_versions(store, "validation") == {"m": ("bb",)}
    store = store_of(tmp_path / "store", [row("m", "bb")])
    assert chosen_versions(store, "test") == {"m": ("bb",), "n": ("1",)}
    assert chosen_versions(store, "test", "aa") == {"m": ("aa",), "n": ("1",)}
    assert chosen_versions(store, "test", "all") == {"m": ("aa", "bb"), "n": ("1",)}
    with pytest.raises(InputError, match=r"version 'cc' .*; known: m aa, bb; n 1"):
        chosen_versions(store, "test", "cc")


def test_contents_count_runs_seeds_and_failures(tmp_path):
    bad = Outcome("error", message="x")
    rows = [
        row("m", "aa", seed=0),
        row("m", "aa", seed=1),
        row("m", "aa", "q", outcome=bad, seed=1),
        row("n", "1"),
    ]
    first, second = contents(store_of(tmp_path / "store", rows))
    assert first == ("m", "aa", True, 3, 1, 1, 2, "")
    assert second == ("n", "1", True, 1, 0, 1, 0, "")


def asked_for(*methods):
    return {"datasets": ["A"], "methods": list(methods), "limits": {}}


def test_a_version_can_be_removed(tmp_path):
    path = tmp_path / "store"
    rows = [row("m", "aa"), row("m", "bb"), row("n", "1")]
    asked = [asked_for("m", "n"), asked_for("m")]
    store = store_of(
        path, rows, versions=history("aa", "bb"), specifications=asked, planned=[2, 1]
    )
    assert remove_method(path, "m", "bb", dry_run=True) == 1
    assert len(store) == 3
    assert remove_method(path, "m", "bb") == 1
    assert store.versions() == {"m": ("aa",), "n": ("1",)}
    assert [e["version"] for e in store.manifest["versions"]["m"]] == ["aa"]
    assert store.manifest["specifications"] == asked
    assert remove_method(path, "m") == 1
    assert store.versions() == {"n": ("1",)}
    assert store.manifest["versions"] == {}
    # what is left to resume does not name it any more
    assert store.manifest["specifications"] == [asked_for("n")]
    assert store.manifest["planned"] == []


def test_what_is_not_there_cannot_be_removed(tmp_path):
    path = tmp_path / "store"
    store_of(path, [row("m", "aa")])
    with pytest.raises(InputError, match="no runs of method 'x'; it has m"):
        remove_method(path, "x")
    with pytest.raises(InputError, match="no runs of m in version 'b'; it has aa"):
        remove_method(path, "m", "b")
    with StoreWriter(path), pytest.raises(StoreError, match="is being written"):
        remove_method(path, "m")
    assert len(Store(path)) == 1


@pytest.mark.parametrize(
    "wrong", [[], {"m": 3}, {"m": [3]}, {"m": [{"version": 1, "since": ""}]}]
)
def test_a_history_of_nonsense_is_damage(tmp_path, wrong):
    store = store_of(tmp_path / "store", [row("m", "aa")])
    manifest = {**store.manifest, "versions": wrong}
    (store.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(StoreError, match="damaged"):
        store.versions()


def test_a_date_of_nonsense_is_no_date(tmp_path):
    wrong = {"m": [{"version": "aa", "since": "yesterday"}]}
    store = store_of(tmp_path / "store", [row("m", "aa")], versions=wrong)
    assert noted_since(store.manifest, "m", "aa") == ""


def test_failures_of_one_kind_differ_in_numbers_only(tmp_path):
    def failed(message, status="error", traceback=""):
        return Outcome(status, message=message, traceback=traceback)

    rows = [
        row("m", "1", "p1", outcome=failed("only 12 of 1.5e3", traceback="a.py:3")),
        row("m", "1", "p2", outcome=failed("only 7 of 9", traceback="a.py:4")),
        row("m", "1", "p3", outcome=failed("other")),
        row("m", "1", "p4", outcome=failed("other", "timeout")),
        row("m", "1", "p5"),
    ]
    kinds = failure_kinds(store_of(tmp_path / "store", rows))
    assert [(kind.runs, kind.status) for kind in kinds] == [
        (2, "error"),
        (1, "error"),
        (1, "timeout"),
    ]
    assert kinds[0].message == "only 7 of 9"
    assert (kinds[0].problem, kinds[0].traceback) == ("A: p2", "a.py:4")

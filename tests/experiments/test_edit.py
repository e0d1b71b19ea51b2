"""Versions of a method in one store, packing one and joining several."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.experiments.driving import (
    MOCKS,
    PROBLEMS,
    asked,
    part_keys,
    rows_but_times,
)
from tsmdbench.cli import main
from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments import Store, merge_stores, resume, run
from tsmdbench.experiments.edit import contents, failure_kinds, pack, remove_method
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.store import (
    StoreWriter,
    chosen_versions,
    noted_since,
    noted_version,
)
from tsmdbench.experiments.truth import read_truth


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
    """A history in which these were requested in this order."""
    made = {}
    for version in versions:
        made = noted_version(made, "m", version)
    return made


def test_the_newest_version_is_the_one_that_was_requested_last(tmp_path):
    rows = [row("m", v) for v in ("aa", "bb", "0.9", "0.10")]
    requested = history("bb", "aa", "bb")
    assert [entry["version"] for entry in requested["m"]] == ["aa", "bb"]
    store = store_of(tmp_path / "store", rows, versions=requested)
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


def request_of(*methods):
    return {"datasets": ["A"], "methods": list(methods), "limits": {}}


def test_a_version_or_a_method_can_be_removed(tmp_path):
    path = tmp_path / "store"
    rows = [row("m", "aa"), row("m", "bb"), row("n", "1")]
    requests = [request_of("m", "n"), request_of("m")]
    store = store_of(
        path,
        rows,
        versions=history("aa", "bb"),
        specifications=requests,
        planned=[2, 1],
    )
    with pytest.raises(InputError, match="no runs of method 'x'; it has m, n"):
        remove_method(path, "x")
    with pytest.raises(InputError, match="no runs of m in version 'b'; it has aa, bb"):
        remove_method(path, "m", "b")
    with StoreWriter(path), pytest.raises(StoreError, match="is being written"):
        remove_method(path, "m")
    assert remove_method(path, "m", "bb", dry_run=True) == 1
    assert len(store) == 3
    assert remove_method(path, "m", "bb") == 1
    assert store.versions() == {"m": ("aa",), "n": ("1",)}
    assert [e["version"] for e in store.manifest["versions"]["m"]] == ["aa"]
    assert store.manifest["specifications"] == requests
    assert remove_method(path, "m") == 1
    assert store.versions() == {"n": ("1",)}
    assert store.manifest["versions"] == {}
    # what is left to resume does not name it any more
    assert store.manifest["specifications"] == [request_of("n")]
    assert store.manifest["planned"] == []


def test_a_history_of_nonsense_is_damage_and_a_date_of_nonsense_none(tmp_path):
    entry = {"version": "aa", "since": "yesterday"}
    store = store_of(tmp_path / "store", [row("m", "aa")], versions={"m": [entry]})
    assert noted_since(store.manifest, "m", "aa") == ""
    for wrong in ([], {"m": 3}, {"m": [3]}, {"m": [{"version": 1, "since": ""}]}):
        manifest = {"format": 1, "specifications": [], "versions": wrong}
        (store.path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(StoreError, match=r"damaged .versions"):
            store.versions()


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


GRID = {MOCKS + "Chooser": {"level": [1, 2, 3]}}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("pack") / "store"
    run_specification(
        asked("Chooser", "Raiser", tune=True, grid=GRID, limit=2), path, workers=0
    )
    return path


def test_a_packed_store_is_a_store_of_one_split(store, tmp_path, capsys):
    path = tmp_path / "p"
    assert main(["store", "pack", str(store), str(path)]) == 0
    assert f"4 runs in {path}" in capsys.readouterr().out
    packed = Store(path)
    assert {what[1] for what in packed.counts()} == {"test"}
    rows = Store(store).table(where={"split": "test"}).to_pylist()
    assert sorted(packed.table().to_pylist(), key=str) == sorted(rows, key=str)
    assert {where[1] for where in read_truth(path)} == {"test"}
    kept = {file.name for file in (path / "tuning").iterdir()}
    assert kept == {file.name for file in (store / "tuning").iterdir()} != set()
    # The manifest says what failed, and names no machine.
    manifest = packed.manifest
    assert "host" in Store(store).manifest["made_by"]
    assert not {"host", "system"} & set(manifest["made_by"])
    assert manifest["made_by"]["tsmdbench"]
    ((_, split, method, status, n),) = manifest["packed"]["failures"]
    assert (split, method, status, n) == ("test", MOCKS + "Raiser", "error", 2)
    assert (manifest["packed"]["runs"], manifest["packed"]["runs_left_out"]) == (4, 6)
    ((setting,),) = manifest["packed"]["settings"][MOCKS + "Chooser"].values()
    assert setting["level"] in (1, 2, 3)
    with pytest.raises(InputError, match="no runs of split 'validation'"):
        pack(path, tmp_path / "q", split="validation")
    with pytest.raises(InputError, match="is not empty"):
        pack(store, path)
    (summary,) = resume(path, workers=0, trust=True)
    assert summary.skipped == 4  # the tests; the searches would be made again


SMALL = PROBLEMS + "small"
METHODS = [MOCKS + "Mock", MOCKS + "Raiser"]
REQUEST = {"methods": METHODS, "datasets": SMALL, "limit": 5}


def test_shards_of_a_job_array_are_the_whole_experiment(tmp_path, capsys):
    """As in a job array, one after the other."""
    run(**REQUEST, out=tmp_path / "whole", workers=0)
    names = [word for name in METHODS for word in ("--method", name)]
    line = ["run", "--dataset", SMALL, *names, "--limit", "5", "--workers", "1"]
    parts = [tmp_path / f"part-{number}" for number in (1, 2)]
    for number, part in enumerate(parts, start=1):
        assert main([*line, "--shard", f"{number}/2", "--out", str(part)]) == 0
    capsys.readouterr()
    keys = [set(part_keys(part)) for part in parts]
    assert [len(each) for each in keys] == [5, 5]
    assert len(set.union(*keys)) == 10
    merged = tmp_path / "all"
    assert main(["store", "merge", *map(str, parts), "--out", str(merged)]) == 0
    assert capsys.readouterr().out == f"10 of 10 requested runs in {merged}\n"
    assert rows_but_times(merged) == rows_but_times(tmp_path / "whole")
    (summary,) = resume(merged, workers=0, trust=True)
    assert (summary.ran, summary.skipped) == ({}, 10)


def test_a_shard_is_resumed_as_a_shard_and_what_is_missing_is_run_later(tmp_path):
    first = tmp_path / "first"
    run(**REQUEST, out=first, workers=0, shard="1/3")
    assert Store(first).manifest["shard"] == "1/3"
    (summary,) = resume(first, workers=0, trust=True)
    assert (summary.planned, summary.skipped) == (4, 4)
    merge_stores([first], tmp_path / "all")
    (summary,) = resume(tmp_path / "all", workers=0, trust=True)
    assert (summary.planned, summary.skipped) == (10, 4)
    run(**REQUEST, out=first, workers=0)
    assert "shard" not in Store(first).manifest


def test_a_search_needs_all_shards_before_the_test(tmp_path):
    request = {
        "methods": MOCKS + "Chooser",
        "datasets": SMALL,
        "tune": True,
        "grid": {MOCKS + "Chooser": {"level": [0, 1, 2]}},
        "limit": 4,
        "workers": 0,
    }
    run(**request, out=tmp_path / "whole")
    for stage in ("search", "test"):
        parts = [tmp_path / f"{stage}-{number}" for number in (1, 2)]
        for number, part in enumerate(parts, start=1):
            if stage == "test":  # with what all shards found before
                merge_stores([tmp_path / "all-search"], part)
            result = run(**request, out=part, shard=f"{number}/2")
            tested = Store(part).table(["key"], {"split": "test"})
            assert len(tested) == (2 if stage == "test" else 0)
            assert ("merge all shards" in " ".join(result.notes)) == (stage == "search")
        merge_stores(parts, tmp_path / f"all-{stage}")
    assert rows_but_times(tmp_path / "all-test") == rows_but_times(tmp_path / "whole")


def test_what_does_not_fit_together_is_refused(tmp_path):
    run(**REQUEST, out=tmp_path / "one", workers=0, shard="1/2")
    run(**{**REQUEST, "limit": 4}, out=tmp_path / "request", workers=0, shard="2/2")
    for name, file, column, value in (
        ("code", "runs-*.parquet", "version", "other"),
        ("data", "truth.parquet", "data", "0" * 32),
    ):
        run(**REQUEST, out=tmp_path / name, workers=0, shard="2/2")
        for part in (tmp_path / name).glob(file):
            table = pq.read_table(part)
            other = pa.array([value] * len(table), pa.string())
            place = table.column_names.index(column)
            table = table.set_column(place, column, other)
            pq.write_table(table, part, write_page_checksum=True)
    for name, words in (
        ("request", "another request"),
        ("code", "the code of .* is version"),
        ("data", "has other data"),
    ):
        with pytest.raises(InputError, match=words):
            merge_stores([tmp_path / "one", tmp_path / name], tmp_path / "all")
        assert not (tmp_path / "all").exists()
    with pytest.raises(InputError, match="is not empty"):
        merge_stores([tmp_path / "one"], tmp_path / "code")


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "a/b", "-1/4", "1/4/5", "1/²"])
def test_what_is_no_shard_is_refused(tmp_path, text):
    with pytest.raises(InputError, match="must be written like 3/40"):
        run(**REQUEST, out=tmp_path / "store", workers=0, shard=text)
    assert not (tmp_path / "store").exists()

"""Parts of an experiment, each by a process of its own, and joined again."""

import json
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.experiments.driving import (
    MOCKS,
    PROBLEMS,
    command,
    part_keys,
    rows_but_times,
)
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments import Store, merge_stores, resume, run

SMALL = PROBLEMS + "small"
METHODS = [MOCKS + "Mock", MOCKS + "Raiser"]
REQUEST = {"methods": METHODS, "datasets": SMALL, "limit": 7}


def test_shards_of_a_job_array_are_the_whole_experiment(tmp_path, capsys):
    """As in a job array, with processes of this machine in place of a scheduler."""
    run(**REQUEST, out=tmp_path / "whole", workers=0)
    names = [word for name in METHODS for word in ("--method", name)]
    line = ["run", "--dataset", SMALL, *names, "--limit", 7, "--workers", 1]
    parts = [tmp_path / f"part-{number}" for number in (1, 2, 3)]
    array = [
        command(*line, "--shard", f"{n}/3", "--out", part, stdout=subprocess.DEVNULL)
        for n, part in enumerate(parts, start=1)
    ]
    assert [process.wait() for process in array] == [0, 0, 0]
    keys = [set(part_keys(part)) for part in parts]
    assert [len(each) for each in keys] == [5, 5, 4]
    assert len(set.union(*keys)) == 14
    merged = tmp_path / "all"
    assert main(["store", "merge", *map(str, parts), "--out", str(merged)]) == 0
    assert capsys.readouterr().out == f"14 of 14 requested runs in {merged}\n"
    assert rows_but_times(merged) == rows_but_times(tmp_path / "whole")
    (summary,) = resume(merged, workers=1, trust=True)
    assert (summary.ran, summary.skipped) == ({}, 14)


def test_a_shard_is_resumed_as_a_shard_and_what_is_missing_is_run_later(tmp_path):
    first = tmp_path / "first"
    run(**REQUEST, out=first, workers=0, shard="1/3")
    (summary,) = resume(first, workers=1, trust=True)
    assert (summary.planned, summary.skipped) == (5, 5)
    merge_stores([first], tmp_path / "all")
    (summary,) = resume(tmp_path / "all", workers=1, trust=True)
    assert (summary.planned, summary.skipped) == (14, 5)


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
    run(**{**REQUEST, "limit": 6}, out=tmp_path / "request", workers=0, shard="2/2")
    for name, change in (
        ("code", _edit_versions),
        ("data", _edit_truth),
    ):
        run(**REQUEST, out=tmp_path / name, workers=0, shard="2/2")
        change(tmp_path / name)
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


def _edit_versions(store):
    """Let the rows be of another version."""
    for part in Store(store).parts():
        table = pq.read_table(part)
        other = pa.array(["other"] * len(table), pa.string())
        place = table.column_names.index("version")
        table = table.set_column(place, "version", other)
        pq.write_table(table, part, write_page_checksum=True)


def _edit_truth(store):
    table = pq.read_table(store / "truth.parquet")
    other = pa.array(["0" * 32] * len(table), pa.string())
    table = table.set_column(table.column_names.index("data"), "data", other)
    pq.write_table(table, store / "truth.parquet", write_page_checksum=True)


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "a/b", "-1/4", "1/4/5", "1/²"])
def test_what_is_no_shard_is_refused(tmp_path, text):
    with pytest.raises(InputError, match="must be written like 3/40"):
        run(**REQUEST, out=tmp_path / "store", workers=0, shard=text)
    assert not (tmp_path / "store").exists()


def test_the_manifest_says_which_shard(tmp_path):
    run(**REQUEST, out=tmp_path / "store", workers=0, shard="2/3")
    manifest = json.loads((tmp_path / "store" / "manifest.json").read_text())
    assert manifest["shard"] == "2/3"
    run(**REQUEST, out=tmp_path / "store", workers=0)
    assert "shard" not in Store(tmp_path / "store").manifest

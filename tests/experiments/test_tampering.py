"""Stores of somebody else: nothing is run, followed or believed unasked."""

import json
import os
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.experiments.driving import MOCKS, PROBLEMS, asked
from tsmdbench.cli import main
from tsmdbench.errors import DataError, InputError, StoreError
from tsmdbench.experiments.edit import damaged_parts, set_aside
from tsmdbench.experiments.running import resume, run_specification
from tsmdbench.experiments.store import Store, locked, writer_of
from tsmdbench.experiments.truth import TRUTH, read_truth
from tsmdbench.report import read_surfaces


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "store"
    run_specification(asked("Mock", limit=2), path, workers=0)
    return path


@pytest.fixture
def store(made, tmp_path):
    """A copy that may be damaged."""
    path = tmp_path / "store"
    path.mkdir()
    for file in made.iterdir():
        if file.is_file():
            (path / file.name).write_bytes(file.read_bytes())
    return path


def test_code_that_a_store_names_runs_only_when_trusted(store, capsys, monkeypatch):
    with pytest.raises(
        InputError, match=rf"import and run {MOCKS}Mock, {PROBLEMS}small"
    ):
        resume(store)
    monkeypatch.setattr(
        "tsmdbench.registry.import_object", lambda *_: pytest.fail("imported")
    )
    assert main(["resume", str(store)]) == 2
    assert "add --trust" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["repair", "lock", "status"])
def test_a_lock_that_is_a_link_is_not_followed(store, tmp_path, action):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (store / "lock").unlink()
    (store / "lock").symlink_to(victim)
    if action == "status":
        assert writer_of(store) == ""
    else:
        with pytest.raises(StoreError, match="is a link or not a file"):
            set_aside(store) if action == "repair" else locked(store).__enter__()
    assert victim.read_text() == "precious"


def test_a_lock_that_is_a_pipe_does_not_wait(store):
    (store / "lock").unlink()
    os.mkfifo(store / "lock")
    assert writer_of(store) == ""
    with pytest.raises(StoreError, match="is a link or not a file"):
        locked(store).__enter__()


def _in_time(action):
    """Return what an action raises; waiting for a pipe must not stop the tests."""
    raised = []

    def run():
        try:
            action()
        except Exception as error:  # noqa: BLE001 (it is looked at)
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    return raised


def test_parts_and_truth_that_are_pipes_are_damage(store):
    (part,) = Store(store).parts()
    for file, action in [
        (part, lambda: Store(store).table()),
        (store / TRUTH, lambda: read_truth(store)),
    ]:
        file.unlink()
        os.mkfifo(file)
        (error,) = _in_time(action)
        assert isinstance(error, StoreError)
        assert "is not a regular file" in str(error)


def test_a_surface_that_is_a_pipe_is_refused(store):
    (store / "tuning").mkdir()
    os.mkfifo(store / "tuning" / "x.parquet")
    (error,) = _in_time(lambda: read_surfaces(Store(store)))
    assert isinstance(error, DataError)
    assert "is not a regular file" in str(error)


def test_temporary_files_do_not_follow_links(store, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in (
        f".manifest.json.{os.getpid()}.tmp",
        ".runs-00000001-00000001.parquet.tmp",
    ):
        (store / name).symlink_to(victim)
    run_specification(asked("Mock", limit=3), store, workers=0)
    assert victim.read_text() == "precious"


@pytest.mark.parametrize(
    "change",
    [
        {"specifications": None},
        {"specifications": [{}]},
        {"specifications": [{"datasets": 1, "methods": 2, "limits": {}}]},
        {"specifications": [{"datasets": ["a"], "methods": [1], "limits": {}}]},
        {"specifications": [{"datasets": ["a"], "methods": ["b"], "limits": None}]},
        {"planned": "many"},
        {"planned": [None]},
        {"format": True},
        {"format": [1]},
        {"datasets": []},
        {"made_by": 3},
    ],
)
@pytest.mark.parametrize("command", ["status", "resume"])
def test_a_manifest_of_the_wrong_content_is_one_sentence(
    store, change, command, capsys
):
    manifest = json.loads((store / "manifest.json").read_text()) | change
    (store / "manifest.json").write_text(json.dumps(manifest))
    assert main([command, str(store), "--quiet"][: 2 + (command != "status")]) in (
        0,
        1,
        2,
    )
    error = capsys.readouterr().err
    assert error.count("\n") <= 4
    assert "Traceback" not in error


def rewritten(store, change):
    """Write the part again with another content, as a valid file."""
    (part,) = Store(store).parts()
    pq.write_table(change(pq.read_table(part)), part)
    return part


CHANGES = {
    "null status": lambda t: t.set_column(
        t.column_names.index("status"), "status", pa.nulls(len(t), pa.string())
    ),
    "unknown status": lambda t: t.set_column(
        t.column_names.index("status"), "status", pa.array(["fine"] * len(t))
    ),
    "bad parameters": lambda t: t.set_column(
        t.column_names.index("parameters"), "parameters", pa.array(["{"] * len(t))
    ),
    "parameters of a list": lambda t: t.set_column(
        t.column_names.index("parameters"), "parameters", pa.array(["[1]"] * len(t))
    ),
    "text for seconds": lambda t: t.set_column(
        t.column_names.index("seconds"), "seconds", pa.array(["x"] * len(t))
    ),
    "triples": lambda t: t.set_column(
        t.column_names.index("found"),
        "found",
        pa.array([[[[1, 2, 3]]]] * len(t), t.schema.field("found").type),
    ),
    "no key": lambda t: t.drop_columns(["key"]),
    "another table": lambda _: pa.table({"a": [1]}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_part_of_the_wrong_content_is_damaged(store, name):
    part = rewritten(store, CHANGES[name])
    assert list(damaged_parts(store)) == [part]
    with pytest.raises(StoreError, match="'tsmdbench store repair"):
        Store(store).table()


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("runs*.parquet", "cpu_seconds", "cpu_sebonds"), (TRUTH, "data", "dbta")],
)
def test_a_column_whose_name_was_damaged_is_not_taken_for_absent(store, file, old, new):
    (path,) = store.glob(file)
    table = pq.read_table(path)
    names = [new if name == old else name for name in table.column_names]
    pq.write_table(table.rename_columns(names), path)
    with pytest.raises(StoreError, match="damaged"):
        _ = Store(store).table(), read_truth(store)


def test_every_flipped_byte_of_the_truth_is_noticed_or_harmless(store):
    whole = (store / TRUTH).read_bytes()
    before = read_truth(store)
    rng = np.random.default_rng(5)
    for place in rng.choice(len(whole), size=150, replace=False):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << int(rng.integers(8))
        (store / TRUTH).write_bytes(damaged)
        try:
            after = read_truth(store)
        except StoreError:
            continue
        assert after == before

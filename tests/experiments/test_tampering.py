"""Stores of others: no code is run, no link followed, no damage overlooked."""

import json
import os
import threading

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.experiments.driving import MOCKS, PROBLEMS, asked
from tsmdbench.analysis import tuning_effort
from tsmdbench.cli import main
from tsmdbench.errors import DataError, InputError, StoreError
from tsmdbench.experiments.edit import set_aside
from tsmdbench.experiments.packed_sets import NAMES
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
        InputError, match=rf"imported and run, {MOCKS}Mock, {PROBLEMS}small"
    ):
        resume(store)
    monkeypatch.setattr(
        "tsmdbench.registry.import_object", lambda *_: pytest.fail("imported")
    )
    assert main(["resume", str(store)]) == 2
    assert "add --trust" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_lock_that_is_a_link_or_a_pipe_is_not_followed(store, tmp_path, kind):
    victim, lock = tmp_path / "victim", store / "lock"
    victim.write_text("precious")
    lock.unlink()
    lock.symlink_to(victim) if kind == "link" else os.mkfifo(lock)
    assert writer_of(store) == ""
    for action in (set_aside, lambda path: locked(path).__enter__()):
        with pytest.raises(StoreError, match="is a link or not a file"):
            action(store)
    assert victim.read_text() == "precious"


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


def test_files_of_a_store_that_are_pipes_are_damage(store):
    (part,) = Store(store).parts()
    surface = store / "tuning" / "x.parquet"
    surface.parent.mkdir()
    surface.touch()
    for file, kind, action in [
        (surface, DataError, lambda: read_surfaces(Store(store))),
        (part, StoreError, lambda: Store(store).table()),
        (store / TRUTH, StoreError, lambda: read_truth(store)),
    ]:
        file.unlink()
        os.mkfifo(file)
        (error,) = _in_time(action)
        assert isinstance(error, kind)
        assert "is not a regular file" in str(error)


def test_a_surface_of_the_wrong_content_is_damage(store):
    right = dict.fromkeys(tuning_effort.COLUMNS, 1) | {"winner": True}
    (store / "tuning").mkdir()
    for wrong in (
        {"parameters": "x"},
        {"parameters": None},
        {"parameters": "{}", "problems": None},
        {"parameters": "{}", "problems": "many"},
    ):
        table = pa.Table.from_pylist([right | wrong])
        pq.write_table(table, store / "tuning" / "x.parquet")
        with pytest.raises(DataError, match="is not a tuning surface: "):
            tuning_effort.searches(Store(store))


def test_temporary_files_do_not_follow_links(store, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    for name in (
        f".manifest.json.{os.getpid()}.tmp",
        f".runs-00000001-00000001.parquet.{os.getpid()}.tmp",
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
def test_a_manifest_of_the_wrong_content_is_one_sentence(store, change, capsys):
    manifest = json.loads((store / "manifest.json").read_text()) | change
    (store / "manifest.json").write_text(json.dumps(manifest))
    for line in (["status", str(store)], ["resume", str(store), "--quiet"]):
        assert main(line) in (0, 1, 2)
        error = capsys.readouterr().err
        assert error.count("\n") <= 4
        assert "Traceback" not in error


def with_column(name, values, kind=None):
    """Return a function that replaces a column of a table."""

    def change(table):
        filled = pa.array(values * len(table), kind or table.schema.field(name).type)
        return table.set_column(table.column_names.index(name), name, filled)

    return change


def found(**lists):
    """Motif sets as a file has them; lists that are not given are empty."""
    return {name: lists.get(name, []) for name in NAMES}


@pytest.mark.parametrize(
    "change",
    [
        with_column("status", [None]),
        with_column("status", ["fine"]),
        with_column("parameters", ["{"]),
        with_column("parameters", ["[1]"]),
        with_column("seconds", ["x"], pa.string()),
        with_column("seconds", [float("nan")]),
        with_column("peak_memory", [-1]),
        with_column("found", [found(motifs=[1])]),
        with_column("found", [found(motifs=[-1])]),
        with_column("found", [found(motifs=[2**62] * 4, widths=[0] * 4)]),
        with_column("found", [found(motifs=[1], widths=[2], starts=[0], lengths=[9])]),
        with_column("found", [found(motifs=[None])]),
        with_column("found", [None]),
        lambda table: table.drop_columns(["data"]),
        lambda _: pa.table({"a": [1]}),
    ],
)
def test_a_part_of_the_wrong_content_is_damaged(store, change):
    (part,) = Store(store).parts()
    pq.write_table(change(pq.read_table(part)), part)
    assert list(Store(store).damaged_parts()) == [part]
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


@pytest.mark.parametrize("read", [Store.__len__, lambda s: len(read_truth(s.path))])
def test_a_damaged_number_of_rows_is_noticed(store, read):
    file = store / TRUTH if read is not Store.__len__ else Store(store).parts()[0]
    whole, rows = file.read_bytes(), read(Store(store))
    end = len(whole) - 8
    begin = end - int.from_bytes(whole[end : end + 4], "little")
    noticed = 0
    for place in range(begin, end):
        if whole[place] == 2 * rows:  # as Parquet writes a small number
            damaged = bytearray(whole)
            damaged[place] = 0
            file.write_bytes(damaged)
            try:
                assert read(Store(store)) == rows
            except StoreError:
                noticed += 1
    assert noticed >= 2  # the rows of the file, and of its only group

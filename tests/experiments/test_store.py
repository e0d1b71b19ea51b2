"""The store: whole parts, one writer, damage that is named, reading by column."""

import errno
import os
import shutil
import subprocess
import sys

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments import rows as parts
from tsmdbench.experiments.edit import set_aside
from tsmdbench.experiments.rows import SCHEMA, Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter, writer_of
from tsmdbench.metrics import evaluate_many

FOUND = [[[0, 10], [20, 30]], [], [[5, 9]]]


def row(number, status="ok", **changes):
    run = Run("m", "1", "{}", "d", "test", f"p{number}")
    return {**run.row(Outcome(status, 0.5, 0.4, 100, 1, FOUND)), **changes}


def fill(path, count, each=1):
    with StoreWriter(path) as writer:
        for first in range(0, count, each):
            writer.add([row(k) for k in range(first, min(first + each, count))])
            writer.flush()
    return Store(path)


def test_rows_come_back_as_they_were_by_column_and_filter(tmp_path):
    store = fill(tmp_path / "s", 5, each=2)
    table = store.table().sort_by("problem")
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == [row(k) for k in range(5)]
    assert len(store) == 5
    assert store.counts() == {("d", "test", "m", "ok"): 5}
    one = store.table(["problem"], {"problem": "p3", "method": "m"})
    assert one.to_pydict() == {"problem": ["p3"]}
    some = store.table(["problem"], {"problem": ["p4", "p1", "none"]})
    assert sorted(some["problem"].to_pylist()) == ["p1", "p4"]
    assert len(store.table(where={"method": "other"})) == 0
    lazy = store.dataset().to_table(filter=pc.field("problem") == "p3")
    assert lazy["data"].to_pylist() == [row(3)["data"]]
    found = store.table(["found"])["found"].to_pylist()
    scores = evaluate_many([([[(0, 10), (20, 30)]], sets) for sets in found])
    assert scores["prom_recall"].tolist() == [1.0] * 5


def test_a_run_is_stored_once(tmp_path):
    fill(tmp_path / "s", 3)
    with StoreWriter(tmp_path / "s") as writer:
        writer.add([row(1, "error"), row(7), row(7)])
    rows = Store(tmp_path / "s").table(["problem", "status"]).to_pylist()
    assert sorted(r["problem"] for r in rows) == ["p0", "p1", "p2", "p7"]
    assert {r["status"] for r in rows} == {"ok"}


def test_keys_name_everything_that_matters():
    base = Run("m", "1", "{}", "d", "test", "p")
    changes = ["method", "version", "parameters", "dataset", "split", "problem", "data"]
    keys = {Run(**{**vars(base), name: "other"}).key for name in changes} | {base.key}
    assert len(keys) == 8
    # The field borders count: moving a letter from one to the next is another run.
    assert (
        Run("mx", "1", "{}", "d", "t", "p").key
        != Run("m", "x1", "{}", "d", "t", "p").key
    )


def test_many_parts_are_merged_and_nothing_is_lost(tmp_path, monkeypatch):
    monkeypatch.setattr("tsmdbench.experiments.store.MERGE", 4)
    count = 14  # in parts of 4, 4, 4, 1 and 1 rows
    store = fill(tmp_path / "s", count)
    assert len(store.parts()) == 5
    assert store.keys() == {row(k)["key"] for k in range(count)}
    with StoreWriter(tmp_path / "s") as writer:
        writer.compact()
    assert len(store.parts()) == 1
    assert len(store) == count


def test_a_crash_within_a_merge_or_a_part_counts_no_row_twice(tmp_path, monkeypatch):
    store = fill(tmp_path / "s", 5)
    left = store.path / ".runs-00000009-00000009.parquet.tmp"
    left.write_bytes(b"half a part")
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", lambda *_, **__: None)
        parts.merge_parts(store.path, store.parts())
    assert len(list(store.path.glob("runs-*"))) == 6
    assert len(store) == 5
    with StoreWriter(store.path) as writer:
        writer.add([row(9)])
    assert len(list(store.path.glob("runs-*"))) == 2
    assert len(store) == 6
    assert not left.exists()


@pytest.mark.parametrize("harm", ["truncate", "flip", "empty", "other"])
def test_a_damaged_part_is_named_and_can_be_set_aside(tmp_path, harm):
    store = fill(tmp_path / "s", 40, each=10)
    part = store.parts()[1]
    data = bytearray(part.read_bytes())
    if harm == "truncate":
        part.write_bytes(data[: len(data) // 2])
    elif harm == "flip":
        at = pq.ParquetFile(part).metadata.row_group(0).column(0).data_page_offset
        data[at + 60] ^= 0xFF
        part.write_bytes(data)
    elif harm == "empty":
        part.write_bytes(b"")
    else:
        pq.write_table(store.table().select(["method"]), part)
    assert list(store.damaged_parts()) == [part]
    if harm != "other":
        with pytest.raises(StoreError, match=f"{part.name}: damaged .*store repair"):
            store.table()
        with pytest.raises(StoreError, match=part.name):
            StoreWriter(store.path).__enter__()
    assert list(set_aside(store.path)) == [part]
    assert set_aside(store.path) == {}
    assert len(store) == 30
    assert part.with_name(part.name + ".damaged").exists()
    assert len(fill(store.path, 40)) == 40


def test_any_flipped_bit_of_the_data_is_noticed(tmp_path):
    (part,) = fill(tmp_path / "s", 2000, each=2000).parts()
    data = part.read_bytes()
    group = pq.ParquetFile(part).metadata.row_group(0)
    column = group.column(parts.STORED.names.index("problem"))
    end = column.data_page_offset + column.total_compressed_size
    half = column.total_compressed_size // 2
    assert half > 500
    for at in range(end - half, end, 29):  # the page itself, behind its header
        part.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert parts.damage(part) is not None, at
    part.write_bytes(data)
    assert parts.damage(part) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"manifest\.json is damaged"),
        ('{"format": 99}', "has format 99; this version reads 1"),
        ('{"format": 1}', "damaged .specifications is None"),
    ],
)
def test_a_damaged_manifest_is_named(tmp_path, text, message):
    store = fill(tmp_path / "s", 1)
    (store.path / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=message):
        _ = store.manifest


def test_what_is_no_store_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        Store(tmp_path / "none")
    (tmp_path / "thesis.tex").write_text("")
    for path, error, message in (
        (tmp_path, InputError, "not empty and is not a store"),
        (tmp_path / "thesis.tex", InputError, "is a file"),
        ("/proc/none", StoreError, "cannot write to /proc/none"),
    ):
        with pytest.raises(error, match=message):
            StoreWriter(path).__enter__()


def test_there_is_one_writer_and_a_killed_one_is_followed(tmp_path):
    code = (
        "import sys, time\n"
        "from tsmdbench.experiments.store import StoreWriter\n"
        "with StoreWriter(sys.argv[1]):\n"
        "    print('locked', flush=True)\n"
        "    time.sleep(600)\n"
    )
    path = tmp_path / "s"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout.readline() == b"locked\n"
        with pytest.raises(StoreError, match=f"written by process {holder.pid} on"):
            StoreWriter(path).__enter__()
        holder.kill()
        holder.wait()
    with StoreWriter(path) as writer:
        assert f"process {holder.pid} on" in writer.took_over
        with pytest.raises(StoreError, match=f"written by process {os.getpid()} on"):
            StoreWriter(path).__enter__()
        assert f"process {os.getpid()} on" in writer_of(path)
        assert len(Store(path)) == 0
    assert writer_of(path) == ""
    with StoreWriter(path) as writer:
        assert writer.took_over == ""


def test_only_groups_of_rows_that_are_wanted_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "ROW_GROUP", 4)
    runs = [Run(f"m{n // 5}", "1", "{}", "d", "test", f"p{n}") for n in range(20)]
    rows = [run.row(Outcome("ok", found=FOUND)) for run in runs]
    with StoreWriter(tmp_path / "s") as writer:
        writer.add(rows)
        writer.flush()
    store = Store(tmp_path / "s")
    (file,) = store.parts()
    assert parts.pq.ParquetFile(file).num_row_groups == 5
    read = []
    whole = parts.pq.ParquetFile.read_row_group

    def spy(self, number, columns, **options):
        read.extend([number] * ("data" in columns))
        return whole(self, number, columns, **options)

    monkeypatch.setattr(parts.pq.ParquetFile, "read_row_group", spy)
    found = store.table(["key"], {"method": "m1"})["key"].to_pylist()
    assert found == [r["key"] for r in rows if r["method"] == "m1"]
    assert read == [1, 2]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EIO])
def test_a_disk_that_refuses_is_a_clear_error_and_harms_nothing(
    tmp_path, monkeypatch, code
):
    store = fill(tmp_path / "s", 3)

    def refuse(*_):
        raise OSError(code, os.strerror(code))

    with StoreWriter(store.path) as writer:
        writer.add([row(7), row(8)])
        monkeypatch.setattr("os.fsync", refuse)
        with pytest.raises(StoreError, match=os.strerror(code)) as caught:
            writer.flush()
        monkeypatch.undo()
        writer._buffer.clear()
    assert "2 finished runs were not stored and will run again" in str(caught.value)
    assert len(store) == 3
    assert not list(store.path.glob("*.tmp"))
    assert writer_of(store.path) == ""


@pytest.mark.slow
def test_a_full_disk_for_real(tmp_path):
    """On a file system of one megabyte; needs the right to mount."""
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted")
    try:
        with StoreWriter(small / "s") as writer:
            writer.add([row(number) for number in range(3)])
            writer.flush()
            (small / "ballast").write_bytes(bytes(shutil.disk_usage(small).free - 4096))
            writer.add([row(7, message=os.urandom(1 << 15).hex())])
            with pytest.raises(StoreError, match="No space left on device"):
                writer.flush()
            writer._buffer.clear()
        assert len(Store(small / "s")) == 3
        assert Store(small / "s").damaged_parts() == {}
        remount = ["mount", "-o", "remount,ro", str(small)]
        subprocess.run(remount, capture_output=True, check=True)
        with pytest.raises(StoreError, match="Read-only file system"):
            StoreWriter(small / "s").__enter__()
        assert len(Store(small / "s")) == 3
    finally:
        subprocess.run(["umount", str(small)], check=True)


@pytest.mark.slow
def test_a_million_rows_are_no_problem(tmp_path):
    store = fill(tmp_path / "s", 1_000_000, each=50_000)
    assert len(store.keys()) == 1_000_000
    assert store.counts() == {("d", "test", "m", "ok"): 1_000_000}

"""Files of motif sets and series: what is read, and what is refused how."""

import json

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError, MotifSet
from tsmdbench import io as files
from tsmdbench.metrics import prom
from tsmdbench.validation import check_motif_sets

SETS = {"a": MotifSet([(0, 10), (20, 30)]), "b, c": MotifSet([(40, 50)])}


@pytest.mark.parametrize("ending", ["json", "csv", "parquet"])
def test_motif_sets_survive_a_round_trip(tmp_path, ending):
    file = tmp_path / f"sets.{ending}"
    files.write_motif_sets(file, SETS)
    read = check_motif_sets(file, "truth")
    assert dict(zip(read.labels, read.sets, strict=True)) == SETS
    assert prom(file, str(file)).f1 == 1.0
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_json_may_be_a_list_of_lists(tmp_path):
    file = tmp_path / "sets.json"
    file.write_text("[[[0, 10], [20, 30]], []]")
    read = check_motif_sets(file, "found")
    assert read.labels == (0, 1)
    assert read.sets == (MotifSet([(0, 10), (20, 30)]), MotifSet())


def test_an_empty_set_needs_json(tmp_path):
    files.write_motif_sets(tmp_path / "sets.json", {"a": MotifSet()})
    with pytest.raises(InputError, match="empty set"):
        files.write_motif_sets(tmp_path / "sets.csv", {"a": MotifSet()})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '{"x": [[0, 10]],\n "y": [[1 2]]}', "line 2, column 11"),
        ("a.json", "", "line 1, column 1"),
        ("a.json", "7", "expected"),
        ("a.json", '{"x": [[0, 10]], "x": [[20, 30]]}', "'x' occurs twice"),
        ("a.json", '{"x": [[0, 1.5]]}', "set 'x': segment 0 has the bound 1.5"),
        ("a.json", '{"x": "hello"}', "set 'x'"),
        ("a.json", "[[0, 10], [20, 30]]", "flat list"),
        ("a.json", "[" * 100_000, "a.json"),
        ("a.csv", "set,start,end\na,0,10\nb,ten,20\n", "line 3, column 2: 'ten'"),
        ("a.csv", "set,start,end\na,0,1.5\n", "line 2, column 3: '1.5'"),
        ("a.csv", "set,start,end\na,0\n", "line 2, column 2"),
        ("a.csv", "start,end\n0,10\n", "header must be set,start,end"),
        ("a.csv", "", "header must be set,start,end"),
        ("a.csv", "x" * 200_000, "a.csv, line 1"),
        ("a.parquet", "not parquet", "not a readable Parquet file"),
        ("a.txt", "0 10", "unknown format '.txt'"),
        ("plain", "0 10", "unknown format"),
    ],
)
def test_malformed_files_are_named_with_line_and_column(tmp_path, name, text, message):
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        check_motif_sets(file, "truth")
    assert str(file) in str(caught.value)


def test_folders_binaries_and_heaps_of_text_are_refused(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        files.read_motif_sets(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        files.read_motif_sets(tmp_path / "none.json")
    binary = tmp_path / "binary.json"
    binary.write_bytes(bytes(range(256)))
    with pytest.raises(InputError, match="is binary"):
        files.read_motif_sets(binary)
    latin = tmp_path / "latin.csv"
    latin.write_bytes("set,start,end\nä,0,1".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        files.read_motif_sets(latin)
    heap = tmp_path / "heap.json"
    with heap.open("wb") as stream:  # a sparse file: a gigabyte that takes no room
        stream.truncate(2**30)
    with pytest.raises(InputError, match="bytes, more than"):
        files.read_motif_sets(heap)


def test_parquet_without_a_column_is_refused(tmp_path):
    file = tmp_path / "sets.parquet"
    pd.DataFrame({"set": ["a"], "start": [0]}).to_parquet(file)
    with pytest.raises(InputError, match="must be set,start,end"):
        files.read_motif_sets(file)


def test_series_are_read_from_every_format(tmp_path):
    x = np.arange(6.0).reshape(3, 2)
    np.save(tmp_path / "x.npy", x)
    pd.DataFrame(x, columns=["u", "v"]).to_parquet(tmp_path / "x.parquet")
    pd.DataFrame(x, columns=["u", "v"]).to_csv(tmp_path / "x.csv", index=False)
    np.savetxt(tmp_path / "x.txt", x)
    for ending in ("npy", "parquet", "csv", "txt"):
        assert np.array_equal(files.read_series(tmp_path / f"x.{ending}"), x)
    (tmp_path / "one.csv").write_text("1\n2\n\nnan\n")
    one = files.read_series(tmp_path / "one.csv")
    assert np.array_equal(one, [1.0, 2.0, np.nan], equal_nan=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n3,x\n", "line 2, column 2: 'x' is not a number"),
        ("1,2\n3\n", "line 2: 1 columns"),
        ("", "holds no samples"),
        ("value\n", "holds no samples"),
    ],
)
def test_malformed_series_are_named_with_line(tmp_path, text, message):
    file = tmp_path / "x.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        files.read_series(file)


def test_a_pickled_array_is_never_loaded(tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="not a npy file of numbers"):
        files.read_series(file)
    np.save(file, np.array(["a", "b"]))
    with pytest.raises(InputError, match="holds numbers"):
        files.read_series(file)


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "sets.json"
    files.write_motif_sets(file, SETS)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write_motif_sets(file, {"z": MotifSet([(0, 1)])})
    assert set(json.loads(file.read_text())) == {"a", "b, c"}
    assert [path.name for path in tmp_path.iterdir()] == [file.name]

"""Motif sets that no program should write: one sentence and status 2."""

import json

import pytest

from tsmdbench.cli import main

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402


def write(file, names, columns):
    arrays = [pa.array(column) for column in columns]
    parquet.write_table(pa.Table.from_arrays(arrays, names=names), file)


@pytest.mark.parametrize(
    ("name", "make", "message"),
    [
        (
            "a.csv",
            lambda f: f.write_text(f"set,start,end\na,0,{'9' * 5000}\n"),
            "line 2, column 3",
        ),
        (
            "a.csv",
            lambda f: f.write_text(f"set,start,end\na,0,{'9' * 5000}:10:10\n"),
            "line 2, column 3",
        ),
        (
            "a.json",
            lambda f: f.write_text(f'{{"a": [[0, {"9" * 400}]]}}'),
            "beyond 64 bits",
        ),
        (
            "twice.parquet",
            lambda f: write(f, ["set", "start", "start", "end"], [[1], [0], [1], [9]]),
            "the column 'start' is there twice",
        ),
        (
            "lists.parquet",
            lambda f: write(f, ["set", "start", "end"], [[[1, 2]], [0], [9]]),
            "a label is a text or a number",
        ),
        (
            "structs.parquet",
            lambda f: write(f, ["set", "start", "end"], [[{"a": 1}], [0], [9]]),
            "a label is a text or a number",
        ),
    ],
)
def test_a_bad_file_of_sets_is_one_sentence(tmp_path, capsys, name, make, message):
    file, good = tmp_path / name, tmp_path / "good.json"
    make(file)
    good.write_text(json.dumps({"a": [[0, 5], [10, 15]]}))
    assert main(["evaluate", str(file), str(good)]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert len(said) < 1000

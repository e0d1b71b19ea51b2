"""Motif sets that no program should write: one sentence and status 2."""

import json

import pytest

from tsmdbench.cli import main

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402


def write(file, names, columns):
    arrays = [pa.array(column) for column in columns]
    parquet.write_table(pa.Table.from_arrays(arrays, names=names), file)


LONG = "9" * 5000
COLUMNS = ["set", "start", "end"]
CASES = [
    ("a.csv", f"set,start,end\na,0,{LONG}\n", "line 2, column 3"),
    ("a.csv", f"set,start,end\na,0,{LONG}:10:10\n", "line 2, column 3"),
    ("a.json", f'{{"a": [[0, {LONG[:400]}]]}}', "beyond 64 bits"),
    (
        "twice.parquet",
        (["set", "start", "start", "end"], [[1], [0], [1], [9]]),
        "the column 'start' is there twice",
    ),
    ("a.parquet", (COLUMNS, [[[1, 2]], [0], [9]]), "a label is a text or a number"),
    ("a.parquet", (COLUMNS, [[{"a": 1}], [0], [9]]), "a label is a text or a number"),
]


def test_a_bad_file_of_sets_is_one_sentence(tmp_path, capsys):
    good = tmp_path / "good.json"
    good.write_text(json.dumps({"a": [[0, 5], [10, 15]]}))
    for name, content, message in CASES:
        file = tmp_path / name
        file.write_text(content) if isinstance(content, str) else write(file, *content)
        assert main(["evaluate", str(file), str(good)]) == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1
        assert len(said) < 1000

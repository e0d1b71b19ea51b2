"""Files that no reader should open: FIFOs, huge ones, unknown endings."""

import os

import numpy as np
import pytest

from tsmdbench import InputError
from tsmdbench.io import (
    motif_formats,
    read_annotations,
    read_recording,
    series_formats,
)

SERIES = list(series_formats())
MOTIFS = list(motif_formats())


def sentence(call, *arguments, **options):
    with pytest.raises(InputError) as error:
        call(*arguments, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", SERIES)
def test_no_reader_of_series_opens_what_is_no_file(tmp_path, name):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path, says in (
        (fifo, "is not a regular file"),
        (tmp_path, "is a folder"),
        (tmp_path / "none", "does not exist"),
        ("/dev/zero", "is not a regular file"),
    ):
        assert says in sentence(read_recording, path, file_format=name)


@pytest.mark.parametrize("name", MOTIFS)
def test_no_reader_of_motif_sets_opens_what_is_no_file(tmp_path, name):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    assert "is not a regular file" in sentence(read_annotations, fifo, file_format=name)
    assert "is a folder" in sentence(read_annotations, tmp_path, file_format=name)


@pytest.mark.parametrize("name", [name for name in SERIES if name != "wfdb"])
def test_huge_files_are_refused_at_once(tmp_path, name):
    file = tmp_path / "huge.any"
    with file.open("wb") as stream:
        stream.truncate(2**43)  # a sparse file: eight terabytes that take no room
    assert "bytes, more than" in sentence(read_recording, file, file_format=name)


@pytest.mark.parametrize("name", [name for name in MOTIFS if name != "wfdb"])
def test_huge_files_of_motif_sets_are_refused_at_once(tmp_path, name):
    file = tmp_path / "huge.npy"
    with file.open("wb") as stream:
        stream.truncate(2**40)
    options = {"length": 5, "background": "0"}
    said = sentence(read_annotations, file, file_format=name, **options)
    assert "bytes, more than" in said
    assert "--max-bytes" in said


@pytest.mark.parametrize("name", [name for name in MOTIFS if name != "wfdb"])
@pytest.mark.parametrize(
    "content", [b"", b" \n\t\n", bytes(range(256)), "ä\t1\t2\n".encode("latin-1")]
)
def test_garbage_for_every_reader_of_motif_sets(tmp_path, name, content):
    file = tmp_path / "garbage.any"
    file.write_bytes(content)
    options = {"length": 5, "background": "0", "rate": 1.0}
    said = sentence(read_annotations, file, file_format=name, **options)
    assert str(file) in said


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no samples"),
        (b" \n\n", "holds no samples"),
        (b"a,b\n", "holds no samples"),
        (bytes(range(256)), "is binary, not text"),
        (b"a,b\n1,2\n3", "line 3: 1 columns where the lines above have 2"),
        (b"a,b\n1,2\n3,\xff\n", "not UTF-8"),
        (b'a,b\n1,"2\n3,4\n', "x.csv"),
    ],
)
def test_bad_text(tmp_path, content, message):
    file = tmp_path / "x.csv"
    file.write_bytes(content)
    assert message in sentence(read_recording, file)


def test_unknown_endings_name_the_known_ones(tmp_path):
    file = tmp_path / "x.xls"
    file.write_text("1\n2\n")
    said = sentence(read_recording, file)
    assert "unknown format '.xls'; known: .arrow, .csv" in said
    assert "--format" in said
    assert read_recording(file, file_format="text").series.tolist() == [1, 2]
    (tmp_path / "plain").write_text("1")
    said = sentence(read_annotations, tmp_path / "plain")
    assert "unknown format 'without ending'" in said


def test_endings_are_told_once():
    for registry in (series_formats(), motif_formats()):
        known = [registry.get(name) for name in registry]
        endings = [ending for form in known for ending in form.endings]
        assert len(endings) == len(set(endings))
        assert all(form.says for form in known)
        assert all(ending == ending.lower() for ending in endings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "guess"}, "missing must be one of"),
        ({"columns": "a,a"}, "columns must name different columns"),
        ({"time_unit": "weeks"}, "time_unit must be one of"),
        ({"separator": "ab"}, "separator must be one character"),
        ({"decimal": ";"}, "decimal must be one of"),
        ({"time_axis": 2}, "time_axis must be 0 or 1"),
        ({"case": 1}, "--case is for .ts files"),
        ({"time_column": "z"}, "has no column 'z'"),
        ({"speed": 1}, "no option speed"),
    ],
)
def test_wrong_options_are_one_sentence(tmp_path, options, message):
    np.save(tmp_path / "x.npy", np.zeros(5))
    assert message in sentence(read_recording, tmp_path / "x.npy", **options)

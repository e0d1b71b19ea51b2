"""Motif sets in every format: written and read back, in samples and in time."""

import json
import os
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from tests.io.damage import sentence, survives
from tsmdbench import InputError, MotifSet
from tsmdbench.io import (
    Recording,
    motif_formats,
    read_annotations,
    read_motif_sets,
    series_formats,
    write_motif_sets,
)
from tsmdbench.metrics import prom
from tsmdbench.validation import check_motif_sets

SETS = {"bump": MotifSet([(10, 30), (55, 71)]), "wave, x": MotifSet([(33, 47)])}
STAMPED = Recording(
    np.zeros((1000, 1)),
    ("x",),
    rate=100.0,
    start=np.datetime64("2024-05-01T12:00:00", "ns"),
)
FORMATS = [name for name in motif_formats() if name != "wfdb"]  # has tests of its own
WRITTEN = [name for name in FORMATS if motif_formats()[name].write]
OPTIONS = {"length": 5, "background": "0", "rate": 1.0}


def as_sets(found):
    return {label: MotifSet(pairs) for label, pairs in found.items()}


@pytest.mark.parametrize("name", WRITTEN)
def test_what_is_written_is_read_back_or_refused_when_damaged(tmp_path, name):
    file = tmp_path / "sets.any"
    for rate in (1.0, 100.0, 360.0, 44_100.0):
        if name == "elan" and rate > 1000:
            continue  # ELAN's milliseconds are coarser than these samples
        lost = write_motif_sets(file, SETS, file_format=name, rate=rate)
        assert bool(lost) == bool(motif_formats()[name].loses)
        units = {"units": "samples"} if name == "label-studio" else {}
        found = read_annotations(file, file_format=name, rate=rate, **units)
        assert as_sets(found.sets) == SETS
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    content = file.read_bytes()
    for units in ("samples", "epoch-ms"):

        def read(file, units=units):
            read_annotations(file, file_format=name, rate=10.0, units=units)

        survives(file, content, read, times=40)


@pytest.mark.parametrize("name", FORMATS)
def test_no_reader_takes_garbage_folders_pipes_or_huge_files(tmp_path, name):
    fifo, file = tmp_path / "pipe", tmp_path / "x.npy"
    os.mkfifo(fifo)
    assert "is not a regular file" in sentence(read_annotations, fifo, file_format=name)
    assert "is a folder" in sentence(read_annotations, tmp_path, file_format=name)
    for content in (b"", b" \n\t\n", bytes(range(256)), "ä\t1\t2\n".encode("latin-1")):
        file.write_bytes(content)
        said = sentence(read_annotations, file, file_format=name, **OPTIONS)
        assert str(file) in said
    with file.open("wb") as stream:
        stream.truncate(2**40)  # a sparse file
    said = sentence(read_annotations, file, file_format=name, **OPTIONS)
    assert "bytes, more than" in said
    assert "--max-bytes" in said


def test_each_ending_belongs_to_one_format():
    for registry in (motif_formats(), series_formats()):
        endings = [ending for form in registry.values() for ending in form.endings]
        assert len(endings) == len(set(endings))
        assert all(ending == ending.lower() for ending in endings)
        assert all(form.says for form in registry.values())


def test_files_are_motif_sets_for_metrics(tmp_path):
    for ending in ("json", "csv", "tsv", "parquet"):
        file = tmp_path / f"sets.{ending}"
        write_motif_sets(file, SETS)
        read = check_motif_sets(file, "truth")
        assert dict(zip(read.labels, read.sets, strict=True)) == SETS
        assert prom(file, str(file)).f1 == 1.0
    file = tmp_path / "sets.json"
    file.write_text("[[[0, 10], [20, 30]], []]")
    read = check_motif_sets(file, "found")
    assert (read.labels, read.sets[1]) == ((0, 1), MotifSet())
    write_motif_sets(file, {"a": MotifSet()})
    with pytest.raises(InputError, match="empty set"):
        write_motif_sets(tmp_path / "sets.csv", {"a": MotifSet()})


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "sets.json"
    write_motif_sets(file, SETS)

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_motif_sets(file, {"z": MotifSet([(0, 1)])})
    assert set(json.loads(file.read_text())) == set(SETS)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_malformed_files_are_named_with_line_and_column(tmp_path):
    for name, text, message in (
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
        ("plain", "0 10", "unknown format 'without ending'"),
    ):
        (tmp_path / name).write_text(text)
        said = sentence(check_motif_sets, tmp_path / name, "truth")
        assert message in said
        assert str(tmp_path / name) in said
    pd.DataFrame({"set": ["a"], "start": [0]}).to_parquet(tmp_path / "a.parquet")
    said = sentence(read_motif_sets, tmp_path / "a.parquet")
    assert "must be set,start,end" in said


@pytest.mark.parametrize("start", [12.5, np.datetime64("2024-05-01T12:00", "ns"), None])
def test_label_tracks_are_on_the_axis_of_the_recording(tmp_path, start):
    recording = Recording(np.zeros((100, 1)), ("x",), rate=100.0, start=start)
    for name in ("audacity", "elan", "textgrid"):
        write_motif_sets(tmp_path / "x", SETS, file_format=name, recording=recording)
        found = read_annotations(tmp_path / "x", file_format=name, recording=recording)
        assert as_sets(found.sets) == SETS


def read(tmp_path, text, name, **options):
    file = tmp_path / "labels.txt"
    file.write_text(text)
    return read_annotations(file, file_format=name, **{"rate": 100.0, **options})


def test_audacity(tmp_path):
    text = "0.100000\t0.300000\tbump\n\\\t200.0\t300.0\n0.55\t0.7104\tbump\n"
    found = read(tmp_path, text, "audacity")
    assert found.sets == {"bump": [(10, 30), (55, 71)]}
    assert found.notes == (
        "1 spectral selection left out",
        "1 segment rounded to samples, by up to 0.4 ms",
    )
    said = sentence(read, tmp_path, text, "audacity", rate=None)
    assert "line 1: 0.1 s is a time, but no sampling rate" in said


ELAN = (
    "gesture\tanna\t00:00:00.100\t0.1\t00:00:00.300\t0.3\t00:00:00.200\t0.2\tbump\n"
    "gesture\tanna\t00:00:00.550\t0.55\t00:00:00.710\t0.71\t00:00:00.160\t0.16\twave\n"
)
ELAN_NAMED = (
    "Begin Time - ss.msec\tEnd Time - ss.msec\tDuration - ss.msec\tgesture\tspeech\n"
    "0.1\t0.3\t0.2\tbump\t\n0.55\t0.71\t0.16\twave\thello\n"
)


def test_elan_with_and_without_names(tmp_path):
    wanted = {"bump": [(10, 30)], "wave": [(55, 71)]}
    assert read(tmp_path, ELAN, "elan").sets == wanted
    with pytest.raises(InputError, match="has the tiers 'gesture', 'speech'"):
        read(tmp_path, ELAN_NAMED, "elan")
    found = read(tmp_path, ELAN_NAMED, "elan", tier="gesture")
    assert found.sets == wanted
    assert found.notes == ("tiers left out: speech",)
    with pytest.raises(InputError, match="has no tier 'foot'"):
        read(tmp_path, ELAN_NAMED, "elan", tier="foot")


LONG = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "gesture"
        xmin = 0
        xmax = 1
        intervals: size = 3
        intervals [1]:
            xmin = 0
            xmax = 0.1
            text = ""
        intervals [2]:
            xmin = 0.1
            xmax = 0.3
            text = "a ""big"" bump"
        intervals [3]:
            xmin = 0.3
            xmax = 1
            text = ""
    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 1
        points: size = 1
        points [1]:
            number = 0.5
            mark = "click"
"""


def test_textgrid_long_form_and_utf_16(tmp_path):
    found = read(tmp_path, LONG, "textgrid")
    assert found.sets == {'a "big" bump': [(10, 30)]}
    assert found.notes == ("1 point left out: a point has no length",)
    file = tmp_path / "x.TextGrid"
    file.write_text(LONG.replace("bump", "Bø"), encoding="utf-16")
    assert list(read_motif_sets(file, rate=100)) == ['a "big" Bø']


def test_intervals_of_a_written_textgrid_follow_each_other(tmp_path):
    recording = Recording(np.zeros((100, 1)), ("x",), rate=100.0, start=12.5)
    file = tmp_path / "x.TextGrid"
    write_motif_sets(file, SETS, recording=recording)
    lines = file.read_text().splitlines()[3:]
    assert lines[:2] == ["12.500000000", "13.500000000"]  # those of the recording
    rows = [lines[at : at + 3] for at in range(9, len(lines), 3)]
    assert rows[0][0] == lines[0]
    assert rows[-1][1] == lines[1]
    assert all(a[1] == b[0] for a, b in pairwise(rows))


def test_other_or_cut_text_is_no_textgrid(tmp_path):
    cuts = [LONG[:cut] for cut in (30, 60, 110, 300, 420)]
    for text in ("hello", '"a" "b"', "1 2 3 4", "", *cuts):
        with pytest.raises(InputError, match=r"labels\.txt"):
            read(tmp_path, text, "textgrid")
    overlapping = {"a": MotifSet([(0, 10), (5, 15)])}
    with pytest.raises(InputError, match="cannot hold segments that overlap"):
        write_motif_sets(tmp_path / "x.TextGrid", overlapping, rate=1)


def task(*values, kind="timeserieslabels"):
    regions = [{"value": value, "type": kind} for value in values]
    return [{"id": 1, "data": {}, "annotations": [{"result": regions}]}]


def region(start, end, *labels, **more):
    return {"start": start, "end": end, "timeserieslabels": list(labels), **more}


def test_label_studio_numbers_need_units_and_texts_do_not(tmp_path):
    numbers = json.dumps(task(region(100, 300.4, "Run"), region(550, 710, "Run", "Up")))
    with pytest.raises(InputError, match=r"region 0 has the bound 100, .* give units"):
        read(tmp_path, numbers, "label-studio")
    found = read(tmp_path, numbers, "label-studio", units="ms")
    assert found.sets == {"Run": [(10, 30), (55, 71)], "Up": [(55, 71)]}
    epoch = 1714564800000
    stamps = task(
        region("2024-05-01T12:00:00.100Z", "2024-05-01 12:00:00.3", "Run"),
    )
    found = read(
        tmp_path, json.dumps(stamps), "label-studio", recording=STAMPED, rate=None
    )
    assert found.sets == {"Run": [(10, 30)]}
    found = read(
        tmp_path,
        json.dumps(task(region(epoch + 100.0, epoch + 300.0, "Run"))),
        "label-studio",
        recording=STAMPED,
        rate=None,
        units="epoch-ms",
    )
    assert found.sets == {"Run": [(10, 30)]}


def test_bad_rows_and_regions_are_named(tmp_path):
    studio = {"name": "label-studio", "units": "samples"}
    elan, audacity = {"name": "elan", "tier": "gesture"}, {"name": "audacity"}
    late = "g\ta\t00:00:01.000\t1\t00:00:02.000\t2\t\n"
    for content, options, message in (
        ("0.1\t0.2\ta\n0.3\t0.3\tb\n", audacity, "line 2: 'b' marks a point in time"),
        ("0.1\t0.2\n", audacity, "line 1: a label track has start, end and label"),
        ("0.1\t0.2\t \n", audacity, "line 1 has no label"),
        ("a\tb\tc\n", audacity, "line 1: 'a' and 'b' must be seconds"),
        ("nan\t1\tc\n", audacity, "line 1: nan is not a place in time"),
        ("1e300\t2e300\tc\n", audacity, "line 1: 1e+300 s is not a place"),
        ("0.3\t0.1\tc\n", audacity, "is [30, 10) in samples"),
        ("0.001\t0.002\tc\n", audacity, "is [0, 0) in samples"),
        ("-1\t0.2\tc\n", audacity, "line 1"),
        (" \n\n", audacity, "holds no label"),
        ("g\ta\t0.1\t0.3\tbump\n", elan, "line 1 lacks begin and end as hh:mm:ss.ms"),
        (ELAN_NAMED + "x\t1\t1\ta\t\n", elan, "4: 'x' is not a time of the column"),
        (ELAN_NAMED + "1\t1\t1\ta\tb\tc\n", elan, "line 4: 6 cells where line 1 has 5"),
        (ELAN + late, elan, "line 3 has no annotation"),
        ("", elan, "holds no annotation"),
        (task(region(1, 1, "a")), studio, "region 0 marks a point in time"),
        (task(region(1, 5, "a", instant=True)), studio, "0 marks a point in time"),
        (task(region(1, 5)), studio, "region 0 has no label"),
        (task({"start": 1, "end": 5}), studio, "region 0 lacks start, end or"),
        (task(region(1, 5, "a"), kind="choices"), studio, "holds no region with"),
        (task(region(1, 5, "a")) * 2, studio, "holds 2 tasks"),
        ([{"id": 1, "data": {}, "annotations": []}], studio, "holds 0 annotations"),
        ([{"id": 1, "data": {}, "annotations": [{}]}], studio, "no list 'result'"),
        (task(region(True, 5, "a")), studio, "the bound True"),
        ({"a": [[1, 2]]}, studio, "is not an export of Label Studio"),
        ([], studio, "is not an export of Label Studio"),
    ):
        text = content if isinstance(content, str) else json.dumps(content)
        assert message in sentence(read, tmp_path, text, **options)


def test_label_studio_as_plain_json_is_recognised(tmp_path):
    file = tmp_path / "x.json"
    file.write_text(json.dumps(task(region(1, 5, "a"))))
    with pytest.raises(InputError, match="--units samples"):
        read_motif_sets(file)
    found = read_annotations(file, units="samples")
    assert (found.sets, found.format) == ({"a": [(1, 5)]}, "label-studio")


def test_tables_in_time(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text(
        "label;start;end;who\nbump;0.1s;300ms;anna\n"
        "bump;2024-05-01T12:00:00.55;00:00:00.71;bert\n"
    )
    found = read_annotations(file, recording=STAMPED)
    assert found.sets == {"bump": [(10, 30), (55, 71)]}
    assert found.notes == ("columns left out: who",)
    file.write_text("set,start,end\nbump,0.1,0.3\n")
    assert read_motif_sets(file, units="s", rate=100) == {"bump": [(10, 30)]}
    file = tmp_path / "x.json"
    file.write_text('{"bump": [["0.1s", "0.3 s"], [55, "710ms"]]}')
    assert read_motif_sets(file, rate=100) == {"bump": [(10, 30), (55, 71)]}
    file.write_text("[[[0.1, 0.3]]]")
    assert read_motif_sets(file, rate=100, units="s") == {0: [(10, 30)]}


def test_parquet_in_time(tmp_path):
    frame = pd.DataFrame(
        {
            "label": ["bump"],
            "start": [pd.Timestamp("2024-05-01T12:00:00.1")],
            "end": [pd.Timestamp("2024-05-01T12:00:00.3")],
        }
    )
    frame.to_parquet(tmp_path / "x.parquet")
    found = read_motif_sets(tmp_path / "x.parquet", recording=STAMPED)
    assert found == {"bump": [(10, 30)]}


def test_labels_per_sample(tmp_path):
    labels = ["0"] * 3 + ["a"] * 2 + ["b"] + ["0"] + ["a"]
    np.save(tmp_path / "x.npy", np.array(labels))
    (tmp_path / "x.labels").write_text("\n".join(labels))
    wanted = {"a": [(3, 5), (7, 8)], "b": [(5, 6)]}
    for name in ("x.npy", "x.labels"):
        found = read_annotations(
            tmp_path / name, file_format="sample-labels", background="0"
        )
        assert found.sets == wanted
        assert "touch" in found.notes[0]
    with pytest.raises(InputError, match="give the label outside"):
        read_annotations(tmp_path / "x.labels")
    with pytest.raises(InputError, match="no sample with the background label 'none'"):
        read_annotations(tmp_path / "x.labels", background="none")


def test_wrong_options_are_named(tmp_path):
    file = tmp_path / "x.json"
    file.write_text("[]")
    with pytest.raises(InputError, match="units must be one of samples, s"):
        read_annotations(file, units="weeks")
    with pytest.raises(InputError, match="no option unit; known: units"):
        read_annotations(file, unit="s")
    with pytest.raises(InputError, match="did you mean 'audacity'"):
        read_annotations(file, file_format="audacty")
    with pytest.raises(InputError, match="rate must be a positive"):
        read_annotations(tmp_path / "x.json", rate=0.0, units="s")
    with pytest.raises(InputError, match="wfdb cannot be written; choose one of"):
        write_motif_sets(tmp_path / "x.atr", SETS)
    with pytest.raises(InputError, match="two labels are the same text"):
        write_motif_sets(tmp_path / "x.json", {1: MotifSet(), "1": MotifSet()})

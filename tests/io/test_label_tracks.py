"""Motif sets in the formats of annotation programs."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError, MotifSet
from tsmdbench.io import (
    Recording,
    motif_formats,
    read_annotations,
    read_motif_sets,
    write_motif_sets,
)

SETS = {"bump": MotifSet([(10, 30), (55, 71)]), "wave x": MotifSet([(33, 47)])}
STAMPED = Recording(
    np.zeros((1000, 1)),
    ("x",),
    rate=100.0,
    start=np.datetime64("2024-05-01T12:00:00", "ns"),
)
WRITTEN = [name for name in motif_formats() if motif_formats().get(name).write]


def as_sets(found):
    return {label: MotifSet(pairs) for label, pairs in found.items()}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("rate", [1.0, 100.0, 360.0, 44_100.0])
def test_every_format_that_is_written_is_read_back(tmp_path, name, rate):
    if name == "elan" and rate > 1000:
        pytest.skip("ELAN's milliseconds are coarser than these samples")
    file = tmp_path / "sets.any"
    lost = write_motif_sets(file, SETS, file_format=name, rate=rate)
    units = {"units": "samples"} if name == "label-studio" else {}
    found = read_annotations(file, file_format=name, rate=rate, **units)
    assert as_sets(found.sets) == SETS
    assert bool(lost) == bool(motif_formats().get(name).loses)


@pytest.mark.parametrize("name", ["audacity", "elan", "textgrid"])
@pytest.mark.parametrize("start", [12.5, np.datetime64("2024-05-01T12:00", "ns"), None])
def test_label_tracks_are_on_the_axis_of_the_recording(tmp_path, name, start):
    recording = Recording(np.zeros((100, 1)), ("x",), rate=100.0, start=start)
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.1\t0.2\ta\n0.3\t0.3\tb\n", "line 2: 'b' marks a point in time"),
        ("0.1\t0.2\n", "line 1: a label track has start, end and label"),
        ("0.1\t0.2\t \n", "line 1 has no label"),
        ("a\tb\tc\n", "line 1: 'a' and 'b' must be seconds"),
        ("nan\t1\tc\n", "line 1: nan is not a place in time"),
        ("1e300\t2e300\tc\n", "line 1: 1e.300 s is not a place"),
        ("0.3\t0.1\tc\n", r"line 1: .* is \[30, 10\) in samples"),
        ("0.001\t0.002\tc\n", r"line 1: .* is \[0, 0\) in samples"),
        ("-1\t0.2\tc\n", "line 1"),
        ("", "holds no label"),
        (" \n\n", "holds no label"),
    ],
)
def test_bad_rows_of_audacity_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as error:
        read(tmp_path, text, "audacity")
    assert "\n" not in str(error.value)


def test_a_label_track_needs_a_rate(tmp_path):
    with pytest.raises(
        InputError, match=r"line 1: 0.1 s is a time, but no sampling rate"
    ):
        read(tmp_path, "0.1\t0.2\ta\n", "audacity", rate=None)


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "gesture\tanna\t0.1\t0.3\tbump\n",
            "line 1 lacks begin and end as hh:mm:ss.ms",
        ),
        (ELAN_NAMED + "x\t1\t1\ta\t\n", "line 4: 'x' is not a time of the column"),
        (ELAN_NAMED + "1\t1\t1\ta\tb\tc\n", "line 4: 6 cells where line 1 has 5"),
        (
            ELAN + "g\ta\t00:00:01.000\t1\t00:00:02.000\t2\t\n",
            "line 3 has no annotation",
        ),
        ("", "holds no annotation"),
    ],
)
def test_bad_rows_of_elan_are_named(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, "elan", tier="gesture")


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


@pytest.mark.parametrize("cut", [30, 60, 110, 300, 420])
def test_a_cut_textgrid_is_refused(tmp_path, cut):
    with pytest.raises(InputError, match=r"labels\.txt"):
        read(tmp_path, LONG[:cut], "textgrid")


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


def test_other_text_is_no_textgrid(tmp_path):
    for text in ("hello", '"a" "b"', "1 2 3 4", ""):
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


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (task(region(1, 1, "a")), "region 0 marks a point in time"),
        (task(region(1, 5, "a", instant=True)), "region 0 marks a point in time"),
        (task(region(1, 5)), "region 0 has no label"),
        (task({"start": 1, "end": 5}), "region 0 lacks start, end or"),
        (task(region(1, 5, "a"), kind="choices"), "holds no region with"),
        (task(region(1, 5, "a")) * 2, "holds 2 tasks"),
        ([{"id": 1, "data": {}, "annotations": []}], "holds 0 annotations"),
        ([{"id": 1, "data": {}, "annotations": [{}]}], "no list 'result'"),
        (task(region(True, 5, "a")), "the bound True"),
        ({"a": [[1, 2]]}, "is not an export of Label Studio"),
        ([], "is not an export of Label Studio"),
    ],
)
def test_bad_regions_of_label_studio_are_named(tmp_path, value, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, json.dumps(value), "label-studio", units="samples")


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

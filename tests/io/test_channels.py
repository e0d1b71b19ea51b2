"""Sets with channels: written and read back in the formats that hold them."""

import json

import pandas as pd
import pytest

from tsmdbench import InputError, MotifSet, evaluate
from tsmdbench.io import from_frame, read_motif_sets, write_motif_sets
from tsmdbench.validation import check_motif_sets

SETS = {
    "arm": MotifSet([[(0, 10), (2, 13)], (50, 60)], channels=[0, 2]),
    "leg": MotifSet([(5, 15), (70, 80)], channels=[1]),
    "all": MotifSet([(20, 30), (90, 95)]),
}


def read_back(file, **options):
    sets = check_motif_sets(read_motif_sets(file, **options), "found")
    return dict(zip(sets.labels, sets.sets, strict=True))


@pytest.mark.parametrize("ending", ["json", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("units", ["samples", "s"])
def test_channels_come_back(tmp_path, ending, units):
    file = tmp_path / f"sets.{ending}"
    assert write_motif_sets(file, SETS, rate=100.0, units=units) == ()
    assert read_back(file, rate=100.0) == SETS
    plain = {"all": SETS["all"]}
    write_motif_sets(file, plain)
    assert read_back(file) == plain
    if ending == "json":
        assert json.loads(file.read_text()) == {"all": [[20, 30], [90, 95]]}
    if ending == "csv":
        assert file.read_text() == "set,start,end\nall,20,30\nall,90,95\n"


def test_formats_without_channels_say_so(tmp_path):
    file = tmp_path / "sets.audacity"
    lost = write_motif_sets(file, SETS, rate=100.0)
    assert "the channels of the sets" in lost
    assert read_back(file, rate=100.0)["arm"] == MotifSet([(0, 13), (50, 60)])
    lost = write_motif_sets(file, {"all": SETS["all"]}, rate=100.0)
    assert "the channels of the sets" not in lost


def test_files_of_channels_are_evaluated_and_converted(tmp_path):
    file, copy = tmp_path / "sets.json", tmp_path / "copy.csv"
    write_motif_sets(file, SETS)
    assert json.loads(file.read_text())["leg"] == {
        "channels": [1],
        "segments": [[5, 15], [70, 80]],
    }
    values = evaluate(file, file, "subspace_prom_f1", n_channels=3)
    assert values == {"subspace_prom_f1": 1.0}
    write_motif_sets(copy, read_motif_sets(file))
    assert copy.read_text().splitlines()[:3] == [
        "set,start,end,motif,channels",
        "arm,0,10,0,0",
        "arm,2,13,0,2",
    ]
    assert from_frame(pd.read_csv(copy)) == SETS


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,0,10,0,0 x", "'0 x' is not a list of channels"),
        ("a,0,10,0,0 1\na,20,30,1,0", "motif 1 of the set 'a' has no interval in ch"),
        ("a,0,10,0,0\na,5,9,0,0", "motif 0 has two intervals in channel 0"),
        ("a,0,10,0,0\na,20,30,1,", "rows with channels and rows without"),
    ],
)
def test_wrong_rows_are_refused(tmp_path, rows, message):
    file = tmp_path / "sets.csv"
    file.write_text(f"set,start,end,motif,channels\n{rows}\n")
    with pytest.raises(InputError, match=message):
        read_motif_sets(file)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (
            {"channels": [0, 1], "segments": [[["0s", "1s"]]]},
            "1 intervals in 2 channels",
        ),
        ({"channels": [1, 0], "segments": [["0s", "1s"]]}, "ascending order"),
        ({"channels": [0], "segments": [[]]}, "a segment is"),
        ({"channels": [0], "segments": [["0s", "1s"], [[]]]}, "a segment is"),
        ({"channels": ["x"], "segments": [["0s", "1s"]]}, "not a channel number"),
    ],
)
def test_wrong_json_is_refused(tmp_path, made, message):
    file = tmp_path / "sets.json"
    file.write_text(json.dumps({"a": made, "b": [["2s", "3s"]]}))
    with pytest.raises(InputError, match=message):
        read_back(file, rate=10.0)

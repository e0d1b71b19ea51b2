"""``tsmdbench convert``, and seconds all the way through ``evaluate``."""

import json

import numpy as np
import pytest

from tsmdbench.cli import main
from tsmdbench.io import read_annotations, read_recording

SETS = {"a": [(10, 30), (100, 121)], "b": [(50, 70), (150, 170)]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = (f"{k / 360:.6f},{np.sin(k)}" for k in range(400))
    (tmp_path / "walk.csv").write_text("time,x\n" + "\n".join(rows))
    (tmp_path / "truth.json").write_text(json.dumps(SETS))
    return tmp_path


def plain(name, **options):
    recording = read_recording("walk.csv")
    found = read_annotations(name, recording=recording, **options).sets
    return {label: sorted(map(tuple, pairs)) for label, pairs in found.items()}


@pytest.mark.usefixtures("folder")
def test_every_format_is_written_from_every_other(capsys):
    for name, *options in (
        ("x.json",),
        ("x.json", "--out-units", "s"),
        ("x.csv", "--out-units", "ms"),
        ("x.tsv",),
        ("x.parquet", "--out-units", "s"),
        ("x.TextGrid",),
        ("x.audacity",),
        ("x.txt", "--out-format", "elan"),
    ):
        words = ["convert", "truth.json", name, "--series", "walk.csv", *options]
        assert main(words) == 0
        assert f"{name}: 2 sets, 4 segments" in capsys.readouterr().out
        known = {"file_format": "elan"} if name == "x.txt" else {}
        assert plain(name, **known) == SETS
        back = ["convert", name, "back.json", "--series", "walk.csv"]
        assert main([*back, *(["--format", "elan"] if known else [])]) == 0
        assert plain("back.json") == SETS


def test_an_explanation_is_in_seconds(folder, capsys):
    for name, start, end in (("truth", 0.0278, 0.0833), ("found", 0.0611, 0.1167)):
        rows = f"set,start,end\na,{start},{end}\na,0.2778,0.3361\n"
        (folder / f"{name}.csv").write_text(rows)
    words = ["evaluate", "truth.csv", "found.csv", "--series", "walk.csv"]
    words += ["--units", "s", "--explain"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    assert "'a' [0.028, 0.083) s" in printed
    assert "start late by 0.0333 s" in printed
    assert main([*words, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["units"] == "s"
    assert made["true_motifs"][0]["start"] == 0.028
    assert made["found_motifs"][0]["late"] == 0.033

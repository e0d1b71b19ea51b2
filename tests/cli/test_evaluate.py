"""``tsmdbench evaluate``, ``metrics`` and ``convert``."""

import json

import numpy as np
import pandas as pd
import pytest

from tsmdbench.errors import InternalError
from tsmdbench.example import example_path, write_example
from tsmdbench.io import read_annotations, read_recording
from tsmdbench.metrics import METRICS, evaluate, prom, properties

TRUTH, FOUND = str(example_path("truth.json")), str(example_path("found.json"))
SETS = {"a": [(10, 30), (100, 121)], "b": [(50, 70), (150, 170)]}


def test_scores_and_matrix_are_printed(cli):
    printed = cli("evaluate", TRUTH, FOUND).out
    result = prom(TRUTH, FOUND)
    assert f"F1         {result.f1:.4f}" in printed
    assert f"tp {result.tp}, fp {result.fp}, fn {result.fn}" in printed
    assert "true bump" in printed
    assert json.loads(cli("evaluate", TRUTH, FOUND, "--json").out) == result.to_dict()
    strict = {"threshold": 0.8, "penalize_off_target": True}
    options = ["--threshold", 0.8, "--penalize-off-target"]
    printed = cli("evaluate", TRUTH, FOUND, *options, "--macro").out
    macro = prom(TRUTH, FOUND, **strict).macro
    assert f"precision  {macro.precision:.4f}" in printed
    assert "macro average, overlap above 0.8" in printed
    values = evaluate(TRUTH, FOUND, ["prom_f1"], **strict)
    printed = cli("evaluate", TRUTH, FOUND, *options, "--metric", "prom_f1").out
    assert printed == f"prom_f1  {values['prom_f1']:.4f}\n"


def test_any_metric_can_be_chosen(cli):
    names = ["prom_f1", "score", "ranged_f1"]
    words = [word for name in names for word in ("--metric", name)]
    values = evaluate(TRUTH, FOUND, names)
    lines = cli("evaluate", TRUTH, FOUND, *words).out.splitlines()
    assert lines == [f"{name:<9}  {value:.4f}" for name, value in values.items()]
    assert json.loads(cli("evaluate", TRUTH, FOUND, *words, "--json").out) == values


def test_a_plot_is_written(tmp_path, cli):
    pytest.importorskip("matplotlib")
    write_example(tmp_path)
    file = tmp_path / "figure.pdf"
    series = ["--series", tmp_path / "series.csv"]
    assert str(file) in cli("evaluate", TRUTH, FOUND, *series, "--plot", file).out
    assert file.read_bytes().startswith(b"%PDF")


def test_channels_are_compared_with_tau(tmp_path, cli):
    sets = {
        "a": {"channels": [0, 2], "segments": [[0, 10], [50, 60]]},
        "b": {"channels": [1], "segments": [[2, 12], [52, 62]]},
    }
    files = tmp_path / "truth.json", tmp_path / "found.json"
    for file, content in zip(files, (sets, {"x": sets["a"]}), strict=True):
        file.write_text(json.dumps(content))
    printed = cli("evaluate", *files, "--tau", "0.9", "--explain").out
    assert "'b' [2, 12): missed" in printed
    assert json.loads(cli("evaluate", *files, "--tau", 1, "--json").out)["f1"] == 2 / 3
    refused = cli("evaluate", *files, status=2).err
    assert "subspace_prom takes sets that share no chan" in refused


def test_truth_in_seconds_and_a_figure_with_names(tmp_path, cli):
    pytest.importorskip("matplotlib")
    frame = pd.DataFrame({"seconds": np.arange(400) / 50, "left": 0.0, "right": 1.0})
    frame.to_csv(tmp_path / "x.csv", index=False)
    (tmp_path / "truth.csv").write_text("set,start,end\na,1s,2s\na,4s,5s\n")
    (tmp_path / "found.json").write_text("[[[50, 100], [200, 250]]]")
    files = [tmp_path / name for name in ("truth.csv", "found.json", "x.csv", "x.svg")]
    words = [*files[:2], "--series", files[2], "--plot", files[3]]
    assert "F1         1.0000" in cli("evaluate", *words).out
    drawn = files[3].read_text()
    assert "<!-- left -->" in drawn
    assert "<!-- right -->" in drawn


def test_a_series_is_read_as_by_discover(tmp_path, cli):
    values = [f"{12.5 + k / 10}".replace(".", ",") for k in range(60)]
    (tmp_path / "x.txt").write_text("\n".join(f"{value}\t1" for value in values))
    (tmp_path / "a.csv").write_text("set,start,end\na,13s,14s\na,15s,16s\n")
    options = "--no-header --separator tab --decimal , --time-column 0 --time-unit s"
    words = [tmp_path / "a.csv"] * 2 + ["--series", tmp_path / "x.txt"]
    printed = cli("evaluate", *words, *options.split(), "--metric", "prom_f1")
    assert "60 samples, 1 channel (1), 10 Hz, 12.5 s to 18.4 s" in printed.err
    assert printed.out == "prom_f1  1.0000\n"


LONG = "9" * 5000
COLUMNS = ["set", "start", "end"]
BAD = [
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


def test_a_bad_file_of_sets_is_one_sentence(tmp_path, cli):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for name, content, message in BAD:
        file = tmp_path / name
        if isinstance(content, str):
            file.write_text(content)
        else:
            arrays = [pa.array(column) for column in content[1]]
            parquet.write_table(pa.Table.from_arrays(arrays, names=content[0]), file)
        said = cli("evaluate", file, FOUND, status=2).err
        assert message in said
        assert said.count("\n") == 1
        assert len(said) < 1000


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
def test_every_format_is_written_from_every_other(cli):
    pytest.importorskip("pyarrow")
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
        printed = cli("convert", "truth.json", name, "--series", "walk.csv", *options)
        assert f"{name}: 2 sets, 4 segments" in printed.out
        known = {"file_format": "elan"} if name == "x.txt" else {}
        assert plain(name, **known) == SETS
        back = ["convert", name, "back.json", "--series", "walk.csv"]
        cli(*back, *(["--format", "elan"] if known else []))
        assert plain("back.json") == SETS


def test_an_explanation_is_in_seconds(folder, cli):
    for name, start, end in (("truth", 0.0278, 0.0833), ("found", 0.0611, 0.1167)):
        rows = f"set,start,end\na,{start},{end}\na,0.2778,0.3361\n"
        (folder / f"{name}.csv").write_text(rows)
    words = ["evaluate", "truth.csv", "found.csv", "--series", "walk.csv"]
    words += ["--units", "s", "--explain"]
    printed = cli(*words).out
    assert "'a' [0.028, 0.083) s" in printed
    assert "start late by 0.0333 s" in printed
    made = json.loads(cli(*words, "--json").out)
    assert made["units"] == "s"
    assert made["true_motifs"][0]["start"] == 0.028
    assert made["found_motifs"][0]["late"] == 0.033


def test_metrics_are_listed_with_their_properties(cli):
    printed = cli("metrics").out
    assert all(name in printed for name in METRICS)
    printed = cli("metrics", "--properties").out
    row = next(line for line in printed.splitlines() if line.startswith("prom_f1"))
    assert row.split()[1:] == ["yes"] * 10
    assert "score, false-positive sets: yes (paper: n/s)" in printed


def test_a_difference_without_a_reason_is_an_internal_error(monkeypatch):
    cards = properties.property_table(["score"])
    monkeypatch.setitem(properties.PAPER_ROWS, "score", ("score", {}))
    with pytest.raises(InternalError, match="differs from the paper, unexplained"):
        properties.differences(cards)

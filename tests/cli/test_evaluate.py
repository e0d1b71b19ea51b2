"""``tsmdbench evaluate`` as a person types it."""

import json
import subprocess
import sys

from tsmdbench import __version__
from tsmdbench.cli import main
from tsmdbench.example import example_path, write_example
from tsmdbench.metrics import prom

TRUTH, FOUND = str(example_path("truth.json")), str(example_path("found.json"))


def test_evaluate_prints_scores_and_matrix(capsys):
    assert main(["evaluate", TRUTH, FOUND]) == 0
    printed = capsys.readouterr().out
    result = prom(TRUTH, FOUND)
    assert f"F1         {result.f1:.4f}" in printed
    assert f"tp {result.tp}, fp {result.fp}, fn {result.fn}" in printed
    assert "true bump" in printed


def test_options_change_what_is_printed(capsys):
    result = prom(TRUTH, FOUND, threshold=0.8, penalize_off_target=True)
    options = ["--threshold", "0.8", "--penalize-off-target", "--macro"]
    assert main(["evaluate", TRUTH, FOUND, *options]) == 0
    printed = capsys.readouterr().out
    assert f"precision  {result.macro.precision:.4f}" in printed
    assert "macro average, overlap above 0.8" in printed


def test_json_holds_everything(capsys):
    assert main(["evaluate", TRUTH, FOUND, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == prom(TRUTH, FOUND).to_dict()


def test_plot_writes_each_format(tmp_path, capsys):
    write_example(tmp_path)
    series = ["--series", str(tmp_path / "series.csv")]
    for ending, magic in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        file = tmp_path / f"figure.{ending}"
        assert main(["evaluate", TRUTH, FOUND, *series, "--plot", str(file)]) == 0
        assert file.read_bytes().startswith(magic)
        assert str(file) in capsys.readouterr().out


def test_the_command_answers(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tsmdbench {__version__}\n"
    run = [sys.executable, "-m", "tsmdbench"]
    bare = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "evaluate" in bare.stdout


def test_channels_are_compared_with_tau(tmp_path, capsys):
    sets = {
        "a": {"channels": [0, 2], "segments": [[0, 10], [50, 60]]},
        "b": {"channels": [1], "segments": [[2, 12], [52, 62]]},
    }
    truth, found = tmp_path / "truth.json", tmp_path / "found.json"
    truth.write_text(json.dumps(sets))
    found.write_text(json.dumps({"x": sets["a"]}))
    files = [str(truth), str(found)]
    assert main(["evaluate", *files, "--tau", "0.9", "--explain"]) == 0
    assert "'b' [2, 12): missed" in capsys.readouterr().out
    assert main(["evaluate", *files, "--tau", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["f1"] == 2 / 3
    assert main(["evaluate", *files]) == 2
    assert "subspace_prom takes sets that share no chan" in capsys.readouterr().err

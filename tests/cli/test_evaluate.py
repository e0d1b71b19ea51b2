"""``tsmdbench evaluate`` as a person types it."""

import json
import subprocess
import sys

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_plot_writes_each_format(tmp_path, capsys, ending, magic):
    write_example(tmp_path)
    file = tmp_path / f"figure.{ending}"
    series = ["--series", str(tmp_path / "series.csv")]
    assert main(["evaluate", TRUTH, FOUND, *series, "--plot", str(file)]) == 0
    assert file.read_bytes().startswith(magic)
    assert str(file) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["evaluate", "none.json", FOUND], "none.json does not exist"),
        (["evaluate", TRUTH], "Missing argument"),
        (["evaluate", TRUTH, FOUND, "--threshold", "2"], "threshold must lie in"),
        (["evaluate", TRUTH, FOUND, "--threshold", "x"], "a valid "),
        (["evaluate", TRUTH, FOUND, "--tresh", "0.5"], "No such option"),
        (["evaluate", TRUTH, FOUND, "--plot", "x.bmp"], "a figure must end in"),
        (["evaluate", TRUTH, FOUND, "--plot", "no/x.png"], "folder no does not exist"),
        (["evaluate", ".", FOUND], "is a folder"),
        (["evaluat"], "No such command"),
    ],
)
def test_wrong_use_is_one_sentence_and_status_2(capsys, arguments, sentence):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert sentence in printed.err
    assert printed.err.startswith("tsmdbench: ")
    assert printed.err.count("\n") == 1


def test_a_series_that_is_too_short_is_refused(tmp_path, capsys):
    np.save(tmp_path / "x.npy", np.zeros(100))
    series = ["--series", str(tmp_path / "x.npy")]
    assert main(["evaluate", TRUTH, FOUND, *series]) == 2
    assert "ends beyond the series, which has 100 samples" in capsys.readouterr().err


def test_the_installed_command_answers():
    run = [
        sys.executable,
        "-c",
        "from tsmdbench.cli import main; raise SystemExit(main())",
    ]
    shown = subprocess.run(
        [*run, "--version"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == f"tsmdbench {__version__}"
    bare = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "evaluate" in bare.stdout
    wrong = subprocess.run(
        [*run, "nonsense"], capture_output=True, text=True, check=False
    )
    assert wrong.returncode == 2
    assert "Traceback" not in wrong.stderr


def test_missing_values_are_kept_or_interpolated(tmp_path, capsys):
    series = tmp_path / "series.csv"
    series.write_text("1\n" * 3000)
    words = ["evaluate", TRUTH, FOUND, "--series", str(series), "--missing"]
    assert main([*words, "error"]) == 2
    assert "--missing must be keep or interpolate" in capsys.readouterr().err

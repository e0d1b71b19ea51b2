"""What reaches the terminal: escaped, in any encoding."""

import io
import json
import subprocess
import sys

import pytest

from tsmdbench.cli import main
from tsmdbench.cli.output import SafeStream

RUN = [sys.executable, "-c", "from tsmdbench.cli import main; raise SystemExit(main())"]
NASTY = "a\x1b[2Jb\x9b\u202e\x07"


@pytest.fixture
def files(tmp_path):
    truth, found = tmp_path / "truth.json", tmp_path / "found.json"
    truth.write_text(json.dumps({NASTY: [[0, 10], [20, 30]], "\u2603": [[40, 50]]}))
    found.write_text(json.dumps({NASTY: [[0, 10], [20, 30]]}))
    return truth, found


def test_escape_sequences_are_written_out(files, capsys):
    for options in ([], ["--explain"]):
        assert main(["evaluate", *map(str, files), *options]) == 0
        printed = capsys.readouterr().out
        assert "\x1b" not in printed
        assert r"b\x9b\u202e\x07" in printed
    assert main(["discover", "--method", f"no{NASTY}", "x.csv"]) == 2
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_any_encoding_of_the_terminal_will_do(files, encoding, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", encoding)
    monkeypatch.setenv("PYTHONUTF8", "0")
    ended = subprocess.run([*RUN, "evaluate", *map(str, files)], capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_stream_counts_what_it_was_given():
    kept = io.StringIO()
    assert SafeStream(kept).write("\x1b\ud800 ok\n") == 6
    assert kept.getvalue() == "\\x1b\\ud800 ok\n"


def test_an_argument_that_is_no_text_is_refused(capsys):
    assert main(["status", "\ud800"]) == 2
    said = capsys.readouterr().err
    assert said == (
        "tsmdbench: the argument '\\ud800' is not valid text; use Unicode characters\n"
    )

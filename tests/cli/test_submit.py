"""``tsmdbench submit`` as a command: what it prints, writes, and returns."""

import json
import shlex

import pytest

from tests.experiments.driving import LIMITS, MOCKS, PROBLEMS
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.submission import read_submission

METHOD, DATA = f"{MOCKS}Mock", f"{PROBLEMS}small"
ENTRY = 'name = "Mine"\nversion = "1.0"\nlicence = "MIT"\ncontact = "me@example.org"\n'


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("submit") / "store"
    request = Specification((DATA,), (METHOD,), limits=LIMITS)
    run_specification(request, path, workers=0)
    return path


@pytest.fixture
def options(store, tmp_path):
    """A command that succeeds: everything after ``submit``."""
    entry = tmp_path / "entry.toml"
    entry.write_text(ENTRY)
    out = tmp_path / "mine.zip"
    rest = ["--trust", "--dataset", DATA]
    return [str(store), "--entry", str(entry), "--out", str(out), *rest]


def test_a_complete_store_is_packed_with_status_0(options, tmp_path, cli):
    printed = cli("submit", *options)
    lines = printed.out.splitlines()
    assert printed.err == ""
    assert lines[0] == "ok  all problems of the test split: 12 of 12 runs on 1 dataset"
    drawn = "10% of the runs recomputed, drawn by the hash of all runs"
    assert lines[-2] == f"ok  {drawn}: 2 of 2 the same"
    assert lines[-1] == f"file {tmp_path / 'mine.zip'}"
    assert all(line.startswith("ok  ") for line in lines[:-1])
    # Options take precedence over the file; a dataset may be named twice.
    chosen = ["--version", "2.0", "--recompute", "0.5", "--dataset", DATA]
    words = [*options, *chosen, "--method", METHOD, "--json"]
    shown = json.loads(cli("submit", *words).out)
    assert shown["file"] == str(tmp_path / "mine.zip")
    assert {finding["kept"] for finding in shown["findings"]} == {True}
    with read_submission(tmp_path / "mine.zip") as read:
        assert (read.entry.name, read.entry.version) == ("Mine", "2.0")
        assert (len(read.store), read.recomputed.runs) == (12, 6)


def test_a_broken_rule_has_status_1_and_no_file(options, tmp_path, cli):
    more = ["--dataset", f"{PROBLEMS}other"]
    lines = cli("submit", *options, *more, status=1).out.splitlines()
    assert lines[0].startswith("NO  all problems of the test split: ")
    assert lines[-1] == "no file was written"
    assert not (tmp_path / "mine.zip").exists()
    assert cli("submit", *options, *more, "--quiet", status=1) == ("", "")
    printed = json.loads(cli("submit", *options, *more, "--json", status=1).out)
    assert printed["file"] is None
    assert printed["findings"][0]["kept"] is False


def test_bad_input_is_one_sentence_with_status_2(options, tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    store, entry, _, out, file = options[:5]
    cases = [
        (["nowhere", *options[1:]], "nowhere is not a store"),
        ([store, *options[3:]], "name is missing; give --name"),
        ([store, entry, "nowhere.toml", *options[3:]], "nowhere.toml cannot be"),
        ([x for x in options if x != "--trust"], "if you trust it, add --trust"),
        ([x for x in options if x not in (out, file)], "--out"),
    ]
    for added, sentence in (
        ("--method nobody", "has no test runs of 'nobody'"),
        ("--out .", ". is a folder; --out is the file to write"),
        ("--out no/such/x.zip", "no/such is not a folder"),
        ("--recompute 2", "at least a tenth of the runs"),
        ("--recompute 0.09", "at least a tenth of the runs"),
        ("--recompute nan", "at least a tenth of the runs"),
        ("--seed 1", "--seed goes with --check and --verify only"),
        ("--check", "leave out --entry"),
        ("--licence ''", "licence"),
    ):
        cases.append(([*options, *shlex.split(added)], sentence))
    for words, sentence in cases:
        printed = cli("submit", *words, status=2)
        assert printed.out == ""
        assert sentence in printed.err
        assert printed.err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["entry.toml"]

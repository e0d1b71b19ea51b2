"""``tsmdbench run``, ``resume``, ``status``, ``store`` as a person types them."""

import json
import shutil

import pytest
import typer

from tests.experiments.driving import MOCKS, PROBLEMS
from tsmdbench.cli import main
from tsmdbench.cli.app import app
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter

SMALL = ["--dataset", PROBLEMS + "small"]
MOCK = ["--method", MOCKS + "Mock"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store of good and of failing runs, made by the command, and what it printed."""
    path = tmp_path_factory.mktemp("made") / "store"
    methods = [*MOCK, "--method", MOCKS + "Raiser"]
    options = ["--limit", "4", "--workers", "1", "--out", str(path)]
    status = main(["run", *SMALL, *methods, *options, "--quiet"])
    return path, status


def test_run_stores_failures_and_still_succeeds(made):
    path, status = made
    assert status == 0
    kinds = {what[2:]: n for what, n in Store(path).counts().items()}
    assert kinds == {(MOCKS + "Mock", "ok"): 4, (MOCKS + "Raiser", "error"): 4}


def test_resume_ends_with_a_summary(made, capsys):
    path, _ = made
    assert main(["resume", str(path), "--trust"]) == 0
    printed = capsys.readouterr()
    assert "ran      0 of 8 runs" in printed.out
    assert "skipped  8 that were stored before" in printed.out
    assert f"store    {path}" in printed.out
    assert "runs: 8 runs, 8 stored already" in printed.err
    assert main(["resume", str(path), "--trust", "--json"]) == 0
    printed = capsys.readouterr()
    (summary,) = json.loads(printed.out)
    assert (summary["planned"], summary["skipped"], summary["ran"]) == (8, 8, {})
    assert printed.err == ""


def test_failed_runs_can_be_done_again(made, tmp_path, capsys):
    path = tmp_path / "copy"
    shutil.copytree(made[0], path)
    before = Store(path).table()
    assert main(["resume", str(path), "--trust", "--retry", "error", "--json"]) == 0
    (summary,) = json.loads(capsys.readouterr().out)
    assert (summary["skipped"], summary["ran"]) == (4, {"error": 4})
    after = Store(path).table()
    assert after["key"] == before["key"]
    assert main(["resume", str(path), "--trust", "--retry", "failed"]) == 2
    assert (
        "retry must be one of 'timeout', 'memory', 'error'" in capsys.readouterr().err
    )


def test_status_counts_and_names_the_writer(made, capsys):
    path, _ = made
    assert main(["status", str(path)]) == 0
    printed = capsys.readouterr().out
    head, first, second = printed.splitlines()[:3]
    assert head.split()[:4] == ["dataset", "split", "method", "ok"]
    assert first.split()[1:] == ["test", MOCKS + "Mock", "4", "0", "0", "0"]
    assert second.split()[1:] == ["test", MOCKS + "Raiser", "0", "0", "0", "4"]
    assert "8 of 8 requested runs; no active writer" in printed
    with StoreWriter(path):
        assert main(["status", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["writer"].startswith("process ")
    assert sum(row["runs"] for row in told["rows"]) == 8


def test_status_says_why_runs_failed(made, capsys):
    path, _ = made
    assert main(["status", str(path)]) == 0
    printed = capsys.readouterr().out
    assert (
        f"{MOCKS}Raiser failed in 4 runs (error), last on {PROBLEMS}small: test/003:\n"
        f"  RuntimeError: not in the mood\n"
        f"    tests/experiments/mock_methods.py:" in printed
    )
    place = 'in _find: raise RuntimeError("not in the mood")'
    assert place in printed
    assert "base.py" not in printed
    assert main(["status", str(path), "--traceback"]) == 0
    printed = capsys.readouterr().out
    before, after = (printed.index(text) for text in ("base.py", place))
    assert before < after
    assert "child.py" not in printed  # who calls is of no interest
    assert main(["status", str(path), "--json"]) == 0
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert (failure["runs"], failure["status"]) == (4, "error")
    assert failure["traceback"].startswith("tsmdbench/methods/base.py:")


def test_failures_cannot_forge_a_line(tmp_path, capsys):
    path = tmp_path / "store"
    failed = Outcome(
        "error", message="a\x07\x9b\nrun 9 ok", traceback="x\x1b[1m\ny\x07"
    )
    with StoreWriter(path) as writer:
        writer.add([Run("m", "1", "{}", "A", "test", "p").row(failed)])
    assert main(["status", str(path)]) == 0
    printed = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\x9b"} & set(printed)
    assert "  a\\x07\\x9b ...\n    y\\x07\n" in printed
    assert "run 9 ok" not in printed


def test_store_list_and_remove(made, tmp_path, capsys):
    path = tmp_path / "copy"
    shutil.copytree(made[0], path)
    assert main(["store", "list", str(path)]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["method", "version", "runs", "failed", "datasets"]
    assert first.split()[0] == MOCKS + "Mock"
    assert second.split()[2:7] == ["newest", "4", "4", "1", "-"]
    assert main(["store", "list", str(path), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    version = listed[0]["version"]
    name = ["--method", MOCKS + "Mock"]
    remove = ["store", "remove", str(path), *name]
    assert main([*remove, "--dry-run"]) == 0
    assert "4 runs would be removed" in capsys.readouterr().out
    assert main([*remove, "--version", "1"]) == 2
    assert f"in version '1'; it has {version}" in capsys.readouterr().err
    assert main([*remove, "--version", version]) == 0
    assert "4 runs removed" in capsys.readouterr().out
    assert main(remove) == 2
    assert f"it has {MOCKS}Raiser" in capsys.readouterr().err
    assert len(Store(path)) == 4


def test_a_second_writer_is_told_so_with_status_1(made, capsys):
    path, _ = made
    with StoreWriter(path):
        assert main(["resume", str(path), "--trust", "--quiet"]) == 1
    said = capsys.readouterr().err
    assert "is being written by process" in said
    assert said.count("\n") == 1


def test_repair_sets_a_damaged_part_aside(made, tmp_path, capsys):
    path = tmp_path / "copy"
    with StoreWriter(path) as writer:
        writer.add(Store(made[0]).table().to_pylist())
    assert main(["store", "repair", str(path)]) == 0
    assert "no damaged part" in capsys.readouterr().out
    (part,) = Store(path).parts()
    part.write_bytes(part.read_bytes()[:-9])
    assert main(["status", str(path)]) == 1
    assert f"{part}: damaged" in capsys.readouterr().err
    assert main(["store", "repair", str(path), "--dry-run"]) == 0
    assert part.exists()
    assert main(["store", "repair", str(path)]) == 0
    assert "renamed" in capsys.readouterr().out
    assert main(["store", "repair", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1]) == {}
    assert len(Store(path)) == 0


def test_files_of_parameters_and_grids(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.toml").write_text(f'["{MOCKS}Mock"]\nlength = 7\n')
    (tmp_path / "grid.toml").write_text(f'["{MOCKS}Mock"]\nmax_sets = [1, 2]\n')
    files = ["--params", "params.toml", "--grid", "grid.toml", "--tune"]
    options = ["--limit", "2", "--workers", "1", "--json"]
    assert main(["run", *SMALL, *MOCK, *files, *options]) == 0
    assert json.loads(capsys.readouterr().out)["ran"] == {"ok": 2 * 2 + 2}
    rows = Store("store").table(["parameters"])["parameters"].to_pylist()
    assert {json.loads(row)["length"] for row in rows} == {7}
    assert {json.loads(row)["max_sets"] for row in rows} == {1, 2}
    (tmp_path / "wrong.toml").write_text("length = 7\n")
    assert main(["run", *SMALL, *MOCK, "--params", "wrong.toml"]) == 2
    assert "put 'length' under a heading" in capsys.readouterr().err
    (tmp_path / "wrong.toml").write_text("[")
    assert main(["run", *SMALL, *MOCK, "--params", "wrong.toml"]) == 2
    assert "wrong.toml is not a TOML file" in capsys.readouterr().err


def test_help_of_every_command_shows_an_example_and_fits_a_screen(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    root = typer.main.get_command(app)
    for name, command in root.commands.items():
        for inner in getattr(command, "commands", {"": None}):
            words = [name, *filter(None, [inner])]
            assert main([*words, "--help"]) == 0
            shown = capsys.readouterr().out
            assert f"tsmdbench {' '.join(words)}" in shown.split("Example")[1], words
            assert len(shown.splitlines()) <= 40, words


def test_help_leaves_out_options_that_are_rarely_used(capsys):
    shown = []
    for option in ("--help", "--help-all"):
        assert main(["discover", option]) == 0
        shown.append(capsys.readouterr().out)
    assert "--help-all" in shown[0]
    assert "--max-sets" in shown[0]
    assert "--thousands" not in shown[0]
    assert "--thousands" in shown[1]


def test_an_experiment_gives_fields_and_a_file_goes_before_it(tmp_path):
    file = tmp_path / "params.toml"
    file.write_text("[setfinder]\nradius = 2.0\n")
    options = ["--dataset", "JapaneseVowels", "--method", "setfinder", "--limit", "1"]
    for which, disjoint in (("paper", False), ("best", True)):
        store = tmp_path / which
        chosen = ["--no-tune", "--params", str(file), "--out", str(store)]
        chosen += ["--quiet", "--workers", "1"]
        assert main(["run", which, *options, *chosen]) == 0
        (text,) = Store(store).table(["parameters"])["parameters"].to_pylist()
        fields = json.loads(text)
        assert (fields["disjoint"], fields["radius"]) == (disjoint, 2.0)

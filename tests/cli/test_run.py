"""``tsmdbench run``, ``resume``, ``status`` and ``store``."""

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
    """A store of good and of failing runs, made by the command."""
    path = tmp_path_factory.mktemp("made") / "store"
    methods = [*MOCK, "--method", MOCKS + "Raiser"]
    options = ["--limit", "4", "--workers", "1", "--out", str(path)]
    assert main(["run", *SMALL, *methods, *options, "--quiet"]) == 0
    return path


@pytest.fixture
def copy(made, tmp_path):
    return shutil.copytree(made, tmp_path / "copy")


def test_resume_skips_what_is_stored(made, cli):
    kinds = {what[2:]: n for what, n in Store(made).counts().items()}
    assert kinds == {(MOCKS + "Mock", "ok"): 4, (MOCKS + "Raiser", "error"): 4}
    printed = cli("resume", made, "--trust")
    assert "ran      0 of 8 runs" in printed.out
    assert "skipped  8 (already stored)" in printed.out
    assert f"store    {made}" in printed.out
    assert "runs: 8 runs, 8 stored already" in printed.err
    printed = cli("resume", made, "--trust", "--json")
    (summary,) = json.loads(printed.out)
    assert (summary["planned"], summary["skipped"], summary["ran"]) == (8, 8, {})
    assert printed.err == ""


def test_failed_runs_can_be_repeated(copy, cli):
    before = Store(copy).table()
    words = ["resume", copy, "--trust", "--retry"]
    (summary,) = json.loads(cli(*words, "error", "--json").out)
    assert (summary["skipped"], summary["ran"]) == (4, {"error": 4})
    assert Store(copy).table()["key"] == before["key"]
    said = cli(*words, "failed", status=2).err
    assert "retry must be one of 'timeout', 'memory', 'error'" in said


def test_status_counts_and_names_the_writer(made, cli):
    printed = cli("status", made).out
    head, first, second = printed.splitlines()[:3]
    assert head.split()[:4] == ["dataset", "split", "method", "ok"]
    assert first.split()[1:] == ["test", MOCKS + "Mock", "4", "0", "0", "0"]
    assert second.split()[1:] == ["test", MOCKS + "Raiser", "0", "0", "0", "4"]
    assert "8 of 8 requested runs; no active writer" in printed
    with StoreWriter(made):
        shown = json.loads(cli("status", made, "--json").out)
        refused = cli("resume", made, "--trust", "--quiet", status=1).err
    assert shown["writer"].startswith("process ")
    assert sum(row["runs"] for row in shown["rows"]) == 8
    assert "is being written by process" in refused
    assert refused.count("\n") == 1


def test_status_shows_why_runs_failed(made, cli):
    printed = cli("status", made).out
    assert (
        f"{MOCKS}Raiser failed in 4 runs (error), last on {PROBLEMS}small: test/003:\n"
        f"  RuntimeError: not in the mood\n"
        f"    tests/experiments/mock_methods.py:" in printed
    )
    place = 'in _find: raise RuntimeError("not in the mood")'
    assert place in printed
    assert "base.py" not in printed
    printed = cli("status", made, "--traceback").out
    assert printed.index("base.py") < printed.index(place)
    assert "child.py" not in printed  # which calls the method
    (failure,) = json.loads(cli("status", made, "--json").out)["failures"]
    assert (failure["runs"], failure["status"]) == (4, "error")
    assert failure["traceback"].startswith("tsmdbench/methods/base.py:")


def test_failures_cannot_forge_a_line(tmp_path, cli):
    forged = {"message": "a\x07\x9b\nrun 9 ok", "traceback": "x\x1b[1m\ny\x07"}
    with StoreWriter(tmp_path / "store") as writer:
        run = Run("m", "1", "{}", "A", "test", "p")
        writer.add([run.row(Outcome("error", **forged))])
    printed = cli("status", tmp_path / "store").out
    assert not {"\x1b", "\x07", "\x9b"} & set(printed)
    assert "  a\\x07\\x9b ...\n    y\\x07\n" in printed
    assert "run 9 ok" not in printed


def test_store_list_and_remove(copy, cli):
    head, first, second = cli("store", "list", copy).out.splitlines()
    assert head.split()[:5] == ["method", "version", "runs", "failed", "datasets"]
    assert first.split()[0] == MOCKS + "Mock"
    assert second.split()[2:7] == ["newest", "4", "4", "1", "-"]
    version = json.loads(cli("store", "list", copy, "--json").out)[0]["version"]
    remove = ["store", "remove", copy, *MOCK]
    assert "4 runs would be removed" in cli(*remove, "--dry-run").out
    said = cli(*remove, "--version", "1", status=2).err
    assert f"in version '1'; it has {version}" in said
    assert "4 runs removed" in cli(*remove, "--version", version).out
    assert f"it has {MOCKS}Raiser" in cli(*remove, status=2).err
    assert len(Store(copy)) == 4


def test_repair_renames_a_damaged_part(made, tmp_path, cli):
    path = tmp_path / "copy"
    with StoreWriter(path) as writer:
        writer.add(Store(made).table().to_pylist())
    assert "no damaged part" in cli("store", "repair", path).out
    (part,) = Store(path).parts()
    part.write_bytes(part.read_bytes()[:-9])
    assert f"{part}: damaged" in cli("status", path, status=1).err
    cli("store", "repair", path, "--dry-run")
    assert part.exists()
    assert "renamed" in cli("store", "repair", path).out
    assert json.loads(cli("store", "repair", path, "--json").out) == {}
    assert len(Store(path)) == 0


def test_files_of_parameters_and_grids(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "params.toml").write_text(f'["{MOCKS}Mock"]\nlength = 7\n')
    (tmp_path / "grid.toml").write_text(f'["{MOCKS}Mock"]\nmax_sets = [1, 2]\n')
    files = ["--params", "params.toml", "--grid", "grid.toml", "--tune"]
    options = ["--limit", "2", "--workers", "1", "--json"]
    printed = cli("run", *SMALL, *MOCK, *files, *options).out
    assert json.loads(printed)["ran"] == {"ok": 2 * 2 + 2}
    rows = Store("store").table(["parameters"])["parameters"].to_pylist()
    assert {json.loads(row)["length"] for row in rows} == {7}
    assert {json.loads(row)["max_sets"] for row in rows} == {1, 2}
    for text, message in (
        ("length = 7\n", "put 'length' under a heading"),
        ("[", "wrong.toml is not a TOML file"),
    ):
        (tmp_path / "wrong.toml").write_text(text)
        words = ["run", *SMALL, *MOCK, "--params", "wrong.toml"]
        assert message in cli(*words, status=2).err


def test_help_shows_an_example_and_common_options_on_a_screen(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    root = typer.main.get_command(app)
    for name, command in root.commands.items():
        for inner in getattr(command, "commands", {"": None}):
            words = [name, *filter(None, [inner])]
            shown = cli(*words, "--help").out
            assert f"tsmdbench {' '.join(words)}" in shown.split("Example")[1], words
            assert len(shown.splitlines()) <= 40, words
    for option, has_rare in (("--help", False), ("--help-all", True)):
        shown = cli("discover", option).out
        assert "--max-sets" in shown
        assert ("--thousands" in shown) == has_rare
        assert ("--help-all" in shown) == (not has_rare)


def test_an_experiment_gives_fields_and_a_file_goes_before_it(tmp_path, cli):
    file = tmp_path / "params.toml"
    file.write_text("[setfinder]\nradius = 2.0\n")
    options = ["--dataset", "JapaneseVowels", "--method", "setfinder", "--limit", "1"]
    options += ["--no-tune", "--params", file, "--quiet", "--workers", "1"]
    for which, disjoint in (("paper", False), ("best", True)):
        cli("run", which, *options, "--out", tmp_path / which)
        rows = Store(tmp_path / which).table(["parameters"]).to_pylist()
        (fields,) = (json.loads(row["parameters"]) for row in rows)
        assert (fields["disjoint"], fields["radius"]) == (disjoint, 2.0)

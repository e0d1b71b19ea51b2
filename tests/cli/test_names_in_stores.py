"""What a store names is imported with --trust only, and then found again."""

import json
import os
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.experiments.driving import PROBLEMS, ROOT
from tsmdbench.cli import main
from tsmdbench.experiments import Store, run

SMALL = PROBLEMS + "small"
TRAP = "open({!r}, 'w').close()\nclass C:\n    find = staticmethod(list)\n"
METHODS = "recordings:C|recordings:evil:C| recordings:C|Recordings:C|dials:C"
METHODS += "|dials?noise=0.5:C|evil:C|evil.inner:C|./evil.py:C|evil.py:C"
METHODS += "|{folder}/evil.py:C|recordings:C?protocol=pvldb"
DATASETS = "evil:C| recordings:C|recordings :C|Recordings:C|evil:C?protocol=pvldb"
DATASETS += "|evil:C?seed=1|./evil.py:C|{folder}/evil.py:C|dials:C"


@pytest.fixture
def store(tmp_path, monkeypatch):
    """A store of a built-in method, in a folder with modules that must not be run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(ROOT)
    for name in ("recordings", "evil", "dials", "Recordings", "C"):
        (tmp_path / f"{name}.py").write_text(TRAP.format(str(tmp_path / "trapped")))
    run("stomp", SMALL, "store", limit=2, workers=0)
    return tmp_path / "store"


def rename(store, column, name):
    """Let a store name something else, in its manifest and in its rows."""
    file = store / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["specifications"][0][f"{column}s"] = [name]
    # As if all had been done, and the files were known.
    manifest["files"] = {name: str(store.parent / "evil.py")}
    if column == "method":
        manifest["specifications"][0]["datasets"] = ["JapaneseVowels"]
    file.write_text(json.dumps(manifest))
    for part in Store(store).parts():
        table = pq.read_table(part)
        place = table.column_names.index(column)
        names = pa.array([name] * len(table), pa.string())
        pq.write_table(
            table.set_column(place, column, names), part, write_page_checksum=True
        )


def test_what_a_store_names_is_not_imported_without_trust(store, capsys):
    entry = ["--name", "M", "--version", "1", "--licence", "CC0", "--contact", "me"]
    commands = (
        ["resume", "renamed"],
        ["submit", "renamed", *entry, "--out", "packed.zip"],
        ["status", "renamed"],
        ["store", "list", "renamed"],
    )
    cases = [("method", name) for name in METHODS.split("|")]
    cases += [("dataset", name) for name in DATASETS.split("|")]
    for column, name in cases:
        renamed = store.with_name("renamed")
        shutil.copytree(store, renamed)
        rename(renamed, column, name.format(folder=store.parent))
        for command in commands:
            status = main(command)
            said = capsys.readouterr().err
            if command[0] in ("resume", "submit"):
                assert status == 2, name
                assert said.startswith(
                    "tsmdbench: renamed names code that would be imported and run"
                )
                assert "add --trust" in said
        assert not (store.parent / "trapped").exists(), name
        shutil.rmtree(renamed)


MINE = """class Mine:
    def find(self, series):
        return [[(0, 5), (10, 15)]]


def ends(series, length):
    return [[(0, length), (len(series) - length, len(series))]]


class Tuned:
    grid = {"shift": [25, 40]}  # the truth has segments at 0, 40 and 80

    def __init__(self, shift=25):
        self.shift = shift

    def find(self, series):
        return [[(self.shift, self.shift + 20), (80, 100)]]
"""


def tsmdbench(folder, *arguments):
    """Run a command as it is installed: the current folder is not on the path."""
    code = "import sys; from tsmdbench.cli import main; sys.exit(main())"
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_store_remembers_the_file_of_a_method(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    first = ["run", "--dataset", SMALL, "--method", "./mine.py:Mine", "--workers", 1]
    done = tsmdbench(tmp_path, *first, "--limit", 1, "--out", "store")
    assert done.returncode == 0, done.stderr
    again = tsmdbench(tmp_path.parent, "resume", tmp_path / "store", "--trust")
    assert again.returncode == 0, again.stderr
    assert "skipped  1" in again.stdout
    text = (tmp_path / "store" / "manifest.json").read_text()
    assert str(tmp_path / "mine.py") in text
    folders = [str(tmp_path / name) for name in ("store", "packed")]
    assert main(["store", "pack", *folders]) == 0
    assert str(tmp_path) not in (tmp_path / "packed" / "manifest.json").read_text()
    (tmp_path / "mine.py").rename(tmp_path / "moved.py")
    gone = tsmdbench(tmp_path, "resume", "store", "--trust")
    assert gone.returncode == 2
    assert "cannot import method 'mine:Mine'" in gone.stderr


@pytest.mark.slow
def test_files_with_classes_and_functions_work_in_python_and_by_command(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    given = ["./mine.py:Mine", "./mine.py:ends"]
    methods = ["--method", given[0], "--method", given[1]]
    options = ["--dataset", SMALL, "--limit", 1, "--workers", 1, "--out"]
    done = tsmdbench(tmp_path, "run", *methods, *options, "one")
    assert done.returncode == 0, done.stderr
    (tmp_path / "script.py").write_text(
        "from tsmdbench.experiments import run\n"
        f"run({given!r}, {SMALL!r}, 'two', limit=1, workers=0)\n"
    )
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        check=True,
    )
    other = ["--python", sys.executable]
    done = tsmdbench(tmp_path, "run", *methods, *other, *options, "three")
    assert done.returncode == 0, done.stderr
    one, two, three = (
        sorted(Store(tmp_path / n).table().to_pylist(), key=lambda row: row["method"])
        for n in ("one", "two", "three")
    )
    assert [row["method"] for row in one] == ["mine:Mine", "mine:ends"]
    assert {row["status"] for row in (*one, *three)} == {"ok"}
    assert [row["key"] for row in one] == [row["key"] for row in two]
    assert [row["found"] for row in three] == [row["found"] for row in one]


def test_one_setting_of_a_method_can_be_removed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "tuned_file.py").write_text(MINE)
    for tune in (False, True):
        options = {"limit": 2, "workers": 0, "tune": tune}
        run("./tuned_file.py:Tuned", SMALL, "store", **options)

    def shifts():
        rows = Store("store").table(["parameters"], {"split": "test"}).to_pylist()
        return sorted(json.loads(row["parameters"]).get("shift", 25) for row in rows)

    assert shifts() == [25, 25, 40, 40]
    remove = ["store", "remove", "store", "--method", "tuned_file:Tuned", "--setting"]
    assert main([*remove, "untuned", "--dry-run"]) == 0
    assert "2 runs would be removed" in capsys.readouterr().out
    assert shifts() == [25, 25, 40, 40]
    assert main([*remove, "untuned"]) == 0
    assert shifts() == [40, 40]
    assert main(["resume", "store", "--trust", "--workers", "1"]) == 0
    assert shifts() == [40, 40]  # it is no longer asked for
    for wrong in ("untuned", '{"shift": 7}', "shift=7", "{}"):
        assert main([*remove, wrong]) == 2
    assert main([*remove, '{"shift": 40}']) == 0
    assert shifts() == []

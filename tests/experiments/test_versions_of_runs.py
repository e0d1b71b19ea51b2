"""Changed code runs again; force, seeds, methods in files, and hints that work."""

import json
import sys

import pytest

from tests.experiments.driving import LIMITS, MOCKS, PROBLEMS
from tests.experiments.test_running import Recorder
from tsmdbench.analysis import score_store, seed_spread
from tsmdbench.cli import main
from tsmdbench.errors import InputError
from tsmdbench.experiments.running import resume, run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.registry import importable

SOURCE = '''
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Drawn:
    """Draws where it finds."""

    length: int
    seed: int = 3
    factor: float = 1.0

    def find(self, series):
        rng = np.random.default_rng(self.seed)
        start = int(rng.integers(len(series) - 2 * self.length))
        return [[(start, start + self.length), (start + self.length, len(series))]]
'''
METHOD = "drawn_method:Drawn"


class Listener(Recorder):
    def say(self, sentence):
        self.told.append(sentence)

    @property
    def sentences(self):
        return [one for one in self.told if isinstance(one, str)]


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A file with a method, its folder on the import path."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    written = tmp_path / "drawn_method.py"
    written.write_text(SOURCE)
    yield written
    sys.modules.pop("drawn_method", None)


def ask(path, force=False, **options):
    request = Specification(
        (PROBLEMS + "small",), (METHOD,), limits=LIMITS, limit=2, **options
    )
    sys.modules.pop("drawn_method", None)
    shown = Listener()
    summary = run_specification(request, path, workers=0, progress=shown, force=force)
    return summary, shown.sentences


def found_by_version(path):
    rows = Store(path).table(["version", "found"]).to_pylist()
    return {row["version"]: row["found"] for row in rows}


def test_changed_code_is_run_again_and_the_old_rows_stay(file, tmp_path):
    path = tmp_path / "store"
    first, said = ask(path)
    assert (first.ran, said) == ({"ok": 2}, [])
    again, said = ask(path)
    assert (again.skipped, again.ran, said) == (2, {}, [])
    old = Store(path).versions()[METHOD][0]
    file.write_text(SOURCE.replace("2 * self.length)", "3 * self.length)"))
    changed, (sentence,) = ask(path)
    assert changed.ran == {"ok": 2}
    assert changed.notes == (sentence,)
    assert sentence.startswith(f"the code of {METHOD} changed since 20")
    assert sentence.endswith(f"the runs of version {old} stay in the store")
    before, after = Store(path).versions()[METHOD]
    assert before == old
    assert set(found_by_version(path)) == {before, after}
    assert set(score_store(path).table["version"]) == {after}
    assert set(score_store(path, version=old).table["version"]) == {old}
    both = score_store(path, version="all")
    assert set(both.labels) == {f"{METHOD} [version={v!r}]" for v in (before, after)}
    # the old code again: what is stored of it counts, and is the newest from now on
    file.write_text(SOURCE + "# a comment\n")
    back, (sentence,) = ask(path)
    assert back.ran == {}
    assert f"has version {old} again" in sentence
    assert Store(path).versions()[METHOD] == (after, before)


@pytest.mark.usefixtures("file")
def test_force_replaces_what_is_stored(tmp_path):
    path = tmp_path / "store"
    grid = {METHOD: {"factor": [1.0, 2.0]}}
    options = {"tune": True, "grid": grid, "split": "validation", "limits": LIMITS}
    request = Specification((PROBLEMS + "small",), (METHOD,), limit=2, **options)
    run_specification(request, path, workers=0)
    before = Store(path).table().to_pylist()
    summary = run_specification(request, path, workers=0, force=True)
    # the winner's runs are those of the search, and not done a third time
    assert (summary.ran, summary.skipped) == ({"ok": 4}, 2)
    after = Store(path).table().to_pylist()
    assert sorted(r["key"] for r in after) == sorted(r["key"] for r in before)
    assert {r["seconds"] for r in after}.isdisjoint(r["seconds"] for r in before)


@pytest.mark.usefixtures("file")
def test_repeats_are_seeds_and_scores_are_their_means(tmp_path):
    path = tmp_path / "store"
    ask(path)
    summary, _ = ask(path, repeats=3)
    assert (summary.planned, summary.skipped, summary.ran) == (6, 2, {"ok": 4})
    assert Store(path).manifest["planned"] == [2, 6]
    rows = Store(path).table(["parameters", "problem", "found"]).to_pylist()
    assert {json.loads(row["parameters"])["seed"] for row in rows} == {3, 4, 5}
    scores = score_store(path, metrics=["prom_f1"])
    assert scores.labels == (METHOD,)
    assert len(scores.table) == 2
    assert set(scores.table["repeats"]) == {3}
    for _, line in scores.table.iterrows():
        each = [line["by_seed"][seed]["prom_f1"] for seed in (3, 4, 5)]
        assert line["prom_f1"] == pytest.approx(sum(each) / 3)
        assert json.loads(line["parameters"])["seed"] == 3
    assert seed_spread(scores).loc[METHOD, "seeds"] == 3
    (again,) = resume(path, workers=1, trust=True)[1:]
    assert again.ran == {}


def test_repeats_need_a_seed(tmp_path):
    request = Specification((PROBLEMS + "small",), (MOCKS + "Mock",), repeats=2)
    with pytest.raises(InputError, match="needs a method with a field named 'seed'"):
        run_specification(request, tmp_path / "store")
    assert not (tmp_path / "store").exists()
    with pytest.raises(InputError, match="repeats must be at least 1"):
        Specification(("a",), ("stomp",), repeats=0)


def test_a_seed_must_count_and_one_without_a_default_is_zero(file, tmp_path):
    text = SOURCE.replace("import dataclass", "import dataclass, field")
    file.write_text(text.replace("= 3", "= field(default=3, compare=False)"))
    with pytest.raises(InputError, match="'seed' of drawn_method:Drawn has compare=Fa"):
        ask(tmp_path / "store", repeats=2)
    file.write_text(SOURCE.replace("seed: int = 3", "seed: int"))
    ask(tmp_path / "store")
    (text,) = set(Store(tmp_path / "store").table()["parameters"].to_pylist())
    assert json.loads(text)["seed"] == 0


@pytest.mark.usefixtures("file")
def test_tuning_without_a_grid_says_how_to_declare_one(tmp_path):
    _, (sentence,) = ask(tmp_path / "store", tune=True)
    assert sentence == (
        "drawn_method:Drawn has no grid, so it is not tuned; name values to try in its "
        "class, grid = {'factor': [...]}, or in a file, --grid FILE with the lines "
        '["drawn_method:Drawn"] and factor = [...]'
    )


# The command line: methods in files, and hints.


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "typed_method.py").write_text(SOURCE)
    yield tmp_path
    for name in ("typed_method", "packed_methods", "packed_methods.inner"):
        sys.modules.pop(name, None)


def test_a_method_in_a_file_runs_without_a_path(folder, capsys):
    (folder / "settings.toml").write_text('["./typed_method.py:Drawn"]\nfactor = 7.0\n')
    options = ["--dataset", PROBLEMS + "small", "--limit", "1", "--workers", "1"]
    method = ["--method", "./typed_method.py:Drawn", "--params", "settings.toml"]
    assert main(["run", *options, *method, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ran"] == {"ok": 1}
    (row,) = Store("store").table().to_pylist()
    assert row["method"] == "typed_method:Drawn"
    assert json.loads(row["parameters"])["factor"] == 7.0


def test_a_file_in_a_package_is_a_module_of_the_package(folder):
    package = folder / "packed_methods"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("class Inner:\n    find = None\n")
    assert importable("packed_methods/inner.py:Inner") == "packed_methods.inner:Inner"
    assert importable("stomp") == "stomp"
    assert importable("a.b:C") == "a.b:C"


TYPED = "needs the name of a class in the file: typed_method.py:D"
WRONG = [
    ("./nowhere.py:Mine", "there is no file ./nowhere.py"),
    ("typed_method.py", TYPED),
    ("typed_method.py:", TYPED),
    ("my-method.py:Mine", "cannot be imported by this name; rename it"),
    ("json.py:Mine", "there is another module named 'json'"),
    ("typed_method.py:Nobody", "has no 'Nobody'"),
    (
        "typed_method:Drawn",
        "No module named 'typed_method'; typed_method.py is here: set "
        "PYTHONPATH=., or write ./typed_method.py:Drawn for --method",
    ),
    (
        "not_here:Drawn",
        "if it is a file of yours: set PYTHONPATH=FOLDER, or write "
        "FOLDER/not_here.py:Drawn for --method",
    ),
    (
        "./needy.py:Mine",
        "No module named 'not_installed', which 'needy' imports; install it",
    ),
]


@pytest.mark.parametrize(("name", "sentence"), WRONG)
def test_a_wrong_name_of_a_method_is_one_sentence(folder, capsys, name, sentence):
    for other in ("my-method.py", "json.py"):
        (folder / other).write_text("class Mine:\n    def find(self, x): ...\n")
    (folder / "needy.py").write_text("import not_installed\n")
    assert main(["run", "--dataset", PROBLEMS + "small", "--method", name]) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.err.count("\n") == 1
    assert not (folder / "store").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "[typed_method:Drawn]\nfactor = 2.0\n",
            'a heading with a colon needs quotes: write ["typed_method:Drawn"]',
        ),
        (
            "[typed_method:Drawn.datasets.A]\nfactor = 2.0\n",
            'write ["typed_method:Drawn".datasets.A]',
        ),
        (
            "[Drawn]\nfactor = 2.0\n",
            'the heading [Drawn] is not the name of a method; this run has ["typed_',
        ),
    ],
)
@pytest.mark.parametrize("option", ["--params", "--grid"])
def test_a_wrong_heading_is_explained(folder, capsys, option, text, sentence):
    (folder / "file.toml").write_text(text)
    chosen = ["--method", "./typed_method.py:Drawn", option, "file.toml"]
    assert main(["run", "--dataset", PROBLEMS + "small", *chosen]) == 2
    assert sentence in capsys.readouterr().err


def test_a_field_that_nothing_gives_is_named_with_what_works(folder, capsys):
    (folder / "typed_method.py").write_text(
        SOURCE.replace("factor: float = 1.0", "").replace("seed: int = 3", "tau: float")
    )
    chosen = ["--method", "./typed_method.py:Drawn"]
    assert main(["run", "--dataset", PROBLEMS + "small", *chosen]) == 2
    said = capsys.readouterr().err
    assert '--params FILE with the lines ["typed_method:Drawn"] and tau = ...' in said
    assert "grid = {'tau': [...]}" in said

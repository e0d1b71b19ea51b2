"""Unseen problems follow the same rules; what only knows the frozen ones fails."""

import json
import sys

import pytest

from tsmdbench.benchmark import load_benchmark
from tsmdbench.cli import main
from tsmdbench.datasets.suite import unseen_problems
from tsmdbench.errors import InputError
from tsmdbench.experiments import run

pytestmark = pytest.mark.archive
DATA = "JapaneseVowels"
METHODS = '''
from tsmdbench.benchmark import load_benchmark


class Windows:
    """All windows, one after the other, are one set."""

    version = "1"

    def __init__(self, length):
        self.length = length

    def find(self, series):
        ends = range(self.length, len(series), self.length)
        return [[(end - self.length, end) for end in ends]]


class Memory(Windows):
    """Knows the frozen problems by heart."""

    version = "1"
    known = {}

    def find(self, series):
        if not Memory.known:
            for problem in load_benchmark("JapaneseVowels", "test"):
                Memory.known[problem.series.tobytes()] = problem.truth
        truth = Memory.known.get(series.tobytes())
        return super().find(series) if truth is None else list(truth.values())
'''


def test_unseen_problems_follow_the_rules_of_the_frozen_ones():
    frozen, validation = (load_benchmark(DATA, s) for s in ("test", "validation"))
    unseen = unseen_problems(DATA, 12345, 30)
    assert len(unseen) == 30
    assert not set(unseen.recipes) & set(frozen.recipes)
    used = {place for recipe in unseen.recipes for place in recipe}
    assert not used & {place for recipe in validation.recipes for place in recipe}
    again, other = (unseen_problems(DATA, seed, 30).recipes for seed in (12345, 2))
    assert again == unseen.recipes
    assert other != unseen.recipes
    with pytest.raises(InputError, match="seed must be at least 1"):
        unseen_problems(DATA, 0, 30)


@pytest.fixture
def submitted(tmp_path, monkeypatch):
    """Submit both methods of a file, as their author would in another process."""
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)
    (tmp_path / "unseen_mine.py").write_text(METHODS)

    def submit(name):
        run(f"./unseen_mine.py:{name}", DATA, name, workers=0)
        who = ["--name", name, "--version", "1", "--licence", "MIT", "--contact", "me"]
        pack = ["submit", name, *who, "--dataset", DATA, "--trust", "--quiet"]
        assert main([*pack, "--out", f"{name}.zip"]) == 0
        sys.path[:] = path
        del sys.modules["unseen_mine"]
        return f"{name}.zip"

    return submit


def test_a_method_that_memorises_the_frozen_problems_is_caught(submitted, capsys):
    honest, cheat = submitted("Windows"), submitted("Memory")
    line = ["submit", "--verify", honest, "--seed", "4711", "--problems", "30"]
    assert main(line) == 2
    assert "add --trust" in capsys.readouterr().err
    assert main([*line, "--trust"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"ok  unseen_mine:Windows on {DATA}: F1 0.")
    assert said.endswith("seed 4711\n")
    line[2] = cheat
    assert main([*line, "--trust", "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    (scores,) = shown["scores"]
    assert scores["submitted"] == 1.0
    assert scores["low"] > 0.2
    assert not scores["kept"]

"""Runs from plan to store: every status a row, the same on any number of workers."""

import dataclasses
import inspect
import io
import json
import subprocess
import sys

import pytest
from rich.console import Console

from tests.experiments import mock_methods as mocks
from tests.experiments import mock_problems
from tests.experiments.driving import (
    LIMITS,
    MOCKS,
    PLAINS,
    PROBLEMS,
    asked,
    environment,
    rows_but_times,
)
from tsmdbench.errors import InputError
from tsmdbench.experiments import Progress, Summary, progress_for
from tsmdbench.experiments.results import Display
from tsmdbench.experiments.running import resume, run, run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store

BADLY = ("Mock", "Raiser", PLAINS + "Ends", "Plain")
COUNT = 3
ASKED = asked(*BADLY, limit=COUNT)


class Recorder(Progress):
    def __init__(self):
        self.told = []

    def begin(self, title, total, done):
        self.told.append((title, total, done))

    def advance(self, stored, failed):
        self.told.append((stored, failed))


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    """A store made by three workers, of methods that behave and of some that do not."""
    path = tmp_path_factory.mktemp("three") / "store"
    recorder = Recorder()
    summary = run_specification(ASKED, path, workers=3, progress=recorder)
    return path, summary, recorder.told


def test_every_run_is_a_row_with_its_status(three):
    path, summary, told = three
    counts = {(what[2], what[3]): n for what, n in Store(path).counts().items()}
    assert counts == {
        (MOCKS + "Mock", "ok"): COUNT,
        (MOCKS + "Plain", "ok"): COUNT,
        (MOCKS + "Raiser", "error"): COUNT,
        (PLAINS + "Ends", "error"): COUNT,
    }
    assert (summary.planned, summary.skipped, summary.failed) == (12, 0, 6)
    assert told[0] == ("runs", 12, 0)
    assert [sum(column) for column in zip(*told[1:], strict=True)] == [12, 6]
    assert "failed   6 (6 error)" in str(summary)


def test_rows_hold_what_the_method_finds(three):
    rows = {(r["method"], r["problem"]): r for r in rows_but_times(three[0])}
    for problem in mock_problems.small("test")[:COUNT]:
        row = rows[MOCKS + "Mock", problem.name]
        found = mocks.Mock(length=20, max_sets=1).find(problem.series)
        assert row["found"] == [motifs.segments.tolist() for motifs in found]
        assert json.loads(row["parameters"]) == {"length": 20, "max_sets": 1}
        plain = rows[MOCKS + "Plain", problem.name]
        assert plain["version"] == "7.1"
        assert "SIGSEGV" in rows[PLAINS + "Ends", problem.name]["message"]


def test_the_number_of_workers_does_not_matter(three, tmp_path):
    run_specification(ASKED, tmp_path / "one", workers=1)
    # Rows are compared by key: in which order parts were written is nobody's promise.
    assert rows_but_times(tmp_path / "one") == rows_but_times(three[0])


def test_what_is_stored_is_not_run_again(three):
    path, _, _ = three
    before = Store(path).table()
    (summary,) = resume(path, workers=1, trust=True)
    assert (summary.planned, summary.skipped, sum(summary.ran.values())) == (12, 12, 0)
    assert Store(path).table() == before


def test_a_store_is_filled_up_with_what_is_new(three, tmp_path):
    path = tmp_path / "store"
    run_specification(asked("Mock", limit=2), path, workers=0)
    recorder = Recorder()
    summary = run_specification(
        asked("Mock", "Plain", limit=COUNT), path, workers=2, progress=recorder
    )
    assert (summary.planned, summary.skipped) == (6, 2)
    assert recorder.told[0] == ("runs", 6, 2)
    wanted = [row for row in rows_but_times(three[0]) if row["status"] == "ok"]
    assert rows_but_times(path) == wanted
    kept = Store(path).manifest
    assert [s["limit"] for s in kept["specifications"]] == [2, 3]
    assert kept["planned"] == [2, 6]


def changed_problems(monkeypatch, **changes):
    """Rebuild the dataset under the same names."""
    made = mock_problems.make

    def other(split, count, **options):
        return [
            dataclasses.replace(problem, series=problem.series + changes["add"])
            for problem in made(split, count, **options)
        ]

    monkeypatch.setattr(mock_problems, "make", other)


def test_a_rebuilt_dataset_is_noticed(tmp_path, monkeypatch):
    path = tmp_path / "store"
    run_specification(asked("Mock", limit=2), path, workers=0)
    before = rows_but_times(path)
    assert all(row["data"] for row in before)
    changed_problems(monkeypatch, add=1e-9)
    with pytest.raises(InputError, match="is not the one that the store has results"):
        run_specification(asked("Mock", limit=2), path, workers=0)
    assert rows_but_times(path) == before


def test_texts_that_utf8_cannot_hold_do_not_end_an_experiment(tmp_path):
    path = tmp_path / "store"
    summary = run_specification(
        asked(PLAINS + "Surrogate", "Mock", limit=2), path, workers=0
    )
    assert summary.ran == {"ok": 2, "error": 2}
    rows = [row for row in rows_but_times(path) if "Surrogate" in row["method"]]
    assert {row["version"] for row in rows} == {"1.0\\udcff"}
    assert {row["message"] for row in rows} == {"RuntimeError: caf\\udcc3 \\ud800"}
    assert resume(path, workers=1, trust=True)[0].ran == {}
    with pytest.raises(InputError, match="must be valid UTF-8 text"):
        Specification(("a\udcff",), ("mock",))


def test_the_manifest_says_what_ran_where(three):
    manifest = Store(three[0]).manifest
    assert Specification.from_dict(manifest["specifications"][0]) == ASKED
    assert {"tsmdbench", "numpy", "python", "host"} <= set(manifest["made_by"])
    facts = manifest["datasets"]["tests.experiments.mock_problems:small"]["facts"]
    assert facts["length"] == 20


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: asked("Mock", dataset="empty"), "has no problem in split"),
        (lambda: asked("Mock", dataset="nameless"), "unique names"),
        (lambda: asked("Mock", dataset="nowhere"), "has no 'nowhere'"),
        (lambda: asked("Nobody"), "has no 'Nobody'"),
        (lambda: asked("np"), "is not a method: it has no find"),
        (lambda: asked("Mock", split="train"), "split must be one of"),
        (lambda: asked("Mock", limit=0), "limit must be at least 1"),
        (lambda: asked("Mock", grid="fine"), "grid must be one of"),
        (lambda: asked(), "at least one dataset and one method"),
        (lambda: asked("Mock", params={MOCKS + "Mock": {"lenth": 3}}), "no option"),
    ],
)
def test_wrong_requests_are_refused_before_anything_is_made(tmp_path, wrong, sentence):
    with pytest.raises(InputError, match=sentence):
        run_specification(wrong(), tmp_path / "store")
    assert not (tmp_path / "store").exists()


def test_bars_tell_count_rate_and_failures(monkeypatch):
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=120)
    monkeypatch.setattr("rich.progress.get_console", lambda: console)
    bars = Display(bar=True)
    bars.begin("runs", 10, 4)
    bars.advance(3, 1)
    bars.say("a line [above]")
    bars.end()
    drawn = shown.getvalue()
    assert "7/10" in drawn
    assert "/s" in drawn
    assert "1 failed" in drawn
    assert "a line [above]" in drawn


def test_progress_depends_on_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    for quiet in (True, False):
        progress_for(quiet=quiet).say("a sentence")
        assert capsys.readouterr().err == ("" if quiet else "a sentence\n")


def test_lines_tell_rate_and_remaining_time(capsys, monkeypatch):
    monkeypatch.setattr("tsmdbench.experiments.results.LINE_EVERY", -1.0)
    lines = Display(bar=False)
    lines.begin("runs", 10, 4)
    lines.advance(3, 1)
    lines.advance(3, 0)
    lines.end()
    printed = capsys.readouterr().err.splitlines()
    assert printed[0] == "runs: 10 runs, 4 stored already"
    assert printed[1].startswith("runs: 7/10 (")
    assert "/s, " in printed[1]
    assert printed[1].endswith(" left, 1 failed)")
    assert printed[2].startswith("runs: 10/10 (")
    assert printed[2].endswith(" s, 1 failed)")
    assert "left" not in printed[2]


def test_lines_say_once_in_a_while_that_nothing_is_finished(capsys, monkeypatch):
    """Slow runs at the end: the rate of the others promised two seconds, every time."""
    clock = [0.0]
    monkeypatch.setattr(
        "tsmdbench.experiments.results.time.monotonic", lambda: clock[0]
    )
    lines = Display(bar=False)
    lines.begin("runs", 50, 0)
    clock[0] = 20.0
    lines.advance(48, 0)
    for _ in range(100):
        clock[0] += 2.0
        lines.advance(0, 0)
    lines.advance(2, 0)
    lines.end()
    assert capsys.readouterr().err.splitlines() == [
        "runs: 50 runs",
        "runs: 48/50 (2.4/s, 0.8 s left)",
        "runs: 48/50 (no run finished for 1 min 2 s)",
        "runs: 48/50 (no run finished for 2 min 4 s)",
        "runs: 48/50 (no run finished for 3 min 6 s)",
        "runs: 50/50 (0.2/s, in 3 min 40 s)",
    ]


def test_one_run_is_not_runs(capsys):
    Display(bar=False).begin("runs", 1, 0)
    assert capsys.readouterr().err == "runs: 1 run\n"
    assert "ran      0 of 1 run in" in str(Summary("store", planned=1))


def test_run_from_python_asks_for_the_same_as_the_specification(tmp_path):
    asked_for = asked("Mock", limit=2, params={MOCKS + "Mock": {}})
    run_specification(asked_for, tmp_path / "one", workers=0)
    run(
        MOCKS + "Mock",
        [PROBLEMS + "small"],
        tmp_path / "two",
        params={MOCKS + "Mock": {}},
        limit=2,
        limits=LIMITS,
        workers=0,
    )
    one, two = (Store(tmp_path / name) for name in ("one", "two"))
    assert one.manifest["specifications"] == two.manifest["specifications"]
    assert one.keys() == two.keys()


def test_run_takes_every_field_of_a_specification():
    fields = {field.name for field in dataclasses.fields(Specification)}
    fields -= {"folders"}  # follow from the datasets
    assert fields <= set(inspect.signature(run).parameters)


def test_a_store_can_be_given_where_a_path_can(tmp_path):
    run_specification(asked("Mock", limit=1), tmp_path / "store", workers=0)
    store = Store(tmp_path / "store")
    assert Store(store).path == store.path
    (again,) = resume(store, workers=1, trust=True)
    assert (again.skipped, again.ran) == (1, {})


def test_a_script_needs_no_guard(tmp_path):
    """Nothing imports the script again, so it may call `run` at its top level."""
    script = tmp_path / "script.py"
    script.write_text(
        "from tsmdbench.experiments import run\n"
        "def ends(series, length):\n"
        "    return [[(0, length), (len(series) - length, len(series))]]\n"
        f"print(run(ends, {PROBLEMS + 'small'!r}, 'store', limit=2, workers=1))\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "ran      2 of 2 runs" in done.stdout
    assert "failed   0" in done.stdout

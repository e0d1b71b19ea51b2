"""What `run` returns, and progress in notebooks and while compiling."""

import gc
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.experiments.driving import PROBLEMS
from tsmdbench.analysis import leaderboard, score_store
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments import Progress, RunResult, Summary
from tsmdbench.experiments.code_hash import is_hash
from tsmdbench.experiments.results import CompileWatch, notebook_progress
from tsmdbench.experiments.running import run
from tsmdbench.experiments.store import Store
from tsmdbench.methods import declare
from tsmdbench.metrics import METRICS
from tsmdbench.types import MotifSet

# ruff: noqa: ARG001 (a method takes a series, whether it looks or not)


SMALL = PROBLEMS + "small"
HOSTILE = "<script>alert(1)</script>"


def first_two(series, length):
    return [[(0, length), (2 * length, 3 * length)]]


@declare(display_name=HOSTILE, univariate=True, variable_length="no", symbolic=False)
def third(series):
    if series[0] > series[1]:
        raise ValueError(f"odd {HOSTILE}")
    return [[(0, 20), (40, 60), (80, 100)]]


def failing(series):
    raise ValueError(f"bad {HOSTILE}")


@pytest.fixture(scope="module")
def result():
    return run([first_two, third, failing], SMALL, limit=3, workers=0)


def test_it_counts_and_has_the_store(result):
    assert isinstance(result, RunResult)
    assert result.planned == len(result.store) == 9
    assert str(result).splitlines()[-1] == f"store    {result.path}"
    failures = result.failures
    assert set(failures["method"]) >= {"failing"}
    assert (failures[failures["method"] == "failing"]["status"] == "error").all()
    assert failures["message"].str.contains("ValueError").all()


def test_scores_are_tidy(result):
    scores = result.scores
    assert list(scores) == ["method", "dataset", "problem", "metric", "value", "status"]
    assert not scores.duplicated(["method", "dataset", "problem", "metric"]).any()
    assert len(scores) == 9 * scores["metric"].nunique()
    assert {name.removesuffix("_off") for name in scores["metric"]} <= set(METRICS)
    assert set(scores["method"]) == {"first_two", HOSTILE, "failing"}
    f1 = scores[scores["metric"] == "prom_f1"].groupby("method")["value"].mean()
    assert f1["failing"] == 0.0
    assert f1["first_two"] == pytest.approx(0.8)  # two of three: P 1, R 2/3


def test_a_problem_is_explained_by_number_or_name(result):
    by_number = result.explain(0)
    by_name = result.explain("test/000", "first_two", SMALL)
    assert str(by_number) == str(by_name)
    assert by_number.result.tp == 2
    assert list(by_number.result.row_labels) == ["class 0"]
    assert result.plot(1).axes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((9,), "no problem 9 .* a number below 3"),
        (("test/999",), "no problem 'test/999'.*a name like 'test/000'"),
        ((True,), "no problem True"),
        ((0, "unknown"), "no method is called 'unknown'.*first_two"),
        ((0, None, "unknown"), "dataset must be one of .*, got 'unknown'"),
        ((0, "failing"), "failing failed on 'test/000'.*ValueError: bad"),
    ],
)
def test_what_there_is_not_is_said_in_one_sentence(result, arguments, message):
    with pytest.raises((InputError, DataError), match=message):
        result.explain(*arguments)


def test_own_methods_are_ranked_where_there_are_no_baselines(result):
    board = leaderboard(result)
    assert len(board.table) == 3
    assert any("baselines have none of" in note for note in board.notes)
    only = leaderboard(result, only=["first_two", "failing"])
    assert set(only.table["label"]) == {"first_two", "failing"}
    with pytest.raises(InputError, match="no method is called 'locomotif'"):
        leaderboard(result, only="locomotif")


def test_everything_is_escaped_in_a_notebook(result):
    shown = [
        result._repr_html_(),
        leaderboard(result)._repr_html_(),
        result.explain(0)._repr_html_(),
        Summary.__dict__["_repr_html_"](result),
    ]
    for html in shown:
        assert "<script" not in html
        assert re.sub(r"<[^>]+>", "", html).strip()
    assert "&lt;script&gt;" in shown[0]
    assert "&lt;script&gt;" in shown[1]


def test_a_report_gets_the_split_and_the_options(result, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "tsmdbench.report.write_report",
        lambda store, path, **options: seen.append((store.path, path, options)),
        raising=False,
    )
    result.report("somewhere", latex=True)
    options = {"split": "test", "latex": True}
    assert seen == [(Path(result.path), "somewhere", options)]


def test_a_temporary_store_goes_with_the_result_and_ones_own_stays(tmp_path):
    made = run(first_two, SMALL, limit=1, workers=0)
    kept = run(first_two, SMALL, tmp_path / "kept", limit=1, workers=0)
    path = Path(made.path)
    assert len(Store(path)) == 1
    assert is_hash(kept.versions["first_two"])
    del made, kept
    gc.collect()
    assert not path.parent.exists()
    assert len(Store(tmp_path / "kept")) == 1


def in_channels(series):
    pair = [[(a, a + 20), (a + 3, a + 20)] for a in (0, 40, 80)]
    single = {"channels": [2], "segments": [(5, 25), (45, 65)]}
    return [MotifSet(pair, channels=[0, 1]), single]


def in_all_channels(series):
    return [[(5, 25), (45, 65)]]


@pytest.mark.parametrize("workers", [0, 1])
def test_channels_are_kept_in_a_store(workers, tmp_path):
    methods = [in_channels, in_all_channels]
    problems = PROBLEMS + "subspaces"
    made = run(methods, problems, tmp_path / "kept", limit=2, workers=workers)
    names = ["subspace_prom_f1", "subspace_prom_precision"]
    scores = score_store(made.store, metrics=names).table
    means = scores.groupby("method")[names].mean()
    values = {name.rpartition(":")[2]: row.tolist() for name, row in means.iterrows()}
    assert values == {"in_channels": [1.0, 1.0], "in_all_channels": [0.0, 0.0]}
    explained = made.store.explain(method="in_channels", tau=0.9)
    assert explained.found_counts == {"true positive": 5}
    assert explained.result.truth.sets[0].channels == (0, 1)
    with pytest.raises(InputError, match="subspace_prom takes sets that share no"):
        made.store.explain(method="in_channels")


class Recorder(Progress):
    def __init__(self):
        self.said = []

    def say(self, sentence):
        self.said.append(sentence)


@pytest.mark.parametrize("every", [0.0, 3600.0])
def test_functions_that_are_compiled_are_counted_once_in_a_while(tmp_path, every):
    (tmp_path / "before.nbi").touch()
    recorder = Recorder()
    watch = CompileWatch(recorder, tmp_path, every)
    CompileWatch(recorder, tmp_path / "none", every).look()
    watch.look()
    assert recorder.said == []
    (tmp_path / "distance").mkdir()
    for name in ("a.nbi", "a.1.nbc", "b.nbi"):
        (tmp_path / "distance" / name).touch()
    watch.look()
    watch.look()
    (tmp_path / "c.nbi").touch()
    watch.look()
    counts = [sentence.rpartition("versions: ")[2] for sentence in recorder.said]
    both = ["2 functions so far", "3 functions so far"]
    assert counts == (both if every == 0 else both[:1])


@pytest.mark.parametrize("kernel", [False, True])
def test_progress_is_shown_in_a_notebook_and_nowhere_else(monkeypatch, capsys, kernel):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert type(notebook_progress()) is Progress
    ipython = ModuleType("IPython")
    shell = SimpleNamespace(kernel=object()) if kernel else SimpleNamespace()
    ipython.get_ipython = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # so: no bar
    monkeypatch.setattr("tsmdbench.experiments.results.find_spec", lambda _: None)
    progress = notebook_progress()
    progress.say("took over from <somebody>")
    progress.begin("runs", 10, 2)
    progress.advance(8, 1)
    progress.end()
    shown = capsys.readouterr().out.splitlines()
    if kernel:
        assert shown[:2] == [
            "took over from <somebody>",
            "runs: 10 runs, 2 stored already",
        ]
        assert shown[2].startswith("runs: 10/10 (")
        assert shown[2].endswith(", 1 failed)")
    else:
        assert shown == []

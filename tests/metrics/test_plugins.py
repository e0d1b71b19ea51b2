"""Metrics of other packages: named by an entry point, by module:object, or given."""

import json
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from tests.analysis.made import perfect, write_store
from tsmdbench import InputError, InputTypeError, evaluate, evaluate_many
from tsmdbench.analysis import leaderboard, load_baselines, score_store
from tsmdbench.cli import main
from tsmdbench.metrics import METRICS, Metric, check_metric, prom

TRUTH = [[(0, 10), (50, 60)], [(100, 120)]]
FOUND = [[(0, 10)], [(100, 120), (200, 220)]]


def share_of_sets(truth, found, *, most=None):
    """Number of found sets per true set, at most `most`."""
    share = len(found) / len(truth)
    return share if most is None else min(share, most)


def only_one_set(truth, found):
    """Defined for one true set only."""
    if len(truth) > 1:
        raise ValueError(f"truth has {len(truth)} sets, not one")
    return len(found)


def doubled(batch):
    """Both metrics of one batch form, and a value of a metric that is not ours."""
    CALLS.append(batch.size)
    counts = batch.columns.astype(float)
    return {"sets": counts, "twice_the_sets": 2 * counts, "prom_f1": counts - 99}


CALLS = []
SHARE = Metric("share_of_sets", share_of_sets, options=("most",))
ONE = Metric("only_one_set", only_one_set, higher_is_better=False)
SETS = Metric("sets", lambda _, found: len(found), batch=doubled)
TWICE = Metric("twice_the_sets", lambda _, found: 2 * len(found), batch=doubled)
TEXT = Metric("text", lambda _, __: "many")
SHORT = Metric("short", lambda _, __: 0.0, batch=lambda _: {"short": [1.0]})


@pytest.fixture(autouse=True)
def plugins(monkeypatch):
    """Install metrics of another package, two of which cannot be imported."""
    here = __name__
    points = [
        EntryPoint("share_of_sets", f"{here}:SHARE", "tsmdbench.metrics"),
        EntryPoint("plain", f"{here}:share_of_sets", "tsmdbench.metrics"),
        EntryPoint("not_a_metric", f"{here}:TRUTH", "tsmdbench.metrics"),
        EntryPoint("broken", "no.such.module:METRIC", "tsmdbench.metrics"),
        EntryPoint("raising", f"{here}:NOTHING.real", "tsmdbench.metrics"),
    ]
    found = {point.name: point for point in points}
    monkeypatch.setitem(METRICS.__dict__, "_external", found)


def test_plain_evaluate_computes_the_metrics_of_this_package_only():
    values = evaluate(TRUTH, FOUND)
    assert "share_of_sets" in METRICS
    assert set(values) < {n for n in METRICS.added() if METRICS[n].general}
    assert not any(METRICS[name].by_channel for name in values)
    assert values["prom_f1"] == prom(TRUTH, FOUND).f1
    assert evaluate_many([(TRUTH, FOUND)]).dtype.names == tuple(values)


def test_a_metric_of_another_package_is_computed_when_it_is_named():
    names = ["share_of_sets", "prom_f1"]
    values = evaluate(TRUTH, FOUND, names, threshold=0.7, most=0.5)
    assert values == {"share_of_sets": 0.5, "prom_f1": prom(TRUTH, FOUND).f1}
    table = evaluate_many([(TRUTH, FOUND), (TRUTH, []), (TRUTH, TRUTH[:1])], names)
    assert table["share_of_sets"].tolist() == [1.0, 0.0, 0.5]
    assert table["prom_f1"][1] == 0.0
    assert METRICS["share_of_sets"](TRUTH, FOUND) == 1.0
    with pytest.raises(InputTypeError, match="share_of_sets has no option 'least'"):
        METRICS["share_of_sets"](TRUTH, FOUND, least=1)


def extra_sets(truth, found):
    """Cost: sets found beyond the true ones."""
    return float(max(0, len(found) - len(truth)))


EXTRA = Metric("extra_sets", extra_sets, higher_is_better=False)


def test_a_store_is_scored_and_ranked_by_an_own_metric():
    path = f"{__name__}:EXTRA"
    wanted = [EXTRA, path, "plain", EXTRA, "prom_f1_off"]
    scores = score_store(load_baselines("recordings"), metrics=wanted)
    assert scores.metrics == ("extra_sets", path, "plain", "prom_f1_off")
    assert scores.table["extra_sets"].equals(scores.table[path].rename("extra_sets"))
    assert scores.table["plain"].max() > 0.0
    for metric in (EXTRA, "extra_sets", path):  # fewest first, also for the given one
        board = leaderboard(scores, metric=metric).table
        assert board["mean"].is_monotonic_increasing
        assert board["mean"].nunique() > 1
        assert board["average_rank"].iloc[0] < board["average_rank"].iloc[-1]
    assert leaderboard(scores, metric="plain").table["mean"].is_monotonic_decreasing
    clash = Metric("prom_f1", extra_sets)
    with pytest.raises(InputError, match="two different metrics are called 'prom_f1'"):
        leaderboard(metric=clash)
    with pytest.raises(InputError, match="a metric cannot be called 'status'"):
        score_store(load_baselines(), metrics=Metric("status", extra_sets))


@pytest.mark.slow
def test_the_commands_rank_and_report_by_any_metric(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text("def sets(truth, found):\n    return len(found)\n")
    mine = write_store("mine", [("emma", {}, n, r) for n, r in enumerate(perfect())])
    names = {"ranged_f1": "ranged_f1", "plain": "plain", "./own.py:sets": "own_py_sets"}
    report = ["report", mine, "--quiet"]
    means = {}
    recordings = ["leaderboard", "--baselines", "recordings"]
    assert main([*recordings, "--metric", "./own.py:sets"]) == 0
    assert " ./own.py:sets " in capsys.readouterr().out
    for metric, name in names.items():
        chosen = ["--metric", metric]
        assert main(["leaderboard", "--add", mine, *chosen, "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)["rows"]
        means[name] = row["mean"]
        assert row["mean"] == score_store(mine, metrics=metric).table[metric].mean() > 0
        report += chosen
    assert main(report) == 0
    for name, mean in means.items():
        written = Path(f"mine-report/tables/means_{name}.md")
        assert f"{mean:.3f}" in written.read_text(encoding="utf-8")
    assert main([*report, "--metric", "none", "--out", "no"]) == 2
    assert "no metric 'none'" in capsys.readouterr().err
    assert not Path("no").exists()


def test_one_function_serves_check_metric_and_evaluate():
    def starts(truth, found):
        true = {start for motifs in truth.values() for start, _ in motifs}
        return len(true & {start for motifs in found for start, _ in motifs})

    assert evaluate(TRUTH, FOUND, Metric("starts", starts)) == {"starts": 2.0}
    cards = [
        check_metric(metric, quiet=True) for metric in (starts, Metric("", starts))
    ]
    assert cards[0].values == cards[1].values
    assert cards[0].cells == cards[1].cells


def test_a_metric_or_a_plain_function_needs_no_registration():
    path = f"{__name__}:SHARE"
    assert evaluate(TRUTH, FOUND, path) == {path: 1.0}
    assert evaluate(TRUTH, FOUND, SHARE, most=0.25) == {"share_of_sets": 0.25}
    assert SHARE(TRUTH, []) == 0.0
    for named in (share_of_sets, SHARE):
        values = evaluate(TRUTH, FOUND, ["prom_f1", named])
        assert values == {"prom_f1": prom(TRUTH, FOUND).f1, "share_of_sets": 1.0}
        table = evaluate_many([(TRUTH, FOUND), (TRUTH, [])], named)
        assert table["share_of_sets"].tolist() == [1.0, 0.0]
    assert evaluate(TRUTH, FOUND, "plain") == {"plain": 1.0}
    with pytest.raises(InputTypeError, match="must be a name, a Metric or a func"):
        evaluate(TRUTH, FOUND, [3])


def test_batch_forms_are_computed_once_and_give_only_their_own_metrics():
    CALLS.clear()
    table = evaluate_many([(TRUTH, FOUND), (TRUTH, [])], [SETS, "prom_f1", TWICE])
    assert table["sets"].tolist() == [2.0, 0.0]
    assert table["twice_the_sets"].tolist() == [4.0, 0.0]
    assert table["prom_f1"].tolist() == [prom(TRUTH, FOUND).f1, 0.0]
    assert CALLS == [2]


def test_what_is_broken_raises_only_when_it_is_requested():
    assert len(METRICS) == len(METRICS.added()) + 5
    for name, message in (
        ("broken", "cannot import metric 'broken' from .*: No module named 'no'"),
        ("raising", "cannot import metric 'raising' from .*NOTHING"),
        ("not_a_metric", "'not_a_metric' must be a name, a Metric or a function"),
    ):
        with pytest.raises(InputError, match=message):
            evaluate(TRUTH, FOUND, ["prom_f1", name])
        with pytest.raises(InputError, match=message):
            check_metric(name)


def test_a_metric_must_return_one_number_per_problem():
    with pytest.raises(InputTypeError, match="'text' returned 'many'"):
        evaluate(TRUTH, FOUND, TEXT)
    with pytest.raises(InputTypeError, match="'text' returned 'many'"):
        check_metric(TEXT)
    with pytest.raises(InputTypeError, match="batch form of metric 'short'"):
        evaluate_many([(TRUTH, FOUND)] * 2, SHORT)


def test_the_row_for_which_a_metric_is_not_defined_is_named():
    rows = [(TRUTH[:1], FOUND)] * 3 + [(TRUTH, FOUND)]
    assert evaluate_many(rows[:3], ONE)["only_one_set"].tolist() == [2.0] * 3
    with pytest.raises(InputError, match="row 3: truth has 2 sets, not one"):
        evaluate_many(rows, ONE)
    with pytest.raises(InputError, match=r"^truth has 2 sets, not one"):
        evaluate(*rows[3], ONE)
    for name in ("single_set_f1", "pair_overlap_gao"):
        with pytest.raises(InputError, match="row 3: "):
            evaluate_many([(TRUTH[:1], TRUTH[:1])] * 3 + rows[3:], name)


def test_check_metric_takes_metrics_of_other_packages(capsys):
    card = check_metric("share_of_sets")
    assert card.cells["false-positive motifs"] is False
    assert "share_of_sets: 53 cases" in capsys.readouterr().out
    assert check_metric(ONE, quiet=True).cells["several sets"] is False
    names = ("independent of order", "bounded")
    same = [check_metric(metric, quiet=True).cells for metric in (SETS, TWICE)]
    assert [[cells[name] for name in names] for cells in same] == [[True, False]] * 2


def test_the_listing_shows_what_can_be_imported(capsys):
    assert main(["metrics"]) == 0
    shown = capsys.readouterr()
    line = next(line for line in shown.out.splitlines() if "share_of_sets" in line)
    assert line.split()[1:] == ["-inf..inf", "higher"]
    assert "broken: cannot import metric 'broken'" in shown.err
    assert main(["metrics", "--properties"]) == 0
    assert "share_of_sets" not in capsys.readouterr().out


def test_single_set_columns_equal_single_calls():
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(200):
        starts = np.sort(rng.choice(40, 6, replace=False)) * 10
        truth = [[(int(s), int(s) + 10) for s in starts]]
        shifted = rng.choice(starts, int(rng.integers(0, 8))) + rng.integers(-9, 9)
        found = [[(max(0, int(s)), int(s) + 12) for s in shifted]]
        rows.append((truth, found if rng.random() < 0.9 else []))
    names = [name for name in METRICS.added() if name.startswith("single_set")]
    table = evaluate_many(rows, names)
    for place, row in enumerate(rows):
        for name in names:
            assert table[name][place] == METRICS[name](*row)

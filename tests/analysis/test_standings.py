"""Newcomers among the baselines: on what both have, and without running these again."""

import itertools
import json
import re
from collections import Counter
from datetime import date

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.analysis.made import DATASET, perfect, write_store
from tests.experiments.mock_problems import small
from tsmdbench.analysis import baselines as module
from tsmdbench.analysis import leaderboard, load_baselines
from tsmdbench.analysis.baselines import corrections
from tsmdbench.analysis.scores import score_store
from tsmdbench.analysis.standings import entry_facts
from tsmdbench.cli import main
from tsmdbench.datasets.catalogue import N_AVG
from tsmdbench.errors import InputError
from tsmdbench.experiments.presets import extra_methods
from tsmdbench.experiments.rows import Outcome, write_part
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.submission import Entry
from tsmdbench.experiments.truth import (
    TRUTH,
    read_truth,
    truth_of,
    truth_parquet,
)
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.report.page import page
from tsmdbench.report.tables import cost_table

NOTHING = Outcome("ok", 0.5)
FAILED = Outcome("timeout", 2.0, message="too long")


def one_motif(outcome):
    return Outcome("ok", 0.1, found=[outcome.found[0][:1]])


@pytest.fixture
def published(tmp_path, monkeypatch):
    """Baselines of a perfect, a middling and a failing method on four problems."""
    good = perfect()
    runs = [("locomotif", {}, n, good[n]) for n in range(4)]
    runs += [("emma", {}, n, one_motif(good[n])) for n in range(4)]
    runs += [("valmod", {}, n, FAILED) for n in range(4)]
    store = write_store(tmp_path / "published", runs)
    monkeypatch.setattr(module, "load_baselines", lambda _which: Store(store))
    return store


@pytest.mark.usefixtures("published")
def test_baselines_are_ranked_among_themselves():
    board = leaderboard()
    assert board.table["label"].tolist() == ["locomotif", "emma", "valmod"]
    assert board.table["place"].tolist() == [1, 2, 3]
    assert board.table["failed"].tolist() == [0, 0, 4]
    assert set(board.table["origin"]) == {"baselines"}
    assert board.table.loc[0, "mean"] == board.table.loc[0, "precision"] == 1.0
    board = leaderboard(metric="score")  # a cost: the lowest is first
    assert board.table["label"].tolist()[0] == "locomotif"
    with pytest.raises(InputError, match="no metric 'elegance'"):
        leaderboard(metric="elegance")


@pytest.mark.usefixtures("published")
def test_methods_of_the_same_name_have_other_labels(tmp_path, capsys):
    board = leaderboard(baselines="both")
    assert set(board.table["label"]) == {
        f"{method} ({which})"
        for method in ("locomotif", "emma", "valmod")
        for which in ("paper", "best")
    }
    mine = write_store(tmp_path / "mine", [("emma", {}, n, NOTHING) for n in range(4)])
    labels = set(leaderboard([mine]).table["label"])
    assert labels == {"emma", "emma (baselines)", "locomotif", "valmod"}
    assert main(["leaderboard", "--add", str(mine), "--baselines", "both"]) == 0
    out = capsys.readouterr().out
    assert "emma *" in out
    assert "emma (paper)" in out
    assert "emma (best)" in out
    with pytest.raises(InputError, match="baselines must be one of"):
        leaderboard(baselines="mine")


def test_the_chosen_baselines_are_compared_with(tmp_path, monkeypatch):
    good = perfect()
    for which, method in (("paper", "emma"), ("best", "stomp")):
        runs = [(method, {}, n, good[n]) for n in range(4)]
        write_store(tmp_path / which, runs)
    monkeypatch.setattr(module, "load_baselines", lambda which: Store(tmp_path / which))
    assert leaderboard(baselines="paper").table["label"].tolist() == ["emma"]
    board = leaderboard()
    assert board.table[["label", "extra"]].to_numpy().tolist() == [["stomp", True]]
    assert "stomp +" in str(board)
    assert "+ extra: not in the comparison of the paper" in str(board)
    assert "methods with the recommended parameters" in str(board)


@pytest.mark.usefixtures("published")
def test_a_newcomer_is_ranked_on_the_problems_that_it_has(tmp_path):
    good = perfect()
    mine = write_store(tmp_path / "mine", [("mine", {}, n, good[n]) for n in (1, 2)])
    board = leaderboard([mine])
    assert set(board.table["label"]) == {"locomotif", "emma", "valmod", "mine"}
    first = board.table.set_index("label")
    assert first.loc["mine", "place"] == first.loc["locomotif", "place"] == 1
    assert first.loc["mine", "origin"] == ""
    assert any("1 dataset, 2 problems" in note for note in board.notes)
    text = str(board)
    assert "mine *" in text
    assert "* added here; the others are the published baselines" in text
    for given in (mine, str(mine), Store(mine)):
        assert str(leaderboard(given)) == text


@pytest.mark.usefixtures("published")
def test_crashing_does_not_make_a_method_fast(tmp_path):
    good = perfect()  # 2 seconds of the processor each
    crash = Outcome("error", message="no")
    half = [("half", {}, n, crash if n % 2 else good[n]) for n in range(4)]
    none = [("none", {}, n, crash) for n in range(4)]
    board = leaderboard([write_store(tmp_path / "mine", half + none)])
    seconds = board.table.set_index("label")["seconds"]
    assert seconds["half"] == seconds["locomotif"] == 2.0
    assert np.isnan(seconds["none"])
    line = next(line for line in str(board).splitlines() if " none *" in line)
    assert line.split()[-5:] == ["\N{EN DASH}", "4", "a", "0", "0"]


def test_table_leaderboard_and_page_show_the_same_time(tmp_path):
    good, crash = perfect(), Outcome("error", message="no")
    runs = [("locomotif", {}, n, good[n]) for n in range(4)]
    slow = Outcome("ok", 1.0, 9.0, found=good[3].found)
    runs += [("emma", {}, n, [crash, good[1], good[2], slow][n]) for n in range(4)]
    store = Store(write_store(tmp_path / "mine", runs))
    scores = score_store(store)
    expected = {"locomotif": 2.0, "emma": (2.0 + 2.0 + 9.0) / 3}
    shown = leaderboard(scores).table.set_index("label")["seconds"]
    table = cost_table(scores).frame.set_index("method")["time"]
    assert shown.to_dict() == table.to_dict() == pytest.approx(expected)
    text = page(scores, store, embed="none")
    cells = re.findall(r'<td data-value="[^"]*">([0-9.]+) s</td>', text)
    assert cells == [f"{expected[name]:.1f}" for name in ("locomotif", "emma")]


@pytest.mark.usefixtures("published")
def test_all_added_stores_count_as_added(tmp_path, capsys):
    good = perfect()
    names = ["first", "second", "emma"]
    stores = [
        write_store(tmp_path / f"s{place}", [(name, {}, n, good[n]) for n in range(4)])
        for place, name in enumerate(names)
    ]
    again = [part for store in stores for part in ("--add", str(store))]
    assert main(["leaderboard", *again, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    mine = {row["label"]: row["own"] for row in rows}
    assert mine == {
        **dict.fromkeys(["first", "second", "emma"], True),
        **dict.fromkeys(["emma (baselines)", "locomotif", "valmod"], False),
    }
    assert {row["label"] for row in rows if row["added"]} == set(names)
    assert main(["leaderboard", *again]) == 0
    assert capsys.readouterr().out.count(" *  ") == 3
    assert main(["leaderboard", *again, "--only", "mine", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {row["label"] for row in rows} == set(names)


def changed_truth(truth, _rows):
    truth["n"] = [n + 1 for n in truth["n"]]


def changed_hash_of_truth(truth, _rows):
    truth["data"] = ["0" * 32 for _ in truth["data"]]


def changed_hash_of_runs(_truth, rows):
    rows["data"] = ["0" * 32, *rows["data"][1:]]


def test_other_problems_than_those_of_the_baselines_are_refused(
    tmp_path, capsys, monkeypatch, published
):
    theirs = Store(published)
    monkeypatch.setattr("tsmdbench.report.write.load_baselines", lambda _which: theirs)

    def status(*words):
        return main([str(word) for word in words]), capsys.readouterr().err

    rows = theirs.table(where={"method": "emma"})
    truth = pq.read_table(theirs.path / TRUTH)
    hashes = dict(
        zip(*(truth[n].to_pylist() for n in ("problem", "data")), strict=True)
    )
    said = "has other data or another truth than the baselines for problem"
    report = ["--out", tmp_path / "out", "--embed", "none"]
    store = tmp_path / "mine"
    for change in (None, changed_hash_of_truth, changed_hash_of_runs, changed_truth):
        tables = [truth.to_pydict(), rows.to_pydict()]
        tables[1]["data"] = [hashes[name] for name in tables[1]["problem"]]
        if change is not None:
            change(*tables)
        with StoreWriter(store) as writer:
            writer.write_manifest({"format": 1, "specifications": [], "made_by": {}})
        pq.write_table(pa.table(tables[0], schema=truth.schema), store / TRUTH)
        write_part(store, 0, 0, pa.table(tables[1], schema=rows.schema))
        ended, error = status("leaderboard", "--add", store)
        assert (ended, said in error) == ((0, False) if change is None else (2, True))
        if change in (changed_hash_of_truth, changed_hash_of_runs):
            ended, error = status("leaderboard", "--add", store, "--baselines", "none")
            assert (ended, "than its own" in error) == (2, True)
    assert status("leaderboard", "--add", store, "--baselines", "none")[0] == 0
    ended, error = status("report", store, "--baselines", "best", *report)
    assert (ended, said in error) == (2, True)
    ended, error = status("report", store, "--compare", "baselines/paper", *report)
    assert (ended, "--baselines paper" in error) == (2, True)


@pytest.mark.usefixtures("published")
def test_without_common_datasets_methods_are_ranked_among_themselves(tmp_path):
    run = [("mine", {}, 0, NOTHING), ("yours", {}, 0, perfect()[0])]
    other = "tests.experiments.mock_problems:other"
    mine = write_store(tmp_path / "mine", run, dataset=other)
    with pytest.raises(InputError, match="resume"):  # its truth is not beside it
        leaderboard([mine])
    with StoreWriter(mine) as writer:
        truth = {(other, "test", p.name): truth_of(p) for p in small("test")}
        writer.write_file(TRUTH, truth_parquet(truth))
    board = leaderboard([mine])
    assert board.table["label"].tolist() == ["yours", "mine"]
    assert any("the baselines have none of" in note for note in board.notes)
    with pytest.raises(InputError, match="nothing to rank"):
        leaderboard(baselines=None)


@pytest.mark.usefixtures("published")
def test_the_command_prints_a_table_or_json(tmp_path, capsys):
    mine = write_store(tmp_path / "mine", [("mine", {}, 0, NOTHING)])
    assert main(["leaderboard", "--add", str(mine)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split()[:3] == ["method", "prom_f1", "interval"]
    assert main(["leaderboard", "--json", "--dataset", DATASET]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["label"] for row in rows] == ["locomotif", "emma", "valmod"]
    assert main(["leaderboard", "--add", "nowhere"]) == 2
    assert "nowhere is not a store" in capsys.readouterr().err
    assert main(["leaderboard", "--dataset", "nothing"]) == 2


@pytest.mark.usefixtures("published")
def test_a_row_says_what_a_board_must_know(tmp_path, capsys):
    mine = write_store(
        tmp_path / "mine", [("mine", {}, n, perfect()[n]) for n in range(4)]
    )
    assert main(["leaderboard", "--add", str(mine), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["reference"] == "mine"
    against = {row["label"] for row in found["against_reference"]}
    assert against == {"locomotif", "emma", "valmod"}
    rows = {row["label"]: row for row in found["rows"]}
    row = rows["mine"]
    assert (row["method"], row["problems"], row["datasets"]) == ("mine", 4, [DATASET])
    assert (row["tuned"], row["from_truth"], row["code"]) == (False, False, None)
    entry = Entry("mine", "2", "MIT", "me", organisation="Ours", date="2026-01-02",
                  code="https://example.org/code")  # fmt: skip
    scores = score_store(mine)
    (facts,) = entry_facts(scores, {"": [Store(mine)]}, {"mine": entry}).to_dict(
        "records"
    )
    assert facts["code"] == "https://example.org/code"
    assert (facts["organisation"], facts["date"]) == ("Ours", "2026-01-02")


def test_the_reference_is_named_or_the_added_method():
    scores = score_store(load_baselines(), metrics=["prom_f1"])
    assert leaderboard(scores).comparison.reference == ""
    few = leaderboard(scores, only="emma,pepa,valmod", reference="pepa")
    assert "pepa against" in str(few)
    assert "Wilcoxon's test over 12 datasets" in str(few)
    for wrong, message in (("nobody", "no method is called"), ("", "no method")):
        with pytest.raises(InputError, match=message):
            leaderboard(scores, reference=wrong)


def test_corrections_are_dated_and_in_order():
    dates = [date.fromisoformat(one.date) for one in corrections()]
    assert dates == sorted(dates, reverse=True)
    assert all(text for one in corrections() for text in one)


@pytest.mark.parametrize("which", ["paper", "best"])
def test_the_package_comes_with_baselines_of_every_method(which):
    counts = load_baselines(which).counts()
    datasets = {what[0] for what in counts}
    methods = {what[2] for what in counts}
    assert len(datasets) == 12
    without_parameters = {"auto"} if which == "best" else set()
    assert methods == {*PAPER_METHODS, *extra_methods()} | without_parameters
    for dataset in datasets:
        for method in methods:
            runs = [n for what, n in counts.items() if what[0::2] == (dataset, method)]
            assert sum(runs) == 200


def test_recommended_methods_return_no_overlapping_motifs():
    names = ["method", "found"]
    rows = load_baselines("best").table(names)
    overlapping = Counter()
    for method, found in zip(*(rows[x].to_pylist() for x in names), strict=True):
        motifs = sorted(motif for motifs in found for motif in motifs)
        ends = (a[1] > b[0] for a, b in itertools.pairwise(motifs))
        overlapping[method] += any(ends)
    assert len(overlapping) == 17
    assert not overlapping.total()


def test_lengths_agree_with_the_later_table_of_the_group():
    lengths = {}
    for (dataset, split, _), one in read_truth(load_baselines().path).items():
        if split == "test":
            lengths.setdefault(dataset, []).append(one.n)
    assert len(lengths) == 12
    for dataset, found in lengths.items():
        # Both means are of 200 series that were drawn in the same way.
        error = np.std(found, ddof=1) * np.sqrt(2 / len(found))
        difference = abs(np.mean(found) - N_AVG[dataset][1])
        assert (difference < 2 * error) == (dataset != "Fungi"), dataset

"""Which methods a comparison is about, which it is restricted to, on which clock."""

import dataclasses
import json

import pandas as pd
import pytest

from tests.analysis.made import DATASET, perfect, scores_of, write_store
from tsmdbench.analysis import baselines as module
from tsmdbench.analysis import leaderboard
from tsmdbench.analysis.costs import (
    NOT_COMPARABLE,
    comparable_times,
    on_clock_of,
    time_and_quality,
)
from tsmdbench.analysis.labels import store_labels
from tsmdbench.analysis.ranking import significance
from tsmdbench.analysis.scores import own_labels, restricted, score_store
from tsmdbench.analysis.tuning_effort import Effort, effort_note
from tsmdbench.cli import main
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.methods.info import MethodInfo
from tsmdbench.report.tables import tuning_table

SCORES = scores_of({"emma": [0.1, 0.2], "my.pkg:New": [0.3, 0.4], "valmod": [0.5, 0.1]})
SLOW, FAST = ({"machines": {"m": {"kernel": 1, "seconds": s}}} for s in (0.3, 0.1))


def noted(path, **fields):
    """Add fields to the manifest of a store."""
    with StoreWriter(path) as writer:
        writer.write_manifest({**Store(path).manifest, **fields})
    return path


@pytest.fixture
def stores(tmp_path, monkeypatch):
    good = perfect()
    theirs = write_store(
        tmp_path / "published",
        [(name, {}, n, good[n]) for name in ("locomotif", "emma") for n in range(4)],
    )
    mine = write_store(tmp_path / "mine", [("new", {}, n, good[n]) for n in range(3)])
    monkeypatch.setattr(module, "load_baselines", lambda _which: Store(theirs))
    return mine, theirs


def test_own_methods_are_those_that_were_there_before_the_others():
    assert own_labels(SCORES) == ("my.pkg:New",)
    joined = scores_of({"emma": [0.1, 0.2]}).join(scores_of({"stomp": [0.3, 0.2]}))
    assert own_labels(joined) == ("emma",)
    assert own_labels(scores_of({"new": [0.1]})) == ()  # among nobody


def test_a_method_is_named_by_label_name_or_class():
    assert restricted(SCORES, None) is SCORES
    assert restricted(SCORES, "New, emma").labels == ("emma", "my.pkg:New")
    assert restricted(SCORES, ["mine", "valmod"]).labels == ("valmod", "my.pkg:New")
    with pytest.raises(InputError, match="no method is called 'nwe'; known: emma"):
        restricted(SCORES, "nwe")
    for nothing in ("", " , ", []):
        with pytest.raises(InputError, match="only must name at least one method"):
            restricted(SCORES, nothing)


def test_the_correction_is_that_of_the_pairs_that_are_left():
    means = {
        name: [k / 10 + d / 100 for d in range(8)] for k, name in enumerate("abcd")
    }
    every, two = (
        significance(scores_of(means)),
        significance(restricted(scores_of(means), "a,b")),
    )
    p = every.p_values.loc["a", "b"]
    assert two.adjusted.loc["a", "b"] == pytest.approx(p)
    assert every.adjusted.loc["a", "b"] > p


def test_times_are_scaled_where_both_machines_are_known(stores):
    mine, theirs = stores
    noted(mine, **SLOW), noted(theirs, **FAST)
    board = leaderboard(mine)
    seconds = board.table.set_index("label")["seconds"]
    assert seconds["new"] == pytest.approx(2.0)
    assert seconds["locomotif"] == pytest.approx(6.0)
    assert board.table["comparable"].all()
    assert any("scaled by 3 to the machine" in note for note in board.notes)
    assert on_clock_of(SLOW, SCORES, SLOW, "baselines") == (SCORES, "")


def test_times_of_an_unknown_machine_are_marked_and_never_on_the_front(stores, capsys):
    mine, _ = stores
    noted(mine, **SLOW)
    assert main(["leaderboard", "--add", str(mine)]) == 0
    out = capsys.readouterr().out
    assert "2 °" in out
    assert NOT_COMPARABLE in out
    board = leaderboard(mine).table.set_index("label")
    assert board["comparable"].to_dict() == {
        "new": True,
        "locomotif": False,
        "emma": False,
    }
    assert board["own"].to_dict() == {"new": True, "locomotif": False, "emma": False}


def test_the_front_is_among_comparable_times():
    table = pd.DataFrame({"label": ["mine", "slow", "theirs"], "dataset": "A"})
    table["problem"], table["cpu_seconds"] = 1, [2.0, 3.0, 1.0]
    table["prom_f1"], table["clock"] = [0.5, 0.4, 0.9], ["", "", "baselines"]
    scores = dataclasses.replace(SCORES, table=table)
    assert comparable_times(scores) == {"mine": True, "slow": True, "theirs": False}
    found = time_and_quality(scores)
    assert found["pareto"].to_dict() == {"mine": True, "slow": False, "theirs": False}
    assert found["time"]["theirs"] == 1.0


def test_a_store_of_several_machines_says_so(stores):
    mine, _ = stores
    both = {"a": {"kernel": 1, "seconds": 0.1}, "b": {"kernel": 1, "seconds": 0.3}}
    noted(mine, machines=both)
    notes = leaderboard(mine).notes
    assert any("machines of different or unknown speed" in note for note in notes)


def test_a_leaderboard_can_be_restricted(stores, capsys):
    mine, _ = stores
    assert main(["leaderboard", "--add", str(mine), "--only", "mine,emma"]) == 0
    out = capsys.readouterr().out
    assert "locomotif" not in out.split("\n\n")[0]
    assert "restricted to emma, new" in out
    assert main(["leaderboard", "--add", str(mine), "--only", "nobody"]) == 2
    assert "no method is called 'nobody'" in capsys.readouterr().err


def test_display_names_are_labels_unless_they_are_taken(stores):
    mine, _ = stores
    card = {"facts": {"display_name": "Shiny"}, "session": False}
    noted(mine, methods={"new": card})
    assert score_store(mine).labels == ("Shiny",)
    settings = [("A", "x", "1", "{}"), ("A", "emma", "1", "{}")]
    names = store_labels(settings, {"x": MethodInfo(display_name="emma")})
    assert sorted(names.values()) == ["emma", "x"]


def write_surface(store, settings, winner, problems):
    import pyarrow as pa
    import pyarrow.parquet as pq

    count = len(settings)
    surface = {
        "dataset": [DATASET] * count,
        "method": ["new"] * count,
        "parameters": [json.dumps(one) for one in settings],
        **{name: [0.0] * count for name in ("mean_f1", "failed")},
        **{name: [0.0] * count for name in ("mean_seconds", "mean_cpu_seconds")},
        "problems": [problems] * count,
        "winner": [place == winner for place in range(count)],
    }
    (store / "tuning").mkdir(exist_ok=True)
    pq.write_table(pa.table(surface), store / "tuning" / "new.parquet")


def test_the_number_of_problems_of_a_search_is_stated(stores):
    mine, _ = stores
    write_surface(mine, [{"rho": 0.5}, {}, {"rho": 0.7}], 1, 6)
    assert any(
        "not tuned (emma, locomotif); 6 (new)" in n for n in leaderboard(mine).notes
    )
    write_surface(mine, [{"rho": 0.5}, {}, {"rho": 0.7}], 0, 6)  # another one was run
    assert any("not tuned (" in n and "6 (" not in n for n in leaderboard(mine).notes)
    (mine / "tuning" / "new.parquet").write_bytes(b"nothing")
    with pytest.raises(DataError, match="is not a tuning surface"):
        leaderboard(mine)


def test_a_method_that_ran_tuned_and_not_tuned_has_a_row_for_each(tmp_path):
    good = perfect()
    runs = [("new", {"rho": 0.5, "seed": None}, n, good[n]) for n in range(4)]
    runs += [("new", {"rho": 0.7}, n, good[n]) for n in range(4)]
    mine = write_store(tmp_path / "both", runs)
    write_surface(mine, [{"rho": 0.5}, {"rho": 0.7}], 0, 6)
    board = leaderboard(mine, baselines=None)
    assert set(board.table["label"]) == {"new", "new (tuned)"}
    assert any("6 (new (tuned))" in n and "not tuned (new)" in n for n in board.notes)
    rows = tuning_table(board.efforts).frame.set_index("method")
    assert rows.loc["new (tuned)"].tolist() == ["6", 2, 1]
    assert rows.loc["new"].tolist() == ["not tuned", 0, 0]
    # Equal efforts are put together.
    efforts = {"a": Effort(), "b": Effort((3, 5), 2, 2), "c": Effort()}
    assert effort_note(efforts).endswith("not tuned (a, c); 3 to 5 (b)")

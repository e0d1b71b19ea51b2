"""From a store back to explanations: of one run, and summed up by kind of error."""

import json

import pytest

from tests.analysis.made import perfect, write_store
from tsmdbench.analysis import leaderboard, score_store
from tsmdbench.analysis.difficulty import error_costs
from tsmdbench.cli import main
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments import Store
from tsmdbench.experiments.rows import Outcome
from tsmdbench.metrics import explain
from tsmdbench.report.tables import errors_table


def outcome(sets):
    return Outcome("ok", 1.0, 2.0, 1000, 1, sets)


@pytest.fixture
def store(tmp_path):
    """Methods with one kind of error each, and one that failed."""
    good = perfect()
    missing = [outcome([s[:1] for s in one.found]) for one in good]
    late = [
        outcome([[[a + round(0.6 * (b - a)), b + round(0.6 * (b - a))] for a, b in s]
                 for s in one.found])
        for one in good
    ]  # fmt: skip
    runs = [("emma", {"rho": 1}, n, good[n]) for n in range(4)]
    runs += [("emma", {"rho": 2}, n, missing[n]) for n in range(4)]
    runs += [("valmod", {}, n, late[n]) for n in range(4)]
    runs += [("stomp", {}, n, Outcome("error", message="no")) for n in range(4)]
    return write_store(tmp_path / "store", runs)


def test_a_run_of_a_store_is_explained(store, capsys):
    opened = Store(store)
    rows = opened.table(["problem", "found"], {"method": "valmod"}).to_pylist()
    row = min(rows, key=lambda row: row["problem"])
    found = opened.explain(0, "valmod")
    assert found.found_counts == {"off": sum(map(len, row["found"]))}
    truth = dict(zip(found.result.truth.labels, found.result.truth.sets, strict=True))
    again = opened.explain(row["problem"], "valmod").to_dict()
    assert again == found.to_dict() == explain(truth, row["found"]).to_dict()
    assert opened.explain(1, "emma", parameters={"rho": 1}).result.f1 == 1.0
    assert opened.explain(1, "emma", parameters={"rho": 2}).result.f1 < 1.0
    line = ["explain", str(store), "1", "--method", "emma", "--set", "rho=2"]
    assert main([*line, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["true_counts"]["missed"] > 0
    assert main(line) == 0
    assert capsys.readouterr().out.strip() == str(
        opened.explain(1, "emma", parameters={"rho": 2})
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("0",), "name the method; there are: emma, stomp, valmod"),
        (("0", "--method", "x"), "there is no run of method 'x'; there are: emma"),
        (("99", "--method", "valmod"), "problem must be below 4"),
        (("no", "--method", "valmod"), "there is no run of problem 'no'"),
        (("0", "--method", "emma"), "2 settings of the method fit {}; name parameters"),
        (("0", "--method", "emma", "--set", "rho=3"), "0 settings of the method fit"),
        (("0", "--method", "emma", "--set", "rho"), "--set takes KEY=VALUE"),
        (("--set", "rho=3"), "name the problem"),
        (("0", "--dataset", "other"), "there is no run of dataset 'other'"),
        (
            ("0", "--method", "valmod", "--split", "validation"),
            "has no run in split 'validation'",
        ),
    ],
)
def test_what_is_not_clear_is_one_sentence(store, capsys, options, message):
    assert main(["explain", str(store), *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_failed_run_has_its_message(store):
    with pytest.raises(DataError, match=r"stomp failed on .*: no"):
        Store(store).explain(0, "stomp")
    with pytest.raises(InputError, match="there is no run of version '9'"):
        Store(store).explain(0, "valmod", version="9")


def test_errors_are_summed_up_by_kind(store, capsys):
    assert main(["explain", str(store), "--json"]) == 0
    rows = {row["label"]: row for row in json.loads(capsys.readouterr().out)}
    board = leaderboard(store, baselines=None).table.set_index("label")["mean"]
    for label, row in rows.items():
        assert row["f1"] == pytest.approx(board[label])
    kinds = ("missed", "off", "wrong set", "spurious", "duplicate")
    for label, kind in (("emma [rho=2]", "missed"), ("valmod", "off")):
        row = rows[label]
        assert row[kind] == pytest.approx(1.0 - row["f1"])  # it is the only kind
        assert all(row[other] == 0.0 for other in kinds if other != kind)
    assert rows["stomp"]["missed"] == pytest.approx(1.0)
    assert all(rows["emma [rho=1]"][kind] == 0.0 for kind in kinds)
    assert main(["explain", str(store), "--method", "valmod"]) == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.startswith("valmod  0.000     4  wrong borders cost 1.00 F1")
    table = errors_table(error_costs(score_store(store), Store(store))).frame
    assert table.set_index("method").loc["valmod", "wrong borders"] == 1.0

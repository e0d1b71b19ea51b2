"""``tsmdbench metrics``: the list and the table of properties."""

import json

import pytest

from tsmdbench.cli import main
from tsmdbench.errors import InternalError
from tsmdbench.metrics import METRICS, properties


def test_metrics_are_listed(capsys):
    assert main(["metrics"]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in METRICS)
    assert main(["metrics", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["score"]["higher_is_better"] is False


def test_properties_are_printed_with_their_differences(capsys):
    assert main(["metrics", "--properties"]) == 0
    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if line.startswith("prom_f1"))
    assert row.split()[1:] == ["yes"] * 10
    assert "score, false-positive sets: yes (paper: n/s)" in printed
    assert main(["metrics", "--properties", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["score"]["bounded"] is False


def test_a_difference_without_a_reason_is_an_internal_error(monkeypatch):
    cards = properties.property_table(["score"])
    monkeypatch.setitem(properties.PAPER_ROWS, "score", ("score", {}))
    with pytest.raises(InternalError, match="differs from the paper, unexplained"):
        properties.differences(cards)

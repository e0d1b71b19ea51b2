"""The whole of it in small: run, report, statements; and again without running."""

import json

import pytest

from tsmdbench.cli import main
from tsmdbench.experiments import presets
from tsmdbench.experiments.store import Store
from tsmdbench.paper import reproduction as module
from tsmdbench.paper.random_walk import DetectorRow
from tsmdbench.report.write import Written


@pytest.fixture
def small(monkeypatch):
    """An experiment of two fast methods on two problems of the bundled dataset."""

    def experiment(name, preset):
        assert (name, preset) == ("demo", "paper")
        return {
            "datasets": ("JapaneseVowels",),
            "methods": ("setfinder", "gv_sequitur"),
            "limit": 2,
        }

    monkeypatch.setattr(module, "experiment", experiment)
    row = DetectorRow("JapaneseVowels", 2, 0, 0.5, 0.5, 0.5)
    monkeypatch.setattr(module, "detector_on_benchmark", lambda *_, **__: row)
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)
    return presets


@pytest.mark.usefixtures("small")
@pytest.mark.archive
@pytest.mark.slow
def test_everything_is_written_and_done_once(tmp_path, capsys, monkeypatch):
    out = tmp_path / "r"
    arguments = ["reproduce", "demo", "--out", str(out), "--workers", "1"]
    assert main(arguments) == 0
    told = capsys.readouterr()
    assert "Of 20 statements" in told.out
    assert f"statements {out / 'statements.html'}" in told.out
    assert f"report     {out / 'report' / 'index.html'}" in told.out
    assert len(Store(out / "store")) == 4
    page = (out / "statements.html").read_text()
    assert "2 methods on 1 dataset, 2 test problems each: 4 results" in page
    assert "<td>not tested" in page or 'class="untested">not tested' in page
    text = (out / "statements.md").read_text()
    assert "| ~ | RQ3 | A random walk detector" in text
    assert (out / "report" / "figures" / "random_walk.svg").exists()

    # What a report is made of is tested elsewhere, and takes long.
    report = Written(out / "report" / "index.html", (), (), ())
    monkeypatch.setattr(module, "write_report", lambda *_, **__: report)
    assert main([*arguments, "--json"]) == 0
    rows = {row["key"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["locomotif-first"]["verdict"] == "not tested"
    assert rows["random-walk-easy"]["verdict"] == "partly"
    assert rows["random-walk-easy"]["kind"] == "number"
    assert rows["random-walk-easy"]["difference"] == pytest.approx(-0.047, abs=1e-4)
    assert len(Store(out / "store")) == 4


def test_an_unknown_preset_is_refused(tmp_path, capsys):
    assert main(["reproduce", "huge", "--out", str(tmp_path / "r")]) == 2
    assert "experiment must be one of" in capsys.readouterr().err
    assert not (tmp_path / "r").exists()

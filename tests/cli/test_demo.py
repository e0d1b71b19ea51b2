"""``tsmdbench demo``: from the example to a report that ends in a conclusion."""

import pytest

from tsmdbench import experiments, report
from tsmdbench.analysis import load_baselines
from tsmdbench.cli import main
from tsmdbench.errors import ExperimentError
from tsmdbench.experiments import specification


@pytest.mark.archive
def test_demo_ends_in_a_conclusion(tmp_path, monkeypatch, capsys):
    pytest.importorskip("aeon")
    asked = experiments.experiment("demo")
    assert len(asked["datasets"]) == 2
    small = {"methods": ("emma", "mrmotif", "stomp"), "limit": 4, "tune": False}
    monkeypatch.setattr(experiments, "experiment", lambda _: asked | small)
    assert main(["demo", "--out", str(tmp_path), "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "JapaneseVowels: real: instances of" in out
    assert "dials: generated: random shapes" in out
    assert "has the highest mean F1 over 2 datasets" in out
    assert (tmp_path / "report" / "index.html").as_uri() in out
    assert (tmp_path / "evaluation.png").is_file()
    page = (tmp_path / "report" / "index.html").read_text()
    assert "has the highest mean F1 over 2 datasets" in page
    assert "real: instances of the classification dataset JapaneseVowels" in page
    assert "generated: random shapes that repeat" in page
    assert 'href="#ranks"' in page
    assert 'id="ranks"' in page
    assert 'data-key="group"' in page
    assert "smallest possible p-value" not in page


def test_demo_shows_published_results_where_experiments_cannot_run(
    tmp_path, monkeypatch, capsys
):
    def cannot():
        raise ExperimentError("experiments cannot run here")

    def write(store, out, **_):
        written.append(store)
        return report.Written(out / "index.html", (), (), (), conclusion="Done.")

    written = []
    monkeypatch.setattr(specification, "check_platform", cannot)
    monkeypatch.setattr(report, "write_report", write)
    assert main(["demo", "--out", str(tmp_path)]) == 0
    assert written == [load_baselines().path]
    assert "the report shows the published results" in capsys.readouterr().out

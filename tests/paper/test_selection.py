"""The selection: resumable, tabulated, drawn, and shipped."""

import json
from importlib.resources import files

import numpy as np
import pytest

from tsmdbench.datasets.catalogue import CLUSTERED, PAPER_SELECTED
from tsmdbench.errors import InputError
from tsmdbench.paper import selection as module
from tsmdbench.paper.selection import (
    select,
    selection_csv,
    selection_figure,
    shipped_selection,
)

SHIPPED = files("tsmdbench.paper") / "data" / "selection.csv"
pytestmark = pytest.mark.archive


@pytest.fixture
def toys(tmp_path, write_dataset):
    """Two datasets: one that clusters, one of noise."""
    rng = np.random.default_rng(0)
    phases = [0.0, 1.0, 2.0, 3.0, 4.0]
    labels = [str(k) for k in range(5)] * 4
    clear = [np.sin(np.arange(15.0) + phases[int(k)])[:, None] for k in labels]
    noise = [rng.normal(size=(15, 1)) for _ in labels]
    for name, instances in (("Clear", clear), ("Noise", noise)):
        parts = {"TRAIN": (instances[:10], labels[:10])}
        parts["TEST"] = (instances[10:], labels[10:])
        write_dataset(tmp_path, name, parts)
    return tmp_path


def test_shapes_are_suitable_and_noise_is_not(toys, tmp_path):
    said = []
    rows = select(["Noise", "Clear"], toys, say=said.append)
    assert [row.dataset for row in rows] == ["Clear", "Noise"]
    assert rows[0].ari == 1.0
    assert [row.suitable for row in rows] == [True, False]
    assert not rows[0].subsampled
    assert any("Clear: adjusted Rand index 1.000" in line for line in said)
    (row,) = select(["Clear"], toys, max_instances=10)
    assert row.subsampled
    assert (row.clustered, row.instances) == (10, 20)
    file = tmp_path / "state.json"
    file.write_text(json.dumps([1]))
    with pytest.raises(InputError, match="not the state of a selection"):
        select(["Clear"], toys, state=file)


def test_a_stopped_run_goes_on(toys, tmp_path, monkeypatch):
    state = tmp_path / "run" / "state.json"
    real = module.distance_matrix
    calls = []

    def stopping(instances, distance, **options):
        calls.append(distance)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(instances, distance, **options)

    monkeypatch.setattr(module, "distance_matrix", stopping)
    with pytest.raises(KeyboardInterrupt):
        select(["Clear", "Noise"], toys, state=state)
    rows = select(["Clear", "Noise"], toys, state=state)
    assert calls == ["euclidean", "dtw", "euclidean", "euclidean", "dtw"]
    assert rows == select(["Clear", "Noise"], toys)
    other = len(calls)
    select(["Clear"], toys, state=state, seed=1)
    assert len(calls) == other + 2  # other settings: nothing is taken over


def test_shipped_table_confirms_the_paper():
    rows = shipped_selection()
    names = {row.dataset for row in rows}
    assert names == set(CLUSTERED) - {"Cricket"}
    assert [row.ari for row in rows] == sorted((row.ari for row in rows), reverse=True)
    assert selection_csv(rows) == SHIPPED.read_text()
    with pytest.raises(InputError, match="no dataset"):
        selection_csv([])
    suitable = {row.dataset for row in rows if row.suitable}
    assert suitable == set(PAPER_SELECTED) - {"Cricket"}
    assert {row.dataset for row in rows if row.subsampled} == {
        "CharacterTrajectories",
        "LSST",
        "PenDigits",
        "SpokenArabicDigits",
    }


@pytest.mark.data
def test_shipped_table_is_what_comes_out(data_folder):
    pytest.importorskip("kmedoids")
    shipped = {row.dataset: row for row in shipped_selection()}
    for row in select(["ERing", "JapaneseVowels"], data_folder, max_instances=1500):
        known = shipped[row.dataset]
        assert row.ari_euclidean == pytest.approx(known.ari_euclidean, abs=1e-9)
        assert row.ari_dtw == pytest.approx(known.ari_dtw, abs=1e-9)


def test_figure_has_bars_threshold_and_bold_names():
    rows = shipped_selection()
    figure = selection_figure(rows)
    (axes,) = figure.axes
    assert len(axes.patches) == 2 * len(rows)
    assert any(set(line.get_ydata()) == {0.5} for line in axes.lines)
    bold = {
        label.get_text().rstrip("*")
        for label in axes.get_xticklabels()
        if label.get_fontweight() == "bold"
    }
    assert bold == {row.dataset for row in rows if row.suitable}

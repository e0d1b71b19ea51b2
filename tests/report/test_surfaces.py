"""Surfaces of a store are read in the paper's order."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tsmdbench import InputError
from tsmdbench.analysis.tuning_effort import COLUMNS
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.report import read_surfaces
from tsmdbench.report.figures import tuning_figure


@pytest.fixture
def store(tmp_path):
    with StoreWriter(tmp_path / "store") as writer:
        path = writer.path
    (path / "tuning").mkdir(exist_ok=True)
    return Store(path)


def write(store, dataset, method, scores):
    table = pa.table(
        {
            "dataset": [dataset] * len(scores),
            "method": [method] * len(scores),
            "version": ["1"] * len(scores),
            "parameters": [f'{{"rho": {k}}}' for k in range(len(scores))],
            "mean_f1": scores,
            "problems": [2] * len(scores),
            "failed": [0] * len(scores),
            "mean_seconds": [0.5] * len(scores),
            "mean_cpu_seconds": [0.5] * len(scores),
            "winner": [score == max(scores) for score in scores],
        }
    )
    pq.write_table(table, store.path / "tuning" / f"{dataset}-{method}.parquet")


def test_rows_come_in_the_order_of_the_paper(store):
    rows = read_surfaces(store)
    assert list(rows.columns) == list(COLUMNS)
    assert rows.empty
    assert "Nothing was tuned" in tuning_figure(rows).axes[0].texts[0].get_text()
    for dataset, method in (("mine", "emma"), ("Plane", "own"), ("Plane", "locomotif")):
        write(store, dataset, method, [0.1, 0.7, 0.3])
    write(store, "ECG5000", "locomotif", [0.2])
    rows = read_surfaces(store)
    assert list(rows.columns) == list(COLUMNS)
    places = list(dict.fromkeys(zip(rows["dataset"], rows["method"], strict=True)))
    assert places == [
        ("ECG5000", "locomotif"),
        ("Plane", "locomotif"),
        ("Plane", "own"),
        ("mine", "emma"),
    ]
    assert rows["mean_f1"].tolist()[1:4] == [0.1, 0.7, 0.3]


def test_figure_marks_the_chosen_setting(store):
    write(store, "Plane", "locomotif", [0.1, 0.7, 0.3])
    figure = tuning_figure(read_surfaces(store))
    (axes,) = [a for part in figure.subfigs for a in part.axes if a.axison]
    places = [line.get_xdata().tolist() for line in axes.lines]
    assert places == [[0.1, 0.7], [0.1, 0.3, 0.7], [0.7]]  # line, settings, chosen


@pytest.mark.parametrize("content", [b"no parquet", None])
def test_a_damaged_surface_is_named(store, content):
    file = store.path / "tuning" / "Plane-emma.parquet"
    if content is None:
        pq.write_table(pa.table({"dataset": ["Plane"]}), file)
    else:
        file.write_bytes(content)
    with pytest.raises(InputError, match=r"Plane-emma\.parquet is not a tuning"):
        read_surfaces(store)

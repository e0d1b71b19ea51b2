"""Scores that are kept beside the published baselines: used while they are right."""

import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest
from tools.keep_scores import computed

from tsmdbench.analysis import load_baselines, score_store
from tsmdbench.analysis import scores as kept_scores
from tsmdbench.metrics import METRICS

STORES = ("paper", "best", "recordings", "subspace")


@pytest.mark.parametrize(
    "which",
    [pytest.param(name, marks=pytest.mark.slow) for name in STORES[:2]]
    + ["recordings"],
)
def test_kept_scores_are_the_computed_ones(which):
    store = load_baselines(which)
    kept = pq.read_table(store.path / kept_scores.KEPT)
    assert kept.equals(computed(store), check_metadata=True)


@pytest.mark.parametrize("which", STORES)
def test_the_files_belong_to_the_stores_and_metrics_of_this_version(which):
    store = load_baselines(which)
    scores = score_store(store)
    assert set(kept_scores.kept_values(store, scores.given)) == set(scores.metrics)


@pytest.fixture
def altered(tmp_path, monkeypatch):
    """A store among the baselines whose kept scores can be recognised."""
    path = shutil.copytree(load_baselines("recordings").path, tmp_path / "copied")
    file = path / kept_scores.KEPT
    kept = pq.read_table(file)
    recall = kept["prom_recall"]
    place = kept.column_names.index("prom_f1")
    pq.write_table(kept.set_column(place, "prom_f1", [[-1.0] * len(recall)]), file)
    monkeypatch.setattr(kept_scores, "FOLDER", tmp_path)
    return path


def test_kept_scores_are_used_for_the_same_runs_and_versions_only(
    altered, monkeypatch, tmp_path
):
    right = score_store(load_baselines("recordings"), metrics=["prom_f1"]).table
    assert (right["prom_f1"] >= 0.0).all()

    def f1(**options):
        return score_store(altered, metrics=["prom_f1"], **options).table["prom_f1"]

    assert set(f1()) == {-1.0}
    assert (f1(threshold=0.7) >= 0.0).all()
    with monkeypatch.context() as patch:
        newer = replace(METRICS["prom_f1"], version=2)
        patch.setitem(METRICS.__dict__["_entries"], "prom_f1", newer)
        assert f1().equals(right["prom_f1"])
    own = replace(METRICS["prom_f1"], batch=None)  # of the same name
    table = score_store(altered, metrics=own).table
    assert table["prom_f1"].equals(right["prom_f1"])
    with monkeypatch.context() as patch:  # beside a store of somebody else
        patch.setattr(kept_scores, "FOLDER", tmp_path / "elsewhere")
        assert f1().equals(right["prom_f1"])
    (part,) = altered.glob("runs-*.parquet")
    pq.write_table(pq.read_table(part), part, compression="none")
    assert f1().equals(right["prom_f1"])

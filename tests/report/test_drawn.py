"""All figures of a report, each with a name of its own and a caption."""

import numpy as np
import pytest

from tests.experiments.mock_problems import small
from tests.report.looking import faults
from tsmdbench.analysis.scores import score_store
from tsmdbench.errors import DataError, InputError, InternalError, MissingExtraError
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.truth import TRUTH, truth_of, truth_parquet
from tsmdbench.report.drawn import drawn_figures
from tsmdbench.report.figures import svg

DATASET = "tests.experiments.mock_problems:small"


@pytest.fixture
def store(tmp_path):
    rng = np.random.default_rng(0)
    with StoreWriter(tmp_path / "store") as writer:
        for method in ("emma", "a_b<$"):
            for problem in small("test"):
                starts = sorted(rng.integers(0, 80, size=3).tolist())
                found = [[[s, s + 10] for s in starts]]
                run = Run(method, "1", "{}", DATASET, "test", problem.name)
                outcome = Outcome("ok", 0.1, 0.2, 10**8, found=found)
                writer.add([run.row(outcome)])
        truth = {(DATASET, "test", p.name): truth_of(p) for p in small("test")}
        writer.write_file(TRUTH, truth_parquet(truth))
        path = writer.path
    return Store(path)


def test_every_figure_of_a_small_store_is_drawn(store):
    scores = score_store(store)
    drawings, skipped = drawn_figures(scores, store)
    # Average ranks over a single dataset would say nothing.
    left_out = [reason.partition(":")[0] for reason in skipped]
    assert left_out == [
        f"figure critical_difference_{word}" for word in ("f1", "precision", "recall")
    ]
    names = [drawing.name for drawing in drawings]
    assert len(set(names)) == len(names)
    assert {"boxes_f1", "heat_map"} <= set(names)
    assert {"stability", "cost", "kendall", "tuning"} <= set(names)
    assert any(name.startswith("disagreement_") for name in names)
    for drawing in drawings:
        assert drawing.caption
        assert svg(drawing.figure).startswith(b"<?xml")
        assert faults(drawing.figure) == ([], []), drawing.name


def test_disagreements_are_taken_from_the_runs_of_the_store(store):
    own = score_store(store)
    both = own.join(own)  # every baseline has a rival of the same rank
    titles = [
        drawing.figure.get_suptitle()
        for drawing in drawn_figures(both, store, names=("disagreement_",))[0]
    ]
    assert titles
    assert not any("(baselines)" in title for title in titles)


def failing_with(error):
    def fail(*_, **__):
        raise error

    return fail


def test_a_figure_without_data_is_left_out_with_its_reason(store, monkeypatch):
    fail = failing_with(DataError("too few results"))
    monkeypatch.setattr("tsmdbench.report.figures.heat_map_figure", fail)
    names = ("heat_map", "cost")
    drawings, skipped = drawn_figures(score_store(store), store, names=names)
    assert "figure heat_map: too few results" in skipped
    assert [drawing.name for drawing in drawings] == ["cost"]


@pytest.mark.parametrize(
    "fault",
    [
        InputError("metric 'x' is unknown"),
        InternalError("two tables differ"),
        MissingExtraError("figures need matplotlib", "plot"),
    ],
)
def test_a_fault_is_not_left_out(store, monkeypatch, fault):
    monkeypatch.setattr("tsmdbench.report.figures.heat_map_figure", failing_with(fault))
    with pytest.raises(type(fault)):
        drawn_figures(score_store(store), store, names=("heat_map",))

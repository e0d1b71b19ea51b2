"""All figures of a report, and the runs that single figures are of."""

import numpy as np
import pytest

from tests.experiments.mock_problems import small
from tests.report.looking import faults
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.metric_agreement import Disagreement, disagreements
from tsmdbench.analysis.scores import score_store
from tsmdbench.errors import DataError, InputError, InternalError, MissingExtraError
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.truth import TRUTH, truth_of, truth_parquet
from tsmdbench.report.drawn import drawn_figures, look_up_run
from tsmdbench.report.figures import svg

DATASET = "tests.experiments.mock_problems:small"
FOUND = [[[0, 10], [20, 30]]]


def stored(path, runs):
    """Write a store of (method, parameters, problem, outcome)."""
    with StoreWriter(path) as writer:
        for method, parameters, problem, outcome in runs:
            run = Run(method, "1", parameters, DATASET, "test", problem.name)
            writer.add([run.row(outcome)])
        truth = {(DATASET, "test", p.name): truth_of(p) for p in small("test")}
        writer.write_file(TRUTH, truth_parquet(truth))
    return Store(path)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    rng = np.random.default_rng(0)
    runs = []
    for method in ("emma", "a_b<$"):
        for problem in small("test"):
            starts = sorted(rng.integers(0, 80, size=3).tolist())
            found = [[[s, s + 10] for s in starts]]
            outcome = Outcome("ok", 0.1, 0.2, 10**8, found=found)
            runs.append((method, "{}", problem, outcome))
    return stored(tmp_path_factory.mktemp("drawn") / "store", runs)


def test_every_figure_of_a_small_store_is_drawn(store):
    drawings, skipped = drawn_figures(score_store(store), store)
    # Average ranks over a single dataset would say nothing.
    assert [reason.partition(":")[0] for reason in skipped] == [
        f"figure critical_difference_{word}" for word in ("f1", "precision", "recall")
    ]
    names = [drawing.name for drawing in drawings]
    assert len(set(names)) == len(names)
    wanted = {"boxes_f1", "heat_map", "stability", "cost", "kendall", "tuning"}
    assert wanted <= set(names)
    assert any(name.startswith("disagreement_") for name in names)
    for drawing in drawings:
        assert drawing.caption
        assert svg(drawing.figure).startswith(b"<?xml")
        assert faults(drawing.figure) == ([], []), drawing.name


def test_disagreements_are_taken_from_the_runs_of_the_store(store):
    own = score_store(store)
    both = own.join(own)  # every baseline has a rival of the same rank
    drawings, _ = drawn_figures(both, store, names=("disagreement_f_s",))
    titles = [drawing.figure.get_suptitle() for drawing in drawings]
    assert titles
    assert not any("(baselines)" in title for title in titles)


@pytest.mark.parametrize(
    ("fault", "is_left_out"),
    [
        (DataError("too few results"), True),
        (InputError("metric 'x' is unknown"), False),
        (InternalError("two tables differ"), False),
        (MissingExtraError("figures need matplotlib", "plot"), False),
    ],
)
def test_only_a_figure_without_data_is_left_out(store, monkeypatch, fault, is_left_out):
    def fail(*_, **__):
        raise fault

    monkeypatch.setattr("tsmdbench.report.figures.heat_map_figure", fail)
    names = ("heat_map", "cost")
    if is_left_out:
        drawings, skipped = drawn_figures(score_store(store), store, names=names)
        assert "figure heat_map: too few results" in skipped
        assert [drawing.name for drawing in drawings] == ["cost"]
    else:
        with pytest.raises(type(fault)):
            drawn_figures(score_store(store), store, names=names)


def test_the_run_of_a_case_is_read_back(tmp_path):
    first, second = small("test")[:2]
    runs = [
        ("m", '{"rho": 1}', first, Outcome("ok", found=[[[1, 9]]])),
        ("m", '{"rho": 2}', first, Outcome("ok", found=FOUND)),
        ("m", '{"rho": 1}', second, Outcome("timeout")),
    ]
    store, other = stored(tmp_path / "store", runs), stored(tmp_path / "other", [])
    scores = score_store(store)

    def read(problem, label, where=store):
        case = Disagreement(DATASET, problem.name, label, 0.0, 0.0, 1.0, 2.0, 1.0)
        return look_up_run(case, scores, where)

    truth = [motifs.segments.tolist() for motifs in first.truth.values()]
    # There is no series: a store must not make us call the function that it names.
    assert read(first, "m [rho=2]") == (truth, FOUND, None)
    assert read(second, "m [rho=1]")[1] == []
    with pytest.raises(InputError, match="has no run of 'm \\[rho=2\\]'"):
        read(first, "m [rho=2]", other)


def test_a_package_that_is_missing_costs_the_series_only(monkeypatch):
    def missing(*_, **__):
        raise MissingExtraError("PhysioNet records need wfdb", "wfdb")

    monkeypatch.setattr("tsmdbench.report.explorer.load_problems", missing)
    baselines = load_baselines("recordings")
    scores = score_store(baselines).only(datasets=["MITBIH"])
    (case,) = disagreements(scores, "F", "C_g", count=1)
    truth, _, series = look_up_run(case, scores, baselines)
    assert truth
    assert series is None

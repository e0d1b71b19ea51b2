"""What a scored run was about is read back from the store."""

import pytest

from tests.experiments.mock_problems import small
from tsmdbench import InputError
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.metric_agreement import Disagreement, disagreements
from tsmdbench.analysis.scores import score_store
from tsmdbench.errors import MissingExtraError
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.experiments.truth import TRUTH, truth_of, truth_parquet
from tsmdbench.report.drawn import look_up_run

DATASET = "tests.experiments.mock_problems:small"
FOUND = [[[0, 10], [20, 30]]]


@pytest.fixture
def store(tmp_path):
    first, second = [problem.name for problem in small("test")][:2]
    with StoreWriter(tmp_path / "store") as writer:
        for parameters in ('{"rho": 1}', '{"rho": 2}'):
            run = Run("m", "1", parameters, DATASET, "test", first)
            found = FOUND if "2" in parameters else [[[1, 9]]]
            writer.add([run.row(Outcome("ok", found=found))])
        failed = Run("m", "1", '{"rho": 1}', DATASET, "test", second)
        writer.add([failed.row(Outcome("timeout"))])
        truth = {(DATASET, "test", p.name): truth_of(p) for p in small("test")}
        writer.write_file(TRUTH, truth_parquet(truth))
        path = writer.path
    return Store(path)


def case(problem, label):
    return Disagreement(DATASET, problem, label, 0.0, 0.0, 1.0, 2.0, 1.0)


def test_case_is_that_of_the_label(store):
    scores = score_store(store)
    problem = small("test")[0]
    read = look_up_run(case(problem.name, "m [rho=2]"), scores, store)
    truth = [motifs.segments.tolist() for motifs in problem.truth.values()]
    # There is no series: a store must not make us call the function that it names.
    assert read == (truth, FOUND, None)


def test_failed_run_found_nothing(store):
    problem = small("test")[1].name
    failed = case(problem, "m [rho=1]")
    assert look_up_run(failed, score_store(store), store)[1] == []


def test_run_of_others_is_not_here(store, tmp_path):
    scores = score_store(store)
    with StoreWriter(tmp_path / "other") as writer:
        path = writer.path
    with pytest.raises(InputError, match="has no run of 'm \\[rho=2\\]'"):
        look_up_run(case(small("test")[0].name, "m [rho=2]"), scores, Store(path))


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

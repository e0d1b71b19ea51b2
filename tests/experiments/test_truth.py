"""The truth of problems, kept beside the runs."""

import numpy as np
import pytest

from tests.experiments import mock_problems
from tests.experiments.driving import PROBLEMS, asked
from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.truth import (
    TRUTH,
    data_digest,
    joined,
    read_truth,
    truth_of,
)
from tsmdbench.types import MotifSet, Problem


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("truth") / "store"
    run_specification(asked("Mock", limit=3), path, workers=0)
    return path


def test_a_store_knows_what_was_to_be_found(store):
    truths = read_truth(store)
    assert {where[:2] for where in truths} == {
        (PROBLEMS + "small", "validation"),
        (PROBLEMS + "small", "test"),
    }
    for problem in mock_problems.small("test")[:3]:
        kept = truths[PROBLEMS + "small", "test", problem.name]
        assert kept.n == len(problem.series)
        assert kept.labels == tuple(map(str, problem.truth))
        for lists, motifs in zip(kept.sets, problem.truth.values(), strict=True):
            assert MotifSet(lists) == motifs


def test_asking_for_more_adds_to_it(store, tmp_path):
    path = tmp_path / "store"
    run_specification(asked("Mock", limit=2), path, workers=0)
    few = read_truth(path)
    run_specification(asked("Mock", limit=3), path, workers=0)
    assert len(few) < len(read_truth(path)) == len(read_truth(store))
    assert (path / TRUTH).read_bytes() == (store / TRUTH).read_bytes()


def test_another_problem_of_the_same_name_is_refused():
    sets = {"a": MotifSet([(0, 2)])}
    one, *others = (
        truth_of(Problem(series, truth, "p"))
        for series, truth in (
            (np.zeros(9), sets),
            (np.zeros(9), {"a": MotifSet([(1, 3)])}),
            (np.ones(9), sets),
        )
    )
    known = joined({}, "d", "test", {"p": one})
    assert joined(known, "d", "test", {"p": one}) == known
    for other in others:
        with pytest.raises(
            InputError, match=r"'p' of 'd' is not .*: its series or its truth"
        ):
            joined(known, "d", "test", {"p": other})


def test_hashes_of_data_tell_problems_apart():
    truth = {"a": MotifSet([(0, 2), (4, 6)]), "b": MotifSet([(7, 8)])}
    cut = {"a": MotifSet([(0, 2)]), "b": MotifSet([(4, 6), (7, 8)])}
    series = np.arange(12.0)
    problems = [
        Problem(series, truth),
        Problem(series.reshape(6, 2), truth),
        Problem(series.reshape(12, 1), truth),
        Problem(np.nextafter(series, 99), truth),
        Problem(series, cut),
    ]
    assert len({data_digest(problem) for problem in problems}) == len(problems)
    assert [truth_of(problem).channels for problem in problems] == [1, 2, 1, 1, 1]
    assert data_digest(Problem(series[::1].copy(), truth, "n")) == data_digest(
        problems[0]
    )


def test_a_damaged_file_is_named_and_an_absent_one_is_empty(store, tmp_path):
    assert read_truth(tmp_path) == {}
    file = tmp_path / TRUTH
    file.write_bytes((store / TRUTH).read_bytes()[:-9])
    with pytest.raises(StoreError, match=r"truth.parquet is damaged .*resume"):
        read_truth(tmp_path)

"""Datasets of different suites are never averaged together."""

import pytest

from tsmdbench.analysis import leaderboard, score_store
from tsmdbench.analysis.baselines import (
    load_baselines,
    published_datasets,
    published_scores,
)
from tsmdbench.analysis.labels import SUITES, by_suite, suite_of
from tsmdbench.datasets.catalogue import SUBSPACE_SUITE
from tsmdbench.datasets.recordings_suite import RECORDINGS_SUITE
from tsmdbench.errors import InputError
from tsmdbench.experiments.presets import extra_methods
from tsmdbench.experiments.sources import with_truth
from tsmdbench.methods import PAPER_METHODS


def test_each_dataset_is_in_one_suite_in_a_fixed_order():
    names = [with_truth("Music"), "mine/data", "Music", with_truth("mine/data")]
    names.append("Sub-Plane")
    grouped = by_suite(names)
    assert list(grouped) == list(SUITES)
    assert sorted(name for group in grouped.values() for name in group) == sorted(names)
    assert suite_of("Music2").name == ""
    assert by_suite([]) == {}


@pytest.mark.parametrize("name", ["recordings", "recordings-pvldb"])
def test_the_recordings_suite_has_baselines_by_both_protocols(name):
    expected = (
        RECORDINGS_SUITE if name == "recordings" else map(with_truth, RECORDINGS_SUITE)
    )
    assert published_datasets(name) == set(expected)
    scores = published_scores(name)
    assert set(scores.datasets) == published_datasets(name)
    assert set(scores.labels) == {*PAPER_METHODS, *extra_methods()}
    board = leaderboard(baselines=name)
    assert any("recordings suite" in note for note in board.notes)
    assert len(board.table) == len(scores.labels)
    assert any("have one problem: Muscle" in note for note in board.notes)
    assert "nan" not in str(board)


def test_a_store_of_recordings_is_pointed_to_its_baselines():
    store = load_baselines("recordings")
    with pytest.raises(InputError, match="compare with the baselines 'recordings'"):
        leaderboard(store)


def test_the_subspace_suite_is_decided_in_time_and_channels():
    board = leaderboard(baselines="subspace")
    assert board.metric == "subspace_prom_f1"
    means = score_store(load_baselines("subspace")).means("subspace_prom_f1")
    assert set(means.index) == set(SUBSPACE_SUITE)
    expected = means.mean().sort_values(ascending=False)
    assert board.table["label"].tolist() == expected.index.tolist()
    assert board.table["mean"].tolist() == pytest.approx(expected.tolist())
    with pytest.raises(InputError, match="compare with the baselines 'subspace'"):
        leaderboard(load_baselines("subspace"))

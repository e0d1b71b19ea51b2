"""Ranks without each dataset, against ranking again from the start."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from tests.analysis.made import scores_of
from tests.reference.statistics import tau_b
from tsmdbench.analysis.ranking import leave_one_out, ranks
from tsmdbench.analysis.scores import Scores


@pytest.mark.parametrize("metric", ["prom_f1", "score"])
def test_leaving_out_is_ranking_the_others(metric):
    values = np.random.default_rng(0).integers(0, 6, size=(5, 4)) / 5
    scores = scores_of({f"m{n}": values[:, n] for n in range(4)}, metric=metric)
    found = leave_one_out(scores, metric)
    whole = ranks(scores, metric).average
    assert found.ranks.index.tolist() == list(scores.datasets)
    for name in scores.datasets:
        others = [other for other in scores.datasets if other != name]
        expected = ranks(scores.only(datasets=others), metric).average
        np.testing.assert_allclose(found.ranks.loc[name], expected)
        moved = rankdata(expected.round(9)) - rankdata(whole.round(9))
        np.testing.assert_array_equal(found.moves.loc[name], moved)
        assert found.tau[name] == pytest.approx(
            tau_b(whole.round(9).tolist(), expected.round(9).tolist())
        )
    assert found.moves.to_numpy().any()
    assert found.note == ""


def test_dataset_that_decides_is_seen():
    found = leave_one_out(scores_of({"a": [0.9, 0.9, 0.1], "b": [0.5, 0.1, 0.5]}))
    assert found.average.tolist() == pytest.approx([4 / 3, 5 / 3])
    assert found.ranks.loc["d00"].tolist() == [1.5, 1.5]
    assert found.moves.loc["d00"].tolist() == [0.5, -0.5]
    assert np.isnan(found.tau["d00"])
    assert found.tau["d02"] == pytest.approx(1.0)


def test_datasets_that_one_method_lacks_take_no_part():
    found = leave_one_out(scores_of({"a": [0.9, np.nan, 0.1], "b": [0.5, 0.1, 0.5]}))
    assert found.ranks.index.tolist() == ["d00", "d02"]
    assert found.left_out == {"d01": "no result of a"}


def test_one_dataset_cannot_be_spared():
    for means in ({"a": [0.1], "b": [0.2]}, {"a": [0.1, np.nan], "b": [np.nan, 0.1]}):
        found = leave_one_out(scores_of(means))
        assert len(found.ranks) == len(found.tau) == len(found.moves) == 0
        assert found.note.startswith("Fewer than two datasets have results of all")


def test_one_method_and_equal_methods_have_no_tau():
    assert leave_one_out(scores_of({"a": [0.1, 0.2]})).tau.isna().all()
    equal = leave_one_out(scores_of({"a": [0.1, 0.2], "b": [0.1, 0.2]}))
    assert equal.tau.isna().all()
    assert (equal.moves == 0).all(axis=None)


def test_order_of_rows_does_not_matter_for_stability():
    scores = scores_of({"a": [0.2, 0.3, 0.4], "b": [0.6, 0.1, 0.5]}, 9, noise=0.2)
    again = leave_one_out(Scores(scores.table.sample(frac=1, random_state=0)))
    pd.testing.assert_frame_equal(leave_one_out(scores).ranks, again.ranks)

"""Results by dial, property and protocol, against numbers computed by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from tsmdbench.analysis import (
    Scores,
    breaking_points,
    dataset_properties,
    dial_scores,
    load_baselines,
    property_correlations,
    protocol_gains,
    score_store,
)
from tsmdbench.analysis.difficulty import PROPERTIES, _properties, has_dials
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.truth import Truth

COLUMNS = ["label", "dataset", "problem", "prom_f1"]
# Means over two problems, by dataset: emma, stomp.
MEANS = {
    "dials": (0.8, 0.0),
    "dials?noise=0.25": (0.6, 0.2),
    "dials?noise=0.5": (0.4, 0.0),
    "dials?noise=1": (0.5, 0.0),
    "dials?sets=3": (0.41, 0.1),
    "dials?sets=10": (0.3, 0.1),
    "dials?noise=0.5&sets=3": (0.0, 0.0),
    "dials?seed=1": (0.0, 0.0),
    "dials?noise=0.5&protocol=pvldb": (1.0, 1.0),
    "Symbols?noise=0.5": (1.0, 1.0),
}


def made(means=MEANS):
    rows = [
        (label, dataset, problem, value + sign * 0.1 * (value > 0.1))
        for dataset, values in means.items()
        for label, value in zip(("emma", "stomp"), values, strict=True)
        for problem, sign in enumerate((-1, 1))
    ]
    return Scores(pd.DataFrame(rows, columns=COLUMNS))


def test_curves_have_the_default_and_one_dial_moved():
    found = dial_scores(made())
    emma = found[found["label"] == "emma"]
    curves = {
        dial: list(zip(part["position"], part["mean"].round(9), strict=True))
        for dial, part in emma.groupby("dial", sort=False)
    }
    assert curves == {
        "noise": [(0.1, 0.8), (0.25, 0.6), (0.5, 0.4), (1.0, 0.5)],
        "sets": [(2.0, 0.8), (3.0, 0.41), (10.0, 0.3)],
    }
    assert (found["problems"] == 2).all()
    assert (found["low"] <= found["mean"]).all()
    assert (found["high"] >= found["mean"]).all()
    assert list(dict.fromkeys(found["label"])) == ["emma", "stomp"]


def test_a_method_breaks_where_half_is_lost():
    found = breaking_points(made()).set_index(["label", "dial"])
    noise, sets = found.loc[("emma", "noise")], found.loc[("emma", "sets")]
    assert noise["default"] == pytest.approx(0.8)
    assert (noise["breaks_at"], noise["hardest"]) == (0.5, 1.0)
    assert noise["score_there"] == pytest.approx(0.5)
    assert (sets["breaks_at"], sets["hardest"]) == (10.0, 10.0)
    # Nothing is lost by a method that found nothing at the default.
    assert math.isnan(found.loc[("stomp", "noise"), "breaks_at"])


def test_how_much_is_lost_can_be_chosen():
    scores = made()
    later = breaking_points(scores, lost=0.6).set_index(["label", "dial"])
    assert math.isnan(later.loc[("emma", "noise"), "breaks_at"])
    assert later.loc[("emma", "sets"), "breaks_at"] == 10.0
    sooner = breaking_points(scores, lost=0.2).set_index(["label", "dial"])
    assert sooner.loc[("emma", "noise"), "breaks_at"] == 0.25
    for lost in (0.0, 1.1):
        with pytest.raises(InputError, match="lost must lie in"):
            breaking_points(scores, lost=lost)


def test_without_the_default_nothing_breaks():
    found = breaking_points(made({"dials?noise=0.5": (0.4, 0.1)}))
    assert found["default"].isna().all()
    assert found["breaks_at"].isna().all()


def test_results_without_a_dial_moved_are_refused():
    scores = made({"dials": (0.5, 0.5), "Symbols?noise=0.5": (0.5, 0.5)})
    assert not has_dials(scores)
    with pytest.raises(DataError, match="tsmdbench run dials"):
        dial_scores(scores)


def test_properties_by_hand():
    first = Truth(100, 3, ("a", "b"), [[[0, 10], [20, 30]], [[40, 50], [60, 80]]])
    second = Truth(300, 3, ("a",), [[[0, 20], [50, 70], [90, 110]]])
    found = dict(zip(PROPERTIES, _properties([first, second]), strict=True))
    assert found == pytest.approx(
        {
            "channels": 3,
            "series_length": 200,
            "motif_length": (10 + 10 + 10 + 20 + 60) / 7,
            "length_variation": (0 + 5 / 15 + 0) / 3,
            "sets": 1.5,
            "motifs_per_set": 7 / 3,
            "imbalance": 0,
            "covered": (0.5 + 0.2) / 2,
        }
    )
    uneven = Truth(100, 1, ("a", "b"), [[[0, 1]] * 6, [[0, 1]] * 2])
    assert _properties([uneven])[PROPERTIES.index("imbalance")] == 0.5


def test_correlations_by_definition():
    rng = np.random.default_rng(0)
    names = list("ABCDEFG")
    values = rng.random(7)
    rows = [("emma", name, 0, v) for name, v in zip(names, values, strict=True)]
    table = pd.DataFrame({"x": [1, 2, 2, 5, 3, 9, 4], "same": 1}, index=names)
    found = property_correlations(Scores(pd.DataFrame(rows, columns=COLUMNS)), table)
    ranks = np.array([1, 2.5, 2.5, 6, 4, 7, 5])
    mine = values.argsort().argsort() + 1
    row = found.set_index("property").loc["x"]
    assert row["rho"] == pytest.approx(np.corrcoef(ranks, mine)[0, 1])
    assert row["datasets"] == 7
    assert math.isnan(found.set_index("property").loc["same", "rho"])
    few = property_correlations(Scores(pd.DataFrame(rows[:3], columns=COLUMNS)), table)
    assert few["rho"].isna().all()
    assert few["datasets"].tolist() == [3, 3]


def test_properties_of_the_baselines_are_those_of_the_benchmark():
    from tsmdbench.datasets.catalogue import PAPER

    found = dataset_properties(load_baselines())
    assert len(found) >= 12
    for dataset, row in found.iterrows():
        known = PAPER[dataset]
        assert row["channels"] == known.channels
        assert known.l_min <= row["motif_length"] <= known.l_max
        assert (row["length_variation"] > 0) == (known.l_min < known.l_max)


@pytest.mark.slow
def test_correlations_of_the_baselines():
    store = load_baselines()
    scores = score_store(store, metrics=["prom_f1"])
    found = property_correlations(scores, dataset_properties(store))
    assert len(found) == len(PROPERTIES) * len(scores.labels)
    assert found["rho"].dropna().between(-1, 1).all()
    assert (found["datasets"] == len(scores.datasets)).all()


def test_gains_by_definition():
    rng = np.random.default_rng(0)
    rows = [
        (label, dataset + ending, problem, float(rng.random()))
        for label in ("emma", "stomp")
        for dataset in ("A", "B?seed=1")
        for ending in ("", "&protocol=pvldb" if "?" in dataset else "?protocol=pvldb")
        for problem in range(5)
    ]
    rows = rows[:-1]  # the last problem is missing by one protocol
    gains = protocol_gains(Scores(pd.DataFrame(rows, columns=COLUMNS)))
    assert [(g.dataset, g.label) for g in gains] == [
        ("A", "emma"),
        ("A", "stomp"),
        ("B?seed=1", "emma"),
        ("B?seed=1", "stomp"),
    ]
    for gain in gains:
        both = range(4 if gain[:2] == ("B?seed=1", "stomp") else 5)
        assert gain.problems == len(both)
        for told, found in ((False, gain.plain), (True, gain.told)):
            mine = [
                value
                for label, dataset, problem, value in rows
                if label == gain.label
                and dataset.startswith(gain.dataset)
                and ("protocol" in dataset) == told
                and problem in both
            ]
            assert found == pytest.approx(np.mean(mine))
        assert gain.gain == gain.told - gain.plain


def test_one_protocol_alone_cannot_be_compared():
    rows = [("emma", "A", 1, 0.5), ("stomp", "A?protocol=pvldb", 1, 0.5)]
    with pytest.raises(DataError, match="both protocols"):
        protocol_gains(Scores(pd.DataFrame(rows, columns=COLUMNS)))

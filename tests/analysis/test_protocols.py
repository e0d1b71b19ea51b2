"""Gains by knowing the truth, by definition."""

import numpy as np
import pandas as pd
import pytest

from tsmdbench.analysis.difficulty import protocol_gains
from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import DataError

COLUMNS = ["label", "dataset", "problem", "prom_f1"]


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

"""The random-walk detector on the benchmark: its channel, window and one set."""

import numpy as np
import pytest

from tsmdbench.benchmark import load_benchmark
from tsmdbench.metrics import prom
from tsmdbench.paper import random_walk as module
from tsmdbench.paper.random_walk import detector_on_benchmark
from tsmdbench.paper.random_walk_detector import RandomWalkDetector


def test_the_row_is_what_the_detector_gets_on_the_best_channel():
    pytest.importorskip("statsmodels")
    row = detector_on_benchmark("JapaneseVowels", limit=3)
    validation = load_benchmark("JapaneseVowels", "validation")[: module.TRIED]
    lengths = [
        end - start
        for problem in validation
        for motifs in problem.truth.values()
        for start, end in motifs.segments.tolist()
    ]
    window = max(round(np.mean(lengths) / 2), 8)

    def scores(problems, channel):
        detector = RandomWalkDetector(window, alpha=0.05, lags="bic", channel=channel)
        return [
            prom(
                [[s for m in p.truth.values() for s in m.segments.tolist()]],
                detector.find(p.series),
            )
            for p in problems
        ]

    means = [np.mean([s.f1 for s in scores(validation, c)]) for c in range(12)]
    assert row.channel == int(np.argmax(means))
    tested = scores(load_benchmark("JapaneseVowels")[:3], row.channel)
    assert row.problems == 3
    assert row.f1 == pytest.approx(np.mean([s.f1 for s in tested]))
    assert row.precision == pytest.approx(np.mean([s.precision for s in tested]))
    assert row.recall == pytest.approx(np.mean([s.recall for s in tested]))

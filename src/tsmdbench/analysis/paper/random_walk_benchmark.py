"""The random-walk detector on TSMD-Bench: what it makes of a benchmark without a walk.

The other half of the study in `tsmdbench.analysis.paper.random_walk_check`. Where the
detector reaches nearly 1 on series that hide instances in a random walk, it should not
on a benchmark that is made of real instances only.

Conventions
-----------
Everything favours the detector: all true motifs of a problem count as one set, since it
cannot know classes; its window is half the mean length of an instance, as in the study;
and of a multivariate dataset it gets the channel on which it is best on validation
problems.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tsmdbench.benchmark import load_benchmark
from tsmdbench.metrics import prom
from tsmdbench.types import MotifSet, Problem

TRIED = 5  # validation problems on which the channel is chosen
ALPHA = 0.05


class DetectorRow(NamedTuple):
    """Mean scores of the detector on one dataset."""

    dataset: str
    problems: int
    channel: int
    precision: float
    recall: float
    f1: float


def detector_on_benchmark(dataset: str, *, limit: int = 50) -> DetectorRow:
    """Run the detector, with lags chosen by BIC, on test problems of a dataset.

    Parameters
    ----------
    dataset : str
        One of TSMD-Bench.
    limit : int, default 50
        Number of test problems.
    """
    validation = load_benchmark(dataset, "validation")[:TRIED]
    test = load_benchmark(dataset, "test")[:limit]
    lengths = [len(motif) for problem in validation for motif in _motifs(problem)]
    window = max(round(np.mean(lengths) / 2), 8)
    channels = 1 if test[0].series.ndim == 1 else test[0].series.shape[1]
    tried = [
        _scores(validation, window, channel)[:, 2].mean() for channel in range(channels)
    ]
    best = int(np.argmax(tried))
    means = _scores(test, window, best).mean(axis=0)
    return DetectorRow(dataset, len(test), best, *(float(mean) for mean in means))


def _motifs(problem: Problem) -> list[range]:
    return [
        range(*segment)
        for motifs in problem.truth.values()
        for segment in motifs.segments.tolist()
    ]


def _scores(
    problems: Sequence[Problem], window: int, channel: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return precision, recall and F1 of each problem."""
    from tsmdbench.methods.random_walk_detector import RandomWalkDetector

    rows = []
    for problem in problems:
        series = problem.series
        x = series if series.ndim == 1 else np.ascontiguousarray(series[:, channel])
        segments = np.concatenate([m.segments for m in problem.truth.values()])
        found: Sequence[MotifSet] = ()
        if len(x) >= 2 * window:
            detector = RandomWalkDetector(window, alpha=ALPHA, lags="bic")
            found = detector.find(x)
        score = prom([MotifSet(segments)], found)
        rows.append((score.precision, score.recall, score.f1))
    return np.array(rows)

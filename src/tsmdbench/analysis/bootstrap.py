"""Means of scores, with quartiles and bootstrap intervals.

The problems of a dataset are drawn again, with replacement, many times; the interval
holds the middle share of the means (percentile method). For the mean over datasets the
problems are drawn within each dataset, and all datasets have the same weight.

Conventions
-----------
* The datasets are taken as they are: an interval says what other problems of these
  datasets would give, not what other datasets would.
* The draws depend on the seed, the name of the dataset and its number of problems only.
  So the interval of a method does not depend on the others, and methods that ran on the
  same problems have the same draws.
* With one problem there is no interval: NaN. Where all problems have one value, as when
  nothing was ever found, the interval has no width; that is a limit of the method.

References
----------
B. Efron, R. J. Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall, 1993,
chapter 13, doi:10.1201/9780429246593.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd

from tsmdbench.analysis.ranking import comparable_means
from tsmdbench.analysis.scores import PROM, Scores
from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.validation import check_integer, check_number


def intervals(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the mean of each method on each dataset with its interval.

    Parameters
    ----------
    scores : Scores
        Of any methods and datasets.
    metric : str, default "prom_f1"
        What is averaged.
    level : float, default 0.95
        Confidence level of the intervals, in ``(0, 1)``.
    draws : int, default 2000
        Number of bootstrap samples.
    seed : int, default 0
        Of the draws; the same seed gives the same intervals.

    Returns
    -------
    pandas.DataFrame
        Columns ``dataset``, ``label``, ``mean``, ``low``, ``high``, ``problems``.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": range(100)})
    >>> table["prom_f1"] = [0.0, 1.0] * 50
    >>> line = intervals(Scores(table)).iloc[0]
    >>> [round(float(line[name]), 1) for name in ("low", "mean", "high")]
    [0.4, 0.5, 0.6]
    """
    share = _tail(level, draws)
    drawn = _drawn_means(scores, metric, draws, seed)
    rows = [
        (*place, float(values.mean()), *_ends(means, share, len(values)), len(values))
        for place, (values, means) in drawn.items()
    ]
    names = ["dataset", "label", "mean", "low", "high", "problems"]
    return pd.DataFrame(rows, columns=names)


def overall_intervals(
    scores: Scores,
    metric: str = "prom_f1",
    *,
    level: float = 0.95,
    draws: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the mean over datasets of each method with its interval.

    Only datasets that all methods have are used, see
    `tsmdbench.analysis.ranking`.

    Parameters
    ----------
    scores, metric, level, draws, seed
        As for `intervals`.

    Returns
    -------
    pandas.DataFrame
        Columns ``label``, ``mean``, ``low``, ``high``, ``datasets``; NaN where no
        dataset could be used.
    """
    share = _tail(level, draws)
    used = comparable_means(scores, metric)[0].index
    drawn = _drawn_means(scores, metric, draws, seed)
    rows = []
    for label in scores.labels:
        parts = [drawn[dataset, label] for dataset in used]
        found = [float("nan")] * 3
        if parts:
            mean = float(np.mean([values.mean() for values, _ in parts]))
            means = np.mean([means for _, means in parts], axis=0)
            fewest = min(len(values) for values, _ in parts)
            found = [mean, *_ends(means, share, fewest)]
        rows.append((label, *found, len(parts)))
    return pd.DataFrame(rows, columns=["label", "mean", "low", "high", "datasets"])


def _tail(level: float, draws: int) -> float:
    """Check level and draws; return the share that is cut off at each end."""
    if not 0.0 < check_number(level, "level") < 1.0:
        raise InputError(f"level must lie in (0, 1), got {level!r}")
    check_integer(draws, "draws", minimum=1)
    return (1.0 - level) / 2.0


def _drawn_means(
    scores: Scores, metric: str, draws: int, seed: int
) -> dict[tuple[str, str], tuple[Floats, Floats]]:
    """Return for each dataset and label its values and the means of the draws."""
    check_integer(seed, "seed", minimum=0)
    scores.check_metric(metric)
    weights: dict[tuple[str, int], Floats] = {}
    drawn = {}
    kept = scores.table[["dataset", "label", metric]].dropna()
    for (dataset, label), group in kept.groupby(["dataset", "label"], sort=False):
        values = group[metric].to_numpy(dtype=np.float64)
        key = dataset, len(values)
        if key not in weights:
            weights[key] = draw_weights(*key, draws, seed)
        drawn[dataset, label] = values, weights[key] @ values
    return drawn


def dataset_rng(dataset: str, size: int, seed: int) -> np.random.Generator:
    """Return random numbers that depend on the seed and the dataset only."""
    name = int.from_bytes(hashlib.blake2b(dataset.encode(), digest_size=8).digest())
    return np.random.default_rng([seed, name, size])


@lru_cache(maxsize=32)  # the intervals of means and of differences share them
def draw_weights(dataset: str, size: int, draws: int, seed: int) -> Floats:
    """Return how often each problem comes in each draw, as a share of all."""
    rng = dataset_rng(dataset, size, seed)
    chosen = rng.integers(size, size=(draws, size))
    chosen += size * np.arange(draws)[:, None]
    counts = np.bincount(chosen.ravel(), minlength=draws * size)
    return counts.reshape(draws, size) / size


def _ends(means: Floats, share: float, problems: int) -> list[float]:
    """Return the ends of an interval; NaN where there is one problem."""
    if problems < 2:
        return [float("nan")] * 2
    return list(map(float, np.quantile(means, [share, 1.0 - share])))


COLUMNS = ["dataset", "label", "metric", "count", "failed", "mean", "median"]


def summary(scores: Scores, metrics: Sequence[str] | None = None) -> pd.DataFrame:
    """Describe the scores of each method on each dataset.

    Parameters
    ----------
    scores : Scores
        Of any methods and datasets.
    metrics : sequence of str, optional
        By default precision, recall and F1 of PROM, micro and macro, as far as they
        were computed.

    Returns
    -------
    pandas.DataFrame
        A row per dataset, label and metric that has a run, with ``count`` runs of which
        ``failed`` failed, ``mean``, ``median`` and the quartiles ``q1`` and ``q3``
        (linear between neighbours).

    Raises
    ------
    InputError
        A metric was not computed, or none of the default ones.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": [1, 2, 3]})
    >>> table["prom_f1"], table["status"] = [0.0, 0.5, 1.0], ["timeout", "ok", "ok"]
    >>> line = summary(Scores(table)).iloc[0]
    >>> [int(line["count"]), int(line["failed"]), *map(float, line[["mean", "q1"]])]
    [3, 1, 0.5, 0.25]
    """
    if metrics is None:
        metrics = [name for name in PROM if name in scores.metrics] or PROM[:1]
    for name in metrics:
        scores.check_metric(name)
    table = scores.table.assign(failed=scores.table["status"] != "ok")
    long = table.melt(
        ["dataset", "label", "failed"], list(metrics), "metric", ignore_index=False
    )
    # All metrics of a run, then those of the next: so the groups come in this order.
    grouped = long.sort_index(kind="stable").groupby(
        ["dataset", "label", "metric"], sort=False
    )
    values = grouped["value"]
    found = values.agg(["size", "mean", "median"]).rename(columns={"size": "count"})
    found["failed"] = grouped["failed"].sum()
    found["q1"], found["q3"] = values.quantile(0.25), values.quantile(0.75)
    return found.reset_index()[[*COLUMNS, "q1", "q3"]]

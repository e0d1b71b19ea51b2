"""What methods cost, and which of them nobody beats in both time and quality.

Conventions
-----------
* Times are of runs that ended by themselves (``ok``) or at their limit of time
  (``timeout``, which counts with the limit: it took at least that long). A run that
  raised or ran out of memory has no time that could be compared.
* Processor time is known of ``ok`` runs only; peak memory of every run that has one.
* Time against quality compares, per method, means over datasets of means over problems,
  on the datasets that all methods have, so that a method that ran on the small datasets
  only does not seem fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.ranks import comparable_means
from tsmdbench.analysis.scores import Scores, higher_is_better
from tsmdbench.experiments.store.rows import STATUSES
from tsmdbench.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

TIMED = {"seconds": ("ok", "timeout"), "cpu_seconds": ("ok",)}


def cost(scores: Scores) -> pd.DataFrame:
    """Return times, memory and failures of each method.

    Returns
    -------
    pandas.DataFrame
        A row per label: ``runs``; ``mean_``, ``median_`` and ``max_`` of ``seconds``,
        ``cpu_seconds`` and ``peak_memory`` (bytes); ``ok``, ``timeout``, ``memory``,
        ``error``, the number of runs with each status; ``failed``, all but the first.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": [1, 2, 3]})
    >>> table["status"], table["seconds"] = ["ok", "timeout", "error"], [1.0, 9.0, 0.0]
    >>> table["prom_f1"] = 0.0
    >>> line = cost(Scores(table)).loc["m"]
    >>> float(line["mean_seconds"]), int(line["failed"])
    (5.0, 2)
    """
    import pandas as pd

    columns = {"runs": scores.table.groupby("label").size()}
    for name in ("seconds", "cpu_seconds", "peak_memory"):
        grouped = _measured(scores.table, name).groupby("label")[name]
        for kind in ("mean", "median", "max"):
            columns[f"{kind}_{name}"] = grouped.agg(kind)
    for status in STATUSES:
        mine = scores.table[scores.table["status"] == status]
        columns[status] = mine.groupby("label").size()
    frame = pd.DataFrame(columns).reindex(scores.labels)
    for name in ("runs", *STATUSES):
        frame[name] = frame[name].fillna(0).astype(np.int64)
    return frame.assign(failed=frame["runs"] - frame["ok"])


def time_and_quality(
    scores: Scores, metric: str = "prom_f1", time: str = "seconds"
) -> pd.DataFrame:
    """Return mean time and mean quality of each method over the same datasets.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        What quality is.
    time : {"seconds", "cpu_seconds"}
        What time is.

    Returns
    -------
    pandas.DataFrame
        A row per label: ``time``, ``quality`` and ``pareto``, whether nobody is at
        least as fast and as good, and better in one of both. Equal methods do not beat
        each other. Who has no time is not on the front.
    """
    import pandas as pd

    check_choice(time, "time", tuple(TIMED))
    means, _ = comparable_means(scores, metric)
    timed = _measured(scores.table, time)
    times = timed.groupby(["dataset", "label"])[time].mean().unstack("label")
    times = times.reindex(index=means.index, columns=means.columns)
    spent, quality = times.mean(skipna=False), means.mean()
    worth = quality if higher_is_better(metric) else -quality
    front = [_unbeaten(name, spent, worth) for name in means.columns]
    made = {"time": spent, "quality": quality, "pareto": front}
    return pd.DataFrame(made, index=means.columns)


def pareto(scores: Scores, metric: str = "prom_f1", time: str = "seconds") -> pd.Series:
    """Tell of each method whether nobody beats it in both time and quality.

    Parameters and conventions are those of `time_and_quality`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": ["fast", "good", "poor"], "dataset": "A"})
    >>> table["problem"], table["seconds"] = 1, [1.0, 5.0, 7.0]
    >>> table["prom_f1"] = [0.3, 0.9, 0.2]
    >>> pareto(Scores(table)).to_dict()
    {'fast': True, 'good': True, 'poor': False}
    """
    return time_and_quality(scores, metric, time)["pareto"]


def _measured(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the runs that have a value that can be compared."""
    if name in TIMED:
        return table[table["status"].isin(TIMED[name])]
    return table[table[name] > 0]


def _unbeaten(name: str, spent: pd.Series, worth: pd.Series) -> bool:
    if not np.isfinite(spent[name]) or not np.isfinite(worth[name]):
        return False
    as_good = (spent <= spent[name]) & (worth >= worth[name])
    better = (spent < spent[name]) | (worth > worth[name])
    return not bool((as_good & better).any())

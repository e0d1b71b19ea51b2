"""What methods cost, and which of them no other beats in both time and quality.

Conventions
-----------
* **The time of a method** is `method_seconds`: the mean processor time of a successful
  run. The leaderboard, the tables, the figures and the page all show this number.
* Processor time counts all threads and does not depend on what else the machine does.
* Only runs with status ``ok`` have a time. A run that raised, ran out of memory or was
  stopped at its limit says nothing of how long the method takes; counting it as 0 would
  reward crashing. The failures are counted beside the time.
* The mean is taken over the problems of each dataset, then over the datasets that all
  methods have, so that a method that ran on the small datasets only does not seem fast.
  A method without any successful run on one of these datasets has no time (NaN).
* Results that do not record processor time, such as those of stores that were written
  before it was measured, have no time either. The clock is not used instead: the two
  cannot be compared.
* Times of another machine that was not calibrated (`tsmdbench.analysis.machines`) have
  values, but are compared with nothing: such a method is not on the Pareto front, and
  beats nobody in time.
* Peak memory is that of every run that has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tsmdbench.analysis.average_ranks import comparable_means
from tsmdbench.analysis.machines import foreign_clocks
from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.store.rows import STATUSES

if TYPE_CHECKING:
    import pandas as pd


def method_seconds(scores: Scores) -> pd.Series:
    """Return the time of each method: mean processor seconds of a successful run.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.

    Returns
    -------
    pandas.Series
        A value per label, by the conventions above. Where no dataset is common to all
        methods, each is averaged over its own.

    Examples
    --------
    The run that raised is not counted:

    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": [1, 2, 3]})
    >>> table["status"], table["cpu_seconds"] = ["ok", "ok", "error"], [1.0, 3.0, 0.0]
    >>> float(method_seconds(Scores(table.assign(prom_f1=0.0)))["m"])
    2.0
    """
    places = ["dataset", "label"]
    ran = scores.table.groupby(places).size().unstack("label").notna()
    ran = ran.reindex(index=scores.datasets, columns=scores.labels)
    times = _successful(scores)[[*places, "cpu_seconds"]].groupby(places)
    means = times["cpu_seconds"].mean().unstack("label").reindex_like(ran)
    common = ran.all(axis=1)
    if common.any():
        return means[common].mean(skipna=False)
    return means.apply(lambda column: column[ran[column.name]].mean(skipna=False))


def cost(scores: Scores) -> pd.DataFrame:
    """Return time, memory and failures of each method.

    Returns
    -------
    pandas.DataFrame
        A row per label: ``runs``; ``seconds``, the time of the method
        (`method_seconds`); ``median_seconds`` and ``max_seconds``, processor time of
        its successful runs on all datasets; ``mean_``, ``median_`` and
        ``max_peak_memory`` in bytes; ``ok``, ``timeout``, ``memory``, ``error``, the
        number of runs with each status; ``failed``, all but the first.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": [1, 2, 3]})
    >>> table["status"] = ["ok", "timeout", "error"]
    >>> table["cpu_seconds"], table["prom_f1"] = [1.0, 0.0, 0.0], 0.0
    >>> line = cost(Scores(table)).loc["m"]
    >>> float(line["seconds"]), int(line["failed"])
    (1.0, 2)
    """
    import pandas as pd

    times = _successful(scores).groupby("label")["cpu_seconds"]
    remembered = scores.table[scores.table["peak_memory"] > 0]
    memory = remembered.groupby("label")["peak_memory"]
    columns = {
        "runs": scores.table.groupby("label").size(),
        "seconds": method_seconds(scores),
        "median_seconds": times.median(),
        "max_seconds": times.max(),
        "mean_peak_memory": memory.mean(),
        "median_peak_memory": memory.median(),
        "max_peak_memory": memory.max(),
    }
    for status in STATUSES:
        mine = scores.table[scores.table["status"] == status]
        columns[status] = mine.groupby("label").size()
    frame = pd.DataFrame(columns).reindex(scores.labels)
    for name in ("runs", *STATUSES):
        frame[name] = frame[name].fillna(0).astype(np.int64)
    return frame.assign(failed=frame["runs"] - frame["ok"])


def time_and_quality(scores: Scores, metric: str = "prom_f1") -> pd.DataFrame:
    """Return time and mean quality of each method over the datasets that all have.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        What quality is.

    Returns
    -------
    pandas.DataFrame
        A row per label: ``time`` (`method_seconds`), ``quality`` and ``pareto``,
        whether no other is at least as fast and as good, and better in one. Equal
        methods do not beat each other. A method without a time is not on the front;
        ``comparable``, whether the time is of the machine of one's own runs. Methods
        whose time is not are neither on the front nor rivals in it.
    """
    import pandas as pd

    means, _ = comparable_means(scores, metric)
    spent, quality = method_seconds(scores)[means.columns], means.mean()
    worth = quality if scores.higher_is_better(metric) else -quality
    foreign = foreign_clocks(scores)
    comparable = [not foreign[name] for name in means.columns]
    clocked = spent.where(comparable)
    front = [_unbeaten(name, clocked, worth) for name in means.columns]
    made = {
        "time": spent,
        "quality": quality,
        "pareto": front,
        "comparable": comparable,
    }
    return pd.DataFrame(made, index=means.columns)


def pareto(scores: Scores, metric: str = "prom_f1") -> pd.Series:
    """Return for each method whether it is on the Pareto front of time and quality.

    Parameters and conventions are those of `time_and_quality`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": ["fast", "good", "poor"], "dataset": "A"})
    >>> table["problem"], table["cpu_seconds"] = 1, [1.0, 5.0, 7.0]
    >>> table["prom_f1"] = [0.3, 0.9, 0.2]
    >>> pareto(Scores(table)).to_dict()
    {'fast': True, 'good': True, 'poor': False}
    """
    return time_and_quality(scores, metric)["pareto"]


def _successful(scores: Scores) -> pd.DataFrame:
    return scores.table[scores.table["status"] == "ok"]


def _unbeaten(name: str, spent: pd.Series, worth: pd.Series) -> bool:
    if not np.isfinite(spent[name]) or not np.isfinite(worth[name]):
        return False
    as_good = (spent <= spent[name]) & (worth >= worth[name])
    better = (spent < spent[name]) | (worth > worth[name])
    return not bool((as_good & better).any())

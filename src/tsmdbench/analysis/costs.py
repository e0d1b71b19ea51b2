"""Cost of methods, and the Pareto front of time and quality.

Conventions
-----------
* **The time of a method** is `method_seconds`: the mean processor time of a successful
  run. The leaderboard, the tables, the figures and the page all show this number.
* Processor time counts all threads and does not depend on what else the machine does.
  Results without it have no time; wall time is not used instead.
* Only runs with status ``ok`` have a time. A run that raised, ran out of memory or was
  stopped at its limit does not show how long the method takes; counting it as 0 would
  reward crashing. The failures are counted beside the time.
* The mean is taken over the problems of each dataset, then over the datasets that all
  methods have, so that a method that ran on the small datasets only does not seem fast.
  A method without any successful run on one of these datasets has no time (NaN).
* The speed of the machines that a store was made on is in its manifest
  (`tsmdbench.experiments.specification`). Where it is known of two stores, the times of
  the second are scaled to the machine of the first (`on_clock_of`). Otherwise they keep
  their values, and the column ``clock`` of the scores marks them: such a method is not
  on the Pareto front, and beats no other in time.
* Peak memory is that of every run that has one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from tsmdbench.analysis.ranking import comparable_means
from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.rows import STATUSES
from tsmdbench.experiments.specification import SAME, is_mixed, speed_of
from tsmdbench.experiments.store import Store


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
    times = scores.table[scores.table["status"] == "ok"][
        [*places, "cpu_seconds"]
    ].groupby(places)
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
    table = scores.table
    times = table[table["status"] == "ok"].groupby("label")["cpu_seconds"]
    memory = table[table["peak_memory"] > 0].groupby("label")["peak_memory"]
    statuses = pd.crosstab(table["label"], table["status"])
    frame = pd.DataFrame(
        {
            "runs": statuses.sum(axis=1),
            "seconds": method_seconds(scores),
            "median_seconds": times.median(),
            "max_seconds": times.max(),
            **{
                f"{how}_peak_memory": memory.agg(how)
                for how in ("mean", "median", "max")
            },
            **statuses.reindex(columns=STATUSES, fill_value=0),
        }
    ).reindex(scores.labels)
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
    means, _ = comparable_means(scores, metric)
    spent, quality = method_seconds(scores)[means.columns], means.mean()
    worth = quality if scores.higher_is_better(metric) else -quality
    comparable = [*comparable_times(scores).values()]
    clocked = spent.where(comparable)
    front = [
        bool(np.isfinite([clocked[name], worth[name]]).all())
        and not (
            (clocked <= clocked[name])
            & (worth >= worth[name])
            & ((clocked < clocked[name]) | (worth > worth[name]))
        ).any()
        for name in means.columns
    ]
    columns = {"time": spent, "quality": quality, "pareto": front}
    return pd.DataFrame({**columns, "comparable": comparable}, index=means.columns)


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


MIXED = (
    "runs of {path} were made on machines of different or unknown speed: the times of "
    "its methods are not exact"
)
OTHER_CLOCK = "\N{DEGREE SIGN}"  # marks a time that cannot be compared
NOT_COMPARABLE = (
    f"{OTHER_CLOCK} time from another machine that was not calibrated: not comparable "
    f"with the others"
)


def on_clock_of(
    first: Mapping[str, Any], scores: Scores, second: Mapping[str, Any], origin: str
) -> tuple[Scores, str]:
    """Scale times of scores to the machine of another store.

    `first` is the manifest of the store whose machine counts, `second` that of the
    scores, `origin` their name in notes. The scores come back with scaled times or with
    another clock, and a sentence for the reader, empty where nothing was changed.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": ["m"], "dataset": "A", "problem": 1})
    >>> theirs = Scores(table.assign(prom_f1=0.5, cpu_seconds=3.0))
    >>> slow, fast = ({"machines": {"x": {"kernel": 1, "seconds": s}}} for s in (2, 1))
    >>> scaled, note = on_clock_of(slow, theirs, fast, "baselines")
    >>> float(scaled.table["cpu_seconds"].iloc[0]), note
    (6.0, 'times of the baselines are scaled by 2 to the machine of the other runs')
    >>> on_clock_of({}, theirs, fast, "baselines")[0].table["clock"].iloc[0]
    'baselines'
    """
    mine, theirs = speed_of(first), speed_of(second)
    if mine is None or theirs is None:
        return replace(scores, table=scores.table.assign(clock=origin)), NOT_COMPARABLE
    ratio = mine / theirs
    if 1 / SAME <= ratio <= SAME:
        return scores, ""
    spent = {name: scores.table[name] * ratio for name in ("seconds", "cpu_seconds")}
    note = (
        f"times of the {origin} are scaled by {ratio:.3g} to the machine of the other "
        f"runs"
    )
    return replace(scores, table=scores.table.assign(**spent)), note


def mixed_notes(stores: Iterable[Store]) -> list[str]:
    """Return a sentence for each store whose own runs are of several machines."""
    return [
        MIXED.format(path=store.path.name)
        for store in stores
        if is_mixed(store.manifest)
    ]


def comparable_times(scores: Scores) -> dict[str, bool]:
    """Return for each label whether its times can be compared with one's own.

    The clock that counts is that of one's own runs, ``""``; where all are from others,
    there is only one.
    """
    clocks = scores.table.groupby("label", observed=True)["clock"].first()
    counts = "" if (clocks == "").any() else clocks[scores.labels[0]]
    return {label: bool(clocks[label] == counts) for label in scores.labels}

"""Random methods: scores are means over seeds, and how much they vary with the seed.

Conventions
-----------
* Runs that differ in the field `seed` only are repeats of one method. The score of a
  problem is their mean, so a method has one row per problem however often it was run,
  and every table and figure shows one line for it. A repeat that failed scores as one
  that found nothing.
* A problem counts as failed if one of its repeats failed. Its times are means over the
  repeats that ended well.
* The spread of a method is the standard deviation, over seeds, of its mean score: how
  far the number would be from this one with another seed. Only seeds that all its
  problems have take part. It says nothing about other problems; that is what the
  bootstrap intervals are for.
* Look-ups and drawings of single runs take the first seed; the explorer of the report
  has a choice of seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.experiments.seeds import seed_of, seed_order

if TYPE_CHECKING:
    import pandas as pd

    from tsmdbench.analysis.scores import Scores

PLACE = ["dataset", "label", "problem"]
COSTS = ("seconds", "cpu_seconds", "peak_memory")
BySeed = dict[Any, dict[str, float]]  # seed to the scores of its run


def mean_over_seeds(table: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Return one row per method and problem: the mean of its repeats.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per run. Rows of one label and problem differ in the seed only.
    metrics : sequence of str
        Columns that are averaged.

    Returns
    -------
    pandas.DataFrame
        With two more columns: ``repeats``, the number of runs, and ``by_seed``, for
        each seed its scores, or None where there was one run.
    """
    import pandas as pd

    repeated = table.duplicated(PLACE, keep=False)
    single = table[~repeated].assign(repeats=1, by_seed=None)
    if not repeated.any():
        return single
    groups = table[repeated].groupby(PLACE, sort=False)
    means = pd.DataFrame([_mean(rows, list(metrics)) for _, rows in groups])
    kept = [single, means[single.columns]] if len(single) else [means]
    return pd.concat(kept, ignore_index=True)


def _mean(rows: pd.DataFrame, metrics: list[str]) -> dict[str, Any]:
    """Return the mean of repeats; what is not averaged is that of the first seed."""
    seeds = [seed_of(text) for text in rows["parameters"]]
    order = sorted(range(len(seeds)), key=lambda place: seed_order(seeds[place]))
    ordered = rows.iloc[order]
    records = ordered[metrics].to_dict("records")
    by_seed = dict(zip((seeds[place] for place in order), records, strict=True))
    good = ordered[ordered["status"] == "ok"]
    failed = ordered[ordered["status"] != "ok"]
    timed = good if len(good) else ordered
    return {
        **ordered.iloc[0].to_dict(),
        **ordered[metrics].mean().to_dict(),
        **{name: timed[name].mean() for name in COSTS},
        "status": failed["status"].iloc[0] if len(failed) else "ok",
        "repeats": len(ordered),
        "by_seed": by_seed,
    }


def seed_spread(scores: Scores, metric: str = "prom_f1") -> pd.DataFrame:
    """Return how much the mean score of each method varies with its seed.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        Averaged over problems, then over datasets with equal weights.

    Returns
    -------
    pandas.DataFrame
        A row per label: ``seeds``, how many all its problems have (1 for a method that
        was not repeated); ``sd``, the standard deviation of the mean over them, NaN
        with fewer than two.

    Examples
    --------
    >>> import pandas as pd
    >>> from tsmdbench.analysis import Scores
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": [1, 2]})
    >>> table["prom_f1"] = [0.5, 0.5]
    >>> table["by_seed"] = [{0: {"prom_f1": 0.4}, 1: {"prom_f1": 0.6}}] * 2
    >>> seed_spread(Scores(table)).round(3).loc["m"].tolist()
    [2.0, 0.141]
    """
    import pandas as pd

    scores.check_metric(metric)
    lines = {}
    for label, rows in scores.table.groupby("label", sort=False, observed=True):
        means = _seed_means(rows, metric)
        several = len(means) > 1
        sd = float(np.std(means, ddof=1)) if several else float("nan")
        lines[label] = (max(len(means), 1), sd)
    frame = pd.DataFrame.from_dict(lines, orient="index", columns=["seeds", "sd"])
    return frame.reindex(scores.labels)


def _seed_means(rows: pd.DataFrame, metric: str) -> list[float]:
    """Return the mean score of one method with each seed that all its problems have."""
    import pandas as pd

    values = list(rows["by_seed"])
    if not all(isinstance(value, dict) for value in values):
        return []
    shared = set(values[0]).intersection(*values[1:])
    datasets = rows["dataset"].to_numpy()
    return [
        float(
            pd.Series([value[seed][metric] for value in values])
            .groupby(datasets)
            .mean()
            .mean()
        )
        for seed in sorted(shared, key=seed_order)
    ]

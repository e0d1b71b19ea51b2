"""Mean, median and quartiles of P, R and F per dataset and method.

The numbers behind the paper's box plots. Failed runs score 0;
``failed`` is their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsmdbench.analysis.scores import PROM, Scores

if TYPE_CHECKING:
    import pandas as pd

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
    import pandas as pd

    if metrics is None:
        metrics = [name for name in PROM if name in scores.metrics] or PROM[:1]
    for name in metrics:
        scores.check_metric(name)
    grouped = scores.table.assign(failed=scores.table["status"] != "ok").groupby(
        ["dataset", "label"], sort=False
    )
    parts = []
    for number, metric in enumerate(metrics):
        values = grouped[metric]
        part = pd.DataFrame(
            {
                "count": grouped.size(),
                "failed": grouped["failed"].sum(),
                "mean": values.mean(),
                "median": values.median(),
                "q1": values.quantile(0.25),
                "q3": values.quantile(0.75),
            }
        ).reset_index()
        # Groups come in the order of the table; the metrics of each belong together.
        parts.append(part.assign(metric=metric, place=range(len(part)), number=number))
    together = pd.concat(parts).sort_values(["place", "number"], ignore_index=True)
    return together[[*COLUMNS, "q1", "q3"]]

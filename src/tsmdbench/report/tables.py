"""The tables of the report, each from the analysis that it shows.

`all_tables` makes them all. Numbers are in the frames as they were computed, so the
CSV files can be computed with; what is for reading only (the best in bold, rounding) is
done when a table is written, see `tsmdbench.report.table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tsmdbench.analysis.scores import Scores, higher_is_better
from tsmdbench.report.comparison_tables import (
    agreement_table,
    bayesian_table,
    intervals_table,
    p_values_table,
    ranks_table,
)
from tsmdbench.report.figures.style import metric_title
from tsmdbench.report.run_tables import (
    cost_table,
    failures_table,
    methods_table,
    settings_table,
)
from tsmdbench.report.table import Table, metric_name

if TYPE_CHECKING:
    from tsmdbench.experiments.store import Store

__all__ = [
    "Table",
    "agreement_table",
    "all_tables",
    "bayesian_table",
    "cost_table",
    "failures_table",
    "intervals_table",
    "means_table",
    "methods_table",
    "p_values_table",
    "ranks_table",
    "settings_table",
    "spread_table",
]
MEANS = ("prom_f1", "prom_precision", "prom_recall", "prom_macro_f1")
RANKED = ("prom_f1", "prom_precision", "prom_recall")


def all_tables(scores: Scores, store: Store | None = None) -> list[Table]:
    """Return every table of the report.

    Parameters
    ----------
    scores : Scores
        The results, with or without those of the baselines.
    store : Store, optional
        Where they are from; its messages explain failures.
    """
    from tsmdbench.analysis.critical_difference import significance
    from tsmdbench.analysis.metric_agreement import COMPARED, agreement

    tables = [means_table(scores, m) for m in MEANS if m in scores.metrics]
    tables.append(spread_table(scores))
    for metric in RANKED:
        if metric in scores.metrics:
            found = significance(scores, metric)
            tables.append(ranks_table(found, metric))
            tables.append(p_values_table(found, metric))
    tables.append(bayesian_table(scores))
    tables.append(intervals_table(scores))
    if set(COMPARED.values()) <= set(scores.metrics):
        tables.append(agreement_table(agreement(scores)))
    tables += [
        settings_table(scores),
        cost_table(scores),
        failures_table(scores, store),
        methods_table(
            list(dict.fromkeys(scores.methods[name] for name in scores.labels))
        ),
    ]
    return tables


def means_table(scores: Scores, metric: str = "prom_f1") -> Table:
    """Return the mean per dataset and method, and over datasets."""
    import pandas as pd

    means = scores.means(metric)
    failed = (
        scores.table.assign(bad=scores.table["status"] != "ok")
        .groupby(["dataset", "label"])["bad"]
        .sum()
        .unstack()
        .reindex(index=means.index, columns=means.columns)
        .fillna(0)
        .reset_index(drop=True)
    )
    overall = means.mean(axis=0, skipna=False).to_frame().T
    frame = pd.concat([means, overall], ignore_index=True)
    frame.insert(0, "dataset", [*means.index, "mean"])
    failed = pd.concat([failed, failed.sum().to_frame().T], ignore_index=True)
    return Table(
        f"means_{metric_name(metric)}",
        f"Mean {metric_title(metric)} per dataset and method; the last line is the "
        f"mean over datasets, of methods that ran on all of them.",
        frame,
        compared=tuple(means.columns),
        best="highest" if higher_is_better(metric) else "lowest",
        failed=failed,
    )


def spread_table(scores: Scores) -> Table:
    """Return mean, median and quartiles per dataset, method and metric."""
    from tsmdbench.analysis.spread import summary

    frame = summary(scores).rename(columns={"label": "method"})
    return Table(
        "spread",
        "Mean, median and quartiles over the problems of a dataset; runs that failed "
        "are counted as having found nothing.",
        frame,
    )

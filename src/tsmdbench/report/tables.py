"""The tables of the report, each from the analysis that it shows.

`all_tables` makes them all. Numbers are in the frames as they were computed, so the
CSV files can be computed with; what is for reading only (the best in bold, rounding) is
done when a table is written, see `tsmdbench.report.table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import InputError
from tsmdbench.report.comparison_tables import (
    agreement_table,
    bayesian_table,
    comparison_table,
    intervals_table,
    p_values_table,
    ranks_table,
)
from tsmdbench.report.difficulty_tables import difficulty_tables
from tsmdbench.report.figures.style import metric_title
from tsmdbench.report.run_tables import (
    cost_table,
    errors_table,
    failures_table,
    methods_table,
    seeds_table,
    settings_table,
    tuning_table,
)
from tsmdbench.report.table import Table, metric_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from tsmdbench.analysis.tuning_effort import Effort
    from tsmdbench.experiments.store import Store

__all__ = [
    "Table",
    "agreement_table",
    "all_tables",
    "bayesian_table",
    "comparison_table",
    "cost_table",
    "errors_table",
    "failures_table",
    "intervals_table",
    "means_table",
    "methods_table",
    "p_values_table",
    "ranks_table",
    "seeds_table",
    "settings_table",
    "spread_table",
    "tuning_table",
]
MEANS = ("prom_f1", "prom_precision", "prom_recall", "prom_macro_f1")
RANKED = ("prom_f1", "prom_precision", "prom_recall")


def all_tables(
    scores: Scores,
    store: Store | None = None,
    *,
    metrics: Sequence[str] | None = None,
    transpose: bool = False,
    efforts: Mapping[str, Effort] | None = None,
    costs: pd.DataFrame | None = None,
) -> list[Table]:
    """Return every table of the report.

    Parameters
    ----------
    scores : Scores
        The results, with or without those of the baselines.
    store : Store, optional
        Where they are from; its messages explain failures.
    metrics : sequence of str, optional
        Metrics of the comparison and of the tables of means; by default F1, precision,
        recall and macro F1.
    transpose : bool, default False
        Swap rows and columns of the comparison and of the tables of means.
    efforts : mapping, optional
        What the searches of each method took, from
        `tsmdbench.analysis.tuning_effort`.
    """
    from tsmdbench.analysis.critical_difference import significance
    from tsmdbench.analysis.metric_agreement import COMPARED, agreement

    chosen = check_metrics(scores, metrics)
    tables = [comparison_table(scores, chosen, transpose=transpose)]
    tables += [means_table(scores, m, transpose=transpose) for m in chosen]
    tables.append(spread_table(scores))
    if (scores.table["repeats"] > 1).any():
        tables.append(seeds_table(scores))
    for metric in RANKED:
        if metric in scores.metrics:
            found = significance(scores, metric)
            tables.append(ranks_table(found, metric))
            if len(found.datasets_used) > 1:
                tables.append(p_values_table(found, metric))
    if len(scores.datasets) > 1:
        tables.append(bayesian_table(scores))
    tables.append(intervals_table(scores))
    tables += difficulty_tables(scores, store)
    if set(COMPARED.values()) <= set(scores.metrics):
        tables.append(agreement_table(agreement(scores)))
    tables += [
        settings_table(scores),
        cost_table(scores),
        failures_table(scores, store),
        methods_table(
            list(dict.fromkeys(scores.methods[name] for name in scores.labels)),
            scores.declared,
        ),
    ]
    if efforts is not None:
        tables.append(tuning_table(efforts))
    if costs is not None and len(costs):
        tables.append(errors_table(costs))
    return tables


def check_metrics(scores: Scores, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the metrics that tables are made of; raise for one that is not scored."""
    if metrics is None:
        return tuple(name for name in MEANS if name in scores.metrics)
    names = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    if not names:
        raise InputError("metrics must name at least one metric")
    return tuple(scores.check_metric(name) for name in names)


def means_table(
    scores: Scores, metric: str = "prom_f1", *, transpose: bool = False
) -> Table:
    """Return the mean per dataset and method, and over datasets.

    Parameters
    ----------
    scores : Scores
    metric : str, default "prom_f1"
    transpose : bool, default False
        A row per method and a column per dataset, instead of the reverse.
    """
    import pandas as pd

    means = scores.means(metric)
    failed = (
        scores.table.assign(bad=scores.table["status"] != "ok")
        .groupby(["dataset", "label"])["bad"]
        .sum()
        .unstack()
        .reindex(index=means.index, columns=means.columns)
        .fillna(0)
    )
    means = pd.concat([means, means.mean(axis=0, skipna=False).to_frame("mean").T])
    failed = pd.concat([failed, failed.sum().to_frame("mean").T])
    first, last = "dataset", "row"
    if transpose:
        means, failed, first, last = means.T, failed.T, "method", "column"
    frame = means.reset_index(drop=True)
    frame.insert(0, first, list(means.index), allow_duplicates=True)
    return Table(
        f"means_{metric_name(metric)}",
        f"Mean {metric_title(metric)} per dataset and method; the last {last} is the "
        f"mean over datasets, of methods that ran on all of them.",
        frame,
        compared=tuple(str(name) for name in means.columns),
        best="highest" if scores.higher_is_better(metric) else "lowest",
        failed=failed.reset_index(drop=True),
        along="column" if transpose else "row",
    )


def spread_table(scores: Scores) -> Table:
    """Return mean, median and quartiles per dataset, method and metric."""
    from tsmdbench.analysis.spread import summary

    frame = summary(scores).rename(columns={"label": "method"})
    return Table(
        "spread",
        "Mean, median and quartiles over the problems of a dataset; failed runs score "
        "0.",
        frame,
    )

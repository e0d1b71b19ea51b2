"""The tables of the report, each from the analysis that it shows.

`all_tables` makes them all; the functions below make one each. Numbers stand in the
frames as they were computed, so the CSV files can be computed with; what is for reading
only (the best in bold, rounding) is done when a table is written, see
`tsmdbench.report.table`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tsmdbench.analysis.scores import Scores, higher_is_better
from tsmdbench.experiments.presets import PAPER_METHODS
from tsmdbench.report.figures.properties import method_facts
from tsmdbench.report.figures.style import duration, metric_title
from tsmdbench.report.table import Table

if TYPE_CHECKING:
    from tsmdbench.analysis.agreement import Agreement
    from tsmdbench.analysis.significance import Significance
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
MEANS = (
    "prom_f1",
    "prom_precision",
    "prom_recall",
    "prom_macro_f1",
)
RANKED = ("prom_f1", "prom_precision", "prom_recall")
MESSAGE = 80  # characters of a failure's message


def all_tables(scores: Scores, store: Store | None = None) -> list[Table]:
    """Return every table of the report.

    Parameters
    ----------
    scores : Scores
        The results, with or without those of the baselines.
    store : Store, optional
        Where they are from; its messages explain failures.
    """
    from tsmdbench.analysis.agreement import COMPARED, agreement
    from tsmdbench.analysis.significance import significance

    tables = [means_table(scores, m) for m in MEANS if m in scores.metrics]
    tables.append(spread_table(scores))
    for metric in RANKED:
        if metric in scores.metrics:
            found = significance(scores, metric)
            tables.append(ranks_table(found, metric))
            tables.append(p_values_table(found, metric))
            tables.append(bayesian_table(scores, metric))
    tables.append(intervals_table(scores))
    if set(COMPARED.values()) <= set(scores.metrics):
        tables.append(agreement_table(agreement(scores)))
    tables += [
        settings_table(scores),
        cost_table(scores),
        failures_table(scores, store),
        methods_table(_methods(scores)),
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
        f"means_{_short(metric)}",
        f"Mean {metric_title(metric)} per dataset and method; the last line is the mean "
        f"over datasets, of methods that ran on all of them.",
        frame,
        compared=tuple(means.columns),
        best="highest" if higher_is_better(metric) else "lowest",
        failed=failed,
    )


def spread_table(scores: Scores) -> Table:
    """Return mean, median and quartiles per dataset, method and metric."""
    from tsmdbench.analysis.summary import summary

    frame = summary(scores).rename(columns={"label": "method"})
    return Table(
        "spread",
        "Mean, median and quartiles over the problems of a dataset; runs that failed "
        "are counted as having found nothing.",
        frame,
    )


def ranks_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return average ranks, and from whom a method does not differ significantly."""
    import pandas as pd

    rows = []
    for place, label in enumerate(found.labels, start=1):
        others = [other for other in found.labels if other != label]
        same = [o for o in others if not bool(found.rejected.loc[label, o])]
        rows.append(
            {
                "place": place,
                "method": label,
                "average rank": float(found.average_ranks[label]),
                "better than": len(_worse(found, label, others)),
                "not different from": _joined(same, len(others)),
            }
        )
    return Table(
        f"ranks_{_short(metric)}",
        f"Average ranks by mean {metric_title(metric)} over "
        f"{len(found.datasets_used)} datasets (1 is best). 'Better than' counts the "
        f"methods that a method is significantly better than. {_tests(found)}",
        pd.DataFrame(rows),
    )


def p_values_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return the p-values of all pairs, before and after Holm's correction."""
    import pandas as pd

    rows = [
        (
            first,
            second,
            float(found.p_values.loc[first, second]),
            float(found.adjusted.loc[first, second]),
            bool(found.rejected.loc[first, second]),
        )
        for place, first in enumerate(found.labels)
        for second in found.labels[place + 1 :]
    ]
    names = ["better", "worse", "p", "p (Holm)", "different"]
    return Table(
        f"p_values_{_short(metric)}",
        f"Wilcoxon signed-rank tests of mean {metric_title(metric)}; the first method "
        f"has the better average rank. {_tests(found)}",
        pd.DataFrame(rows, columns=names),
        written={"p": p_value, "p (Holm)": p_value},
    )


def bayesian_table(scores: Scores, metric: str = "prom_f1", rope: float = 0.01) -> Table:
    """Return the probabilities that one of two methods is better, or none."""
    from tsmdbench.analysis.bayes import bayesian_signed_rank

    frame = bayesian_signed_rank(scores, metric, rope=rope)
    return Table(
        f"bayesian_{_short(metric)}",
        f"Bayesian signed-rank test of mean {metric_title(metric)}: probability that "
        f"the first method is better, that both are practically equivalent (within "
        f"{rope:g}), that the second is better.",
        frame,
        compared=("p_first", "p_equal", "p_second"),
    )


def intervals_table(scores: Scores, metric: str = "prom_f1") -> Table:
    """Return bootstrap intervals of the mean per dataset and method."""
    from tsmdbench.analysis.bootstrap import intervals

    frame = intervals(scores, metric).rename(columns={"label": "method"})
    return Table(
        f"intervals_{_short(metric)}",
        f"Mean {metric_title(metric)} with 95% bootstrap intervals, per dataset and "
        f"over all datasets, which weigh alike.",
        frame,
    )


def agreement_table(found: Agreement) -> Table:
    """Return Kendall's tau between the metrics, overall and by dataset."""
    import pandas as pd

    parts = []
    for over, taus in (
        ("all results", found.overall),
        ("mean over datasets", found.by_dataset),
    ):
        part = taus.reset_index(names="metric")
        part.insert(0, "over", over)
        parts.append(part)
    return Table(
        "kendall",
        f"Kendall's tau-b between the rankings of {found.results} results by the "
        f"metrics; S is a cost, its ranking is reversed.",
        pd.concat(parts, ignore_index=True),
    )


def settings_table(scores: Scores) -> Table:
    """Return the hyperparameters that every method had on every dataset."""
    rows = scores.table[["dataset", "label", "parameters"]].drop_duplicates()
    frame = rows.rename(columns={"label": "method"}).reset_index(drop=True)
    frame["parameters"] = [_setting(text) for text in frame["parameters"]]
    return Table(
        "settings",
        "Hyperparameters of the runs: chosen on the validation split where the method "
        "was tuned, from the data otherwise.",
        frame,
    )


def failures_table(scores: Scores, store: Store | None = None) -> Table:
    """Return how many runs failed, per method, dataset and kind of failure."""
    import pandas as pd

    bad = scores.table[scores.table["status"] != "ok"]
    runs = scores.table.groupby(["label", "dataset"]).size()
    messages = {} if store is None else _messages(store)
    rows = [
        (
            label,
            dataset,
            status,
            len(group),
            int(runs[label, dataset]),
            messages.get((group["method"].iloc[0], dataset, status), ""),
        )
        for (label, dataset, status), group in bad.groupby(
            ["label", "dataset", "status"], sort=False
        )
    ]
    names = ["method", "dataset", "status", "failed", "runs", "first message"]
    caption = "Runs that failed; they found nothing and are counted so."
    return Table(
        "failures",
        caption if rows else "No run failed.",
        pd.DataFrame(rows, columns=names),
    )


def methods_table(methods: Sequence[str] = PAPER_METHODS) -> Table:
    """Return what the methods can do (the paper's table of methods)."""
    import pandas as pd

    rows = []
    for method in methods:
        known = method_facts(method)
        rows.append(
            (method, None, None, None, "not known here")
            if known is None
            else (
                method,
                known.variable_length,
                known.multivariate,
                None if known.symbolic is None else not known.symbolic,
                ", ".join(known.parameters),
            )
        )
    names = [
        "method",
        "variable length",
        "multivariate",
        "no symbolic approximation",
        "parameters",
    ]
    return Table(
        "methods",
        "The methods: whether lengths differ between sets (inter) or within a set "
        "(intra), whether they take several channels, whether they compare samples "
        "instead of symbols, and their hyperparameters without a default.",
        pd.DataFrame(rows, columns=names, dtype=object),
    )


def p_value(p: float) -> str:
    """Write a p-value.

    >>> p_value(0.0421), p_value(0.0004)
    ('0.042', '< 0.001')
    """
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def _methods(scores: Scores) -> list[str]:
    return list(dict.fromkeys(scores.methods[label] for label in scores.labels))


def _worse(found: Significance, label: str, others: Sequence[str]) -> list[str]:
    """Return the methods that a method is significantly better than."""
    rank = float(found.average_ranks[label])
    return [
        other
        for other in others
        if bool(found.rejected.loc[label, other])
        and float(found.average_ranks[other]) > rank
    ]


def _joined(names: Sequence[str], everybody: int) -> str:
    if not names:
        return "nobody"
    return "all others" if len(names) == everybody else ", ".join(names)


def _tests(found: Significance) -> str:
    return (
        f"Two-sided tests with Holm's correction at level {found.alpha:g}. {found.note}"
    ).strip()


def _short(metric: str) -> str:
    return metric.removeprefix("prom_")


def _setting(text: str) -> str:
    """Return parameters as ``name=value``; what is no JSON object stays as it is."""
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    if not isinstance(fields, dict):
        return text
    return ", ".join(f"{name}={_value(value)}" for name, value in fields.items())


def _value(value: Any) -> str:
    """Write a value; a computed radius does not need sixteen digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _messages(store: Store) -> dict[tuple[str, str, str], str]:
    """Return the first message of every kind of failure, by name of the problem."""
    columns = ["method", "dataset", "status", "problem", "message"]
    bad = {"status": ["timeout", "memory", "error"], "split": "test"}
    rows = sorted(
        store.table(columns, bad).to_pylist(), key=lambda row: str(row["problem"])
    )
    first: dict[tuple[str, str, str], str] = {}
    for row in rows:
        key = (row["method"], row["dataset"], row["status"])
        line = " ".join(str(row["message"] or "").split())
        first.setdefault(key, line[:MESSAGE])
    return first

"""Tables that compare methods, and metrics: ranks, tests, intervals, agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsmdbench.analysis.scores import Scores
from tsmdbench.report.figures.style import metric_title
from tsmdbench.report.table import Table, metric_name

if TYPE_CHECKING:
    from tsmdbench.analysis.critical_difference import Significance
    from tsmdbench.analysis.metric_agreement import Agreement


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
        f"ranks_{metric_name(metric)}",
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
    names = ["first", "second", "p", "p (Holm)", "different"]
    return Table(
        f"p_values_{metric_name(metric)}",
        f"Wilcoxon signed-rank tests of mean {metric_title(metric)}; the first method "
        f"has the better average rank. {_tests(found)}",
        pd.DataFrame(rows, columns=names),
        written={"p": p_value, "p (Holm)": p_value},
    )


def bayesian_table(
    scores: Scores, metric: str = "prom_f1", rope: float = 0.01
) -> Table:
    """Return the probabilities that one of two methods is better, or none."""
    from tsmdbench.analysis.bayes import bayesian_signed_rank

    frame = bayesian_signed_rank(scores, metric, rope=rope)
    return Table(
        f"bayesian_{metric_name(metric)}",
        f"Bayesian signed-rank test of mean {metric_title(metric)}: probability that "
        f"the first method is better, that both are practically equivalent (within "
        f"{rope:g}), that the second is better.",
        frame,
        compared=("p_first", "p_equal", "p_second"),
    )


def intervals_table(scores: Scores, metric: str = "prom_f1") -> Table:
    """Return bootstrap intervals of the mean per dataset and method."""
    import pandas as pd

    from tsmdbench.analysis.bootstrap import intervals, overall_intervals

    overall = overall_intervals(scores, metric).drop(columns="datasets")
    overall.insert(0, "dataset", "over datasets")
    frame = pd.concat([intervals(scores, metric), overall], ignore_index=True)
    frame["problems"] = frame["problems"].astype("Int64")
    frame = frame.rename(columns={"label": "method"})
    return Table(
        f"intervals_{metric_name(metric)}",
        f"Mean {metric_title(metric)} with 95% bootstrap intervals, per dataset and "
        f"over the datasets that all methods have, which weigh alike.",
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


def p_value(p: float) -> str:
    """Write a p-value.

    >>> p_value(0.0421), p_value(0.0004)
    ('0.042', '< 0.001')
    """
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


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
        return "none"
    return "all others" if len(names) == everybody else ", ".join(names)


def _tests(found: Significance) -> str:
    return (
        f"Two-sided tests with Holm's correction at level {found.alpha:g}. {found.note}"
    ).strip()

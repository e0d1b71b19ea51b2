"""Tables that compare methods, and metrics: ranks, tests, intervals, agreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsmdbench.analysis.average_ranks import DECIMALS
from tsmdbench.analysis.scores import Scores
from tsmdbench.plural import counted
from tsmdbench.report.figures.style import metric_title
from tsmdbench.report.table import Table, metric_name

if TYPE_CHECKING:
    from tsmdbench.analysis.critical_difference import Significance
    from tsmdbench.analysis.metric_agreement import Agreement


def comparison_table(
    scores: Scores, metrics: Sequence[str] = ("prom_f1",), *, transpose: bool = False
) -> Table:
    """Return mean and interval of each method by some metrics: the table of a paper.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metrics : sequence of str
        A column each.
    transpose : bool, default False
        A row per metric and a column per method.
    """
    import pandas as pd

    from tsmdbench.analysis.bootstrap import overall_intervals

    found = {
        metric: overall_intervals(scores, metric).set_index("label")
        for metric in metrics
    }
    names = {metric: metric_title(metric) for metric in metrics}
    datasets = max(int(table["datasets"].max()) for table in found.values())
    frames = {
        part: pd.DataFrame({names[m]: table[part] for m, table in found.items()})
        for part in ("mean", "low", "high")
    }
    if transpose:
        frames = {part: frame.T for part, frame in frames.items()}
    shown = frames["mean"].reset_index(names="metric" if transpose else "method")
    costs = {metric for metric in metrics if not scores.higher_is_better(metric)}
    columns = tuple(str(name) for name in frames["mean"].columns)
    lowest = [n for n in shown.iloc[:, 0] if n in {names[m] for m in costs}]
    return Table(
        "comparison",
        f"Mean over {counted(datasets, 'dataset')} with the 95% bootstrap interval "
        f"over problems; best in bold.",
        shown,
        compared=columns,
        along="row" if transpose else "column",
        lowest=tuple(lowest if transpose else (names[m] for m in costs)),
        intervals={
            str(name): (frames["low"][name].tolist(), frames["high"][name].tolist())
            for name in frames["mean"].columns
        },
    )


def ranks_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return average ranks, and from whom a method does not differ significantly."""
    import pandas as pd

    rows = []
    places = found.average_ranks.round(DECIMALS).rank(
        method="min"
    )  # equal ranks share a place
    for label in found.labels:
        others = [other for other in found.labels if other != label]
        same = [o for o in others if not bool(found.rejected.loc[label, o])]
        rows.append(
            {
                "place": int(places[label]) if places[label] > 0 else None,
                "method": label,
                "average rank": float(found.average_ranks[label]),
                "better than": len(_worse(found, label, others)),
                "not different from": _joined(same, len(others)),
            }
        )
    return Table(
        f"ranks_{metric_name(metric)}",
        f"Average ranks by mean {metric_title(metric)} over "
        f"{counted(len(found.datasets_used), 'dataset')} (1 is best); equal ranks "
        f"share a place. 'Better than' counts the methods that a method is "
        f"significantly better than. {_tests(found)}",
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
        f"over the datasets that all methods have, with equal weights.",
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

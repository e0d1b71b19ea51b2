"""How much the scores of random methods vary with their seeds, as a table."""

from __future__ import annotations

from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.seeds import seed_spread
from tsmdbench.report.figures.style import metric_title
from tsmdbench.report.table import Table

SPREAD = ("prom_f1", "prom_precision", "prom_recall", "prom_macro_f1")


def seeds_table(scores: Scores) -> Table:
    """Return mean and standard deviation over seeds of methods that have several."""
    import pandas as pd

    repeated = scores.table.loc[scores.table["repeats"] > 1, "label"]
    labels = [label for label in scores.labels if label in set(repeated)]
    columns: dict[str, list[object]] = {"method": list(labels)}
    for metric in (name for name in SPREAD if name in scores.metrics):
        found = seed_spread(scores, metric).loc[labels]
        means = scores.means(metric)[labels].mean()
        columns.setdefault("seeds", found["seeds"].tolist())
        columns[metric_title(metric)] = means.tolist()
        columns[f"{metric_title(metric)} sd"] = found["sd"].tolist()
    return Table(
        "seeds",
        "Methods that were run with several seeds: mean score over datasets, and its "
        "standard deviation (sd) over the seeds. All other tables and the figures show "
        "means over seeds.",
        pd.DataFrame(columns),
    )

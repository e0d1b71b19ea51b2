"""The data of the charts: ranks, means, distributions, cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.scores import Scores
from tsmdbench.benchmark import DATASETS, RECORDINGS_SUITE
from tsmdbench.experiments.sources import is_generated, without_protocol
from tsmdbench.plural import counted
from tsmdbench.report.page.entries import MethodEntry
from tsmdbench.report.page.runs import extra_metrics

# What can be chosen in the charts, with the name that the page shows.
SHOWN = {
    "prom_f1": "F1",
    "prom_precision": "Precision",
    "prom_recall": "Recall",
    "prom_macro_f1": "Macro F1",
    "prom_macro_precision": "Macro precision",
    "prom_macro_recall": "Macro recall",
}
TESTED = ("prom_f1", "prom_precision", "prom_recall")
NAMES = {
    "correctness_m": "Correctness C_m",
    "correctness_g": "Correctness C_g",
    "score": "Score S",
}
WHISKER = 1.5  # times the distance of the quartiles
OUTLIERS = 40  # that a box shows at most


def overview(
    scores: Scores, entries: list[MethodEntry], tests: dict[str, Significance]
) -> dict[str, Any]:
    """Return everything that the charts are drawn from."""
    return {
        "labels": list(scores.labels),
        "datasets": list(scores.datasets),
        "metrics": {name: SHOWN[name] for name in shown_metrics(scores)},
        "extra": [
            {"name": NAMES.get(name, name), "higher": scores.higher_is_better(name)}
            for name in extra_metrics(scores)
        ],
        "means": {name: _means(scores, name) for name in shown_metrics(scores)},
        "boxes": {name: _boxes(scores, name) for name in shown_metrics(scores)},
        "ranks": {name: _diagram(test) for name, test in tests.items()},
        "methods": [_method(entry) for entry in entries],
    }


def shown_metrics(scores: Scores) -> tuple[str, ...]:
    """Return the metrics that the charts offer."""
    return tuple(name for name in SHOWN if name in scores.metrics)


def significance_tests(scores: Scores) -> dict[str, Significance]:
    """Test F1, precision and recall."""
    return {
        name: significance(scores, name) for name in TESTED if name in scores.metrics
    }


def conclusion(entries: list[MethodEntry], test: Significance) -> str:
    """Return what the report says in two sentences; empty if no method is better."""
    first = [entry for entry in entries if entry.f1 == entries[0].f1]
    later = [entry for entry in entries if entry.f1 < entries[0].f1]
    if not later:
        return ""
    best, second = first[0], later[0]
    names = ", ".join(entry.label for entry in first)
    count = len(test.datasets_used)
    where = f"over {counted(count, 'dataset')}" if count != 1 else "on one dataset"
    said = [
        f"{names} {'have' if len(first) > 1 else 'has'} the highest mean F1 {where}, "
        f"{best.f1:.3f}; {second.label} is next with {second.f1:.3f}."
    ]
    if test.testable:
        worse = int(test.rejected.loc[best.label].sum())
        others = counted(len(entries) - 1, "other method")
        said.append(f"{best.label} differs significantly from {worse} of {others}.")
    else:
        apart = "do not overlap" if best.low > second.high else "overlap"
        said.append(
            f"On these problems their 95 % intervals, {best.low:.2f} to "
            f"{best.high:.2f} and {second.low:.2f} to {second.high:.2f}, {apart}; "
            f"whether methods differ on other data takes more datasets."
        )
    return " ".join(said)


def data_lines(datasets: Iterable[str]) -> list[tuple[str, str]]:
    """Return each dataset with what its problems are made of."""
    return [(name, _made_of(name)) for name in datasets]


def _made_of(dataset: str) -> str:
    name = without_protocol(dataset)
    if name in DATASETS:
        return f"real: instances of the classification dataset {name}, joined"
    if name in RECORDINGS_SUITE:
        return "real: pieces of annotated recordings"
    if is_generated(name):
        return "generated: random shapes that repeat, between shapes that do not"
    return "your own"


def _method(entry: MethodEntry) -> dict[str, Any]:
    return {
        "label": entry.label,
        "group": entry.group,
        "own": entry.own,
        "comparable": entry.comparable,
        "f1": entry.quality,
        "seconds": entry.seconds,
        "front": entry.on_front,
    }


def _means(scores: Scores, metric: str) -> list[list[float]]:
    means: list[list[float]] = scores.means(metric).to_numpy().round(5).tolist()
    return means


def _diagram(test: Significance) -> dict[str, Any]:
    return {
        "labels": list(test.labels),
        "ranks": [float(test.average_ranks[label]) for label in test.labels],
        "cliques": [list(clique) for clique in test.cliques if test.testable],
        "letters": [
            test.letters.get(label, "") if test.testable else ""
            for label in test.labels
        ],
        "note": test.note if test.testable else "",
    }


def _boxes(scores: Scores, metric: str) -> list[list[dict[str, Any] | None]]:
    """Return a box for each dataset and method."""
    values: dict[tuple[str, str], Any] = dict(
        list(scores.table.groupby(["dataset", "label"])[metric])
    )
    return [
        [_box(values.get((dataset, label))) for label in scores.labels]
        for dataset in scores.datasets
    ]


def _box(column: Any) -> dict[str, Any] | None:
    if column is None:
        return None
    values = np.sort(np.asarray(column, dtype=np.float64))
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
    reach = WHISKER * (q3 - q1)
    inside = values[(values >= q1 - reach) & (values <= q3 + reach)]
    beyond = values[(values < q1 - reach) | (values > q3 + reach)]
    apart = np.unique(beyond.round(2))
    if len(apart) > OUTLIERS:
        apart = apart[np.linspace(0, len(apart) - 1, OUTLIERS).astype(int)]
    return {
        "box": [round(value, 4) for value in (inside[0], q1, median, q3, inside[-1])],
        "mean": round(float(values.mean()), 4),
        "count": len(values),
        "outliers": apart.tolist(),
    }

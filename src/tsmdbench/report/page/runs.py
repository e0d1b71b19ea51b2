"""What every run found, dataset by dataset: the data of the explorer."""

from __future__ import annotations

from typing import Any

from tsmdbench.analysis.labels import store_labels
from tsmdbench.analysis.scores import BASELINES, Scores
from tsmdbench.analysis.truths import truths
from tsmdbench.experiments.method_cards import declared_facts
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import Truth

# The page computes these itself, at any threshold.
COMPUTED = ("prom_",)
DIGITS = 5  # of metrics that the page only shows
MESSAGE = 300  # characters of a failure's message
COLUMNS = ["method", "version", "parameters", "dataset", "problem", "status"]

Rows = dict[tuple[str, str], dict[str, Any]]  # (label, problem) to a run


def extra_metrics(scores: Scores) -> tuple[str, ...]:
    """Return the metrics that the page shows but does not compute."""
    return tuple(name for name in scores.metrics if not name.startswith(COMPUTED))


def store_rows(scores: Scores, stores: list[Store], split: str) -> dict[str, Rows]:
    """Return the stored runs that the scores are of, by dataset.

    The first store holds the runs of one's own; the others are those they are
    compared with, whose labels `Scores.join` has marked.
    """
    found: dict[str, Rows] = {dataset: {} for dataset in scores.datasets}
    for place, store in enumerate(stores):
        table = store.table(
            [*COLUMNS, "seconds", "found", "message"], {"split": split}
        ).to_pylist()
        names = ("dataset", "method", "version", "parameters")
        settings = [tuple(row[name] for name in names) for row in table]
        labels = store_labels(settings, declared_facts(store.manifest))
        for row, setting in zip(table, settings, strict=True):
            label = _joined(labels[setting], scores, first=place == 0)
            if row["dataset"] in found:
                found[row["dataset"]][label, row["problem"]] = row
    return found


def _joined(label: str, scores: Scores, *, first: bool) -> str:
    marked = f"{label} ({BASELINES})"
    return marked if not first and marked in scores.labels else label


def dataset_block(
    scores: Scores, rows: Rows, truths: dict[str, Truth], dataset: str
) -> dict[str, Any]:
    """Return all that the explorer needs of one dataset, but the series."""
    table = scores.table[scores.table["dataset"] == dataset]
    problems = sorted(set(table["problem"].astype(str)))
    extra = extra_metrics(scores)
    values = table.set_index(["label", "problem"])[list(extra)].round(DIGITS)
    extras = dict(zip(values.index, values.to_numpy().tolist(), strict=True))
    return {
        "problems": [_problem(name, truths[name]) for name in problems],
        "parameters": [_parameters(rows, label) for label in scores.labels],
        "runs": [
            [
                _run(rows.get((label, name)), extras.get((label, name)))
                for name in problems
            ]
            for label in scores.labels
        ],
    }


def _problem(name: str, truth: Truth) -> dict[str, Any]:
    return {
        "name": name,
        "n": truth.n,
        "channels": truth.channels,
        "labels": list(truth.labels),
        "truth": truth.sets,
    }


def _parameters(rows: Rows, label: str) -> str:
    """Return the hyperparameters of a method on a dataset; a label has one setting."""
    return next((row["parameters"] for key, row in rows.items() if key[0] == label), "")


def _run(row: dict[str, Any] | None, extras: list[float] | None) -> Any:
    """Return one run; None where a method has none, a failure has found nothing."""
    if row is None or extras is None:
        return None
    run: dict[str, Any] = {
        "found": row["found"] if row["status"] == "ok" else [],
        "seconds": float(f"{row['seconds']:.4g}"),
        "values": extras,
    }
    if row["status"] != "ok":
        run |= {"status": row["status"], "message": (row["message"] or "")[:MESSAGE]}
    return run


def truths_of(
    scores: Scores, stores: list[Store], split: str
) -> dict[str, dict[str, Truth]]:
    """Return the truths of all datasets, by dataset and problem."""
    found: dict[str, dict[str, Truth]] = {name: {} for name in scores.datasets}
    for store in stores:
        here = {what[0] for what in store.counts()} & set(found)
        for (dataset, problem), truth in truths(store, here, split).items():
            if dataset in found:
                found[dataset][problem] = truth
    return found

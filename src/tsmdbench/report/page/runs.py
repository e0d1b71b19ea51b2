"""What every run found, dataset by dataset: the data of the explorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.truths import truths
from tsmdbench.experiments.seeds import seed_of, seed_order, without_seed
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import Truth

# The page computes these itself, at any threshold.
COMPUTED = ("prom_",)
DIGITS = 5  # of metrics that the page only shows
MESSAGE = 300  # characters of a failure's message
COLUMNS = ["method", "version", "parameters", "dataset", "problem", "status"]
SETTING = ("dataset", "method", "version", "parameters")

# (label, problem) to its run; to several, in the order of their seeds, for repeats.
Rows = dict[tuple[str, str], list[dict[str, Any]]]


def extra_metrics(scores: Scores) -> tuple[str, ...]:
    """Return the metrics that the page shows but does not compute."""
    return tuple(name for name in scores.metrics if not name.startswith(COMPUTED))


def store_rows(
    scores: Scores, stores: Mapping[str, Sequence[Store]], split: str
) -> dict[str, Rows]:
    """Return the stored runs that the scores are of, by dataset.

    `stores` has where the runs of each origin are, see `Scores.join`.
    """
    found: dict[str, Rows] = {dataset: {} for dataset in scores.datasets}
    names = ("label", "dataset", "problem")
    scored = set(zip(*(scores.table[name] for name in names), strict=True))
    for origin, store in [(o, s) for o, each in stores.items() for s in each]:
        table = store.table(
            [*COLUMNS, "seconds", "found", "message"], {"split": split}
        ).to_pylist()
        labels = _labels(scores, origin)
        for row in table:
            label = labels.get(_setting(*(row[name] for name in SETTING)), "")
            if (label, row["dataset"], row["problem"]) in scored:
                runs = found[row["dataset"]].setdefault((label, row["problem"]), [])
                runs.append(row)
    for rows in found.values():
        for runs in rows.values():
            runs.sort(key=lambda row: seed_order(seed_of(row["parameters"])))
    return found


def _labels(scores: Scores, origin: str) -> dict[tuple[str, ...], str]:
    """Return the label of each setting, whatever its seed."""
    mine = scores.table[scores.table["origin"] == origin]
    settings = zip(*(mine[name] for name in SETTING), strict=True)
    places = [_setting(*setting) for setting in settings]
    return dict(zip(places, mine["label"], strict=True))


def _setting(*values: str) -> tuple[str, ...]:
    """Return what tells settings apart; repeats differ in the seed only."""
    *place, parameters = values
    return *place, without_seed(parameters)


def dataset_block(
    scores: Scores, rows: Rows, truths: dict[str, Truth], dataset: str
) -> dict[str, Any]:
    """Return all that the explorer needs of one dataset, but the series."""
    table = scores.table[scores.table["dataset"] == dataset]
    problems = sorted(set(table["problem"].astype(str)))
    extra = extra_metrics(scores)
    places = zip(table["label"], table["problem"], strict=True)
    scored = dict(zip(places, table.to_dict("records"), strict=True))
    return {
        "problems": [_problem(name, truths[name]) for name in problems],
        "parameters": [_parameters(rows, label) for label in scores.labels],
        "runs": [
            [
                _shown(rows.get((label, name)), scored.get((label, name)), extra)
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
    for (name, _), runs in rows.items():
        if name == label:
            text: str = runs[0]["parameters"]
            return without_seed(text) if len(runs) > 1 else text
    return ""


def _shown(
    runs: list[dict[str, Any]] | None,
    scored: dict[str, Any] | None,
    extra: tuple[str, ...],
) -> Any:
    """Return the run of a method on a problem, or one for each seed; None for none."""
    if runs is None or scored is None:
        return None
    by_seed = scored.get("by_seed")
    if not isinstance(by_seed, dict):
        return _run(runs[0], _extras(scored, extra))
    seeds = [seed_of(row["parameters"]) for row in runs]
    return {
        "repeats": [
            {"seed": str(seed), **_run(row, _extras(by_seed[seed], extra))}
            for seed, row in zip(seeds, runs, strict=True)
        ]
    }


def _extras(scores: dict[str, Any], names: tuple[str, ...]) -> list[float]:
    return [round(float(scores[name]), DIGITS) for name in names]


def _run(row: dict[str, Any], extras: list[float]) -> dict[str, Any]:
    """Return one run; one that failed has found nothing."""
    run: dict[str, Any] = {
        "found": row["found"] if row["status"] == "ok" else [],
        "seconds": float(f"{row['seconds']:.4g}"),
        "values": extras,
    }
    if row["status"] != "ok":
        run |= {"status": row["status"], "message": (row["message"] or "")[:MESSAGE]}
    return run


def truths_of(
    scores: Scores, stores: Mapping[str, Sequence[Store]], split: str
) -> dict[str, dict[str, Truth]]:
    """Return the truths of all datasets, by dataset and problem."""
    found: dict[str, dict[str, Truth]] = {name: {} for name in scores.datasets}
    for store in [one for each in stores.values() for one in each]:
        here = {what[0] for what in store.counts()} & set(found)
        for (dataset, problem), truth in truths(store, here, split).items():
            if dataset in found:
                found[dataset][problem] = truth
    return found

"""Tables of the runs: with which settings, at which cost, and which of them failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tsmdbench.analysis.errors_by_kind import MOST, WORDS
from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.presets import PAPER_METHODS
from tsmdbench.methods.facts import Declared
from tsmdbench.report.figures.properties import method_facts
from tsmdbench.report.figures.style import duration
from tsmdbench.report.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from tsmdbench.analysis.tuning_effort import Effort
    from tsmdbench.experiments.store import Store

MESSAGE = 80  # characters of a failure's message


def settings_table(scores: Scores) -> Table:
    """Return the hyperparameters that every method had on every dataset."""
    rows = scores.table[["dataset", "label", "parameters"]].drop_duplicates()
    frame = rows.rename(columns={"label": "method"}).reset_index(drop=True)
    frame["parameters"] = [_setting(text) for text in frame["parameters"]]
    return Table(
        "settings",
        "Hyperparameters of the runs. They were chosen on the validation split if the "
        "method was tuned, and computed from the data otherwise.",
        frame,
    )


def cost_table(scores: Scores) -> Table:
    """Return times, memory and failures per method."""
    from tsmdbench.analysis.costs import cost
    from tsmdbench.analysis.machines import foreign_clocks

    found = cost(scores)
    columns = {
        "runs": "runs",
        "failed": "failed",
        "seconds": "time",
        "median_seconds": "median time",
        "max_seconds": "longest time",
        "max_peak_memory": "peak memory",
    }
    frame = found[list(columns)].rename(columns=columns).reset_index(names="method")
    times = [name for name in columns.values() if name.endswith("time")]
    foreign = foreign_clocks(scores)
    caption = (
        "Processor time of a successful run and memory, per method. 'Time' is the "
        "mean over the datasets that all methods have, with equal weights; median and "
        "longest time are over all successful runs. The CSV file has seconds and "
        "bytes."
    )
    if any(foreign.values()):
        frame["times comparable"] = [not foreign[label] for label in frame["method"]]
        caption += (
            " Times that are not comparable come from another machine that was not "
            "calibrated."
        )
    return Table(
        "cost",
        caption,
        frame,
        written={**dict.fromkeys(times, duration), "peak memory": size_in_memory},
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
    caption = "Failed runs; they score 0."
    return Table(
        "failures",
        caption if rows else "No run failed.",
        pd.DataFrame(rows, columns=names),
    )


def errors_table(costs: pd.DataFrame) -> Table:
    """Return the F1 that each kind of error costs each method (`error_costs`)."""
    frame = costs.rename(columns={"label": "method", "f1": "F1", **WORDS})
    return Table(
        "errors",
        f"F1 that each kind of error costs: the mean gain if all errors of that kind "
        f"were fixed. At most {MOST} problems per dataset are explained. Failed runs "
        f"count as missed motifs.",
        frame.astype({"runs": int}),
    )


def tuning_table(efforts: Mapping[str, Effort]) -> Table:
    """Return on how many validation problems each method was tuned."""
    import pandas as pd

    rows = [
        (label, effort.words, effort.settings, effort.datasets)
        for label, effort in efforts.items()
    ]
    names = ["method", "validation problems per dataset", "settings", "datasets"]
    return Table(
        "tuning",
        "Number of validation problems per dataset on which each method was tuned, "
        "largest number of settings that were tried on a dataset, and number of "
        "datasets, according to the searches in the stores.",
        pd.DataFrame(rows, columns=names),
    )


def methods_table(
    methods: Sequence[str] = PAPER_METHODS,
    declared: Mapping[str, Declared] | None = None,
) -> Table:
    """Return what the methods can do (the paper's table of methods).

    Parameters
    ----------
    methods : sequence of str
    declared : mapping, optional
        What authors declare about methods that are not ours.
    """
    import pandas as pd

    rows = []
    for method in methods:
        known = method_facts(method, declared)
        rows.append(
            (method, None, None, None, "unknown")
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


def size_in_memory(size: float) -> str:
    """Write a number of bytes.

    >>> size_in_memory(123_456_789), size_in_memory(5 * 2**30)
    ('118 MiB', '5.0 GiB')
    """
    if size >= 2**30:
        return f"{size / 2**30:.1f} GiB"
    return f"{size / 2**20:.0f} MiB"


def _setting(text: str) -> str:
    """Return parameters as ``name=value``; what is not a JSON object stays as it is."""
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

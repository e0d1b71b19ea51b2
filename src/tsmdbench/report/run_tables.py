"""Tables of the runs: settings, cost, failures, errors, seeds, searches, all scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.analysis.errors_by_kind import MOST, WORDS
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.seeds import seed_spread
from tsmdbench.analysis.tuning_effort import COLUMNS, surfaces
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.experiments.presets import PAPER_METHODS
from tsmdbench.io import write_atomically
from tsmdbench.methods.info import MethodInfo, method_info
from tsmdbench.report.figures.style import duration, metric_title
from tsmdbench.report.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from tsmdbench.analysis.tuning_effort import Effort
    from tsmdbench.experiments.store import Store

SPREAD = ("prom_f1", "prom_precision", "prom_recall", "prom_macro_f1")
# Columns of the scores that are for drawing and joining.
LEFT_OUT = ("clock", "own")
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


def read_surfaces(store: Store) -> Any:
    """Return every setting of every search: a row per setting, in the paper's order.

    Returns
    -------
    DataFrame
        Columns dataset, method, parameters (JSON), mean_f1, problems, failed,
        mean_seconds, mean_cpu_seconds, winner; without rows where nothing was tuned.

    Raises
    ------
    DataError
        A file is no surface; the message names it.
    """
    import pandas as pd

    tables = [table.to_pandas() for table in surfaces(store)]
    if not tables:
        return pd.DataFrame(columns=list(COLUMNS))
    rows = pd.concat(tables, ignore_index=True)
    order = rows.assign(
        _dataset=[_place(name, BENCHMARK) for name in rows["dataset"]],
        _method=[_place(name, PAPER_METHODS) for name in rows["method"]],
    ).sort_values(["_dataset", "_method"], kind="stable")
    return order[list(COLUMNS)].reset_index(drop=True)


def _place(name: str, order: tuple[str, ...]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def write_scores(
    scores: Scores, folder: Path, *, csv: bool, parquet: bool
) -> tuple[Path, ...]:
    """Write ``scores.csv`` and ``scores.parquet`` to a folder, as far as wanted.

    Returns
    -------
    tuple of Path
        The files.
    """
    table = scores.table.drop(columns=list(LEFT_OUT)).rename(
        columns={"label": "method", "method": "implementation"}
    )
    written = []
    if csv:
        file = folder / "scores.csv"
        write_atomically(file, table.to_csv(index=False, lineterminator="\n").encode())
        written.append(file)
    if parquet:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = folder / "scores.parquet"
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), sink)
        write_atomically(file, bytes(sink.getvalue()))
        written.append(file)
    return tuple(written)


def methods_table(
    methods: Sequence[str] = PAPER_METHODS,
    declared: Mapping[str, MethodInfo] | None = None,
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
        known = method_info(method, declared)
        rows.append(
            (method, None, None, None, "unknown")
            if known == MethodInfo()
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

"""Write the scores of the published baselines beside their stores.

Run it after a change of a store, or of a metric with its `Metric.version`:

    python -m tools.keep_scores
"""

from __future__ import annotations

import pyarrow as pa

from tsmdbench.analysis.baselines import STORES, load_baselines
from tsmdbench.analysis.scores import (
    KEPT,
    MADE_OF,
    SPLIT,
    THRESHOLD,
    default_metrics,
    made_of,
    requested_metrics,
    run_values,
)
from tsmdbench.experiments.edit import SMALLEST
from tsmdbench.experiments.rows import CHECKED
from tsmdbench.experiments.store import Store
from tsmdbench.io.files import parquet_bytes


def computed(store: Store) -> pa.Table:
    """Return the default metrics of all runs of the test split, computed again."""
    columns = requested_metrics(default_metrics(what[0] for what in store.counts()))
    needed = ["dataset", "problem", "status", "found"]
    rows = store.table(needed, {"split": SPLIT})
    table = pa.table(run_values(store, rows, columns, SPLIT, THRESHOLD))
    metrics = {name: metric for name, (_, metric, _) in columns.items()}
    return table.replace_schema_metadata({MADE_OF: made_of(store, metrics)})


def write(store: Store, scores: pa.Table) -> int:
    """Write kept scores beside a store; return the number of bytes."""
    file = store.path / KEPT
    # A dictionary only costs space where most values differ.
    few = [
        name
        for name in scores.column_names
        if len(scores[name].unique()) < len(scores) / 4
    ]
    data = parquet_bytes(
        scores, **CHECKED, use_dictionary=few, compression_level=SMALLEST
    )
    return file.write_bytes(data)


def main() -> None:
    """Write one file per store."""
    for name in STORES:
        store = load_baselines(name)
        print(f"{name}: {write(store, computed(store))} bytes")


if __name__ == "__main__":
    main()

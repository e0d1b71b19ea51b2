"""Write the scores of the published baselines beside their stores.

Run it after a change of a store, or of a metric with its `Metric.version`:

    python -m tools.keep_scores
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

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
from tsmdbench.experiments.store import Store


def computed(store: Store) -> pa.Table:
    """Return the default metrics of all runs of the test split, computed again."""
    columns = requested_metrics(default_metrics(what[0] for what in store.counts()))
    needed = ["dataset", "problem", "status", "found"]
    rows = store.table(needed, {"split": SPLIT})
    table = pa.table(run_values(store, rows, columns, SPLIT, THRESHOLD))
    metrics = {name: metric for name, (_, metric, _) in columns.items()}
    return table.replace_schema_metadata({MADE_OF: made_of(store, metrics)})


def main() -> None:
    """Write one file per store."""
    for name in STORES:
        store = load_baselines(name)
        file = store.path / KEPT
        pq.write_table(computed(store), file, compression="zstd", compression_level=19)
        print(f"{name}: {file.stat().st_size} bytes")


if __name__ == "__main__":
    main()

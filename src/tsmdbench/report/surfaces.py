"""The surfaces of all grid searches of a store, as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tsmdbench.analysis.tuning_effort import COLUMNS, surfaces
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.experiments.presets import PAPER_METHODS

if TYPE_CHECKING:
    from tsmdbench.experiments.store import Store


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

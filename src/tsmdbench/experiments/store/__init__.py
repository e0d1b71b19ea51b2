"""The store: a folder of Parquet parts with one row per run, and a manifest."""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.experiments.store.store import Store, StoreWriter

__all__ = ["Store", "StoreWriter"]

__getattr__, __dir__ = attach(__name__, {"Store": "store", "StoreWriter": "store"})

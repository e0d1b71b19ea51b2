"""The store: a folder of Parquet parts with one row per run, and a manifest."""

from tsmdbench.experiments.store.store import Store, StoreWriter

__all__ = ["Store", "StoreWriter"]

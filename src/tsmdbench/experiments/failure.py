"""The errors of experiments, under their former address."""

from tsmdbench.errors import ExperimentError, StoreError

__all__ = ["ExperimentError", "StoreError"]

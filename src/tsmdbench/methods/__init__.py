"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Listing the names imports nothing; a method's module, and numba with it, is imported
when the method is first asked for.
"""

from typing import Any

from tsmdbench.registry import Registry

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")
METHODS.add("locomotif", "tsmdbench.methods.locomotif:LoCoMotif")

__all__ = ["METHODS"]

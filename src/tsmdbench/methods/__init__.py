"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Listing the names imports nothing; a method's module, and numba with it, is imported
when the method is first asked for.
"""

from typing import Any

from tsmdbench.registry import Registry

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")
METHODS.add(
    "random_walk_detector",
    "tsmdbench.methods.random_walk_detector:RandomWalkDetector",
)

METHODS.add("gv_repair", "tsmdbench.methods.gv:GVRePair")
METHODS.add("gv_sequitur", "tsmdbench.methods.gv:GVSequitur")
METHODS.add("mrmotif", "tsmdbench.methods.mrmotif:MrMotif")

__all__ = ["METHODS"]

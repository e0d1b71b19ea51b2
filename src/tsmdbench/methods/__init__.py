"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Listing the names imports nothing; a method's module, and numba with it, is imported
when the method is first asked for.
"""

from typing import Any

from tsmdbench.registry import Registry

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")
METHODS.add("emma", "tsmdbench.methods.emma:EMMA")
METHODS.add("mmotifs", "tsmdbench.methods.mmotifs:MMotifs")
METHODS.add("panmp", "tsmdbench.methods.panmp:PanMP")
METHODS.add(
    "random_walk_detector",
    "tsmdbench.methods.random_walk_detector:RandomWalkDetector",
)
METHODS.add("setfinder", "tsmdbench.methods.setfinder:SetFinder")
METHODS.add("stomp", "tsmdbench.methods.stomp:STOMP")
METHODS.add("valmod", "tsmdbench.methods.valmod:VALMOD")

__all__ = ["METHODS"]

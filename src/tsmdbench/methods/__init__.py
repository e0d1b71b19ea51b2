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
METHODS.add("emma", "tsmdbench.methods.emma:EMMA")
METHODS.add("latentmotifs", "tsmdbench.methods.latentmotifs:LatentMotifs")
METHODS.add("mmotifs", "tsmdbench.methods.mmotifs:MMotifs")
METHODS.add("motiflets", "tsmdbench.methods.motiflets:Motiflets")
METHODS.add("panmp", "tsmdbench.methods.panmp:PanMP")
METHODS.add("setfinder", "tsmdbench.methods.setfinder:SetFinder")
METHODS.add("stomp", "tsmdbench.methods.stomp:STOMP")
METHODS.add("valmod", "tsmdbench.methods.valmod:VALMOD")
METHODS.add("vonsem", "tsmdbench.methods.vonsem:VONSEM")

METHODS.add("gv_repair", "tsmdbench.methods.gv:GVRePair")
METHODS.add("gv_sequitur", "tsmdbench.methods.gv:GVSequitur")
METHODS.add("mrmotif", "tsmdbench.methods.mrmotif:MrMotif")
METHODS.add("locomotif", "tsmdbench.methods.locomotif:LoCoMotif")

__all__ = ["METHODS"]

"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Listing the names imports nothing; a method's module, and numba with it, is imported
when the method is first asked for.
"""

from typing import Any

from tsmdbench.registry import Registry

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")

for _name, _place in {
    "apepa": "apepa:APEPA",
    "emma": "emma:EMMA",
    "gv_repair": "gv:GVRePair",
    "gv_sequitur": "gv:GVSequitur",
    "latentmotifs": "latentmotifs:LatentMotifs",
    "locomotif": "locomotif:LoCoMotif",
    "mdl_clust": "mdl_clust:MDLClust",
    "mmotifs": "mmotifs:MMotifs",
    "motiflets": "motiflets:Motiflets",
    "mrmotif": "mrmotif:MrMotif",
    "panmp": "panmp:PanMP",
    "pepa": "pepa:PEPA",
    "random_walk_detector": "random_walk_detector:RandomWalkDetector",
    "setfinder": "setfinder:SetFinder",
    "stomp": "stomp:STOMP",
    "valmod": "valmod:VALMOD",
    "vonsem": "vonsem:VONSEM",
}.items():
    METHODS.add(_name, f"tsmdbench.methods.{_place}")

__all__ = ["METHODS"]

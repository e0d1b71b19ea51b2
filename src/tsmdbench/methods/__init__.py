"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Every class can also be imported from here: ``from tsmdbench.methods import LoCoMotif``.
Listing the names imports nothing; a method's module, and numba with it, is imported
when the class is first looked up.
"""

from typing import TYPE_CHECKING, Any

from tsmdbench._lazy import attach
from tsmdbench.registry import Registry

if TYPE_CHECKING:
    from tsmdbench.methods.apepa import APEPA
    from tsmdbench.methods.base import Method
    from tsmdbench.methods.contract import (
        ContractError,
        ContractReport,
        check_method,
        planted_problem,
    )
    from tsmdbench.methods.emma import EMMA
    from tsmdbench.methods.figure import draw_found
    from tsmdbench.methods.gv import GVRePair, GVSequitur
    from tsmdbench.methods.info import MethodInfo, declare
    from tsmdbench.methods.latentmotifs import LatentMotifs
    from tsmdbench.methods.lengths import LengthEstimate, estimate_length
    from tsmdbench.methods.locomotif import LoCoMotif
    from tsmdbench.methods.mdl_clust import MDLClust
    from tsmdbench.methods.mmotifs import MMotifs
    from tsmdbench.methods.motiflets import Motiflets
    from tsmdbench.methods.mrmotif import MrMotif
    from tsmdbench.methods.panmp import PanMP
    from tsmdbench.methods.pepa import PEPA
    from tsmdbench.methods.setfinder import SetFinder
    from tsmdbench.methods.stomp import STOMP
    from tsmdbench.methods.suggestions import Suggestion, suggest
    from tsmdbench.methods.valmod import VALMOD
    from tsmdbench.methods.vonsem import VONSEM

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")

# Name in the registry to module and class.
_CLASSES = {
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
    "setfinder": "setfinder:SetFinder",
    "stomp": "stomp:STOMP",
    "valmod": "valmod:VALMOD",
    "vonsem": "vonsem:VONSEM",
}
for _name, _place in _CLASSES.items():
    METHODS.add(_name, f"{__name__}.{_place}")
# Shows that a benchmark is too easy; not a method to compare with.
DEMONSTRATION = "random_walk_detector"
METHODS.add(DEMONSTRATION, "tsmdbench.paper.random_walk_detector:RandomWalkDetector")

__all__ = [
    "APEPA",
    "EMMA",
    "METHODS",
    "PEPA",
    "STOMP",
    "VALMOD",
    "VONSEM",
    "ContractError",
    "ContractReport",
    "GVRePair",
    "GVSequitur",
    "LatentMotifs",
    "LengthEstimate",
    "LoCoMotif",
    "MDLClust",
    "MMotifs",
    "Method",
    "MethodInfo",
    "Motiflets",
    "MrMotif",
    "PanMP",
    "SetFinder",
    "Suggestion",
    "check_method",
    "declare",
    "draw_found",
    "estimate_length",
    "planted_problem",
    "suggest",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "ContractError": "contract",
        "ContractReport": "contract",
        "LengthEstimate": "lengths",
        "Method": "base",
        "check_method": "contract",
        "MethodInfo": "info",
        "declare": "info",
        "draw_found": "figure",
        "Suggestion": "suggestions",
        "estimate_length": "lengths",
        "planted_problem": "contract",
        "suggest": "suggestions",
        **{
            name: module
            for module, name in (place.split(":") for place in _CLASSES.values())
        },
    },
)

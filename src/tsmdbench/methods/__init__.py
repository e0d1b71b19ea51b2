"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Every class can also be imported from here: ``from tsmdbench.methods import LoCoMotif``.
Listing the names imports nothing; a method's module is imported when the class is first
looked up, and numba when it first searches.
"""

from typing import TYPE_CHECKING, Any

from tsmdbench._lazy import attach
from tsmdbench.registry import Registry

if TYPE_CHECKING:
    from tsmdbench.methods.apepa import APEPA
    from tsmdbench.methods.auto import Auto
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
    from tsmdbench.methods.lama import LAMA
    from tsmdbench.methods.latentmotifs import LatentMotifs
    from tsmdbench.methods.locomotif import LoCoMotif
    from tsmdbench.methods.mdl_clust import MDLClust
    from tsmdbench.methods.mmotifs import MMotifs
    from tsmdbench.methods.motiflets import Motiflets
    from tsmdbench.methods.mrmotif import MrMotif
    from tsmdbench.methods.panmp import PanMP
    from tsmdbench.methods.pepa import PEPA
    from tsmdbench.methods.setfinder import SetFinder
    from tsmdbench.methods.stomp import STOMP
    from tsmdbench.methods.subspace import (
        SubGVRePair,
        SubLatentMotifs,
        SubLoCoMotif,
        SubMotiflets,
        SubSetFinder,
        SubspaceMerge,
    )
    from tsmdbench.methods.valmod import VALMOD
    from tsmdbench.methods.vonsem import VONSEM

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")

# Name in the registry to module and class.
_CLASSES = {
    "apepa": "apepa:APEPA",
    "auto": "auto:Auto",
    "emma": "emma:EMMA",
    "gv_repair": "gv:GVRePair",
    "gv_sequitur": "gv:GVSequitur",
    "lama": "lama:LAMA",
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
    "sub_gv_repair": "subspace:SubGVRePair",
    "sub_latentmotifs": "subspace:SubLatentMotifs",
    "sub_locomotif": "subspace:SubLoCoMotif",
    "sub_motiflets": "subspace:SubMotiflets",
    "sub_setfinder": "subspace:SubSetFinder",
    "valmod": "valmod:VALMOD",
    "vonsem": "vonsem:VONSEM",
}
# The methods that the paper compares, in its order.
PAPER_METHODS = (
    "emma",
    "mrmotif",
    "setfinder",
    "latentmotifs",
    "gv_sequitur",
    "gv_repair",
    "valmod",
    "mmotifs",
    "vonsem",
    "motiflets",
    "locomotif",
)
for _name, _place in _CLASSES.items():
    METHODS.add(_name, f"{__name__}.{_place}")
# Shows that a benchmark is too easy; not a method to compare with.
METHODS.add(
    "random_walk_detector", "tsmdbench.paper.random_walk_detector:RandomWalkDetector"
)

__all__ = [
    "APEPA",
    "EMMA",
    "LAMA",
    "METHODS",
    "PEPA",
    "STOMP",
    "VALMOD",
    "VONSEM",
    "Auto",
    "ContractError",
    "ContractReport",
    "GVRePair",
    "GVSequitur",
    "LatentMotifs",
    "LoCoMotif",
    "MDLClust",
    "MMotifs",
    "Method",
    "MethodInfo",
    "Motiflets",
    "MrMotif",
    "PanMP",
    "SetFinder",
    "SubGVRePair",
    "SubLatentMotifs",
    "SubLoCoMotif",
    "SubMotiflets",
    "SubSetFinder",
    "SubspaceMerge",
    "check_method",
    "declare",
    "draw_found",
    "planted_problem",
]

__getattr__, __dir__ = attach(__name__)

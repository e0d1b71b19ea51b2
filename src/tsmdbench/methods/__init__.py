"""Motif discovery methods under one interface: `METHODS` maps names to classes.

Every class can also be imported from here: ``from tsmdbench.methods import LoCoMotif``.
Listing the names imports nothing; a method's module, and numba with it, is imported
when the class is first looked up.
"""

from typing import TYPE_CHECKING, Any

from tsmdbench.registry import Registry, import_object

if TYPE_CHECKING:
    from tsmdbench.methods.apepa import APEPA
    from tsmdbench.methods.base import Method
    from tsmdbench.methods.contract import check_method
    from tsmdbench.methods.emma import EMMA
    from tsmdbench.methods.gv import GVRePair, GVSequitur
    from tsmdbench.methods.latentmotifs import LatentMotifs
    from tsmdbench.methods.locomotif import LoCoMotif
    from tsmdbench.methods.mdl_clust import MDLClust
    from tsmdbench.methods.mmotifs import MMotifs
    from tsmdbench.methods.motiflets import Motiflets
    from tsmdbench.methods.mrmotif import MrMotif
    from tsmdbench.methods.panmp import PanMP
    from tsmdbench.methods.pepa import PEPA
    from tsmdbench.methods.random_walk_detector import RandomWalkDetector
    from tsmdbench.methods.setfinder import SetFinder
    from tsmdbench.methods.stomp import STOMP
    from tsmdbench.methods.valmod import VALMOD
    from tsmdbench.methods.vonsem import VONSEM

METHODS: Registry[Any] = Registry("method", group="tsmdbench.methods")

# Where `__getattr__` imports the names of `__all__` from.
_PLACES = {
    "Method": "tsmdbench.methods.base:Method",
    "check_method": "tsmdbench.methods.contract:check_method",
}

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
    _PLACES[_place.partition(":")[2]] = f"tsmdbench.methods.{_place}"

__all__ = [
    "APEPA",
    "EMMA",
    "METHODS",
    "PEPA",
    "STOMP",
    "VALMOD",
    "VONSEM",
    "GVRePair",
    "GVSequitur",
    "LatentMotifs",
    "LoCoMotif",
    "MDLClust",
    "MMotifs",
    "Method",
    "Motiflets",
    "MrMotif",
    "PanMP",
    "RandomWalkDetector",
    "SetFinder",
    "check_method",
]


def __getattr__(name: str) -> Any:
    """Import a class when it is first looked up: its kernels load numba."""
    if name not in _PLACES:
        raise AttributeError(f"module 'tsmdbench.methods' has no attribute {name!r}")
    loaded = globals()[name] = import_object(_PLACES[name], "method")
    return loaded


def __dir__() -> list[str]:
    """Return the public names, also of classes that are not imported yet."""
    return sorted(__all__)

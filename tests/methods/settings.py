"""One table of settings for every registered method, for problems of the contract.

`good` suits `tsmdbench.methods.contract.planted_problem` (patterns of 50 samples).
`lengths` and `radii` name the fields that are window lengths and radii. A method that
is registered without an entry here fails the tests.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    good: dict[str, Any]
    lengths: tuple[str, ...] = ("length",)
    radii: tuple[str, ...] = ()
    share: float = 0.75  # of the copies of a pattern that must be found
    optional: bool = False  # the lengths may be None
    own_length: bool = True  # needs two windows of its longest length


ENTRIES = {
    "apepa": Entry({"length": 40}),
    "auto": Entry({"length": 50}, optional=True),
    "gv_repair": Entry(
        {"window": 30, "word_length": 4, "alphabet_size": 3}, lengths=("window",)
    ),
    "gv_sequitur": Entry(
        {"window": 30, "word_length": 4, "alphabet_size": 3}, lengths=("window",)
    ),
    "locomotif": Entry(
        {"l_min": 40, "l_max": 60},
        lengths=("l_min", "l_max"),
        own_length=False,
    ),
    "mdl_clust": Entry({"l_min": 48, "l_max": 52}, lengths=("l_min", "l_max")),
    "mrmotif": Entry({"length": 50}, share=0.5),
    "pepa": Entry({"length": 40}),
    "random_walk_detector": Entry({"window": 50}, lengths=("window",), share=0.0),
    "emma": Entry({"length": 50, "radius": 2.0}, radii=("radius",)),
    "lama": Entry({"l_min": 48, "l_max": 52, "k_max": 6}, lengths=("l_min", "l_max")),
    "latentmotifs": Entry({"length": 50, "radius": 2.0}, radii=("radius",)),
    "mmotifs": Entry({"length": 50, "radius": 2.0}, radii=("radius",)),
    "motiflets": Entry(
        {"l_min": 48, "l_max": 52, "k_max": 6}, lengths=("l_min", "l_max")
    ),
    "panmp": Entry(
        {"l_min": 48, "l_max": 52},
        lengths=("l_min", "l_max"),
        radii=("radius_factor",),
    ),
    "setfinder": Entry({"length": 50, "radius": 2.0}, radii=("radius",)),
    "stomp": Entry({"length": 50}, radii=("radius_factor",)),
    "valmod": Entry(
        {"l_min": 48, "l_max": 52, "radius_factor": 3.0},
        lengths=("l_min", "l_max"),
        radii=("radius_factor",),
    ),
    "vonsem": Entry(
        {"l_min": 20, "radius": 1.0}, lengths=("l_min",), radii=("radius",)
    ),
}


def entry(name):
    """Return the entry of a method; a lifted method has the fields of its method."""
    return ENTRIES[name.removeprefix("sub_")]

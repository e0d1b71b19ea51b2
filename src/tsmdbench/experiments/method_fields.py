"""The two presets: values of the fields that neither data nor a search decides.

``paper``
    Every method as its public code behaves by default: what the paper's experiment was,
    as far as it can be known.
``best``
    What we recommend: methods repaired, sets that share no samples, members that do not
    overlap. They are the defaults of the classes.

Fields that follow from the data (`tsmdbench.experiments.settings`), that a search tries
(`tsmdbench.experiments.grids`), and the numbers of the channel and of threads are not
here; every other field of every method is. Where each value of ``paper`` comes from is
said in docs/experiments/presets.md. A method without an entry keeps the defaults of its
class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsmdbench.validation import check_choice

Fields = Mapping[str, Mapping[str, Any]]

_GRAMMAR = {
    "numerosity": "exact",
    "rank": "covered",
    "max_overlap": 0.5,
    "flat_threshold": 0.0,
}
_LATENT = {"seed": 0, "iterations": 100, "alpha": 1.0, "learning_rate": 0.1}
_LOCOMOTIF = {
    "overlap": 0.0,
    "start_mask": None,
    "end_mask": None,
    "normalize": "joint",
}
_MOTIFLETS = {"strategy": "elbow", "step": 1, "subsample": 2, "elbow_deviation": 1.0}
_MRMOTIF = {
    "resolution": None,
    "word_length": 8,
    "max_overlap": 0.5,
    "flat_threshold": 0.0,
    "compat": False,
}
_MDL_CLUST = {"step": None, "bits": 6, "neighbours": 10}
_PANMP = {"rank": "distance", "step": 1, "min_radius": 0.0, "disjoint": True}
_PEPA = {"neighbours": 5, "alpha": 10.0}
_STOMP = {"min_radius": 0.0, "disjoint": True}
_VALMOD = {"step": 1, "exclusion": 0.5, "min_radius": 0.0}
_VONSEM = {"scale_cap": 2.0, "pair_scale_cap": 1.0}

PAPER: Fields = {
    "emma": {"constant": "keep", "mode": "sax", "count": "apart", "disjoint": False},
    "mrmotif": {**_MRMOTIF, "constant": "keep", "disjoint": False},
    "setfinder": {"constant": "keep", "disjoint": False},
    "latentmotifs": {
        **_LATENT,
        "start": "noise",
        "restarts": 1,
        "anneal": 1.0,
        "disjoint": False,
    },
    "gv_sequitur": {**_GRAMMAR, "disjoint": False, "compat": False},
    "gv_repair": {**_GRAMMAR, "disjoint": False},
    "valmod": {**_VALMOD, "constant": "keep", "disjoint": False},
    "mmotifs": {
        "constant": "keep",
        "exclusion": 0.25,
        "max_matches": 10,
        "cutoff": "profile",
        "disjoint": False,
    },
    "vonsem": {**_VONSEM, "compat": True, "disjoint": False},
    "motiflets": {**_MOTIFLETS, "slack": 0.5, "disjoint": False},
    "locomotif": _LOCOMOTIF,
    "stomp": {**_STOMP, "constant": "keep"},
    "panmp": {**_PANMP, "constant": "keep"},
    "pepa": {**_PEPA, "compat": True},
    "apepa": {**_PEPA, "jump": 2, "compat": True},
    "mdl_clust": {**_MDL_CLUST, "max_operations": 50, "compat": True},
}

BEST: Fields = {
    "emma": {"constant": "skip", "mode": "exact", "count": "apart", "disjoint": True},
    "mrmotif": {**_MRMOTIF, "constant": "skip", "disjoint": True},
    "setfinder": {"constant": "skip", "disjoint": True},
    "latentmotifs": {
        **_LATENT,
        "start": "windows",
        "restarts": 4,
        "anneal": 2.0,
        "disjoint": True,
    },
    "gv_sequitur": {**_GRAMMAR, "disjoint": True, "compat": False},
    "gv_repair": {**_GRAMMAR, "disjoint": True},
    "valmod": {**_VALMOD, "constant": "skip", "disjoint": True},
    "mmotifs": {
        "constant": "skip",
        "exclusion": 1.0,
        "max_matches": None,
        "cutoff": None,
        "disjoint": True,
    },
    "vonsem": {**_VONSEM, "compat": False, "disjoint": True},
    "motiflets": {**_MOTIFLETS, "slack": 1.0, "disjoint": True},
    "locomotif": _LOCOMOTIF,
    "stomp": {**_STOMP, "constant": "skip"},
    "panmp": {**_PANMP, "constant": "skip"},
    "pepa": {**_PEPA, "compat": False},
    "apepa": {**_PEPA, "jump": 2, "compat": False},
    "mdl_clust": {**_MDL_CLUST, "max_operations": 200, "compat": False},
}

PRESETS: Mapping[str, Fields] = {"paper": PAPER, "best": BEST}
GRIDS: Mapping[str, str] = {"paper": "paper", "best": "powers"}  # which grid of each


def preset_params(name: str) -> dict[str, dict[str, Any]]:
    """Return the fields of a preset, as ``Specification(params=...)`` takes them.

    Parameters
    ----------
    name : {"paper", "best"}

    Examples
    --------
    >>> preset_params("paper")["setfinder"]
    {'disjoint': False}
    """
    check_choice(name, "preset", tuple(PRESETS))
    return {method: dict(fields) for method, fields in PRESETS[name].items()}


def added_params(first: Fields, second: Fields) -> dict[str, dict[str, Any]]:
    """Return the fields of both by method; those of the second go before.

    >>> added_params({"emma": {"mode": "sax"}}, {"emma": {"radius": 2.0}, "stomp": {}})
    {'emma': {'mode': 'sax', 'radius': 2.0}, 'stomp': {}}
    """
    return {
        method: {**first.get(method, {}), **second.get(method, {})}
        for method in dict.fromkeys([*first, *second])
    }

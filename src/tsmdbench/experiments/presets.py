"""Experiments that have a name: ``tsmdbench run demo | quick | paper``."""

from __future__ import annotations

from typing import Any

from tsmdbench.errors import InputError

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


def preset(name: str) -> dict[str, Any]:
    """Return the options of `Specification` that a name stands for.

    ``demo``
        JapaneseVowels, the eleven methods, tuned on 50 problems and tested on 50:
        minutes.
    ``quick``
        All 14 datasets and the eleven methods with the settings of the data, not tuned,
        on the first 5 problems each.
    ``paper``
        Everything, tuned on 50 problems and tested on 200 of each dataset.
    """
    from tsmdbench.benchmark import DATASETS

    known: dict[str, dict[str, Any]] = {
        "demo": {"datasets": ("JapaneseVowels",), "tune": True, "limit": 50},
        "quick": {"datasets": tuple(DATASETS), "limit": 5},
        "paper": {"datasets": tuple(DATASETS), "tune": True},
    }
    if name not in known:
        raise InputError(f"no preset {name!r}; known: {', '.join(known)}")
    return {"methods": PAPER_METHODS, **known[name]}

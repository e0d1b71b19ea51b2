"""Experiments that have a name: ``tsmdbench run demo | quick | paper``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tsmdbench.errors import DataError, DownloadError, InputError

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
        All 14 datasets and the eleven methods, tuned on 10 problems and tested on 30 of
        each dataset.
    ``paper``
        Everything, tuned on 50 problems and tested on 200 of each dataset.

    A dataset that is not here and cannot be downloaded is left out by `obtainable`.
    """
    from tsmdbench.benchmark import DATASETS

    known: dict[str, dict[str, Any]] = {
        "demo": {"datasets": ("JapaneseVowels",), "tune": True, "limit": 50},
        "quick": {
            "datasets": tuple(DATASETS),
            "tune": True,
            "limit": 30,
            "limit_validation": 10,
        },
        "paper": {"datasets": tuple(DATASETS), "tune": True},
    }
    if name not in known:
        raise InputError(f"no preset {name!r}; known: {', '.join(known)}")
    return {"methods": PAPER_METHODS, **known[name]}


def obtainable(datasets: Sequence[str], told: Callable[[str], None]) -> tuple[str, ...]:
    """Return the datasets that are here or can be downloaded; tell of the others.

    Raises
    ------
    DataError
        There is none, or one is here but damaged.
    """
    from tsmdbench.archive.download import download
    from tsmdbench.archive.places import locate

    here = []
    for name in datasets:
        if locate(name) is None:
            try:
                told(f"{name} is not here; downloading it ...")
                download(name, pauses=())
            except DownloadError as reason:
                told(f"left out: {reason}")
                continue
        here.append(name)
    if not here:
        raise DataError("none of the datasets is here or can be downloaded")
    return tuple(here)

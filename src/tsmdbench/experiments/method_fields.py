"""The two presets: values of the fields that neither data nor a search decides.

``paper``
    Every method as its public code behaves by default: what the paper's experiment was,
    as far as it can be known. The class attribute `paper` of a method has the values,
    and docs/experiments/presets.md says where each comes from.
``best``
    What we recommend: methods repaired, sets that share no samples, members that do not
    overlap. They are the defaults of the classes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsmdbench.methods import METHODS
from tsmdbench.validation import check_choice

Fields = Mapping[str, Mapping[str, Any]]

PRESETS = ("paper", "best")
GRIDS: Mapping[str, str] = {"paper": "paper", "best": "powers"}  # which grid of each


def preset_params(name: str) -> dict[str, dict[str, Any]]:
    """Return the fields of a preset, as ``Specification(params=...)`` takes them.

    Parameters
    ----------
    name : {"paper", "best"}

    Examples
    --------
    >>> preset_params("paper")["setfinder"]
    {'constant': 'keep', 'disjoint': False}
    """
    check_choice(name, "preset", PRESETS)
    if name == "best":
        return {}
    every = {method: dict(METHODS[method].paper) for method in METHODS.added()}
    return {method: fields for method, fields in every.items() if fields}


def added_params(first: Fields, second: Fields) -> dict[str, dict[str, Any]]:
    """Return the fields of both by method; those of the second go before.

    >>> added_params({"emma": {"mode": "sax"}}, {"emma": {"radius": 2.0}, "stomp": {}})
    {'emma': {'mode': 'sax', 'radius': 2.0}, 'stomp': {}}
    """
    return {
        method: {**first.get(method, {}), **second.get(method, {})}
        for method in dict.fromkeys([*first, *second])
    }

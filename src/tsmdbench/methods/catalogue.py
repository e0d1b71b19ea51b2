"""The table of methods, read from the classes: what each can do and what it asks for.

>>> for row in catalogue(["mmotifs", "valmod"]):
...     print(row.name, row.variable_length, row.multivariate, row.parameters)
mmotifs no True ('length', 'radius')
valmod inter False ('l_min', 'l_max', 'radius_factor')
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, NamedTuple

from tsmdbench.methods import METHODS
from tsmdbench.methods.base import fields_of


class MethodFacts(NamedTuple):
    """One row of the table; a fact is None where a class does not declare it."""

    name: str
    method: str
    variable_length: str | None
    multivariate: bool | None
    symbolic: bool | None
    parameters: tuple[str, ...]
    options: dict[str, Any]
    summary: str


def catalogue(names: Iterable[str] | None = None) -> list[MethodFacts]:
    """Return the facts of the named methods, of all registered ones by default."""
    return [
        facts(name, METHODS[name]) for name in (METHODS if names is None else names)
    ]


def facts(name: str, cls: Any) -> MethodFacts:
    """Read the facts of one class.

    Parameters are the fields without a default, options those with one.
    """
    fields = fields_of(cls) if dataclasses.is_dataclass(cls) else []
    missing = dataclasses.MISSING
    univariate = getattr(cls, "univariate", None)
    return MethodFacts(
        name=name,
        method=cls.__name__,
        variable_length=getattr(cls, "variable_length", None),
        multivariate=None if univariate is None else not univariate,
        symbolic=getattr(cls, "symbolic", None),
        parameters=tuple(f.name for f in fields if f.default is missing),
        options={f.name: f.default for f in fields if f.default is not missing},
        summary=(cls.__doc__ or "").strip().split("\n")[0],
    )

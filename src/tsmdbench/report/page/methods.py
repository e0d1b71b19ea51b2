"""What the methods of a report can do, as the paper's table of methods has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tsmdbench.methods.facts import Declared
from tsmdbench.report.figures.properties import method_facts

LENGTHS = {"no": "fixed length", "inter": "between sets", "intra": "within sets"}


class Properties(NamedTuple):
    """Facts of a method; empty where they are not known."""

    lengths: str
    multivariate: bool | None
    symbolic: bool | None

    @property
    def words(self) -> str:
        """The properties in words."""
        if not self.lengths:
            return "not known"
        parts = [LENGTHS[self.lengths]]
        if self.multivariate is not None:
            parts.append("multivariate" if self.multivariate else "univariate")
        if self.symbolic is not None:
            parts.append("symbolic" if self.symbolic else "real-valued")
        return ", ".join(parts)


def properties(
    method: str, declared: Mapping[str, Declared] | None = None
) -> Properties:
    """Return the facts of a method of the package, or those that a store has noted.

    Examples
    --------
    >>> properties("locomotif").words
    'within sets, multivariate, real-valued'
    >>> properties("my.module:Method").words
    'not known'
    """
    found = method_facts(method, declared)
    if found is None or found.variable_length not in LENGTHS:
        return Properties("", None, None)
    return Properties(found.variable_length, found.multivariate, found.symbolic)

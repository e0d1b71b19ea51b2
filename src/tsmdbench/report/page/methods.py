"""What the methods of a report can do, as the paper's table of methods has it."""

from __future__ import annotations

from typing import NamedTuple

from tsmdbench.report.figures.properties import method_facts, method_group

LENGTHS = {"no": "fixed length", "inter": "between sets", "intra": "within sets"}


class Properties(NamedTuple):
    """Facts of a method; empty where the package does not know it."""

    lengths: str
    multivariate: bool | None
    symbolic: bool | None
    group: int  # place in `tsmdbench.report.figures.properties.GROUPS`

    @property
    def words(self) -> str:
        """The properties in words."""
        if not self.lengths:
            return "not known"
        channels = "multivariate" if self.multivariate else "univariate"
        symbols = "symbolic" if self.symbolic else "real-valued"
        return f"{LENGTHS[self.lengths]}, {channels}, {symbols}"


def properties(method: str) -> Properties:
    """Return the facts of a method of the package; nothing is imported for others.

    Examples
    --------
    >>> properties("locomotif").words
    'within sets, multivariate, real-valued'
    >>> properties("my.module:Method").words
    'not known'
    """
    found, group = method_facts(method), method_group(method)
    if found is None or found.variable_length not in LENGTHS:
        return Properties("", None, None, group)
    return Properties(
        found.variable_length, found.multivariate, bool(found.symbolic), group
    )

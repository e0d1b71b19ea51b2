"""What the methods of a report can do, as the paper's table of methods has it."""

from __future__ import annotations

from typing import Any, NamedTuple

# Groups of methods by property, for the hue of boxes and points.
GROUPS = (
    "fixed length",
    "fixed length, symbolic",
    "length differs between sets",
    "length differs within sets",
    "not known",
)
LENGTHS = {
    "no": GROUPS[0],
    "inter": GROUPS[2],
    "intra": GROUPS[3],
}


class Properties(NamedTuple):
    """Facts of a method; empty where the package does not know it."""

    lengths: str
    multivariate: bool | None
    symbolic: bool | None

    @property
    def group(self) -> int:
        """Position in `GROUPS`."""
        if not self.lengths:
            return GROUPS.index("not known")
        if self.lengths == "no" and self.symbolic:
            return 1
        return GROUPS.index(LENGTHS[self.lengths])

    @property
    def words(self) -> str:
        """The properties in words."""
        if not self.lengths:
            return "not known"
        kinds = {"no": "fixed length", "inter": "between sets", "intra": "within sets"}
        channels = "multivariate" if self.multivariate else "univariate"
        symbols = "symbolic" if self.symbolic else "real-valued"
        return f"{kinds[self.lengths]}, {channels}, {symbols}"


def properties(method: str) -> Properties:
    """Return the facts of a method of the package; nothing is imported for others.

    Examples
    --------
    >>> properties("locomotif").words
    'within sets, multivariate, real-valued'
    >>> properties("my.module:Method").words
    'not known'
    """
    from tsmdbench.methods import METHODS

    if method not in METHODS:
        return Properties("", None, None)
    cls: Any = METHODS[method]
    lengths = getattr(cls, "variable_length", "")
    if lengths not in LENGTHS:
        return Properties("", None, None)
    return Properties(lengths, not cls.univariate, bool(cls.symbolic))

"""What a metric is: a name, a function, and stated properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

# The columns of the table of properties, in its order.
PROPERTIES = (
    "variable length",
    "several sets",
    "any cardinality",
    "false-positive sets",
    "false-negative sets",
    "false-positive motifs",
    "false-negative motifs",
    "independent of order",
    "bounded",
    "counts a motif once",
)

Family = Literal["prom", "correctness", "score", "ranged", "pair_overlap", "single_set"]
NOT_APPLICABLE: Literal["n/a"] = "n/a"
Cell = bool | Literal["n/a"]


@dataclass(frozen=True)
class Metric:
    """One number that compares found motif sets with the true ones.

    Calling it evaluates it: ``METRICS["prom_f1"](truth, found)``.

    Parameters
    ----------
    name : str
        Its key in `METRICS`, and its column in a table.
    family : str
        Metrics of one family are computed together.
    higher_is_better : bool
        False for a cost.
    lowest, highest : float
        The range of the value; infinite where it has no bound.
    empty : str
        The value when nothing was found.
    formula : str
        The definition in one line.
    reference : str
        Where it comes from.
    options : tuple of str
        Options that it understands.
    strictest : mapping
        Options with which it punishes as much as it can; the table of properties is
        made with them.
    general : bool
        It takes several sets of any cardinality, and is computed by default.
    properties : mapping
        For each of `PROPERTIES` whether it holds, or "n/a" where the metric is not
        defined for the cases that would show it. Tests prove every entry.
    """

    name: str
    family: Family
    higher_is_better: bool
    lowest: float
    highest: float
    empty: str
    formula: str
    reference: str
    options: tuple[str, ...] = ()
    strictest: Mapping[str, Any] = field(default_factory=dict)
    general: bool = True
    properties: Mapping[str, Cell] = field(default_factory=dict)

    def __call__(self, truth: Any, found: Any, **options: Any) -> float:
        """Return the value of this metric for one truth and one found."""
        from tsmdbench.metrics.evaluate import evaluate

        return evaluate(truth, found, [self.name], **options)[self.name]

"""The class of a metric: a name, a function, and stated properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputTypeError
from tsmdbench.types import MotifSets
from tsmdbench.validation import check_motif_sets, check_options, check_truth

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

NOT_APPLICABLE: Literal["n/a"] = "n/a"
Cell = bool | Literal["n/a"]
Function = Callable[..., float]
BatchForm = Callable[..., Mapping[str, NDArray[np.float64]]]


@dataclass(frozen=True)
class Metric:
    """One number that compares found motif sets with the true ones.

    Calling it evaluates it: ``METRICS["prom_f1"](truth, found)``.

    Parameters
    ----------
    name : str
        Its key in `METRICS`, and its column in a table.
    function : callable ``(truth, found, **options) -> float``
        Computes it for one problem. It gets checked input, and those of `options`
        that were given: truth as a mapping from label to `tsmdbench.MotifSet`, found
        as a list of them. Where it is not defined it raises `ValueError`.
    batch : callable ``(batch, **options) -> mapping``, optional
        Computes it for many problems at once: metric name to float64 array with one
        value per problem. Metrics with the same batch form are computed together, so
        it may return the values of several. It must agree with `function` to the
        last bit. Without it, `function` is called for each problem. The batch,
        `tsmdbench.metrics.batch.Batch`, may change between versions.
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
        Options with which it penalises most errors; used for the table of properties.
    general : bool
        It takes several sets of any cardinality.
    version : int
        Raise it when the values change: scores that are kept of another version are
        computed again.
    properties : mapping
        For each of `PROPERTIES` whether it holds, or "n/a" where the metric is not
        defined for the cases that would show it. Tests prove every entry of the
        metrics of this package.

    Examples
    --------
    The share of true sets that have a found set of the same size:

    >>> def sizes_found(truth, found):
    ...     sizes = {len(motifs) for motifs in found}
    ...     return sum(len(motifs) in sizes for motifs in truth.values()) / len(truth)
    >>> metric = Metric("sizes_found", sizes_found)
    >>> metric([[(0, 10), (20, 30)], [(40, 50)]], [[(70, 80)]])
    0.5
    """

    name: str
    function: Function
    batch: BatchForm | None = None
    higher_is_better: bool = True
    lowest: float = -inf
    highest: float = inf
    empty: str = ""
    formula: str = ""
    reference: str = ""
    options: tuple[str, ...] = ()
    strictest: Mapping[str, Any] = field(default_factory=dict)
    general: bool = True
    version: int = 1
    properties: Mapping[str, Cell] = field(default_factory=dict)

    def __call__(self, truth: Any, found: Any, **options: Any) -> float:
        """Return the value of this metric for one truth and one found."""
        check_options(options, self.options, self.name)
        return self.value(
            check_truth(truth), check_motif_sets(found, "found"), **options
        )

    def value(self, truth: MotifSets, found: MotifSets, **options: Any) -> float:
        """Return the value for input that was checked."""
        labelled = dict(zip(truth.labels, truth.sets, strict=True))
        value = self.function(labelled, list(found.sets), **options)
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InputTypeError(
                f"metric {self.name!r} returned {value!r}; its function must return "
                f"one number"
            ) from None


def as_metric(given: Any, name: str | None = None) -> Metric:
    """Return a metric as it is, and a plain function as a metric of its name."""
    if isinstance(given, Metric):
        return given
    if not callable(given):
        named = "" if name is None else f" {name!r}"
        raise InputTypeError(
            f"metric{named} must be a name, a Metric or a function, got {given!r}"
        )
    if name is None:
        name = str(getattr(given, "__name__", type(given).__name__))
    return Metric(name, given)

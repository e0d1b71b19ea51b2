"""The class of a metric, and the registry `METRICS` of all metrics of the package.

A metric is a name, a function, and stated properties; tests prove every property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from math import inf
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputTypeError
from tsmdbench.metrics.correctness import correctness, correctness_of
from tsmdbench.metrics.pair_overlap import pair_overlap
from tsmdbench.metrics.prom import prom, prom_of
from tsmdbench.metrics.ranged import ranged, ranged_of
from tsmdbench.metrics.score import score, score_of
from tsmdbench.metrics.single_set import single_set, single_set_of
from tsmdbench.metrics.subspace import subspace_prom
from tsmdbench.registry import Registry
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
    by_channel : bool
        It compares channels too, so that true sets may overlap in time where they share
        no channel. It is computed when it is named.
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
    by_channel: bool = False
    version: int = 1
    properties: Mapping[str, Cell] = field(default_factory=dict)

    def __call__(self, truth: Any, found: Any, **options: Any) -> float:
        """Return the value of this metric for one truth and one found."""
        check_options(options, self.options, self.name)
        sets = check_truth(truth, by_channel=self.by_channel)
        return self.value(sets, check_motif_sets(found, "found"), **options)

    def value(self, truth: MotifSets, found: MotifSets, **options: Any) -> float:
        """Return the value for validated input."""
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
    """Return a `Metric`, wrapping a plain function under its name."""
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


METRICS: Registry[Metric] = Registry(
    "metric", group="tsmdbench.metrics", convert=as_metric
)

PAPER = "Van Wesenbeeck et al. 2024, arXiv:2412.09346"
PROM_OPTIONS = ("threshold", "penalize_off_target")
OFF_TARGET = {"penalize_off_target": True}


def _part(truth: Any, found: Any, *, of: Any, part: str, **options: Any) -> float:
    """Call `of` and return one attribute of its result."""
    return attrgetter(part)(of(truth, found, **options))  # type: ignore[no-any-return]


def _claims(text: str) -> dict[str, Cell]:
    """Read one row of claims: + holds, - does not, . not applicable."""
    cells: dict[str, Cell] = {"+": True, "-": False, ".": "n/a"}
    marks = text.split()
    return {name: cells[mark] for name, mark in zip(PROPERTIES, marks, strict=True)}


def _add(
    name: str,
    function: Function,
    formula: str,
    reference: str,
    claims: str,
    **fields: Any,
) -> None:
    """Register a metric; unless `fields` say otherwise it lies in [0, 1]."""
    known = {"lowest": 0.0, "highest": 1.0, "empty": "0.0", **fields}
    known |= {"formula": formula, "reference": reference, "properties": _claims(claims)}
    METRICS.add(name, Metric(name, function, **known))


# The order of the marks is that of PROPERTIES: variable length, several sets, any
# cardinality | false-positive sets, false-negative sets, false-positive motifs,
# false-negative motifs | independent of order, bounded, counts a motif once.
_PROM = [
    (f"{kind}{value}", f"{mean}.{value}", f"{formula}, {text}", row)
    for kind, mean, text in (
        ("", "micro", "over all motifs"),
        ("macro_", "macro", "mean over sets"),
    )
    for value, formula, row in (
        ("precision", "TP / (TP + FP)", "+ + +  + - + -  + + +"),
        ("recall", "TP / (TP + FN)", "+ + +  - + - +  + + +"),
        ("f1", "2 P R / (P + R)", "+ + +  + + + +  + + +"),
    )
]
for _name, _path, _formula, _row in _PROM:
    _add(
        f"prom_{_name}",
        partial(_part, of=prom, part=_path),
        _formula,
        PAPER,
        _row,
        batch=prom_of,
        options=PROM_OPTIONS,
        strictest=OFF_TARGET,
    )
    _add(
        f"subspace_prom_{_name}",
        partial(_part, of=subspace_prom, part=_path),
        f"{_formula}, channels compared",
        "package SubTSMD, 2026",
        _row,
        options=("tau", *PROM_OPTIONS, "n_channels"),
        strictest=OFF_TARGET,
        by_channel=True,
    )
for _name, _normalize, _divisor, _row in (
    ("correctness_m", "matched", "1/m", "+ + +  - - - +  + - -"),
    ("correctness_g", "truth", "1/g", "+ + +  - + - +  + - -"),
):
    _add(
        _name,
        partial(correctness, normalize=_normalize),  # type: ignore[arg-type]
        f"{_divisor} sum over pairs of (sum of overlap rates above t) / |G|",
        f"{PAPER}, section 6.1",
        _row,
        batch=correctness_of,
        highest=inf,
        options=("threshold",),
    )
_add(
    "score",
    score,
    "min over matchings: sum |start differences| + lengths of unmatched motifs",
    "Bagnall, Hills, Lines 2014, arXiv:1407.3685",
    "- + +  + + + +  + - +",
    batch=score_of,
    higher_is_better=False,
    highest=inf,
    empty="sum of the lengths of the true motifs",
    options=("penalize_off_target",),
    strictest=OFF_TARGET,
)
for _kind, _average, _text in (
    ("", "macro", "mean over true sets"),
    ("weighted_", "weighted", "mean by motifs"),
):
    for _value, _formula, _row in (
        ("precision", "found motifs overlapped > share / |M|", "- + +  - + + -  + + +"),
        ("recall", "true motifs overlapped > share / |G|", "- + +  - + - +  + + +"),
        ("f1", "2 P R / (P + R) per pair of sets", "+ + +  - + + +  + + +"),
    ):
        _add(
            f"ranged_{_kind}{_value}",
            partial(_part, of=ranged, part=_value, average=_average),
            f"{_formula}, {_text}",
            "package tsmd 0.1.4, event-based scores",
            _row,
            batch=ranged_of,
            options=("share",),
        )
for _name, _relative_to, _divisor, _reference, _row in (
    (
        "pair_overlap_gao",
        "union",
        "|a u b|",
        "Gao, Lin 2018, doi:10.1007/s10618-018-0570-1",
        "+ + -  - + . +  + + .",
    ),
    (
        "pair_overlap_nunthanid",
        "truth",
        "|b|",
        "Nunthanid, Niennattrakul, Ratanamahatana 2012",
        "- + -  - + . +  + + .",
    ),
):
    _add(
        _name,
        partial(pair_overlap, relative_to=_relative_to),  # type: ignore[arg-type]
        f"mean over true pairs of |a n b| / {_divisor}, greedy matching",
        _reference,
        _row,
        general=False,
    )
for _kind, _similar, _text in (
    ("", "half", "overlap > half"),
    ("sample_", "sample", "one common sample"),
):
    for _value, _formula, _row in (
        ("precision", "matched found motifs / |M|", "+ - +  . . + -  + + +"),
        ("recall", "matched true motifs / |G|", "+ - +  . . - +  + + +"),
        ("f1", "2 P R / (P + R)", "+ - +  . . + +  + + +"),
    ):
        _add(
            f"single_set_{_kind}{_value}",
            partial(_part, of=single_set, part=_value, similar=_similar),
            f"{_formula}, similar: {_text}",
            "Bagnall et al. 2014; Dau, Keogh 2017; Schäfer, Leser 2022",
            _row if not _kind else _row.replace("+ - +", "- - +", 1),
            batch=single_set_of,
            general=False,
        )

"""All metrics of the package, with what is claimed of each: the registry `METRICS`."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from tsmdbench.metrics.metric import PROPERTIES, Cell, Family, Metric
from tsmdbench.registry import Registry

METRICS: Registry[Metric] = Registry("metric", group="tsmdbench.metrics")

PAPER = "Van Wesenbeeck et al. 2024, arXiv:2412.09346"
PROM_OPTIONS = ("threshold", "penalize_off_target")
OFF_TARGET = {"penalize_off_target": True}


def _claims(text: str) -> dict[str, Cell]:
    """Read one row of claims: + holds, - does not, . not applicable."""
    cells: dict[str, Cell] = {"+": True, "-": False, ".": "n/a"}
    marks = text.split()
    return {name: cells[mark] for name, mark in zip(PROPERTIES, marks, strict=True)}


def _add(
    name: str,
    family: Family,
    formula: str,
    reference: str,
    claims: str,
    *,
    higher_is_better: bool = True,
    highest: float = 1.0,
    empty: str = "0.0",
    options: tuple[str, ...] = (),
    strictest: Mapping[str, object] | None = None,
    general: bool = True,
) -> None:
    METRICS.add(
        name,
        Metric(
            name=name,
            family=family,
            higher_is_better=higher_is_better,
            lowest=0.0,
            highest=highest,
            empty=empty,
            formula=formula,
            reference=reference,
            options=options,
            strictest=strictest or {},
            general=general,
            properties=_claims(claims),
        ),
    )


# The order of the marks is that of PROPERTIES: variable length, several sets, any
# cardinality | false-positive sets, false-negative sets, false-positive motifs,
# false-negative motifs | independent of order, bounded, counts a motif once.
for _kind, _mean in (("", "over all motifs"), ("macro_", "mean over sets")):
    for _value, _formula, _row in (
        ("precision", "TP / (TP + FP)", "+ + +  + - + -  + + +"),
        ("recall", "TP / (TP + FN)", "+ + +  - + - +  + + +"),
        ("f1", "2 P R / (P + R)", "+ + +  + + + +  + + +"),
    ):
        _add(
            f"prom_{_kind}{_value}",
            "prom",
            f"{_formula}, {_mean}",
            PAPER,
            _row,
            options=PROM_OPTIONS,
            strictest=OFF_TARGET,
        )
_add(
    "correctness_m",
    "correctness",
    "1/m sum over pairs of (sum of overlap rates above t) / |G|",
    f"{PAPER}, section 6.1",
    "+ + +  - - - +  + - -",
    highest=inf,
    options=("threshold",),
)
_add(
    "correctness_g",
    "correctness",
    "1/g sum over pairs of (sum of overlap rates above t) / |G|",
    f"{PAPER}, section 6.1",
    "+ + +  - + - +  + - -",
    highest=inf,
    options=("threshold",),
)
_add(
    "score",
    "score",
    "min over matchings: sum |start differences| + lengths of unmatched motifs",
    "Bagnall, Hills, Lines 2014, arXiv:1407.3685",
    "- + +  + + + +  + - +",
    higher_is_better=False,
    highest=inf,
    empty="sum of the lengths of the true motifs",
    options=("penalize_off_target",),
    strictest=OFF_TARGET,
)
for _kind, _mean in (("", "mean over true sets"), ("weighted_", "mean by motifs")):
    for _value, _formula, _row in (
        ("precision", "found motifs overlapped > share / |M|", "- + +  - + + -  + + +"),
        ("recall", "true motifs overlapped > share / |G|", "- + +  - + - +  + + +"),
        ("f1", "2 P R / (P + R) per pair of sets", "+ + +  - + + +  + + +"),
    ):
        _add(
            f"ranged_{_kind}{_value}",
            "ranged",
            f"{_formula}, {_mean}",
            "package tsmd 0.1.4, event-based scores",
            _row,
            options=("share",),
        )
for _name, _formula, _reference, _row in (
    (
        "pair_overlap_gao",
        "mean over true pairs of |a n b| / |a u b|, greedy matching",
        "Gao, Lin 2018, doi:10.1007/s10618-018-0570-1",
        "+ + -  - + . +  + + .",
    ),
    (
        "pair_overlap_nunthanid",
        "mean over true pairs of |a n b| / |b|, greedy matching",
        "Nunthanid, Niennattrakul, Ratanamahatana 2012",
        "- + -  - + . +  + + .",
    ),
):
    _add(_name, "pair_overlap", _formula, _reference, _row, general=False)
for _kind, _similar in (("", "overlap > half"), ("sample_", "one common sample")):
    for _value, _formula, _row in (
        ("precision", "matched found motifs / |M|", "+ - +  . . + -  + + +"),
        ("recall", "matched true motifs / |G|", "+ - +  . . - +  + + +"),
        ("f1", "2 P R / (P + R)", "+ - +  . . + +  + + +"),
    ):
        _add(
            f"single_set_{_kind}{_value}",
            "single_set",
            f"{_formula}, similar: {_similar}",
            "Bagnall et al. 2014; Dau, Keogh 2017; Schäfer, Leser 2022",
            _row if not _kind else _row.replace("+ - +", "- - +", 1),
            general=False,
        )

"""Properties of metrics: the paper's overview table, computed from test cases.

Every cell of the table is the outcome of the named cases `CASES`, evaluated with the
strictest options of the metric. `check_metric` prints the same scorecard for a metric
of your own.

A case says what it shows: one of `PROPERTIES`. A metric has a property when it passes
every case that shows it and that it is defined for. To pass, the value of what was
found must be worse than that of the better answer (`against`, by default the truth
itself), or, where `strict` is False, not better than it. Cases that show nothing serve
the properties that every case tests: independence of order, and bounds.

The sets have two motifs wherever the point can be made with pairs, and there is one
set wherever it can be made with one, so that the metrics for pairs and for single
sets take part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tsmdbench.errors import InputError, InputTypeError, InternalError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.metrics.evaluate import evaluate
from tsmdbench.metrics.metric import METRICS, NOT_APPLICABLE, PROPERTIES, Cell, Metric

Segments = list[tuple[int, int]]
Sets = dict[str, Segments]


@dataclass(frozen=True)
class Case:
    """Test case: truth, found sets, and the property that they demonstrate."""

    name: str
    shows: str
    truth: Sets
    found: list[Segments]
    against: list[Segments] | None = None
    strict: bool = True

    @property
    def better(self) -> list[Segments]:
        """What found is compared with."""
        return list(self.truth.values()) if self.against is None else self.against


A = [(0, 20), (100, 120)]
B = [(200, 230), (300, 330)]
C = [(400, 412), (440, 452)]
FAR = [(900, 920), (950, 970)]
FARTHER = [(1100, 1130), (1200, 1230)]
FOUR = [(0, 20), (100, 120), (600, 620), (700, 720)]
FIVE = [*FOUR, (800, 820)]
ONE: Sets = {"a": A}
TWO: Sets = {"a": A, "b": B}
THREE: Sets = {"a": A, "b": B, "c": C}


def _moved(segments: Segments, samples: int) -> Segments:
    return [(start + samples, end + samples) for start, end in segments]


def _stretched(segments: Segments, factor: float, anchor: float = 0.0) -> Segments:
    """Scale lengths; `anchor` 0 keeps the start, 0.5 the centre."""
    stretched = []
    for start, end in segments:
        length = round((end - start) * factor)
        begin = start - round((length - (end - start)) * anchor)
        stretched.append((begin, begin + length))
    return stretched


LENGTHS = "variable length"
SETS = "several sets"
SIZES = "any cardinality"
FALSE_SETS = "false-positive sets"
LOST_SETS = "false-negative sets"
FALSE_MOTIFS = "false-positive motifs"
LOST_MOTIFS = "false-negative motifs"
ONCE = "counts a motif once"

CASES: tuple[Case, ...] = (
    Case("right start, half the length", LENGTHS, ONE, [_stretched(A, 0.5)]),
    Case("right start, a quarter of the length", LENGTHS, ONE, [_stretched(A, 0.25)]),
    Case("right start, twice the length", LENGTHS, ONE, [_stretched(A, 2)]),
    Case("right start, four times the length", LENGTHS, ONE, [_stretched(A, 4)]),
    Case("right end, twice the length", LENGTHS, {"b": B}, [_stretched(B, 2, 1.0)]),
    Case(
        "right centre, three times as long", LENGTHS, {"b": B}, [_stretched(B, 3, 0.5)]
    ),
    Case("one motif too long", LENGTHS, ONE, [[A[0], *_stretched(A[1:], 3)]]),
    Case("one motif exchanged between sets", SETS, TWO, [[A[0], B[0]], [A[1], B[1]]]),
    Case(
        "three sets, each with a motif of the next",
        SETS,
        THREE,
        [[A[0], B[1]], [B[0], C[1]], [C[0], A[1]]],
    ),
    Case("one of two sets wrong", SETS, TWO, [A, FAR]),
    Case("a set of five", SIZES, {"a": FIVE}, [FIVE[:4] + FAR[:1]]),
    Case("a set of four", SIZES, {"a": FOUR}, [FOUR[:3] + FAR[:1]]),
    Case("a single motif", SIZES, {"a": A[:1]}, [FAR[:1]]),
    Case("ten motifs", SIZES, {"a": [(30 * k, 30 * k + 20) for k in range(10)]}, [FAR]),
    Case("extra set elsewhere", FALSE_SETS, ONE, [A, FAR]),
    Case("extra set beside two right ones", FALSE_SETS, TWO, [A, B, FAR]),
    Case("two extra sets", FALSE_SETS, ONE, [A, FAR, FARTHER]),
    Case("extra set between the motifs", FALSE_SETS, ONE, [A, [(40, 60), (70, 90)]]),
    Case("set found twice", FALSE_SETS, ONE, [A, A]),
    Case("set found again, shifted by 51 %", FALSE_SETS, ONE, [A, _moved(A, 11)]),
    Case(
        "ten extra sets",
        FALSE_SETS,
        ONE,
        [A, *([(k, k + 9), (k + 50, k + 59)] for k in range(900, 910))],
    ),
    Case("one of two sets missing", LOST_SETS, TWO, [A]),
    Case("two of three sets missing", LOST_SETS, THREE, [B]),
    Case("one of three sets missing", LOST_SETS, THREE, [A, B]),
    Case("the smallest set missing", LOST_SETS, {"a": FIVE, "b": B, "c": C}, [FIVE, B]),
    Case("extra motif elsewhere", FALSE_MOTIFS, ONE, [[*A, FAR[0]]]),
    Case("five extra motifs", FALSE_MOTIFS, ONE, [A + FAR + FARTHER + [(1300, 1320)]]),
    Case("extra motif that touches a right one", FALSE_MOTIFS, ONE, [[*A, (20, 40)]]),
    Case("extra motif among five", FALSE_MOTIFS, {"a": FIVE}, [[*FIVE, FAR[0]]]),
    Case(
        "extra motif in each of two sets",
        FALSE_MOTIFS,
        TWO,
        [[*A, FAR[0]], [*B, FAR[1]]],
    ),
    Case("set with the motifs of another set too", FALSE_MOTIFS, TWO, [A + B, B]),
    Case("one of two motifs elsewhere", LOST_MOTIFS, ONE, [[A[0], FAR[0]]]),
    Case("one of two motifs missing", LOST_MOTIFS, ONE, [A[:1]]),
    Case("one of five motifs missing", LOST_MOTIFS, {"a": FIVE}, [FIVE[:4]]),
    Case("four of five motifs missing", LOST_MOTIFS, {"a": FIVE}, [FIVE[:1]]),
    Case("one motif missing in each of two sets", LOST_MOTIFS, TWO, [A[:1], B[:1]]),
    Case("nothing found", LOST_MOTIFS, ONE, []),
    Case("set split into two", LOST_MOTIFS, {"a": FOUR}, [FOUR[:2], FOUR[2:]]),
    Case("motif found twice", ONCE, ONE, [[*A, A[0]]], strict=False),
    Case("every motif found three times", ONCE, ONE, [A * 3], strict=False),
    Case(
        "motif found again, shifted by 10 %", ONCE, ONE, [[*A, (2, 22)]], strict=False
    ),
    Case("half found, but twice", ONCE, ONE, [[A[0]] * 2], [A[:1]], strict=False),
    Case(
        "half found, ten times",
        ONCE,
        {"a": FOUR},
        [FOUR[:2] * 10],
        [FOUR[:2]],
        strict=False,
    ),
    Case("one set", "", ONE, [A]),
    Case("three sets", "", THREE, [C, A, B]),
    Case("shifted by 10 %", "", ONE, [_moved(A, 2)]),
    Case("shifted by 49 %", "", {"b": B}, [_moved(B, 15)]),
    Case("shifted by 51 %", "", {"b": B}, [_moved(B, 16)]),
    Case("two sets merged into one", "", TWO, [A + B]),
    Case(
        "touching motifs merged into one", "", {"a": [(0, 20), (20, 40)]}, [[(0, 40)]]
    ),
    Case("one motif over everything", "", TWO, [[(0, 400)]]),
    Case("two tied sets of different size", "", ONE, [A[:1], [*A, FAR[0]]]),
    Case("nothing right", "", TWO, [FAR, FARTHER]),
)


Value = Callable[[Any, Any], float]
_Known = dict[tuple[Any, str, str], dict[str, float] | InputError]
TOLERANCE = 1e-12  # rounding in sums; differences below it are none
ORDERS = 4  # rotations of the found sets that are tried, beside their reverse
MARKS: dict[Cell, str] = {True: "yes", False: "-", NOT_APPLICABLE: "n/a"}

# Table 1 of the paper, row by row, and why our cell differs.
PAPER_ROWS: dict[str, tuple[str, dict[str, str]]] = {
    "pair_overlap_gao": (
        "Gao and Lin 2018",
        {
            "false-positive motifs": "a found pair has no room for a further motif",
        },
    ),
    "pair_overlap_nunthanid": (
        "Nunthanid et al. 2012",
        {
            "variable length": "accepted, but a found motif that is too long is not "
            "punished, since overlap is related to the true length",
            "false-positive motifs": "a found pair has no room for a further motif",
        },
    ),
    "correctness_m": ("correctness", {}),
    "score": (
        "score",
        {
            "false-positive sets": "not specified by its authors; here on request",
            "false-negative sets": "not specified by its authors; here always",
        },
    ),
    "single_set_f1": (
        "precision and recall",
        {
            "variable length": "defined for one length; with lengths that differ, more "
            "than half of each must overlap, which punishes a wrong length",
        },
    ),
    "prom_f1": ("PROM", {}),
}
YES, NO = True, False
PAPER_TABLE: dict[str, tuple[Cell | str, ...]] = {
    "pair_overlap_gao": (YES, YES, NO, NO, YES, NO, YES),
    "pair_overlap_nunthanid": (YES, YES, NO, NO, YES, NO, YES),
    "correctness_m": (YES, YES, YES, NO, NO, NO, YES),
    "score": (NO, YES, YES, "N/S", "N/S", YES, YES),
    "single_set_f1": (NO, NO, YES, NOT_APPLICABLE, NOT_APPLICABLE, YES, YES),
    "prom_f1": (YES, YES, YES, YES, YES, YES, YES),
}


@dataclass(frozen=True)
class Scorecard:
    """Properties of a metric, and the test cases that it fails.

    Attributes
    ----------
    name : str
        The metric.
    cells : dict
        Property to True, False, or "n/a" where no case is defined for the metric.
    failed : dict
        Property to the names of the cases that the metric does not pass.
    values : dict
        Case name to the value of the metric, None where it is not defined.
    """

    name: str
    cells: dict[str, Cell]
    failed: dict[str, list[str]]
    values: dict[str, float | None]

    def __str__(self) -> str:
        lines = [f"{self.name}: {len(self.values)} cases"]
        for name, cell in self.cells.items():
            cases = self.failed.get(name, [])
            why = f"   not: {'; '.join(cases[:3])}" if cases else ""
            if len(cases) > 3:
                why += f"; and {len(cases) - 3} more"
            lines.append(f"  {name:<24}{MARKS[cell]:<5}{why}".rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show the properties as a table in a notebook."""
        rows = [
            [name, MARKS[cell], "; ".join(self.failed.get(name, [])[:3])]
            for name, cell in self.cells.items()
        ]
        table = html_table(["property", "", "failed cases"], rows, left=(0, 1, 2))
        return html_block(html_lines([str(self).partition("\n")[0]]), table)


def check_metric(
    metric: Value | Metric | str, *, higher_is_better: bool = True, quiet: bool = False
) -> Scorecard:
    """Compute a metric on all named cases and print which errors it detects.

    Parameters
    ----------
    metric : callable ``(truth, found) -> float``, Metric, or a name in `METRICS`
        A plain callable gets truth as a mapping of label to segments, found as a list
        of lists. Where it is not defined it should raise `ValueError`.
    higher_is_better : bool, default True
        False for a cost. Only for a plain callable; a `Metric` declares it.
    quiet : bool, default False
        Whether to return the result without printing it.

    Returns
    -------
    Scorecard
        Also printed, unless `quiet`.

    Examples
    --------
    The share of true motifs that some found motif starts with: order does not
    matter, but sets are ignored.

    >>> def starts(truth, found):
    ...     true = {s for motifs in truth.values() for s, _ in motifs}
    ...     return len(true & {s for motifs in found for s, _ in motifs}) / len(true)
    >>> card = check_metric(starts, quiet=True)
    >>> card.cells["independent of order"], card.cells["false-positive sets"]
    (True, False)
    """
    if isinstance(metric, str):
        metric = METRICS[metric]
    if isinstance(metric, Metric):
        card = scorecard(metric)
    else:
        name = getattr(metric, "__name__", type(metric).__name__)
        card = _decide(name, metric, higher_is_better=higher_is_better)
    if not quiet:
        print(card)  # noqa: T201 (this function prints)
    return card


def scorecard(metric: Metric, known: _Known | None = None) -> Scorecard:
    """Run a metric, with its strictest options, through all cases.

    `known` keeps values of metrics that are computed together, to be used again.
    """
    values = {} if known is None else known
    own = [METRICS[name] for name in METRICS.added() if metric.batch is not None]
    sharing = [metric, *(other for other in own if other.batch is metric.batch)]

    def value(truth: Any, found: Any) -> float:
        key = metric.batch or metric.name, repr(truth), repr(found)
        if key not in values:
            try:
                values[key] = evaluate(truth, found, sharing, **metric.strictest)
            except InputError as error:
                values[key] = error
        result = values[key]
        if isinstance(result, InputError):
            raise result
        return result[metric.name]

    return _decide(metric.name, value, higher_is_better=metric.higher_is_better)


def _decide(name: str, metric: Value, *, higher_is_better: bool) -> Scorecard:
    sign = 1.0 if higher_is_better else -1.0
    values = {case.name: _value(metric, case.truth, case.found) for case in CASES}
    outcomes: dict[str, dict[str, bool | None]] = {name: {} for name in PROPERTIES}
    for case in CASES:
        value = values[case.name]
        outcomes["independent of order"][case.name] = _same_in_any_order(metric, case)
        outcomes["bounded"][case.name] = (
            value
            if value is None
            else (math.isfinite(value) and -TOLERANCE <= value <= 1 + TOLERANCE)
        )
        if case.shows:
            better = _value(metric, case.truth, case.better)
            passed = None
            if value is not None and better is not None:
                lead = sign * (better - value)
                passed = lead > TOLERANCE if case.strict else lead >= -TOLERANCE
            outcomes[case.shows][case.name] = passed
    cells: dict[str, Cell] = {}
    failed: dict[str, list[str]] = {}
    for shown, passed_by in outcomes.items():
        defined = {
            key: passed for key, passed in passed_by.items() if passed is not None
        }
        if shown in (SETS, SIZES) and len(defined) < len(passed_by):
            defined = {key: bool(passed) for key, passed in passed_by.items()}
        cells[shown] = all(defined.values()) if defined else NOT_APPLICABLE
        failed[shown] = [key for key, passed in defined.items() if not passed]
    return Scorecard(name, cells, failed, values)


def _value(metric: Value, truth: Any, found: Any) -> float | None:
    """Return the metric's value, None where it is not defined."""
    try:
        return float(metric(truth, found))
    except InputTypeError:
        raise  # the metric is wrong, not undefined
    except ValueError:
        return None


def _same_in_any_order(metric: Value, case: Case) -> bool | None:
    """Return whether permuting sets and reversing their segments keeps the value."""
    found = case.found
    orders = [found[k:] + found[:k] for k in range(min(len(found), ORDERS) or 1)]
    values = [
        _value(metric, truth, [segments[::step] for segments in order])
        for truth in (case.truth, dict(reversed(case.truth.items())))
        for order in (*orders, found[::-1])
        for step in (1, -1)
    ]
    numbers = [value for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    return max(numbers) - min(numbers) <= TOLERANCE


def property_table(names: Iterable[str] | None = None) -> list[Scorecard]:
    """Return the scorecards of the named metrics, by default of this package's."""
    known: _Known = {}
    return [scorecard(METRICS[name], known) for name in names or METRICS.added()]


def differences(cards: Iterable[Scorecard]) -> list[str]:
    """List where a cell differs from the paper's overview table, and why.

    Raises
    ------
    InternalError
        A cell differs and no reason is on record: the table would be silent on it.
    """
    lines = []
    for card in cards:
        if card.name not in PAPER_TABLE:
            continue
        row, reasons = PAPER_ROWS[card.name]
        for name, paper in zip(PROPERTIES, PAPER_TABLE[card.name], strict=False):
            if card.cells[name] == paper:
                continue
            if name not in reasons:
                raise InternalError(
                    f"{card.name}, {name}: differs from the paper, unexplained"
                )
            ours = MARKS[card.cells[name]]
            theirs = paper.lower() if isinstance(paper, str) else MARKS[paper]
            lines.append(f"{row}, {name}: {ours} (paper: {theirs}): {reasons[name]}")
    return lines

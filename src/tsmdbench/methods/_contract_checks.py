"""The checks that `tsmdbench.methods.check_method` makes, each a line of its report.

A check that fails says what was expected and what came. Nothing that a method raises
goes further than its line.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.plural import counted
from tsmdbench.types import Problem
from tsmdbench.validation import check_motif_sets

KIT = (__file__, str(Path(__file__).with_name("contract.py")))
LONGEST = 300  # characters of an exception that a report shows
SHOWN = 4  # segments of a set that it shows
REPEATED = "at least two segments per set"
HIT = 0.5  # a copy counts as found if it shares more than this of the union


@dataclass(frozen=True)
class Check:
    """One line of a report; `passed` is None where it did not apply."""

    name: str
    passed: bool | None
    detail: str = ""

    @property
    def mark(self) -> str:
        """How it went, in two letters."""
        return {True: "ok", False: "NO", None: "--"}[self.passed]

    def __str__(self) -> str:
        return f"  {self.mark}  {self.name}{': ' if self.detail else ''}{self.detail}"


def raised(error: BaseException) -> str:
    """Say what was raised, and in which line of whose file."""
    try:
        text = " ".join(f"{type(error).__name__}: {error}".split())
    except Exception:  # noqa: BLE001 (the exception of a method may do anything)
        text = f"{type(error).__name__}, whose text cannot be read"
    calls = traceback.extract_tb(error.__traceback__)
    last = next((c for c in reversed(calls) if c.filename not in KIT), None)
    where = f" ({Path(last.filename).name}, line {last.lineno})" if last else ""
    return f"raised {text[:LONGEST]}{where}"


def contract_checks(method: Any, problem: Problem, share: float) -> Iterable[Check]:
    """Yield the checks; after a malformed answer, the others have no meaning."""
    series = problem.series.copy()
    found, fault = _find(method, series)
    fault = fault or _why_malformed(found, len(series))
    if fault:
        yield Check("returns motif sets", passed=False, detail=fault)
        return
    sizes = [len(motifs) for motifs in found]
    shown = " and ".join(map(str, sizes))
    yield Check(
        "returns motif sets",
        passed=True,
        detail=f"{counted(len(sizes), 'set')} of {shown} segments",
    )
    yield _few_enough(method, len(sizes))
    yield _repeated(sizes) if share else Check(REPEATED, None)
    yield _sorted(found)
    yield _in_range(found, len(series))
    yield _compared(
        "deterministic",
        "the same sets from a second call",
        method,
        problem.series.copy(),
        found,
    )
    yield _untouched(series, problem.series)
    yield _forms(method, problem.series, found)
    yield _sweeps(method, problem.series, found)
    yield _planted(problem, found, share)


def _find(method: Any, series: Any) -> tuple[Any, str]:
    """Return what a method finds, or what is to be said of what it raises."""
    try:
        return method.find(series), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
        return None, f"expected a tuple of MotifSet, but find {raised(error)}"


def _few_enough(method: Any, count: int) -> Check:
    limit = getattr(method, "max_sets", None)
    if limit is None:
        return Check("at most max_sets", None)
    detail = f"expected at most {limit}, max_sets, got {count}"
    return _check("at most max_sets", count <= limit, detail)


def _check(name: str, passed: bool, detail: str) -> Check:  # noqa: FBT001
    """Return a check that explains itself where it failed."""
    return Check(name, passed, "" if passed else detail)


def _repeated(sizes: list[int]) -> Check:
    smallest = min(sizes, default=2)
    place = sizes.index(smallest) if sizes else 0
    detail = f"expected two or more, got {smallest} in set {place}"
    return _check(REPEATED, smallest > 1, detail)


def _sorted(found: Any) -> Check:
    for place, motifs in enumerate(found):
        pairs = [tuple(map(int, pair)) for pair in motifs]
        if pairs != sorted(pairs):
            first = next(n for n in range(1, len(pairs)) if pairs[n] < pairs[n - 1])
            detail = (
                f"expected the segments of a set in order of their starts, got "
                f"{pairs[first]} after {pairs[first - 1]} in set {place}"
            )
            return Check("sorted", passed=False, detail=detail)
    return Check("sorted", passed=True)


def _in_range(found: Any, n: int) -> Check:
    last = max((int(pair[1]) for motifs in found for pair in motifs), default=0)
    detail = f"expected ends up to {n}, the length of the series, got {last}"
    return _check("in range", last <= n, detail)


def _untouched(given: NDArray[np.float64], series: NDArray[np.float64]) -> Check:
    same = given.shape == series.shape
    if same:
        changed = np.argwhere((given != series) & ~(np.isnan(given) & np.isnan(series)))
        what = f"{counted(len(changed), 'sample')} changed" if len(changed) else ""
    else:
        what = f"its shape changed from {series.shape} to {given.shape}"
    detail = f"expected the series as it was given, but {what}; work on a copy"
    return _check("input untouched", not what, detail)


def _compared(name: str, expected: str, method: Any, series: Any, found: Any) -> Check:
    """Check that a further call finds the same."""
    again, fault = _find(method, series)
    detail = fault or f"expected {expected}, got {_differing(found, again)}"
    return _check(name, not fault and _same(again, found), detail)


def _differing(found: Any, other: Any) -> str:
    """Say where two results differ first."""
    try:
        first, second = ([_pairs(motifs) for motifs in sets] for sets in (found, other))
    except (TypeError, ValueError):
        return f"{type(other).__name__}, which is not a tuple of MotifSet"
    if len(first) != len(second):
        return f"{counted(len(second), 'set')} instead of {len(first)}"
    for place, (one, two) in enumerate(zip(first, second, strict=True)):
        if one != two:
            return f"{_shown(two)} instead of {_shown(one)} as set {place}"
    return "the same"


def _pairs(motifs: Any) -> list[tuple[int, int]]:
    return [(int(start), int(end)) for start, end in motifs]


def _shown(pairs: list[tuple[int, int]]) -> str:
    more = ", ..." if len(pairs) > SHOWN else ""
    return f"[{', '.join(map(str, pairs[:SHOWN]))}{more}]"


def _why_malformed(found: Any, n: int) -> str:
    """Return what is wrong with an answer as such, or nothing."""
    expected = "expected a tuple of MotifSet"
    if not isinstance(found, tuple | list):
        return f"{expected}, but find returned {type(found).__name__}"
    try:
        check_motif_sets(found, "the answer", n=n)
    except InputError as error:
        return f"{expected}: {error}"
    return ""


def _same(some: Any, other: Any) -> bool:
    try:
        return [list(motifs) for motifs in some] == [list(motifs) for motifs in other]
    except TypeError:
        return False


def _forms(method: Any, series: NDArray[np.float64], found: Any) -> Check:
    """Check that a list and an array that cannot be written to give the same."""
    name = "lists and read-only arrays alike"
    frozen = series.copy()
    frozen.flags.writeable = False
    for what, given in (("a read-only array", frozen), ("a list", series.tolist())):
        expected = f"the same sets from {what} as from an array"
        check = _compared(name, expected, method, given, found)
        if not check.passed:
            raised = check.detail.startswith("expected a tuple")
            hint = f" (for {what})" if raised else ""
            return Check(name, passed=False, detail=check.detail + hint)
    return Check(name, passed=True)


def _sweeps(method: Any, series: NDArray[np.float64], found: Any) -> Check:
    """Check that a sweep over the method's own setting, twice, gives the same twice."""
    name = "sweep equals find"
    sweep: Callable[..., Any] | None = getattr(method, "sweep", None)
    if sweep is None:
        return Check(name, None)
    expected = "expected what find returns, twice, from a sweep over [{}, {}]"
    try:
        results = list(sweep(series.copy(), [{}, {}]))
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
        return Check(name, passed=False, detail=f"{expected}, but it {raised(error)}")
    if len(results) != 2:
        detail = f"{expected}, got {len(results)} results"
        return Check(name, passed=False, detail=detail)
    for again in results:
        if not _same(again, found):
            detail = f"{expected}, got {_differing(found, again)}"
            return Check(name, passed=False, detail=detail)
    return Check(name, passed=True)


def _planted(problem: Problem, found: Iterable[Any], share: float) -> Check:
    """Whether enough copies of one pattern are in one found set."""
    best, size = 0, 1
    for planted in problem.truth.values():
        for motifs in found:
            hits = sum(any(_hit(copy, one) for one in motifs) for copy in planted)
            if hits * size > best * len(planted):
                best, size = hits, len(planted)
    enough = best >= share * size and (best > 1 or share == 0)
    came = f"{best} of {size}" if best else "none"
    detail = came
    if not enough:
        detail = (
            f"expected {share:.0%} of the copies of one pattern in one set, with an "
            f"overlap of more than {HIT:.0%}, got {came}"
        )
    return Check("planted copies found", enough, detail)


def _hit(planted: tuple[int, int], found: Any) -> bool:
    start, end = found
    common = min(planted[1], end) - max(planted[0], start)
    union = max(planted[1], end) - min(planted[0], start)
    return bool(common > HIT * union)

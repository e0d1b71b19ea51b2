"""Check that a method keeps the contract, for authors of methods.

`check_method` runs a method on a small problem with planted copies and checks what
all callers of `find` rely on. Put it into the tests of your package:

>>> from tsmdbench.methods import STOMP, check_method
>>> print(check_method(STOMP(length=50, max_sets=2)))
STOMP keeps the contract
  ok  returns motif sets: 2 sets of 4 and 3 segments
  ok  at most max_sets
  ok  at least two segments per set
  ok  sorted
  ok  in range
  ok  deterministic
  ok  input untouched
  ok  lists and read-only arrays alike
  ok  sweep equals find
  ok  planted copies found: 4 of 4

The problem, `planted_problem`, is smooth noise of 700 samples with four copies of one
pattern and three of another, 50 samples each and slightly noisy. Give the method
settings that suit it (a length of 50, a radius of about 1), or a problem of your own.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.methods import METHODS
from tsmdbench.plural import counted
from tsmdbench.segments import overlap_rate
from tsmdbench.types import Label, MotifSet, Problem
from tsmdbench.validation import check_motif_sets

PLANTED_LENGTH = 50
PLANTED_STARTS = {"a": (30, 240, 420, 630), "b": (130, 320, 520)}
PLANTED_SAMPLES = 700
PERSISTENCE = 0.9  # of the noise from sample to sample


class ContractError(InputError):
    """A method breaks the contract; the message is its report."""


@dataclass(frozen=True)
class ContractReport:
    """Results of the contract checks; prints as a list."""

    method: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return all(check.passed is not False for check in self.checks)

    def __str__(self) -> str:
        verdict = "keeps" if self.passed else "breaks"
        lines = [f"{self.method} {verdict} the contract", *map(str, self.checks)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show the checks as a table in a notebook, failed ones in bold."""
        failed = [n for n, check in enumerate(self.checks) if check.passed is False]
        rows = [[check.mark, check.name, check.detail] for check in self.checks]
        verdict = str(self).partition("\n")[0]
        table = html_table(["", "check", "seen"], rows, bold=failed, left=(0, 1, 2))
        return html_block(html_lines([verdict]), table)


def planted_problem(channels: int = 1, seed: int = 0) -> Problem:
    """Return smooth noise with copies of two patterns, and where they are.

    The copies are at the same level, so that methods which compare samples as they are
    find them as well as those which z-normalise windows.

    Parameters
    ----------
    channels : int, default 1
        Number of channels; the copies are in all of them.
    seed : int, default 0
        Seed of the noise and the patterns.
    """
    rng = np.random.default_rng(seed)
    x = _smooth(rng, PLANTED_SAMPLES, channels)
    for starts in PLANTED_STARTS.values():
        pattern = 3.0 * _smooth(rng, PLANTED_LENGTH, channels)
        for start in starts:
            noise = 0.05 * rng.normal(size=pattern.shape)
            x[start : start + PLANTED_LENGTH] = pattern + noise
    truth: dict[Label, MotifSet] = {
        label: MotifSet.from_starts(starts, PLANTED_LENGTH)
        for label, starts in PLANTED_STARTS.items()
    }
    return Problem(x[:, 0] if channels == 1 else x, truth, name="planted")


def _smooth(rng: np.random.Generator, n: int, channels: int) -> NDArray[np.float64]:
    """Return noise that wanders about 0: each sample keeps most of the one before."""
    x = rng.normal(size=(n, channels))
    for t in range(1, n):
        x[t] = PERSISTENCE * x[t - 1] + math.sqrt(1 - PERSISTENCE**2) * x[t]
    return x


def check_method(
    method: Any,
    settings: Mapping[str, Any] | None = None,
    *,
    problem: Problem | None = None,
    share: float = 0.75,
) -> ContractReport:
    """Check that a method keeps the contract, and raise an error otherwise.

    Parameters
    ----------
    method : object with ``find``, class, or str
        A method; or its class, its name in `METHODS` or ``"module:Class"``, which is
        then made with `settings`.
    settings : mapping, optional
        Field values for a class or a name.
    problem : Problem, optional
        Series and truth to check on; by default `planted_problem`, with two channels
        for a method that is not univariate.
    share : float, default 0.75
        How many of the copies of at least one pattern, as a share, must be in one
        found set (with an overlap of more than half of the union). 0 for a detector
        that does not look for repetitions: then sets of one segment pass as well.

    Returns
    -------
    ContractReport
        Results of the checks; prints as a list.

    Raises
    ------
    ContractError
        A check failed, or the method raised; the message is the report, in which each
        NO states what was expected and what was returned.
    """
    method = _made(method, settings)
    if problem is None:
        problem = planted_problem(1 if getattr(method, "univariate", True) else 2)
    checks = tuple(contract_checks(method, problem, share))
    card = ContractReport(type(method).__name__, checks)
    if not card.passed:
        raise ContractError(str(card))
    return card


def _made(method: Any, settings: Mapping[str, Any] | None) -> Any:
    """Return the method itself, made from a class or a name where need be."""
    if isinstance(method, str):
        method = METHODS[method]
    if isinstance(method, type):
        cls, given = method, dict(settings or {})
        try:
            method = cls(**given)
        except (Exception, SystemExit) as error:
            shown = ", ".join(f"{name}={value!r}" for name, value in given.items())
            detail = f"expected a method from {cls.__name__}({shown}), but it "
            check = Check("can be made", passed=False, detail=detail + raised(error))
            raise ContractError(str(ContractReport(cls.__name__, (check,)))) from error
    elif settings:
        raise InputError(
            "settings can only be given with a class or a name, not with an instance"
        )
    if not callable(getattr(method, "find", None)):
        raise InputError(f"{method!r} has no find(series); it is not a method")
    return method


# The checks, each a line of the report. A check that fails says what was expected and
# what came. Nothing that a method raises goes further than its line.

LONGEST = 300  # characters of an exception that a report shows
SHOWN = 4  # segments of a set that it shows
REPEATED = "at least two segments per set"
Pairs = list[tuple[int, int]]
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
    """Describe an exception with its file and line."""
    try:
        text = " ".join(f"{type(error).__name__}: {error}".split())
    except Exception:  # noqa: BLE001 (the exception of a method may do anything)
        text = f"{type(error).__name__}, whose text cannot be read"
    calls = traceback.extract_tb(error.__traceback__)
    last = next((c for c in reversed(calls) if c.filename != __file__), None)
    where = f" ({Path(last.filename).name}, line {last.lineno})" if last else ""
    return f"raised {text[:LONGEST]}{where}"


def contract_checks(method: Any, problem: Problem, share: float) -> Iterator[Check]:
    """Yield the checks; after a malformed answer, the others have no meaning."""
    n, series = len(problem.series), problem.series.copy()
    found, fault = _find(method, series)
    if not fault and not isinstance(found, tuple | list):
        fault = (
            f"expected a tuple of MotifSet, but find returned {type(found).__name__}"
        )
    elif not fault:
        try:
            check_motif_sets(found, "the answer", n=n)
        except InputError as error:
            fault = f"expected a tuple of MotifSet: {error}"
    if fault:
        yield Check("returns motif sets", passed=False, detail=fault)
        return
    sets = _as_pairs(found)
    sizes = [len(pairs) for pairs in sets]
    shown = f"{counted(len(sizes), 'set')} of {' and '.join(map(str, sizes))} segments"
    yield Check("returns motif sets", passed=True, detail=shown)

    limit = getattr(method, "max_sets", None)
    few = None if limit is None else len(sizes) <= limit
    detail = f"expected at most {limit}, max_sets, got {len(sizes)}"
    yield _check("at most max_sets", few, detail)

    least = min(sizes, default=2)
    place = sizes.index(least) if sizes else 0
    detail = f"expected two or more, got {least} in set {place}"
    yield _check(REPEATED, least > 1 if share else None, detail)

    detail = ""
    for place, pairs in enumerate(sets):
        later = next((k for k in range(1, len(pairs)) if pairs[k] < pairs[k - 1]), 0)
        if later and not detail:
            detail = (
                f"expected the segments of a set in order of their starts, got "
                f"{pairs[later]} after {pairs[later - 1]} in set {place}"
            )
    yield _check("sorted", not detail, detail)

    last = max((end for pairs in sets for _, end in pairs), default=0)
    detail = f"expected ends up to {n}, the length of the series, got {last}"
    yield _check("in range", last <= n, detail)

    detail = _when_called(method, problem.series.copy(), sets, "a second call")
    yield _check("deterministic", not detail, detail)

    if series.shape != problem.series.shape:
        what = f"its shape changed from {problem.series.shape} to {series.shape}"
    else:
        both = np.isnan(series) & np.isnan(problem.series)
        changed = int(np.count_nonzero((series != problem.series) & ~both))
        what = f"{counted(changed, 'sample')} changed" if changed else ""
    detail = f"expected the series as it was given, but {what}; work on a copy"
    yield _check("input untouched", not what, detail)

    frozen = problem.series.copy()
    frozen.flags.writeable = False
    for form, given in (("read-only array", frozen), ("list", problem.series.tolist())):
        source = f"a {form} as from an array"
        detail = _when_called(method, given, sets, source)
        if detail:
            raises = detail.startswith("expected a tuple")
            detail += f" (for a {form})" if raises else ""
            break
    yield _check("lists and read-only arrays alike", not detail, detail)

    detail = ""
    sweep: Callable[..., Any] | None = getattr(method, "sweep", None)
    if sweep is not None:
        expected = "expected what find returns, twice, from a sweep over [{}, {}]"
        try:
            results = list(sweep(problem.series.copy(), [{}, {}]))
        except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
            detail = f"{expected}, but it {raised(error)}"
        else:
            if len(results) != 2:
                detail = f"{expected}, got {len(results)} results"
            for differs in filter(None, (_difference(sets, one) for one in results)):
                detail = detail or f"{expected}, got {differs}"
    yield _check("sweep equals find", None if sweep is None else not detail, detail)

    best, size = 0, 1  # the copies of one pattern in one set
    for planted in problem.truth.values():
        for pairs in sets:
            hits = sum(
                any(overlap_rate(copy, pair) > HIT for pair in pairs)
                for copy in planted
            )
            if hits * size > best * len(planted):
                best, size = hits, len(planted)
    enough = best >= share * size and (best > 1 or share == 0)
    came = f"{best} of {size}" if best else "none"
    detail = (
        f"expected {share:.0%} of the copies of one pattern in one set, with an "
        f"overlap of more than {HIT:.0%}, got {came}"
    )
    yield Check("planted copies found", enough, came if enough else detail)


def _check(name: str, passed: bool | None, detail: str) -> Check:  # noqa: FBT001
    """Return a check that explains itself where it failed."""
    return Check(name, passed, detail if passed is False else "")


def _find(method: Any, series: Any) -> tuple[Any, str]:
    """Return the result of a method, or a description of its exception."""
    try:
        return method.find(series), ""
    except (Exception, SystemExit) as error:  # noqa: BLE001 (a method may raise any)
        return None, f"expected a tuple of MotifSet, but find {raised(error)}"


def _when_called(method: Any, series: Any, sets: list[Pairs], source: str) -> str:
    """Describe how a further call differs, or what it raises; empty if it is equal."""
    again, fault = _find(method, series)
    differs = "" if fault else _difference(sets, again)
    return fault or (
        f"expected the same sets from {source}, got {differs}" if differs else ""
    )


def _as_pairs(found: Any) -> list[Pairs]:
    return [[(int(start), int(end)) for start, end in motifs] for motifs in found]


def _difference(first: list[Pairs], other: Any) -> str:
    """Describe the first difference of two results; empty if there is none."""
    try:
        second = _as_pairs(other)
    except (TypeError, ValueError):
        return f"{type(other).__name__}, which is not a tuple of MotifSet"
    if len(first) != len(second):
        return f"{counted(len(second), 'set')} instead of {len(first)}"
    for place, (one, two) in enumerate(zip(first, second, strict=True)):
        if one != two:
            return f"{_shown(two)} instead of {_shown(one)} as set {place}"
    return ""


def _shown(pairs: Pairs) -> str:
    more = ", ..." if len(pairs) > SHOWN else ""
    return f"[{', '.join(map(str, pairs[:SHOWN]))}{more}]"

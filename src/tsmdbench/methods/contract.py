"""Check that a method keeps the contract: for authors of methods, ours and yours.

`check_method` runs a method on a small problem with planted copies and checks what
everybody who calls `find` relies on. Put it into the tests of your package:

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
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.methods import METHODS
from tsmdbench.types import Label, MotifSet, Problem
from tsmdbench.validation import check_motif_sets

PLANTED_LENGTH = 50
PLANTED_STARTS = {"a": (30, 240, 420, 630), "b": (130, 320, 520)}
PLANTED_SAMPLES = 700
PERSISTENCE = 0.9  # of the noise from sample to sample
HIT = 0.5  # a copy counts as found if it shares more than this of the union


class ContractError(InputError):
    """A method breaks the contract; the message is its report."""


@dataclass(frozen=True)
class Check:
    """One line of a report; `passed` is None where it did not apply."""

    name: str
    passed: bool | None
    detail: str = ""

    def __str__(self) -> str:
        mark = {True: "ok", False: "NO", None: "--"}[self.passed]
        return f"  {mark}  {self.name}{': ' if self.detail else ''}{self.detail}"


@dataclass(frozen=True)
class ContractReport:
    """What was checked, and how it went; prints as a list."""

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


def planted_problem(channels: int = 1, seed: int = 0) -> Problem:
    """Return smooth noise with copies of two patterns, and where they are.

    The copies are at the same level, so that methods which compare samples as they are
    see them as well as those which z-normalise windows.

    Parameters
    ----------
    channels : int, default 1
        Number of channels; the copies are in all of them.
    seed : int, default 0
        Another seed, another problem.
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
    """Check a method against the contract; raise if it breaks it.

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
        What was checked; prints as a list.

    Raises
    ------
    ContractError
        A check failed; the message is the report.
    """
    method = _made(method, settings)
    if problem is None:
        problem = planted_problem(1 if getattr(method, "univariate", True) else 2)
    card = ContractReport(type(method).__name__, tuple(_checks(method, problem, share)))
    if not card.passed:
        raise ContractError(str(card))
    return card


def _made(method: Any, settings: Mapping[str, Any] | None) -> Any:
    """Return the method itself, made from a class or a name where need be."""
    if isinstance(method, str):
        method = METHODS[method]
    if isinstance(method, type):
        method = method(**(settings or {}))
    elif settings:
        raise InputError("settings go with a class or a name; this method is made")
    if not callable(getattr(method, "find", None)):
        raise InputError(f"{method!r} has no find(series); it is not a method")
    return method


def _checks(method: Any, problem: Problem, share: float) -> Iterable[Check]:
    """Yield the checks; after a malformed answer, the others have no meaning."""
    series = problem.series.copy()
    found = method.find(series)
    malformed = _why_malformed(found, len(series))
    if malformed:
        yield Check("returns motif sets", passed=False, detail=malformed)
        return
    sizes = [len(motifs) for motifs in found]
    shown = " and ".join(map(str, sizes))
    yield Check(
        "returns motif sets",
        passed=True,
        detail=f"{len(sizes)} sets of {shown} segments",
    )
    limit = getattr(method, "max_sets", None)
    yield Check("at most max_sets", None if limit is None else len(sizes) <= limit)
    repeated = all(size > 1 for size in sizes) if share else None
    yield Check("at least two segments per set", repeated)
    yield Check("sorted", all(list(m) == sorted(m) for m in found))
    ends = [segment[1] for motifs in found for segment in motifs]
    yield Check("in range", max(ends, default=0) <= len(series))
    yield Check("deterministic", _same(method.find(series), found))
    untouched = np.array_equal(series, problem.series, equal_nan=True)
    yield Check("input untouched", untouched)
    yield Check("lists and read-only arrays alike", _forms(method, series, found))
    yield Check("sweep equals find", _sweeps(method, series, found))
    yield _planted(problem, found, share)


def _why_malformed(found: Any, n: int) -> str:
    """Return what is wrong with an answer as such, or nothing."""
    if not isinstance(found, tuple | list):
        return f"find returned {type(found).__name__}, not a tuple of MotifSet"
    try:
        check_motif_sets(found, "the answer", n=n)
    except InputError as error:
        return str(error)
    return ""


def _same(some: Iterable[Any], other: Iterable[Any]) -> bool:
    return [list(motifs) for motifs in some] == [list(motifs) for motifs in other]


def _forms(method: Any, series: NDArray[np.float64], found: Any) -> bool:
    """Whether a list and an array that cannot be written to give the same."""
    frozen = series.copy()
    frozen.flags.writeable = False
    return _same(method.find(frozen), found) and _same(
        method.find(series.tolist()), found
    )


def _sweeps(method: Any, series: NDArray[np.float64], found: Any) -> bool | None:
    """Whether a sweep over the method's own setting, twice, gives the same twice."""
    sweep: Callable[..., Any] | None = getattr(method, "sweep", None)
    if sweep is None:
        return None
    return all(_same(again, found) for again in sweep(series, [{}, {}]))


def _planted(problem: Problem, found: Iterable[Any], share: float) -> Check:
    """Whether enough copies of one pattern are in one found set."""
    best, size = 0, 1
    for planted in problem.truth.values():
        for motifs in found:
            hits = sum(any(_hit(copy, one) for one in motifs) for copy in planted)
            if hits * size > best * len(planted):
                best, size = hits, len(planted)
    enough = best >= share * size and (best > 1 or share == 0)
    return Check(
        "planted copies found", enough, f"{best} of {size}" if best else "none"
    )


def _hit(planted: tuple[int, int], found: Any) -> bool:
    start, end = found
    common = min(planted[1], end) - max(planted[0], start)
    union = max(planted[1], end) - min(planted[0], start)
    return bool(common > HIT * union)

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
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.methods import METHODS
from tsmdbench.methods._contract_checks import Check, contract_checks, raised
from tsmdbench.types import Label, MotifSet, Problem

PLANTED_LENGTH = 50
PLANTED_STARTS = {"a": (30, 240, 420, 630), "b": (130, 320, 520)}
PLANTED_SAMPLES = 700
PERSISTENCE = 0.9  # of the noise from sample to sample


class ContractError(InputError):
    """A method breaks the contract; the message is its report."""


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
        What was checked; prints as a list.

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
        method = _constructed(method, dict(settings or {}))
    elif settings:
        raise InputError(
            "settings can only be given with a class or a name, not with an instance"
        )
    if not callable(getattr(method, "find", None)):
        raise InputError(f"{method!r} has no find(series); it is not a method")
    return method


def _constructed(cls: type, settings: dict[str, Any]) -> Any:
    """Make a method of its class; a report says where it raises."""
    try:
        return cls(**settings)
    except (Exception, SystemExit) as error:
        detail = (
            f"expected a method from {cls.__name__}({_arguments(settings)}), but it "
            f"{raised(error)}"
        )
        check = Check("can be made", passed=False, detail=detail)
        raise ContractError(str(ContractReport(cls.__name__, (check,)))) from error


def _arguments(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in settings.items())

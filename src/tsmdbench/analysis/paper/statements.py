"""The statements of the paper's results section, each compared with new results.

A statement is written here in our own words, with the number that the paper gives
where it gives one, and a check that turns `Evidence` into a finding: whether it holds,
the result, and on how many datasets. A check states its criterion, since the paper's
words ("around", "relatively well") leave it open. Bounds were set by what the words
mean, before results were looked at, and are not adjusted to these: "almost 1" is at
most 1.25, "around 3.5" is 3 to 4, "moderate" is 0.4 to 0.6.

Statements are of three kinds. ``number``: the paper gives a number, shown beside
ours with the difference. ``order``: something is larger than something else, or first
or last. ``existence``: there is a case; one is enough, so that such a statement can
hardly fail, and these are counted apart. The results are to be those of the preset
``paper``.

Conventions
-----------
``holds``, ``partly`` and ``does not hold`` are about the given results. ``not
tested`` is said where a method or a study that a statement is about is not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tsmdbench.analysis.paper.evidence import Evidence

HOLDS, PARTLY, FAILS, UNTESTED = "holds", "partly", "does not hold", "not tested"
NUMBER, ORDER, EXISTENCE = "number", "order", "existence"


class Finding(NamedTuple):
    """What came of a statement; `value` is to be compared with the paper's number."""

    verdict: str
    here: str
    datasets: str = ""
    value: float | None = None


class Statement(NamedTuple):
    """Something that the paper says.

    Parameters
    ----------
    key : str
        Short name.
    question : str
        RQ1, RQ2 or RQ3.
    text : str
        What is stated.
    paper : str
        The number that the paper gives; empty where it gives none.
    criterion : str
        When we say that it holds.
    needs : tuple of str
        Methods that it is about.
    check : callable
    kind : {"number", "order", "existence"}
    number : float, optional
        The number that the paper gives, where `kind` is ``"number"``.
    """

    key: str
    question: str
    text: str
    paper: str
    criterion: str
    needs: tuple[str, ...]
    check: Callable[[Evidence], Finding]
    kind: str = ORDER
    number: float | None = None


class Verdict(NamedTuple):
    """A statement with what came of it."""

    statement: Statement
    finding: Finding

    @property
    def difference(self) -> float | None:
        """The result minus what the paper gives; None where there is no number."""
        if self.statement.number is None or self.finding.value is None:
            return None
        return self.finding.value - self.statement.number


def statements() -> tuple[Statement, ...]:
    """Return all statements, in the order of the paper."""
    from tsmdbench.analysis.paper.statements_methods import METHOD_STATEMENTS
    from tsmdbench.analysis.paper.statements_metrics import METRIC_STATEMENTS
    from tsmdbench.analysis.paper.statements_walk import WALK_STATEMENTS

    return (*METRIC_STATEMENTS, *METHOD_STATEMENTS, *WALK_STATEMENTS)


def judge(
    evidence: Evidence, chosen: Sequence[Statement] | None = None
) -> list[Verdict]:
    """Hold statements against results."""
    verdicts = []
    for statement in statements() if chosen is None else chosen:
        if evidence.has(statement.needs):
            finding = statement.check(evidence)
        else:
            lacking = sorted(set(statement.needs) - set(evidence.scores.labels))
            finding = Finding(UNTESTED, f"not among the results: {', '.join(lacking)}")
        verdicts.append(Verdict(statement, finding))
    return verdicts


def verdict(*conditions: bool) -> str:
    """Return one word for several conditions: all, some or none hold.

    >>> verdict(True, True), verdict(True, False), verdict(False)
    ('holds', 'partly', 'does not hold')
    """
    if all(conditions):
        return HOLDS
    return PARTLY if any(conditions) else FAILS

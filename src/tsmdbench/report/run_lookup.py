"""What a scored run was about: its true sets, what it found, and the series.

Scores have numbers only; to draw a case one goes back to the store. The series is not
in it, and the archive may not be here, so a case can be drawn without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.analysis.truths import truths
from tsmdbench.errors import DataError
from tsmdbench.experiments.sources import folders_of
from tsmdbench.report.page.sources import SeriesSource

if TYPE_CHECKING:
    from tsmdbench.analysis.metric_disagreement import Disagreement
    from tsmdbench.analysis.scores import Scores
    from tsmdbench.experiments.store import Store

Sets = list[list[list[int]]]


class RunData(NamedTuple):
    """A run with what it is about; `series` is None where the data is not here."""

    truth: Sets
    found: Sets
    series: Any


def look_up_run(
    case: Disagreement, scores: Scores, store: Store, *, split: str = "test"
) -> RunData:
    """Return what a case of `tsmdbench.analysis.metric_disagreement` was about.

    Raises
    ------
    DataError
        The run is not in this store: it came from the baselines.
    """
    table = scores.table
    mine = table[
        (table["dataset"] == case.dataset)
        & (table["problem"] == case.problem)
        & (table["label"] == case.label)
    ]
    names = ("method", "version", "parameters", "dataset", "problem")
    rows = [
        row
        for one in mine[list(names)].to_dict("records")
        for row in store.table(["found", "status"], _where(one, split)).to_pylist()
    ]
    if not rows:
        raise DataError(
            f"{store.path} has no run of {case.label!r} on problem {case.problem!r}"
        )
    known = truths(store, [case.dataset], split)
    found = rows[0]["found"] if rows[0]["status"] == "ok" else []
    folders = folders_of(store.manifest)
    series = SeriesSource(case.dataset, split, folders).get(case.problem)
    return RunData(known[case.dataset, case.problem].sets, found, series)


def _where(run: dict[str, str], split: str) -> dict[str, str]:
    """Return what a run is found by; scores need not say which version they are of."""
    return {name: value for name, value in run.items() if value} | {"split": split}

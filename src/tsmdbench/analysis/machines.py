"""Times of several stores on one clock: scaled to one machine, or marked.

The speed of the machines that a store was made on stands in its manifest
(`tsmdbench.experiments.calibration`). Where it is known of two stores, the times of the
second are scaled to the machine of the first. Otherwise they keep their values, and the
column ``clock`` of the scores says that they cannot be compared with the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.calibration import SAME, is_mixed, speed_of
from tsmdbench.experiments.store import Store

MIXED = (
    "runs of {path} were made on machines of different or unknown speed: the times of "
    "its methods are not exact"
)
FOREIGN = "\N{DEGREE SIGN}"  # marks a time that cannot be compared
NOT_COMPARABLE = (
    f"{FOREIGN} time from another machine that was not calibrated: not comparable with "
    f"the others"
)


def on_clock_of(
    first: Mapping[str, Any], scores: Scores, second: Mapping[str, Any], origin: str
) -> tuple[Scores, str]:
    """Return scores with their times on the machine of another store.

    Parameters
    ----------
    first : mapping
        Manifest of the store whose machine counts.
    scores : Scores
        Of the second store.
    second : mapping
        Its manifest.
    origin : str
        What it is called in notes.

    Returns
    -------
    Scores
        With scaled times, or with another clock.
    str
        A sentence for the reader; empty where nothing was changed.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": ["m"], "dataset": "A", "problem": 1})
    >>> theirs = Scores(table.assign(prom_f1=0.5, cpu_seconds=3.0))
    >>> slow, fast = ({"machines": {"x": {"kernel": 1, "seconds": s}}} for s in (2, 1))
    >>> scaled, note = on_clock_of(slow, theirs, fast, "baselines")
    >>> float(scaled.table["cpu_seconds"].iloc[0]), note
    (6.0, 'times of the baselines are scaled by 2 to the machine of the other runs')
    >>> on_clock_of({}, theirs, fast, "baselines")[0].table["clock"].iloc[0]
    'baselines'
    """
    mine, theirs = speed_of(first), speed_of(second)
    if mine is None or theirs is None:
        return replace(scores, table=scores.table.assign(clock=origin)), NOT_COMPARABLE
    ratio = mine / theirs
    if 1 / SAME <= ratio <= SAME:
        return scores, ""
    spent = {name: scores.table[name] * ratio for name in ("seconds", "cpu_seconds")}
    note = (
        f"times of the {origin} are scaled by {ratio:.3g} to the machine of the other "
        f"runs"
    )
    return replace(scores, table=scores.table.assign(**spent)), note


def mixed_notes(stores: Iterable[Store]) -> list[str]:
    """Return a sentence for each store whose own runs are of several machines."""
    return [
        MIXED.format(path=store.path.name)
        for store in stores
        if is_mixed(store.manifest)
    ]


def foreign_clocks(scores: Scores) -> dict[str, bool]:
    """Say for each label whether its times cannot be compared with the first ones.

    The clock that counts is that of one's own runs, ``""``; where all are from others,
    there is only one.
    """
    clocks = scores.table.groupby("label", observed=True)["clock"].first()
    if clocks.nunique() < 2:
        return dict.fromkeys(scores.labels, False)
    counts = "" if (clocks == "").any() else clocks[scores.labels[0]]
    return {label: bool(clocks[label] != counts) for label in scores.labels}

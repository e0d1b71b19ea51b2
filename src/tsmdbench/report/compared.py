"""The runs of a store beside those of others, on one clock."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

from tsmdbench.analysis.baselines import (
    RECORDINGS,
    is_baselines,
    load_baselines,
    named_baselines,
)
from tsmdbench.analysis.machines import mixed_notes, on_clock_of
from tsmdbench.analysis.scores import BASELINES, Scores, score_store
from tsmdbench.errors import InputError
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import NEWEST
from tsmdbench.io import PathLike


@dataclass(frozen=True, eq=False)
class Compared:
    """What a report is made of.

    Attributes
    ----------
    scores : Scores
    stores : list of Store
        Where the runs are: one's own store, then those that were joined.
    notes : list of str
        What is to be said of the times.
    """

    scores: Scores
    stores: list[Store]
    notes: list[str]

    def only(self, datasets: tuple[str, ...]) -> Compared:
        """Keep some datasets."""
        return replace(self, scores=self.scores.only(datasets=datasets))

    @property
    def first_store(self) -> Store:
        """The first store that has runs of these datasets."""
        wanted = set(self.scores.datasets)
        has = (wanted & {dataset for dataset, *_ in s.counts()} for s in self.stores)
        return next(s for s, some in zip(self.stores, has, strict=True) if some)


def scored(store: Store, split: str, version: str = NEWEST) -> Compared:
    """Score one store."""
    scores = score_store(store, split=split, version=version)
    return Compared(scores, [store], mixed_notes([store]))


def beside(
    own: Compared, compare: PathLike, split: str, *, whole_tab: bool = True
) -> Compared:
    """Join the runs of another store or of the baselines.

    Parameters
    ----------
    own : Compared
    compare : Store, path, or a name of baselines
        With the baselines of TSMD-Bench come those of the recordings suite.
    split : {"test", "validation"}
    whole_tab : bool
        Whether the baselines of the recordings suite are shown, too, if the store has
        no run of that suite.

    Returns
    -------
    Compared
        On the datasets that both have, with the times of all on one clock, or marked.

    Raises
    ------
    InputError
        There is no such dataset.
    """
    import pandas as pd

    others = _stores(compare)
    scored_others = [score_store(store, split=split) for store in others]
    has = {name for theirs in scored_others for name in theirs.datasets}
    if not has & set(own.scores.datasets):
        raise InputError(
            f"{others[0].path} has none of the datasets "
            f"{', '.join(own.scores.datasets)}"
        )
    notes, tables = list(own.notes), []
    declared: dict[str, Any] = {}
    for store, theirs in zip(others, scored_others, strict=True):
        shown = [name for name in own.scores.datasets if name in theirs.datasets]
        if whole_tab and not shown and store.path == load_baselines(RECORDINGS).path:
            shown = [name for name in theirs.datasets if not uses_truth(name)]
        if not shown:
            continue
        timed, note = on_clock_of(
            own.stores[0].manifest,
            theirs.only(datasets=shown),
            store.manifest,
            BASELINES,
        )
        notes += [note] if note else []
        tables.append(timed.table)
        declared |= timed.declared
    joined = Scores(pd.concat(tables, ignore_index=True), declared)
    return Compared(
        own.scores.join(joined),
        [*own.stores, *others],
        list(dict.fromkeys(notes)),
    )


def _stores(compare: PathLike) -> list[Store]:
    """Return the stores to compare with; with those of TSMD-Bench come recordings."""
    name = os.fspath(compare)
    if not is_baselines(name):
        return [Store(compare)]
    first, suite = named_baselines(name), load_baselines(RECORDINGS)
    return [first] if first.path == suite.path else [first, suite]

"""The runs of a store beside those of others, on one clock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tsmdbench.analysis.baselines import (
    RECORDINGS,
    STORES,
    check_same_problems,
    load_baselines,
)
from tsmdbench.analysis.costs import mixed_notes, on_clock_of
from tsmdbench.analysis.scores import (
    BASELINES,
    DEFAULT_METRICS,
    Scores,
    score_store,
)
from tsmdbench.errors import InputError
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.store import NEWEST, Store
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS
from tsmdbench.metrics.evaluate import Requested
from tsmdbench.validation import check_choice

# Where authors write a name otherwise than the class of the method.
AUTHORS = {
    "apepa": "A-PEPA",
    "gv_repair": "GV-RePair",
    "gv_sequitur": "GV-Sequitur",
    "mdl_clust": "MDL-Clust",
}


def with_names(scores: Scores) -> Scores:
    """Call methods as their authors write them; settings and origins are kept.

    Examples
    --------
    >>> import pandas as pd
    >>> labels = ["locomotif [rho=0.5]", "gv_repair (baselines)", "mine"]
    >>> methods = ["locomotif", "gv_repair", "mine.py:Mine"]
    >>> table = pd.DataFrame({"label": labels, "method": methods, "dataset": "A"})
    >>> with_names(Scores(table.assign(problem=1, prom_f1=0.5))).labels
    ('GV-RePair (baselines)', 'LoCoMotif [rho=0.5]', 'mine')
    """
    names = {}
    for label, method in scores.methods.items():
        rest = label.removeprefix(method)
        if method in METHODS and rest != label:
            names[label] = f"{AUTHORS.get(method, METHODS[method].__name__)}{rest}"
    taken = set(scores.labels) - set(names)
    names = {label: name for label, name in names.items() if name not in taken}
    return replace(scores, table=scores.table.replace({"label": names}))


@dataclass(frozen=True, eq=False)
class Compared:
    """Data of a report.

    Attributes
    ----------
    scores : Scores
    stores : dict of str to list of Store
        Where the runs of each origin are; ``""`` is one's own store.
    notes : list of str
        What is to be said of the times.
    """

    scores: Scores
    stores: dict[str, list[Store]]
    notes: list[str]

    def only(self, datasets: tuple[str, ...]) -> Compared:
        """Keep some datasets."""
        return replace(self, scores=self.scores.only(datasets=datasets))

    @property
    def first_store(self) -> Store:
        """The first store that has runs of these datasets."""
        wanted = set(self.scores.datasets)
        every = [store for each in self.stores.values() for store in each]
        has = (wanted & {dataset for dataset, *_ in s.counts()} for s in every)
        return next(s for s, some in zip(every, has, strict=True) if some)


def compared(
    store: Store,
    *,
    baselines: str | None = None,
    compare: Sequence[PathLike] = (),
    split: str = "test",
    version: str = NEWEST,
    metrics: Sequence[Requested] = (),
    whole_tab: bool = True,
) -> Compared:
    """Score a store, and beside it the baselines and other stores.

    Parameters
    ----------
    store : Store
    baselines : {"best", "paper", "recordings"} or None
        With the baselines of TSMD-Bench come those of the recordings suite.
    compare : sequence of Store or path
        Other stores.
    split : {"test", "validation"}
    version : str
        Of the methods of the first store, see `score_store`.
    metrics : sequence of str, Metric or function
        Further metrics, besides those that are computed by default.
    whole_tab : bool
        Whether the baselines of the recordings suite are shown, too, if the store has
        no run of that suite.

    Returns
    -------
    Compared
        On the datasets that the first store has, with the times of all on one clock,
        or marked.

    Raises
    ------
    InputError
        Others have none of these datasets, or another problem of the same name.
    """
    metrics = (*DEFAULT_METRICS, *metrics)
    own = score_store(store, split=split, metrics=metrics, version=version)
    others: list[tuple[str, Store]] = []
    if baselines is not None:
        check_choice(baselines, "baselines", STORES)
        names = dict.fromkeys((baselines, RECORDINGS))
        others += [(BASELINES, load_baselines(name)) for name in names]
    for path in compare:
        check_compare(path)
        others.append((os.fspath(path), Store(path)))
    named = [(f"the {o}" if o == BASELINES else o, other) for o, other in others]
    check_same_problems([*named, (os.fspath(store), store)], own.datasets, split)
    joined, notes = own, mixed_notes([store])
    stores = {"": [store]}
    for origin, other in others:
        theirs = score_store(other, split=split, metrics=metrics)
        shown = [name for name in own.datasets if name in theirs.datasets]
        suite = origin == BASELINES and other.path == load_baselines(RECORDINGS).path
        if whole_tab and not shown and suite:
            shown = [name for name in theirs.datasets if not uses_truth(name)]
        stores.setdefault(origin, []).append(other)
        if not shown:
            continue
        timed, note = on_clock_of(
            store.manifest, theirs.only(datasets=shown), other.manifest, origin
        )
        notes += [note] if note else []
        joined = joined.join(timed, origin)
    for origin, each in stores.items():
        if not {what[0] for one in each for what in one.counts()} & set(own.datasets):
            raise InputError(
                f"{f'the {origin}' if origin == BASELINES else origin} has none of the "
                f"datasets {', '.join(own.datasets)}"
            )
    return Compared(joined, stores, list(dict.fromkeys(notes)))


def check_compare(path: PathLike) -> None:
    """Raise if the baselines are named where a store is needed."""
    name = os.fspath(path)
    first, _, which = name.partition("/")
    if first == BASELINES and not Path(name).is_dir():
        raise InputError(
            f"--compare takes stores, got {name!r}; the published baselines are "
            f"--baselines {which or 'best'} (baselines={which or 'best'!r} in Python)"
        )

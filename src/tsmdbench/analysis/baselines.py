"""The published baselines: results that a new method is ranked among.

Four stores come with the package: what methods found on the test split, with the
settings that a grid search on the validation split chose, the surfaces of these
searches, and a manifest that says how it was made.

``paper``
    TSMD-Bench, with methods as their public code is.
``best``
    TSMD-Bench, with methods as we recommend them (`presets`), and `Auto`, which has no
    parameters to choose.
``recordings``
    The recordings suite, with methods as we recommend them, by both protocols: tuned
    on validation records, and with parameters from the truth.
``subspace``
    The subspace suite: seven methods that find sets in some of the channels, or in all.

Scores are computed from what was found, so they follow every change of a metric; those
of the default metrics are kept (`tsmdbench.analysis.scores`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from typing import Literal, NamedTuple

import pandas as pd

from tsmdbench.analysis.scores import BASELINES, FOLDER, Scores, score_store
from tsmdbench.errors import InputError
from tsmdbench.experiments.presets import PRESETS
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import Place, Truth, read_truth
from tsmdbench.metrics.evaluate import Requested
from tsmdbench.validation import check_choice

RECORDINGS = "recordings"
SUBSPACE = "subspace"
STORES = (*PRESETS, RECORDINGS, SUBSPACE)

BOTH = "both"
RECORDINGS_TRUTH = "recordings-pvldb"
CHOICES = {
    "best": "methods with the recommended parameters",
    "paper": "methods with the defaults of their public code",
    BOTH: "methods with the defaults of their public code (paper) and with the "
    "recommended parameters (best)",
    RECORDINGS: "the recordings suite; methods with the recommended parameters",
    RECORDINGS_TRUTH: "the recordings suite; parameters from the truth of each problem",
    SUBSPACE: "the subspace suite; methods for patterns in some of the channels",
}


class Correction(NamedTuple):
    """A change of published numbers; texts as Markdown, links relative to ``docs``."""

    date: str
    what: str
    affects: str
    old: str
    new: str
    why: str


def corrections() -> list[Correction]:
    """Return the changes of published numbers, the newest first.

    >>> corrections()[-1].affects
    '`tsmdbench reproduce`'
    """
    text = (FOLDER.parent / "corrections.toml").read_text(encoding="utf-8")
    return [Correction(**entry) for entry in tomllib.loads(text)["correction"]]


def load_baselines(
    which: Literal["paper", "best", "recordings", "subspace"] | str = "best",
) -> Store:
    """Return a store that comes with the package.

    Parameters
    ----------
    which : {"paper", "best", "recordings", "subspace"}
        TSMD-Bench with one of the presets, the recordings suite, or the subspace suite.

    Examples
    --------
    >>> store = load_baselines()
    >>> sorted({row[2] for row in store.counts()})[:3]
    ['apepa', 'auto', 'emma']
    """
    check_choice(which, "which", STORES)
    return Store(FOLDER / which)


def baseline_stores(baselines: str) -> list[Store]:
    """Return the stores of a choice of baselines."""
    check_choice(baselines, "baselines", tuple(CHOICES))
    names = PRESETS if baselines == BOTH else (baselines.removesuffix("-pvldb"),)
    return [load_baselines(name) for name in names]


def published_datasets(baselines: str) -> frozenset[str]:
    """Return the datasets of a choice of baselines."""
    return frozenset(
        what[0]
        for store in baseline_stores(baselines)
        for what in store.counts()
        if uses_truth(what[0]) == (baselines == RECORDINGS_TRUTH)
    )


def published_scores(
    baselines: str, metrics: Iterable[Requested] | None = None
) -> Scores:
    """Score a choice of baselines; for both presets, labels name the preset."""
    stores = baseline_stores(baselines)
    scored = [score_store(store, metrics=metrics) for store in stores]
    tables = [scores.table for scores in scored]
    if baselines == BOTH:
        tables = [
            table.assign(label=table["label"].astype(str) + f" ({which})")
            for which, table in zip(PRESETS, tables, strict=True)
        ]
    table = pd.concat(tables, ignore_index=True)
    by_truth = {name: uses_truth(name) for name in table["dataset"].unique()}
    kept = table["dataset"].map(by_truth) == (baselines == RECORDINGS_TRUTH)
    table = table[kept].assign(origin=BASELINES, own=False)
    return Scores(table, given=scored[0].given)


def check_same_problems(
    stores: Iterable[tuple[str, Store]], datasets: Iterable[str], split: str = "test"
) -> None:
    """Raise unless stores have the same data and truth for problems of the same name.

    Both the truth beside the runs and the hash of the data in every run are compared.
    Each store comes with its name in the message; the first that has a problem is
    right.
    """
    wanted = sorted(set(datasets))
    truths: dict[Place, tuple[str, Truth]] = {}
    hashes: dict[Place, tuple[str, str]] = {}
    for name, store in stores:
        mine = {
            place: truth
            for place, truth in read_truth(store.path).items()
            if place[0] in wanted and place[1] == split
        }
        columns = ["dataset", "problem", "data"]
        rows = store.table(columns, {"split": split, "dataset": wanted})
        runs = set(zip(*(rows[column].to_pylist() for column in columns), strict=True))
        hashed = {((dataset, split, problem), data) for dataset, problem, data in runs}
        hashed |= {(place, truth.data) for place, truth in mine.items()}
        other: dict[Place, str] = {}
        for place, data in hashed:
            if data and hashes.setdefault(place, (name, data))[1] != data:
                other[place] = hashes[place][0]
        for place, truth in mine.items():
            before, right = truths.setdefault(place, (name, truth))
            if truth[:-1] != right[:-1]:
                other[place] = before
        if other:
            place = min(other)
            more = f" and {len(other) - 1} more" if len(other) > 1 else ""
            than = "its own other runs" if other[place] == name else other[place]
            raise InputError(
                f"{name} has other data or another truth than {than} for "
                f"problem {place[2]} of {place[0]}{more}, so scores cannot be "
                f"compared; run the methods on the same problems, or leave out the "
                f"dataset"
            )

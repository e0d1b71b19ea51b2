"""Tables of what makes a problem hard: by difficulty dial, and by property of data."""

from __future__ import annotations

from collections.abc import Iterable

from tsmdbench.analysis.data_properties import (
    FEWEST_DATASETS,
    dataset_properties,
    property_correlations,
)
from tsmdbench.analysis.dial_curves import breaking_points, dial_scores, has_dials
from tsmdbench.analysis.scores import Scores
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import read_truth
from tsmdbench.report.table import Table

_PLAIN = "{:g}".format


def difficulty_tables(scores: Scores, store: Store | None) -> list[Table]:
    """Return the tables that the results allow."""
    tables = []
    if has_dials(scores):
        tables += [dials_table(scores), breaking_table(scores)]
    if store is not None and len(_known(scores, store)) >= FEWEST_DATASETS:
        tables.append(properties_table(scores, store))
    return tables


def dials_table(scores: Scores) -> Table:
    """Return mean F1 at each position of each dial, with intervals."""
    found = dial_scores(scores)
    wide = {
        part: found.pivot(index=["dial", "position"], columns="label", values=part)
        for part in ("mean", "low", "high")
    }
    rows = [
        (dial, position)
        for dial, curves in found.groupby("dial", sort=False)
        for position in sorted(set(curves["position"]))
    ]
    frames = {
        part: frame.loc[rows, _labels(scores, frame.columns)]
        for part, frame in wide.items()
    }
    return Table(
        "dials",
        "Mean F1 with the 95% bootstrap interval over problems, when one difficulty "
        "dial is moved; the first position of each dial is the default.",
        frames["mean"].reset_index(),
        compared=tuple(map(str, frames["mean"].columns)),
        written={"position": _PLAIN},
        intervals={
            str(name): (frames["low"][name].tolist(), frames["high"][name].tolist())
            for name in frames["mean"].columns
        },
    )


def breaking_table(scores: Scores) -> Table:
    """Return the position of each dial at which each method breaks."""
    found = breaking_points(scores)
    dials = list(dict.fromkeys(found["dial"]))
    wide = found.pivot(index="label", columns="dial", values="breaks_at")
    labels = _labels(scores, wide.index)
    frame = wide.loc[labels, dials]
    default = found.groupby("label")["default"].first()
    frame.insert(0, "F1 at the default", default.loc[labels])
    return Table(
        "breaking_points",
        "Where methods break: the first position of each difficulty dial at which the "
        "mean F1 is at most half of that at the default; a dash where there is none.",
        frame.reset_index(names="method"),
        written=dict.fromkeys(dials, _PLAIN),
    )


def properties_table(scores: Scores, store: Store) -> Table:
    """Return the rank correlation of mean F1 with properties of the datasets."""
    properties = dataset_properties(store, _known(scores, store))
    found = property_correlations(scores, properties)
    wide = found.pivot(index="property", columns="label", values="rho")
    frame = wide.loc[list(properties.columns), _labels(scores, wide.columns)]
    return Table(
        "properties",
        f"Spearman's rank correlation, over {len(properties)} datasets, of the mean F1 "
        f"of a method with properties of the datasets: negative where a method is "
        f"worse the more there is of a property.",
        frame.reset_index(),
    )


def _known(scores: Scores, store: Store) -> list[str]:
    """Return the datasets whose test problems a store knows; others need their data."""
    kept = {dataset for dataset, split, _ in read_truth(store.path) if split == "test"}
    return [dataset for dataset in scores.datasets if dataset in kept]


def _labels(scores: Scores, known: Iterable[str]) -> list[str]:
    """Return the labels that are known, in the order of the scores."""
    there = set(known)
    return [label for label in scores.labels if label in there]

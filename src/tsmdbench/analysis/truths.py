"""The true motif sets of the problems that a store's runs are about."""

from __future__ import annotations

from collections.abc import Iterable

from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.store import Store

Sets = list[list[list[int]]]


def true_sets(
    store: Store,  # noqa: ARG001
    datasets: Iterable[str],
    split: str,
) -> dict[tuple[str, str], Sets]:
    """Return the true motif sets of each (dataset, problem).

    Raises
    ------
    InputError
        The data of a dataset is not here.
    """
    return {
        (dataset, problem.name): [
            motifs.segments.tolist() for motifs in problem.truth.values()
        ]
        for dataset in datasets
        for problem in load_problems(dataset, split)
    }

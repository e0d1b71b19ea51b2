"""The true motif sets of the problems that a store's runs are about."""

from __future__ import annotations

from collections.abc import Iterable

from tsmdbench.experiments.rows import FoundLists
from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import read_truth, truth_of

Sets = FoundLists


def true_sets(
    store: Store, datasets: Iterable[str], split: str
) -> dict[tuple[str, str], Sets]:
    """Return the true motif sets of each (dataset, problem).

    They are beside the runs; a store of which that file is gone takes them from the
    data.

    Raises
    ------
    InputError
        The file is gone, and the data of a dataset is not here.
    """
    kept = {
        (dataset, problem): truth.sets
        for (dataset, part, problem), truth in read_truth(store.path).items()
        if part == split
    }
    for dataset in set(datasets) - {dataset for dataset, _ in kept}:
        for problem in load_problems(dataset, split):
            kept[dataset, problem.name] = truth_of(problem).sets
    return kept

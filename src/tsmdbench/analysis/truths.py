"""The truth of the problems that a store's runs are about."""

from __future__ import annotations

from collections.abc import Iterable

from tsmdbench.errors import DataError
from tsmdbench.experiments.sources import folders_of, load_problems, runs_code
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import TRUTH, Truth, read_truth, truth_of


def truths(
    store: Store, datasets: Iterable[str], split: str
) -> dict[tuple[str, str], Truth]:
    """Return the truth of each (dataset, problem).

    It lies beside the runs; a store of which that file is gone takes it from the data,
    but not from a function that the store names: reading a store runs no code.

    Raises
    ------
    DataError
        The file is gone, and the data of a dataset is not here.
    """
    kept = {
        (dataset, problem): truth
        for (dataset, part, problem), truth in read_truth(store.path).items()
        if part == split
    }
    for dataset in set(datasets) - {dataset for dataset, _ in kept}:
        if runs_code(dataset):
            raise DataError(
                f"{store.path / TRUTH} does not have {dataset}; 'tsmdbench resume "
                f"{store.path}' adds what is missing"
            )
        folders = folders_of(store.manifest)
        for problem in load_problems(dataset, split, folders=folders):
            kept[dataset, problem.name] = truth_of(problem)
    return kept

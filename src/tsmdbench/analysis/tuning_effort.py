"""On how many validation problems a method was tuned, by the searches of its store.

A method that was tuned on more problems, or with a larger grid, had a better chance. A
comparison therefore says it. A setting that was given by hand, or found by a search in
another store, does not show up here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import DataError
from tsmdbench.experiments.store import Store

COLUMNS = ["dataset", "method", "problems"]


class Effort(NamedTuple):
    """What the searches of a method took, over the datasets that are compared.

    Attributes
    ----------
    problems : tuple of int
        Fewest and most validation problems per dataset; (0, 0) if it was not tuned.
    settings : int
        Most settings that were tried on a dataset.
    datasets : int
        Number of datasets on which it was tuned.
    """

    problems: tuple[int, int] = (0, 0)
    settings: int = 0
    datasets: int = 0

    @property
    def words(self) -> str:
        """The number of problems in words.

        >>> Effort((10, 50), 18, 14).words, Effort().words
        ('10 to 50', 'not tuned')
        """
        fewest, most = self.problems
        if not most:
            return "not tuned"
        return str(most) if fewest == most else f"{fewest} to {most}"


def tuning_effort(
    scores: Scores, stores: Mapping[str, Iterable[Store]]
) -> dict[str, Effort]:
    """Return what the searches of each method took.

    Parameters
    ----------
    scores : Scores
    stores : mapping
        Where the runs of each origin are; ``""`` is the origin of one's own.
    """
    origins = scores.table.groupby("label", observed=True)["origin"].first()
    searched = {
        origin: [entry for store in each for entry in _searches(store)]
        for origin, each in stores.items()
    }
    efforts = {}
    for label in scores.labels:
        mine = [
            (dataset, problems)
            for dataset, method, problems in searched.get(origins[label], ())
            if method == scores.methods[label] and dataset in scores.datasets
        ]
        efforts[label] = _effort(mine)
    return efforts


def _effort(mine: list[tuple[str, int]]) -> Effort:
    """Put the settings of a method together: a dataset and its problems for each."""
    if not mine:
        return Effort()
    names = [dataset for dataset, _ in mine]
    counts = [problems for _, problems in mine]
    settings = max(names.count(name) for name in set(names))
    return Effort((min(counts), max(counts)), settings, len(set(names)))


def _searches(store: Store) -> list[tuple[str, str, int]]:
    """Return dataset, method and problems of every setting that was tried."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    found: list[tuple[str, str, int]] = []
    for file in sorted((store.path / "tuning").glob("*.parquet")):
        try:
            with pq.ParquetFile(file) as parquet:
                table = parquet.read(columns=COLUMNS, use_threads=False)
            found += zip(*(table[name].to_pylist() for name in COLUMNS), strict=True)
        except (pa.ArrowException, OSError, KeyError) as error:
            raise DataError(f"{file} is not a tuning surface: {error}") from None
    return found


def effort_note(efforts: Mapping[str, Effort]) -> str:
    """Return one sentence about all methods, those with equal numbers together.

    >>> nine = Effort((9, 9), 2, 1)
    >>> effort_note({"a": nine, "b": Effort(), "c": nine})
    'tuned on validation problems per dataset: 9 (a, c); not tuned (b)'
    """
    groups: dict[str, list[str]] = {}
    for label, effort in efforts.items():
        groups.setdefault(effort.words, []).append(label)
    parts = [f"{words} ({', '.join(names)})" for words, names in groups.items()]
    return f"tuned on validation problems per dataset: {'; '.join(parts)}"

"""How a method was tuned, according to the searches in its store.

A method that was tuned on more problems, or with a larger grid, had a better chance. A
comparison therefore states it. A row counts as tuned if its parameters are those that
a search in the same store chose. A setting that was given by hand, or found by a search
in another store, counts as not tuned.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.errors import DataError
from tsmdbench.experiments.settings import chosen_fields
from tsmdbench.experiments.store import Store

if TYPE_CHECKING:
    import pyarrow as pa

    from tsmdbench.analysis.scores import Scores

COLUMNS = {
    **dict.fromkeys(("dataset", "method", "parameters"), "string"),
    "mean_f1": "double",
    **dict.fromkeys(("problems", "failed"), "int64"),
    **dict.fromkeys(("mean_seconds", "mean_cpu_seconds"), "double"),
    "winner": "bool",
}


class Search(NamedTuple):
    """A grid search: its validation problems, its settings, and the winner."""

    problems: int
    settings: int
    winner: dict[str, Any]

    def chose(self, parameters: str) -> bool:
        """Return True if these are the parameters of the winner, whatever the seed."""
        return chosen_fields(json.loads(parameters)) == self.winner


def surfaces(store: Store, columns: Iterable[str] = COLUMNS) -> Iterator[pa.Table]:
    """Read the surface of every search of a store, one by one."""
    import pyarrow as pa

    from tsmdbench.experiments.rows import checked, open_parquet

    for file in sorted((store.path / "tuning").glob("*.parquet")):
        try:
            # Not by pyarrow.dataset, whose threads can abort a process at its exit.
            with open_parquet(file) as parquet:
                if not set(COLUMNS) <= set(parquet.schema_arrow.names):
                    raise ValueError("it lacks columns")
                table = checked(parquet.read([*columns], use_threads=False))
            kinds = [(name, COLUMNS[name]) for name in columns]
            table = table.select([*columns]).cast(pa.schema(kinds))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"{file} is not a tuning surface: {error}") from None
        yield table


def searches(store: Store) -> dict[tuple[str, str], Search]:
    """Return the searches of a store by dataset and method."""
    found = {}
    needed = ("dataset", "method", "parameters", "problems", "winner")
    for table in surfaces(store, needed):
        for row in table.filter(table["winner"]).to_pylist():
            found[row["dataset"], row["method"]] = Search(
                row["problems"],
                len(table),
                chosen_fields(json.loads(row["parameters"])),
            )
    return found


class Effort(NamedTuple):
    """Tuning effort of a method over the compared datasets."""

    problems: tuple[int, int] = (0, 0)  # fewest and most validation ones per dataset
    settings: int = 0  # most that were tried on a dataset
    datasets: int = 0  # number of those on which it was tuned

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
    """Return the tuning effort of each method; `stores` are those of each origin."""
    known = {
        origin: [searches(store) for store in each] for origin, each in stores.items()
    }
    names = ["label", "origin", "method", "dataset", "parameters"]
    mine: dict[str, dict[str, Search]] = {label: {} for label in scores.labels}
    for row in scores.table[names].drop_duplicates().itertuples(index=False):
        for one in known.get(row.origin, ()):
            search = one.get((row.dataset, row.method))
            if search is not None and search.chose(row.parameters):
                mine[row.label][row.dataset] = search
    efforts = {}
    for label, found in mine.items():
        problems = [search.problems for search in found.values()]
        efforts[label] = Effort(
            (min(problems, default=0), max(problems, default=0)),
            max((search.settings for search in found.values()), default=0),
            len(found),
        )
    return efforts


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

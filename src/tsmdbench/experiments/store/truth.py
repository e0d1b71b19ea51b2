"""What was to be found: the truth of every problem, kept beside the runs.

With it a store can be scored anywhere, also where the data is not. It is the file
``truth.parquet`` of a store, with a row per problem: dataset, split, problem, n (length
of the series), channels, labels and truth (for each label its segments).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.store.rows import FoundLists
from tsmdbench.types import Problem

TRUTH = "truth.parquet"
SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("split", pa.string()),
        ("problem", pa.string()),
        ("n", pa.int64()),
        ("channels", pa.int64()),
        ("labels", pa.list_(pa.string())),
        ("truth", pa.list_(pa.list_(pa.list_(pa.int64())))),
    ]
)
Place = tuple[str, str, str]  # dataset, split, problem


class Truth(NamedTuple):
    """The true motif sets of one problem, and the size of its series."""

    n: int
    channels: int
    labels: tuple[str, ...]
    sets: FoundLists


def truth_of(problem: Problem) -> Truth:
    """Return the truth of a problem."""
    series = problem.series
    return Truth(
        len(series),
        1 if series.ndim == 1 else series.shape[1],
        tuple(map(str, problem.truth)),
        [motifs.segments.tolist() for motifs in problem.truth.values()],
    )


def read_truth(store: Path) -> dict[Place, Truth]:
    """Return the truth of every problem that was asked for of a store.

    Parameters
    ----------
    store : path
        Its folder.

    Raises
    ------
    StoreError
        The file is damaged.
    """
    file = Path(store) / TRUTH
    if not file.exists():
        return {}
    try:
        rows = _table(file).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise StoreError(
            f"{file} is damaged ({error}); remove it, 'tsmdbench resume {store}' makes "
            f"it anew"
        ) from None
    return {
        (row["dataset"], row["split"], row["problem"]): Truth(
            row["n"], row["channels"], tuple(row["labels"]), row["truth"]
        )
        for row in rows
    }


def added(
    known: Mapping[Place, Truth], dataset: str, split: str, problems: Iterable[Problem]
) -> dict[Place, Truth]:
    """Return what is known with the truth of further problems.

    Raises
    ------
    InputError
        A problem is known and was another one.
    """
    both = dict(known)
    for problem in problems:
        where, truth = (dataset, split, problem.name), truth_of(problem)
        if both.setdefault(where, truth) != truth:
            raise InputError(
                f"problem {problem.name!r} of {dataset!r} is not the one that the "
                f"store has results for; rename it or take another store"
            )
    return both


def truth_parquet(truths: Mapping[Place, Truth]) -> bytes:
    """Return truths as a file, sorted by problem."""
    rows: list[dict[str, Any]] = [
        {
            "dataset": dataset,
            "split": split,
            "problem": problem,
            "n": truth.n,
            "channels": truth.channels,
            "labels": list(truth.labels),
            "truth": truth.sets,
        }
        for (dataset, split, problem), truth in sorted(truths.items())
    ]
    sink = pa.BufferOutputStream()
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return bytes(sink.getvalue())


def _table(file: Path) -> pa.Table:
    # Not by pyarrow.dataset, whose threads now and then abort a process at its exit.
    with pq.ParquetFile(file, page_checksum_verification=True) as parquet:
        return parquet.read(use_threads=False)

"""Ground truth of the problems in a store (``truth.parquet``).

With it a store can be scored where the data is missing. The file has a row per problem:
dataset, split, problem, n (length of the series), channels, labels, truth (for each
label its motifs, in the form of `packed_sets`) and data (hash of series and truth).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from tsmdbench.errors import InputError, StoreError
from tsmdbench.experiments.packed_sets import LISTS, PACKED, encodings, packed, unpacked
from tsmdbench.experiments.rows import (
    CHECKED,
    FAULTS,
    FoundLists,
    check_columns,
    open_parquet,
    storable,
)
from tsmdbench.io import PathLike
from tsmdbench.io.files import parquet_bytes
from tsmdbench.segments import check_within
from tsmdbench.types import MotifSet, Problem

TRUTH = "truth.parquet"
SCHEMA = pa.schema(
    [
        ("dataset", pa.string()),
        ("split", pa.string()),
        ("problem", pa.string()),
        ("n", pa.int64()),
        ("channels", pa.int64()),
        ("labels", pa.list_(pa.string())),
        ("truth", PACKED),
        ("data", pa.string()),
    ]
)
PLACE = ("dataset", "split", "problem")
Place = tuple[str, str, str]  # the values of these


class Truth(NamedTuple):
    """The true motif sets of one problem, and the size of its series."""

    n: int
    channels: int
    labels: tuple[str, ...]
    sets: FoundLists
    data: str = ""


def truth_of(problem: Problem) -> Truth:
    """Return the truth of a problem."""
    series = problem.series
    return Truth(
        len(series),
        1 if series.ndim == 1 else series.shape[1],
        tuple(storable(str(label)) for label in problem.truth),
        [motifs.to_rows() for motifs in problem.truth.values()],
        data_digest(problem),
    )


def in_time(sets: Any) -> list[list[list[int]]]:
    """Return stored sets without the channels of their motifs.

    >>> in_time([[[0, 10, 1, 0, 8, 2, 1, 10]]])
    [[[0, 10]]]
    """
    return [[list(motif[:2]) for motif in motifs] for motifs in sets]


def with_channels(truth: Truth, found: list[Any]) -> tuple[Any, Any]:
    """Return true and found sets; if a true one has channels, all have.

    A plain set lives in all channels of the series.
    """
    if all(len(motif) == 2 for motifs in truth.sets for motif in motifs[:1]):
        return truth.sets, found
    sides = []
    for sets in (truth.sets, found):
        made = map(MotifSet.from_rows, sets)
        every = range(truth.channels)
        sides.append(
            [m if m.channels is not None else MotifSet(m, channels=every) for m in made]
        )
    return sides[0], sides[1]


def data_digest(problem: Problem) -> str:
    """Return a hash of a problem's series and truth, the same on every machine.

    Labels do not count: they are names.
    """
    series = np.ascontiguousarray(problem.series, dtype="<f8")
    digest = hashlib.blake2b(digest_size=16)
    digest.update(json.dumps(series.shape).encode())
    digest.update(series.tobytes())
    for motifs in problem.truth.values():
        segments = np.ascontiguousarray(motifs.segments, dtype="<i8")
        digest.update(len(segments).to_bytes(8, "little"))
        digest.update(segments.tobytes())
        if motifs.channels is not None:
            digest.update(json.dumps(motifs.to_rows()).encode())
    return digest.hexdigest()


def read_truth(store: PathLike) -> dict[Place, Truth]:
    """Return the truth of every problem that was requested of a store."""
    file = Path(store) / TRUTH
    if not file.exists():
        return {}
    truths = {}
    try:
        # Not by pyarrow.dataset, whose threads may abort a process at its exit.
        with open_parquet(file) as parquet:
            table = parquet.read(use_threads=False)
        check_columns(table.schema, SCHEMA, "a truth")
        column = table.column_names.index("truth")
        table = table.set_column(column, "truth", unpacked(table["truth"]))
        for row in table.to_pylist():
            *where, n, channels, labels, sets, data = (row[f.name] for f in SCHEMA)
            if not all(isinstance(text, str) for text in (*where, *labels, data)):
                raise ValueError("a name is missing")
            if len(labels) != len(sets) or not (n >= 0 and channels >= 1):
                raise ValueError("a row contradicts itself")
            truth = Truth(n, channels, tuple(labels), sets, data)
            check_sets(sets, truth, "truth")
            dataset, split, problem = where
            truths[dataset, split, problem] = truth
    except FAULTS as error:
        raise StoreError(
            f"{file} is damaged ({error}); remove it, 'tsmdbench resume {store}' makes "
            f"it again"
        ) from None
    return truths


def check_sets(sets: FoundLists, truth: Truth, name: str) -> None:
    """Raise `InputError` unless stored sets lie in the series of a problem."""
    for motifs in map(MotifSet.from_rows, sets):
        check_within(motifs.segments, truth.n, name)
        if motifs.channels is not None and max(motifs.channels) >= truth.channels:
            raise InputError(
                f"{name}: channel {max(motifs.channels)} must be below "
                f"{truth.channels}, the number of channels"
            )


def joined(
    known: Mapping[Place, Truth], dataset: str, split: str, truths: Mapping[str, Truth]
) -> dict[Place, Truth]:
    """Add the truth of problems, by name, to what is known.

    Raises `InputError` where a problem is known and was another one.
    """
    both = dict(known)
    for problem, truth in truths.items():
        if both.setdefault((dataset, split, problem), truth) != truth:
            raise InputError(
                f"problem {problem!r} of {dataset!r} is not the one that the "
                f"store has results for: its series or its truth has changed; rename "
                f"the dataset or use another store"
            )
    return both


def truth_parquet(truths: Mapping[Place, Truth]) -> bytes:
    """Return truths as a file, sorted by problem."""
    rows = [
        {
            **dict(zip(PLACE, where, strict=True)),
            **truth._asdict(),
            "labels": list(truth.labels),
        }
        for where, truth in sorted(truths.items())
    ]
    columns: dict[str, Any] = {
        name: [row["sets" if name == "truth" else name] for row in rows]
        for name in SCHEMA.names
    }
    columns["truth"] = packed(pa.array(columns["truth"], LISTS))
    repeating, encoding = encodings("truth")
    return parquet_bytes(
        pa.table(columns, schema=SCHEMA),
        **CHECKED,
        use_dictionary=["dataset", "split", *repeating],
        column_encoding=encoding,
        compression_level=19,
    )

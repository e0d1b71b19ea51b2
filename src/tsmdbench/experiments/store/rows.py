"""One row per run: its columns, its identity, and what a run came to.

Conventions
-----------
``key``
    Names the run: a hash of method, version, parameters, dataset, split, problem and
    data. The same run has the same key on every machine, so it is done once.
``data``
    Hash of the series and the truth of the problem, see `store.truth.data_digest`.
``parameters``
    All hyperparameters as JSON with sorted keys, so that equal settings are equal
    texts. Fields that do not change the result (``compare=False``) are left out.
``status``
    ``ok``; ``timeout`` or ``memory``, a limit was broken; ``error``, the method raised,
    returned an invalid result or ended its process. All but ``ok`` has found nothing.
``seconds``
    What finding took, compilation and warm-up excluded (see
    `execution.child`). Where `shared` runs were found together by a sweep,
    each gets an equal part of its time.
``cpu_seconds``
    The processor time of the same, over all threads: what a run costs on a machine that
    does other things too.
``peak_memory``
    Most resident bytes of the process that computed, interpreter included.
``found``
    The motif sets, each a list of ``[start, end]``.
``message``
    Why a run failed: the exception, or the limit that it broke.
``traceback``
    Where it was raised, shortened. Null for other runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tsmdbench.errors import InputTypeError

STATUSES = ("ok", "timeout", "memory", "error")
FoundLists = list[list[list[int]]]

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("method", pa.string()),
        ("version", pa.string()),
        ("parameters", pa.string()),
        ("dataset", pa.string()),
        ("split", pa.string()),
        ("problem", pa.string()),
        ("data", pa.string()),
        ("status", pa.string()),
        ("seconds", pa.float64()),
        ("cpu_seconds", pa.float64()),
        ("peak_memory", pa.int64()),
        ("shared", pa.int32()),
        ("found", pa.list_(pa.list_(pa.list_(pa.int64())))),
        ("message", pa.string()),
        ("traceback", pa.string()),
    ]
)
NULLABLE = {"traceback"}  # columns that may have empty cells
# Columns whose values repeat; for others, a dictionary only costs space.
REPEATING = {"method", "version", "parameters", "dataset", "split", "status"}
# What a row is sorted by wherever rows are merged: nothing that depends on time.
ORDER = ("dataset", "split", "method", "version", "parameters", "problem")


@dataclass(frozen=True)
class Outcome:
    """What a run came to."""

    status: str
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    shared: int = 1
    found: FoundLists = field(default_factory=list)
    message: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Run:
    """What identifies a run."""

    method: str
    version: str
    parameters: str
    dataset: str
    split: str
    problem: str
    data: str = ""

    @property
    def key(self) -> str:
        """Hash of all fields."""
        return run_keys(self, [self.problem], [self.data])[0]

    def row(self, outcome: Outcome) -> dict[str, Any]:
        """Return the row that is stored."""
        where = {"traceback": outcome.traceback or None}
        return {"key": self.key, **vars(self), **vars(outcome), **where}


def run_keys(run: Run, problems: Iterable[str], data: Iterable[str]) -> list[str]:
    """Return the keys of a run on problems with these hashes."""
    head = hashlib.blake2b(digest_size=16)
    shared = [run.method, run.version, run.parameters, run.dataset, run.split]
    head.update(json.dumps(shared).encode())
    keys = []
    for problem, digest in zip(problems, data, strict=True):
        whole = head.copy()  # what they share is hashed once
        whole.update(f"{problem}\0{digest}".encode())
        keys.append(whole.hexdigest())
    return keys


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Return parameters as JSON: sorted, and the same for NumPy and Python numbers.

    >>> parameters_text({"radius": np.float64(0.5), "length": np.int64(8)})
    '{"length": 8, "radius": 0.5}'
    """
    return json.dumps(dict(parameters), sort_keys=True, default=_plain)


def _plain(value: Any) -> Any:
    """Turn what JSON does not know into what it does."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise InputTypeError(
        f"a parameter must be a number, a text, a truth value or a list of them, to be "
        f"stored, got {value!r}"
    )


def storable(text: str) -> str:
    r"""Return text from outside as UTF-8 can hold it.

    >>> storable("caf\u00e9 \udcff")
    'café \\udcff'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def table_of(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return rows as a table of the store's schema."""
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)

"""Exhaustive search for the setting with the highest mean F1 on the validation split.

The score of a run is the micro-averaged F1 of PROM, that of a setting its mean over all
validation problems. Failed runs score 0. The first setting
in the order of the grid wins a tie. Runs of a search are rows of the store like others,
so a search can be interrupted; its surface, every setting with its score, is written to
``tuning/<dataset>-<method>.parquet``, and the winners of all searches to
``tuning/tuned.toml``, which `tsmdbench run --params` reads.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tsmdbench.experiments.store import Store
from tsmdbench.experiments.tasks import Group
from tsmdbench.metrics import evaluate_many

METRIC = "prom_f1"
TUNED = "tuning/tuned.toml"  # in a store


@dataclass(frozen=True, eq=False)
class Surface:
    """Every setting of a grid with its score on the validation problems.

    Attributes
    ----------
    group : Group
        Method, settings and validation problems.
    scores : float64[settings]
        Mean F1.
    failed : int64[settings]
        Runs that did not end well.
    seconds, cpu_seconds : float64[settings]
        Mean time of a run, by the clock and of the processor.
    """

    group: Group
    scores: NDArray[np.float64]
    failed: NDArray[np.int64]
    seconds: NDArray[np.float64]
    cpu_seconds: NDArray[np.float64]

    @property
    def best(self) -> int:
        """Position of the winner: the first of the highest."""
        return int(np.argmax(self.scores))

    @property
    def winner(self) -> Mapping[str, Any]:
        """All hyperparameters of the winner."""
        return self.group.settings[self.best]

    @property
    def file(self) -> str:
        """Name of the surface's file in a store."""
        plain = re.sub(r"\W+", "-", f"{self.group.dataset}-{self.group.method.name}")
        return f"tuning/{plain}.parquet"

    def to_parquet(self) -> bytes:
        """Return the surface as a file: a row per setting, in the order of the grid."""
        runs = self.group.runs
        table = pa.table(
            {
                "dataset": [run.dataset for run in runs],
                "method": [run.method for run in runs],
                "version": [run.version for run in runs],
                "parameters": [run.parameters for run in runs],
                "mean_f1": self.scores,
                "problems": [len(self.group.problems)] * len(runs),
                "failed": self.failed,
                "mean_seconds": self.seconds,
                "mean_cpu_seconds": self.cpu_seconds,
                "winner": np.arange(len(runs)) == self.best,
            }
        )
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        return bytes(sink.getvalue())


def surface_of(store: Store, group: Group) -> Surface:
    """Compute the surface of a search whose runs are all in a store."""
    known = {
        "dataset": group.dataset,
        "split": group.split,
        "method": group.method.name,
        "version": group.method.version,
    }
    columns = ["key", "status", "seconds", "cpu_seconds", "found"]
    rows = {row["key"]: row for row in store.table(columns, known).to_pylist()}
    truths = [problem.truth for problem in group.problems]
    scores, failed, spent = [], [], []
    for keys in group.stored_keys(rows.keys()):
        mine = [rows[key] for key in keys if key is not None]
        pairs = [(t, row["found"]) for t, row in zip(truths, mine, strict=True)]
        scores.append(float(evaluate_many(pairs, [METRIC])[METRIC].mean()))
        failed.append(sum(row["status"] != "ok" for row in mine))
        spent.append(
            [
                np.mean(np.array([row[name] for row in mine], dtype=np.float64))
                for name in ("seconds", "cpu_seconds")
            ]
        )
    return Surface(group, np.array(scores), np.array(failed), *np.array(spent).T)


def tuned_toml(
    surfaces: Sequence[Surface], before: str = "", without: str | None = None
) -> str:
    """Return the winners in the form that ``--params`` reads.

    Parameters
    ----------
    surfaces : sequence of Surface
    before : str, optional
        What this returned for other searches; their winners are kept.
    without : str, optional
        A method whose winners are not kept.
    """
    tables: dict[tuple[str, str], dict[str, Any]] = {
        (method, dataset): fields
        for method, table in tomllib.loads(before).items()
        for dataset, fields in table["datasets"].items()
        if method != without
    }
    for surface in surfaces:
        group = surface.group
        chosen = json.loads(group.runs[surface.best].parameters)
        tables[group.method.name, group.dataset] = chosen
    lines = ["# The settings with the highest mean F1 on the validation split."]
    for (method, dataset), fields in tables.items():
        names = ".".join(map(json.dumps, (method, "datasets", dataset)))
        lines += ["", f"[{names}]"]
        lines += [f"{k} = {json.dumps(v)}" for k, v in fields.items() if v is not None]
    return "\n".join(lines) + "\n"

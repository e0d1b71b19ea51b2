"""Scores of the published baselines that are kept beside their stores.

Computing them takes seconds, so ``scores.parquet`` has them: a row per run of the test
split, in the order in which the store returns the runs. The file names the hash of the
runs and of the truth that it was made of, and the version of each metric; where one of
these differs, the scores are computed as for every other store. Files beside other
stores are never read: anybody could have written them. ``tools/keep_scores.py`` writes
the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.parts import open_parquet
from tsmdbench.experiments.store.truth import TRUTH
from tsmdbench.metrics import METRICS, Metric

FOLDER = Path(str(files("tsmdbench") / "data" / "baselines"))
KEPT = "scores.parquet"
MADE_OF = b"made_of"  # in the metadata of the file
SPLIT, THRESHOLD = "test", 0.5


def kept_values(store: Store, metrics: Mapping[str, Metric]) -> dict[str, Floats]:
    """Return the kept columns among those requested, with a value per run.

    Parameters
    ----------
    store : Store
        Of which the runs of the split `SPLIT` are to be scored.
    metrics : mapping
        Column to metric.
    """
    file = store.path / KEPT
    if store.path.parent != FOLDER or not file.is_file():
        return {}
    with open_parquet(file) as opened:
        made_of = json.loads(opened.schema_arrow.metadata[MADE_OF])
        if made_of["runs"] != runs_hash(store):
            return {}
        names = [
            name
            for name, metric in metrics.items()
            if metric.name in METRICS.added()
            and metric == METRICS[metric.name]
            and made_of["versions"].get(name) == metric.version
        ]
        table = opened.read(columns=names, use_threads=False)
    return {name: np.asarray(table[name], dtype=np.float64) for name in names}


def made_of(store: Store, metrics: Mapping[str, Metric]) -> bytes:
    """Return what kept scores depend on, for the metadata of the file."""
    versions = {name: metric.version for name, metric in metrics.items()}
    return json.dumps({"runs": runs_hash(store), "versions": versions}).encode()


def runs_hash(store: Store) -> str:
    """Return the hash of the runs and of the truth of a store."""
    found = hashlib.sha256()
    for file in (*store.parts(), store.path / TRUTH):
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()

"""PROM's numbers for many problems at once, without the objects around them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tsmdbench.metrics.batch import Batch
from tsmdbench.metrics.matching import match_sets
from tsmdbench.metrics.ties import best_found

Floats = NDArray[np.float64]
NAMES = ("precision", "recall", "f1")


def prom_of(
    batch: Batch, threshold: Fraction, *, penalize_off_target: bool
) -> dict[str, Floats]:
    """Return micro and macro averages for every problem of a batch.

    Equal, to the last bit, to what `tsmdbench.metrics.prom` returns for each.
    """
    ties = best_found(batch, threshold)
    cells = batch.cells(
        batch.truth.owner[ties.motif], ties.column, np.ones(len(ties.motif), np.int64)
    )
    rows = [
        _averages(
            table.common,
            batch.truth.sizes[table.rows],
            batch.found.sizes[table.columns],
            penalize_off_target=penalize_off_target,
        )
        for table in batch.tables(cells)
    ]
    names = [f"{prefix}_{name}" for prefix in ("prom", "prom_macro") for name in NAMES]
    values = np.array(rows).reshape(-1, len(names))
    return dict(zip(names, values.T, strict=True))


def _averages(
    common: NDArray[np.int64],
    truth_sizes: NDArray[np.int64],
    found_sizes: NDArray[np.int64],
    *,
    penalize_off_target: bool,
) -> tuple[float, ...]:
    """Return micro and macro precision, recall and F1 of one problem."""
    g, d = common.shape
    if not common.any():
        return (0.0,) * (2 * len(NAMES))
    rows, columns = match_sets(common, truth_sizes, found_sizes)
    hits = common[rows, columns].tolist()
    true, found = truth_sizes[rows].tolist(), found_sizes[columns].tolist()
    tp, motifs = sum(hits), int(truth_sizes.sum())
    counted = int(found_sizes.sum()) if penalize_off_target else sum(found)
    precision = math.fsum(hit / size for hit, size in zip(hits, found) if size)  # noqa: B905
    recall = math.fsum(hit / size for hit, size in zip(hits, true))  # noqa: B905
    f1 = math.fsum(2 * hit / (a + b) for hit, a, b in zip(hits, true, found))  # noqa: B905
    return (
        tp / counted,
        tp / motifs,
        2 * tp / (counted + motifs),
        precision / (d if penalize_off_target else len(rows)),
        recall / g,
        f1 / (max(g, d) if penalize_off_target else g),
    )

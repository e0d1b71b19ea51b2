"""Choose motif sets out of what paths induce, the fittest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import candidates
from tsmdbench.methods._locomotif.paths import Paths
from tsmdbench.methods._locomotif.threads import Check
from tsmdbench.types import MotifSet

TURN = 1 << 18  # candidates between which a search may be interrupted


class Choice(NamedTuple):
    """What decides which candidates become motif sets; see `LoCoMotif`."""

    l_min: int
    l_max: int
    overlap: float
    max_sets: int | None
    start_mask: Sequence[bool] | None
    end_mask: Sequence[bool] | None


def choose_motif_sets(
    found: Paths,
    along: NDArray[np.float32],
    n: int,
    choice: Choice,
    check: Check,
) -> tuple[MotifSet, ...]:
    """Return motif sets, the fittest first, given paths and similarities along.

    `check` is called now and then; it may raise, to end the search.
    """
    induced = _Induced(found, along, n)
    allowed = np.array([_allowed(choice.start_mask, n), _allowed(choice.end_mask, n)])
    limits = np.array([choice.l_min, choice.l_max, np.float32(choice.overlap)], float)
    counts = np.zeros((2, n + 1), np.int64)
    counts[1] = np.arange(n + 1)  # at first every sample has changed
    mask = np.zeros(n, np.bool_)
    ends, fitness = np.zeros(n, np.int64), np.zeros(n)
    starts = n - choice.l_min + 1
    turn = max(1, TURN // (choice.l_max - choice.l_min + 1))
    sets: list[MotifSet] = []
    while choice.max_sets is None or len(sets) < choice.max_sets:
        for first in range(0, starts, turn):
            last = min(first + turn, starts)
            candidates.update_candidates_inplace(
                *induced.tables, counts, allowed, limits, ends, fitness, first, last
            )
            check()
        start = int(np.argmax(fitness))
        if fitness[start] <= 0:
            break
        segments = induced.segments(start, int(ends[start]), counts[0])
        sets.append(MotifSet.from_valid(segments))
        barred = _barred(mask, segments, choice.overlap)
        counts[0, 1:] = np.cumsum(barred)
        counts[1, 1:] = np.cumsum(barred & ~mask)
        mask = barred
        allowed[:, mask] = False
    return tuple(sets)


class _Induced:
    """What paths, their mirror images and the main diagonal induce."""

    def __init__(self, found: Paths, along: NDArray[np.float32], n: int) -> None:
        spans, columns, sums = candidates.tabulate(n, found.cells, found.offsets, along)
        spans = spans[np.argsort(spans[:, 0], kind="stable")]
        self.tables = spans, columns, sums

    def segments(
        self, start: int, end: int, masked: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the segments that [start, end) induces on samples not masked."""
        spans, columns, _ = self.tables
        crossing = spans[(spans[:, 0] <= start) & (spans[:, 1] >= end)]
        base = crossing[:, 2] - crossing[:, 0]
        begins = columns[base + start, 1].astype(np.int64)
        stops = columns[base + end - 1, 1].astype(np.int64) + 1
        free = masked[stops] == masked[begins]
        return np.stack([begins[free], stops[free]], axis=1)


def _barred(
    mask: NDArray[np.bool_], segments: NDArray[np.int64], overlap: float
) -> NDArray[np.bool_]:
    """Return `mask` with the central part of each segment added, at least a sample."""
    barred = mask.copy()
    for start, end in segments.tolist():
        length = max(1, int((1 - 2 * overlap) * (end - start)))
        first = start + (end - start - length) // 2
        barred[first : first + length] = True
    return barred


def _allowed(mask: Sequence[bool] | None, n: int) -> NDArray[np.bool_]:
    """Return a mask as an array; all samples where there is none."""
    return np.ones(n, np.bool_) if mask is None else np.array(mask, np.bool_)

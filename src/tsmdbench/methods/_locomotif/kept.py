"""What is kept of linked cells: all codes, or chunks, and the ends of paths."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import cells, listing
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError

BYTES_PER_CELL = 6.0  # code, value and what is listed of a cell that is kept
MOST_CELLS = 1 << 32  # cells that keys have room to name
ENOUGH = 0.01  # share of the cells from which the rest is estimated

Codes = NDArray[np.uint8]
Values = NDArray[np.float32]
Keys = NDArray[np.uint64]


class Kept:
    """Cells that are kept, in the form of `_kernels.locomotif.cells`, and ends.

    Parameters
    ----------
    n : int
        Number of samples.
    smallest : float32
        What all ends exceed.
    dense : bool
        Whether all cells are kept, so that no table is needed.
    """

    def __init__(self, n: int, smallest: np.float32, *, dense: bool) -> None:
        self.n, self.dense = n, dense
        counts = -(-np.arange(1, 1 if dense else n + 1) // cells.CHUNK)
        self.begins = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.table = np.zeros(self.begins[-1], np.uint32)
        # The first chunk stands for all cells that are not kept.
        self.chunks: list[list[NDArray[Any]]] = [
            [np.zeros(cells.CHUNK, np.uint8)],
            [np.zeros(cells.CHUNK, np.float32)],
            [np.zeros(0 if dense else 1, np.int64)],
        ]
        self.count = 1
        self.keys: list[Keys] = []
        self.group_begins: list[Integers] = []
        # No cell has gathered more than n.
        bits = np.array([n, smallest], np.float32).view(np.uint32).tolist()
        lowest, highest = (
            (int(listing.LOWER) - b) << 32 >> int(listing.GROUP) for b in bits
        )
        self.groups = lowest, highest - lowest + 1

    def keep(self, codes: Codes, values: Values, low: int, high: int) -> None:
        """Keep chunks of rows low to high - 1, with which codes and values begin."""
        where = low * (low + 1) // 2, low, high, self.table, self.begins, self.count
        kept = cells.keep_chunks(codes, values, *where)
        self.count += len(kept[2])
        self._check_memory(high)
        for parts, part in zip(self.chunks, kept, strict=True):
            parts.append(part)

    def keep_ends(self, ends: Keys, a: int, codes: Codes, base: int) -> None:
        """Keep the ends of the strip that begins with row a, where they are needed."""
        size = listing.keep_keys_inplace(ends, a, codes, base, self.table, self.begins)
        grouped, begins = listing.group_keys(ends[:size], *self.groups)
        self.keys.append(grouped)
        self.group_begins.append(begins)

    def joined(self, codes: Codes, values: Values) -> tuple[NDArray[Any], ...]:
        """Return codes, table, begins, firsts, ends, their groups, and values."""
        if not self.dense:
            codes, values = (_concatenated(self.chunks[part]) for part in (0, 1))
        groups = np.array(self.group_begins)
        groups += np.concatenate([[0], np.cumsum(groups[:-1, -1])])[:, None]
        firsts, ends = _concatenated(self.chunks[2]), _concatenated(self.keys)
        return codes, self.table, self.begins, firsts, ends, groups, values

    def _check_memory(self, settled: int) -> None:
        """Raise if the rows so far suggest that more is needed than there is."""
        share = settled * (settled + 1) / (self.n * (self.n + 1))
        expected = self.count * cells.CHUNK / share
        needed = expected * BYTES_PER_CELL + self.table.nbytes
        memory = physical_memory()
        if share > ENOUGH and (needed > memory or expected > MOST_CELLS):
            raise InputError(
                f"LoCoMotif needs about {needed / 1e9:.0f} GB for {self.n} samples "
                f"with these settings, and {memory / 1e9:.0f} GB are there; take a "
                "larger rho or l_min, no warping, or fewer samples"
            )


def physical_memory() -> float:
    """Return the bytes of memory of this machine, infinite where it does not say."""
    names = getattr(os, "sysconf_names", {})  # not on Windows
    if "SC_PHYS_PAGES" not in names:
        return math.inf
    return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _concatenated(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays, emptying the list, so that little is held twice."""
    joined = np.empty(sum(map(len, parts)), parts[0].dtype)
    end = len(joined)
    while parts:
        part = parts.pop()
        joined[end - len(part) : end] = part
        end -= len(part)
    return joined

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
from tsmdbench.methods._locomotif.share import Share

BYTES_PER_CELL = 6.0  # code, value and what is listed of a cell that is kept
MOST_CELLS = 1 << 32  # cells that keys have room to name
ENOUGH = 0.01  # share of the cells from which the rest is estimated
ROWS = 64  # that are worth a thread of their own

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
        self.ends = Ends(n, smallest)

    def keep(
        self, codes: Codes, values: Values, low: int, high: int, share: Share
    ) -> None:
        """Keep chunks of rows low to high - 1, with which codes and values begin."""
        base = low * (low + 1) // 2

        def work(first: int, last: int) -> tuple[NDArray[Any], list[NDArray[Any]]]:
            """Keep chunks of some of the rows, numbered from 1 on."""
            rows = low + first, low + last
            kept = cells.keep_chunks(
                codes, values, base, *rows, self.table, self.begins
            )
            return self.table[self.begins[rows[0]] : self.begins[rows[1]]], kept

        for table, kept in share(work, high - low, ROWS):
            table += np.where(table, np.uint32(self.count - 1), np.uint32(0))
            self.count += len(kept[2])
            for parts, part in zip(self.chunks, kept, strict=True):
                parts.append(part)
        self._check_memory(high)

    def keep_ends(self, settled: int, codes: Codes, base: int) -> None:
        """Keep the ends of the rows up to `settled` where they are needed."""
        self.ends.settle(settled, codes, base, self.table, self.begins)

    def joined(self, codes: Codes, values: Values) -> tuple[NDArray[Any], ...]:
        """Return codes, table, begins, firsts, ends, their groups, and values."""
        if not self.dense:
            codes, values = (_concatenated(self.chunks[part]) for part in (0, 1))
        firsts = _concatenated(self.chunks[2])
        return codes, self.table, self.begins, firsts, *self.ends.settled_keys(), values

    def _check_memory(self, settled: int) -> None:
        """Raise if the rows so far suggest that more is needed than there is."""
        share = settled * (settled + 1) / (self.n * (self.n + 1))
        expected = self.count * cells.CHUNK / share
        needed = expected * BYTES_PER_CELL + self.table.nbytes
        memory = physical_memory()
        if share > ENOUGH and (needed > memory or expected > MOST_CELLS):
            raise InputError(
                f"LoCoMotif needs about {needed / 1e9:.0f} GB for {self.n} samples "
                f"with these settings, but {memory / 1e9:.0f} GB are available; use a "
                "larger rho or l_min, no warping, or fewer samples"
            )


class Ends:
    """Keys of ends, strip after strip, in one array, so that none is held twice.

    At its beginning are the keys of strips that are settled, in groups (see
    `_kernels.locomotif.listing`), then those of strips that are not.
    """

    def __init__(self, n: int, smallest: np.float32) -> None:
        self.keys: Keys = np.empty(1, np.uint64)
        self.settled = self.used = 0
        self.pending: list[tuple[int, int]] = []  # first row and number of ends
        self.begins: list[Integers] = []
        # No cell has gathered more than n.
        bits = np.array([n, smallest], np.float32).view(np.uint32).tolist()
        lowest, highest = (
            (int(listing.LOWER) - b) << 32 >> int(listing.GROUP) for b in bits
        )
        self.groups = lowest, highest - lowest + 1

    def add(self, a: int, parts: list[Keys]) -> None:
        """Add the ends of the strip that begins with row a, listed part by part."""
        for keys in parts:
            # In place where the system can. No view of the array is held.
            self.keys.resize(self.used + len(keys), refcheck=False)
            self.keys[self.used :] = keys
            self.used += len(keys)
        self.pending.append((a, sum(map(len, parts))))

    def settle(
        self, rows: int, codes: Codes, base: int, table: Any, begins: Integers
    ) -> None:
        """Keep only the needed ends of strips that begin before row `rows`."""
        at = self.settled
        while self.pending and self.pending[0][0] < rows:
            a, count = self.pending.pop(0)
            part = self.keys[at : at + count]
            at += count
            size = listing.keep_keys_inplace(part, a, codes, base, table, begins)
            grouped, group_begins = listing.group_keys(part[:size], *self.groups)
            self.keys[self.settled : self.settled + size] = grouped
            self.begins.append(group_begins + self.settled)
            self.settled += size
        rest = self.used - at
        self.keys[self.settled : self.settled + rest] = self.keys[at : self.used]
        self.used = self.settled + rest

    def settled_keys(self) -> tuple[Keys, Integers]:
        """Return all keys, and where the groups of each strip begin."""
        return self.keys[: self.settled], np.array(self.begins)


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

"""What is held of all pairs of samples: in memory, or beyond a limit in files.

Seven bits per pair are written once and read along paths, one bit per pair changes all
the time (see `_kernels.locomotif.paths`), and ends of paths, eight bytes each, are read
back in the order of their values. Up to a limit all of this is in memory. For longer
series only the one bit is, and the rest is in temporary files. They have no name, so
they are gone with the process, however it ends.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import paths, strips
from tsmdbench._kernels.locomotif.paths import SIDE, WORDS
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError

LIMIT = "TSMDBENCH_MEMORY"  # variable that sets the limit, in GB
USUAL = 1.0
CACHE = 1 << 16  # records in memory of those in a file
BATCH = 1 << 16  # ends that are read back together, unless a group has more

Codes = NDArray[np.uint8]
Values = NDArray[np.float32]
Keys = NDArray[np.uint64]


class Storage:
    """Room for a search; used again by the next one.

    Parameters
    ----------
    n : int
        Number of samples.
    searches : int, default 1
        Searches at the same time, each of which has a room; it is checked that there
        is memory and disk for all of them.
    """

    def __init__(self, n: int, searches: int = 1) -> None:
        side = -(-n // SIDE)
        count = side * (side + 1) // 2  # tiles
        pairs = count * SIDE**2
        # Ends have eight bytes each. Up to 7.2 % of the pairs were ends in series that
        # were tried (drift, rho 0.5); one of ten is reserved.
        free, rest, most = pairs // 8, count * 8 * WORDS + pairs * 8 // 10, _limit()
        self.filed = searches * (free + rest) > most and os.name == "posix"
        self.file, self.ends = -1, -1
        held = free if self.filed else free + rest
        _check(n, searches * held + 4000 * n, _memory(), "memory", "")
        if self.filed:
            folder = tempfile.gettempdir()
            advice = "set TMPDIR to a folder on a larger disk, or "
            room = shutil.disk_usage(folder).free
            _check(n, searches * rest, room, f"disk in {folder}", advice)
            files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115
            for file in files:
                weakref.finalize(self, file.close)
            self.file, self.ends = (file.fileno() for file in files)
            count = CACHE
        self.free = np.zeros((side * (side + 1) // 2, SIDE), np.uint64)
        self.tiles = np.zeros((1 << (count - 1).bit_length(), WORDS), np.uint64)
        self.clear()

    def clear(self) -> None:
        """Forget ends, and what was read from a file."""
        self.tags = np.full(len(self.tiles), -1)
        if not self.filed:
            self.tags = np.arange(len(self.tiles))
        self.keys: list[Keys] = []
        self.begins: list[Integers] = []
        self.count = 0

    @property
    def cells(self) -> tuple[Any, ...]:
        """What kernels look cells up in: free, file, tiles, tags, values."""
        return self.free, self.file, self.tiles, self.tags, self.tiles.view(np.float32)

    def write(self, strip: int, codes: Codes, values: Values) -> None:
        """Write the codes of the 64 rows of a strip, and the values of some of them.

        codes: u1[64, .], values: f4[., .], of at least ``64 (strip + 1)`` columns.
        """
        width, first = SIDE * (strip + 1), strip * (strip + 1) // 2
        records = np.empty((strip + 1, WORDS), np.uint64)
        for plane, bits in enumerate((5, 6, 0)):  # straight or flat, steep or flat
            mask = bits | (bits or strips.LINK) << strips.ASIDE
            records[:, plane : 3 * SIDE : 3] = _words(codes[:, :width] & mask)
        parts = values[:, :width].reshape(-1, strip + 1, SIDE).swapaxes(0, 1)
        records.view(np.float32)[:, 6 * SIDE :] = parts.reshape(strip + 1, -1)
        self.free[first : first + strip + 1] = _words(codes[:, :width] & strips.NEEDED)
        if self.filed:
            _write(self.file, records, first * records.strides[0])
        else:
            self.tiles[first : first + strip + 1] = records

    def write_ends(self, keys: Keys, begins: Integers) -> None:
        """Write keys in groups, given where these begin and the last one ends."""
        self.begins.append(self.count + begins)
        if self.filed:
            _write(self.ends, keys, 8 * self.count)
        else:
            self.keys.append(keys)
        self.count += len(keys)

    def free_ends(self, first: int, last: int, low: np.uint64) -> Keys:
        """Return the keys of groups `first` to `last` - 1 whose cells are free."""
        found = [np.empty(0, np.uint64)]
        for turn, begins in enumerate(self.begins):
            start, end = int(begins[first]), int(begins[last])
            if self.filed and start < end:
                data = os.pread(self.ends, 8 * (end - start), 8 * start)
                keys = np.frombuffer(data, np.uint64)
            elif start < end:
                keys = self.keys[turn][start - begins[0] : end - begins[0]]
            else:
                continue
            found.append(paths.free_keys(self.free, keys, low))
        return np.concatenate(found)

    def batches(self) -> list[int]:
        """Return the groups with which batches begin, and where the last one ends."""
        totals = np.cumsum(np.diff(self.begins, axis=1).sum(axis=0))
        chosen = [0]
        while chosen[-1] < len(totals):
            before = totals[chosen[-1] - 1] if chosen[-1] else 0
            end = int(np.searchsorted(totals, before + BATCH, side="right"))
            chosen.append(max(end, chosen[-1] + 1))
        return chosen


def _write(file: int, array: NDArray[Any], place: int) -> None:
    """Write a whole array, or raise the error of a full disk."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
    done = 0
    try:
        while done < len(data):  # the system may write a part only
            done += os.pwrite(file, data[done:], place + done)
    except OSError as error:
        raise OSError(
            error.errno,
            f"LoCoMotif cannot write its temporary file ({error.strerror}); set TMPDIR "
            "to a folder on a larger disk, or resample the series",
            tempfile.gettempdir(),
        ) from error


def _words(bits: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a word for each 64 columns of rows, [columns / 64, rows], of its bits."""
    return np.packbits(bits, axis=1, bitorder="little").view(np.uint64).T


def _limit() -> float:
    """Return the bytes up to which all is held in memory."""
    value = os.environ.get(LIMIT, "").strip() or str(USUAL)
    try:
        limit = float(value)
    except ValueError:
        limit = math.nan
    if not limit >= 0:
        raise InputError(f"{LIMIT} must be a number of GB, such as 1, got {value!r}")
    return limit * 1e9


def _memory() -> float:
    """Return the bytes of memory of this machine, infinite where it does not say."""
    names = getattr(os, "sysconf_names", {})  # not on Windows
    if "SC_PHYS_PAGES" not in names:
        return math.inf
    return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _check(n: int, needed: int, room: float, of_what: str, advice: str) -> None:
    """Raise if there is not enough room."""
    if needed > room:
        raise InputError(
            f"LoCoMotif needs {needed:,} bytes of {of_what} for {n:,} samples, but "
            f"there are {int(room):,}; {advice}resample the series: half the samples "
            "need a quarter"
        )

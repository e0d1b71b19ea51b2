"""LoCo: local warping paths along which a series is similar to itself.

Samples i and j are similar by ``exp(-gamma ||x_i - x_j||^2)``. A threshold, the
`rho`-quantile of all similarities, separates matches from gaps: along a path a match
adds its similarity, a gap halves what was gathered and takes off twice the threshold.
Paths are taken greedily, the one that gathered most first; each keeps others out of its
vicinity. All values are float32 and computed in the order of operations of the authors'
release, so that thresholds, values and comparisons agree with it bit for bit.

Values are not held for all pairs of samples. Strips of rows are computed twice: from
the beginning of the series on, to keep two rows above each strip, the *checkpoints*;
then, from these, from the end of the series on, to link cells with where their values
come from. What the search needs of a cell goes to `Storage`: one bit that changes
during the search, seven bits that are written once and read along paths, and ends of
paths, eight bytes each. Up to a limit all of this is in memory. For longer series only
the one bit is, and the rest is in temporary files without a name, which are gone with
the process, however it ends.
"""

from __future__ import annotations

import functools
import itertools
import math
import mmap
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import needed, paths, similarity, strips
from tsmdbench._kernels.locomotif.paths import SIDE, WORDS
from tsmdbench._kernels.progress import tell
from tsmdbench._kernels.threads import Threads, check_stop
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError

LIMIT = "TSMDBENCH_MEMORY"  # variable that sets the limit, in GB
USUAL = 1.0
BLOCK = 1 << 24  # cells between which a search may be interrupted
SPREAD = 4.0  # standard errors by which the rank of a sampled quantile may be off
NARROW = 1 << 10  # columns that are worth a thread of their own
VICINITY = 10  # smallest width of the vicinity of a path, in samples
SHORT = 1 << 11  # samples up to which all rows are one strip
STRIP = 1 << 20  # cells of a strip of a longer series, as far as that is possible
WINDOW = 1 << 22  # cells of rows that are settled together, of a short series
AHEAD = 64, 512  # fewest and most rows that are linked before others are settled
GROUP = 18  # lowest bits of a value that do not matter to its group
BATCH = 1 << 16  # ends that are looked at together, unless a group has more
TURN = 1 << 15  # ends between which a search may be interrupted

Codes = NDArray[np.uint8]
Values = NDArray[np.float32]
Keys = NDArray[np.uint64]


class Similarities:
    """The similarities of a series: all, if that is requested, or as they are needed.

    Parameters
    ----------
    x : float32[n, d]
        The series. Its variance is taken over all channels and summed in memory
        order, as NumPy does.
    jobs : int, default 1
        Number of threads that share the work on rows. Results do not depend on it.
    most : int, default 0
        Cells up to which all similarities are kept, for several searches.
    """

    def __init__(self, x: Values, jobs: int = 1, most: int = 0) -> None:
        deviation = np.std(x, axis=None)
        self.n, self.jobs, self.pool = len(x), jobs, Threads(jobs)
        self.total = self.n * (self.n + 1) // 2
        self.constant = bool(deviation == 0)
        self.x = np.ascontiguousarray(x[::-1].T)  # in reversed time
        self.gamma = 0.0 if self.constant else float(1 / deviation**2)
        self.packed = np.empty(0, np.float32)
        if not self.constant and self.total <= most:
            self.packed = np.empty(self.total, np.float32)
            self._by_rows(similarity.similarities_inplace, self.packed)

    @property
    def source(self) -> tuple[Values, float, Values]:
        """What kernels compute similarities from: x, gamma, and all, if these are."""
        return self.x, self.gamma, self.packed

    def map(self, work: Callable[[int, int], Any], edges: list[int]) -> list[Any]:
        """Return ``work(first, last)`` for neighbouring edges, shared by threads."""

        def part(first: int, last: int) -> Any:
            check_stop()
            return work(first, last)

        if self.jobs == 1 or len(edges) == 2:
            return [part(*pair) for pair in itertools.pairwise(edges)]
        return list(self.pool.map(part, edges[:-1], edges[1:]))

    def map_columns(self, work: Callable[[int, int], Any], size: int) -> None:
        """Call ``work(first, last)`` for parts of `size` columns."""
        parts = max(1, min(self.jobs, size // NARROW))
        self.map(work, [size * part // parts for part in range(parts + 1)])

    def _by_rows(self, work: Callable[..., Any], *given: Any) -> list[Any]:
        """Return what a kernel gives for blocks of rows of all cells."""
        edges = [*range(0, self.n, max(1, BLOCK // self.n)), self.n]
        return self.map(lambda *rows: work(self.x, self.gamma, *given, *rows), edges)

    def quantile(self, rho: float) -> np.float32:
        """Return a quantile of all similarities, as `np.quantile` gives it.

        NumPy does all of this in float32, also the position ``rho (m - 1)``, which for
        many values is a rough one; so do we. A sample of the cells tells between which
        exponents the wanted ones lie. Only those are listed, all others are counted:
        `np.partition` of all would take a tenth of the time and most of the memory.
        """
        place = (self.total - 1) * np.float32(rho)
        below = np.floor(place)
        # Ranks among exponents: the larger its exponent, the smaller is a similarity.
        ranks = [max(0, self.total - 1 - int(below + t)) for t in (0, 1)]
        if place >= np.float32(self.total - 1):
            ranks = [0, 0]
        count = min(self.total, max(1 << 12, round(self.total ** (2 / 3))))
        # Multiples of an irrational number, taken modulo 1, are spread evenly.
        step = int((math.sqrt(5) - 1) / 2 * self.n**2)
        i, j = np.divmod(np.arange(count) * step % self.n**2, self.n)
        squares = (self.x[:, i] - self.x[:, j]) ** 2
        sample = np.sort(np.sum(self.gamma * squares.astype(float), axis=0))
        sample = np.concatenate([[0.0], sample, [np.finfo(float).max]])
        for errors in SPREAD * 4.0 ** np.arange(99):
            margin = errors * 0.5 * math.sqrt(count) + 2
            around = np.array([ranks[1] / self.total * count - margin, 0])
            around[1] = ranks[0] / self.total * count + margin
            low, high = sample[np.clip(np.round(around), -1, count).astype(int) + 1]
            parts = self._by_rows(similarity.exponents_between, low, high)
            # Ends of the ranks of those below, equal to low, between, equal to high.
            ends = np.cumsum(np.sum([counts for counts, _ in parts], axis=0))
            if ends[0] <= ranks[1] and ranks[0] < ends[3]:
                break
        between = np.concatenate([listed for _, listed in parts])
        inside = sorted({r - ends[1] for r in ranks if ends[1] <= r < ends[2]})
        if inside:
            between.partition(inside)
        found = [
            low if r < ends[1] else high if r >= ends[2] else between[r - ends[1]]
            for r in ranks
        ]
        lower, upper = (np.float32(math.exp(-exponent)) for exponent in found)
        share = np.float32(place - below)
        if share >= 0.5:  # interpolated from the nearer end
            return np.float32(upper - (upper - lower) * (1 - share))
        return np.float32(lower + (upper - lower) * share)


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
        pairs, size = count * SIDE**2, count * 8 * WORDS
        # Ends have eight bytes each. Up to 7.2 % of the pairs were ends in series that
        # were tried (drift, rho 0.5); one of ten is reserved.
        free, rest = pairs // 8, size + pairs * 8 // 10
        self.filed = searches * (free + rest) > _limit()
        held = free if self.filed else free + rest
        _check(n, searches * held + 4000 * n, _memory(), "memory", "")
        if self.filed:
            folder = tempfile.gettempdir()
            advice = "set TMPDIR to a folder on a larger disk, or "
            room = shutil.disk_usage(folder).free
            _check(n, searches * rest, room, f"disk in {folder}", advice)
            open_file = functools.partial(tempfile.TemporaryFile, buffering=0)
            self.files: list[Any] = [open_file(), open_file()]
            for file in self.files:
                weakref.finalize(self, file.close)
            self.files[0].truncate(size)
            self.map = mmap.mmap(self.files[0].fileno(), size, access=mmap.ACCESS_READ)
            tiles = np.frombuffer(self.map, np.uint64)
        else:
            tiles = np.zeros(count * WORDS, np.uint64)
        self.free = np.zeros((count, SIDE), np.uint64)
        self.tiles = tiles.reshape(count, WORDS)
        self.clear()

    def clear(self) -> None:
        """Forget ends."""
        self.ends: list[Keys] = []
        self.begins: list[Integers] = []
        self.count = 0

    def write(self, strip: int, codes: Codes, values: Values) -> None:
        """Write the codes of the 64 rows of a strip, and the values of some of them.

        codes: u1[64, .], values: f4[., .], of at least ``64 (strip + 1)`` columns.
        """
        width, first = SIDE * (strip + 1), strip * (strip + 1) // 2
        own = slice(first, first + strip + 1)
        records = np.empty((strip + 1, WORDS), np.uint64)
        for plane, bits in enumerate((5, 6, 0)):  # straight or flat, steep or flat
            mask = bits | (bits or strips.LINK) << strips.ASIDE
            records[:, plane : 3 * SIDE : 3] = _words(codes[:, :width] & mask)
        parts = values[:, :width].reshape(-1, strip + 1, SIDE).swapaxes(0, 1)
        records.view(np.float32)[:, 6 * SIDE :] = parts.reshape(strip + 1, -1)
        self.free[own] = _words(codes[:, :width] & strips.NEEDED)
        if self.filed:
            self._append(0, records, first * records.strides[0])
        else:
            self.tiles[own] = records

    def write_ends(self, keys: Keys, groups: Keys) -> None:
        """Write sorted keys, given with which key each group ends."""
        self.begins.append(self.count + np.searchsorted(keys, groups))
        if self.filed:
            self._append(1, keys, 8 * self.count)
        else:
            self.ends.append(keys)
        self.count += len(keys)

    def _append(self, file: int, array: NDArray[Any], place: int) -> None:
        """Write a whole array to a file, or raise the error of a full disk."""
        try:
            self.files[file].seek(place)
            data = array.reshape(-1).view(np.uint8).data
            while len(data):  # the system may write a part only
                data = data[self.files[file].write(data) :]
        except OSError as error:
            raise OSError(
                error.errno,
                f"LoCoMotif cannot write its temporary file ({error.strerror}); set "
                "TMPDIR to a folder on a larger disk, or resample the series",
                tempfile.gettempdir(),
            ) from error

    def free_ends(self, first: int, last: int, bits: np.uint64) -> Keys:
        """Return the keys of groups `first` to `last` - 1 whose cells are free."""
        found = [np.empty(0, np.uint64)]
        for turn, begins in enumerate(self.begins):
            start, end = int(begins[first]), int(begins[last])
            if self.filed:
                self.files[1].seek(8 * start)
                keys = np.fromfile(self.files[1], np.uint64, end - start)
            else:
                keys = self.ends[turn][start - begins[0] : end - begins[0]]
            found.append(paths.free_keys(self.free, keys, bits))
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

    def release(self) -> None:
        """Let the system take back the memory of what was read from a file."""
        if self.filed and hasattr(mmap, "MADV_DONTNEED"):  # not on Windows
            self.map.madvise(mmap.MADV_DONTNEED)


def _words(bits: NDArray[Any]) -> Keys:
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
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):  # not on Windows
        return math.inf
    return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _check(n: int, needs: int, room: float, of_what: str, advice: str) -> None:
    """Raise if there is not enough room."""
    if needs > room:
        raise InputError(
            f"LoCoMotif needs {needs:,} bytes of {of_what} for {n:,} samples, but "
            f"there are {int(room):,}; {advice}resample the series: half the samples "
            "need a quarter"
        )


class Paths(NamedTuple):
    """Paths one after the other: ``int32[m, 2]`` cells, ``int64[p + 1]`` offsets."""

    cells: NDArray[np.int32]
    offsets: Integers


class Search:
    """Search for the paths of a series, best first.

    Cells are linked a strip of `rows` rows at a time, the first of them at the end of
    the series.

    Parameters
    ----------
    similarities : Similarities
        Of the series. Their threads share the work.
    tau : float32
        Similarity from which on two samples match.
    l_min : int
        Fewest rows or columns of a path.
    storage : Storage
        Room for one search at a time.
    warping : bool
        Whether a path may step over one row or column at a time.
    """

    def __init__(
        self,
        similarities: Similarities,
        tau: np.float32,
        l_min: int,
        storage: Storage,
        *,
        warping: bool,
    ) -> None:
        self.n = n = similarities.n
        self.similarities, self.storage = similarities, storage
        self.tau, self.l_min, self.warping = tau, l_min, warping
        self.band = max(VICINITY, l_min // 2)
        # What the end of a path of useful length exceeds. The end is the largest cell
        # of its path. Either all cells but the first are matches, each adding tau or
        # more, or there is a gap, and what came before a gap that left something was
        # above 4 tau. A little is taken off for rounding.
        steps = -(-(l_min - 1) // 2) if warping else l_min - 1
        self.stop = np.float32(min(4, steps) * float(tau) * (1 - 1e-5))
        side = -(-n // SIDE)
        self.rows = SIDE * (side if n <= SHORT else max(2, STRIP // (SIDE * n)))
        self.strip = np.zeros((self.rows + 2, SIDE * ((n + 2) // SIDE + 1)), np.float32)
        self.above: dict[int, Values] = {}
        # Keys of ends: see `_kernels.locomotif.paths`.
        largest, lowest = np.array([n, self.stop], np.float32).view(np.uint32).tolist()
        self.largest, self.bits = np.uint64(largest), np.uint64(n.bit_length())
        shift = 2 * int(self.bits)
        if (largest - lowest).bit_length() + shift > 64:
            raise InputError(
                f"rho is too small for {n:,} samples: samples match from a similarity "
                f"of {tau:.2g} on; use a larger one"
            )
        groups = np.arange(1, (largest - lowest >> GROUP) + 1, dtype=np.uint64)
        ends = groups << np.uint64(GROUP + shift)
        self.groups = np.concatenate([[np.uint64(0)], ends, [paths.ALL]])

    def paths(self, tell: Callable[[float], None] = tell) -> Paths:
        """Return the paths above the main diagonal; `tell` gets the fraction done."""
        self.storage.clear()
        starts = range(0, self.n, self.rows)
        for turn, a in enumerate(reversed(starts[1:])):
            self._cumulate(a)
            self.above[a - self.rows] = self.strip[:2, : a + 3].copy()
            tell(0.4 * turn / len(starts))
        self._link(tell)
        return self._search(tell)

    def _cumulate(self, a: int) -> None:
        """Fill the strip that begins with row a."""
        rows = min(self.rows, self.n - a)
        above = self.above.get(a, np.zeros((2, 1), np.float32))
        self.strip[rows : rows + 2] = 0
        self.strip[rows : rows + 2, : above.shape[1]] = above
        fixed = self.tau, self.warping, self.strip
        self.similarities.map_columns(
            lambda first, last: strips.cumulate_strip_inplace(
                *self.similarities.source, a, rows, first, last, *fixed
            ),
            a + rows,
        )

    def _link(self, tell: Callable[[float], None]) -> None:
        """Link the cells strip by strip, and store what the search needs of them.

        Whether a cell can matter depends on its tree, which may go on in rows that are
        not linked yet, and through other trees on rows still further up. So rows are
        settled once `ahead` more are linked; see `needed.spread_inplace`. A few cells
        are taken as needed that way although they are not.
        """
        n, rows = self.n, self.rows
        ahead = min(max(AHEAD[0], self.l_min), AHEAD[1])
        step = -(-max(ahead, WINDOW // n - ahead) // rows) * rows
        height = min(step + ahead + rows, n) + SIDE
        codes = np.zeros((height, self.strip.shape[1]), np.uint8)
        state = np.zeros((2, 3, 2, n + strips.PAD), np.float32)
        kept: list[tuple[Keys, Values]] = []  # ends, and some values, of each strip
        low = 0
        for turn, a in enumerate(range(0, n, rows)):
            self._cumulate(a)
            self.above.pop(a, None)
            own = codes[a - low : min(a + rows, n) - low]
            high = a + len(own)
            before, after = state[turn % 2], state[1 - turn % 2]
            fixed = self.warping, self.band, self.l_min, self.stop, before, after, own
            link = functools.partial(strips.link_strip_inplace, self.strip, a, len(own))
            self.similarities.map_columns(
                lambda first, last, link=link, fixed=fixed: link(first, last, *fixed),  # type: ignore[misc]
                high,
            )
            ends = strips.list_ends(own, self.strip, a, self.largest, self.bits)
            # Of each EVERY rows two, those of a tile together.
            some = self.strip[:-2].reshape(-1, paths.EVERY, codes.shape[1])[:, :2]
            kept.append((ends, some.reshape(-1, paths.KEPT, codes.shape[1])))
            if high == n or high >= low + step + ahead:
                settled = n if high == n else low + step
                above = codes[settled - low : high - low].copy()
                rest = codes[: high - low]
                needed.spread_inplace(rest, low, high == n, self.band, self.warping)
                count = -(-(settled - low) // rows)  # strips
                ready, kept = kept[:count], kept[count:]
                values = np.concatenate([values for _, values in ready])
                for i in range(low, settled, SIDE):
                    block = codes[i - low : i - low + SIDE]
                    self.storage.write(i // SIDE, block, values[(i - low) // SIDE])
                keys = np.concatenate([ends for ends, _ in ready])
                # Sorted into an array of their own: others would stay in memory.
                keys = np.sort(paths.free_keys(self.storage.free, keys, self.bits))
                self.storage.write_ends(keys, self.groups)
                if settled < n:
                    below = codes[settled - low - 2 : settled - low].copy()
                    codes[: len(above)] = above
                    codes[len(above) :] = 0
                    needed.require_origins_inplace(codes[: len(above)], below)
                low = settled
            tell(0.4 + 0.4 * turn * rows / n)

    def _search(self, tell: Callable[[float], None]) -> Paths:
        """Search for paths, a batch of ends after the other."""
        storage, source = self.storage, self.similarities.source
        fixed = *source, self.tau, self.band, self.l_min, self.stop, self.bits
        cells = storage.free, storage.tiles, storage.tiles.view(np.float32)
        found, lengths = [np.empty((0, 2), np.int32)], [np.zeros(1, np.int64)]
        later = np.empty(0, np.uint64)  # ends that are found on the way
        batches = storage.batches()
        # What is read of a file stays in memory until the end of a turn, so turns are
        # short there, the more so where paths are long.
        size = 1 if storage.filed else TURN
        for turn, (first, last) in enumerate(itertools.pairwise(batches)):
            end = self.groups[last]
            keys = storage.free_ends(first, last, self.bits)
            keys, later = np.append(keys, later[later < end]), later[later >= end]
            keys.sort()
            while len(keys):
                check_stop()
                part, keys = keys[:size], keys[size:]
                until = keys[0] if len(keys) else end
                path, own, new = paths.search(*cells, *fixed, part, until)
                found.append(path)
                lengths.append(own)
                if (new < end).any():
                    keys = np.sort(np.append(keys, new[new < end]))
                later = np.append(later, new[new >= end])
                storage.release()
                if storage.filed:
                    size = max(1, size // 4) if 8 * len(path) > self.n else 2 * size
                    size = max(1, min(size, TURN >> 9))
                tell(0.8 + 0.2 * turn / len(batches))
        tell(1.0)
        return Paths(np.concatenate(found), np.cumsum(np.concatenate(lengths)))

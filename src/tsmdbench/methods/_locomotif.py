"""LoCo: local warping paths along which a series is similar to itself.

Samples i and j are similar by ``exp(-gamma ||x_i - x_j||^2)``. A threshold, the
`rho`-quantile of all similarities, tells matches from gaps: along a path a match adds
its similarity, a gap halves what was gathered and takes off twice the threshold. Paths
are taken greedily, the one that gathered most first; each keeps others out of its
vicinity.

Conventions
-----------
* All values are float32 and computed in the order of operations of the authors'
  release, so that thresholds, values and comparisons agree with it bit for bit.
* Of equally large ends the latest comes first: the highest row, then the highest
  column.
* Neither similarities nor what paths gather are held for all cells. Rows are computed a
  strip at a time, forward in time to lay checkpoints, then backward from these. What is
  held of a cell is one byte (see `_kernels.locomotif.links`): for all cells of a series
  of up to about 11,000 samples, beyond that in chunks that can matter to a long path.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel: LoCoMotif: discovering
time-warped motifs in time series. Data Mining and Knowledge Discovery 38, 2024.
https://doi.org/10.1007/s10618-024-01032-z
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import (
    cells,
    cumulative,
    links,
    listing,
    needed,
    paths,
    similarity,
)
from tsmdbench._kernels.threads import nothing, run_jobs, thread_count
from tsmdbench.errors import InputError

VICINITY = 10  # smallest width of the vicinity of a path, in samples
DENSE = 1 << 26  # cells up to which the codes of all are kept
STORED = 1 << 24  # cells up to which all similarities are kept
WINDOW = 1 << 25  # cells of rows that are settled together, otherwise
STRIP = 1 << 19  # cells of a strip, unless a strip of sqrt(n) rows has more
AHEAD = 64  # rows that are linked before others are settled, at least
NARROW = 1 << 10  # columns that are worth a thread of their own
BYTES_PER_CELL = 6.0  # code, value and what is listed of a cell that is kept
MOST_CELLS = 1 << 32  # cells that keys have room to name
ENOUGH = 0.01  # share of the cells from which the rest is estimated
SPREAD = 4.0  # standard errors by which the rank of a sampled quantile may be off

Codes = NDArray[np.uint8]
Keys = NDArray[np.uint64]
Tell = Callable[[float], None]


class Paths(NamedTuple):
    """Paths one after the other: ``int32[m, 2]`` cells, ``int64[p + 1]`` offsets."""

    cells: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Similarities:
    """The similarities of a series: all, if that is asked for, or as they are needed.

    Parameters
    ----------
    x : float32[n, d]
        The series. Its variance is taken over all channels and summed in memory
        order, as NumPy does.
    n_jobs : int, default 1
        Threads that share the work. Results do not depend on it.
    store : bool, default False
        Whether to keep all, four bytes each, for several searches.
    """

    def __init__(
        self, x: NDArray[np.float32], n_jobs: int = 1, *, store: bool = False
    ) -> None:
        deviation = np.std(x, axis=None)
        self.n = len(x)
        self.constant = bool(deviation == 0)
        # In reversed time, see `_kernels.locomotif.triangle`.
        self.x = np.ascontiguousarray(x[::-1].T)
        self.gamma = 0.0 if self.constant else float(1 / deviation**2)
        self.packed = np.empty(0, np.float32)
        count = self.n * (self.n + 1) // 2
        if not self.constant and (store or count <= STORED):
            self.packed = np.empty(count, np.float32)
            arguments = self.x, self.gamma, self.packed
            run_jobs(similarity.similarities_inplace, arguments, n_jobs, nothing)

    def along(self, found: Paths) -> NDArray[np.float32]:
        """Return the similarities of the cells of paths."""
        reverse = self.n - 1 - found.cells
        values: NDArray[np.float32]
        source = self.x, self.gamma, self.packed
        values = similarity.similarities_of(*source, reverse)
        return values

    def quantiles(self, rhos: Sequence[float], n_jobs: int = 1) -> list[np.float32]:
        """Return the quantiles of all similarities, interpolated linearly.

        All of this is done in float32, also the position ``rho (m - 1)``, which for
        many values is a rough one. NumPy did so up to version 2.3, and with it the
        authors' code; newer versions use float64 for the position. The result here
        does not depend on the installed version.
        """
        last = self.n * (self.n + 1) // 2 - 1
        places = [last * np.float32(rho) for rho in rhos]
        found = []
        for place in places:
            low = np.floor(place)
            ranks = [
                last if place >= np.float32(last) else int(r) for r in (low, low + 1)
            ]
            values = [np.float32(math.exp(-e)) for e in self._exponents(ranks, n_jobs)]
            found.append(_between(values[0], values[1], np.float32(place - low)))
        return found

    def _exponents(self, ranks: list[int], n_jobs: int) -> list[float]:
        """Return the exponents of the similarities of given, neighbouring ranks.

        The larger its exponent, the smaller is a similarity. A sample tells between
        which exponents the wanted ones lie; those are listed, all others only counted.
        """
        total = self.n * (self.n + 1) // 2
        wanted = [total - 1 - rank for rank in ranks]  # ranks among exponents
        count = min(total, max(1 << 12, round(total ** (2 / 3))))
        sample = np.sort(similarity.sampled_exponents(self.x, self.gamma, count))
        spread = SPREAD
        while True:
            margin = spread * 0.5 * math.sqrt(count) + 2
            low = math.floor(min(wanted) / total * count - margin)
            high = math.ceil(max(wanted) / total * count + margin)
            bounds = (
                sample[low] if low >= 0 else 0.0,
                sample[high] if high < count else np.finfo(float).max,
            )
            arguments = self.x, self.gamma, *bounds
            below, listed = run_jobs(
                similarity.exponents_between, arguments, n_jobs, _joined
            )
            if below <= min(wanted) and max(wanted) < below + len(listed):
                listed.partition(sorted({w - below for w in wanted}))
                return [float(listed[w - below]) for w in wanted]
            spread *= 4


def _joined(
    one: tuple[int, NDArray[np.float64]], other: tuple[int, NDArray[np.float64]]
) -> tuple[int, NDArray[np.float64]]:
    """Merge counts and lists of two threads."""
    return one[0] + other[0], np.concatenate([one[1], other[1]])


def _between(low: np.float32, high: np.float32, share: np.float32) -> np.float32:
    """Interpolate from the nearer end."""
    if share >= 0.5:
        return high - (high - low) * (1 - share)
    return low + (high - low) * share


def find_paths(
    similarities: Similarities,
    tau: np.float32,
    l_min: int,
    *,
    warping: bool,
    n_jobs: int = 1,
    tell: Tell = lambda _: None,
) -> Paths:
    """Return the paths above the main diagonal of a series, best first.

    Parameters
    ----------
    similarities : Similarities
        Of the series.
    tau : float32
        Similarity from which on two samples match.
    l_min : int
        Fewest rows or columns of a path.
    warping : bool
        Whether a path may step over one row or column at a time.
    n_jobs : int, default 1
        Threads that share the work. Results do not depend on it.
    tell : callable, optional
        Is told the share of the work that is done.
    """
    jobs = thread_count(n_jobs)
    with ThreadPoolExecutor(jobs) as pool:
        linking = _Linking(similarities, tau, l_min, warping, pool, jobs, tell)
        linking.lay_checkpoints()
        linking.link()
    band, stop = linking.band, linking.stop
    kept, ends, values = linking.kept, linking.ends(), linking.values
    source = similarities.x, similarities.gamma, similarities.packed
    settings = tau, band, l_min, stop
    flat = paths.search(*kept, *ends, values, *source, *settings)
    tell(1.0)
    lengths = np.bincount(flat[:, 0])
    return Paths(flat[:, 1:], np.concatenate([[0], np.cumsum(lengths)]))


class _Linking:
    """Codes of all cells, or of those that can matter, and what is listed of them.

    Strips are `rows` rows each, the first of them at the end of the series.
    """

    def __init__(
        self,
        similarities: Similarities,
        tau: np.float32,
        l_min: int,
        warping: bool,  # noqa: FBT001 (one internal caller, which names it)
        pool: ThreadPoolExecutor,
        n_jobs: int,
        tell: Tell,
    ) -> None:
        self.n = n = similarities.n
        self.source = similarities.x, similarities.gamma, similarities.packed
        self.tau, self.l_min, self.warping = tau, l_min, warping
        self.band = max(VICINITY, l_min // 2)
        self.stop = _smallest_end(tau, l_min, warping=warping)
        self.pool, self.tell = pool, tell
        self.rows = min(n, max(STRIP // n, math.isqrt(n)))
        self.starts = range(0, n, self.rows)
        self.strip = np.zeros((self.rows + 2, n + 3), np.float32)
        self.above = {self.starts[-1]: np.zeros((2, n + 3), np.float32)}
        jobs = max(1, min(n_jobs, n // NARROW))
        edges = [n * job // jobs for job in range(jobs + 1)]
        self.parts = list(itertools.pairwise(edges))
        self.listed: list[tuple[int, Keys]] = []
        self.kept: tuple[
            Codes, NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]
        ]

    def lay_checkpoints(self) -> None:
        """Keep the two rows above each strip, from the earliest samples on."""
        for turn, a in enumerate(reversed(self.starts[1:])):
            self._cumulate(a)
            self.above[a - self.rows] = self.strip[:2, : a + 4].copy()
            self.tell(0.4 * turn / len(self.starts))

    def _cumulate(self, a: int) -> None:
        """Fill the strip that begins with row a."""
        rows = min(self.rows, self.n - a)
        above = self.above[a]
        self.strip[rows : rows + 2, : above.shape[1]] = above
        self._share(
            lambda first, last: cumulative.cumulate_strip_inplace(
                *self.source, a, rows, first, last, self.tau, self.warping, self.strip
            )
        )

    def _share(self, work: Callable[[int, int], None]) -> None:
        """Do work for parts of the columns at the same time."""
        if len(self.parts) == 1:
            work(*self.parts[0])
        else:
            list(self.pool.map(lambda part: work(*part), self.parts))

    def link(self) -> None:
        """Link the cells strip by strip, and keep what can matter to a long path.

        Whether a cell can matter depends on its tree, which may go on in rows that are
        not linked yet, and through other trees on rows still further up. So rows are
        settled once `ahead` more are linked. Of these all cells of the last two rows
        are taken as needed: whatever depends on what is further up does so through
        them. A few cells are kept that way although they need not be.
        """
        n, ahead = self.n, max(AHEAD, self.l_min)
        dense = _triangle(n) <= DENSE
        step = n if dense else _multiple(max(ahead, WINDOW // n - ahead), self.rows)
        most = n if dense else min(n, step + ahead + self.rows)
        codes = np.empty(_triangle(n) - _triangle(n - most), np.uint8)
        state = np.zeros((2, 4, 2, n + links.PAD), np.float32)
        self._prepare(dense=dense)
        # Of some rows, or as many as there are codes.
        self.values = np.empty(
            listing.kept_start(_multiple(n, listing.EVERY)) if dense else len(codes),
            np.float32,
        )
        low = 0
        for turn, a in enumerate(self.starts):
            rows = min(self.rows, n - a)
            self._link_strip(a, rows, state[turn % 2], state[1 - turn % 2], codes, low)
            high = a + rows
            if high == n or high >= low + step + ahead:
                settled = n if high == n else low + step
                start, end = (
                    _triangle(row) - _triangle(low) for row in (settled, high)
                )
                above = codes[start:end].copy()
                self._settle(codes, low, settled, high)
                if settled < n:
                    where = _triangle(settled), settled, high, codes, _triangle(low)
                    needed.require_origins_inplace(above, *where)
                    codes[: end - start] = above
                    self.values[: end - start] = self.values[start:end].copy()
                low = settled
            self.tell(0.4 + 0.5 * turn / len(self.starts))
        self._join(codes, dense=dense)

    def _link_strip(
        self,
        a: int,
        rows: int,
        before: NDArray[np.float32],
        after: NDArray[np.float32],
        codes: Codes,
        low: int,
    ) -> None:
        """Set the codes of a strip, list its ends, and keep values."""
        self._cumulate(a)
        base = _triangle(low)
        fixed = (
            self.warping,
            self.band,
            self.l_min,
            self.stop,
            before,
            after,
            codes,
            base,
        )
        self._share(
            lambda first, last: links.link_strip_inplace(
                self.strip, a, rows, first, last, *fixed
            )
        )
        part = slice(_triangle(a) - base, _triangle(a + rows) - base)
        self.listed.append((a, listing.list_ends(self.strip, a, codes[part])))
        if len(self.table):
            cells.pack_inplace(self.strip, a, rows, self.values[part])
        else:
            listing.keep_values_inplace(self.strip, a, rows, self.values)

    def _prepare(self, *, dense: bool) -> None:
        """Make room for what is kept."""
        counts = -(-np.arange(1, 1 if dense else self.n + 1) // cells.CHUNK)
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
        self.groups_begin: list[NDArray[np.int64]] = []
        # No cell has gathered more than n, and no end less than `stop`.
        largest, smallest = np.array([self.n, self.stop], np.float32).view(np.uint32)
        lowest, highest = (
            (int(listing.LOWER) - int(bits)) << 32 >> int(listing.GROUP)
            for bits in (largest, smallest)
        )
        self.groups = lowest, highest - lowest + 1

    def _settle(self, codes: Codes, low: int, settled: int, high: int) -> None:
        """Keep what is needed of the rows low to settled, of which all is known now."""
        base, complete = _triangle(low), high == self.n
        if not complete:
            needed.require_rows_inplace(codes, base, high - 2, high, self.band)
        needed.spread_inplace(codes, base, low, high, complete, self.band, self.warping)
        if len(self.table):
            kept = cells.keep_chunks(
                codes,
                self.values,
                base,
                low,
                settled,
                self.table,
                self.begins,
                self.count,
            )
            self.count += len(kept[2])
            self._check_memory(settled)
            for parts, part in zip(self.chunks, kept, strict=True):
                parts.append(part)
        while self.listed and self.listed[0][0] < settled:
            a, ends = self.listed.pop(0)
            size = listing.keep_keys_inplace(
                ends, a, codes, base, self.table, self.begins
            )
            grouped, groups = listing.group_keys(ends[:size], *self.groups)
            self.keys.append(grouped)
            self.groups_begin.append(groups)

    def _check_memory(self, settled: int) -> None:
        """Raise if what is kept of the rows so far lets expect more than there is."""
        share = _triangle(settled) / _triangle(self.n)
        cells_expected = self.count * cells.CHUNK / share
        expected = cells_expected * BYTES_PER_CELL + self.table.nbytes
        memory = physical_memory()
        if share > ENOUGH and (expected > memory or cells_expected > MOST_CELLS):
            raise InputError(
                f"LoCoMotif needs about {expected / 1e9:.0f} GB for {self.n} samples "
                f"with these settings, and {memory / 1e9:.0f} GB are there; take a "
                "larger rho or l_min, no warping, or fewer samples"
            )

    def _join(self, codes: Codes, *, dense: bool) -> None:
        """Put together what was kept."""
        if not dense:
            codes = _concatenated(self.chunks[0])
            self.values = _concatenated(self.chunks[1])
        self.kept = codes, self.table, self.begins, _concatenated(self.chunks[2])

    def ends(self) -> tuple[Keys, NDArray[np.int64]]:
        """Return the keys of the ends of paths and where their groups begin."""
        groups = np.array(self.groups_begin)
        groups += np.concatenate([[0], np.cumsum(groups[:-1, -1])])[:, None]
        return _concatenated(self.keys), groups


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


def _triangle(n: int) -> int:
    """Return the number of cells of n rows."""
    return n * (n + 1) // 2


def _multiple(least: int, of: int) -> int:
    """Return the smallest multiple of a number that is not below another, nor 0."""
    return max(1, -(-least // of)) * of


def _smallest_end(tau: np.float32, l_min: int, *, warping: bool) -> np.float32:
    """Return a value that the end of a path of useful length exceeds.

    The end is the largest cell of its path. Either all cells but the first are
    matches, each adding tau or more, or there is a gap, and what came before a gap
    that left something was above 4 tau. A little is taken off for rounding.
    """
    steps = -(-(l_min - 1) // 2) if warping else l_min - 1
    return np.float32(min(4, steps) * float(tau) * (1 - 1e-5))

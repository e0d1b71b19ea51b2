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
* ``n (n + 1) / 2`` float32 are held at a time: similarities, overwritten by what
  paths gather, and as many bytes that tell where paths go, which cells can matter to a
  long one, and which have been used up; see `_kernels.locomotif.links`.
* Of equally large ends the one comes first that the authors' sort puts there; see
  `locomotif.ties`. That takes a number for every positive cell, so it is looked
  up only where the paths may depend on it; see `_kernels.locomotif.order`. Beyond
  `SETTLE` cells, n = 23,169, where it would take gigabytes, the last in the order of
  rows comes first.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel: LoCoMotif: discovering
time-warped motifs in time series. Data Mining and Knowledge Discovery 38, 2024.
https://doi.org/10.1007/s10618-024-01032-z
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import ends, links, paths, similarity, ties
from tsmdbench._kernels.locomotif.settled import take_rest
from tsmdbench._kernels.threads import nothing, run_jobs
from tsmdbench.errors import InputError

Cells = NDArray[np.float32]
VICINITY = 10  # smallest width of the vicinity of a path, in samples
SETTLE = 1 << 28  # cells up to which ties are settled as the authors' sort does
ROOM = 1 << 24  # keys for which there is room beyond those of all cells: 64 MiB
LONGEST = 92681  # samples whose cells can be numbered in 32 bits


class Paths(NamedTuple):
    """Paths one after the other: ``int32[m, 2]`` cells, ``int64[p + 1]`` offsets."""

    cells: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Similarities:
    """All similarities of a series, computed once, with their quantiles.

    Parameters
    ----------
    x : float32[n, d]
        The series. Its variance is taken over all channels and summed in memory
        order, as NumPy does.
    n_jobs : int, default 1
        Threads that share the work. Results do not depend on it.

    Raises
    ------
    InputError
        For more than `LONGEST` samples.
    """

    def __init__(self, x: NDArray[np.float32], n_jobs: int = 1) -> None:
        if len(x) > LONGEST:
            raise InputError(
                f"LoCoMotif takes series of at most {LONGEST} samples, got {len(x)}; "
                "cut the series or take every so many samples"
            )
        deviation = np.std(x, axis=None)
        self.n = len(x)
        self.constant = bool(deviation == 0)
        self._x = np.ascontiguousarray(x.T)
        self._n_jobs = n_jobs
        if not self.constant:
            self._gamma = float(1 / deviation**2)

    def packed(self, out: Cells | None = None) -> Cells:
        """Return similarities of samples i and j >= i, row after row."""
        if out is None:
            # From NumPy, which asks for large pages; that halves the time to fill it.
            out = np.empty(self.n * (self.n + 1) // 2, np.float32)
        arguments = self._x, self._gamma, out
        run_jobs(similarity.similarities_inplace, arguments, self._n_jobs, nothing)
        return out

    def along(self, found: Paths, packed: Cells | None = None) -> NDArray[np.float32]:
        """Return the similarities of the cells of paths; faster if all are at hand."""
        values: NDArray[np.float32]
        if packed is None:
            values = similarity.similarities_of(self._x, self._gamma, found.cells)
        else:
            values = similarity.packed_at(packed, self.n, found.cells)
        return values


def quantiles(
    packed: Cells, rhos: Sequence[float], n_jobs: int = 1
) -> list[np.float32]:
    """Return ``[np.quantile(packed, rho) for rho in rhos]`` for values in [0, 1].

    NumPy does all of this in float32, also the position ``rho (m - 1)``, which for
    many values is a rough one; so do we. Exact order statistics come from counting
    the upper, then the lower halves of the bits instead of from sorting, in `n_jobs`
    threads.
    """
    last = len(packed) - 1
    places = [last * np.float32(rho) for rho in rhos]
    floors = [np.floor(place) for place in places]
    ranks = [
        [last if place >= np.float32(last) else int(rank) for rank in (low, low + 1)]
        for place, low in zip(places, floors, strict=True)
    ]
    wanted = sorted({r for pair in ranks for r in pair})
    statistics = _order_statistics(packed, wanted, n_jobs)
    return [
        _between(statistics[low], statistics[high], np.float32(place - low))
        for place, (low, high) in zip(places, ranks, strict=True)
    ]


def _between(low: np.float32, high: np.float32, share: np.float32) -> np.float32:
    """Interpolate as `np.quantile` does: from the nearer end."""
    if share >= 0.5:
        return high - (high - low) * (1 - share)
    return low + (high - low) * share


def _order_statistics(
    packed: Cells, ranks: list[int], n_jobs: int
) -> dict[int, np.float32]:
    """Return the values of given ranks, counted from 0."""
    bits = packed.view(np.uint32)
    upper = np.cumsum(run_jobs(similarity.count_high_halves, (bits,), n_jobs, np.add))
    halves = np.searchsorted(upper, ranks, side="right")
    wanted = np.unique(halves)
    slots = np.full(len(upper), -1, np.int32)
    slots[wanted] = np.arange(len(wanted))
    arguments = bits, slots, len(wanted)
    lower = run_jobs(similarity.count_low_halves, arguments, n_jobs, np.add)
    values = {}
    for rank, half in zip(ranks, halves.tolist(), strict=True):
        below = int(upper[half - 1]) if half else 0
        rest = _place_of(lower[slots[half]], rank - below)
        values[rank] = np.array([half << similarity.SHIFT | rest], np.uint32).view(
            np.float32
        )[0]
    return values


def _place_of(counts: NDArray[np.uint32], rank: int) -> int:
    """Return where running sums of counts first exceed a rank; by blocks of 256."""
    blocks = np.cumsum(counts.reshape(-1, 256).sum(axis=1, dtype=np.int64))
    block = int(np.searchsorted(blocks, rank, side="right"))
    below = int(blocks[block - 1]) if block else 0
    inside = np.cumsum(counts[256 * block : 256 * (block + 1)], dtype=np.int64)
    return 256 * block + int(np.searchsorted(inside, rank - below, side="right"))


class Scratch:
    """Memory to work in, kept from setting to setting: to get it anew takes time."""

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, dtype: Any) -> NDArray[Any]:
        """Return an array of any content. What was asked for by this name is lost."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < size or kept.dtype != dtype:
            self._kept.pop(name, None)  # first, so that both are never held
            kept = self._kept[name] = np.empty(size, dtype)
        return kept[:size]


def find_paths(
    cells: Cells,
    n: int,
    tau: np.float32,
    l_min: int,
    *,
    warping: bool,
    scratch: Scratch | None = None,
) -> Paths:
    """Return the paths above the main diagonal of a series, best first.

    Parameters
    ----------
    cells : float32[n (n + 1) / 2]
        What paths gather, from `_kernels.locomotif.cumulative`.
    n : int
        Length of the series.
    tau : float32
        Similarity from which on two samples match.
    l_min : int
        Fewest rows or columns of a path.
    warping : bool
        Whether a path may step over one row or column at a time.
    scratch : Scratch, optional
        Memory to work in.
    """
    band = max(VICINITY, l_min // 2)
    scratch = scratch or Scratch()
    codes = scratch.array("codes", len(cells), np.uint8)
    link = links.link_inplace if warping else links.link_diagonals_inplace
    stop = _smallest_end(tau, l_min, warping=warping)
    link(cells, n, band, l_min, stop, codes)
    links.spread_inplace(codes, n, band, warping)
    listed = _listed_ends(cells, codes, (stop, np.float32(n)), scratch)
    settings = np.array([n, l_min, band, len(cells) <= SETTLE], np.int64)
    state = np.array([0, 0, 0, 0, 0, len(listed[1]) - 1], np.int64)
    heap, flat = np.empty(0, np.uint64), np.empty((0, 3), np.int32)
    room = np.empty((n, 3), np.int64)
    heap, flat = paths.take_until_tie(
        cells, codes, *listed, settings, stop, state, heap, flat, room
    )
    if state[paths.TIE]:
        keys = _positive_cells(cells, n, band, scratch)
        heap, flat = take_rest(
            cells, codes, *listed, settings, stop, state, heap, flat, *keys
        )
    flat = flat[: state[paths.CELLS]]
    lengths = np.bincount(flat[:, 0], minlength=int(state[paths.PATHS]))
    return Paths(flat[:, 1:], np.concatenate([[0], np.cumsum(lengths)]))


def _listed_ends(
    cells: Cells,
    codes: NDArray[np.uint8],
    limits: tuple[np.float32, np.float32],
    scratch: Scratch,
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint64]]:
    """Return the ends of paths as `_kernels.locomotif.paths` wants them.

    limits: the least and the largest value that they may have.
    """
    count = ends.count_ends(codes)
    # Room that will hold keys, if these are asked for, and so is not held twice.
    room = scratch.array("keys", count // 2 + 1, np.uint64).view(np.uint32)
    ends.list_ends_inplace(codes, room)
    grouped = scratch.array("ends", count, np.uint32)
    lowest, highest = (np.array(limits).view(np.uint32) >> ends.REST).tolist()
    begins = ends.group_inplace(
        cells, room[:count], lowest, highest - lowest + 1, grouped
    )
    return grouped, begins, np.empty(2 * int(np.diff(begins).max()), np.uint64)


def _positive_cells(
    cells: Cells, n: int, band: int, scratch: Scratch
) -> tuple[int, NDArray[np.uint32], NDArray[np.uint64]]:
    """Return all cells outside the band that are not 0, for `take_rest`.

    That is their count, their positions, and the same memory, with some room, for wide
    keys; or no positions, and they are in it with their values.
    """
    bits = cells.view(np.uint32)
    if len(cells) <= ROOM:
        wide = scratch.array("keys", len(cells) + 1, np.uint64)
        count = ties.list_positive_inplace(bits, n, band, wide)
        return count, np.empty(0, np.uint32), wide[:count]
    wide = scratch.array("keys", (len(cells) + ROOM) // 2 + 1, np.uint64)
    keys = wide.view(np.uint32)
    count = ties.list_positive_inplace(bits, n, band, keys)
    return count, keys[:count], wide[: (count + ROOM) // 2 + 1]


def _smallest_end(tau: np.float32, l_min: int, *, warping: bool) -> np.float32:
    """Return a value that the end of a path of useful length exceeds.

    The end is the largest cell of its path. Either all cells but the first are
    matches, each adding tau or more, or there is a gap, and what came before a gap
    that left something was above 4 tau. A little is taken off for rounding.
    """
    steps = -(-(l_min - 1) // 2) if warping else l_min - 1
    return np.float32(min(4, steps) * float(tau) * (1 - 1e-5))

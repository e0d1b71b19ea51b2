"""Paths along which a series is similar to itself.

Neither similarities nor what paths gather are held for all cells. Strips of rows are
computed twice: from the beginning of the series on, to keep two rows above each strip,
the *checkpoints*; then, from these, from the end of the series on, to link cells with
where their values come from. What the search needs of a cell goes to `Storage`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import needed, paths, strips
from tsmdbench._kernels.locomotif.paths import SIDE
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError
from tsmdbench.methods._locomotif.similarities import Similarities
from tsmdbench.methods._locomotif.storage import Codes, Storage, Values

VICINITY = 10  # smallest width of the vicinity of a path, in samples
STRIP = 1 << 20  # cells of a strip of a short series
WINDOW = 1 << 22  # cells of rows that are settled together, of a short series
AHEAD = 64, 512  # fewest and most rows that are linked before others are settled
GROUP = 18  # lowest bits of a value that do not matter to its group
TURN = 1 << 15  # ends between which a search may be interrupted

# Rows of a tile whose values are kept.
KEPT = np.flatnonzero(np.arange(SIDE) % paths.EVERY < 2)

Tell = Callable[[float], None]


class Paths(NamedTuple):
    """Paths one after the other: ``int32[m, 2]`` cells, ``int64[p + 1]`` offsets."""

    cells: NDArray[np.int32]
    offsets: Integers


def find_paths(
    similarities: Similarities,
    tau: np.float32,
    l_min: int,
    *,
    warping: bool,
    tell: Tell = lambda _: None,
    storage: Storage | None = None,
) -> Paths:
    """Return the paths above the main diagonal of a series, best first.

    Parameters
    ----------
    similarities : Similarities
        Of the series. Their threads share the work.
    tau : float32
        Similarity from which on two samples match.
    l_min : int
        Fewest rows or columns of a path.
    warping : bool
        Whether a path may step over one row or column at a time.
    tell : callable, optional
        Is called with the share of the work that is done.
    storage : Storage, optional
        Room for one search at a time.
    """
    storage = storage or Storage(similarities.n)
    storage.clear()
    linking = Linking(similarities, tau, l_min, storage, warping=warping)
    linking.lay_checkpoints(tell)
    linking.link(tell)
    return _search(similarities, linking, storage, tell)


class Linking:
    """Link the cells of a series, a strip of rows at a time.

    Strips are `rows` rows each, the first of them at the end of the series.
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
        self.stop = _smallest_end(tau, l_min, warping=warping)
        self.rows = SIDE * max(2, STRIP // (SIDE * n))
        width = SIDE * ((n + 2) // SIDE + 1)
        self.strip = np.zeros((self.rows + 2, width), np.float32)
        self.above: dict[int, Values] = {}
        # Keys of ends: see `_kernels.locomotif.paths`.
        bits = np.array([n, self.stop], np.float32).view(np.uint32).tolist()
        self.largest, deepest = bits[0], bits[0] - bits[1]
        self.low = (n * (n + 1) // 2).bit_length()
        if deepest.bit_length() + self.low > 64:
            raise InputError(
                f"rho is too small for {n:,} samples: samples match from a similarity "
                f"of {tau:.2g} on; use a larger one"
            )
        self.groups = GROUP + self.low, (deepest >> GROUP) + 1

    def lay_checkpoints(self, tell: Tell) -> None:
        """Keep the two rows above each strip, from the earliest samples on."""
        starts = range(0, self.n, self.rows)
        for turn, a in enumerate(reversed(starts[1:])):
            self._cumulate(a)
            self.above[a - self.rows] = self.strip[:2, : a + 3].copy()
            tell(0.4 * turn / len(starts))

    def _cumulate(self, a: int) -> None:
        """Fill the strip that begins with row a."""
        rows = min(self.rows, self.n - a)
        above = self.above.get(a, np.zeros((2, 1), np.float32))
        self.strip[rows : rows + 2] = 0
        self.strip[rows : rows + 2, : above.shape[1]] = above
        self.similarities.threads.columns(
            lambda first, last: strips.cumulate_strip_inplace(
                *self.similarities.source,
                *(a, rows, first, last, self.tau, self.warping, self.strip),
            ),
            a + rows,
        )

    def link(self, tell: Tell) -> None:
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
        ends: list[tuple[int, NDArray[np.int32], Values]] = []
        firsts: dict[int, Values] = {}
        low = 0
        for turn, a in enumerate(range(0, n, rows)):
            self._cumulate(a)
            self.above.pop(a, None)
            own = codes[a - low : min(a + rows, n) - low]
            self._link_strip(a, own, state[turn % 2], state[1 - turn % 2])
            ends.append((a, *strips.list_ends(own, self.strip)))
            for r in range(0, len(own), SIDE):
                firsts[a + r] = self.strip[r + KEPT]
            high = a + len(own)
            if high == n or high >= low + step + ahead:
                settled = n if high == n else low + step
                above = codes[settled - low : high - low].copy()
                rest = codes[: high - low]
                needed.spread_inplace(rest, low, high == n, self.band, self.warping)
                for i in range(low, settled, SIDE):
                    block = codes[i - low : i - low + SIDE]
                    self.storage.write(i // SIDE, block, firsts.pop(i))
                self._write_ends([e for e in ends if e[0] < settled], codes, low)
                ends = [e for e in ends if e[0] >= settled]
                if settled < n:
                    below = codes[settled - low - 2 : settled - low].copy()
                    codes[: len(above)] = above
                    codes[len(above) :] = 0
                    needed.require_origins_inplace(codes[: len(above)], below)
                low = settled
            tell(0.4 + 0.4 * turn * rows / n)

    def _link_strip(self, a: int, codes: Codes, before: Values, after: Values) -> None:
        """Set the codes of a strip."""
        fixed = self.warping, self.band, self.l_min, self.stop, before, after, codes
        self.similarities.threads.columns(
            lambda first, last: strips.link_strip_inplace(
                self.strip, a, len(codes), first, last, *fixed
            ),
            a + len(codes),
        )

    def _write_ends(
        self,
        ends: list[tuple[int, NDArray[np.int32], Values]],
        codes: Codes,
        low: int,
    ) -> None:
        """Store the keys of ends that are needed."""
        found = [
            paths.needed_keys(
                *(codes[a - low :], a, *own, np.uint64(self.largest)),
                np.uint64(self.low),
            )
            for a, *own in ends
        ]
        self.storage.write_ends(
            *paths.group_keys(
                np.concatenate(found), np.uint64(self.groups[0]), self.groups[1]
            )
        )


def _search(
    similarities: Similarities, linking: Linking, storage: Storage, tell: Tell
) -> Paths:
    """Search for paths, a batch of ends after the other."""
    fixed = linking.tau, linking.band, linking.l_min, linking.stop
    low, (group, _) = np.uint64(linking.low), linking.groups
    found, lengths = [np.empty((0, 2), np.int32)], [np.zeros(1, np.int64)]
    later = np.empty(0, np.uint64)  # ends that are found on the way
    batches = storage.batches()
    for turn, (first, last) in enumerate(itertools.pairwise(batches)):
        end = np.uint64(min(last << group, 2**64 - 1))
        keys = storage.free_ends(first, last, low)
        keys, later = np.append(keys, later[later < end]), later[later >= end]
        keys.sort()
        while len(keys):
            similarities.threads.check()
            part, keys = keys[:TURN], keys[TURN:]
            until = keys[0] if len(keys) else end
            cells, own, new = paths.search(
                *(*storage.cells, *similarities.source, *fixed, part, until, low)
            )
            found.append(cells)
            lengths.append(own)
            if (new < end).any():
                keys = np.sort(np.append(keys, new[new < end]))
            later = np.append(later, new[new >= end])
            tell(0.8 + 0.2 * turn / len(batches))
    tell(1.0)
    return Paths(np.concatenate(found), np.cumsum(np.concatenate(lengths)))


def _smallest_end(tau: np.float32, l_min: int, *, warping: bool) -> np.float32:
    """Return a value that the end of a path of useful length exceeds.

    The end is the largest cell of its path. Either all cells but the first are
    matches, each adding tau or more, or there is a gap, and what came before a gap
    that left something was above 4 tau. A little is taken off for rounding.
    """
    steps = -(-(l_min - 1) // 2) if warping else l_min - 1
    return np.float32(min(4, steps) * float(tau) * (1 - 1e-5))

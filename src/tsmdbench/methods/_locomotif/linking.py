"""Link the cells of a series, a strip of rows at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.locomotif import cumulative, links, listing, needed
from tsmdbench.methods._locomotif.kept import Codes, Kept, Keys, Values
from tsmdbench.methods._locomotif.share import Share
from tsmdbench.methods._locomotif.similarities import Similarities

Tell = Callable[[float], None]


class Scratch:
    """Memory to work in, kept between settings: to allocate it again takes time."""

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}

    def array(self, name: str, size: int, dtype: Any) -> NDArray[Any]:
        """Return an array of any content. What had this name before is lost."""
        kept = self._kept.get(name)
        if kept is None or len(kept) < size:
            self._kept.pop(name, None)  # first, so that both are never held
            kept = self._kept[name] = np.empty(size, dtype)
        return kept[:size]


class Linking:
    """Codes of all cells, or of those that can matter, and what is listed of them.

    Strips are `rows` rows each, the first of them at the end of the series.
    """

    def __init__(
        self,
        similarities: Similarities,
        tau: np.float32,
        settings: tuple[int, int, np.float32],
        scratch: Scratch,
        *,
        warping: bool,
    ) -> None:
        self.n = n = similarities.n
        self.sizes = sizes = similarities.sizes
        self.scratch = scratch
        self.source, self.tau, self.warping = similarities.source, tau, warping
        self.band, self.l_min, self.stop = self.settings = settings
        self.dense = _triangle(n) <= sizes.dense
        self.whole = len(similarities.packed) > 0 and _triangle(n) <= sizes.whole
        self.rows = n if self.whole else min(n, max(sizes.strip // n, math.isqrt(n)))
        self.starts = range(0, n, self.rows)
        size = _triangle(n + 2) - _triangle(n - self.rows)
        self.strip = scratch.array("strip", size, np.float32)
        self.above = {self.starts[-1]: np.zeros(2 * n + 3, np.float32)}
        self.kept = Kept(n, self.stop, dense=self.dense)

    def linked(self, n_jobs: int, tell: Tell) -> tuple[NDArray[Any], ...]:
        """Return codes, where they are, ends and values, as the search wants them."""
        self.share = Share(n_jobs)
        with self.share.pool:
            self._lay_checkpoints(tell)
            codes, values = self._link(tell)
        return self.kept.joined(codes, values)

    def _lay_checkpoints(self, tell: Tell) -> None:
        """Keep the two rows above each strip, from the earliest samples on."""
        for turn, a in enumerate(reversed(self.starts[1:])):
            self._cumulate(a)
            self.above[a - self.rows] = self.strip[: 2 * a + 3].copy()
            tell(0.4 * turn / len(self.starts))

    def _cumulate(self, a: int) -> None:
        """Fill the strip that begins with row a."""
        rows = min(self.rows, self.n - a)
        above = self.above[a]
        start = _triangle(a + rows) - _triangle(a)
        self.strip[start : start + len(above)] = above
        self.share(
            lambda first, last: cumulative.cumulate_strip_inplace(
                *self.source, a, rows, first, last, self.tau, self.warping, self.strip
            ),
            a + rows,
        )

    def _link(self, tell: Tell) -> tuple[Codes, Values]:
        """Link the cells strip by strip, and keep what can matter to a long path.

        Whether a cell can matter depends on its tree, which may go on in rows that are
        not linked yet, and through other trees on rows still further up. So rows are
        settled once `ahead` more are linked. Of these all cells of the last two rows
        are taken as needed: whatever depends on what is further up does so through
        them. A few cells are kept that way although they need not be.
        """
        n, ahead = self.n, max(self.sizes.ahead, self.l_min)
        dense, window = self.dense, self.sizes.window // self.n
        step = n if dense else _multiple(max(ahead, window - ahead), self.rows)
        most = n if dense else min(n, step + ahead + self.rows)
        size = _triangle(n) - _triangle(n - most)
        codes = self.scratch.array("codes", size, np.uint8)
        state = np.zeros((2, 4, 2, n + links.PAD), np.float32)
        if self.whole:
            self.values = self.strip
        elif dense:
            count = listing.kept_start(_multiple(n, listing.EVERY))
            self.values = np.empty(count, np.float32)
        else:
            self.values = np.empty(len(codes), np.float32)
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
            tell(0.4 + 0.5 * turn / len(self.starts))
        return codes, self.values

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
        fixed = self.warping, *self.settings, before, after, codes, base
        self.share(
            lambda first, last: links.link_strip_inplace(
                self.strip, a, rows, first, last, *fixed
            ),
            a + rows,
        )
        part = slice(_triangle(a) - base, _triangle(a + rows) - base)
        if not self.whole:
            kept = None if self.dense else self.values[part]
            self._list_ends(a, codes[part], 0, kept)
        if self.dense and not self.whole:
            listing.keep_values_inplace(self.strip, a, rows, self.values)

    def _list_ends(
        self, a: int, codes: Codes, shift: int, values: Values | None = None
    ) -> None:
        """List the ends of a strip, with a shift of 2 the needed ones; copy values."""

        def work(first: int, last: int) -> Keys:
            strip = self.strip[first:last]
            if values is not None:
                values[first:last] = strip
            keys: Keys = listing.list_ends(strip, codes[first:last], shift, first)
            return keys

        self.kept.ends.add(a, self.share(work, len(codes)))

    def _settle(self, codes: Codes, low: int, settled: int, high: int) -> None:
        """Keep what is needed of the rows low to settled, of which all is known now."""
        base, complete = _triangle(low), high == self.n
        if not complete:
            needed.require_rows_inplace(codes, base, high - 2, high, self.band)
        how = complete, not self.dense, self.band, self.warping
        needed.spread_inplace(codes, base, low, high, *how)
        if not self.dense:
            self.kept.keep(codes, self.values, low, settled, self.share)
        if self.whole:
            self._list_ends(0, codes, 2)
        self.kept.keep_ends(settled, codes, base)


def _triangle(n: int) -> int:
    """Return the number of cells of n rows."""
    return n * (n + 1) // 2


def _multiple(least: int, of: int) -> int:
    """Return the smallest multiple of a number that is not below another, nor 0."""
    return max(1, -(-least // of)) * of

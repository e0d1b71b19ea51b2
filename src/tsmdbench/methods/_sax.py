"""SAX words of a series: `RunningSums` makes them, `Words` holds them.

Every window of `window` samples is z-normalised, cut into `word_length` equal
segments, and the mean of each segment becomes a letter: the cell of the normal
distribution, cut into `alphabet_size` equally likely cells, that the mean falls into.
Neighbouring windows mostly share a word, so *numerosity reduction* keeps only the
first of a run; what remains is a sequence in which repeated patterns are repeated
words even where their lengths differ.

Conventions
-----------
* Standard deviations are of the population (ddof 0). Where `word_length` does not
  divide `window`, a sample on a border counts for both segments in proportion.
* A mean that lies on a cut belongs to the upper cell.
* A *flat* window has no shape: all its means are 0. Flat is a window that is constant
  up to rounding, in whatever unit, or whose standard deviation is at most
  `flat_threshold`, in the unit of the series.
* A window that touches a NaN or infinite sample has no word. A run of such windows is
  a *gap*: one entry with an id of its own, so no repeated pattern reaches across it.
* ``numerosity="exact"`` drops a word that equals the last one kept; ``"mindist"`` also
  one whose letters all differ by at most 1 from it; ``"none"`` drops nothing.

Against jMotif/SAX (commit d8c0bfa, GPL-2) words and starts are equal where it computes
what it means to, with ``flat_threshold=0.01``. Its variance can round below zero, and a
constant window is then spelled with ``a`` throughout in some places and not in others;
far from zero its variance loses digits; and a mean that lies on a cut falls to either
side of it by rounding.

References
----------
J. Lin, E. Keogh, L. Wei, S. Lonardi: Experiencing SAX: a novel symbolic
representation of time series. Data Mining and Knowledge Discovery 15, 2007.
https://doi.org/10.1007/s10618-007-0064-z
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.symbolic import sax
from tsmdbench.arrays import Floats, Integers
from tsmdbench.validation import check_integer

NUMEROSITY = {
    "none": sax.KEEP_ALL,
    "exact": sax.DROP_EQUAL,
    "mindist": sax.DROP_NEAR,
}
FLAT = 1e-10  # of the deviation of the series: far above rounding, far below a shape
# A table of all words that are possible beats a search while it is not much larger than
# the number of words, and fits into a cache.
TABLE_SHARE, TABLE_SIZE = 16, 2**22
ROUNDING = 2.0**-49  # jitter of a plateau that lies far from 0


@dataclass(frozen=True, eq=False)
class Words:
    """The words of a series."""

    ids: (
        Integers  # equal words have equal ids, by first appearance; gaps own ones above
    )
    starts: Integers  # first sample of the first window that a word or gap stands for
    packed: Integers = field(repr=False)  # the letters of each word, see `letters`
    distinct: int  # number of different words
    n: int  # samples of the series
    window: int
    word_length: int
    alphabet_size: int

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_gap(self) -> NDArray[np.bool_]:
        """Entries that stand for windows without a word."""
        return self.ids >= self.distinct

    @property
    def next_starts(self) -> Integers:
        """Start of the entry after each one; after the last, one past the windows."""
        return np.append(self.starts[1:], self.n - self.window + 1)

    def letters(self, rows: Any = slice(None)) -> Integers:
        """Return the letters, ``int64[m, word_length]``; -1 throughout for a gap."""
        bits = letter_bits(self.alphabet_size)
        letters = unpacked(self.packed[rows], self.word_length, bits)
        letters[self.is_gap[rows]] = -1
        return letters

    def text(self) -> list[str]:
        """Return the words as text: ``"abca"``, or ``"0_1_27_0"`` beyond 26 letters.

        A gap is ``"-"``.
        """
        vocabulary = self.vocabulary()
        return [vocabulary[word] for word in self.ids.tolist()]

    def vocabulary(self) -> tuple[str, ...]:
        """Return the text of each id."""
        _, rows = np.unique(self.ids, return_index=True)
        letters = self.letters(rows).tolist()
        if self.alphabet_size > 26:
            words = ["_".join(map(str, word)) for word in letters]
        else:
            words = ["".join(chr(97 + letter) for letter in word) for word in letters]
        return tuple(words[: self.distinct] + ["-"] * (len(rows) - self.distinct))


def letter_bits(alphabet_size: int) -> int:
    """Return how many bits a letter takes."""
    return (alphabet_size - 1).bit_length()


def unpacked(packed: Integers, word_length: int, bits: int) -> Integers:
    """Return the letters of packed words, ``int64[m, word_length]``."""
    per_limb = sax.LIMB_BITS // bits
    limb, place = np.divmod(np.arange(word_length), per_limb)
    filled = np.minimum(word_length - limb * per_limb, per_limb)
    shifts = bits * (filled - 1 - place)
    return np.asarray((packed[:, limb] >> shifts) & ((1 << bits) - 1))


def cuts(alphabet_size: int) -> Floats:
    """Return the ``alphabet_size - 1`` cuts between equally likely normal cells.

    >>> cuts(4).round(2).tolist()
    [-0.67, 0.0, 0.67]
    """
    from scipy.special import ndtri  # takes longer to import than the rest

    return np.asarray(ndtri(np.arange(1, alphabet_size) / alphabet_size))


class RunningSums:
    """Running sums of one channel, from which the words of any setting are made.

    >>> wave = np.sin(np.arange(60) / 3)
    >>> sums = RunningSums(wave)
    >>> sums.words(20, 4, 3).text()[:4]
    ['ccaa', 'ccab', 'cbab', 'caac']
    """

    def __init__(self, x: Floats) -> None:
        good = np.isfinite(x)
        # How many samples before each one no window may touch; just 0 if all are good.
        self.bad = np.zeros(1 if good.all() else len(x) + 1, np.int32)
        np.cumsum(~good[: len(self.bad) - 1], out=self.bad[1:])
        self.n = len(x)
        self._padded = np.zeros(len(x) + 1)  # the kernels may read one sample beyond
        self.x = self._padded[:-1]
        self.exponent, self._constant = _centre(x, good, self.x)
        self.sums: Floats = sax.running_sums(self.x)

    def moments(self, window: int, flat_threshold: float = 0.0) -> Floats:
        """Return total and gain of every window."""
        flat = self._flat(flat_threshold)
        return sax.window_moments(self.sums, window, flat)  # type: ignore[no-any-return]

    def _flat(self, flat_threshold: float) -> float:
        """Return the deviation up to which a window is flat, in the scale of `x`."""
        with np.errstate(over="ignore"):  # a series far below it is flat throughout
            given = float(np.ldexp(flat_threshold, self.exponent))
        return max(given, self._constant)

    def words(
        self,
        window: int,
        word_length: int,
        alphabet_size: int,
        *,
        numerosity: str = "exact",
        flat_threshold: float = 0.0,
    ) -> Words:
        """Return the words of all windows; every argument has been checked."""
        packed, starts = self.packed(
            window, word_length, cuts(alphabet_size), flat_threshold, numerosity
        )
        possible = 2 ** (word_length * letter_bits(alphabet_size))
        if possible <= min(TABLE_SHARE * len(packed), TABLE_SIZE):
            ids, distinct = sax.word_ids_by_table(packed, possible)
        else:
            ids, distinct = sax.word_ids(packed)
        gaps = ids < 0
        ids[gaps] = distinct + np.arange(np.count_nonzero(gaps))
        return Words(
            ids=ids,
            starts=starts,
            packed=packed,
            distinct=int(distinct),
            n=self.n,
            window=window,
            word_length=word_length,
            alphabet_size=alphabet_size,
        )

    def packed(
        self,
        window: int,
        word_length: int,
        at: Floats,
        flat_threshold: float,
        numerosity: str = "none",
    ) -> tuple[Integers, Integers]:
        """Return packed words by given cuts, and their starts."""
        border = np.arange(word_length + 1) * window
        padded = np.full(2 ** letter_bits(len(at) + 1) - 1, math.inf)
        padded[: len(at)] = at
        return sax.sax_words(  # type: ignore[no-any-return]
            self._padded,
            self.sums,
            np.array([window, self._flat(flat_threshold)]),
            self.bad,
            border // word_length,
            border % word_length / word_length,
            padded,
            NUMEROSITY[numerosity],
        )


def _centre(
    x: Floats, good: NDArray[np.bool_], values_inplace: Floats
) -> tuple[int, float]:
    """Write the series centred; return its scale, and the deviation of what is flat.

    The scale is the power of two that brings the deviation of the series near 1: exact,
    and it keeps squares from over- or underflowing. Samples that are not finite stay
    0: no window that touches them is looked at.
    """
    values = values_inplace
    some, where = (slice(None), True) if good.all() else (good, good)
    np.copyto(values, x, where=where)
    largest = max(float(values.max()), -float(values.min()))
    if largest == 0.0:
        return 0, 0.0
    first = -math.frexp(largest)[1]
    _scale(values, first)
    np.subtract(values, values[some].mean(), out=values, where=where)
    spread = float(np.sqrt(np.mean(values[some] ** 2)))
    if spread <= ROUNDING:
        return first, ROUNDING
    second = -math.frexp(spread)[1]
    _scale(values, second)
    return first + second, math.ldexp(max(FLAT * spread, ROUNDING), second)


def _scale(values_inplace: Floats, exponent: int) -> None:
    """Multiply by a power of two."""
    if abs(exponent) < 1000:  # the power is a float64: the same, but faster
        values_inplace *= math.ldexp(1.0, exponent)
    else:
        np.ldexp(values_inplace, exponent, out=values_inplace)


def check_word_length(word_length: int, window: int) -> int:
    """Return the number of letters: at least 2, at most the samples of a window."""
    name = "word_length"
    checked = check_integer(word_length, name, minimum=2)
    return check_integer(checked, f"{name} (window={window})", maximum=window)

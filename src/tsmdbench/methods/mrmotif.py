"""MrMotif: windows that share an iSAX word, from fine to coarse resolution.

Every window is converted to a word: it is divided into `word_length` pieces, and a
letter describes the mean of each piece, on a scale of 64 steps (an *iSAX word*). The
scales of 32, 16, 8 and 4 steps are nested in this one, so a coarser word is the finer
one without the last bits of each letter, and one pass gives all resolutions. Windows
that share a word are a candidate motif set. Windows that share a fine word are very
similar; a coarse word is shared by more windows.

Conventions
-----------
* Of consecutive windows with the same word, only the first is an occurrence;
  occurrences that overlap an earlier one, from left to right, are dropped.
* Without `resolution`, words are taken from the finest resolution to the coarsest. At
  each resolution, the word with the most occurrences comes first, then the one whose
  windows are closer to each other (root mean squared z-normalised distance over all
  pairs), then the one that occurs first. A word is skipped if earlier sets cover more
  than `max_overlap` of its samples. Of other words, `disjoint` drops the windows that
  overlap an earlier set, and the word itself if fewer than two windows remain.
* A window that contains a NaN or infinite sample is never part of a motif. Flat windows
  have no shape, and all have the same word; see `tsmdbench.methods._sax`.

Cost
----
The words of all resolutions take O(n word_length) time; the time to group and rank them
is close to linear. Memory is O(n) per resolution.

Limitations
-----------
* Patterns are split: if a mean is near the border of two steps, copies of one pattern
  get different words, and are found in several sets or not at all.
* Occurrences that differ in length or speed are missed: every segment has `length`
  samples.
* Noisy copies share words only at coarse resolutions, where dissimilar windows do, too.

References
----------
N. Castro, P. J. Azevedo: Multiresolution motif discovery in time series. SIAM
International Conference on Data Mining, 2010.
https://doi.org/10.1137/1.9781611972801.73. Public C++ port: aocsa/MrMotifCpp, commit
0de9cea, without a licence; none of its code is used here.

Departures
----------
* MrMotif reports the most frequent words of every resolution, as `MrMotif.counts` does.
  The selection of motif sets from them is specific to tsmdbench.
* The root mean squared distance replaces the mean distance because it can be computed
  in linear time; for two windows they are the same.
* The Space-Saving counter, which limits memory by counting approximately, is not used:
  counts are exact.
* The port merges different words whose hashes collide; words are compared in full here.
* The port takes standard deviations of a sample (ddof 1), rounds cuts to two decimals,
  and leaves the last ``length % word_length`` samples of a window out, so some words
  differ.
* A window that is shorter than its word is allowed; its pieces are then parts of a
  sample.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from tsmdbench._kernels.symbolic import sax
from tsmdbench._kernels.symbolic import word_groups as kernels
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError
from tsmdbench.methods._common import SharingMethod
from tsmdbench.methods._sax import RunningSums, cuts, letter_bits, unpacked
from tsmdbench.methods._selection import Candidates, Coverage
from tsmdbench.methods.base import Found, Series
from tsmdbench.types import MotifSet
from tsmdbench.validation import check_integer

Rows = NDArray[np.int32]

RESOLUTIONS = (64, 32, 16, 8, 4)  # finest first
FINEST = RESOLUTIONS[0]


class WordCount(NamedTuple):
    """How often a word occurs at a resolution: letters, windows, where they start."""

    resolution: int
    word: tuple[int, ...]
    windows: int
    starts: tuple[int, ...]


@dataclass(frozen=True)
class MrMotif(SharingMethod):
    """Find windows that share an iSAX word, at the finest resolution where they do.

    Parameters
    ----------
    length : int
        Samples of a motif, at least 4.
    resolution : {None, 4, 8, 16, 32, 64}
        Number of symbols of the alphabet; None goes from 64 down to 4.
    max_sets : int, optional
        Largest number of sets; None for all.
    channel : int, default 0
        Channel of a multivariate series that is searched.
    word_length : int, default 8
        Number of letters of a word, at least 2.
    max_overlap : float, default 0.5
        Skip a word if earlier sets cover more than this share of its samples.
    flat_threshold : float, default 0.0
        Standard deviation, in the unit of the series, up to which a window is flat; one
        that is constant up to rounding always is.
    disjoint : bool, default True
        Drop the windows of a word that overlap an earlier set.
    constant : {"skip", "keep"}, default "skip"
        Leave out flat windows, or let them share a word.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> series = rng.normal(size=400).cumsum()
    >>> series[250:310] = series[80:140]  # the same shape twice
    >>> MrMotif(length=60, max_sets=1).find(series)
    (MotifSet(((80, 140), (250, 310))),)
    """

    length: int
    resolution: int | None = None
    max_sets: int | None = None
    channel: int = 0
    word_length: int = 8
    max_overlap: float = 0.5
    flat_threshold: float = 0.0
    disjoint: bool = True
    constant: Literal["skip", "keep"] = "skip"

    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "no"
    paper: ClassVar[Mapping[str, Any]] = {
        "resolution": None,
        "word_length": 8,
        "max_overlap": 0.5,
        "flat_threshold": 0.0,
        "constant": "keep",
        "disjoint": False,
    }
    symbolic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.resolution is not None and self.resolution not in RESOLUTIONS:
            known = ", ".join(map(str, reversed(RESOLUTIONS)))
            raise InputError(
                f"resolution must be None or one of {known}, got {self.resolution!r}"
            )
        check_integer(self.word_length, "word_length", minimum=2)

    def counts(self, series: object, top: int = 10) -> dict[int, list[WordCount]]:
        """Return the most frequent words of each resolution, with their windows.

        Every window counts here, also those that overlap, as in the original method.

        Parameters
        ----------
        series : array-like of shape (n,) or (n, d)
            As for `find`.
        top : int, default 10
            Most words per resolution; ties go to the word that occurs first.
        """
        check_integer(top, "top", minimum=1)
        x = self._checked(series)
        self._check_fits(x)
        levels = self._prepare(x, [self])
        return {level: levels.most_frequent(level, top) for level in self._levels}

    @property
    def _levels(self) -> tuple[int, ...]:
        return RESOLUTIONS if self.resolution is None else (self.resolution,)

    def _key(self) -> Hashable:
        words = self.word_length, self.flat_threshold, self.constant
        return self.channel, self.length, *words

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> _Levels:
        return _Levels(RunningSums(x), methods[0])

    def _search(self, levels: _Levels) -> Found:
        """Return the best words as motif sets, the finest resolution first.

        A resolution is only ranked if the finer ones leave sets to find.
        """
        coverage = Coverage(levels.n)
        found: list[MotifSet] = []
        for level in self._levels:
            left = None if self.max_sets is None else self.max_sets - len(found)
            if left == 0:
                break
            candidates, order = levels.ranked(level)
            found += candidates.accept(
                order, coverage, self.max_overlap, left, disjoint=self.disjoint
            )
        return tuple(found)


class _Levels:
    """The words of a series at every resolution, made when they are used."""

    def __init__(self, sums: RunningSums, method: MrMotif) -> None:
        # Not the sums: much the largest, they are needed for the words only.
        self.x, self.method, self.n = sums.x, method, sums.n
        self._groups: dict[int, tuple[Rows, Integers]] = {}
        self._ranked: dict[int, tuple[Candidates, Integers]] = {}
        length, flat = method.length, method.flat_threshold
        packed, starts = sums.packed(length, method.word_length, cuts(FINEST), flat)
        self.moments = sums.moments(length, flat)
        usable = np.ones(len(starts), np.bool_)
        if sums.bad[-1] > 0:
            usable = sums.bad[starts + length] == sums.bad[starts]
        if method.constant == "skip":
            usable &= self.moments[1, starts] > 0.0
        self.packed, self.starts = packed[usable], starts[usable]

    def mask(self, level: int) -> int:
        """Return the bits of a limb that cut all letters down to `level` symbols."""
        bits = letter_bits(FINEST)
        drop = bits - letter_bits(level)
        letter = (level - 1) << drop
        return sum(letter << (bits * k) for k in range(sax.LIMB_BITS // bits))

    def located(self, level: int) -> tuple[Rows, Integers]:
        """Return the rows of all windows grouped by word, and the bounds."""
        ids, count = sax.word_ids(self.packed & self.mask(level))
        rows = np.arange(len(ids), dtype=np.int32)
        return kernels.locations(ids, rows, count)  # type: ignore[no-any-return]

    def groups(self, level: int) -> tuple[Rows, Integers]:
        """Return the rows of windows that share a word, where they may be a motif.

        Windows that differ at one resolution differ at all finer ones, and few of them
        share a word there: each resolution splits the groups of the coarser one.
        """
        if level not in self._groups and level == RESOLUTIONS[-1]:
            self._groups[level] = self.located(level)
        elif level not in self._groups:
            coarser = self.groups(RESOLUTIONS[RESOLUTIONS.index(level) + 1])
            length = self.method.length
            self._groups[level] = kernels.split(
                self.packed, self.mask(level), *coarser, self.starts, length
            )
        return self._groups[level]

    def ranked(self, level: int) -> tuple[Candidates, Integers]:
        """Return the candidates of a resolution, and their order, best first."""
        if level not in self._ranked:
            length = self.method.length
            starts, bounds = kernels.occurrences(
                self.starts, *self.groups(level), length
            )
            owner = np.arange(len(bounds) - 1)
            candidates = Candidates(owner, starts, starts + length, bounds)
            apart = kernels.mean_squared_distance(
                self.x, self.moments, length, starts, bounds
            )
            order = np.lexsort((candidates.first, apart, -candidates.counts))
            self._ranked[level] = candidates, order
        return self._ranked[level]

    def most_frequent(self, level: int, top: int) -> list[WordCount]:
        """Return the words of a resolution that most windows share."""
        rows, bounds = self.located(level)
        order = np.argsort(-np.diff(bounds), kind="stable")[:top]
        bits = letter_bits(FINEST)
        counts = []
        for k in order:
            own = rows[bounds[k] : bounds[k + 1]]
            finest = unpacked(self.packed[own[:1]], self.method.word_length, bits)[0]
            word = tuple((finest >> (bits - letter_bits(level))).tolist())
            starts = tuple(self.starts[own].tolist())
            counts.append(WordCount(level, word, len(own), starts))
        return counts

"""GrammarViz: motif sets are the rules of a grammar over SAX words.

A window slides over the series, and at each position it is converted to a short *SAX
word* that describes where it is low and where it is high (`tsmdbench.methods._sax`).
Repetitions of the same word are dropped, so the series becomes a sequence of words. A
grammar is built that describes which words occur together repeatedly
(`tsmdbench.methods.grammar`), and every rule of the grammar with at least two
occurrences is a candidate motif set. Because repetitions are dropped, occurrences of
one rule may differ in length, without a search over lengths.

Conventions
-----------
* Occurrences of a rule that overlap an earlier one, from left to right, are dropped; a
  rule with fewer than two remaining occurrences is dropped. Rules are ranked; ties are
  broken by the longer rule, then by the one that occurs first.
* A rule is skipped if earlier sets cover more than `max_overlap` of its samples, so a
  rule inside another, or the same rule with a small shift, is not another set. Of other
  rules, `disjoint` drops the segments that overlap an earlier set, and the rule itself
  if fewer than two segments remain.
* A window that contains a NaN or infinite sample is never part of a motif. All flat
  windows have the same word; see `tsmdbench.methods._sax`.

Cost
----
O(n word_length) time for the words, and expected linear time in their number for the
grammar. This and MrMotif are the fastest methods of the package. Memory is O(n).

Limitations
-----------
* Borders are approximate: a segment begins and ends where words change, not where the
  pattern does.
* Noisy copies are missed: one different letter breaks a rule in two.
* `window`, `word_length` and `alphabet_size` have a large effect, and the length of the
  pattern does not determine them; a grid search is needed.
* Rules that cover much of the series without being a pattern, such as slow slopes, are
  ranked high.

References
----------
P. Senin, J. Lin, X. Wang, T. Oates, S. Gandhi, A. P. Boedihardjo, C. Chen,
S. Frankenstein: GrammarViz 3.0: interactive discovery of variable-length time series
patterns. ACM Transactions on Knowledge Discovery from Data 12, 2018.
https://doi.org/10.1145/3051126. Authors' code: jMotif/GI, commit 21b8ca9, and
jMotif/SAX, commit d8c0bfa, GPL-2; none of it is used here.

Departures
----------
* GrammarViz displays rules and leaves their ranking to the user; the selection of motif
  sets is specific to tsmdbench. ``rank`` is ``"covered"`` (number of covered samples,
  the default), ``"count"`` (number of occurrences), ``"uses"`` (how often the rule
  occurs in the top rule R0, as in the tsmd package) or ``"length"`` (of the longest
  segment).
* The paper does not state which repeated words are dropped; ``"exact"`` is the default
  of GrammarViz.
* jMotif considers a window flat if its standard deviation is below 0.01, which is
  suitable for z-normalised series; ``flat_threshold=0.01`` does the same, and the
  default of 0 works in any unit.
* For departures of the grammars see `tsmdbench.methods.grammar`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from tsmdbench.methods._common import SharingMethod
from tsmdbench.methods._grids import Axes, Facts, word_axes
from tsmdbench.methods._sax import NUMEROSITY, RunningSums, Words, check_word_length
from tsmdbench.methods._selection import Candidates, Coverage
from tsmdbench.methods.base import Found, Series
from tsmdbench.methods.grammar import Grammar, from_words
from tsmdbench.validation import check_choice

RANKS = ("covered", "count", "uses", "length")
PAPER_WORDS = (4, 8, 16, 32)


def window_axis(l_max: int) -> list[int]:
    """Return 8, 16, ..., the power of two that is nearest to ``2 l_max``.

    >>> window_axis(22), window_axis(3)
    ([8, 16, 32], [8])
    """
    low = (2 * l_max).bit_length() - 1
    # round(log2(2 l_max)), exactly: no whole number is half way.
    exponent = low + int((2 * l_max) ** 2 > 2 ** (2 * low + 1))
    return [2**e for e in range(3, max(3, exponent) + 1)]


@dataclass(frozen=True)
class _GrammarMotifs(SharingMethod):
    """Motif sets from the rules of a grammar; subclasses choose the algorithm."""

    window: int
    word_length: int
    alphabet_size: int
    numerosity: Literal["exact", "mindist", "none"] = "exact"
    max_sets: int | None = None
    channel: int = 0
    rank: Literal["covered", "count", "uses", "length"] = "covered"
    max_overlap: float = 0.5
    flat_threshold: float = 0.0
    disjoint: bool = True

    univariate: ClassVar[bool] = True
    variable_length: ClassVar[Literal["no", "inter", "intra"]] = "intra"
    symbolic: ClassVar[bool] = True
    constant: ClassVar[str] = "keep"  # a flat window has a word like others
    paper: ClassVar[Mapping[str, Any]] = {
        "numerosity": "exact",
        "rank": "covered",
        "max_overlap": 0.5,
        "flat_threshold": 0.0,
        "disjoint": False,
    }
    algorithm: ClassVar[str]

    @staticmethod
    def grid(facts: Facts) -> Axes:
        """Return the values that a search tries."""
        windows = window_axis(facts.l_max)
        return {"window": windows, **word_axes(windows[-1] // 2)}

    @staticmethod
    def paper_grid(facts: Facts) -> Axes:
        """Return the values that the code of the paper's group tries."""
        axes = _GrammarMotifs.grid(facts)
        words = [word for word in PAPER_WORDS if 2 * word <= axes["window"][-1]]
        return {**axes, "word_length": words}

    @staticmethod
    def full_grid(facts: Facts) -> Axes:
        """Return the values with every length of words."""
        windows = window_axis(facts.l_max)
        return {"window": windows, **word_axes(windows[-1] // 2, full=True)}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word_length(self.word_length, self.window)
        check_choice(self.numerosity, "numerosity", NUMEROSITY)
        check_choice(self.rank, "rank", RANKS)

    def grammar(self, series: object) -> Grammar:
        """Return the grammar whose rules are the candidates of `find`."""
        x = self._checked(series)
        self._check_fits(x)
        return from_words(self._words(RunningSums(x)), self.algorithm)

    def _key(self) -> Hashable:
        return self.channel

    @classmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> RunningSums:
        del methods
        return RunningSums(x)

    def _search(self, sums: RunningSums) -> Found:
        return self._select(self._words(sums))

    def _find(self, x: Series) -> Found:
        self._check_fits(x)
        words = self._words(RunningSums(x))  # the sums, much the largest, are gone now
        return self._select(words)

    def _words(self, sums: RunningSums) -> Words:
        return sums.words(
            self.window,
            self.word_length,
            self.alphabet_size,
            numerosity=self.numerosity,
            flat_threshold=self.flat_threshold,
        )

    def _select(self, words: Words) -> Found:
        """Return the best rules of the grammar as motif sets."""
        grammar = from_words(words, self.algorithm)
        starts, ends, bounds = grammar.all_spans()
        candidates = Candidates.disjoint(starts, ends, bounds)
        rules = candidates.owner
        if self.rank == "covered":
            worth = candidates.covered
        elif self.rank == "count":
            worth = candidates.counts
        elif self.rank == "uses":
            top = grammar.symbols[: grammar.offsets[1]]
            worth = np.bincount(-top[top < 0], minlength=len(grammar))[rules]
        else:
            worth = candidates.longest
        order = np.lexsort((candidates.first, -grammar.lengths[rules], -worth))
        accepted = candidates.accept(
            order,
            Coverage(int(ends.max(initial=0))),
            self.max_overlap,
            self.max_sets,
            disjoint=self.disjoint,
        )
        return tuple(accepted)


@dataclass(frozen=True)
class GVSequitur(_GrammarMotifs):
    """GrammarViz with Sequitur: motif sets are rules of a grammar grown word by word.

    Parameters
    ----------
    window : int
        Samples of the sliding window, at least 4. Motifs are at least this long.
    word_length : int
        Number of letters of a word, from 2 to `window`.
    alphabet_size : int
        Number of letters of the alphabet, from 2 to 256.
    numerosity : {"exact", "mindist", "none"}
        Which words are dropped: repetitions, near repetitions, or none.
    max_sets : int, optional
        Largest number of sets; None for all.
    channel : int, default 0
        Channel of a multivariate series that is searched.
    rank : {"covered", "count", "uses", "length"}
        How rules are ranked: by the number of samples that they cover, by the number of
        occurrences, by how often they occur in R0, or by the length of the longest
        segment.
    max_overlap : float, default 0.5
        Skip a rule if earlier sets cover more than this share of its samples.
    flat_threshold : float, default 0.0
        Standard deviation, in the unit of the series, up to which a window is flat; one
        that is constant up to rounding always is.
    disjoint : bool, default True
        Drop the segments of a rule that overlap an earlier set.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> series = rng.normal(size=400).cumsum()
    >>> series[250:310] = series[80:140]  # the same shape twice
    >>> sets = GVSequitur(window=40, word_length=8, alphabet_size=4).find(series)
    >>> sets[0]
    MotifSet(((80, 140), (250, 310)))
    """

    display_name: ClassVar[str] = "GV-Sequitur"
    algorithm: ClassVar[str] = "sequitur"

    @classmethod
    def _warm_up(cls, series: Series) -> None:
        cls(30, 4, 3).grammar(series).expand()


@dataclass(frozen=True)
class GVRePair(_GrammarMotifs):
    """GrammarViz with Re-Pair: motif sets are rules made from the most frequent pairs.

    Takes the parameters of `GVSequitur`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> series = rng.normal(size=400).cumsum()
    >>> series[250:310] = series[80:140]  # the same shape twice
    >>> sets = GVRePair(window=40, word_length=8, alphabet_size=4).find(series)
    >>> sets[0]
    MotifSet(((80, 140), (250, 310)))
    """

    display_name: ClassVar[str] = "GV-RePair"
    algorithm: ClassVar[str] = "repair"

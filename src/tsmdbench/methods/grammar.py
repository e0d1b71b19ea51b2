"""Grammars of word sequences: which words repeat together, and where.

A grammar writes a sequence as rule ``R0`` over words and further rules, each of which
stands for a sequence of words that occurs at least twice. `infer` makes one from any
sequence, or from a series by way of its SAX words:

``"sequitur"``
    grows the grammar word by word. No pair of neighbouring symbols occurs twice in it
    (except overlapping, as in ``a a a``), and every rule is used at least twice.
``"repair"``
    replaces the most frequent pair of neighbouring symbols by a rule, again and again,
    from left to right; among pairs of equal count the one that occurs first.

Both take linear time. Whatever the grammar, `Grammar.expand` of rule 0 gives the
sequence back.

Conventions
-----------
* Rules are numbered by where they first occur; a rule before the rules inside it.
* An *occurrence* of a rule is a node of the derivation tree, nested ones included;
  *uses* counts how often a rule occurs in the body of another.
* The words ``k .. k + q - 1`` with window starts ``p`` stand for the samples
  ``[p_k, p_(k+q) + w - 1)`` with Sequitur, which includes the windows after the last
  word that numerosity reduction dropped as its repetitions, and for
  ``[p_k, p_(k+q-1) + w)`` with Re-Pair, which does not; so GrammarViz has it.

References
----------
C. G. Nevill-Manning, I. H. Witten: Identifying hierarchical structure in sequences: a
linear-time algorithm. Journal of Artificial Intelligence Research 7, 1997.
https://doi.org/10.1613/jair.374

N. J. Larsson, A. Moffat: Off-line dictionary-based compression. Proceedings of the
IEEE 88, 2000. https://doi.org/10.1109/5.892708

P. Senin et al.: GrammarViz 3.0: interactive discovery of variable-length time series
patterns. ACM Transactions on Knowledge Discovery from Data 12, 2018.
https://doi.org/10.1145/3051126

Departures
----------
jMotif/GI (commit 21b8ca9, GPL-2, the code behind GrammarViz) does not enter the pairs
that form where Sequitur dissolves a rule, nor those that remain of a run ``a a a``,
and tests the utility of the first symbol of a rule only, so its grammars may repeat
pairs. Here what Sequitur promises is kept. In Re-Pair jMotif breaks ties by the order
of a Java hash map, which has no meaning to keep, and counts overlapping pairs of a run
``a a a``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from tsmdbench._kernels.grammar import derivation, digrams, re_pair, sequitur
from tsmdbench.arrays import Integers
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods._sax import NUMEROSITY, RunningSums, Words, check_word_length
from tsmdbench.methods.base import CHECKS, check_fits
from tsmdbench.validation import check_choice, check_integer, check_series

__all__ = ["Grammar", "Rule", "infer"]

Algorithm = Literal["sequitur", "repair"]
ALGORITHMS = ("sequitur", "repair")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of a grammar.

    Attributes
    ----------
    name : str
        ``"R3"``; ``"R0"`` is the whole sequence.
    body : str
        Words and names of rules.
    words : str
        The words that it stands for.
    level : int
        1 for a rule of words only, otherwise 1 above its deepest rule.
    length : int
        Number of words that it stands for.
    uses : int
        How often it occurs in the body of another rule.
    count : int
        How often it occurs in the sequence.
    positions : tuple of int
        Index of its first word in the sequence, for each occurrence.
    segments : tuple of (int, int)
        Samples of each occurrence; empty for a grammar that has no series.
    """

    name: str
    body: str
    words: str
    level: int
    length: int
    uses: int
    count: int
    positions: tuple[int, ...]
    segments: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Grammar:
    """A grammar: a sequence of `Rule`, with the arrays behind it.

    Attributes
    ----------
    algorithm : str
        ``"sequitur"`` or ``"repair"``.
    symbols, offsets : int64 arrays
        Body of rule k: ``symbols[offsets[k]:offsets[k + 1]]``. From 0 on a symbol is
        the number of a word, below 0 it is ``-k`` for rule k.
    vocabulary : tuple of str or None
        Text of each word, for a grammar of words; see `names`.
    sax : Words or None
        The words of the series, for a grammar of a series.

    Examples
    --------
    >>> grammar = infer("abcdbcabcd")
    >>> [(rule.name, rule.body, rule.count) for rule in grammar]
    [('R0', 'R1 R2 R1', 1), ('R1', 'a R2 d', 2), ('R2', 'b c', 3)]
    >>> grammar[2].positions
    (1, 4, 7)
    """

    algorithm: str
    symbols: Integers = field(repr=False)
    offsets: Integers = field(repr=False)
    vocabulary: tuple[str, ...] | None = field(default=None, repr=False)
    sax: Words | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Rule]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, index: int) -> Rule:
        k = check_integer(index, "rule", minimum=0, maximum=len(self) - 1)
        positions = self.positions(k)
        body = self.symbols[self.offsets[k] : self.offsets[k + 1]].tolist()
        return Rule(
            name=f"R{k}",
            body=" ".join(self.names[s] if s >= 0 else f"R{-s}" for s in body),
            words=" ".join(self.names[word] for word in self.expand(k).tolist()),
            level=int(self.levels[k]),
            length=int(self.lengths[k]),
            uses=int(self.uses[k]),
            count=len(positions),
            positions=tuple(positions.tolist()),
            segments=tuple(map(tuple, self.segments(k).tolist())),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Text of each word, by number."""
        if self.sax is not None:
            return self.sax.vocabulary()
        return self.vocabulary or ()

    @cached_property
    def _sizes(self) -> tuple[Integers, Integers, Integers]:
        return derivation.sizes(self.symbols, self.offsets)  # type: ignore[no-any-return]

    @cached_property
    def _occurrences(self) -> tuple[Integers, Integers]:
        return derivation.occurrences(  # type: ignore[no-any-return]
            self.symbols, self.offsets, int(self.lengths[0])
        )

    @property
    def lengths(self) -> Integers:
        """Number of words that each rule stands for."""
        return self._sizes[0]

    @property
    def levels(self) -> Integers:
        """Height of each rule above the words."""
        return self._sizes[1]

    @property
    def uses(self) -> Integers:
        """How often each rule occurs in the body of another."""
        return self._sizes[2]

    @property
    def counts(self) -> Integers:
        """How often each rule occurs in the sequence."""
        counts = np.diff(self._occurrences[1])
        counts[0] = 1
        return counts

    def expand(self, rule: int = 0) -> Integers:
        """Return the numbers of the words that a rule stands for."""
        length = int(self.lengths[rule])
        return derivation.expand(  # type: ignore[no-any-return]
            self.symbols, self.offsets, rule, length
        )

    def positions(self, rule: int) -> Integers:
        """Return the index of the first word of every occurrence of a rule."""
        if rule == 0:
            return np.zeros(1, np.int64)
        positions, bounds = self._occurrences
        return positions[bounds[rule] : bounds[rule + 1]]

    def segments(self, rule: int) -> Integers:
        """Return the samples of every occurrence of a rule, ``int64[count, 2]``."""
        if self.sax is None or not len(self.sax):
            return np.empty((0, 2), np.int64)
        first = self.positions(rule)
        return np.stack(self._samples(first, first + self.lengths[rule]), axis=1)

    def all_segments(self) -> tuple[Integers, Integers]:
        """Return the samples of every occurrence of every rule but rule 0, by rule.

        Returns
        -------
        segments : int64[total, 2]
        bounds : int64[rules + 1]
            Rule k has ``segments[bounds[k]:bounds[k + 1]]``; rule 0 has none.
        """
        starts, ends, bounds = self.all_spans()
        return np.stack([starts, ends], axis=1), bounds

    def all_spans(self) -> tuple[Integers, Integers, Integers]:
        """Return starts, ends and bounds of `all_segments`."""
        positions, bounds = self._occurrences
        length = np.repeat(self.lengths, np.diff(bounds))
        return *self._samples(positions, positions + length), bounds

    def _samples(self, first: Integers, after: Integers) -> tuple[Integers, Integers]:
        """Return first samples and ends of the words `first` to before `after`."""
        if self.sax is None:
            raise InputError("the grammar has words only; infer it from a series")
        starts, window = self.sax.starts, self.sax.window
        if self.algorithm == "sequitur":
            ends = self.sax.next_starts[after - 1] + window - 1
        else:
            ends = starts[after - 1] + window
        return starts[first], ends

    def table(self) -> list[dict[str, Any]]:
        """Return one row per rule: what GrammarViz shows, ready for a file or pandas.

        Columns: rule, body, words, level, length, uses, count; for the grammar of a
        series also the shortest, mean and longest segment in samples, and the starts.

        Examples
        --------
        >>> infer("abab").table()[1]
        {'rule': 'R1', 'body': 'a b', 'words': 'a b', 'level': 1, 'length': 2, \
'uses': 2, 'count': 2}
        """
        columns = ("body", "words", "level", "length", "uses", "count")
        table: list[dict[str, Any]] = []
        for rule in self:
            row = {"rule": rule.name, **{name: getattr(rule, name) for name in columns}}
            if rule.segments:
                spans = [end - start for start, end in rule.segments]
                row["shortest"], row["longest"] = min(spans), max(spans)
                row["mean"] = sum(spans) / len(spans)
                row["starts"] = " ".join(str(start) for start, _ in rule.segments)
            table.append(row)
        return table


def infer(
    data: Any,
    algorithm: Algorithm = "sequitur",
    *,
    window: int | None = None,
    word_length: int | None = None,
    alphabet_size: int | None = None,
    numerosity: str = "exact",
    flat_threshold: float = 0.0,
) -> Grammar:
    """Infer the grammar of a sequence of words, or of a series.

    Parameters
    ----------
    data : sequence of hashable, or array-like of shape (n,)
        Words of any kind, such as a text or a list of numbers; or, where `window` is
        given, a series of one channel.
    algorithm : {"sequitur", "repair"}
        How the grammar is made.
    window, word_length, alphabet_size : int, optional
        SAX parameters, all three for a series and none for words.
    numerosity : {"exact", "mindist", "none"}
        Which words of a series are dropped; see `tsmdbench.methods._sax`.
    flat_threshold : float, default 0.0
        Deviation up to which a window of a series is flat; jMotif uses 0.01.

    Returns
    -------
    Grammar
        A sequence of rules; `Grammar.table` is its export.

    Examples
    --------
    >>> infer("abab", "repair")[0].body
    'R1 R1'
    >>> wave = np.tile(np.sin(np.arange(50) / 8), 4)
    >>> grammar = infer(wave, window=20, word_length=4, alphabet_size=3)
    >>> bool((grammar.expand() == grammar.sax.ids).all())
    True
    """
    check_choice(algorithm, "algorithm", ALGORITHMS)
    options = {
        "window": window,
        "word_length": word_length,
        "alphabet_size": alphabet_size,
    }
    missing = [name for name, value in options.items() if value is None]
    if len(missing) == len(options):
        ids, vocabulary = _numbered(data)
        return Grammar(algorithm, *_rules(ids, algorithm), vocabulary)
    if window is None or word_length is None or alphabet_size is None:
        raise InputError(f"the grammar of a series needs {' and '.join(missing)} too")
    x = check_series(data)
    if x.ndim == 2:
        raise InputError(
            f"a grammar describes one channel, but the series has {x.shape[1]}; "
            f"give it series[:, channel]"
        )
    CHECKS["window"](window, "window")
    check_fits(x, window, "window")
    check_word_length(word_length, window)
    CHECKS["alphabet_size"](alphabet_size, "alphabet_size")
    CHECKS["flat_threshold"](flat_threshold, "flat_threshold")
    check_choice(numerosity, "numerosity", NUMEROSITY)
    words = RunningSums(x).words(
        window,
        word_length,
        alphabet_size,
        numerosity=numerosity,
        flat_threshold=flat_threshold,
    )
    return from_words(words, algorithm)


def from_words(words: Words, algorithm: str) -> Grammar:
    """Return the grammar of the SAX words of a series."""
    return Grammar(algorithm, *_rules(words.ids, algorithm), sax=words)


def _rules(ids: Integers, algorithm: str) -> tuple[Integers, Integers]:
    """Return bodies and offsets of the rules, in the order that they are numbered."""
    pairs = digrams.numbered(ids)
    if algorithm == "sequitur":
        made = sequitur.infer(ids, pairs > 0)
    else:
        made = re_pair.infer(ids, pairs, int(ids.max(initial=-1)) + 1)
    return derivation.in_order(*made)  # type: ignore[no-any-return]


def _numbered(data: Any) -> tuple[Integers, tuple[str, ...]]:
    """Give the words of a sequence numbers, by first appearance."""
    if not isinstance(data, Iterable) or isinstance(data, Mapping):
        raise InputTypeError(
            f"words must be a sequence, got {type(data).__name__}; for a series give "
            f"window, word_length and alphabet_size"
        )
    number: dict[Any, int] = {}
    try:
        ids = [number.setdefault(word, len(number)) for word in data]
    except TypeError:
        raise InputTypeError("words must be hashable: texts, numbers, tuples") from None
    return np.array(ids, np.int64), tuple(map(str, number))

"""The words of the package as types: a motif set, several of them, a problem.

Conventions
-----------
* A *segment* is half-open and counted in samples: ``[start, end)`` with
  ``0 <= start < end``. The paper writes closed intervals; overlap rates are equal.
* A *motif set* is all segments of one pattern. It has no order: segments are kept
  sorted by start, then end. Segments may overlap and repeat, since what a method
  returns may; that truth must not overlap is a rule of the metrics.
* Sets that belong together (the truth, or what was found) carry a *label* each: the
  key of the mapping that they came in, or their position in the sequence.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputTypeError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.segments import (
    Segments,
    check_mask,
    check_segments,
    check_starts,
    check_within,
)

Label = Hashable


class MotifSet:
    """All segments of one pattern, immutable and sorted.

    Parameters
    ----------
    segments : array-like of shape (k, 2), or MotifSet
        ``(start, end)`` pairs, half-open, in samples. May be empty.

    Examples
    --------
    >>> heartbeats = MotifSet([(50, 60), (0, 10)])
    >>> heartbeats
    MotifSet(((0, 10), (50, 60)))
    >>> len(heartbeats), list(heartbeats), (0, 10) in heartbeats
    (2, [(0, 10), (50, 60)], True)
    >>> heartbeats.lengths
    array([10, 10])

    A position gives a segment, a slice a motif set:

    >>> heartbeats[-1], heartbeats[:1]
    ((50, 60), MotifSet(((0, 10),)))

    A set can also be made from starts and a window length:

    >>> MotifSet.from_starts([3, 40], 5)
    MotifSet(((3, 8), (40, 45)))
    """

    __slots__ = ("_hash", "_segments")
    _segments: Segments
    _hash: int | None

    def __init__(self, segments: Any = ()) -> None:
        given = isinstance(segments, MotifSet)
        self._fill(
            segments.segments if given else _sorted_read_only(check_segments(segments))
        )

    def _fill(self, block: Segments) -> None:
        object.__setattr__(self, "_segments", block)
        object.__setattr__(self, "_hash", None)

    @classmethod
    def _wrap(cls, block: Segments) -> MotifSet:
        """Hold an array that is sorted, read-only and nobody else's."""
        made = cls.__new__(cls)
        made._fill(block)
        return made

    @classmethod
    def from_valid(cls, segments: Segments) -> MotifSet:
        """Make a set from an ``int64[k, 2]`` array that is known to be well formed."""
        return cls._wrap(_sorted_read_only(segments))

    @classmethod
    def from_starts(cls, starts: Any, length: int) -> MotifSet:
        """Make a set of windows that all have `length` samples.

        Nothing is lost: ``start + length`` says the same as ``(start, end)``.
        """
        begin = check_starts(starts, length)
        return cls.from_valid(np.stack([begin, begin + length], axis=1))

    @classmethod
    def from_mask(cls, mask: Any) -> MotifSet:
        """Read the runs of ones of a 0/1 mask as segments.

        A mask loses information: occurrences that touch or overlap have become one
        run and come back as **one** segment, and an occurrence that was found twice
        comes back once. Keep segments wherever you can.

        Examples
        --------
        >>> MotifSet.from_mask([0, 0, 1, 1, 1, 0, 1])
        MotifSet(((2, 5), (6, 7)))

        Two touching occurrences cannot be told apart any more:

        >>> MotifSet.from_mask(MotifSet([(0, 2), (2, 4)]).to_mask(4))
        MotifSet(((0, 4),))
        """
        padded = np.concatenate([[0], check_mask(mask), [0]])
        edges = np.flatnonzero(np.diff(padded))
        return cls.from_valid(edges.reshape(-1, 2).astype(np.int64))

    def to_mask(self, n: int) -> NDArray[np.bool_]:
        """Mark the samples that any segment covers; see `from_mask` for what is lost.

        Parameters
        ----------
        n : int
            Length of the series, at least the largest end.
        """
        check_within(self._segments, n, "the motif set")
        steps = np.zeros(n + 1, dtype=np.int64)
        np.add.at(steps, self.starts, 1)
        np.add.at(steps, self.ends, -1)
        return np.cumsum(steps)[:n] > 0

    @property
    def segments(self) -> Segments:
        """Read-only ``int64[k, 2]`` array of starts and ends."""
        return self._segments

    @property
    def starts(self) -> Segments:
        """First sample of each segment."""
        return self._segments[:, 0]

    @property
    def ends(self) -> Segments:
        """Sample after the last one of each segment."""
        return self._segments[:, 1]

    @property
    def lengths(self) -> Segments:
        """Number of samples of each segment."""
        return self._segments[:, 1] - self._segments[:, 0]

    def __len__(self) -> int:
        return len(self._segments)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return (tuple(pair) for pair in self._segments.tolist())

    @overload
    def __getitem__(self, index: SupportsIndex) -> tuple[int, int]: ...
    @overload
    def __getitem__(self, index: slice) -> MotifSet: ...
    def __getitem__(self, index: SupportsIndex | slice) -> tuple[int, int] | MotifSet:
        if isinstance(index, slice):
            return MotifSet.from_valid(self._segments[index])
        try:
            start, end = self._segments[operator.index(index)].tolist()
        except TypeError:
            raise InputTypeError(
                f"a motif set is indexed by a whole number or a slice, got {index!r}"
            ) from None
        return start, end

    def __contains__(self, segment: object) -> bool:
        return isinstance(segment, tuple | list) and tuple(segment) in set(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MotifSet):
            return NotImplemented
        return np.array_equal(self._segments, other._segments)

    def __hash__(self) -> int:
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(self._segments.tobytes()))
        return self._hash  # type: ignore[return-value]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"MotifSet is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"MotifSet is immutable; cannot delete {name!r}")

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        if copy is False and dtype not in (None, np.dtype(np.int64)):
            raise ValueError("a MotifSet is int64; another dtype needs a copy")
        return np.array(self._segments, dtype=dtype, copy=bool(copy) or None)

    def __reduce__(self) -> tuple[Any, ...]:
        return MotifSet, (self._segments.tolist(),)

    def __repr__(self) -> str:
        return f"MotifSet({tuple(self)!r})"


def _sorted_read_only(segments: Segments, cuts: Sequence[int] = ()) -> Segments:
    """Return a read-only array of its own, sorted between the `cuts`."""
    starts, ends = segments[:, 0], segments[:, 1]
    later = starts[1:] > starts[:-1]
    if cuts:
        # A cut at the very end (an empty last set) separates nothing.
        later[[cut - 1 for cut in cuts if 0 < cut < len(segments)]] = True
    if later.all():
        owned = np.array(segments, dtype=np.int64, order="C")
    else:
        piece = np.zeros(len(segments), dtype=np.int64)
        np.add.at(piece, [cut for cut in cuts if cut < len(segments)], 1)
        order = np.lexsort((ends, starts, np.cumsum(piece)))
        owned = np.ascontiguousarray(segments[order], np.int64)
    owned.flags.writeable = False
    return owned


@dataclass(frozen=True, eq=False)
class MotifSets:
    """Motif sets that belong together, with one label each."""

    labels: tuple[Label, ...]
    sets: tuple[MotifSet, ...]

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of segments of each set."""
        return np.fromiter(map(len, self.sets), np.int64, len(self.sets))

    @cached_property
    def segments(self) -> Segments:
        """All segments below each other, set by set."""
        if not self.sets:
            return np.empty((0, 2), np.int64)
        return np.concatenate([motifs.segments for motifs in self.sets])

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """Position of the set that each row of `segments` belongs to."""
        return np.repeat(np.arange(len(self.sets)), self.sizes)

    def reordered(self, order: Iterable[int]) -> MotifSets:
        """Return the sets in another order, or a part of them."""
        places = list(order)
        return MotifSets(
            tuple([self.labels[place] for place in places]),
            tuple([self.sets[place] for place in places]),
        )

    @classmethod
    def from_pieces(
        cls, labels: tuple[Label, ...], segments: Segments, sizes: Iterable[int]
    ) -> MotifSets:
        """Cut well-formed segments, set below set, into labelled motif sets."""
        ends = list(accumulate(sizes))
        block = _sorted_read_only(segments, cuts=ends[:-1])
        bounds = zip([0, *ends[:-1]], ends, strict=True) if ends else ()
        made = cls(labels, tuple([MotifSet._wrap(block[a:b]) for a, b in bounds]))
        made.__dict__["segments"] = block  # what the cached property would put together
        return made


@dataclass(frozen=True, eq=False)
class Problem:
    """A series and its true motif sets.

    Parameters
    ----------
    series : float64[n] or float64[n, d]
        Time is axis 0.
    truth : mapping
        Label to true motif set.
    name : str
        Unique within a benchmark dataset.
    recipe : tuple
        The instances, ``(part, row)`` each, that the series is concatenated from;
        empty for problems that were not made from instances.
    """

    series: NDArray[np.float64]
    truth: Mapping[Label, MotifSet]
    name: str = ""
    recipe: tuple[tuple[str, int], ...] = field(default=())

    def _repr_html_(self) -> str:
        """Show its size and the true motif sets in a notebook."""
        shape = " x ".join(map(str, self.series.shape))
        rows = [
            [label, len(motifs), motifs.lengths.min(), motifs.lengths.max()]
            for label, motifs in self.truth.items()
            if len(motifs)
        ]
        table = html_table(["motif set", "occurrences", "shortest", "longest"], rows)
        title = f"{self.name or 'problem'}: {shape} samples"
        return html_block(html_lines([title]), table)

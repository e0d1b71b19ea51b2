"""Core types: motif set, labelled motif sets, problem.

Conventions
-----------
* A *segment* is half-open and counted in samples: ``[start, end)`` with
  ``0 <= start < end``. The paper writes closed intervals; overlap rates are equal.
* A *motif set* is all segments of one pattern. It has no order: segments are kept
  sorted by start, then end. Segments may overlap and repeat, since what a method
  returns may; that truth must not overlap is a rule of the metrics.
* A motif set of a multivariate series may name its *channels*, and then each motif may
  have an interval of its own in each of them. The segment of such a motif spans all its
  intervals. A plain set lies in all channels.
* Sets that belong together (the truth, or what was found) carry a *label* each: the
  key of the mapping that they came in, or their position in the sequence.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from numbers import Integral
from typing import Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.segments import (
    INT64_MAX,
    Segments,
    as_integers,
    check_channels,
    check_intervals,
    check_segments,
    check_within,
)

Label = Hashable


class MotifSet:
    """All segments of one pattern, immutable and sorted.

    Parameters
    ----------
    segments : array-like of shape (k, 2), MotifSet, or mapping
        ``(start, end)`` pairs, half-open, in samples. May be empty. With `channels`
        also of shape (k, c, 2): an interval for each of the c channels. A mapping has
        the keys ``channels`` and ``segments``, see `to_json`.
    channels : sequence of int, optional
        The channels that the set lives in, counted from 0. A plain set has None, which
        means all channels.

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

    A set in channels 0 and 2, whose second motif starts later in channel 2:

    >>> arm = MotifSet([(0, 10), [(20, 30), (22, 30)]], channels=[0, 2])
    >>> arm.channels, arm.segments.tolist(), arm.intervals[1].tolist()
    ((0, 2), [[0, 10], [20, 30]], [[20, 30], [22, 30]])
    """

    __slots__ = ("_channels", "_intervals", "_segments")
    _segments: Segments
    _channels: tuple[int, ...] | None
    _intervals: Segments | None  # where they differ between channels

    def __init__(self, segments: Any = (), channels: Any = None) -> None:
        if isinstance(segments, MotifSet):
            if channels is None:
                fields = segments._segments, segments._channels, segments._intervals
                self._fill(*fields)
                return
            segments = segments.segments
        if isinstance(segments, Mapping) and {*segments} == {"channels", "segments"}:
            segments, channels = segments["segments"], segments["channels"]
        if channels is None:
            self._fill(_sorted_read_only(check_segments(segments)))
            return
        numbers, order = check_channels(channels)
        intervals = check_intervals(segments, len(numbers))[:, order]
        starts, ends = intervals[:, :, 0].min(axis=1), intervals[:, :, 1].max(axis=1)
        spans = np.stack([starts, ends], axis=1)
        content = zip(spans.tolist(), intervals.tolist(), strict=True)
        sort = [place for _, place in sorted((c, k) for k, c in enumerate(content))]
        spans, intervals = spans[sort], intervals[sort]
        spans.flags.writeable = intervals.flags.writeable = False
        differ = bool((intervals != spans[:, None]).any())
        self._fill(spans, numbers, intervals if differ else None)

    def _fill(
        self,
        block: Segments,
        channels: tuple[int, ...] | None = None,
        intervals: Segments | None = None,
    ) -> None:
        self._segments, self._channels, self._intervals = block, channels, intervals

    @classmethod
    def _wrap(cls, block: Segments) -> MotifSet:
        """Hold a sorted, read-only array of its own."""
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
        if isinstance(length, bool) or not isinstance(length, Integral):
            raise InputTypeError(f"length must be a whole number, got {length!r}")
        size = int(length)
        if size < 1:
            raise InputError(f"length must be at least 1, got {size}")
        begin = as_integers([(start, start) for start in starts], "starts")[:, 0]
        if begin.size and (begin.min() < 0 or begin.max() > INT64_MAX - size):
            raise InputError(f"starts must not be negative, got {int(begin.min())}")
        return cls.from_valid(np.stack([begin, begin + size], axis=1))

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

        Two touching occurrences become one:

        >>> MotifSet.from_mask(MotifSet([(0, 2), (2, 4)]).to_mask(4))
        MotifSet(((0, 4),))
        """
        array = np.asarray(mask)
        if array.ndim != 1:
            raise InputError(
                f"a mask must have one dimension, got shape {array.shape}; "
                f"convert the masks of several sets one by one"
            )
        if array.dtype.kind not in "biuf" or not np.isin(array, (0, 1)).all():
            raise InputError("a mask may hold only 0 and 1")
        padded = np.concatenate([[0], array.astype(np.int8), [0]])
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
    def channels(self) -> tuple[int, ...] | None:
        """The channels of the set, ascending; None for a plain set, in all channels."""
        return self._channels

    @property
    def intervals(self) -> Segments:
        """Read-only ``int64[k, c, 2]`` array: an interval per motif and channel.

        A plain set has one interval per motif, for all channels.
        """
        if self._intervals is not None:
            return self._intervals
        shape = len(self), len(self._channels or (0,)), 2
        return np.broadcast_to(self._segments[:, None], shape)

    def to_json(self) -> Any:
        """Return lists of segments, or a mapping with channels where there are any.

        >>> MotifSet([(0, 10)]).to_json()
        [[0, 10]]
        >>> MotifSet([(0, 10)], channels=[1, 3]).to_json()
        {'channels': [1, 3], 'segments': [[0, 10]]}
        """
        if self._channels is None:
            return self._segments.tolist()
        motifs = self._segments if self._intervals is None else self._intervals
        return {"channels": list(self._channels), "segments": motifs.tolist()}

    def to_rows(self) -> list[list[int]]:
        """Return a list of numbers for each motif, as stores keep them.

        Start and end; in a set with channels also each channel with its start and end.

        >>> MotifSet([(0, 10)], channels=[1, 3]).to_rows()
        [[0, 10, 1, 0, 10, 3, 0, 10]]
        """
        rows: list[list[int]] = self._segments.tolist()
        if self._channels is not None:
            for row, motif in zip(rows, self.intervals.tolist(), strict=True):
                for channel, interval in zip(self._channels, motif, strict=True):
                    row += [channel, *interval]
        return rows

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[int]]) -> MotifSet:
        """Make a set from what `to_rows` returned."""
        if not rows or len(rows[0]) == 2:
            return cls(rows)
        channels = rows[0][2::3]
        intervals = []
        for row in rows:
            if list(row[2::3]) != list(channels) or len(row) % 3 != 2:
                raise InputError(
                    f"motif {list(row)} is not start, end, and in each of the channels "
                    f"{list(channels)} of its set the channel, start and end"
                )
            intervals.append(list(zip(row[3::3], row[4::3], strict=True)))
        return cls(intervals, channels)

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
            if self._channels is not None:
                return MotifSet(self.intervals[index], self._channels)
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
        if self._channels is None and other._channels is None:
            return np.array_equal(self._segments, other._segments)
        return self._channels == other._channels and np.array_equal(
            self.intervals, other.intervals
        )

    def __hash__(self) -> int:
        return hash((self._segments.tobytes(), self._channels))

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        if copy is False and dtype not in (None, np.dtype(np.int64)):
            raise ValueError("a MotifSet is int64; another dtype needs a copy")
        return np.array(self._segments, dtype=dtype, copy=bool(copy) or None)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._channels is None:
            return MotifSet, (self._segments.tolist(),)
        return MotifSet, (self.intervals.tolist(), self._channels)

    def __repr__(self) -> str:
        if self._channels is None:
            return f"MotifSet({tuple(self)!r})"
        motifs: tuple[Any, ...] = tuple(self)
        if self._intervals is not None:
            listed = self._intervals.tolist()
            motifs = tuple(tuple(map(tuple, motif)) for motif in listed)
        return f"MotifSet({motifs!r}, channels={self._channels!r})"


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

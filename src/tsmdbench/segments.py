"""Segments as arrays: checks of half-open ``[start, end)``, and their overlap rate.

Integers of every kind are taken, also mixed, and floats that have no fraction;
everything else raises an error that names the segment and the rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError

Segments = NDArray[np.int64]

INT64_MAX = np.iinfo(np.int64).max
EMPTY = np.empty((0, 2), dtype=np.int64)


def show(segment: Segments) -> str:
    """Format a segment as ``[start, end)``."""
    return f"[{segment[0]}, {segment[1]})"


def check_segments(
    value: Any, name: str = "segments", *, nested: bool = False
) -> Segments:
    """Return `value` as an ``int64[k, 2]`` array of half-open segments.

    Integers of every kind are taken, also mixed, and floats without a fraction.
    `nested` says that a list of sets was meant, for the wording of the error.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        hint = "; is a level of nesting missing?" if nested else ""
        raise InputTypeError(
            f"{name} must be a list of (start, end) pairs, "
            f"got {type(value).__name__}{hint}"
        )
    if not isinstance(value, np.ndarray):
        value = list(value)
    array = as_integers(value, name)
    starts, ends = array[:, 0], array[:, 1]
    if array.size and (int(starts.min()) < 0 or not (starts < ends).all()):
        row = int(np.flatnonzero((starts < 0) | (starts >= ends))[0])
        raise InputError(
            f"{name}: segment {row} is {show(array[row])}; "
            f"segments are half-open with 0 <= start < end"
        )
    return array


def check_channels(
    value: Any, name: str = "channels"
) -> tuple[tuple[int, ...], list[int]]:
    """Return channel numbers in ascending order, and the order that sorts them."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InputTypeError(f"{name} must be a list of channel numbers, got {value!r}")
    numbers = list(value)
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, Integral):
            raise InputTypeError(f"{name}: {number!r} is not a channel number")
        if number < 0:
            raise InputError(f"{name}: channels are counted from 0, got {number}")
    if not numbers:
        raise InputError(f"{name} is empty; name at least one, or leave them out")
    if len(set(numbers)) < len(numbers):
        raise InputError(f"{name}: a channel is named twice in {numbers}")
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    return tuple(int(numbers[place]) for place in order), order


def check_intervals(value: Any, count: int, name: str = "segments") -> Segments:
    """Return motifs in `count` channels as ``int64[k, count, 2]``.

    A motif is one ``(start, end)`` for all channels, or a list with one for each.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise InputTypeError(
            f"{name} must be a list of motifs, got {type(value).__name__}"
        )
    motifs = list(value)
    rows: list[Any] = []
    for place, motif in enumerate(motifs):
        parts = list(motif) if isinstance(motif, Iterable) else [motif]
        if not parts or any(isinstance(part, Iterable) for part in parts):
            if len(parts) != count:
                raise InputError(
                    f"{name}: motif {place} has {len(parts)} intervals in {count} "
                    f"channels; give one for each channel, or one for all"
                )
            rows += parts
        else:
            rows += [motif] * count
    return check_segments(rows, name).reshape(len(motifs), count, 2)


def as_integers(value: Any, name: str) -> Segments:
    """Convert pairs to int64 exactly; slowly only where a number needs a look."""
    if len(value) == 0:
        return EMPTY
    try:
        array = np.asarray(value)
    except (ValueError, OverflowError, TypeError):
        array = np.empty(0, dtype=object)  # ragged or huge: the loop below names it
    if array.dtype.kind == "i" and array.ndim == 2 and array.shape[1] == 2:
        return array.astype(np.int64, copy=False)
    rows = []
    for row, pair in enumerate(value):
        bounds = list(pair) if isinstance(pair, Iterable) else [pair]
        if len(bounds) != 2 or isinstance(pair, str):
            raise InputError(
                f"{name}: segment {row} is {pair!r}; a segment is a (start, end) pair"
            )
        rows.append([_integer(bound, f"{name}: segment {row}") for bound in bounds])
    return np.array(rows, dtype=np.int64)


def _integer(bound: Any, where: str) -> int:
    """Return one bound as int; raise if it is not a whole number."""
    whole = isinstance(bound, Integral)
    if not whole and isinstance(bound, Real):
        whole = math.isfinite(bound) and float(bound).is_integer()
    if not whole or isinstance(bound, bool):
        raise InputTypeError(
            f"{where} has the bound {bound!r}; bounds are whole numbers of samples"
        )
    number = int(bound)
    if abs(number) > INT64_MAX:
        raise InputError(f"{where} has a bound beyond 64 bits")
    return number


def check_within(segments: Segments, n: int, name: str) -> None:
    """Raise unless every segment ends within a series of `n` samples."""
    if len(segments) and int(segments[:, 1].max()) > n:
        row = int(np.argmax(segments[:, 1] > n))
        raise InputError(
            f"{name}: segment {show(segments[row])} ends beyond the series, "
            f"which has {n} samples"
        )


def overlap_rate(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the overlap rate of two segments, 0.0 when they share no sample.

    >>> overlap_rate((0, 10), (5, 15))
    0.3333333333333333
    >>> overlap_rate((0, 10), (10, 20))
    0.0
    """
    common = min(first[1], second[1]) - max(first[0], second[0])
    if common <= 0:
        return 0.0
    return common / (max(first[1], second[1]) - min(first[0], second[0]))

"""Input validation of all public functions.

A check returns the normalised value or raises `InputError` or `InputTypeError` with
one sentence: what was given, which rule it breaks, and how to fix it. Nothing is
repaired silently. Internal code trusts its arguments.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import chain
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.io import Annotations, from_frame, read_motif_sets
from tsmdbench.io.files import is_frame
from tsmdbench.io.results import plain_segments_of
from tsmdbench.plural import counted
from tsmdbench.segments import EMPTY, Segments, check_segments, check_within, show
from tsmdbench.types import Label, MotifSet, MotifSets


def check_motif_sets(
    value: Any, name: str, *, n: int | None = None, n_channels: int | None = None
) -> MotifSets:
    """Return motif sets in any accepted form as labelled `MotifSet`s.

    Parameters
    ----------
    value : mapping, sequence, array, or path
        Label to segments; a sequence of sequences of ``(start, end)``; arrays of
        shape ``(k, 2)``; `MotifSet`s; lists of slices or of pandas intervals, in
        samples; a frame with the columns label, start and end; what
        `tsmdbench.io.read_annotations` returns; or a file of them in one of the formats
        of `tsmdbench.io.motif_formats`.
    name : str
        What to call it in an error: "truth" or "found".
    n : int, optional
        Length of the series; no segment may end beyond it.
    n_channels : int, optional
        Number of its channels; no set may have others.
    """
    if isinstance(value, MotifSets):
        sets = value
    else:
        if isinstance(value, str | os.PathLike):
            name = f"{name} ({os.fspath(value)})"
            value = read_motif_sets(value)
        elif isinstance(value, Annotations):
            name, value = f"{name} ({value.source})", value.sets
        elif is_frame(value):
            value = from_frame(value)
        labels, members = _labelled(value, name)
        block = plain_segments(members)
        if block is not None and len(block):
            sets = MotifSets.from_pieces(labels, block, map(len, members))
        else:
            pairs = zip(labels, members, strict=True)
            sets = MotifSets(labels, tuple(_one_set(*pair, name) for pair in pairs))
    if n is not None:
        check_integer(n, "n", minimum=0)
        for label, motifs in zip(sets.labels, sets.sets, strict=True):
            check_within(motifs.segments, n, f"{name}, set {label!r}")
    if n_channels is not None:
        check_channel_range(sets, n_channels, name)
    return sets


def plain_segments(members: Sequence[Any]) -> Segments | None:
    """Return the segments of lists of pairs of ints below each other.

    None where anything needs a closer look: other types, or a wrong segment.
    """
    if not set(map(type, members)) <= {list, tuple}:
        return None
    try:
        pairs = list(chain.from_iterable(members))
        if not set(map(len, pairs)) <= {2}:
            return None
        bounds = list(chain.from_iterable(pairs))
        # Twice as fast as np.array; raises unless all are 64-bit integers.
        numbers = array("q", bounds)
    except (TypeError, OverflowError):
        return None
    if bool in set(map(type, bounds)):
        return None
    if not numbers:
        return EMPTY
    block = np.frombuffer(numbers, dtype=np.int64).reshape(-1, 2)
    if block[:, 0].min() < 0 or not (block[:, 0] < block[:, 1]).all():
        return None
    return block


def _one_set(label: Label, motifs: Any, name: str) -> MotifSet:
    if isinstance(motifs, MotifSet):
        return motifs
    where = f"{name}, set {label!r}"
    has_keys = isinstance(motifs, Mapping) and {*motifs} == {"channels", "segments"}
    first = motifs[0] if isinstance(motifs, list) and motifs else ()
    is_stored = isinstance(first, list) and len(first) > 2 and len(first) % 3 == 2
    if has_keys or is_stored:
        try:
            return MotifSet(motifs) if has_keys else MotifSet.from_rows(motifs)
        except InputError as error:
            raise type(error)(f"{where}: {error}") from None
    pairs = plain_segments_of(motifs, where)
    return MotifSet.from_valid(check_segments(pairs, where, nested=True))


def _labelled(value: Any, name: str) -> tuple[tuple[Label, ...], list[Any]]:
    """Split a collection of sets into labels and members."""
    if isinstance(value, Mapping):
        return tuple(value), list(value.values())
    if isinstance(value, MotifSet):
        raise InputTypeError(
            f"{name} is one MotifSet, not a list of sets; write [motif_set]"
        )
    if isinstance(value, bytes) or not isinstance(value, Iterable):
        raise InputTypeError(
            f"{name} must be a mapping of label to segments, a list of lists of "
            f"(start, end), or a file, got {type(value).__name__}"
        )
    members = list(value)
    if members and all(_is_pair_of_numbers(member) for member in members):
        raise InputError(
            f"{name} is one flat list of segments, not a list of sets; "
            f"write [[(start, end), ...]] for a single set"
        )
    return tuple(range(len(members))), members


def _is_pair_of_numbers(member: Any) -> bool:
    if isinstance(member, MotifSet | str | Mapping) or not hasattr(member, "__len__"):
        return isinstance(member, Real)
    return len(member) == 2 and all(isinstance(bound, Real) for bound in member)


def check_truth(
    value: Any,
    name: str = "truth",
    *,
    n: int | None = None,
    by_channel: bool = False,
) -> MotifSets:
    """Return `value` as motif sets that can serve as truth.

    Truth has at least one set, each set at least one segment, and no two segments
    overlap, also across sets: the lemma behind the matching of motifs needs it. With
    `by_channel`, motifs may overlap in time where they share no channel.
    """
    sets = check_motif_sets(value, name, n=n)
    if not sets.sets:
        raise InputError(f"{name} is empty; it must have at least one motif set")
    for label, motifs in zip(sets.labels, sets.sets, strict=True):
        if not len(motifs):
            raise InputError(
                f"{name}, set {label!r} has no segment; leave it out, or give it one"
            )
    named = {channel for motifs in sets.sets for channel in motifs.channels or ()}
    if not by_channel or not named:
        hint = "; subspace_prom takes sets that share no channel" if named else ""
        _check_disjoint(sets, sets.segments, sets.owner, name, hint)
        return sets
    for channel in sorted(named):
        parts, owners = [], []
        for place, motifs in enumerate(sets.sets):
            channels = motifs.channels
            if channels is None or channel in channels:
                at = 0 if channels is None else channels.index(channel)
                parts.append(motifs.intervals[:, at])
                owners.append(np.full(len(motifs), place))
        block, owner = np.concatenate(parts), np.concatenate(owners)
        _check_disjoint(sets, block, owner, name, f" in channel {channel}")
    return sets


def _check_disjoint(
    sets: MotifSets, segments: Segments, owner: Any, name: str, hint: str
) -> None:
    # As many segments end before a start as have begun, or one of them goes on.
    in_order = np.sort(segments, axis=0)
    if (in_order[1:, 0] < in_order[:-1, 1]).any():
        order = np.argsort(segments[:, 0], kind="stable")
        starts, ends = segments[order].T
        clash = np.flatnonzero(starts[1:] < ends[:-1])
        first, second = order[clash[0]], order[clash[0] + 1]
        raise InputError(
            f"{name} must not overlap, but {show(segments[first])} of set "
            f"{sets.labels[owner[first]]!r} and {show(segments[second])} of set "
            f"{sets.labels[owner[second]]!r} do{hint}"
        )


def check_channel_range(sets: MotifSets, n_channels: int, name: str) -> MotifSets:
    """Check channel numbers; plain sets get all channels of the series."""
    count = check_integer(n_channels, "n_channels", minimum=1)
    named = []
    for label, motifs in zip(sets.labels, sets.sets, strict=True):
        if motifs.channels is None:
            motifs = MotifSet(motifs, channels=range(count))
        elif motifs.channels[-1] >= count:
            raise InputError(
                f"{name}, set {label!r} has channel {motifs.channels[-1]}, but the "
                f"series has {count} channels, counted from 0"
            )
        named.append(motifs)
    return MotifSets(sets.labels, tuple(named))


def check_threshold(threshold: Any, name: str = "threshold") -> Fraction:
    """Return the overlap threshold as the decimal number that was written.

    0.7 as a float is a little less than 7/10, so a rate of exactly 7/10 would pass
    "strictly above 0.7". The shortest decimal that names the float is what was meant.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, Real):
        raise InputTypeError(f"{name} must be a number, got {threshold!r}")
    if not 0.5 <= float(threshold) < 1:
        raise InputError(
            f"{name} must lie in [0.5, 1), got {threshold}; below 0.5 one found "
            f"motif could match two true ones"
        )
    return _decimal(str(threshold))


# The same few thresholds are used thousands of times.
_decimal = lru_cache(maxsize=64)(Fraction)


def check_integer(
    value: Any, name: str, *, minimum: int | None = None, maximum: int | None = None
) -> int:
    """Return `value` as int within the given bounds, both inclusive."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputTypeError(f"{name} must be a whole number, got {value!r}")
    number = int(value)
    if minimum is not None and number < minimum:
        raise InputError(f"{name} must be at least {minimum}, got {number}")
    if maximum is not None and number > maximum:
        raise InputError(f"{name} must be at most {maximum}, got {number}")
    return number


def check_number(value: Any, name: str) -> float:
    """Return `value` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{name} must be finite, got {number}")
    return number


def check_range(
    value: Any, name: str, rule: str, holds: Callable[[float], bool]
) -> float:
    """Return a finite number that keeps a rule."""
    number = check_number(value, name)
    if not holds(number):
        raise InputError(f"{name} must {rule}, got {value}")
    return number


check_positive = partial(check_range, rule="be above 0", holds=lambda v: v > 0)
check_not_negative = partial(check_range, rule="be at least 0", holds=lambda v: v >= 0)
check_fraction = partial(check_range, rule="lie in [0, 1]", holds=lambda v: 0 <= v <= 1)


def check_flag(value: Any, name: str) -> bool:
    """Return a truth value; texts and numbers are refused, "no" would be true."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_choice(value: Any, name: str, choices: Iterable[str]) -> str:
    """Return `value` if it is one of `choices`."""
    allowed = list(choices)
    if value not in allowed:
        shown = ", ".join(map(repr, allowed))
        raise InputError(f"{name} must be one of {shown}, got {value!r}")
    return str(value)


def check_series(
    series: Any, name: str = "series", *, min_length: int = 1
) -> NDArray[np.float64]:
    """Return a series as ``float64[n]`` or ``float64[n, d]``, time along axis 0.

    Lists, integers, float32, pandas objects and ``(n, 1)`` arrays are taken; an
    ``(n, 1)`` array becomes ``float64[n]``. NaN and infinite samples pass: what they
    mean is up to the caller.
    """
    try:
        if np.ma.is_masked(series):
            raise InputError(f"{name} has masked samples; fill or leave them out")
        array = np.asarray(series)
        if array.dtype.kind == "c":
            raise TypeError("it has complex ones")
        if array.dtype.kind not in "biuf":
            array = array.astype(np.float64)
    except InputError:
        raise
    except (ValueError, TypeError, OverflowError) as cause:
        raise InputTypeError(f"{name} must hold numbers only ({cause})") from None
    if array.ndim not in (1, 2):
        raise InputError(f"{name} must have shape (n,) or (n, d), got {array.shape}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.size == 0:
        raise InputError(f"{name} is empty")
    if array.ndim == 2 and array.shape[0] < array.shape[1]:
        raise InputError(
            f"{name} has shape {array.shape}: {array.shape[0]} samples of "
            f"{array.shape[1]} channels; time is axis 0, so transpose it if "
            f"{array.shape[1]} is the number of samples"
        )
    if len(array) < min_length:
        size = counted(len(array), "sample")
        raise InputError(f"{name} has {size}, but at least {min_length} are needed")
    return np.ascontiguousarray(array, dtype=np.float64)


def check_options(given: Iterable[str], allowed: Iterable[str], where: str) -> None:
    """Raise for the first option that is not known, naming those that are."""
    known = sorted(set(allowed))
    for option in given:
        if option not in known:
            shown = ", ".join(known) or "none"
            raise InputTypeError(f"{where} has no option {option!r}; known: {shown}")


def check_shape(value: Any, shape: Any, name: str) -> None:
    """Raise `InputTypeError` unless a value that was read from JSON has a shape.

    A shape is a type, or several of which one will do; ``[shape]`` for a list of such
    items; or shapes by key, all of which must be there, where ``...`` stands for all
    other keys.

    >>> check_shape({"a": [1, 2]}, {"a": [int], ...: str}, "it")
    >>> check_shape({"a": [True]}, {"a": [int]}, "it")
    Traceback (most recent call last):
    tsmdbench.errors.InputTypeError: it.a[0] is True
    """
    plain = type(shape) if isinstance(shape, list | dict) else shape
    if type(value) not in (plain if isinstance(plain, tuple) else (plain,)):
        raise InputTypeError(f"{name} is {value!r:.60}")
    if isinstance(shape, list):
        for place, item in enumerate(value):
            check_shape(item, shape[0], f"{name}[{place}]")
    elif isinstance(shape, dict):
        for key in shape:
            if key is not ... and key not in value:
                raise InputTypeError(f"{name} has no {key!r}")
        for key, item in value.items():
            if key in shape or ... in shape:
                inner = shape.get(key, shape.get(...))
                check_shape(item, inner, f"{name}.{key:.40}")

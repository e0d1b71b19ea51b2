"""Motif sets as columns of small numbers, the form in which Parquet files keep them.

In memory a column of motif sets (``found`` of runs, ``truth`` of problems) is a list of
sets for each row, a set a list of motifs, and a motif a list of numbers, see
`tsmdbench.MotifSet.to_rows`. Written like this, channels are repeated for each motif,
and intervals for each channel. A file has a structure with these lists instead:

``motifs``, ``widths``
    Numbers of motifs and of channels of each set; a plain set has no channels.
``channels``
    Of each set: the first channel, then the steps to the next ones.
``starts``, ``lengths``
    Of each motif, in its first channel: the start, counted from that of the motif
    before in the set, and the length.
``shifts``, ``stretches``
    Of each motif, in each further channel: how much later it starts, and how much
    longer it is, than in the channel before. Zeros, where intervals are equal.

Start and end of the whole motif follow from the intervals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tsmdbench.arrays import Integers

LISTS = pa.list_(pa.list_(pa.list_(pa.int64())))  # in memory
NAMES = ("motifs", "widths", "channels", "starts", "lengths", "shifts", "stretches")
PACKED = pa.struct([(name, pa.list_(pa.int64())) for name in NAMES])
REPEATING = ("shifts", "stretches")  # few different values


def encodings(column: str) -> tuple[list[str], dict[str, str]]:
    """Return the leaves of a packed column that get dictionaries, and the others'.

    Numbers of segments compress best with their high bytes together.
    """
    leaves = {name: f"{column}.{name}.list.element" for name in NAMES}
    repeating = [leaves.pop(name) for name in REPEATING]
    return repeating, dict.fromkeys(leaves.values(), "BYTE_STREAM_SPLIT")


def packed(column: Any) -> pa.Array:
    """Return motif sets in the form of a file; raise `ValueError` for anything else."""
    per_row, sets = _unnested(column)
    motifs, each = _unnested(sets)
    sizes, values = _unnested(each)
    first, own = _begins(sizes), sizes // 3  # intervals after start and end
    if (sizes % 3 != 2).any():
        raise ValueError("a motif is not start, end, and intervals with channels")
    of_set = np.repeat(np.arange(len(motifs)), motifs)
    filled = motifs > 0
    leading = _begins(motifs)[filled]  # the first motif of each set
    widths = np.zeros_like(motifs)
    widths[filled] = own[leading]
    # The channels of a set are those of its first motif, and then of all others.
    owner, place = _places(own[leading])
    used = values[first[leading][owner] + 2 + 3 * place]
    owner, place = _places(own)
    channels = values[first[owner] + 2 + 3 * place]
    if (own != widths[of_set]).any() or (
        channels != used[_begins(widths)[of_set[owner]] + place]
    ).any():
        raise ValueError("motifs of one set have different channels")
    # The intervals of all motifs; that of a plain one is the motif.
    owner, place = _places(np.maximum(own, 1))
    at = first[owner] + np.where(own[owner] > 0, 3 + 3 * place, 0)
    starts, lengths = values[at], values[at + 1] - values[at]
    if len(starts):
        heads = np.flatnonzero(place == 0)
        low = np.minimum.reduceat(starts, heads)
        high = np.maximum.reduceat(starts + lengths, heads)
        if (low != values[first]).any() or (high != values[first + 1]).any():
            raise ValueError("a motif does not cover its intervals")
    head, later = place == 0, place > 0
    parts = {
        "motifs": (motifs, per_row),
        "widths": (widths, per_row),
        "channels": (_steps(used, widths), _sums(widths, per_row)),
        "starts": (_steps(starts[head], motifs), _sums(motifs, per_row)),
        "lengths": (lengths[head], _sums(motifs, per_row)),
    }
    further = _sums(_sums(np.maximum(own, 1) - 1, motifs), per_row)
    for name, numbers in (("shifts", starts), ("stretches", lengths)):
        parts[name] = np.diff(numbers, prepend=0)[later], further
    arrays = [_nested(*parts[name]) for name in NAMES]
    return pa.StructArray.from_arrays(arrays, fields=list(PACKED))


def unpacked(column: Any) -> pa.Array:
    """Return motif sets as lists; raise `ValueError` where numbers do not fit."""
    one = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if one.null_count:
        raise ValueError("a row has no motif sets")
    counts, flat = {}, {}
    for name in NAMES:
        counts[name], flat[name] = _unnested(one.field(name))
    motifs, widths, per_row = flat["motifs"], flat["widths"], counts["motifs"]
    if len(widths) != len(motifs):
        raise ValueError("numbers of motifs and of channels do not fit to each other")
    further = motifs * np.maximum(widths - 1, 0)
    expected = {
        "widths": (per_row, len(motifs)),
        "channels": (_sums(widths, per_row), len(flat["channels"])),
        "starts": (_sums(motifs, per_row), len(flat["starts"])),
        "lengths": (_sums(motifs, per_row), len(flat["starts"])),
        "shifts": (_sums(further, per_row), len(flat["shifts"])),
        "stretches": (_sums(further, per_row), len(flat["shifts"])),
    }
    fits = all(
        np.array_equal(counts[name], lengths) and len(flat[name]) == total
        for name, (lengths, total) in expected.items()
    )
    sizes = ((motifs, flat["starts"]), (widths, flat["channels"]))
    for numbers, listed in sizes:
        fits = fits and bool(((numbers >= 0) & (numbers <= len(listed))).all())
    if not fits:
        raise ValueError("numbers of motifs and of channels do not fit to their lists")
    used = _sums_from_steps(flat["channels"], widths)
    of_set = np.repeat(np.arange(len(motifs)), motifs)
    own = widths[of_set]
    owner, place = _places(np.maximum(own, 1))
    starts, lengths = np.empty_like(owner), np.empty_like(owner)
    head, later = place == 0, place > 0
    starts[head] = _sums_from_steps(flat["starts"], motifs)
    starts[later], lengths[head] = flat["shifts"], flat["lengths"]
    lengths[later] = flat["stretches"]
    starts = _sums_from_steps(starts, np.maximum(own, 1))
    ends = starts + _sums_from_steps(lengths, np.maximum(own, 1))
    sizes_of = 2 + 3 * own
    first = _begins(sizes_of)
    values = np.empty(int(sizes_of.sum()), np.int64)
    if len(starts):
        heads = np.flatnonzero(head)
        values[first] = np.minimum.reduceat(starts, heads)
        values[first + 1] = np.maximum.reduceat(ends, heads)
        inside = own[owner] > 0
        owner, place = owner[inside], place[inside]
        at = first[owner] + 2 + 3 * place
        values[at] = used[_begins(widths)[of_set[owner]] + place]
        values[at + 1], values[at + 2] = starts[inside], ends[inside]
    return _nested(_nested(_nested(values, sizes_of), motifs), per_row)


def _unnested(column: Any) -> tuple[Integers, Any]:
    """Return the lengths of lists, and what they have inside, below each other."""
    inside = pc.list_flatten(column)
    if isinstance(inside, pa.ChunkedArray):
        inside = inside.combine_chunks()
    if column.null_count or inside.null_count:
        raise ValueError("a list of motif sets is empty")
    lengths = np.asarray(pc.list_value_length(column), dtype=np.int64)
    is_list = pa.types.is_list(inside.type)
    return lengths, inside if is_list else np.asarray(inside, dtype=np.int64)


def _nested(values: Any, lengths: Integers) -> pa.Array:
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), pa.array(values))


def _begins(lengths: Integers) -> Integers:
    """Return where each of several adjacent groups begins."""
    return np.asarray(np.cumsum(lengths) - lengths)


def _places(lengths: Integers) -> tuple[Integers, Integers]:
    """Return the group of each member of adjacent groups, and its place in it."""
    group = np.repeat(np.arange(len(lengths)), lengths)
    return group, np.arange(len(group)) - _begins(lengths)[group]


def _sums(values: Integers, lengths: Integers) -> Integers:
    """Return the sum of each group; that of an empty one is 0."""
    total = np.concatenate([[0], np.cumsum(values)])
    ends = np.minimum(np.cumsum(lengths), len(values))
    return np.asarray(total[ends] - total[np.minimum(ends - lengths, ends)])


def _steps(values: Integers, lengths: Integers) -> Integers:
    """Return, in each group, the first value and the differences of the others."""
    steps = np.diff(values, prepend=0)
    heads = _begins(lengths)[lengths > 0]
    steps[heads] = values[heads]
    return np.asarray(steps)


def _sums_from_steps(steps: Integers, lengths: Integers) -> Integers:
    """Return what `_steps` was made of."""
    total = np.cumsum(steps)
    before = np.concatenate([[0], total])[_begins(lengths)]
    return np.asarray(total - np.repeat(before, lengths))

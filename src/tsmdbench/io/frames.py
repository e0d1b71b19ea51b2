"""Motif sets from tables in memory: pandas, polars and Arrow."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import UTC
from typing import Any

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.marks import (
    SHOWN,
    UNITS,
    Mark,
    Marks,
    bound_of_number,
    bound_of_text,
)
from tsmdbench.io.paths import brief
from tsmdbench.io.timebase import Bound, Seconds

LABELS = ("set", "label")


def is_frame(value: Any) -> bool:
    """Whether a value is a table with named columns."""
    named = hasattr(value, "columns") or hasattr(value, "column_names")
    return named and hasattr(value, "__getitem__") and not isinstance(value, np.ndarray)


def bound_columns(units: str) -> tuple[str, str]:
    """Return the names of the columns of starts and ends.

    >>> bound_columns("samples"), bound_columns("s"), bound_columns("time")
    (('start', 'end'), ('start_s', 'end_s'), ('start', 'end'))
    """
    suffix = "" if units in ("samples", "time") else "_" + units.replace("-", "_")
    return f"start{suffix}", f"end{suffix}"


def find_columns(names: list[str], where: str) -> tuple[int, int, int, str | None]:
    """Return the places of label, start and end, and the units their names state."""
    for units in UNITS:
        pair = bound_columns(units)
        wanted = [name for name in (*LABELS, *pair) if name in names]
        twice = [name for name in wanted if names.count(name) > 1]
        if twice:
            raise InputError(f"{where}: the column {twice[0]!r} is there twice")
        if len(wanted) == 3 and pair[0] in wanted and pair[1] in wanted:
            label, start, end = map(names.index, wanted)
            return label, start, end, None if units == "samples" else units
    shown = ",".join(names)[:60]
    raise InputError(
        f"{where}: the header must be set,start,end (or start_s and end_s), got "
        f"{shown!r}"
    )


def marks_of_frame(frame: Any, where: str, units: str | None = None) -> Marks:
    """Return the rows of a table with the columns label (or set), start and end."""
    names = [str(n) for n in getattr(frame, "column_names", None) or frame.columns]
    places = find_columns(names, where)
    chosen, units = [names[at] for at in places[:3]], places[3] or units
    columns = [_plain(frame[name]) for name in chosen]
    for row, label in enumerate(columns[0]):
        if not isinstance(label, Hashable) or label is None or label != label:
            raise InputError(
                f"{where}, row {row}: the label is {brief(repr(label), SHOWN)}; a "
                f"label is a text or a number"
            )
    rows = [
        Mark(
            label,
            _bound(start, units, f"{where}, row {row}"),
            _bound(end, units, f"{where}, row {row}"),
            f"{where}, row {row}",
        )
        for row, (label, start, end) in enumerate(zip(*columns, strict=True))
    ]
    extra = [name for name in names if name not in chosen]
    left_out = [f"columns left out: {', '.join(extra)}"] if extra else []
    return Marks(rows, left_out=left_out)


def _plain(column: Any) -> list[Any]:
    for name in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    return list(column)


def _bound(value: Any, units: str | None, where: str) -> Bound:
    if isinstance(value, bool) or value is None:
        raise InputError(
            f"{where} has the bound {value!r}; bounds are numbers or times"
        )
    if isinstance(value, int | float | np.number):
        return bound_of_number(
            value.item() if hasattr(value, "item") else value, units, where
        )
    if isinstance(value, str):
        return bound_of_text(value, units, where)
    return bound_of_moment(value, where)


def bound_of_moment(value: Any, where: str) -> Bound:
    """Return a time stamp or duration of pandas, NumPy or the standard library."""
    if hasattr(value, "total_seconds"):
        return Seconds(float(value.total_seconds()))
    try:
        if getattr(value, "tzinfo", None) is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        stamp = np.datetime64(value, "ns")
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{where} has the bound {value!r}; bounds are numbers or times"
        ) from None
    if np.isnat(stamp):
        raise InputError(f"{where} has no bound")
    return stamp

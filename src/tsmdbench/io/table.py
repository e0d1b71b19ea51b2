"""Options of reading a series, and columns before they become a recording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.io.files import MAX_SERIES_BYTES
from tsmdbench.io.timebase import SCALES, Gap

# Noted where time stamps have a zone, since they are then printed with other hours.
IN_UTC = "time stamps converted to UTC"
CHOICES = {
    "missing": ("error", "interpolate", "keep"),
    "time_unit": tuple(SCALES),
    "decimal": (".", ","),
    "thousands": (",", ".", "'", " ", "_", "\u00a0", "\u202f"),
    "time_axis": ("first", "last"),
}


@dataclass(frozen=True)
class SeriesOptions:
    """How a series is read; see `tsmdbench.io.read_recording` for their meaning."""

    columns: Any = None
    time_column: str | None = None
    time_unit: str | None = None
    rate: float | None = None
    missing: str = "error"
    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    header: bool | None = None
    skip_rows: int = 0
    day_first: bool | None = None
    encoding: str | None = None
    case: int | None = None
    time_axis: str = "first"
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        if self.columns is not None:
            split = self.columns.split(",") if isinstance(self.columns, str) else None
            given = self.columns if split is None else [name.strip() for name in split]
            columns = tuple(map(str, given))
            if not columns or len(set(columns)) < len(columns):
                raise InputError(f"columns must name different columns, got {columns}")
            object.__setattr__(self, "columns", columns)
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in choices:
                known = ", ".join(map(repr, choices))
                raise InputError(f"{name} must be one of {known}, got {value!r}")
        if self.rate is not None and not 0 < self.rate < float("inf"):
            raise InputError(f"rate must be a positive number of Hz, got {self.rate}")
        if self.separator is not None and len(self.separator) != 1:
            raise InputError(
                f"separator must be one character, got {self.separator!r}; a tab is "
                f"the character, not the two characters \\t"
            )
        if self.thousands is not None and self.thousands == self.decimal:
            raise InputError(f"thousands and decimal are both {self.decimal!r}")
        if not isinstance(self.skip_rows, int) or self.skip_rows < 0:
            raise InputError(f"skip_rows must be at least 0, got {self.skip_rows!r}")

    @property
    def limit(self) -> int:
        """The largest file, or content of a file, in bytes."""
        return MAX_SERIES_BYTES if self.max_bytes is None else self.max_bytes


@dataclass
class Table:
    """Columns of numbers or of time, in the order of the file.

    Parameters
    ----------
    names : list of str
        One per column; a column without a name is called by its position.
    columns : list of array
        Numbers, ``datetime64`` or ``timedelta64``; all of one length.
    source : str
        Name in errors.
    named : bool
        Whether the file has the names, so that a column may be the time by its name.
    first_line : int, optional
        Line of the first sample in a text file.
    rate, start, gaps
        As far as the format, or the time column, determines them.
    notes : list of str
        How the file was read, and what was left out.
    units : list of str
        One per column, or empty.
    """

    names: list[str]
    columns: list[NDArray[Any]]
    source: str
    named: bool = True
    first_line: int | None = None
    rate: float | None = None
    start: np.datetime64 | float | None = None
    notes: list[str] = field(default_factory=list)
    units: list[str] = field(default_factory=list)
    gaps: tuple[Gap, ...] = ()

    def place(self, row: int) -> str:
        """Return the name of a row in errors: its line in a text file."""
        if self.first_line is None:
            return f"row {row}"
        return f"line {self.first_line + row}"

    def position(self, name: str) -> int:
        """Return the position of a column."""
        if name not in self.names:
            known = ", ".join(self.names)
            raise InputError(f"{self.source} has no column {name!r}; known: {known}")
        return self.names.index(name)


def table_of_array(array: Any, source: str, options: SeriesOptions) -> Table:
    """Return an array of shape (n,) or (n, d) as columns.

    An array with more channels than samples is refused: it is nearly always the wrong
    way round, and a reader must not guess.
    """
    values = np.asarray(array)
    if values.dtype.kind not in "biuf":
        raise InputError(f"{source}: a series holds numbers, not {values.dtype}")
    if values.ndim not in (1, 2):
        raise InputError(
            f"{source}: a series has shape (n,) or (n, d), got {values.shape}"
        )
    if values.ndim == 2 and options.time_axis == "last":
        values = values.T
    columns = values[:, None] if values.ndim == 1 else values
    n, d = columns.shape
    if not columns.size:
        raise InputError(f"{source} holds no samples")
    if n < d:
        raise InputError(
            f"{source} has shape {values.shape}: {n} samples of {d} channels; time is "
            f"the first axis, so give time_axis='last' (--time-axis last) if {d} is "
            f"the number of samples"
        )
    return Table(array_names(d), list(columns.T), source, named=False)


def array_names(channels: int) -> list[str]:
    """Return names for channels that have none: their places.

    >>> array_names(1), array_names(2)
    (['value'], ['0', '1'])
    """
    return ["value"] if channels == 1 else [str(place) for place in range(channels)]

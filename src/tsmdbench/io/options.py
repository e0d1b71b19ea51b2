"""The options of reading a series, in one place, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.io.paths import MAX_SERIES_BYTES

MISSING = ("error", "interpolate", "keep")
THOUSANDS = (",", ".", "'", " ", "_", "\u00a0", "\u202f")
TIME_UNITS = ("s", "ms", "us", "ns")


@dataclass(frozen=True)
class SeriesOptions:
    """How a series is read; see `tsmdbench.io.read_recording` for their meaning."""

    columns: tuple[str, ...] | None = None
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
    time_axis: int = 0
    max_bytes: int | None = None

    @property
    def limit(self) -> int:
        """The largest file, or content of a file, in bytes."""
        return MAX_SERIES_BYTES if self.max_bytes is None else self.max_bytes


def series_options(given: dict[str, Any]) -> SeriesOptions:
    """Return the options, having checked each by itself."""
    columns = given.get("columns")
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",")]
    if columns is not None:
        columns = tuple(str(name) for name in columns)
        if not columns or len(set(columns)) < len(columns):
            raise InputError(f"columns must name different columns, got {columns}")
    try:
        options = SeriesOptions(**{**given, "columns": columns})
    except TypeError:
        known = ", ".join(SeriesOptions.__dataclass_fields__)
        wrong = ", ".join(set(given) - set(SeriesOptions.__dataclass_fields__))
        raise InputError(f"no option {wrong}; known: {known}") from None
    _check_choice(options.missing, "missing", MISSING)
    if options.time_unit is not None:
        _check_choice(options.time_unit, "time_unit", TIME_UNITS)
    if options.rate is not None and not 0 < options.rate < float("inf"):
        raise InputError(f"rate must be a positive number of Hz, got {options.rate}")
    if options.decimal is not None:
        _check_choice(options.decimal, "decimal", (".", ","))
    if options.separator is not None and len(options.separator) != 1:
        raise InputError(
            f"separator must be one character, got {options.separator!r}; a tab is "
            f"the character, not the two characters \\t"
        )
    if options.thousands is not None and options.thousands not in THOUSANDS:
        known = " ".join(map(repr, THOUSANDS))
        raise InputError(f"thousands must be one of {known}, got {options.thousands!r}")
    if options.thousands is not None and options.thousands == options.decimal:
        raise InputError(f"thousands and decimal are both {options.decimal!r}")
    if not isinstance(options.skip_rows, int) or options.skip_rows < 0:
        raise InputError(f"skip_rows must be at least 0, got {options.skip_rows!r}")
    if options.time_axis not in (0, 1):
        raise InputError(f"time_axis must be 0 or 1, got {options.time_axis!r}")
    return options


def _check_choice(value: Any, name: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        known = ", ".join(map(repr, choices))
        raise InputError(f"{name} must be one of {known}, got {value!r}")

"""Columns as a reader found them, before they become a recording."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Said where time stamps have a zone, since they are then printed with other hours.
IN_UTC = "time stamps converted to UTC"


@dataclass
class Table:
    """Columns of numbers or of time, in the order of the file.

    Parameters
    ----------
    names : list of str
        One per column; a column without a name is called by its position.
    columns : list of array
        Numbers, or ``datetime64``; all of one length.
    source : str
        What errors call it.
    named : bool
        The names are in the file, so that a column may be the time by its name.
    first_line : int, optional
        Number of the line of the first sample, so that errors can name lines.
    rate, start
        As far as the format itself tells.
    notes : list of str
        What was read how, and what was left out.
    units : list of str
        One per column, if the format itself tells.
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

    def place(self, row: int) -> str:
        """Return what a person calls a row: its line in a text file."""
        if self.first_line is None:
            return f"row {row}"
        return f"line {self.first_line + row}"

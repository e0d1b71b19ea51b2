"""One case of a ``.ts`` file of the UCR and UEA archive.

A file holds many series, its cases; ``--case`` chooses one, counted from 0, and is only
needed where there are several. The format has no names of channels: they are named by
their place, as those of an array. Labels are not read.
"""

from __future__ import annotations

from pathlib import Path

from tsmdbench.errors import InputError
from tsmdbench.io.assemble import array_names
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import check_text
from tsmdbench.io.table import Table
from tsmdbench.io.ts_format import parse_ts


def _read(file: Path, options: SeriesOptions) -> Table:
    check_text(file, options.limit)
    cases = parse_ts(file).instances
    if not cases:
        raise InputError(f"{file}: not a readable .ts file (it holds no series)")
    if options.case is None and len(cases) > 1:
        raise InputError(
            f"{file} holds {len(cases)} series; choose one with --case, from 0 on"
        )
    place = options.case or 0
    if not 0 <= place < len(cases):
        raise InputError(f"--case must lie in [0, {len(cases)}), got {place}")
    columns = list(cases[place].T)
    return Table(array_names(len(columns)), columns, str(file), named=False)


FORMAT = SeriesFormat("ts", (".ts",), _read, "one case of an archive file (--case)")

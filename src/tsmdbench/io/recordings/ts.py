"""One case of a ``.ts`` file of the UCR and UEA archive, read by aeon."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tsmdbench.errors import InputError, MissingExtraError
from tsmdbench.io.assemble import table_of_array
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import brief, check_text
from tsmdbench.io.table import Table


def _read(file: Path, options: SeriesOptions) -> Table:
    try:
        from aeon.datasets import load_from_ts_file
    except ImportError:
        raise MissingExtraError(".ts files need aeon", "archive") from None
    check_text(file, options.limit)
    try:
        loaded = load_from_ts_file(str(file))
    except (OSError, ValueError, IndexError, KeyError, TypeError) as cause:
        raise InputError(f"{file}: not a readable .ts file ({brief(cause)})") from None
    cases = loaded[0] if isinstance(loaded, tuple) else loaded
    if not len(cases):
        raise InputError(f"{file}: not a readable .ts file (it holds no series)")
    if options.case is None and len(cases) > 1:
        raise InputError(
            f"{file} holds {len(cases)} series; choose one with --case, from 0 on"
        )
    place = options.case or 0
    if not 0 <= place < len(cases):
        raise InputError(f"--case must lie in [0, {len(cases)}), got {place}")
    values = np.asarray(cases[place], dtype=np.float64).T
    return table_of_array(values, str(file), options)


FORMAT = SeriesFormat("ts", (".ts",), _read, "one case of an archive file (--case)")

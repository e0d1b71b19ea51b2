"""Where a method raised: a traceback that is short and says nothing of the machine."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from tsmdbench.experiments.store.rows import storable

FRAMES = 6  # of a traceback that are kept: the last ones
LONGEST = 2000  # characters of it
LONGEST_LINE = 160


def short_traceback(error: BaseException, without: str = "") -> str:
    """Return where an exception was raised, the innermost call last.

    Parameters
    ----------
    error : BaseException
    without : str
        A file whose calls are left out: that of whoever called the method.

    Returns
    -------
    str
        A line per call, ``module.py:12 in find: return x / 0``, with the file relative
        to where it was imported from; empty where nothing else than `without` raised.
    """
    try:
        every = traceback.extract_tb(error.__traceback__)
    except Exception:  # noqa: BLE001 (source files may be anything)
        return ""
    calls = [call for call in every if call.filename != without]
    lines = [_line(call) for call in calls[-FRAMES:]]
    if len(calls) > FRAMES:
        lines.insert(0, f"... {len(calls) - FRAMES} calls before")
    return storable("\n".join(lines)[-LONGEST:])


def _line(call: traceback.FrameSummary) -> str:
    source = " ".join((call.line or "").split())
    text = f"{_short_name(call.filename)}:{call.lineno} in {call.name}"
    return f"{text}{': ' * bool(source)}{source}"[:LONGEST_LINE]


def _short_name(filename: str) -> str:
    """Return a file without the folder that it was imported from."""
    file = Path(filename)
    folders = (Path(entry) for entry in sys.path if entry)
    inside = [file.relative_to(f) for f in folders if file.is_relative_to(f)]
    return str(min(inside, key=lambda name: len(name.parts), default=file.name))

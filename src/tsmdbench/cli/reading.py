"""Options of reading, defined once for all commands, and what was read.

`reads_series` and `reads_sets` give a command the options of reading a series and of
reading motif sets; the command gets their values as one dictionary.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tsmdbench.io import Annotations, Recording

SeriesFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of the series, if the file extension does not name it.",
    ),
]
Units = Annotated[
    str,
    typer.Option(
        help="Unit of printed and written segments: samples, s, ms, us, ns, epoch-s, "
        "epoch-ms, ..., or time (time stamps where the recording has them)."
    ),
]
# Name to type, help text, further declarations, and default.
SERIES: dict[str, tuple[Any, str, tuple[str, ...], Any]] = {
    "columns": (str | None, "Channels by name, separated by commas.", (), None),
    "time_column": (
        str | None,
        "Name of the time column, or 'none'; detected by default.",
        (),
        None,
    ),
    "time_unit": (str | None, "Unit of the time column: s, ms, us or ns.", (), None),
    "rate": (
        float | None,
        "Sampling rate in Hz, if the file has no time column.",
        (),
        None,
    ),
    "case": (int | None, "Which series of a .ts file; the first is 0.", (), None),
    "separator": (
        str | None,
        "Separator of columns in text; 'tab' for a tab.",
        (),
        None,
    ),
    "decimal": (str | None, "Decimal sign in text: . or ,", (), None),
    "thousands": (str | None, "Thousands separator in text, such as ,", (), None),
    "header": (
        bool | None,
        "Whether the first line of text is a header.",
        ("--header/--no-header",),
        None,
    ),
    "skip_rows": (int, "Lines of text to skip above the table.", (), 0),
    "day_first": (
        bool | None,
        "Order of dates such as 01.05.2024, which are not in ISO form.",
        ("--day-first/--month-first",),
        None,
    ),
    "encoding": (str | None, "Encoding of text; UTF-8 by default.", (), None),
    "time_axis": (
        int,
        "1 for arrays that have time along their second axis.",
        (),
        0,
    ),
    "max_bytes": (int | None, "Largest file to read, in bytes.", (), None),
}
SETS: dict[str, tuple[Any, str, tuple[str, ...], Any]] = {
    "units": (
        str | None,
        "Unit of numbers in files of motif sets that do not state it, and of segments "
        "that are printed: samples, s, ms, us, ns, epoch-s, epoch-ms, ...",
        (),
        None,
    ),
    "tier": (str | None, "Tier of a TextGrid or ELAN file.", (), None),
    "length": (int | None, "Length of windows, for a matrix of starts.", (), None),
    "background": (
        str | None,
        "Label outside of motifs, for labels per sample.",
        (),
        None,
    ),
}


def _takes(
    options: dict[str, tuple[Any, str, tuple[str, ...], Any]], parameter: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that passes `options` on as one dictionary `parameter`.

    An option that the command has itself is left to it.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(function, eval_str=True)
        own = [p for p in signature.parameters.values() if p.name != parameter]
        added = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[kind, typer.Option(*declared, help=says)],
                default=default,
            )
            for name, (kind, says, declared, default) in options.items()
            if name not in signature.parameters
        ]

        @functools.wraps(function)
        def command(*arguments: Any, **values: Any) -> None:
            given = {p.name: values.pop(p.name) for p in added}
            function(*arguments, **{parameter: given}, **values)

        changed: Any = command
        changed.__signature__ = signature.replace(parameters=[*own, *added])
        changed.__annotations__ = {p.name: p.annotation for p in [*own, *added]}
        del changed.__wrapped__
        return command

    return decorate


reads_series = _takes(SERIES, "series_options")
reads_sets = _takes(SETS, "set_options")


def typed(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a series; a tab can be typed as a word."""
    tab = {"separator": "\t"} if options["separator"] in ("tab", r"\t") else {}
    return {**options, **tab}


def read_and_say(
    file: Path, options: dict[str, Any], file_format: str | None = None, **more: Any
) -> Recording:
    """Read a series with the values of its options, and print what was read."""
    from tsmdbench.io import read_recording

    recording = read_recording(file, file_format=file_format, **typed(options), **more)
    parts = [f"read {recording.source}: {recording.summary()}", *recording.notes]
    typer.echo("; ".join(parts), err=True)
    return recording


def annotations_and_say(file: Path, **options: Any) -> Annotations:
    """Read motif sets, and print what was rounded or left out to stderr."""
    from tsmdbench.io import read_annotations

    found = read_annotations(file, **options)
    say_notes(file, found.notes)
    return found


def say_notes(file: Path, notes: Iterable[str]) -> None:
    """Print notes about a file to stderr, in one line."""
    said = "; ".join(notes)
    if said:
        typer.echo(f"{file}: {said}", err=True)

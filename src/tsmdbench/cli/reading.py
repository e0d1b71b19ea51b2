"""Options of reading, shared by the commands, and the line that says what was read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tsmdbench.io import Annotations, Recording

Columns = Annotated[
    str | None,
    typer.Option(help="Channels by name, separated by commas.", metavar="A,B"),
]
TimeColumn = Annotated[
    str | None,
    typer.Option(help="Name of the time column, or 'none'; detected by default."),
]
TimeUnit = Annotated[
    str | None, typer.Option(help="Unit of the time column: s, ms, us or ns.")
]
Rate = Annotated[
    float | None,
    typer.Option(help="Sampling rate, if the file has no time column.", metavar="HZ"),
]
Separator = Annotated[
    str | None, typer.Option(help="Separator of columns in text; 'tab' for a tab.")
]
Decimal = Annotated[str | None, typer.Option(help="Decimal sign in text: . or ,")]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header", help="Whether the first line of text is a header."
    ),
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of text; UTF-8 by default.")
]
TimeAxis = Annotated[
    int, typer.Option(help="1 for arrays that have time along their second axis.")
]
MaxBytes = Annotated[int | None, typer.Option(help="Largest file to read, in bytes.")]
Units = Annotated[
    str | None,
    typer.Option(
        help="Unit of numbers in files of motif sets: samples, s, ms, us, ns, "
        "epoch-s, epoch-ms, ..."
    ),
]
SeriesFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Format of the series, if the file extension does not name it.",
    ),
]
Case = Annotated[
    int | None, typer.Option(help="Which series of a .ts file; the first is 0.")
]
Length = Annotated[
    int | None, typer.Option(help="Length of windows, for a matrix of starts.")
]
Background = Annotated[
    str | None, typer.Option(help="Label outside of motifs, for labels per sample.")
]
Tier = Annotated[str | None, typer.Option(help="Tier of a TextGrid or ELAN file.")]


def text_options(
    separator: str | None, decimal: str | None, encoding: str | None
) -> dict[str, Any]:
    """Return the options of text tables; a tab can be typed as a word."""
    spelled = "\t" if separator in ("tab", r"\t") else separator
    return {"separator": spelled, "decimal": decimal, "encoding": encoding}


def read_and_say(
    file: Path, file_format: str | None = None, **options: Any
) -> Recording:
    """Read a series, and print what was read to stderr."""
    from tsmdbench.io import read_recording

    recording = read_recording(file, file_format=file_format, **options)
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

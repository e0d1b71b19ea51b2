"""``tsmdbench convert``: write motif sets in another format or unit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tsmdbench.cli import reading


@reading.reads_series
@reading.reads_sets
def convert(
    sets: Annotated[
        Path, typer.Argument(help="Motif sets, in any format that 'evaluate' reads.")
    ],
    out: Annotated[
        Path,
        typer.Argument(help="The file to write: .json, .csv, .tsv, .TextGrid, ..."),
    ],
    *,
    series: Annotated[
        Path | None,
        typer.Option(
            help="The series, to turn times into samples; or give --rate.",
            metavar="FILE",
        ),
    ] = None,
    file_format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Format of the motif sets, if the file extension does not name it.",
        ),
    ] = None,
    out_format: Annotated[
        str | None,
        typer.Option(help="Format to write, if the file extension does not name it."),
    ] = None,
    out_units: reading.Units = "samples",
    series_format: Annotated[
        str | None, typer.Option(help="Format of the series.")
    ] = None,
    set_options: dict[str, Any],
    series_options: dict[str, Any],
) -> None:
    """Convert motif sets from one file format to another.

    Examples: tsmdbench convert labels.TextGrid truth.json --series walk.csv

    tsmdbench convert found.json found.csv --rate 100 --out-units s

    Prints how many segments were written, and to stderr what was rounded or lost.
    """
    from tsmdbench.io import write_motif_sets
    from tsmdbench.plural import counted
    from tsmdbench.validation import check_motif_sets

    recording = None
    if series is not None:
        recording = reading.read_and_say(
            series, series_options, series_format, missing="keep"
        )
    rate = series_options["rate"] if recording is None else None
    read = reading.annotations_and_say(
        sets,
        file_format=file_format,
        recording=recording,
        rate=rate,
        encoding=series_options["encoding"],
        max_bytes=series_options["max_bytes"],
        **set_options,
    )
    n = None if recording is None else len(recording)
    checked = check_motif_sets(read.sets, str(sets), n=n)
    lost = write_motif_sets(
        out,
        checked,
        file_format=out_format,
        recording=recording,
        rate=rate,
        units=out_units,
    )
    reading.say_notes(out, [f"lost: {text}" for text in lost])
    segments = counted(len(checked.segments), "segment")
    typer.echo(f"{out}: {counted(len(checked.sets), 'set')}, {segments}")

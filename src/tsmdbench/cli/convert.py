"""``tsmdbench convert``: write motif sets in another format or unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from tsmdbench.cli import reading


def convert(
    sets: Path,
    out: Path,
    *,
    series: Path | None = None,
    file_format: str | None = None,
    out_format: str | None = None,
    out_units: str = "samples",
    series_format: str | None = None,
    set_options: dict[str, Any],
    series_options: dict[str, Any],
) -> None:
    """Convert motif sets from one file format to another.

    Examples: tsmdbench convert labels.TextGrid truth.json --series walk.csv

    tsmdbench convert found.json found.csv --rate 100 --out-units s

    Prints how many segments were written, and to stderr what was rounded or lost.

    Options:
    sets: Motif sets, in any format that 'evaluate' reads.
    out: The file to write: .json, .csv, .tsv, .TextGrid, ...
    out_units: Unit of the written segments, as --units of 'discover'.
    series FILE: The series, to turn times into samples; or give --rate.
    """
    from tsmdbench.io import write_motif_sets
    from tsmdbench.plural import counted
    from tsmdbench.validation import check_motif_sets

    recording = None
    if series is not None:
        recording = reading.read_and_say(
            series, series_options, series_format, missing="keep"
        )
    read, _ = reading.read_sets(
        sets, file_format, recording, series_options, set_options
    )
    n = None if recording is None else len(recording)
    checked = check_motif_sets(read, str(sets), n=n)
    lost = write_motif_sets(
        out,
        checked,
        file_format=out_format,
        recording=recording,
        rate=series_options["rate"] if recording is None else None,
        units=out_units,
    )
    reading.say_notes(out, [f"lost: {text}" for text in lost])
    segments = counted(len(checked.segments), "segment")
    typer.echo(f"{out}: {counted(len(checked.sets), 'set')}, {segments}")

"""``tsmdbench discover``: find the repeating patterns of a series."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli import reading
from tsmdbench.cli.compiling import telling
from tsmdbench.cli.figures import check_figure, is_page, write_figure, write_page
from tsmdbench.cli.options import Python, With, replaced
from tsmdbench.cli.searching import say_expected_time, showing_progress
from tsmdbench.cli.sweeping import first_values, sweep_rows, sweep_settings, table
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.discovery import Search
    from tsmdbench.io import Recording


@reading.reads_series
def discover(
    series: Annotated[
        Path,
        typer.Argument(
            help="The series (CSV, txt, Parquet, Feather, npy, npz, WAV, WFDB, ts)."
        ),
    ],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            help="A name from 'tsmdbench methods', module:Class or file.py:Class; "
            "chosen by default.",
            show_default=False,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="A parameter of the method; repeatable. Lengths are samples, or times "
            "such as 3s and 500ms. Lengths that are not given are estimated.",
        ),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=V1,V2",
            help="Try several values and show how the sets change; repeatable. 'auto' "
            "tries lengths around the given or estimated one.",
        ),
    ] = None,
    max_sets: Annotated[
        int | None, typer.Option(help="Largest number of sets to print.")
    ] = None,
    *,
    start: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="Search from here on: a sample, a time such as 90s, or a time stamp.",
            metavar="PLACE",
        ),
    ] = None,
    end: Annotated[
        str | None,
        typer.Option("--to", help="Search up to here, as --from.", metavar="PLACE"),
    ] = None,
    resample: Annotated[
        int,
        typer.Option(
            help="Search means of so many samples, for long series. Lengths and "
            "segments stay in samples of the file.",
            metavar="FACTOR",
        ),
    ] = 1,
    missing: Annotated[
        str | None,
        typer.Option(
            help="Missing values and gaps in time: skip windows that contain them, "
            "split (search each piece by itself), interpolate, or error. By default "
            "skip; error for methods that do not take missing values.",
            show_default=False,
        ),
    ] = None,
    units: reading.Units = "samples",
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the sets as JSON that 'evaluate' reads."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write the sets: .json, .csv, .parquet, .TextGrid, ...", metavar="FILE"
        ),
    ] = None,
    out_format: Annotated[
        str | None,
        typer.Option(help="Format of --out, if its file extension does not name it."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Write the figure: .png, .svg or .pdf, or the page of 'view': .html.",
            metavar="FILE",
        ),
    ] = None,
    show: Annotated[
        str | None,
        replaced("--show", "use --units s for seconds, --units time for time stamps"),
    ] = None,
    python: Python = None,
    requirements: With = None,
    file_format: reading.SeriesFormat = None,
    series_options: dict[str, Any],
) -> None:
    """Find the motif sets of a series.

    Without --method and --set, the length of the motifs is estimated and a method is
    chosen; both are printed to stderr, with how to change them.

    Examples: tsmdbench discover series.csv

    tsmdbench discover series.csv --method stomp --sweep length=50,80,120

    tsmdbench discover --method setfinder series.csv --set length=100
    --set radius=3 --plot found.png

    tsmdbench discover -m locomotif walk.csv --columns acc_x,acc_y --set l_min=500ms
    --set l_max=2s --units s

    Prints one line per motif set, the best first. Segments are half-open:
    [start, end), in samples of the file. What was read is printed to stderr.
    """
    from tsmdbench.discovery import Search, settings_of
    from tsmdbench.methods.base import check_is_method

    del show  # refused
    if plot is not None:
        check_figure(plot)
    if sweep and (plot is not None or out is not None or missing == "split"):
        raise InputError(
            "--sweep shows many settings; --plot, --out and --missing split need one"
        )
    chosen = method
    cls = None
    if method is not None:
        cls = _class_of(method, python, tuple(requirements or ()))
        check_is_method(cls, method)
        chosen = method
    params = settings_of(first_values(settings or [], sweep or []))
    whole = reading.read_and_say(series, series_options, file_format, missing="keep")
    _check_units(units, whole)
    with telling():
        search = Search(
            whole,
            cls,
            params,
            max_sets=max_sets,
            missing=missing,
            resample=resample,
            start=start,
            end=end,
            name=chosen,
        )
    reading.say_notes(Path("settings"), search.notes)
    if sweep:
        _sweep(search, sweep, as_json=as_json)
        return
    said = len(search.notes)
    with telling():
        if search.missing != "split":
            say_expected_time(search.method, search.pieces()[0].series)
        with showing_progress():
            found = search.run(lambda line: typer.echo(line, err=True))
    reading.say_notes(series, found.notes[said:])
    if plot is not None and is_page(plot):
        write_page(plot, found.page())
    elif plot is not None:
        write_figure(plot, found.plot())
    if out is not None:
        lost = found.save(out, units=units, file_format=out_format)
        reading.say_notes(out, [f"lost: {text}" for text in lost])
    if as_json:
        typer.echo(json.dumps(found.to_dict(units)))
        return
    typer.echo(f"{found.method!r} in {series} ({len(whole)} samples)")
    typer.echo(found.text(units))
    for file, what in ((plot, "figure"), (out, "sets")):
        if file is not None:
            typer.echo(f"{what}: {file}")


def _check_units(units: str, recording: Recording) -> None:
    """Refuse units that the recording does not have, before the search."""
    from tsmdbench.io.marks import UNITS

    known = (*UNITS, "time")
    if units not in known:
        raise InputError(f"--units must be one of {', '.join(known)}, got {units!r}")
    if units != "samples" and recording.rate is None:
        raise InputError(
            f"--units {units} needs a sampling rate for {recording.source}: --rate HZ"
        )
    recording.timebase.shown(0, 1, units)


def _sweep(search: Search, texts: list[str], *, as_json: bool) -> None:
    """Find for several settings and print how the sets change."""
    from tsmdbench.discovery import value_of

    method, piece = search.method, search.pieces()[0]
    fields = {field.name: field for field in dataclasses.fields(method)}
    settings = sweep_settings(
        method,
        texts,
        lambda key, text: value_of(
            key, text, fields[key], search.part, None, search.factor
        ),
    )
    with telling(), showing_progress():
        rows = sweep_rows(method, settings, piece)
    if as_json:
        typer.echo(json.dumps([row.to_dict() for row in rows]))
        return
    typer.echo(f"{method!r} in {search.part.source} ({len(search.part)} samples)")
    typer.echo(table(rows))


def _class_of(method: str, python: str | None, requirements: tuple[str, ...]) -> Any:
    """Return the class of a method, which may be in another environment."""
    if python is None and not requirements:
        from tsmdbench.methods import METHODS
        from tsmdbench.methods.adapters import class_of

        return class_of(METHODS[method])
    from tsmdbench.experiments.environments.environment import (
        Environment,
        interpreter_of,
        runs_elsewhere,
    )
    from tsmdbench.experiments.environments.foreign import foreign_class

    if not runs_elsewhere(method):
        raise InputError(
            f"--python and --with need a method that is named file.py:Class or "
            f"module:Class, got {method!r}"
        )
    environment = Environment(python, requirements)
    interpreter_of(environment, lambda text: typer.echo(text, err=True))
    return foreign_class(environment, method)

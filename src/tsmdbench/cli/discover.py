"""``tsmdbench discover``: find the repeating patterns of a series."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli import reading
from tsmdbench.cli.figures import check_figure, is_page, write_figure, write_page
from tsmdbench.cli.options import replaced
from tsmdbench.cli.output import print_json, say
from tsmdbench.cli.searching import (
    say_expected_time,
    showing_compilation,
    showing_progress,
)
from tsmdbench.cli.sweeping import first_values, print_rows, sweep_rows, sweep_settings
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.discovery import Search
    from tsmdbench.io import Recording


def discover(
    series: Path,
    *,
    method: str | None = None,
    settings: list[str] | None = None,
    sweep: list[str] | None = None,
    length: str | None = None,
    max_sets: int | None = None,
    alternative: int | None = None,
    start: str | None = None,
    end: str | None = None,
    resample: int = 1,
    missing: str | None = None,
    units: str = "samples",
    as_json: bool = False,
    out: Path | None = None,
    out_format: str | None = None,
    plot: Path | None = None,
    show: Annotated[
        str | None,
        replaced("--show", "use --units s for seconds, --units time for time stamps"),
    ] = None,
    python: str | None = None,
    requirements: list[str] | None = None,
    file_format: str | None = None,
    series_options: dict[str, Any],
) -> None:
    """Find the motif sets of a series.

    Examples: tsmdbench discover series.csv

    tsmdbench discover series.csv --length 0.5s,2s --alternative 2

    tsmdbench discover series.csv --method stomp --sweep length=50,80,120

    tsmdbench discover -m locomotif walk.csv --columns acc_x,acc_y --set l_min=500ms
    --set l_max=2s --units s

    Without --method nothing needs to be known: many lengths are tried, and the result
    that saves the most bits is printed, with how much more than chance it saves and the
    results that disagree with it. If nothing is better than chance, nothing is found.

    Prints one line per motif set, the best first. Segments are half-open:
    [start, end), in samples of the file. What was read is printed to stderr.

    Options:
    series: The series (CSV, txt, Parquet, Feather, npy, npz, WAV, WFDB, ts).
    method --method -m: A name from 'tsmdbench methods', module:Class or file.py:Class;
        'auto' by default.
    length LENGTH: Length of the motifs in samples, or a time such as 3s and 500ms;
        shortest and longest length as 50,120 or 0.5s,2s.
    alternative NUMBER: Print another of the results that disagree.
    settings --set KEY=VALUE: A parameter of the method; repeatable. Lengths are as for
        --length; those that a method needs and that are not given are estimated.
    sweep KEY=V1,V2: Try several values and show how the sets change; repeatable. 'auto'
        tries lengths around the given or estimated one of a named method.
    max_sets: Largest number of sets to print.
    start --from PLACE: Search from here on: a sample, a time such as 90s, or a time
        stamp.
    end --to PLACE: Search up to here, as --from.
    as_json --json: Print the sets as JSON that 'evaluate' reads.
    out FILE: Write the sets: .json, .csv, .parquet, .TextGrid, ...
    plot FILE: Write the figure: .png, .svg or .pdf, or the page of 'view': .html.

    Rare options:
    resample FACTOR: Search means of so many samples, for long series. Lengths and
        segments stay in samples of the file.
    missing: Missing values and gaps in time: skip windows that contain them, split
        (search each piece by itself), interpolate, or error. By default skip; error for
        methods that do not take missing values.
    file_format --format: Format of the series, if the file extension does not name it.
    out_format: Format of --out, if its file extension does not name it.
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
    cls = None
    if method is not None:
        cls = _class_of(method, python, tuple(requirements or ()))
        check_is_method(cls, method)
    params: dict[str, Any] = dict(
        settings_of(first_values(settings or [], sweep or []))
    )
    if length is not None:
        params["length"] = length
    if alternative is not None:
        params["alternative"] = alternative
    whole = reading.read_and_say(series, series_options, file_format, missing="keep")
    _check_units(units, whole)
    with showing_compilation():
        search = Search(
            whole,
            cls,
            params,
            max_sets=max_sets,
            missing=missing,
            resample=resample,
            start=start,
            end=end,
            name=method,
        )
    reading.say_notes("settings", search.notes)
    if sweep:
        _sweep(search, sweep, as_json=as_json)
        return
    said = len(search.notes)
    with showing_compilation():
        if search.missing != "split":
            say_expected_time(search.method, search.pieces()[0].series)
        with showing_progress():
            found = search.run(say)
    reading.say_notes(series, found.notes[said:])
    if plot is not None and is_page(plot):
        write_page(plot, found.page())
    elif plot is not None:
        write_figure(plot, found.plot())
    if out is not None:
        lost = found.save(out, units=units, file_format=out_format)
        reading.say_notes(out, [f"lost: {text}" for text in lost])
    if as_json:
        print_json(found.to_dict(units))
        return
    typer.echo(f"{found.method!r} in {series} ({len(whole)} samples)")
    typer.echo(found.text(units))
    for file, what in ((plot, "figure"), (out, "sets")):
        if file is not None:
            typer.echo(f"{what}: {file}")


def _check_units(units: str, recording: Recording) -> None:
    """Refuse units that the recording does not have, before the search."""
    from tsmdbench.io.timebase import UNITS

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
    with showing_compilation(), showing_progress():
        rows = sweep_rows(method, settings, piece)
    if as_json:
        print_json([row.to_dict() for row in rows])
        return
    typer.echo(f"{method!r} in {search.part.source} ({len(search.part)} samples)")
    print_rows(rows)


def _class_of(method: str, python: str | None, requirements: tuple[str, ...]) -> Any:
    """Return the class of a method, which may be in another environment."""
    if python is None and not requirements:
        from tsmdbench.methods import METHODS
        from tsmdbench.methods.adapters import class_of

        return class_of(METHODS[method])
    from tsmdbench.experiments.environments import (
        Environment,
        foreign_class,
        interpreter_of,
        runs_elsewhere,
    )

    if not runs_elsewhere(method):
        raise InputError(
            f"--python and --with need a method that is named file.py:Class or "
            f"module:Class, got {method!r}"
        )
    environment = Environment(python, requirements)
    interpreter_of(environment, say)
    return foreign_class(environment, method)

"""``tsmdbench discover``: find the repeating patterns of a series."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli import reading
from tsmdbench.cli.choosing import Choices
from tsmdbench.cli.compiling import telling
from tsmdbench.cli.figures import check_figure, is_page, write_figure, write_view
from tsmdbench.cli.method_settings import make_method, value_of
from tsmdbench.cli.options import Python, With
from tsmdbench.cli.searching import say_expected_time, showing_progress
from tsmdbench.cli.sweeping import first_values, sweep_rows, sweep_settings, table
from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.io import Recording
    from tsmdbench.types import MotifSet

MISSING = ("error", "interpolate", "split")
SHOW = ("samples", "time")
MOST_SETS = 5  # of a method that is chosen: later sets are rarely real


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
    case: reading.Case = None,
    *,
    python: Python = None,
    requirements: With = None,
    columns: reading.Columns = None,
    time_column: reading.TimeColumn = None,
    time_unit: reading.TimeUnit = None,
    rate: reading.Rate = None,
    missing: Annotated[
        str,
        typer.Option(
            help="Missing values and gaps in time: error, interpolate, or split "
            "(search each piece by itself)."
        ),
    ] = "error",
    file_format: reading.SeriesFormat = None,
    separator: reading.Separator = None,
    decimal: reading.Decimal = None,
    header: reading.Header = None,
    encoding: reading.Encoding = None,
    time_axis: reading.TimeAxis = 0,
    max_bytes: reading.MaxBytes = None,
    show: Annotated[
        str, typer.Option(help="Print segments in samples or in time.")
    ] = "samples",
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
) -> None:
    """Find the motif sets of a series.

    Without --method and --set, the length of the motifs is estimated and a method is
    chosen; both are printed to stderr, with how to change them.

    Examples: tsmdbench discover series.csv

    tsmdbench discover series.csv --method stomp --sweep length=50,80,120

    tsmdbench discover --method setfinder series.csv --set length=100
    --set radius=3 --plot found.png

    tsmdbench discover -m locomotif walk.csv --columns acc_x,acc_y --set l_min=500ms
    --set l_max=2s --show time

    Prints one line per motif set, the best first. Segments are half-open:
    [start, end), in samples. What was read is printed to stderr.
    """
    from tsmdbench.methods.base import check_is_method

    _check_choice(missing, "--missing", MISSING)
    _check_choice(show, "--show", SHOW)
    if plot is not None:
        check_figure(plot)
    if sweep and (plot is not None or out is not None or missing == "split"):
        raise InputError(
            "--sweep shows many settings; --plot, --out and --missing split need one"
        )
    class_of = partial(_class_of, python=python, requirements=tuple(requirements or ()))
    if method is not None:
        check_is_method(class_of(method), method)

    @cache
    def recording() -> Recording:
        return reading.read_and_say(
            series,
            file_format,
            columns=columns,
            time_column=time_column,
            time_unit=time_unit,
            rate=rate,
            missing="keep" if missing == "split" else missing,
            header=header,
            case=case,
            time_axis=time_axis,
            max_bytes=max_bytes,
            **reading.text_options(separator, decimal, encoding),
        )

    notes: list[str] = []
    with telling():
        given = first_values(settings or [], sweep or [])
        chosen, method = _chosen(method, given, max_sets, recording, notes, class_of)
    whole = recording()
    if show == "time" and whole.rate is None:
        raise InputError(f"--show time needs a sampling rate for {series}: --rate HZ")
    reading.say_notes(Path("settings"), notes)
    if sweep:
        _sweep(chosen, sweep, whole, recording, as_json=as_json)
        return
    with telling():
        if missing != "split":
            say_expected_time(chosen, method, whole.series)
        with showing_progress():
            found = _find(chosen, method, whole, max_sets, split=missing == "split")
    if plot is not None and is_page(plot):
        write_view(plot, whole, None, {type(chosen).__name__: found}, series.name)
    elif plot is not None:
        from tsmdbench.methods.figure import draw_found

        channel = getattr(chosen, "channel", 0)
        title = f"{series.name}: {chosen!r}"
        write_figure(plot, draw_found(whole, found, title=title, channel=channel))
    if out is not None:
        _write(out, out_format, found, whole)
    if as_json:
        sets = {
            label: [list(pair) for pair in motifs] for label, motifs in found.items()
        }
        typer.echo(json.dumps(sets))
        return
    typer.echo(f"{chosen!r} in {series} ({len(whole)} samples)")
    for label, motifs in found.items():
        typer.echo(_line(label, motifs, whole if show == "time" else None))
    if not found:
        typer.echo("nothing found")
    for file, what in ((plot, "figure"), (out, "sets")):
        if file is not None:
            typer.echo(f"{what}: {file}")


def _chosen(
    method: str | None,
    settings: list[str],
    max_sets: int | None,
    recording: Callable[[], Recording],
    notes: list[str],
    class_of: Callable[[str], Any],
) -> tuple[Any, str]:
    """Make the requested method, or choose one; return its name too."""
    choices: list[Choices] = []

    def chooser() -> Choices:
        if not choices:
            choices.append(Choices(recording()))
        return choices[0]

    name = method or chooser().method()
    if method is None and max_sets is None:
        max_sets = MOST_SETS
        choices[0].notes.append(f"chose --max-sets {max_sets}")
    chosen = make_method(
        class_of(name),
        name,
        settings,
        max_sets,
        recording,
        notes,
        lambda missing: chooser().fields(missing),
    )
    if choices:
        notes += choices[0].notes
    return _with_threads(chosen, settings), name


def _with_threads(method: Any, settings: list[str]) -> Any:
    """Let a method use all processors, unless told otherwise or results depend on it.

    A field that does not count in comparisons does not change what is found.
    """
    if not dataclasses.is_dataclass(method) or isinstance(method, type):
        return method
    free = [
        f for f in dataclasses.fields(method) if f.name == "n_jobs" and not f.compare
    ]
    given = any(text.partition("=")[0].strip() == "n_jobs" for text in settings)
    return dataclasses.replace(method, n_jobs=-1) if free and not given else method


def _sweep(
    method: Any,
    texts: list[str],
    whole: Recording,
    recording: Callable[[], Recording],
    *,
    as_json: bool,
) -> None:
    """Find for several settings and print how the sets change."""
    fields = {field.name: field for field in dataclasses.fields(method)}
    settings = sweep_settings(
        method,
        texts,
        lambda key, text: value_of(key, text, fields[key], recording, None),
    )
    with telling(), showing_progress():
        rows = sweep_rows(method, settings, whole.series)
    if as_json:
        typer.echo(json.dumps([row.to_dict() for row in rows]))
        return
    typer.echo(f"{method!r} in {whole.source} ({len(whole)} samples)")
    typer.echo(table(rows))


def _class_of(method: str, python: str | None, requirements: tuple[str, ...]) -> Any:
    """Return the class of a method, which may be in another environment."""
    if python is None and not requirements:
        from tsmdbench.methods import METHODS
        from tsmdbench.methods.adapters import class_of

        return class_of(METHODS[method])
    from tsmdbench.experiments.environments.environment import (
        Environment,
        runs_elsewhere,
    )
    from tsmdbench.experiments.environments.foreign import foreign_class
    from tsmdbench.experiments.environments.make import interpreter_of

    if not runs_elsewhere(method):
        raise InputError(
            f"--python and --with need a method that is named file.py:Class or "
            f"module:Class, got {method!r}"
        )
    environment = Environment(python, requirements)
    interpreter_of(environment, lambda text: typer.echo(text, err=True))
    return foreign_class(environment, method)


def _check_choice(value: str, name: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name} must be one of {', '.join(choices)}, got {value!r}")


def _found(chosen: Any, name: str, series: Any) -> list[MotifSet]:
    """Return what a method finds; what somebody else's code raises is its own fault."""
    from tsmdbench.validation import check_motif_sets

    try:
        return list(check_motif_sets(chosen.find(series), f"what {name} returned").sets)
    except TsmdbenchError:
        raise
    except (Exception, SystemExit) as cause:
        if ":" not in name:
            raise
        raise InputError(f"{name} raised {type(cause).__name__}: {cause}") from cause


def _find(
    method: Any, name: str, whole: Recording, max_sets: int | None, *, split: bool
) -> dict[str, MotifSet]:
    """Search the recording, or each of its pieces, and name the sets."""
    from tsmdbench.io import split_at_missing
    from tsmdbench.types import MotifSet

    pieces = split_at_missing(whole) if split else [whole]
    found: dict[str, MotifSet] = {}
    skipped = 0
    for number, piece in enumerate(pieces, start=1):
        prefix = f"piece {number} " if len(pieces) > 1 else ""
        if prefix:
            rows = f"rows {piece.first} to {piece.first + len(piece)}"
            typer.echo(f"{prefix.strip()}: {rows}", err=True)
        try:
            sets = _found(method, name, piece.series)[:max_sets]
        except InputError as cause:
            if not prefix:
                raise
            typer.echo(f"{prefix.strip()} skipped: {cause}", err=True)
            skipped += 1
            continue
        for place, motifs in enumerate(sets):
            moved = MotifSet(motifs).segments + piece.first
            found[f"{prefix}set {place + 1}"] = MotifSet(moved)
    if skipped == len(pieces):
        raise InputError(f"every piece of {whole.source} is too short for the method")
    return found


def _write(
    out: Path, out_format: str | None, found: dict[str, MotifSet], whole: Recording
) -> None:
    from tsmdbench.io import write_motif_sets

    lost = write_motif_sets(out, found, file_format=out_format, recording=whole)
    reading.say_notes(out, [f"lost: {text}" for text in lost])


def _line(label: str, motifs: MotifSet, timed: Recording | None) -> str:
    """Return one set as a line that a person reads."""
    pairs = (
        motifs if timed is None else (timed.timebase.shown(*pair) for pair in motifs)
    )
    shown = " ".join(f"[{start}, {end})" for start, end in pairs)
    return f"{label}: {counted(len(motifs), 'segment')}  {shown}"

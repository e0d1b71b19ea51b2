"""``tsmdbench view`` and ``convert``: annotate recordings, convert motif sets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tsmdbench.cli.options import read_and_say, read_sets, say_notes
from tsmdbench.cli.output import PAGE, check_plot, say
from tsmdbench.errors import InputError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.view.page import ViewPage


def view(
    series: Path,
    *,
    truth: Path | None = None,
    found: list[Path] | None = None,
    out: Path | None = None,
    serve: bool = False,
    port: int = 0,
    file_format: str | None = None,
    truth_format: str | None = None,
    found_format: str | None = None,
    missing: str = "keep",
    set_options: dict[str, Any],
    series_options: dict[str, Any],
) -> None:
    """Show a recording with its motif sets in a browser, and annotate it.

    Examples: tsmdbench view walk.csv --truth truth.json --found found.json

    tsmdbench view walk.csv --truth labels.json --serve

    Writes one page that needs no network: zoom, compare motif sets, score them with
    PROM, draw and change segments, accept found ones, save JSON, CSV or a label track.

    Options:
    series: The series, in any format that 'discover' reads.
    truth FILE: True motif sets, in any format that 'evaluate' reads. With --serve,
        saving writes this file, and it need not exist yet.
    found FILE: Found motif sets; repeatable, one file per method.
    out FILE: The page to write; by default SERIES.view.html, in this folder.
    serve: Write no page, but serve it on 127.0.0.1: saving writes --truth.
    missing: Missing values and rows: keep (drawn as gaps), interpolate or error.

    Rare options:
    port: Port for --serve; 0 takes a free one.
    file_format --format: Format of the series, if the file extension does not name
        it.
    truth_format: Format of the true sets.
    found_format: Format of the found sets.
    """
    from tsmdbench.io import write_atomically
    from tsmdbench.validation import check_choice
    from tsmdbench.view.page import ViewPage, check_annotation

    check_choice(missing, "--missing", ("keep", "interpolate", "error"))
    _check_ways(truth, out, port, set_options["units"], serve=serve)
    target = out or Path(f"{series.stem}.view.html")
    if not serve:
        check_plot(target, (PAGE,))
    recording = read_and_say(series, series_options, file_format, missing=missing)
    options = (recording, series_options, set_options)
    files = found or []
    stems = [file.stem for file in files]  # the shortest names that are unique
    names = [file.stem if stems.count(file.stem) == 1 else str(file) for file in files]
    if len(set(names)) < len(names):
        raise InputError("--found has the same file twice; give each once")
    groups = {
        name: read_sets(file, found_format, *options)[0]
        for name, file in zip(names, files, strict=True)
    }
    if serve:
        series_options |= {"encoding": None}  # saved as UTF-8
    true_sets = None
    if truth is not None and (truth.exists() or not serve):
        given, truth_format = read_sets(truth, truth_format, *options)
        try:
            true_sets = check_annotation(given, recording.values.shape, str(truth))
        except InputError as cause:
            if "overlap" not in str(cause):
                raise
            raise InputError(f"{cause}; to view it, give it with --found") from None
    page = ViewPage(recording, groups, title=series.name)
    say_notes(series, set(page.notes()) - set(recording.notes))
    if serve and truth is not None:
        kept = {"file_format": truth_format, "max_bytes": series_options["max_bytes"]}
        _serve(page, truth, port, kept | set_options)
        return
    write_atomically(target, page.html(true_sets).encode())
    typer.echo(f"page: {target}")


def _check_ways(
    truth: Path | None, out: Path | None, port: int, units: str | None, *, serve: bool
) -> None:
    """Refuse options that contradict each other."""
    if not serve:
        if port:
            raise InputError(f"--port {port} is for --serve; add --serve")
        return
    if out is not None:
        raise InputError("--serve writes no page; leave out --out, or --serve")
    if truth is None:
        raise InputError(
            "--serve saves to the file of --truth; give --truth FILE, which need not "
            "exist yet"
        )
    if units not in (None, "samples"):
        raise InputError(
            f"--serve saves samples, so --units {units} would not read its file again; "
            f"leave out --units, or convert the file first"
        )
    if not truth.parent.is_dir():
        raise InputError(f"{truth}: the folder {truth.parent} does not exist")
    places = [place for place in (truth, truth.parent) if place.exists()]
    if not all(os.access(place, os.W_OK) for place in places):
        raise InputError(f"{truth} cannot be written; choose another --truth")


def _serve(page: ViewPage, file: Path, port: int, options: dict[str, Any]) -> None:
    """Serve until Ctrl-C."""
    from tsmdbench.view.server import AnnotationFile, ViewServer

    annotation = AnnotationFile(file, page, **options)
    server = ViewServer(annotation, port)
    typer.echo(f"open {server.url}")
    say(f"saving writes {file}; Ctrl-C ends")
    try:
        server.serve_forever(poll_interval=0.2)
    except KeyboardInterrupt as stop:
        if type(stop) is not KeyboardInterrupt:
            raise  # SIGTERM
    finally:
        server.server_close()
    saves = counted(annotation.saves, "time")
    typer.echo(f"stopped; saved {saves} to {file}")


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
    from tsmdbench.validation import check_motif_sets

    recording = None
    if series is not None:
        recording = read_and_say(series, series_options, series_format, missing="keep")
    read, _ = read_sets(sets, file_format, recording, series_options, set_options)
    n, width = (None, None) if recording is None else recording.values.shape
    checked = check_motif_sets(read, str(sets), n=n, n_channels=width)
    lost = write_motif_sets(
        out,
        checked,
        file_format=out_format,
        recording=recording,
        rate=series_options["rate"] if recording is None else None,
        units=out_units,
    )
    say_notes(out, [f"lost: {text}" for text in lost])
    segments = counted(len(checked.segments), "segment")
    typer.echo(f"{out}: {counted(len(checked.sets), 'set')}, {segments}")

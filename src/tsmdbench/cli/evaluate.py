"""``tsmdbench evaluate``: score found motif sets against the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli import reading
from tsmdbench.cli.figures import check_figure, is_page, write_figure, write_view
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.io import Recording
    from tsmdbench.io.timebase import TimeBase
    from tsmdbench.metrics import Prom

SETS = "JSON, CSV, Parquet, label tracks of Audacity, ELAN, Praat, Label Studio, WFDB"


@reading.reads_series
@reading.reads_sets
def evaluate(
    truth: Annotated[Path, typer.Argument(help=f"True motif sets ({SETS}).")],
    found: Annotated[
        Path, typer.Argument(help="Found motif sets, in the same formats.")
    ],
    threshold: Annotated[
        float | None,
        typer.Option(
            help="A match needs a larger overlap rate; in [0.5, 1), by default 0.5."
        ),
    ] = None,
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="A name of 'tsmdbench metrics' instead of PROM's table; repeatable."
        ),
    ] = None,
    macro: Annotated[
        bool, typer.Option("--macro", help="Average over sets instead of motifs.")
    ] = False,
    penalize_off_target: Annotated[
        bool,
        typer.Option(
            "--penalize-off-target",
            help="Count motifs of unmatched found sets as false positives.",
        ),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Explain each error and the F1 if it were fixed."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Write the figure: .png, .svg or .pdf, or, with --series, the page of "
            "'view': .html.",
            metavar="FILE",
        ),
    ] = None,
    series: Annotated[
        Path | None,
        typer.Option(
            help="The series, in any format that 'discover' reads: to draw it, to turn "
            "times into samples, and to check that no segment ends beyond it.",
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
    found_format: Annotated[
        str | None, typer.Option(help="Format of the found sets, if different.")
    ] = None,
    series_format: Annotated[
        str | None, typer.Option(help="Format of the series.")
    ] = None,
    missing: Annotated[
        str, typer.Option(help="Missing values of the series: keep or interpolate.")
    ] = "keep",
    set_options: dict[str, Any],
    series_options: dict[str, Any],
) -> None:
    """Score found motif sets against the truth with PROM, or with any metric.

    Examples: tsmdbench evaluate truth.json found.json --plot score.png

    tsmdbench evaluate labels.txt found.json --format audacity --found-format json
    --rate 100 --metric prom_f1 --metric score

    A file of motif sets is JSON ({"label": [[start, end], ...]} or a list of lists),
    CSV (set,start,end), Parquet, or a label track. Segments are half-open:
    [start, end), in samples or in time.
    """
    if plot is not None:
        check_figure(plot)
        if is_page(plot) and series is None:
            raise InputError(f"{plot} shows the series; give it with --series FILE")
    if metric and (macro or explain):
        raise InputError(
            "--macro and --explain belong to PROM's table; leave out --metric, or name "
            "prom_macro_f1"
        )
    from tsmdbench.io.timebase import TimeBase

    recording = None
    if series is not None:
        if missing not in ("keep", "interpolate"):
            raise InputError(f"--missing must be keep or interpolate, got {missing!r}")
        recording = reading.read_and_say(
            series, series_options, series_format, missing=missing
        )
    options: dict[str, Any] = {
        "recording": recording,
        "rate": series_options["rate"] if recording is None else None,
        "encoding": series_options["encoding"],
        "max_bytes": series_options["max_bytes"],
        **set_options,
    }
    true_sets = _sets(truth, file_format, options)
    found_sets = _sets(found, found_format or file_format, options)
    chosen: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    if penalize_off_target:
        chosen["penalize_off_target"] = True
    if metric:
        _print_metrics(
            true_sets, found_sets, metric, chosen, recording, as_json=as_json
        )
        if plot is None:
            return
    base = TimeBase(options["rate"]) if recording is None else recording.timebase
    _prom(
        true_sets,
        found_sets,
        chosen,
        recording,
        plot,
        macro=macro,
        explain=explain,
        as_json=as_json,
        quiet=bool(metric),
        base=base,
        units="samples" if base.rate is None else set_options["units"] or "samples",
    )


def _sets(file: Path, file_format: str | None, options: dict[str, Any]) -> Any:
    """Read motif sets; an error of the check that follows names the file."""
    from tsmdbench.validation import check_motif_sets

    sets = reading.annotations_and_say(file, file_format=file_format, **options).sets
    return check_motif_sets(sets, str(file))


def _print_metrics(
    truth: Any,
    found: Any,
    names: list[str],
    options: dict[str, Any],
    recording: Recording | None,
    *,
    as_json: bool,
) -> None:
    from tsmdbench.metrics import evaluate as evaluate_metrics
    from tsmdbench.validation import check_motif_sets

    if recording is not None:
        check_motif_sets(truth, "truth", n=len(recording))
        check_motif_sets(found, "found", n=len(recording))
    values = evaluate_metrics(truth, found, names, **options)
    if as_json:
        typer.echo(json.dumps(values))
        return
    width = max(map(len, values))
    for name, value in values.items():
        typer.echo(f"{name:<{width}}  {value:.4f}")


def _prom(
    truth: Any,
    found: Any,
    options: dict[str, Any],
    recording: Recording | None,
    plot: Path | None,
    *,
    macro: bool,
    explain: bool,
    as_json: bool,
    quiet: bool,
    base: TimeBase,
    units: str,
) -> None:
    """Compute PROM, write its figure, and print its table unless `quiet`."""
    from tsmdbench.metrics import prom
    from tsmdbench.metrics.explain import diagnose, text

    n = None if recording is None else len(recording)
    result = prom(truth, found, n=n, **options)
    explanation = diagnose(result) if explain else None
    if plot is not None and is_page(plot) and recording is not None:
        name = Path(recording.source).name
        write_view(plot, recording, truth, {"found": found}, name)
    elif plot is not None:
        write_figure(plot, (explanation or result).plot(recording))
    if as_json and not quiet:
        made = (explanation or result).to_dict()
        if units != "samples":
            made = {"units": units, **_in_units(made, base, units)}
        typer.echo(json.dumps(made, default=str))
    if as_json:
        return
    if not quiet:
        typer.echo(_text(result, macro=macro))
    if explanation is not None:
        typer.echo(f"\n{text(explanation, base, units)}")
    if plot is not None:
        typer.echo(f"figure: {plot}")


def _in_units(value: Any, base: TimeBase, units: str) -> Any:
    """Return what JSON holds with the bounds of segments in units."""
    from tsmdbench.io.marks import SCALES

    if isinstance(value, list | tuple):
        return [_in_units(item, base, units) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _in_units(item, base, units) for key, item in value.items()}
    if {"start", "end"} <= set(value):
        made["start"], made["end"] = base.shown(value["start"], value["end"], units)
    if "late" in value and base.rate and units in SCALES:
        made["late"] = base.rounded(value["late"] / base.rate) / SCALES[units]
    return made


def _text(result: Prom, *, macro: bool) -> str:
    """Return the numbers and the matching matrix as text."""
    average = result.macro if macro else result.micro
    kind = "macro" if macro else "micro"
    lines = [
        f"precision  {average.precision:.4f}",
        f"recall     {average.recall:.4f}",
        f"F1         {average.f1:.4f}",
        f"({kind} average, overlap above {float(result.threshold):g}; "
        f"tp {result.tp}, fp {result.fp}, fn {result.fn})",
    ]
    _, *matrix = str(result).splitlines()
    return "\n".join([*lines, "", *matrix])

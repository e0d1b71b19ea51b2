"""``tsmdbench evaluate``: score found motif sets against the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tsmdbench.cli.figures import check_figure, write_figure

if TYPE_CHECKING:
    from tsmdbench.metrics import Prom


def evaluate(
    truth: Annotated[
        Path, typer.Argument(help="True motif sets (JSON, CSV, Parquet).")
    ],
    found: Annotated[Path, typer.Argument(help="Found motif sets (same formats).")],
    threshold: Annotated[
        float, typer.Option(help="Overlap rate that a match must exceed, in [0.5, 1).")
    ] = 0.5,
    *,
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
        typer.Option(help="Write the figure: .png, .svg or .pdf.", metavar="FILE"),
    ] = None,
    series: Annotated[
        Path | None,
        typer.Option(
            help="The series (CSV, txt, npy, Parquet), to draw it and to check that "
            "no segment ends beyond it.",
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Score found motif sets against the truth with PROM.

    Example: tsmdbench evaluate truth.json found.json --plot score.png

    A file of motif sets is JSON ({"label": [[start, end], ...]} or a list of lists),
    CSV (set,start,end) or Parquet. Segments are half-open: [start, end).
    """
    from tsmdbench.io import read_series
    from tsmdbench.metrics import prom
    from tsmdbench.metrics.explain.diagnose import diagnose

    if plot is not None:
        check_figure(plot)
    samples = None if series is None else read_series(series)
    result = prom(
        truth,
        found,
        threshold=threshold,
        penalize_off_target=penalize_off_target,
        n=None if samples is None else len(samples),
    )
    explanation = diagnose(result) if explain else None
    if plot is not None:
        write_figure(plot, (explanation or result).plot(samples))
    if as_json:
        typer.echo(json.dumps((explanation or result).to_dict(), default=str))
        return
    typer.echo(_text(result, macro=macro))
    if explanation is not None:
        typer.echo(f"\n{explanation}")
    if plot is not None:
        typer.echo(f"figure: {plot}")


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

"""``tsmdbench demo``: see the package at work, from an evaluation to a report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Workers


def demo(
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path(
        "demo-output"
    ),
    *,
    workers: Workers = None,
) -> None:
    """Evaluate the bundled example, run methods on two datasets, write a report.

    Example: tsmdbench demo

    The datasets are JapaneseVowels (spoken vowels, bundled with aeon) and generated
    problems. Takes a minute or two; the first time compiles. On Windows, which cannot
    run experiments, the report shows the published results instead.
    """
    from tsmdbench.analysis import load_baselines
    from tsmdbench.cli.figures import write_figure
    from tsmdbench.errors import ExperimentError
    from tsmdbench.example import write_example
    from tsmdbench.experiments import experiment, progress_for, run
    from tsmdbench.experiments.platforms import check_platform
    from tsmdbench.io import read_motif_sets, read_series
    from tsmdbench.metrics import prom
    from tsmdbench.report import write_report

    progress = progress_for(quiet=False)
    out.mkdir(parents=True, exist_ok=True)
    typer.echo("1. An example: a series, its true motif sets, and what was found")
    write_example(out)
    truth, found = (read_motif_sets(out / f"{n}.json") for n in ("truth", "found"))
    result = prom(truth, found)
    typer.echo(result)
    write_figure(out / "evaluation.png", result.plot(read_series(out / "series.csv")))
    asked = experiment("demo")
    typer.echo(
        f"\n2. {len(asked['methods'])} methods on {' and '.join(asked['datasets'])}"
    )
    try:
        check_platform()
    except ExperimentError as cause:
        typer.echo(f"{cause}; the report shows the published results")
        store, embed = load_baselines().path, "none"
    else:
        store, embed = out / "store", "auto"
        run(**asked, out=store, workers=workers, progress=progress)
    typer.echo("\n3. The report")
    written = write_report(store, out / "report", embed=embed, told=progress.say)
    typer.echo(f"\n{written.conclusion}")
    typer.echo("\nOpen in a browser:")
    for page in (written.page, out / "evaluation.png"):
        typer.echo(f"  {page.resolve().as_uri()}")

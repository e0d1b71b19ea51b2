"""``tsmdbench demo``: an evaluation, an experiment and a report."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from tsmdbench.cli.options import Workers
from tsmdbench.cli.warmup import compiled


def demo(*, out: Path = Path("demo-output"), workers: Workers = None) -> None:
    """Evaluate the bundled example, run methods on two datasets, write a report.

    Example: tsmdbench demo

    The datasets are JapaneseVowels (spoken vowels, bundled with aeon) and generated
    problems. Takes a minute or two; the first time compiles. On Windows, which cannot
    run experiments, the report shows the published results instead.

    Options:
    out: Folder to write to.
    """
    from tsmdbench.analysis import load_baselines
    from tsmdbench.cli.figures import write_figure
    from tsmdbench.errors import ExperimentError
    from tsmdbench.example import write_example
    from tsmdbench.experiments import experiment, progress_for, run
    from tsmdbench.experiments.specification import check_platform
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
    options = experiment("demo")
    typer.echo(
        f"\n2. {len(options['methods'])} methods on {' and '.join(options['datasets'])}"
    )
    try:
        check_platform()
    except ExperimentError as cause:
        typer.echo(f"{cause}; the report shows the published results")
        store, embed = load_baselines().path, "none"
    else:
        store, embed = out / "store", "auto"
        progress.say("compiling the methods, unless they are compiled ...")
        cores = workers or os.cpu_count() or 1
        list(compiled(options["methods"], min(cores, len(options["methods"]))))
        run(**options, out=store, workers=workers, progress=progress)
    typer.echo("\n3. The report")
    written = write_report(store, out / "report", embed=embed, told=progress.say)
    typer.echo(f"\n{written.conclusion}")
    typer.echo("\nOpen in a browser:")
    for page in (written.page, out / "evaluation.png"):
        typer.echo(f"  {page.resolve().as_uri()}")

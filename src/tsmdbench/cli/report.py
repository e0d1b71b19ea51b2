"""``tsmdbench report``: write tables, figures and a page from a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tsmdbench.cli.options import Quiet, Version, chosen_baselines
from tsmdbench.errors import InputError


def report(
    store: Annotated[Path, typer.Argument(help="Store written by 'run'.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the report; STORE-report by default."),
    ] = None,
    baselines: Annotated[
        str,
        typer.Option(
            help="Published results to compare with: 'best' (recommended parameters), "
            "'paper' (defaults of the methods' public code), 'recordings' (the "
            "recordings suite) or 'none'.",
            metavar="NAME",
        ),
    ] = "none",
    compare: Annotated[
        list[str] | None,
        typer.Option(
            help="Another store to compare with; may be repeated.", metavar="STORE"
        ),
    ] = None,
    only: Annotated[
        str | None,
        typer.Option(
            help="Compare only these methods, separated by commas; 'mine' means "
            "those of STORE.",
            metavar="METHODS",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Metric of the tables: a name of 'tsmdbench metrics', or "
            "./file.py:function; may be repeated."
        ),
    ] = None,
    transpose: Annotated[
        bool,
        typer.Option(
            "--transpose", help="Swap rows and columns of the tables of means."
        ),
    ] = False,
    latex: Annotated[
        bool, typer.Option("--latex", help="Also write LaTeX tables.")
    ] = False,
    csv: Annotated[
        bool,
        typer.Option("--csv", help="Also write CSV tables and the scores per problem."),
    ] = False,
    parquet: Annotated[
        bool,
        typer.Option("--parquet", help="Write the scores per problem as Parquet."),
    ] = False,
    embed: Annotated[
        str,
        typer.Option(
            help="Problems that the page can show: 'auto', 'all', 'none' or a number "
            "per dataset."
        ),
    ] = "auto",
    split: Annotated[str, typer.Option(help="'test' or 'validation'.")] = "test",
    version: Version = "newest",
    quiet: Quiet = False,
) -> None:
    """Write tables, figures and a self-contained HTML page.

    Example: tsmdbench report my-store --baselines best --out my-report
    """
    from tsmdbench.experiments.progress import progress_for
    from tsmdbench.report.write import write_report

    written = write_report(
        store,
        out or _beside(store),
        baselines=chosen_baselines(baselines),
        compare=compare or (),
        only=only,
        metrics=metric,
        transpose=transpose,
        latex=latex,
        csv=csv,
        parquet=parquet,
        embed=embed,
        split=split,
        version=version,
        told=progress_for(quiet=quiet).say,
    )
    if not quiet:
        typer.echo(written)


def _beside(store: Path) -> Path:
    """Return the folder of a report whose place was not given."""
    whole = store.resolve() if store.name in ("", "..") else store
    if not whole.name:
        raise InputError(f"{store} is not a store; give the folder of a store")
    return whole.with_name(f"{whole.name}-report")

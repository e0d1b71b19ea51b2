"""``tsmdbench report``: write tables, figures and a page from a store."""

from __future__ import annotations

from pathlib import Path

import typer

from tsmdbench.cli.options import chosen_baselines
from tsmdbench.errors import InputError


def report(
    store: Path,
    *,
    out: Path | None = None,
    baselines: str = "none",
    compare: list[str] | None = None,
    only: str | None = None,
    metric: list[str] | None = None,
    transpose: bool = False,
    latex: bool = False,
    csv: bool = False,
    parquet: bool = False,
    embed: str = "auto",
    split: str = "test",
    version: str = "newest",
    quiet: bool = False,
) -> None:
    """Write tables, figures and a self-contained HTML page.

    Example: tsmdbench report my-store --baselines best --out my-report

    Options:
    store: Store written by 'run'.
    out: Folder for the report; STORE-report by default.
    baselines NAME: Published results to compare with: 'best' (recommended parameters),
        'paper' (defaults of the methods' public code), 'recordings' (the recordings
        suite) or 'none'.
    compare STORE: Another store to compare with; may be repeated.
    only METHODS: Compare only these methods, separated by commas; 'mine' means those of
        STORE.
    metric: Metric of the tables: a name of 'tsmdbench metrics', or ./file.py:function;
        may be repeated.
    latex: Also write LaTeX tables.
    csv: Also write CSV tables and the scores per problem.

    Rare options:
    transpose: Swap rows and columns of the tables of means.
    parquet: Write the scores per problem as Parquet.
    embed: Problems that the page can show: 'auto', 'all', 'none' or a number per
        dataset.
    """
    from tsmdbench.experiments.results import progress_for
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

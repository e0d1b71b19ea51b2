"""``tsmdbench datasets``: list, fetch and select datasets of the archive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from tsmdbench.cli.output import StatusLine, print_json, print_table, say
from tsmdbench.errors import DataError, DownloadError, InputError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.datasets.suite import OverviewRow
    from tsmdbench.paper.selection import Suitability


def datasets(
    context: typer.Context,
    *,
    data: Path | None = None,
    paper: bool = False,
    as_json: bool = False,
) -> None:
    """List the 14 datasets of TSMD-Bench; see also 'fetch' and 'select'.

    Example: tsmdbench datasets --json

    Options:
    paper: Also compare with the values of the paper.
    """
    if context.invoked_subcommand is None:
        show(data=data, paper=paper, as_json=as_json)


def show(
    *, data: Path | None = None, paper: bool = False, as_json: bool = False
) -> None:
    """List the 14 datasets: their properties, and where the data is.

    Examples: tsmdbench datasets list --data ~/archive

    tsmdbench datasets list --paper

    Options:
    paper: Also compare with the values of the paper.
    """
    from tsmdbench.datasets.suite import overview

    rows = overview(data)
    if as_json:
        print_json([row._asdict() | {"paper": row.paper._asdict()} for row in rows])
        return
    columns = len(HEADER) if paper else HEADER.index(PAPER)
    print_table(HEADER[:columns], [_listed(row)[:columns] for row in rows])
    here = sum(row.available is not None for row in rows)
    drawn = [row.dataset for row in rows if not row.frozen]
    troubled = [row.trouble for row in rows if row.trouble]
    missing = [row.dataset for row in rows if row.available is None and not row.trouble]
    others = f" Fetch the others: tsmdbench datasets fetch {' '.join(missing)}"
    typer.echo(
        f"\n{here} of {counted(len(rows), 'dataset')} available."
        + others * bool(missing)
    )
    typer.echo(
        f"Recipes are frozen for {len(rows) - len(drawn)} datasets; those of "
        f"{' and '.join(drawn)} are drawn on this machine from the same seed."
    )
    for trouble in troubled:
        typer.echo(f"Unusable: {trouble}")
    if not paper:
        typer.echo(NOTE)
        return
    seen = [row for row in rows if row.available is not None]
    equal = sum(tuple(row[3:8]) == tuple(row.paper[:5]) for row in seen)
    typer.echo(
        f"c, l_min, l_max, D and g_max equal the paper's for {equal} of "
        f"{counted(here, 'available dataset')}."
    )
    typer.echo(f"{NOTE}\n{PAPER_NOTE}")


PAPER = "paper"  # the first column about the paper's values
HEADER = (
    *("dataset", "data", "recipes", "c", "l_min", "l_max", "D", "g_max", "n_avg"),
    *(PAPER, "g>=1", "g>=2", "paper has"),
)
NOTE = """\
c: classes; l_min, l_max: lengths of instances; D: channels; g_max: most motif sets.
n_avg: mean length of our test problems, g uniform on [1, g_max].
Datasets that are not available are shown with the paper's properties."""
PAPER_NOTE = """\
paper: its n_avg.
g>=1, g>=2: expected n_avg for a smallest g of 1 or 2 if no class runs out.
Its text says g >= 1; its n_avg agrees, to 1 %, with what the last column says."""


def _listed(row: OverviewRow) -> list[str]:
    paper = row.paper
    known = row.available is not None
    ours = (row.classes, row.l_min, row.l_max, row.channels, row.g_max)
    return [
        row.dataset,
        row.available or ("unusable" if row.trouble else "not available"),
        "frozen" if row.frozen else "drawn",
        *(str(value) for value in (ours if known else paper[:5])),
        "" if row.n_avg is None else f"{row.n_avg:.0f}",
        str(paper.n_avg),
        "" if row.n_avg_g1 is None else f"{row.n_avg_g1:.0f}",
        "" if row.n_avg_g2 is None else f"{row.n_avg_g2:.0f}",
        "neither" if row.paper_g_min is None else f"g >= {row.paper_g_min}",
    ]


def fetch(names: list[str], *, as_json: bool = False) -> None:
    """Download datasets of the archive into the cache unless they are available.

    Example: tsmdbench datasets fetch Mallat Cricket

    Options:
    names: Datasets, or 'all' for all 14.
    """
    from tsmdbench.archive import load
    from tsmdbench.datasets.catalogue import BENCHMARK

    wanted = list(BENCHMARK) if names == ["all"] else names
    found: dict[str, str] = {}
    failed: list[DataError | DownloadError] = []
    line = StatusLine()

    def arrived(name: str, size: int) -> None:
        line.update(f"{name}: {size / 1e6:.1f} MB")

    for name in wanted:
        try:
            found[name] = load(name, progress=arrived).source
        except (DataError, DownloadError) as cause:
            failed.append(cause)
            continue
        finally:
            line.end()
        if not as_json:
            typer.echo(f"{name}: {found[name]}")
    if as_json:
        print_json({"here": found, "failed": [str(cause) for cause in failed]})
    if failed:
        raise type(failed[0])(" | ".join(map(str, failed)))


def select(
    names: list[str] | None = None,
    *,
    data: Path | None = None,
    max_instances: int | None = None,
    root: bool = False,
    seed: int = 0,
    jobs: int = 1,
    out: Path | None = None,
    shipped: bool = False,
    as_json: bool = False,
) -> None:
    """Cluster datasets and report which are suitable (adjusted Rand index >= 0.5).

    With --out, an interrupted run continues where it stopped.

    Example: tsmdbench datasets select --max-instances 1500 --out selection

    Options:
    names: Datasets; by default all available candidates.
    max_instances: Cluster a class-balanced part of larger datasets.
    root: Take the root of DTW, as the authors do.
    seed: Random seed.
    jobs: Number of threads; -1 for all cores.
    out: Folder for the table, figure and state.
    shipped: Show the shipped results instead.
    """
    from tsmdbench.io import write_atomically
    from tsmdbench.paper.selection import select as run
    from tsmdbench.paper.selection import selection_csv, shipped_selection

    line = StatusLine()

    def progress(text: str) -> None:
        if "index" not in text:  # a result has its adjusted Rand index
            line.update(text)
            return
        line.end()
        say(text)

    if shipped:
        rows = shipped_selection()
    else:
        rows = run(
            names or _clustered_here(data),
            data,
            max_instances=max_instances,
            root=root,
            seed=seed,
            jobs=jobs,
            state=None if out is None else out / "selection.json",
            say=progress,
        )
    if out is not None:
        from tsmdbench.paper.selection import save_selection_figure

        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "selection.csv", selection_csv(rows).encode())
        save_selection_figure(rows, out / "selection.pdf")
    if as_json:
        print_json([row.as_row() for row in rows])
        return
    print_table(SELECT_HEADER, [_selected(row) for row in rows])
    typer.echo(_verdict(rows))


SELECT_HEADER = (
    *("dataset", "c", "instances", "clustered", "D", "Euclidean", "DTW", "mean"),
    *("suitable", "in paper"),
)


def _selected(row: Suitability) -> list[str]:
    return [
        row.dataset,
        str(row.classes),
        str(row.instances),
        f"{row.clustered}{' (part)' if row.subsampled else ''}",
        str(row.channels),
        *(f"{value:.3f}" for value in (row.ari_euclidean, row.ari_dtw, row.ari)),
        "yes" if row.suitable else "no",
        "yes" if row.in_paper else "no",
    ]


def _verdict(rows: list[Suitability]) -> str:
    """Compare with the paper's selection in words."""
    from tsmdbench.datasets.catalogue import PAPER_SELECTED

    here = {row.dataset: row for row in rows}
    above = [name for name in PAPER_SELECTED if name in here and here[name].suitable]
    below = [
        name for name in PAPER_SELECTED if name in here and not here[name].suitable
    ]
    absent = [name for name in PAPER_SELECTED if name not in here]
    others = [row.dataset for row in rows if row.suitable and not row.in_paper]
    return (
        f"\nOf the {len(PAPER_SELECTED)} datasets that the paper selected by clustering"
        f"\n  at or above 0.5: {', '.join(above) or 'none'}"
        f"\n  below 0.5: {', '.join(below) or 'none'}"
        f"\n  not clustered here: {', '.join(absent) or 'none'}"
        f"\nSuitable, but not in the paper: {', '.join(others) or 'none'}"
    )


def _clustered_here(data: Path | None) -> list[str]:
    from tsmdbench.datasets.archive import locate
    from tsmdbench.datasets.catalogue import CLUSTERED

    found = [name for name in CLUSTERED if locate(name, data) is not None]
    if not found:
        raise InputError(
            "no dataset to cluster is available; fetch one with 'tsmdbench datasets "
            "fetch', or name a folder with --data"
        )
    return found

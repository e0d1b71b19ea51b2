"""``tsmdbench datasets``: list, fetch and select datasets of the archive."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.errors import DataError, DownloadError, InputError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.datasets.suite import OverviewRow
    from tsmdbench.paper.selection import Suitability

app = typer.Typer(
    help="List, fetch and select the archive datasets that the benchmark is made from.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)

Folder = Annotated[
    Path | None,
    typer.Option("--data", help="Folder of archive datasets to search first."),
]
Paper = Annotated[
    bool, typer.Option("--paper", help="Also compare with the values of the paper.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]


@app.callback()
def datasets(
    context: typer.Context,
    *,
    data: Folder = None,
    paper: Paper = False,
    as_json: AsJson = False,
) -> None:
    """List the 14 datasets of TSMD-Bench; see also 'fetch' and 'select'.

    Example: tsmdbench datasets --json
    """
    if context.invoked_subcommand is None:
        show(data=data, paper=paper, as_json=as_json)


@app.command(name="list")
def show(*, data: Folder = None, paper: Paper = False, as_json: AsJson = False) -> None:
    """List the 14 datasets: their properties, and where the data is.

    Examples: tsmdbench datasets list --data ~/archive

    tsmdbench datasets list --paper
    """
    from tsmdbench.datasets.suite import overview

    rows = overview(data)
    if as_json:
        lines = [row._asdict() | {"paper": row.paper._asdict()} for row in rows]
        typer.echo(json.dumps(lines, indent=1))
        return
    columns = len(HEADER) if paper else HEADER.index(PAPER)
    listed = [_listed(row)[:columns] for row in rows]
    typer.echo(_table(HEADER[:columns], listed))
    here = sum(row.available is not None for row in rows)
    drawn = [row.dataset for row in rows if not row.frozen]
    troubled = [row.trouble for row in rows if row.trouble]
    missing = [row.dataset for row in rows if row.available is None and not row.trouble]
    typer.echo(f"\n{here} of {counted(len(rows), 'dataset')} available.", nl=False)
    if missing:
        typer.echo(f" Fetch the others: tsmdbench datasets fetch {' '.join(missing)}")
    else:
        typer.echo("")
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
    "dataset",
    "data",
    "recipes",
    "c",
    "l_min",
    "l_max",
    "D",
    "g_max",
    "n_avg",
    PAPER,
    "g>=1",
    "g>=2",
    "paper has",
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


@app.command()
def fetch(
    names: Annotated[list[str], typer.Argument(help="Datasets, or 'all' for all 14.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Download datasets of the archive into the cache unless they are available.

    Example: tsmdbench datasets fetch Mallat Cricket
    """
    from tsmdbench.archive import load
    from tsmdbench.datasets.catalogue import BENCHMARK

    wanted = list(BENCHMARK) if names == ["all"] else names
    found: dict[str, str] = {}
    failed: list[DataError | DownloadError] = []
    for name in wanted:
        with _progress(name) as report:
            try:
                found[name] = load(name, progress=report).source
            except (DataError, DownloadError) as cause:
                failed.append(cause)
                continue
        if not as_json:
            typer.echo(f"{name}: {found[name]}")
    if as_json:
        reasons = [str(cause) for cause in failed]
        typer.echo(json.dumps({"here": found, "failed": reasons}, indent=1))
    if failed:
        raise type(failed[0])(" | ".join(map(str, failed)))


@app.command()
def select(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Datasets; by default all available candidates."),
    ] = None,
    *,
    data: Folder = None,
    max_instances: Annotated[
        int | None,
        typer.Option(help="Cluster a class-balanced part of larger datasets."),
    ] = None,
    root: Annotated[
        bool, typer.Option("--root", help="Take the root of DTW, as the authors do.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads; -1 for all cores.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the table, figure and state."),
    ] = None,
    shipped: Annotated[
        bool, typer.Option("--shipped", help="Show the shipped results instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Cluster datasets and report which are suitable (adjusted Rand index >= 0.5).

    With --out, an interrupted run continues where it stopped.

    Example: tsmdbench datasets select --max-instances 1500 --out selection
    """
    from tsmdbench.io import write_atomically
    from tsmdbench.paper.selection import select as run
    from tsmdbench.paper.selection import selection_csv, shipped_selection

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
            say=_line,
        )
    if out is not None:
        from tsmdbench.paper.selection import save_selection_figure

        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "selection.csv", selection_csv(rows).encode())
        save_selection_figure(rows, out / "selection.pdf")
    if as_json:
        typer.echo(json.dumps([row.as_row() for row in rows], indent=1))
        return
    typer.echo(_table(SELECT_HEADER, [_selected(row) for row in rows]))
    typer.echo(_verdict(rows))


SELECT_HEADER = (
    "dataset",
    "c",
    "instances",
    "clustered",
    "D",
    "Euclidean",
    "DTW",
    "mean",
    "suitable",
    "in paper",
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


def _table(header: tuple[str, ...], rows: list[list[str]]) -> str:
    """Align columns: names to the left, numbers to the right."""
    cells = [list(header), *rows]
    widths = [max(len(line[place]) for line in cells) for place in range(len(header))]
    lines = [
        "  ".join(
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    return "\n".join(lines)


def _line(text: str) -> None:
    """Print progress: over itself on a terminal, only results elsewhere."""
    if sys.stderr.isatty():
        end = "\n" if "index" in text else "\r"
        sys.stderr.write(f"\x1b[2K{text}{end}")
    elif "index" in text:
        sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class _progress:  # noqa: N801 (a context manager, used like a function)
    """A progress bar of a download; nothing where stderr is not a terminal."""

    def __init__(self, name: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn as Bar
        from rich.progress import DownloadColumn, Progress, TextColumn

        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            Bar(),
            DownloadColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task(name, total=None)

    def __enter__(self) -> Any:
        self._bar.start()
        return lambda _, size: self._bar.update(self._task, completed=size)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

"""``tsmdbench datasets`` and ``build``: archive datasets, and problems to run on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tsmdbench.cli.options import GROUPS
from tsmdbench.cli.output import StatusLine, print_json, print_table, say
from tsmdbench.errors import DataError, DownloadError, InputError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.benchmark import Benchmark, Recordings
    from tsmdbench.datasets.suite import OverviewRow


def datasets(context: typer.Context) -> None:
    """List, fetch and select the archive datasets of the benchmark."""
    if context.invoked_subcommand is None:
        list_()


def list_(
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
    columns = len(HEADER) if paper else HEADER.index("paper")
    print_table(HEADER[:columns], [_listed(row)[:columns] for row in rows])
    here = sum(row.available is not None for row in rows)
    drawn = [row.dataset for row in rows if not row.frozen]
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
    for row in rows:
        if row.trouble:
            typer.echo(f"Unusable: {row.trouble}")
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


HEADER = (
    *("dataset", "data", "recipes", "c", "l_min", "l_max", "D", "g_max", "n_avg"),
    *("paper", "g>=1", "g>=2", "paper has"),
)
NOTE = """\
c: classes; l_min, l_max: lengths of instances; D: channels; g_max: most motif sets.
n_avg: mean length of our test problems, g uniform on [1, g_max].
Datasets that are not available are shown with the paper's properties."""
PAPER_NOTE = """\
paper: its n_avg.
g>=1, g>=2: expected n_avg for a smallest g of 1 or 2 if no class runs out.
Its text says g >= 1; its n_avg agrees, to 1 %, with what the last column says."""


def _listed(row: OverviewRow) -> list[Any]:
    ours = (row.classes, row.l_min, row.l_max, row.channels, row.g_max)
    lengths = (
        "" if mean is None else f"{mean:.0f}"
        for mean in (row.n_avg, row.paper.n_avg, row.n_avg_g1, row.n_avg_g2)
    )
    return [
        row.dataset,
        row.available or ("unusable" if row.trouble else "not available"),
        "frozen" if row.frozen else "drawn",
        *(row.paper[:5] if row.available is None else ours),
        *lengths,
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
    out: Folder for the table, figure and state.
    shipped: Show the shipped results instead.

    Rare options:
    root: Take the root of DTW, as the authors do.
    seed: Random seed.
    jobs: Number of threads; -1 for all cores.
    """
    from tsmdbench.datasets.archive import locate
    from tsmdbench.datasets.catalogue import CLUSTERED, PAPER_SELECTED
    from tsmdbench.io import write_atomically
    from tsmdbench.paper.selection import select as run
    from tsmdbench.paper.selection import (
        selection_csv,
        selection_figure,
        shipped_selection,
    )
    from tsmdbench.report.figures.style import pdf

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
        wanted = names or [n for n in CLUSTERED if locate(n, data) is not None]
        if not wanted:
            raise InputError(
                "no dataset to cluster is available; fetch one with 'tsmdbench "
                "datasets fetch', or name a folder with --data"
            )
        rows = run(
            wanted,
            data,
            max_instances=max_instances,
            root=root,
            seed=seed,
            jobs=jobs,
            state=None if out is None else out / "selection.json",
            say=progress,
        )
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "selection.csv", selection_csv(rows).encode())
        write_atomically(out / "selection.pdf", pdf(selection_figure(rows)))
    if as_json:
        print_json([row.as_row() for row in rows])
        return
    head = ("dataset", "c", "instances", "clustered", "D", "Euclidean", "DTW", "mean")
    cells = [
        (
            row.dataset,
            row.classes,
            row.instances,
            f"{row.clustered}{' (part)' if row.subsampled else ''}",
            row.channels,
            *(f"{value:.3f}" for value in (row.ari_euclidean, row.ari_dtw, row.ari)),
            "yes" if row.suitable else "no",
            "yes" if row.in_paper else "no",
        )
        for row in rows
    ]
    print_table((*head, "suitable", "in paper"), cells)
    typer.echo(
        f"\nOf the {len(PAPER_SELECTED)} datasets that the paper selected by clustering"
    )
    suitable = {row.dataset: row.suitable for row in rows}
    for kind, verdict in (
        ("at or above 0.5", True),
        ("below 0.5", False),
        ("not clustered here", None),
    ):
        found = [name for name in PAPER_SELECTED if suitable.get(name) is verdict]
        typer.echo(f"  {kind}: {', '.join(found) or 'none'}")
    others = [row.dataset for row in rows if row.suitable and not row.in_paper]
    typer.echo(f"Suitable, but not in the paper: {', '.join(others) or 'none'}")


def build(
    context: typer.Context,
    names: list[str] | None = None,
    *,
    out: Path | None = None,
    check: Path | None = None,
    source: Path | None = None,
    split: str | None = None,
    data: Path | None = None,
    seed: int = 0,
    problems: int = 200,
    g_min: int = 1,
    g_max: int | None = None,
    normalize: str = "joint",
    noise: float = 0.0,
    noise_where: str = "all",
    time_axis: str | None = None,
    piece: str | None = None,
    share: float = 0.2,
    skip_unannotated: bool = False,
    overlapping: str = "error",
    missing: str = "error",
    as_json: bool = False,
    set_options: dict[str, Any],
    series_options: dict[str, Any],
) -> None:
    """Write problems as Parquet with a manifest, and a data card for your own data.

    Examples: tsmdbench build JapaneseVowels --out problems

    tsmdbench build --from gestures.csv --out problems --g-min 2

    tsmdbench build --from walks --piece 30s --out problems

    Options:
    names: Datasets of TSMD-Bench, the recordings suite or the subspace suite
        (Sub-NATOPS); by default all available ones of TSMD-Bench.
    out: Folder to write to.
    check: Check the problems in a folder instead of writing any.
    source --from: Your data: a file of labelled instances (.ts .csv .npz .parquet), or
        a folder of annotated recordings (series and their truth files).
    split: Only 'validation' or only 'test'; by default both. With --from also 'all':
        one set of problems from everything.
    seed: Random seed.
    problems: Of instances: problems per split.
    piece: Of recordings: cut into pieces, '30s' or a number of samples.
    missing: Of recordings: missing values, error or interpolate.

    Rare options:
    g_min: Of instances: smallest number of sets.
    g_max: Of instances: largest number of sets.
    normalize: Of instances: joint, channel or none.
    noise: Of instances: standard deviation of added noise.
    noise_where: Noise to all, motifs or separators.
    time_axis: Of arrays: 'first' or 'last' (aeon) axis is time.
    share: Of recordings: share for validation.
    skip_unannotated: Of recordings: leave out those without truth.
    overlapping: Of recordings: true segments that overlap, 'error' or 'halve'.
    """
    from tsmdbench.benchmark import (
        RECORDINGS_SUITE,
        build_benchmark,
        check_benchmarks,
        data_card,
        load_recordings,
        load_recordings_suite,
        read_instances,
    )
    from tsmdbench.datasets.archive import locate
    from tsmdbench.datasets.export import PROBLEMS, check_folder, write_benchmarks
    from tsmdbench.datasets.suite import DATASETS, SPLITS, load_benchmark
    from tsmdbench.io import write_atomically

    if check is not None:
        _refuse_without_effect(context, set(context.params) - {"check", "as_json"})
        checked = check_benchmarks(check)
        if as_json:
            print_json(checked)
            return
        for name, number in checked.items():
            typer.echo(f"{name}: {counted(number, 'problem')}, as built")
        return
    if out is None:
        raise InputError("give --out FOLDER to write to, or --check FOLDER")
    if names and source is not None:
        raise InputError("give dataset names or --from, not both")
    if noise_where != "all" and not noise:
        raise InputError("--noise-where has no effect without --noise")
    check_folder(out, PROBLEMS)
    of_instances: dict[str, Any] = {
        "seed": seed,
        "g_min": g_min,
        "normalize": None if normalize == "none" else normalize,
        "noise": noise,
        "noise_where": noise_where,
    }
    parts = SPLITS if split is None else (split,)
    notes: list[str] = []
    benches: Sequence[Benchmark | Recordings]
    card = None
    if source is None:
        unused = {"time_axis", *OF_FILES, *OF_RECORDINGS}
        _refuse_without_effect(context, unused, "--from")
        if not set(RECORDINGS_SUITE).isdisjoint(names or ()):
            _refuse_without_effect(context, {*OF_INSTANCES, "seed"}, "TSMD-Bench")
        wanted = names or [name for name in DATASETS if locate(name, data) is not None]
        if not wanted:
            raise InputError(
                "no dataset is available; fetch one with 'tsmdbench datasets fetch', "
                "or name a folder with --data"
            )
        skipped = [] if names else [name for name in DATASETS if name not in wanted]
        if skipped:
            notes.append(
                f"skipped, not available: {', '.join(skipped)} "
                f"(tsmdbench datasets fetch {' '.join(skipped)})"
            )
        benches = [
            load_recordings_suite(name, part, folder=data)
            if name in RECORDINGS_SUITE
            else load_benchmark(name, part, folder=data, **of_instances)
            for name in wanted
            for part in parts
        ]
    elif source.is_dir():
        unused = {*OF_INSTANCES, *OF_FILES, "data"}
        _refuse_without_effect(context, unused, "--from FILE")
        if time_axis is not None:
            series_options |= {"time_axis": time_axis}
        options = {
            "piece": piece,
            "share": share,
            "seed": seed,
            "unannotated": "skip" if skip_unannotated else "error",
            "overlapping": overlapping,
            "missing": missing,
            **series_options,
            **set_options,
        }
        loaded = [load_recordings(source, part, **options) for part in parts]
        card = data_card(loaded)
        benches = [recordings for recordings in loaded if len(recordings)]
        notes += card.notes or ()
    else:
        _refuse_without_effect(context, {*OF_RECORDINGS, "data"}, "--from FOLDER")
        instances, labels = read_instances(source, time_axis=time_axis)
        of_instances |= {"n_problems": problems, "g_max": g_max, "name": source.stem}
        benches = [
            build_benchmark(
                instances,
                labels,
                split=None if part == "all" else part,
                time_axis="first",
                **of_instances,
            )
            for part in parts
        ]
        card = data_card(instances, labels, time_axis="first")
    if card is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(out / "data_card.md", card.text().encode())
        for warning in card.warnings:
            say(f"warning: {warning}")
    written = write_benchmarks(benches, out)
    if as_json:
        print_json({"files": written, "notes": notes})
        return
    for bench in benches:
        how = "frozen recipes" if bench.frozen else "recipes drawn on this machine"
        if hasattr(bench, "used") and not bench.frozen:
            how = f"from {counted(len(bench.used), 'recording')}"
        size = counted(len(bench), "problem")
        typer.echo(f"{bench.name}-{bench.split}.parquet: {size}, {how}")
    for note in notes:
        typer.echo(note)


# Parameters that have an effect on some kinds of data only.
OF_INSTANCES = ("g_min", "normalize", "noise", "noise_where")
OF_FILES = ("problems", "g_max")
OF_RECORDINGS = (
    "piece",
    "share",
    "skip_unannotated",
    "overlapping",
    "missing",
    *{name for group in GROUPS.values() for name in signature(group).parameters}
    - {"time_axis"},
)


def _refuse_without_effect(
    context: typer.Context, names: Iterable[str], needed: str = ""
) -> None:
    """Refuse options that only another kind of source has."""
    for name in sorted(names):
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise InputError(
                f"--{name.replace('_', '-')} has no effect "
                + (f"on these problems; it needs {needed}" if needed else "here")
            )

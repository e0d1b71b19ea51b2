"""``tsmdbench build``: write motif problems of the suite or from your own data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli import reading
from tsmdbench.cli.recordings import write_recordings
from tsmdbench.errors import InputError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.benchmark.recordings import Recordings
    from tsmdbench.benchmark.suite import Benchmark


def build(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Datasets of TSMD-Bench or the recordings suite; by default all "
            "available ones of TSMD-Bench."
        ),
    ] = None,
    *,
    out: Annotated[Path | None, typer.Option(help="Folder to write to.")] = None,
    check: Annotated[
        Path | None,
        typer.Option(help="Check the problems in a folder instead of writing any."),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Your labelled instances: .ts .csv .npz .parquet"),
    ] = None,
    recordings: Annotated[
        Path | None,
        typer.Option(
            help="Folder of annotated recordings: series and their truth files."
        ),
    ] = None,
    split: Annotated[
        str | None,
        typer.Option(
            help="Only 'validation' or only 'test'; by default both. With --from and "
            "--recordings also 'all': one set of problems from everything."
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of archive datasets to search first.")
    ] = None,
    time_axis: Annotated[
        str | None,
        typer.Option(
            help="With --from: 'first' or 'last' (aeon) axis of .npz instances is time."
        ),
    ] = None,
    problems: Annotated[
        int, typer.Option(help="With --from: problems per split.")
    ] = 200,
    seed: Annotated[
        int, typer.Option(help="With --from and --recordings: random seed.")
    ] = 0,
    g_min: Annotated[
        int, typer.Option(help="With --from: smallest number of sets.")
    ] = 1,
    g_max: Annotated[
        int | None, typer.Option(help="With --from: largest number of sets.")
    ] = None,
    normalize: Annotated[
        str, typer.Option(help="With --from: joint, channel or none.")
    ] = "joint",
    noise: Annotated[
        float, typer.Option(help="With --from: standard deviation of added noise.")
    ] = 0.0,
    noise_where: Annotated[
        str, typer.Option(help="With --from: noise to all, motifs or separators.")
    ] = "all",
    piece: Annotated[
        str | None,
        typer.Option(
            help="With --recordings: cut into pieces, '30s' or a number of samples."
        ),
    ] = None,
    share: Annotated[
        float, typer.Option(help="With --recordings: share for validation.")
    ] = 0.2,
    skip_unannotated: Annotated[
        bool,
        typer.Option(
            "--skip-unannotated", help="With --recordings: leave out other series."
        ),
    ] = False,
    overlapping: Annotated[
        str,
        typer.Option(
            help="With --recordings: true segments that overlap, 'error' or 'halve'."
        ),
    ] = "error",
    columns: reading.Columns = None,
    rate: reading.Rate = None,
    units: reading.Units = None,
    tier: reading.Tier = None,
    missing: Annotated[
        str,
        typer.Option(help="With --recordings: missing values, error or interpolate."),
    ] = "error",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the written files as JSON.")
    ] = False,
) -> None:
    """Write problems as Parquet with a manifest, and a data card for your own data.

    Examples: tsmdbench build JapaneseVowels --out problems

    tsmdbench build --from gestures.csv --out problems --g-min 2

    tsmdbench build --recordings walks --piece 30s --out problems
    """
    from tsmdbench.benchmark.export import check_benchmarks, write_benchmarks
    from tsmdbench.benchmark.folder_kinds import PROBLEMS, check_folder

    if (out is None) == (check is None):
        raise InputError("give --out FOLDER to write to, or --check FOLDER")
    if check is not None:
        checked = check_benchmarks(check)
        if as_json:
            typer.echo(json.dumps(checked, indent=1))
            return
        for name, number in checked.items():
            typer.echo(f"{name}: {counted(number, 'problem')}, as built")
        return
    if out is None:  # said above; for mypy
        return
    if sum(map(bool, (names, source, recordings))) > 1:
        raise InputError("give dataset names, --from or --recordings, not several")
    check_folder(out, PROBLEMS)
    notes: list[str] = []
    benches: Sequence[Benchmark | Recordings]
    if recordings is not None:
        _refuse_without_effect(context, set(OWN) - {"seed"}, "--from")
        reading_options = {
            "columns": columns,
            "rate": rate,
            "missing": missing,
            "units": units,
            "tier": tier,
        }
        benches, notes = write_recordings(
            recordings,
            out,
            split,
            piece=piece,
            share=share,
            seed=seed,
            unannotated="skip" if skip_unannotated else "error",
            overlapping=overlapping,
            **{name: v for name, v in reading_options.items() if v is not None},
        )
    elif source is None:
        _refuse_without_effect(context, OWN, "--from")
        _refuse_without_effect(context, OF_RECORDINGS, "--recordings")
        benches, notes = _of_the_suite(names, split, data)
    else:
        _refuse_without_effect(context, OF_RECORDINGS, "--recordings")
        options: dict[str, Any] = {
            "n_problems": problems,
            "seed": seed,
            "g_min": g_min,
            "g_max": g_max,
            "normalize": None if normalize == "none" else normalize,
            "noise": noise,
            "noise_where": noise_where,
        }
        benches = _of_own_data(source, split, out, time_axis, options)
    written = write_benchmarks(benches, out)
    if as_json:
        files = [str(file) for file in written]
        typer.echo(json.dumps({"files": files, "notes": notes}, indent=1))
        return
    for bench in benches:
        size = counted(len(bench), "problem")
        typer.echo(f"{bench.name}-{bench.split}.parquet: {size}, {_how(bench)}")
    for note in notes:
        typer.echo(note)


OWN = (
    "time_axis",
    "problems",
    "seed",
    "g_min",
    "g_max",
    "normalize",
    "noise",
    "noise_where",
)
OF_RECORDINGS = (
    "piece",
    "share",
    "skip_unannotated",
    "overlapping",
    "columns",
    "rate",
    "missing",
    "units",
    "tier",
)


def _how(bench: Benchmark | Recordings) -> str:
    """Say where the problems of a benchmark come from."""
    if bench.frozen:
        return "frozen recipes"
    if hasattr(bench, "used"):
        return f"from {counted(len(bench.used), 'recording')}"
    return "recipes drawn on this machine"


def _refuse_without_effect(
    context: typer.Context, names: Iterable[str], needed: str
) -> None:
    """Refuse options that only another kind of source has."""
    for name in sorted(names):
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise InputError(
                f"--{name.replace('_', '-')} has no effect on these problems; it needs "
                f"{needed}"
            )


def _of_the_suite(
    names: list[str] | None, split: str | None, data: Path | None
) -> tuple[list[Benchmark | Recordings], list[str]]:
    from tsmdbench.archive.places import locate
    from tsmdbench.benchmark import RECORDINGS_SUITE, load_recordings_suite
    from tsmdbench.benchmark.suite import DATASETS, SPLITS, load_benchmark

    notes = []
    wanted = names or [name for name in DATASETS if locate(name, data) is not None]
    if not wanted:
        raise InputError(
            "no dataset is available; fetch one with 'tsmdbench datasets fetch', "
            "or name a folder with --data"
        )
    if not names:
        missing = [name for name in DATASETS if name not in wanted]
        if missing:
            notes.append(
                f"skipped, not available: {', '.join(missing)} "
                f"(tsmdbench datasets fetch {' '.join(missing)})"
            )
    splits = SPLITS if split is None else (split,)
    loaded = [
        load_recordings_suite(name, part, folder=data)
        if name in RECORDINGS_SUITE
        else load_benchmark(name, part, folder=data)
        for name in wanted
        for part in splits
    ]
    return loaded, notes


def _of_own_data(
    source: Path,
    split: str | None,
    out: Path,
    time_axis: str | None,
    options: dict[str, Any],
) -> list[Benchmark]:
    from tsmdbench.benchmark import build_benchmark, data_card, read_instances
    from tsmdbench.benchmark.suite import SPLITS
    from tsmdbench.io import write_atomically

    if options["noise_where"] != "all" and not options["noise"]:
        raise InputError("--noise-where has no effect without --noise")
    instances, labels = read_instances(source, time_axis=time_axis)
    options |= {"name": source.stem, "time_axis": "first"}
    wanted = SPLITS if split is None else (split,)
    splits = [None if part == "all" else part for part in wanted]
    benches = [
        build_benchmark(instances, labels, split=part, **options) for part in splits
    ]
    card = data_card(instances, labels, time_axis="first")
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "data_card.md", card.text().encode())
    for warning in card.warnings:
        typer.echo(f"warning: {warning}", err=True)
    return benches

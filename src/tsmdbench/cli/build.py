"""``tsmdbench build``: write motif problems of a suite or from your own data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli.options import GROUPS, replaced
from tsmdbench.cli.output import print_json, say
from tsmdbench.errors import InputError
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.benchmark import Benchmark, DataCard, Recordings


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
    recordings: Annotated[
        str | None, replaced("--recordings", "use --from FOLDER")
    ] = None,
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
    del recordings  # refused
    if check is not None:
        _refuse_without_effect(context, set(context.params) - {"check", "as_json"})
        _check(check, as_json=as_json)
        return
    if out is None:
        raise InputError("give --out FOLDER to write to, or --check FOLDER")
    from tsmdbench.benchmark import RECORDINGS_SUITE
    from tsmdbench.datasets.export import PROBLEMS, check_folder, write_benchmarks

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
    notes: list[str] = []
    benches: Sequence[Benchmark | Recordings]
    if source is None:
        unused = {"time_axis", *OF_FILES, *OF_RECORDINGS}
        _refuse_without_effect(context, unused, "--from")
        if not set(RECORDINGS_SUITE).isdisjoint(names or ()):
            _refuse_without_effect(context, {*OF_INSTANCES, "seed"}, "TSMD-Bench")
        benches, notes = _of_suites(names, split, data, of_instances)
    elif source.is_dir():
        if time_axis is not None:
            series_options |= {"time_axis": time_axis}
        _refuse_without_effect(
            context, {*OF_INSTANCES, *OF_FILES, "data"}, "--from FILE"
        )
        benches, notes = _of_recordings(
            source,
            out,
            split,
            piece=piece,
            share=share,
            seed=seed,
            unannotated="skip" if skip_unannotated else "error",
            overlapping=overlapping,
            missing=missing,
            **series_options,
            **set_options,
        )
    else:
        _refuse_without_effect(context, {*OF_RECORDINGS, "data"}, "--from FOLDER")
        of_instances |= {"n_problems": problems, "g_max": g_max}
        benches = _of_instances(source, split, out, time_axis, of_instances)
    written = write_benchmarks(benches, out)
    if as_json:
        print_json({"files": written, "notes": notes})
        return
    for bench in benches:
        size = counted(len(bench), "problem")
        typer.echo(f"{bench.name}-{bench.split}.parquet: {size}, {_how(bench)}")
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


def _check(folder: Path, *, as_json: bool) -> None:
    from tsmdbench.benchmark import check_benchmarks

    checked = check_benchmarks(folder)
    if as_json:
        print_json(checked)
        return
    for name, number in checked.items():
        typer.echo(f"{name}: {counted(number, 'problem')}, as built")


def _how(bench: Benchmark | Recordings) -> str:
    """Say where the problems of a benchmark come from."""
    if bench.frozen:
        return "frozen recipes"
    if hasattr(bench, "used"):
        return f"from {counted(len(bench.used), 'recording')}"
    return "recipes drawn on this machine"


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


def _of_suites(
    names: list[str] | None,
    split: str | None,
    data: Path | None,
    options: dict[str, Any],
) -> tuple[list[Benchmark | Recordings], list[str]]:
    from tsmdbench.benchmark import RECORDINGS_SUITE, load_recordings_suite
    from tsmdbench.datasets.archive import locate
    from tsmdbench.datasets.suite import DATASETS, SPLITS, load_benchmark

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
        else load_benchmark(name, part, folder=data, **options)
        for name in wanted
        for part in splits
    ]
    return loaded, notes


def _of_instances(
    source: Path,
    split: str | None,
    out: Path,
    time_axis: str | None,
    options: dict[str, Any],
) -> list[Benchmark]:
    from tsmdbench.benchmark import build_benchmark, data_card, read_instances
    from tsmdbench.datasets.suite import SPLITS

    instances, labels = read_instances(source, time_axis=time_axis)
    options |= {"name": source.stem, "time_axis": "first"}
    wanted = SPLITS if split is None else (split,)
    splits = [None if part == "all" else part for part in wanted]
    benches = [
        build_benchmark(instances, labels, split=part, **options) for part in splits
    ]
    _write_card(data_card(instances, labels, time_axis="first"), out)
    return benches


def _of_recordings(
    folder: Path, out: Path, split: str | None, **options: Any
) -> tuple[list[Recordings], list[str]]:
    from tsmdbench.benchmark import data_card, load_recordings
    from tsmdbench.datasets.suite import SPLITS

    wanted = SPLITS if split is None else (split,)
    loaded = [load_recordings(folder, part, **options) for part in wanted]
    card = data_card(loaded)
    _write_card(card, out)
    return [one for one in loaded if len(one)], list(card.notes or ())


def _write_card(card: DataCard, out: Path) -> None:
    from tsmdbench.io import write_atomically

    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "data_card.md", card.text().encode())
    for warning in card.warnings:
        say(f"warning: {warning}")

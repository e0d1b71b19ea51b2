"""``tsmdbench discover``: find the repeating patterns of a series."""

from __future__ import annotations

import dataclasses
import itertools
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tsmdbench.cli.options import read_and_say, say_notes
from tsmdbench.cli.output import (
    StatusLine,
    check_plot,
    print_json,
    print_table,
    say,
    write_plot,
)
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tsmdbench.discovery import Search


AUTO = "auto"
FACTORS = (0.5, 0.7, 1.0, 1.4, 2.0)  # of the lengths, for --sweep auto
LENGTHS = ("length", "l_min", "l_max", "window")
MOST = 500  # settings of a sweep
SHOWN = 12  # sizes of sets in a line
COMPILING = "compiling, only the first time with these versions ..."
PREFIX = 2000  # samples that a time is measured on, at least
PART = 20  # a time is measured on at least this part of the series
WORTH_SAYING = 10.0  # seconds; shorter times are not printed
SURE = 1.3  # estimates that differ by less are one
STEEPEST = 2.2  # largest power of the length that the time grows with


def discover(
    series: Path,
    *,
    method: str | None = None,
    settings: list[str] | None = None,
    sweep: list[str] | None = None,
    length: str | None = None,
    max_sets: int | None = None,
    alternative: int | None = None,
    start: str | None = None,
    end: str | None = None,
    resample: int = 1,
    missing: str | None = None,
    units: str = "samples",
    as_json: bool = False,
    out: Path | None = None,
    out_format: str | None = None,
    plot: Path | None = None,
    python: str | None = None,
    requirements: list[str] | None = None,
    file_format: str | None = None,
    series_options: dict[str, Any],
) -> None:
    """Find the motif sets of a series.

    Examples: tsmdbench discover series.csv

    tsmdbench discover series.csv --length 0.5s,2s --alternative 2

    tsmdbench discover series.csv --method stomp --sweep length=50,80,120

    tsmdbench discover -m locomotif walk.csv --columns acc_x,acc_y --set l_min=500ms
    --set l_max=2s --units s

    Without --method nothing needs to be known: many lengths are tried, and the result
    that saves the most bits is printed, with how much more than chance it saves and the
    results that disagree with it. If nothing is better than chance, nothing is found.

    Prints one line per motif set, the best first. Segments are half-open:
    [start, end), in samples of the file. What was read is printed to stderr.

    Options:
    series: The series (CSV, txt, Parquet, Feather, npy, npz, WAV, WFDB, ts).
    method --method -m: A name from 'tsmdbench methods', module:Class or file.py:Class;
        'auto' by default.
    length LENGTH: Length of the motifs in samples, or a time such as 3s and 500ms;
        shortest and longest length as 50,120 or 0.5s,2s.
    alternative NUMBER: Print another of the results that disagree.
    settings --set KEY=VALUE: A parameter of the method; repeatable. Lengths are as for
        --length; those that a method needs and that are not given are estimated.
    sweep KEY=V1,V2: Try several values and show how the sets change; repeatable. 'auto'
        tries lengths around the given or estimated one of a named method.
    max_sets: Largest number of sets to print.
    start --from PLACE: Search from here on: a sample, a time such as 90s, or a time
        stamp.
    end --to PLACE: Search up to here, as --from.
    as_json --json: Print the sets as JSON that 'evaluate' reads.
    out FILE: Write the sets: .json, .csv, .parquet, .TextGrid, ...
    plot FILE: Write the figure: .png, .svg or .pdf, or the page of 'view': .html.

    Rare options:
    resample FACTOR: Search means of FACTOR samples, for long series. Lengths and
        segments stay in samples of the file.
    missing: Missing values and gaps in time: skip windows that contain them, split
        (search each piece by itself), interpolate, or error. By default skip; error for
        methods that do not take missing values.
    file_format --format: Format of the series, if the file extension does not name it.
    out_format: Format of --out, if its file extension does not name it.
    """
    from tsmdbench.discovery import Search, settings_of
    from tsmdbench.io.timebase import WRITTEN, check_units
    from tsmdbench.methods.base import check_is_method

    if plot is not None:
        check_plot(plot)
    if sweep and (plot is not None or out is not None or missing == "split"):
        raise InputError(
            "--sweep shows many settings; --plot, --out and --missing split need one"
        )
    cls = None
    if method is not None:
        cls = _class_of(method, python, tuple(requirements or ()))
        check_is_method(cls, method)
    # A sweep starts from the first value of each parameter that it changes.
    firsts = [text.split(",")[0] for text in sweep or () if "=" in text]
    params: dict[str, Any] = {**settings_of(firsts), **settings_of(settings or ())}
    if length is not None:
        params["length"] = length
    if alternative is not None:
        params["alternative"] = alternative
    whole = read_and_say(series, series_options, file_format, missing="keep")
    check_units(units, WRITTEN, "--units")  # before the search
    if units != "samples" and whole.rate is None:
        raise InputError(
            f"--units {units} needs a sampling rate for {whole.source}: --rate HZ"
        )
    whole.timebase.shown(0, 1, units)
    with showing_compilation():
        search = Search(
            whole,
            cls,
            params,
            max_sets=max_sets,
            missing=missing,
            resample=resample,
            start=start,
            end=end,
            name=method,
        )
    say_notes("settings", search.notes)
    if sweep:
        _sweep(search, sweep, as_json=as_json)
        return
    said = len(search.notes)
    with showing_compilation():
        if search.missing != "split":
            say_expected_time(search.method, search.pieces()[0].series)
        with showing_progress():
            found = search.run(say)
    say_notes(series, found.notes[said:])
    if plot is not None:
        write_plot(plot, found.plot, found.page)
    if out is not None:
        lost = found.save(out, units=units, file_format=out_format)
        say_notes(out, [f"lost: {text}" for text in lost])
    if as_json:
        print_json(found.to_dict(units))
        return
    typer.echo(f"{found.method!r} in {series} ({len(whole)} samples)")
    typer.echo(found.text(units))
    for file, what in ((plot, "figure"), (out, "sets")):
        if file is not None:
            typer.echo(f"{what}: {file}")


def _sweep(search: Search, texts: list[str], *, as_json: bool) -> None:
    """Find for several settings and print how the sets change.

    `shared_with_previous` is the overlap with the setting above: samples covered by
    both over samples covered by any of the two.
    """
    import numpy as np

    method, piece = search.method, search.pieces()[0]
    settings = _sweep_settings(search, texts)
    changed = [dataclasses.replace(method, **setting) for setting in settings]
    with showing_compilation(), showing_progress():
        found = (
            method.sweep(piece.series, changed)
            if hasattr(method, "sweep")
            else [one.find(piece.series) for one in changed]
        )
    rows: list[dict[str, Any]] = []
    cells = []
    before = None
    for setting, sets in zip(settings, found, strict=True):
        mask = np.zeros(len(piece.series), np.bool_)
        for motifs in sets:
            mask |= motifs.to_mask(len(mask))
        shared = None
        if before is not None:
            either, both = np.sum(mask | before), np.sum(mask & before)
            shared = float(both / either) if either else 1.0
        before = mask
        kept = [piece.back(piece.kept(motifs)) for motifs in sets]
        rows.append(
            {
                "settings": setting,
                "sets": [[list(pair) for pair in motifs] for motifs in kept],
                "covered": float(mask.mean()),
                "shared_with_previous": shared,
            }
        )
        values = ", ".join(f"{key}={value}" for key, value in setting.items())
        sizes = " ".join(str(len(motifs)) for motifs in kept[:SHOWN])
        sizes += " ..." * (len(kept) > SHOWN)
        above = "" if shared is None else f"{shared:.0%}"
        cells.append((values, len(kept), f"{mask.mean():.0%}", above, sizes))
    if as_json:
        print_json(rows)
        return
    typer.echo(f"{method!r} in {search.part.source} ({len(search.part)} samples)")
    head = ("setting", "sets", "covered", "shared", "segments per set")
    print_table(head, cells, text=(0, 4))


def _sweep_settings(search: Search, texts: list[str]) -> list[dict[str, Any]]:
    """Return the settings of a grid: ``KEY=V1,V2,...`` texts, or ``auto``."""
    from tsmdbench.discovery import value_of

    method = search.method
    if not dataclasses.is_dataclass(method):
        raise InputError("--sweep needs a method whose parameters are known fields")
    if AUTO in texts:
        if len(texts) > 1:
            raise InputError(
                "--sweep auto cannot be combined with others; or give KEY=V1,V2,..."
            )
        names = [n for n in LENGTHS if isinstance(getattr(method, n, None), int)]
        if not names:
            raise InputError(
                "--sweep auto changes lengths, and the method has none; name one: "
                "--method"
            )
        return [
            {name: max(4, round(getattr(method, name) * factor)) for name in names}
            for factor in FACTORS
        ]
    fields = {field.name: field for field in dataclasses.fields(method)}
    axes: dict[str, list[Any]] = {}
    for text in texts:
        key, equals, given = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not given.strip():
            raise InputError(f"--sweep takes KEY=V1,V2,... or auto, got {text!r}")
        if key not in fields:
            known = ", ".join(fields)
            raise InputError(f"--sweep: no parameter {key!r}; known: {known}")
        if key in axes:
            raise InputError("--sweep names a parameter twice; put its values together")
        axes[key] = [
            value_of(key, one.strip(), fields[key], search.part, None, search.factor)
            for one in given.split(",")
        ]
    points = itertools.product(*axes.values())
    settings = [dict(zip(axes, point, strict=True)) for point in points]
    if len(settings) > MOST:
        raise InputError(f"--sweep has {len(settings)} settings; at most {MOST}")
    return settings


def _class_of(method: str, python: str | None, requirements: tuple[str, ...]) -> Any:
    """Return the class of a method, which may be in another environment."""
    if python is None and not requirements:
        from tsmdbench.methods import METHODS
        from tsmdbench.methods.adapters import class_of

        return class_of(METHODS[method])
    from tsmdbench.experiments.environments import (
        Environment,
        external_class,
        interpreter_of,
    )

    if ":" not in method:
        raise InputError(
            f"--python and --with need a method that is named file.py:Class or "
            f"module:Class, got {method!r}"
        )
    environment = Environment(python, requirements)
    interpreter_of(environment, say)
    return external_class(environment, method)


@contextmanager
def showing_compilation() -> Iterator[None]:
    """Print once that numba compiles; on a terminal, count the functions."""
    from tsmdbench._kernels.compile_time import compilations

    line = StatusLine()
    begin, count = time.monotonic(), 0

    def compiled(_: str) -> None:
        nonlocal count
        count += 1
        if line.shown:
            seconds = time.monotonic() - begin
            line.update(f"{COMPILING} {count} functions, {seconds:.0f} s")
        elif count == 1:
            say(COMPILING)

    try:
        with compilations(compiled):
            yield
    finally:
        line.end(keep=True)


@contextmanager
def showing_progress() -> Iterator[None]:
    """Show the fraction done on a terminal only."""
    from rich.console import Console
    from rich.progress import Progress

    from tsmdbench._kernels.progress import listening

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("searching", total=1.0)
        with listening(lambda share: bar.update(task, completed=share)):
            yield


def say_expected_time(method: Any, series: NDArray[np.float64]) -> None:
    """Print the expected time of a long search."""
    low, high = expected_seconds(method, series)
    if high < WORTH_SAYING:
        return
    about = duration(high)
    if high > SURE * low and duration(low) != about:
        about = f"{duration(low)} to {about}"
    say(f"this takes about {about} ({len(series)} samples)")


def expected_seconds(method: Any, series: NDArray[np.float64]) -> tuple[float, float]:
    """Return a lower and a higher estimate of the time of a search.

    Two parts of the series are searched, its beginning and one twice as long. Two
    models of growth are fitted to their times: a power of the length, and a linear plus
    a quadratic term. Both estimates are 0 for short series, for methods that are not
    `Method`, for `Auto`, whose time is bounded, and where the method refuses the parts.
    """
    from tsmdbench.errors import TsmdbenchError
    from tsmdbench.methods import Auto, Method

    if not isinstance(method, Method) or isinstance(method, Auto):
        return 0.0, 0.0
    lengths = [getattr(method, field, 0) for field in ("length", "l_max", "window")]
    part = max(PREFIX, len(series) // PART, 4 * max(lengths))
    if 4 * part > len(series):
        return 0.0, 0.0
    times = []
    try:
        method.find(series[: min(part, PREFIX)])  # compiles what is not compiled yet
        for size in (part, 2 * part):
            begin = time.perf_counter()
            method.find(series[:size])
            times.append(max(time.perf_counter() - begin, 1e-6))
    except TsmdbenchError:
        return 0.0, 0.0
    one, two = times
    factor = len(series) / part
    power = min(max(math.log2(two / one), 0.0), STEEPEST)
    square = min(max((two - 2 * one) / 2, 0.0), two / 4)
    linear = max(two - 4 * square, 0.0) / 2
    estimates = one * factor**power, linear * factor + square * factor**2
    return min(estimates), max(estimates)


def duration(seconds: float) -> str:
    """Return a duration in words.

    >>> duration(8.4), duration(100), duration(7300)
    ('8 s', '2 min', '2 h')
    """
    for unit, size in (("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{round(seconds / size)} {unit}"
    return f"{max(1, round(seconds))} s"

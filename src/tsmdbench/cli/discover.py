"""``tsmdbench discover``: find the repeating patterns of a series."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli.compiling import telling
from tsmdbench.cli.figures import check_figure, write_figure
from tsmdbench.cli.options import counted
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tsmdbench.types import MotifSet

WORDS = {"true": True, "false": False, "none": None, "null": None}


def discover(
    series: Annotated[
        Path, typer.Argument(help="The series (CSV, txt, npy, Parquet, ts).")
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="A name from 'tsmdbench methods', or module:Class.",
            show_default=False,
        ),
    ],
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A parameter; may be repeated."
        ),
    ] = None,
    max_sets: Annotated[
        int | None, typer.Option(help="Largest number of sets to print.")
    ] = None,
    case: Annotated[
        int | None, typer.Option(help="Which series of a .ts file; the first is 0.")
    ] = None,
    *,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print the sets as JSON that 'evaluate' reads."),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Write the figure: .png, .svg or .pdf.", metavar="FILE"),
    ] = None,
) -> None:
    """Find the motif sets of a series.

    Example: tsmdbench discover --method setfinder series.csv --set length=100
    --set radius=3 --plot found.png

    Prints one line per motif set, the best first. Segments are half-open:
    [start, end), in samples.
    """
    from tsmdbench.methods import METHODS

    if plot is not None:
        check_figure(plot)
    cls = METHODS[method]
    chosen = make_method(cls, method, settings or [], max_sets)
    x = read(series, case)
    with telling():
        found = list(chosen.find(x))[:max_sets]
    labels = [f"set {place + 1}" for place in range(len(found))]
    if plot is not None:
        from tsmdbench.methods.figure import draw_found

        figure = draw_found(
            x,
            dict(zip(labels, found, strict=True)),
            title=f"{series.name}: {chosen!r}",
            channel=getattr(chosen, "channel", 0),
        )
        write_figure(plot, figure)
    if as_json:
        sets = {
            label: [list(segment) for segment in motifs]
            for label, motifs in zip(labels, found, strict=True)
        }
        typer.echo(json.dumps(sets))
        return
    typer.echo(f"{chosen!r} in {series} ({len(x)} samples)")
    for label, motifs in zip(labels, found, strict=True):
        typer.echo(_line(label, motifs))
    if not found:
        typer.echo("nothing found")
    if plot is not None:
        typer.echo(f"figure: {plot}")


def make_method(
    cls: Any, name: str, settings: Sequence[str], max_sets: int | None
) -> Any:
    """Make a method from ``key=value`` texts."""
    fields = (
        {field.name: field for field in dataclasses.fields(cls)}
        if dataclasses.is_dataclass(cls)
        else None
    )
    values: dict[str, Any] = {}
    for text in settings:
        key, equals, value = text.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise InputError(f"--set takes KEY=VALUE, got {text!r}")
        if fields is not None and key not in fields:
            known = ", ".join(fields)
            raise InputError(f"{name} has no parameter {key!r}; known: {known}")
        values[key] = _value(value.strip(), None if fields is None else fields[key])
    if max_sets is not None and (fields is None or "max_sets" in fields):
        values["max_sets"] = max_sets
    missing = [
        key
        for key, field in (fields or {}).items()
        if field.default is dataclasses.MISSING and key not in values
    ]
    if missing:
        wanted = " ".join(f"--set {key}=..." for key in missing)
        raise InputError(f"{name} needs {', '.join(missing)}: {wanted}")
    try:
        return cls(**values)
    except TypeError as cause:
        raise InputError(f"{name}: {cause}") from None


def _value(text: str, field: Any) -> Any:
    """Read a value: a word, a whole number, a number, else the text itself."""
    if field is not None and str(field.type) == "str":
        return text
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read(file: Path, case: int | None) -> NDArray[np.float64]:
    """Read a series; from a ``.ts`` file, which holds many, the chosen case."""
    from tsmdbench.io import read_series

    if file.suffix.lower() == ".ts":
        return _read_ts(file, case)
    if case is not None:
        raise InputError(f"--case is for .ts files; {file} holds one series")
    return read_series(file)


def _read_ts(file: Path, case: int | None) -> NDArray[np.float64]:
    from tsmdbench.archive.ts_format import parse_ts

    cases = parse_ts(file).instances
    if case is None and len(cases) > 1:
        raise InputError(
            f"{file} holds {len(cases)} series; choose one with --case; the first is 0"
        )
    place = case or 0
    if not 0 <= place < len(cases):
        raise InputError(f"--case must lie in [0, {len(cases)}), got {place}")
    return cases[place]


def _line(label: str, motifs: MotifSet) -> str:
    """Return one set as a line of text."""
    shown = " ".join(f"[{start}, {end})" for start, end in motifs)
    return f"{label}: {counted(len(motifs), 'segment')}  {shown}"

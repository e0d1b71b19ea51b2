"""Options of a command, from its signature and its docstring.

A command is a plain function. The parameters before the ``*`` of its signature are
arguments, the others are options. Their help texts stand in its docstring, under
*Options*, or under *Rare options* if only ``--help-all`` shows them, one entry each:
``parameter --name VALUE: text``, where name and value are left out if they are the
usual ones. Options that several commands share are described here once, and so is the
reading of input files with them.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tsmdbench.cli.output import say

if TYPE_CHECKING:
    from tsmdbench.io import Recording

RARE = "rarely used options"
SECTION = re.compile(r"\n*^(Options|Rare options):\n", re.MULTILINE)
ENTRY = re.compile(r"^(\w+)((?: [^ :]+)*): (.+(?:\n {4}.+)*)", re.MULTILINE)

Workers = Annotated[
    int | None,
    typer.Option(help="Number of local processes; one per core by default.", min=1),
]


def shared() -> None:
    """Describe options that have the same meaning in several commands.

    Options:
    as_json --json: Print the result as JSON.
    quiet: Print nothing.
    split: 'test' or 'validation'.
    data FOLDER: Folder of archive datasets to search first.
    units: Unit of printed and written segments: samples, s, ms, us, ns, epoch-s,
        epoch-ms, ..., or time (time stamps where the recording has them).

    Rare options:
    scheduler: Address of a Dask scheduler to use: tcp://host:8786.
    version: Of methods that ran in several versions: 'newest', 'all', or a version that
        'tsmdbench store list' shows.
    python PATH: Interpreter of another environment, for methods file.py:Class and
        module:Class.
    requirements --with PACKAGE: Package for a new environment of such methods:
        leitmotif==0.3.5; may be repeated.
    series_format: Format of the series, if the file extension does not name it.
    file_format --format: Format of the motif sets, if the file extension does not name
        it.
    found_format: Format of the found sets, if different.
    out_format: Format to write, if the file extension does not name it.
    """


def series_options(
    *,
    columns: str | None = None,
    time_column: str | None = None,
    rate: float | None = None,
    time_unit: str | None = None,
    case: int | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    header: bool | None = None,
    skip_rows: int = 0,
    day_first: bool | None = None,
    encoding: str | None = None,
    time_axis: str = "first",
    max_bytes: int | None = None,
) -> dict[str, Any]:
    """Return the options of reading a series; a tab can be typed as a word.

    Options:
    columns: Channels by name, separated by commas.
    rate: Sampling rate in Hz, if the file has no time column.

    Rare options:
    time_column: Name of the time column, or 'none'; detected by default.
    time_unit: Unit of the time column: s, ms, us or ns.
    case: Which series of a .ts file; the first is 0.
    separator: Separator of columns in text; 'tab' for a tab.
    decimal: Decimal sign in text: . or ,
    thousands: Thousands separator in text, such as ,
    header --header/--no-header: The first line of text is a header, or is not.
    skip_rows: Lines of text to skip above the table.
    day_first --day-first/--month-first: Order of dates such as 01.05.2024, which are
        not in ISO form.
    encoding: Encoding of text; UTF-8 by default.
    time_axis: Axis of time in arrays: 'first', or 'last' for (channels, time).
    max_bytes: Largest file to read, in bytes.
    """
    given = dict(locals())
    return given | ({"separator": "\t"} if separator in ("tab", r"\t") else {})


def set_options(
    *,
    units: str | None = None,
    tier: str | None = None,
    length: int | None = None,
    background: str | None = None,
) -> dict[str, Any]:
    """Return the options of reading motif sets.

    Options:
    units: Unit of printed segments, and of numbers in files of motif sets that do not
        state it: samples, s, ms, us, ns, epoch-s, epoch-ms, ...

    Rare options:
    tier: Tier of a TextGrid or ELAN file.
    length: Length of windows, for a matrix of starts.
    background: Label outside of motifs, for labels per sample.
    """
    return dict(locals())


# A command with a parameter of this name takes all options of the function, and gets
# what it returns. An option that the command has itself is left to it.
GROUPS: dict[str, Callable[..., dict[str, Any]]] = {
    "series_options": series_options,
    "set_options": set_options,
}


# Of a parameter: the names of its option, and what typer calls help, metavar and panel.
Described = tuple[list[str], str, str | None, str | None]


def described(docstring: str | None) -> tuple[str, dict[str, Described]]:
    """Return the text of a docstring, and its parameters by name."""
    text, *sections = SECTION.split(inspect.cleandoc(docstring or ""))
    found = {}
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        for name, declared, said in ENTRY.findall(body):
            words = declared.split()
            names = [word for word in words if word.startswith("-")]
            (metavar,) = [word for word in words if word not in names] or [None]
            panel = None if title == "Options" else RARE
            found[name] = names, " ".join(said.split()), metavar, panel
    return text, found


SHARED = described(shared.__doc__)[1]


def _completed(
    function: Callable[..., Any], skipped: frozenset[str] = frozenset()
) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a function as arguments and options for typer."""
    says = SHARED | described(function.__doc__)[1]
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        kind, name = parameter.annotation, parameter.name
        if name in skipped or kind is typer.Context or hasattr(kind, "__metadata__"):
            yield parameter
            continue
        if name not in says:
            raise TypeError(f"{function.__name__}: the docstring lacks {name!r}")
        names, text, metavar, panel = says[name]
        made: Any = typer.Argument(help=text, metavar=metavar)
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            if kind is bool and not names:  # typer would add --no-...
                names = [f"--{name.replace('_', '-')}"]
            made = typer.Option(
                *names, help=text, metavar=metavar, rich_help_panel=panel
            )
        yield parameter.replace(annotation=Annotated[kind, made])


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that typer makes a command of."""
    own = list(_completed(function, frozenset(GROUPS)))
    known = {parameter.name for parameter in own}
    groups = {
        name: [p for p in _completed(group) if p.name not in known]
        for name, group in GROUPS.items()
        if name in known
    }
    parameters = [p for p in own if p.name not in groups]
    parameters += [p for added in groups.values() for p in added]

    @functools.wraps(function)
    def command(*arguments: Any, **values: Any) -> None:
        for name, added in groups.items():
            given = {p.name: values.pop(p.name) for p in added}
            complete = GROUPS[name](**given)
            values[name] = {key: complete[key] for key in given}
        function(*arguments, **values)

    made: Any = command
    made.__doc__ = described(function.__doc__)[0]
    made.__signature__ = inspect.Signature(parameters)
    made.__annotations__ = {p.name: p.annotation for p in parameters}
    del made.__wrapped__
    return command


def read_and_say(
    file: Path, options: dict[str, Any], file_format: str | None = None, **more: Any
) -> Recording:
    """Read a series with its options, and describe it on stderr."""
    from tsmdbench.io import read_recording

    recording = read_recording(file, file_format=file_format, **options, **more)
    parts = [f"read {recording.source}: {recording.summary()}", *recording.notes]
    say("; ".join(parts))
    return recording


def read_sets(
    file: Path,
    file_format: str | None,
    recording: Recording | None,
    series_options: dict[str, Any],
    set_options: dict[str, Any],
) -> tuple[Any, str]:
    """Read and check motif sets, report rounding; return them and the format.

    Times become samples by the time base of `recording`, or else by the option
    ``rate``.
    """
    from tsmdbench.io import read_annotations
    from tsmdbench.validation import check_motif_sets

    read = read_annotations(
        file,
        file_format=file_format,
        recording=recording,
        rate=series_options["rate"] if recording is None else None,
        encoding=series_options["encoding"],
        max_bytes=series_options["max_bytes"],
        **set_options,
    )
    say_notes(file, read.notes)
    return check_motif_sets(read.sets, str(file)), read.format


def say_notes(file: Path | str, notes: Iterable[str]) -> None:
    """Print notes about a file to stderr, in one line."""
    said = "; ".join(notes)
    if said:
        say(f"{file}: {said}")

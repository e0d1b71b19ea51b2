r"""Output of commands: JSON, tables, figures, progress, and no control characters.

Names of sets, methods, problems and files come from outside. One with an escape
sequence could clear the screen or forge a line, one that the encoding of the terminal
does not have would end the command. Both are printed as ``\x1b`` and the like.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# C0 and C1 controls but tab and newline, line and paragraph separators, and what
# changes the direction of text.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    r"""Return text with control characters written out.

    >>> print(escaped("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


class SafeStream:
    """Text stream that escapes control characters and leaves the rest to another."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text; characters that cannot be shown are escaped."""
        safe = escaped(text)
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._stream.write(safe.encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def safe_output() -> Iterator[None]:
    """Escape control characters in printed text."""
    before = sys.stdout
    sys.stdout = SafeStream(before)
    try:
        yield
    finally:
        sys.stdout = before


def say(text: str) -> None:
    """Print a message to stderr; results go to stdout."""
    import typer

    typer.echo(text, err=True)


def print_json(value: Any) -> None:
    """Print a result as JSON; what JSON does not have is printed as text."""
    import typer

    typer.echo(json.dumps(value, default=str))


def print_table(
    head: Sequence[str], rows: Iterable[Sequence[Any]], text: Sequence[int] = (0,)
) -> None:
    """Print an aligned table, without a head if all titles are empty.

    The columns numbered in `text` are aligned to the left, the others to the right.
    """
    import typer
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(head))
    for place, title in enumerate(head):
        justify = "left" if place in text else "right"
        table.add_column(Text(title), justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(escaped(str(cell))) for cell in row))
    console = Console(width=10_000, color_system=None)
    with console.capture() as captured:
        console.print(table)
    lines = (line.rstrip() for line in captured.get().splitlines())
    typer.echo("\n".join(lines))


class StatusLine:
    """A line of progress on stderr that is overwritten; only on a terminal."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._width = 0

    def update(self, text: str) -> None:
        """Replace the line."""
        if self.shown:
            self._width = max(self._width, len(text))
            sys.stderr.write(f"\r{text:<{self._width}}")
            sys.stderr.flush()

    def end(self, *, keep: bool = False) -> None:
        """Remove the line, or `keep` it and go to the next one."""
        if self._width:
            sys.stderr.write("\n" if keep else f"\r{'':<{self._width}}\r")
            sys.stderr.flush()
            self._width = 0


PAGE = ".html"


def check_plot(
    file: Path, known: tuple[str, ...] = (".png", ".svg", ".pdf", PAGE)
) -> None:
    """Refuse a figure or page that could not be written, before any work is done."""
    if file.suffix.lower() not in known:
        kind = "page" if known == (PAGE,) else "figure"
        raise InputError(
            f"{file}: a {kind} must end in {', '.join(known)}, "
            f"got {file.suffix or 'no ending'!r}"
        )
    if not file.parent.is_dir():
        raise InputError(f"{file}: the folder {file.parent} does not exist")


def write_plot(
    file: Path, figure: Callable[[], Figure], page: Callable[[], str] | None = None
) -> None:
    """Write the figure, or the page of `tsmdbench view`, as a whole or not at all."""
    from tsmdbench.io import write_atomically
    from tsmdbench.plotting import make_drawable

    if page is not None and file.suffix.lower() == PAGE:
        write_atomically(file, page().encode())
        return
    buffer = BytesIO()
    make_drawable(figure()).savefig(buffer, format=file.suffix[1:].lower(), dpi=150)
    write_atomically(file, buffer.getvalue())

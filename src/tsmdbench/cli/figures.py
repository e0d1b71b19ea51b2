"""Figures and pages of a command: checked before the work, written atomically."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_ENDINGS = (".png", ".svg", ".pdf")
PAGE_ENDING = ".html"


def check_figure(file: Path) -> None:
    """Refuse a figure or page that could not be written, before any work is done."""
    known = (*FIGURE_ENDINGS, PAGE_ENDING)
    if file.suffix.lower() not in known:
        raise InputError(
            f"{file}: a figure must end in {', '.join(known)}, "
            f"got {file.suffix or 'no ending'!r}"
        )
    _check_folder(file)


def check_page(file: Path) -> None:
    """Refuse a page that could not be written, before any work is done."""
    if not is_page(file):
        raise InputError(
            f"{file}: a page must end in {PAGE_ENDING}, "
            f"got {file.suffix or 'no ending'!r}"
        )
    _check_folder(file)


def is_page(file: Path) -> bool:
    """Whether a file is to be the page of `tsmdbench view`."""
    return file.suffix.lower() == PAGE_ENDING


def _check_folder(file: Path) -> None:
    if not file.parent.is_dir():
        raise InputError(f"{file}: the folder {file.parent} does not exist")


def write_page(file: Path, text: str) -> None:
    """Write the whole page or nothing."""
    from tsmdbench.io import write_atomically

    write_atomically(file, text.encode())


def write_view(
    file: Path,
    series: Any,
    truth: Any,
    found: dict[str, Any],
    title: str,
) -> None:
    """Write the page of `tsmdbench view`."""
    from tsmdbench.view import view_page

    write_page(file, view_page(series, truth, found, title=title))


def write_figure(file: Path, figure: Figure) -> None:
    """Write the whole figure or nothing."""
    from tsmdbench.io import write_atomically
    from tsmdbench.plotting import make_drawable

    buffer = BytesIO()
    make_drawable(figure).savefig(buffer, format=file.suffix[1:].lower(), dpi=150)
    write_atomically(file, buffer.getvalue())

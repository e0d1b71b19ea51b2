"""Files of figures and pages: checked before the work, written atomically."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_ENDINGS = (".png", ".svg", ".pdf")
PAGE_ENDING = ".html"


def check_figure(
    file: Path, known: tuple[str, ...] = (*FIGURE_ENDINGS, PAGE_ENDING)
) -> None:
    """Refuse a figure or page that could not be written, before any work is done."""
    if file.suffix.lower() not in known:
        kind = "page" if known == (PAGE_ENDING,) else "figure"
        raise InputError(
            f"{file}: a {kind} must end in {', '.join(known)}, "
            f"got {file.suffix or 'no ending'!r}"
        )
    if not file.parent.is_dir():
        raise InputError(f"{file}: the folder {file.parent} does not exist")


def is_page(file: Path) -> bool:
    """Return True if the file is a page of `tsmdbench view`."""
    return file.suffix.lower() == PAGE_ENDING


def write_page(file: Path, text: str) -> None:
    """Write the whole page or nothing."""
    from tsmdbench.io import write_atomically

    write_atomically(file, text.encode())


def write_figure(file: Path, figure: Figure) -> None:
    """Write the whole figure or nothing."""
    from tsmdbench.io import write_atomically
    from tsmdbench.plotting import make_drawable

    buffer = BytesIO()
    make_drawable(figure).savefig(buffer, format=file.suffix[1:].lower(), dpi=150)
    write_atomically(file, buffer.getvalue())

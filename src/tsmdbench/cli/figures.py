"""Figures that a command writes: checked before the work, written atomically."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_ENDINGS = (".png", ".svg", ".pdf")


def check_figure(file: Path) -> None:
    """Refuse a figure that could not be written, before any work is done."""
    if file.suffix.lower() not in FIGURE_ENDINGS:
        raise InputError(
            f"{file}: a figure must end in {', '.join(FIGURE_ENDINGS)}, "
            f"got {file.suffix or 'no ending'!r}"
        )
    if not file.parent.is_dir():
        raise InputError(f"{file}: the folder {file.parent} does not exist")


def write_figure(file: Path, figure: Figure) -> None:
    """Write the whole figure or nothing."""
    from tsmdbench.io import write_atomically
    from tsmdbench.plotting import make_drawable

    buffer = BytesIO()
    make_drawable(figure).savefig(buffer, format=file.suffix[1:].lower(), dpi=150)
    write_atomically(file, buffer.getvalue())

"""Matplotlib figure that notebooks display without a magic command."""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A `matplotlib.figure.Figure` that needs no ``%matplotlib inline``."""

    def _repr_png_(self) -> bytes:
        """Draw it; notebooks call this for the last value of a cell."""
        buffer = BytesIO()
        self.savefig(buffer, format="png", bbox_inches="tight")
        return buffer.getvalue()

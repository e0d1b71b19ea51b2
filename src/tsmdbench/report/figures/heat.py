"""A heat map with a number in every cell, and nothing pretended where there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.report.figures.style import ABSENT, HEAT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize

DARK, LIGHT = "0.05", "1.0"
MIDDLE = 0.18  # luminance from which dark numbers have more contrast than light ones
DASH = "\N{EN DASH}"


def draw_heat(
    axes: Axes,
    values: NDArray[np.float64],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    limits: Normalize,
    written: Callable[[float], str] = "{:.2f}".format,
    cmap: str = HEAT,
    size: float = 7.5,
) -> Any:
    """Draw values with names at the left and above; a NaN is a grey cell with a dash.

    Returns
    -------
    matplotlib.image.AxesImage
        For a colour bar.
    """
    import matplotlib as mpl

    colours = mpl.colormaps[cmap].with_extremes(bad=ABSENT)
    image = axes.imshow(
        values,
        cmap=colours,
        norm=limits,
        aspect="auto",
    )
    for row, column in np.ndindex(*values.shape):
        value = float(values[row, column])
        axes.text(
            column,
            row,
            DASH if np.isnan(value) else written(value),
            ha="center",
            va="center",
            fontsize=size,
            color=_readable(colours(limits(value))) if np.isfinite(value) else "0.45",
        )
    _frame(axes, rows, columns)
    return image


def _frame(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    upright = len(columns) < 2 or max(map(len, columns)) <= 3
    turn: dict[str, Any] = {} if upright else {"rotation": 45, "ha": "left"}
    if turn:
        turn["rotation_mode"] = "anchor"
    axes.set_xticks(range(len(columns)), columns, **turn)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    # thin white lines between the cells
    axes.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.tick_params(which="minor", length=0, top=False, bottom=False, left=False)


def _readable(colour: tuple[float, ...]) -> str:
    """Return the grey that can be read on a colour."""
    linear = np.asarray(colour[:3]) ** 2.2
    return DARK if linear @ (0.2126, 0.7152, 0.0722) > MIDDLE else LIGHT

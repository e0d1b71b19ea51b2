"""The figure of the selection: one pair of bars per dataset, and the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.archive.select import THRESHOLD, Suitability
from tsmdbench.errors import InputError
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.plotting import BLUE, ORANGE, figure_class

ENDINGS = (".pdf", ".png", ".svg")
HUES = {"Euclidean": BLUE, "DTW": ORANGE}  # differ in lightness too, for print


def selection_figure(rows: Sequence[Suitability]) -> Any:
    """Draw the adjusted Rand indices per dataset; suitable datasets are bold.

    Returns
    -------
    matplotlib.figure.Figure
    """
    width = max(6.0, 0.42 * len(rows))
    figure = figure_class()(figsize=(width, 4.6), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(rows))
    bars = (
        ("Euclidean", [row.ari_euclidean for row in rows], -0.2),
        ("DTW", [row.ari_dtw for row in rows], 0.2),
    )
    for name, heights, shift in bars:
        axes.bar(places + shift, heights, 0.4, label=name, color=HUES[name])
    means = [row.ari for row in rows]
    axes.plot(places, means, "k_", markersize=12, label="mean")
    axes.axhline(THRESHOLD, color="0.3", linestyle="--", linewidth=1)
    axes.set_ylabel("adjusted Rand index")
    axes.set_xlim(-0.7, len(rows) - 0.3)
    names = [f"{row.dataset}{'*' if row.subsampled else ''}" for row in rows]
    labels = axes.set_xticks(
        places, names, rotation=60, ha="right", rotation_mode="anchor"
    )
    for label, row in zip(labels, rows, strict=True):
        label.label1.set_fontweight("bold" if row.suitable else "normal")
    if any(row.subsampled for row in rows):
        axes.set_title("* a class-balanced part was clustered", fontsize=8, loc="right")
    axes.legend(frameon=False)
    return figure


def save_selection_figure(rows: Sequence[Suitability], path: PathLike) -> Path:
    """Write the figure as pdf, png or svg, atomically."""
    file = Path(path)
    if file.suffix.lower() not in ENDINGS:
        raise InputError(f"{file}: a figure is one of {', '.join(ENDINGS)}")
    buffer = BytesIO()
    selection_figure(rows).savefig(buffer, format=file.suffix.lower()[1:], dpi=150)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, buffer.getvalue())
    return file

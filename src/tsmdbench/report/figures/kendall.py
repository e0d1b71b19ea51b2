"""How alike the metrics rank the results: two heat maps of Kendall's tau (RQ1).

Left over all results together, right the mean over the datasets. The right one is the
one to read for S, whose range differs between datasets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.report.figures.heat import draw_heat
from tsmdbench.report.figures.style import in_house_style, new_figure, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tsmdbench.analysis.metric_agreement import Agreement


@in_house_style
def kendall_figure(agreement: Agreement) -> Figure:
    """Return the two heat maps.

    Parameters
    ----------
    agreement : Agreement
        From `tsmdbench.analysis.agreement`. A NaN, where a metric ranks
        nothing because all its values are equal, is a dash.
    """
    from matplotlib.colors import Normalize

    names = shown(agreement.metrics)
    side = 0.55 * len(names) + 0.8
    figure = new_figure(2 * side + 1.2, side + 0.5)
    axes: Any = figure.subplots(1, 2)
    panels = (
        ("(a) all results together", agreement.overall),
        (f"(b) mean over {_datasets(agreement)}", agreement.by_dataset),
    )
    limits = Normalize(-1, 1)
    for place, (title, table) in zip(axes, panels, strict=True):
        values = table.to_numpy(dtype=np.float64)
        image = draw_heat(
            place, values, names, names, limits=limits, cmap="PuOr_r", size=8.5
        )
        place.set_title(title, pad=8)
        place.set_box_aspect(1)
    bar = figure.colorbar(image, ax=list(axes), shrink=0.8, pad=0.02)
    bar.set_label("Kendall's τ")
    return figure


def _datasets(agreement: Agreement) -> str:
    count = len(agreement.per_dataset)
    return f"{count} dataset" if count == 1 else f"{count} datasets"

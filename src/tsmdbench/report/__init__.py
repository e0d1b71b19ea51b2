"""Tables, figures and a self-contained page from a store.

* `write_report`: everything at once, what ``tsmdbench report`` calls;
* `all_tables`: every table, as Markdown, LaTeX and CSV;
* `drawn_figures`: every figure; one function per figure, such as `heat_map_figure`.
"""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.report.drawn import Drawn, drawn_figures
    from tsmdbench.report.figures import (
        box_figure,
        breaking_figure,
        cost_figure,
        critical_difference_figure,
        disagreement_figure,
        heat_map_figure,
        kendall_figure,
        stability_figure,
        time_quality_figure,
        tuning_figure,
    )
    from tsmdbench.report.table import Table
    from tsmdbench.report.tables import all_tables, read_surfaces
    from tsmdbench.report.write import Written, write_report

__all__ = [
    "Drawn",
    "Table",
    "Written",
    "all_tables",
    "box_figure",
    "breaking_figure",
    "cost_figure",
    "critical_difference_figure",
    "disagreement_figure",
    "drawn_figures",
    "heat_map_figure",
    "kendall_figure",
    "read_surfaces",
    "stability_figure",
    "time_quality_figure",
    "tuning_figure",
    "write_report",
]

__getattr__, __dir__ = attach(__name__)

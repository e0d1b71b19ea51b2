"""From a store to what people look at: tables, figures, one self-contained page.

* `write_report`: everything at once, what ``tsmdbench report`` calls;
* `tables`, `comparison_tables`, `run_tables`: as Markdown, LaTeX and CSV;
* `figures`: one function per figure, gathered by `drawn`;
* `page`: the page with leaderboard, charts and explorer;
* `reproduce`, `statements`: the paper's experiments, and each of its statements.
"""

from typing import TYPE_CHECKING

from tsmdbench._lazy import attach

if TYPE_CHECKING:
    from tsmdbench.report.drawn import Drawn, drawn_figures
    from tsmdbench.report.reproduction import Reproduction, reproduce
    from tsmdbench.report.table import Table
    from tsmdbench.report.tables import all_tables
    from tsmdbench.report.write import Written, write_report

__all__ = [
    "Drawn",
    "Reproduction",
    "Table",
    "Written",
    "all_tables",
    "drawn_figures",
    "reproduce",
    "write_report",
]

__getattr__, __dir__ = attach(
    __name__,
    {
        "Drawn": "drawn",
        "Reproduction": "reproduction",
        "Table": "table",
        "Written": "write",
        "all_tables": "tables",
        "drawn_figures": "drawn",
        "reproduce": "reproduction",
        "write_report": "write",
    },
)

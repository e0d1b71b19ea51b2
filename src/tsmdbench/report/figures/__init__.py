"""Figures of the report: one function per figure, each returns a matplotlib Figure."""

from tsmdbench.report.figures.boxes import box_figure, tuning_figure
from tsmdbench.report.figures.breaking import breaking_figure
from tsmdbench.report.figures.critical_difference import (
    critical_difference_figure,
    stability_figure,
)
from tsmdbench.report.figures.disagreement import disagreement_figure
from tsmdbench.report.figures.heat import cost_figure, heat_map_figure, kendall_figure
from tsmdbench.report.figures.style import png, save, svg
from tsmdbench.report.figures.time_quality import time_quality_figure

__all__ = [
    "box_figure",
    "breaking_figure",
    "cost_figure",
    "critical_difference_figure",
    "disagreement_figure",
    "heat_map_figure",
    "kendall_figure",
    "png",
    "save",
    "stability_figure",
    "svg",
    "time_quality_figure",
    "tuning_figure",
]

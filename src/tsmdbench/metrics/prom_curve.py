"""PROM over overlap thresholds, and the area under that curve.

One threshold hides how exactly motifs were located: two methods with the same F1 at
0.5 may differ widely at 0.8. The curve evaluates PROM over several thresholds and
the area under it sums that up in one number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.metrics.prom import Comparison
from tsmdbench.validation import (
    check_flag,
    check_motif_sets,
    check_threshold,
    check_truth,
)

DEFAULT_THRESHOLDS = tuple(percent / 100 for percent in range(50, 100, 5))


@dataclass(frozen=True, eq=False)
class PromCurve:
    """PROM at several overlap thresholds, in ascending order."""

    thresholds: Floats
    precision: Floats
    recall: Floats
    f1: Floats

    @property
    def area(self) -> float:
        """Area under F1 over the thresholds, divided by their range.

        In [0, 1]; 1 when everything is located exactly. With one threshold it is
        the F1 at that threshold.
        """
        width = float(self.thresholds[-1] - self.thresholds[0])
        if not width:
            return float(self.f1[0])
        return float(np.trapezoid(self.f1, self.thresholds)) / width

    def _repr_html_(self) -> str:
        """Show the curve as a table in a notebook."""
        columns = (self.thresholds, self.precision, self.recall, self.f1)
        rows = [[f"{v:.3f}" for v in row] for row in zip(*columns, strict=True)]
        table = html_table(["threshold", "precision", "recall", "F1"], rows, left=())
        return html_block(html_lines([f"area under F1: {self.area:.3f}"]), table)


def prom_curve(
    truth: Any,
    found: Any,
    thresholds: Any = DEFAULT_THRESHOLDS,
    *,
    penalize_off_target: bool = False,
    macro: bool = False,
) -> PromCurve:
    """Evaluate PROM at each of several overlap thresholds.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    thresholds : sequence of float, default 0.50, 0.55, ..., 0.95
        Overlap rates to exceed, each in ``[0.5, 1)``; sorted if they are not.
    penalize_off_target, macro : bool, default False
        Which precision, recall and F1 are recorded.

    Examples
    --------
    A shifted motif matches only at low thresholds:

    >>> curve = prom_curve([[(0, 10), (50, 60)]], [[(0, 10), (52, 62)]])
    >>> curve.f1.tolist()
    [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    >>> round(curve.area, 3)
    0.694
    """
    exact = sorted(check_threshold(value, "thresholds") for value in thresholds)
    if not exact:
        raise InputError("thresholds is empty; give at least one")
    penalty = check_flag(penalize_off_target, "penalize_off_target")
    comparison = Comparison(check_truth(truth), check_motif_sets(found, "found"))
    results = [comparison.at(value, penalize_off_target=penalty) for value in exact]
    averages = [result.macro if macro else result.micro for result in results]
    return PromCurve(
        thresholds=np.array([float(value) for value in exact]),
        precision=np.array([average.precision for average in averages]),
        recall=np.array([average.recall for average in averages]),
        f1=np.array([average.f1 for average in averages]),
    )

"""Results of PROM: counts, averages, the matching matrix, the curve, and their text."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.arrays import Floats, Integers
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.types import Label, MotifSets

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LABEL_WIDTH = 24  # longest label in a printed matrix
SHOWN_SETS = 25  # a matrix with more rows or columns is not printed


@dataclass(frozen=True)
class Averages:
    """Precision, recall and F1, each in [0, 1], 1 is best."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, eq=False, repr=False)
class Prom:
    """The outcome of one comparison; made by `tsmdbench.metrics.prom`.

    Attributes
    ----------
    matrix : int64[g + 1, d + 1]
        The matching matrix: matched pairs on the diagonal, sets without partner
        after them. Its last column counts true motifs that nothing matches, its
        last row found motifs that match nothing; the corner is 0. The sums of rows
        and columns are the cardinalities of the sets.
    truth, found : MotifSets
        The sets with their labels, in the order of the rows and columns. Matched
        true sets keep the order in which they were given.
    matched : int
        Number of matched pairs, ``min(g, d)``.
    threshold : Fraction
        The overlap rate that a match exceeds.
    penalize_off_target : bool
        Whether found sets without a partner lower precision.
    micro : Averages
        Over all motifs together.
    macro : Averages
        Means over the sets; a true set without partner counts as 0. The divisor of
        precision is the number of pairs, or of found sets with the off-target penalty.
        That of F1 is the number of true sets, or of whichever sets are more with the
        penalty.
    tau : Fraction or None
        The threshold of channels, of subspace PROM only.
    """

    matrix: Integers
    truth: MotifSets
    found: MotifSets
    matched: int
    threshold: Fraction
    penalize_off_target: bool
    micro: Averages
    macro: Averages
    tau: Fraction | None
    _links: Callable[[], Integers]

    @property
    def links(self) -> Integers:
        """Matched motifs, ``int64[k, 2]``.

        Each row is a position in ``truth.segments`` and one in ``found.segments``.
        Links inside matched pairs are the true positives; others connect a true
        motif with a motif of a set that is matched with another one.
        """
        return self._links()

    @property
    def row_labels(self) -> tuple[Label, ...]:
        """Labels of the true sets, in the order of the rows of `matrix`."""
        return self.truth.labels

    @property
    def column_labels(self) -> tuple[Label, ...]:
        """Labels of the found sets, in the order of the columns of `matrix`."""
        return self.found.labels

    @property
    def pairs(self) -> list[tuple[Label, Label]]:
        """The matched pairs: label of the true set, label of the found set.

        A set that came in a list has its position as label.
        """
        rows, columns = self.row_labels, self.column_labels
        return list(zip(rows[: self.matched], columns[: self.matched], strict=True))

    @property
    def tp(self) -> int:
        """True positives: motifs matched inside matched pairs."""
        return int(np.diagonal(self.matrix)[: self.matched].sum())

    @property
    def fp(self) -> int:
        """False positives: other motifs of the found sets that count."""
        sets = len(self.found.sets) if self.penalize_off_target else self.matched
        return int(self.matrix[:, :sets].sum()) - self.tp

    @property
    def fn(self) -> int:
        """False negatives: true motifs that are not true positives."""
        return int(self.matrix[:-1].sum()) - self.tp

    @property
    def precision(self) -> float:
        """Share of the counted found motifs that are true positives (micro)."""
        return self.micro.precision

    @property
    def recall(self) -> float:
        """Share of the true motifs that are true positives (micro)."""
        return self.micro.recall

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall (micro)."""
        return self.micro.f1

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and strings, ready for JSON."""
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "macro": vars(self.macro).copy(),
            "tp": self.tp,
            "fp": self.fp,
            "fn": self.fn,
            "pairs": [list(pair) for pair in self.pairs],
            "matrix": self.matrix.tolist(),
            "row_labels": list(self.row_labels),
            "column_labels": list(self.column_labels),
            "threshold": float(self.threshold),
            "penalize_off_target": self.penalize_off_target,
            **({} if self.tau is None else {"tau": float(self.tau)}),
        }

    def plot(self, series: Any = None) -> Figure:
        """Draw true and found sets along time, and the matching matrix.

        Parameters
        ----------
        series : array-like of shape (n,) or (n, d), optional
            Drawn between the bands.

        Returns
        -------
        matplotlib.figure.Figure
            Needs the extra ``plot``.
        """
        from tsmdbench.metrics.explain_figure import draw

        return draw(self, series)

    def table(self) -> list[list[str]]:
        """Return the matching matrix as text cells, with its labels."""
        head = ["", *(f"found {_short(name)}" for name in self.column_labels), "missed"]
        names = [*(f"true {_short(name)}" for name in self.row_labels), "unmatched"]
        cells = [[str(value) for value in line] for line in self.matrix.tolist()]
        cells[-1][-1] = ""
        return [head, *([name, *line] for name, line in zip(names, cells, strict=True))]

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{name}={round(getattr(self, name), 3)}"
            for name in ("precision", "recall", "f1", "tp", "fp", "fn")
        )
        return f"Prom({shown})"

    def __str__(self) -> str:
        if max(self.matrix.shape) > SHOWN_SETS:
            g, d = len(self.truth.sets), len(self.found.sets)
            return f"{self!r}\n({g} true and {d} found sets: see .matrix)"
        lines = self.table()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [
            "  ".join(
                cell.ljust(width) if not place else cell.rjust(width)
                for place, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        ]
        return "\n".join([repr(self), *text])

    def _repr_html_(self) -> str:
        """Show the matching matrix as a table in a notebook."""
        if max(self.matrix.shape) > SHOWN_SETS:
            return f"<pre>{html.escape(str(self))}</pre>"
        head, *lines = self.table()
        top = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
        body = ""
        for row, (name, *cells) in enumerate(lines):
            if row < self.matched:  # its true positives in bold
                cells[row] = f"<b>{cells[row]}</b>"
            counts = "".join(f"<td>{cell}</td>" for cell in cells)
            body += f"<tr><th>{html.escape(name)}</th>{counts}</tr>"
        return (
            f"<div><p>{html.escape(repr(self))}</p>"
            f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
        )


@dataclass(frozen=True, eq=False)
class PromCurve:
    """PROM at several thresholds, in ascending order.

    Thresholds are overlap rates, or tau where `over` says so.
    """

    thresholds: Floats
    precision: Floats
    recall: Floats
    f1: Floats
    over: str = "threshold"

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
        table = html_table([self.over, "precision", "recall", "F1"], rows, left=())
        return html_block(html_lines([f"area under F1: {self.area:.3f}"]), table)


def curve_of(
    thresholds: Sequence[float],
    results: Sequence[Prom],
    *,
    macro: bool,
    over: str = "threshold",
) -> PromCurve:
    """Return the curve of results, one per threshold."""
    averages = [result.macro if macro else result.micro for result in results]
    return PromCurve(
        thresholds=np.array(thresholds),
        precision=np.array([average.precision for average in averages]),
        recall=np.array([average.recall for average in averages]),
        f1=np.array([average.f1 for average in averages]),
        over=over,
    )


def _short(label: Label) -> str:
    """Return a label on one line and not too wide."""
    text = " ".join(str(label).split())
    return text if len(text) <= LABEL_WIDTH else f"{text[: LABEL_WIDTH - 1]}…"

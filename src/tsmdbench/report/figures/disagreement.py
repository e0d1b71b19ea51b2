"""One result that two metrics rank differently, drawn as the paper draws them (RQ1).

The series with the true sets above and the found sets below, and over it a small table:
the value that each metric gives, and the rank that this is among all results of the
dataset. The two metrics whose ranks lie far apart are marked with an arrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tsmdbench.analysis.metric_agreement import COMPARED, Disagreement
from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import DataError
from tsmdbench.metrics import prom
from tsmdbench.report.figures.style import house_style, in_house_style, shown_one

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW = 0.17  # inches of a line of the table
ARROW = "\N{BLACK RIGHT-POINTING TRIANGLE}"


@in_house_style
def disagreement_figure(
    case: Disagreement,
    scores: Scores,
    truth: Any,
    found: Any,
    series: Any = None,
    *,
    metrics: tuple[str, str] = ("F", "S"),
) -> Figure:
    """Return a drawing of one result with its values and ranks by all metrics.

    Parameters
    ----------
    case : Disagreement
        From `tsmdbench.analysis.metric_agreement.disagreements`.
    scores : Scores
        What the case was found in: the ranks are those among its results.
    truth, found : motif sets
        Of the case's problem and run.
    series : array-like, optional
        Drawn in the middle.
    metrics : pair of str
        The two that disagree, as the paper calls them.
    """
    import matplotlib as mpl

    cells = value_and_rank(case, scores)
    results = int((scores.table["dataset"] == case.dataset).sum())
    columns = [("metric", "value", f"rank of {results}")]
    for name, (value, rank) in cells.items():
        head = f"{ARROW} {name}" if name in metrics else name
        columns.append((head, f"{value:.2f}", f"{rank:g}"))
    first, *wide = (max(map(len, column)) for column in columns)
    where = shown_one(case.problem, 60)
    if case.dataset not in case.problem:
        where = f"{shown_one(case.dataset, 40)}, {where}"
    lines = [f"{shown_one(case.label, 60)} on {where}"]
    for name, *texts in zip(*columns, strict=True):
        padded = (f"{text:>{size}}" for text, size in zip(texts, wide, strict=True))
        lines.append("   ".join([f"{name:<{first}}", *padded]))

    with mpl.rc_context({"text.parse_math": True}):  # it escapes by itself
        figure = prom(truth, found).plot(series)
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + ROW * len(lines))
    with house_style():
        title: Any = figure.suptitle(
            "\n".join(lines), family="DejaVu Sans Mono", fontsize=9, ma="left"
        )
        title.set_parse_math(False)
    return figure


def value_and_rank(
    case: Disagreement, scores: Scores
) -> dict[str, tuple[float, float]]:
    """Return value and rank of a case by every metric of the paper.

    Ranks are those among all results of the case's dataset, best first; equal values
    share the mean of their ranks.
    """
    table = scores.table[scores.table["dataset"] == case.dataset]
    here = (table["problem"] == case.problem) & (table["label"] == case.label)
    if here.sum() != 1:
        raise DataError(
            f"the scores have no run of {case.label!r} on problem {case.problem!r} of "
            f"{case.dataset!r}"
        )
    answer = {}
    for name, metric in COMPARED.items():
        if metric in scores.metrics:
            ranks = table[metric].rank(ascending=not scores.higher_is_better(metric))
            answer[name] = (
                float(table[metric][here].iloc[0]),
                float(ranks[here].iloc[0]),
            )
    return answer

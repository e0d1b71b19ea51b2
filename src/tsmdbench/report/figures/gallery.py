"""All figures of the report, one after the other, each with its caption.

They are drawn when they are asked for, so that only one is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from tsmdbench.analysis.agreement import COMPARED, agreement
from tsmdbench.analysis.disagreements import disagreements
from tsmdbench.analysis.random_walk_check import shipped_study
from tsmdbench.analysis.significance import significance
from tsmdbench.analysis.stability import leave_one_out
from tsmdbench.report.cases import read_case
from tsmdbench.report.figures.boxes import box_figure
from tsmdbench.report.figures.cost import cost_figure
from tsmdbench.report.figures.critical_difference import critical_difference_figure
from tsmdbench.report.figures.disagreement import disagreement_figure
from tsmdbench.report.figures.heat_map import heat_map_figure
from tsmdbench.report.figures.kendall import kendall_figure
from tsmdbench.report.figures.random_walk import random_walk_figure
from tsmdbench.report.figures.stability import stability_figure
from tsmdbench.report.figures.style import metric_title
from tsmdbench.report.figures.time_quality import time_quality_figure
from tsmdbench.report.figures.tuning import tuning_figure
from tsmdbench.report.surfaces import read_surfaces
from tsmdbench.report.table import metric_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tsmdbench.analysis.scores import Scores
    from tsmdbench.experiments.store import Store

RANKED = ("prom_f1", "prom_precision", "prom_recall")
# Pairs of metrics that the paper shows examples of.
PAIRS = (("F", "C_m"), ("R", "C_g"), ("F", "S"), ("P", "S"))


class Drawing(NamedTuple):
    """A figure, the name of its files, and what it shows."""

    name: str
    caption: str
    figure: Figure


def all_figures(scores: Scores, store: Store | None = None) -> Iterator[Drawing]:
    """Yield every figure of the report.

    Parameters
    ----------
    scores : Scores
        The results, with or without those of the baselines.
    store : Store, optional
        Where they are from: its searches and what its runs found are drawn too.
    """
    for metric in (name for name in RANKED if name in scores.metrics):
        yield from _of_metric(scores, metric)
    yield Drawing(
        "heat_map", "Mean F1 per method and dataset.", heat_map_figure(scores)
    )
    yield Drawing(
        "time_quality",
        "Mean time and mean F1 of the methods, and their Pareto front.",
        time_quality_figure(scores),
    )
    yield Drawing(
        "stability",
        "Average ranks when one dataset is left out, and how much the order changes.",
        stability_figure(leave_one_out(scores)),
    )
    yield Drawing("cost", "Processor time of the methods.", cost_figure(scores))
    yield Drawing(
        "random_walk",
        "The random-walk detector on series with random walk and on TSMD-Bench.",
        random_walk_figure(shipped_study(), scores),
    )
    if set(COMPARED.values()) <= set(scores.metrics):
        yield Drawing(
            "kendall",
            "Kendall's tau between the rankings of all results by the metrics.",
            kendall_figure(agreement(scores)),
        )
    if store is not None:
        yield from _of_store(scores, store)


def _of_metric(scores: Scores, metric: str) -> Iterator[Drawing]:
    title, name = metric_title(metric), metric_name(metric)
    yield Drawing(
        f"boxes_{name}",
        f"Distribution of {title} over the problems of each dataset.",
        box_figure(scores, metric),
    )
    yield Drawing(
        f"critical_difference_{name}",
        f"Average ranks by mean {title}; a bar joins methods that do not differ "
        f"significantly.",
        critical_difference_figure(significance(scores, metric), f"ranks by {title}"),
    )


def _of_store(scores: Scores, store: Store) -> Iterator[Drawing]:
    yield Drawing(
        "tuning",
        "Mean F1 of every setting on the validation split, and the chosen ones.",
        tuning_figure(read_surfaces(store), scores),
    )
    for first, second in PAIRS:
        if {COMPARED[name] for name in (first, second)} <= set(scores.metrics):
            yield from _disagreement(scores, store, first, second)


def _disagreement(
    scores: Scores, store: Store, first: str, second: str
) -> Iterator[Drawing]:
    """Draw the case of a pair of metrics, if there is one among the store's own runs.

    What the runs of the baselines found is in another store.
    """
    own = set(scores.table.loc[scores.table["origin"] == "", "label"])
    cases = disagreements(scores, first, second, count=len(scores.table))
    case = next((case for case in cases if case.label in own), None)
    if case is None:
        return
    about = read_case(case, scores, store)
    yield Drawing(
        f"disagreement_{first}_{second}",
        f"A result that {first} and {second} rank very differently among those of its "
        f"dataset.",
        disagreement_figure(
            case,
            scores,
            about.truth,
            about.found,
            about.series,
            metrics=(first, second),
        ),
    )

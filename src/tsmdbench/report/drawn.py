"""Every figure of the report, with its name and what it shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tsmdbench.analysis.critical_difference import significance
from tsmdbench.analysis.dial_curves import dial_scores, has_dials
from tsmdbench.analysis.metric_agreement import agreement
from tsmdbench.analysis.metric_disagreement import disagreements
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.stability import leave_one_out
from tsmdbench.errors import DataError
from tsmdbench.experiments.store import Store
from tsmdbench.report import figures
from tsmdbench.report.figures.properties import own_colours
from tsmdbench.report.figures.style import highlight, shown
from tsmdbench.report.run_lookup import look_up_run
from tsmdbench.report.run_tables import read_surfaces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = {"F": "prom_f1", "P": "prom_precision", "R": "prom_recall"}
WORDS = {"F": "F1", "P": "precision", "R": "recall"}
# The paper draws cases in which correctness, or S, disagrees with PROM.
DISAGREEING = (("F", "C_g"), ("R", "C_g"), ("F", "S"))
CASES = 2  # drawn of each pair
FEWEST_DATASETS = 2  # of a diagram of average ranks


class Drawn(NamedTuple):
    """A figure that is ready to be saved."""

    name: str
    caption: str
    figure: Figure


class _Wanted(NamedTuple):
    name: str
    caption: str
    draw: Callable[[], Figure]


def drawn_figures(
    scores: Scores,
    store: Store,
    *,
    split: str = "test",
) -> tuple[list[Drawn], tuple[str, ...]]:
    """Draw all figures that the results allow, and list those that they do not.

    Parameters
    ----------
    scores : Scores
    store : Store
        Where they are from.
    split : {"test", "validation"}
    """
    made, skipped = [], []
    own = own_colours(scores)
    for wanted in _wanted(scores, store, split):
        try:
            figure = highlight(wanted.draw(), own)
            made.append(Drawn(wanted.name, wanted.caption, figure))
        except DataError as reason:
            skipped.append(f"figure {wanted.name}: {reason}")
    return made, tuple(skipped)


def _wanted(scores: Scores, store: Store, split: str) -> Iterator[_Wanted]:
    yield _Wanted(
        "kendall",
        "Kendall's tau between the rankings of results by each metric: over all "
        "results together, and averaged over datasets",
        lambda: figures.kendall_figure(agreement(scores)),
    )
    yield from _by_metric(scores)
    yield _Wanted(
        "heat_map",
        "Mean F1 of each method on each dataset",
        partial(figures.heat_map_figure, scores),
    )
    yield _Wanted(
        "time_quality",
        "Mean F1 and mean processor time of a successful run, on the problems that are "
        "compared; no method is both faster and better than a method on the front",
        partial(figures.time_quality_figure, scores),
    )
    yield _Wanted(
        "stability",
        "Average ranks without each of the datasets",
        lambda: figures.stability_figure(leave_one_out(scores)),
    )
    yield _Wanted(
        "cost", "Processor time of a run", partial(figures.cost_figure, scores)
    )
    yield _Wanted(
        "tuning",
        "Mean F1 of every setting of the grids on the validation split",
        lambda: figures.tuning_figure(read_surfaces(store), scores),
    )
    if has_dials(scores):
        yield from _breaking(scores)
    yield from _disagreements(scores, store, split)


def _by_metric(scores: Scores) -> Iterator[_Wanted]:
    for short, metric in NAMES.items():
        yield _Wanted(
            f"boxes_{WORDS[short].lower()}",
            f"Distribution of {WORDS[short]} per dataset and method",
            partial(figures.box_figure, scores, metric),
        )
        yield _Wanted(
            f"critical_difference_{WORDS[short].lower()}",
            f"Average ranks by mean {WORDS[short]} per dataset; a bar joins methods "
            f"that do not differ significantly",
            partial(_critical_difference, scores, metric, WORDS[short]),
        )


def _breaking(scores: Scores) -> Iterator[_Wanted]:
    """Draw where each method breaks, if a store has results by difficulty dial."""
    curves = dial_scores(scores)
    names = shown([re.sub(r"\W+", "_", label) for label in scores.labels])
    for label, name in zip(scores.labels, names, strict=True):
        yield _Wanted(
            f"breaking_{name}",
            f"Mean F1 of {label} when one difficulty dial is moved; other methods in "
            f"grey, a cross where half of the score at the default is lost",
            partial(figures.breaking_figure, curves, label, scores),
        )


def _critical_difference(scores: Scores, metric: str, word: str) -> Figure:
    found = significance(scores, metric)
    if len(found.datasets_used) < FEWEST_DATASETS:
        raise DataError(
            "average ranks need at least two datasets that all methods have"
        )
    return figures.critical_difference_figure(found, word)


def _disagreements(scores: Scores, store: Store, split: str) -> Iterator[_Wanted]:
    """Draw the cases in which two metrics disagree most, of different datasets."""
    own = scores.table[scores.table["own"]]
    mine = replace(scores, table=own) if 0 < len(own) < len(scores.table) else scores
    for first, second in DISAGREEING:
        found = disagreements(mine, first, second, count=CASES, one_per="dataset")
        for number, case in enumerate(found, start=1):

            def draw(case=case, metrics=(first, second)) -> Figure:  # type: ignore[no-untyped-def]
                seen = look_up_run(case, mine, store, split=split)
                return figures.disagreement_figure(case, mine, *seen, metrics=metrics)

            yield _Wanted(
                f"disagreement_{first}_{second}_{number}".lower(),
                f"{case.label} on {case.problem} of {case.dataset}: {first} "
                f"{case.first:.2f} (rank {case.rank_first:.0f}), {second} "
                f"{case.second:.2f} (rank {case.rank_second:.0f})",
                draw,
            )

"""All figures of the report, with names and captions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.analysis.difficulty import dial_scores, has_dials
from tsmdbench.analysis.labels import main_metrics
from tsmdbench.analysis.metric_agreement import agreement, disagreements
from tsmdbench.analysis.ranking import leave_one_out, significance
from tsmdbench.analysis.scores import Scores, labelled_runs, truths
from tsmdbench.errors import DataError
from tsmdbench.experiments.sources import folders_of
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import in_time
from tsmdbench.html_text import fragment
from tsmdbench.report import figures
from tsmdbench.report.explorer import SeriesSource, Sets
from tsmdbench.report.figures.properties import own_colours
from tsmdbench.report.figures.style import highlight, shown
from tsmdbench.report.tables import read_surfaces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tsmdbench.analysis.metric_agreement import Disagreement

NAMES = {"F1": "prom_f1", "precision": "prom_precision", "recall": "prom_recall"}
# The paper draws cases in which correctness, or S, disagrees with PROM.
DISAGREEING = (("F", "C_g"), ("R", "C_g"), ("F", "S"))
CASES = 2  # drawn of each pair
FEWEST_DATASETS = 2  # of a diagram of average ranks
# Beginnings of the names of the figures that the page shows.
IN_PAGE = ("critical_difference", "heat_map", "boxes", "time_quality", "breaking")


class Drawn(NamedTuple):
    """A figure that is ready to be saved."""

    name: str
    caption: str
    figure: Figure


# Name, caption and how to draw it.
Wanted = tuple[str, str, Callable[[], "Figure"]]


def drawn_figures(
    scores: Scores,
    store: Store,
    *,
    split: str = "test",
    names: tuple[str, ...] = ("",),
) -> tuple[list[Drawn], tuple[str, ...]]:
    """Draw all figures that the results allow, and list those that they do not.

    Parameters
    ----------
    scores : Scores
    store : Store
        Where they are from.
    split : {"test", "validation"}
    names : tuple of str
        Beginnings of the names of the figures to draw.
    """
    made, skipped = [], []
    own = own_colours(scores)
    for name, caption, draw in _wanted(scores, store, split):
        if name.startswith(names):
            try:
                made.append(Drawn(name, caption, highlight(draw(), own)))
            except DataError as reason:
                skipped.append(f"figure {name}: {reason}")
    return made, tuple(skipped)


def _wanted(scores: Scores, store: Store, split: str) -> Iterator[Wanted]:
    """Yield the figures; a comparison of methods needs at least two of them."""
    several = len(scores.labels) > 1
    if len(scores.table) > 1:
        yield (
            "kendall",
            "Kendall's tau between the rankings of results by each metric: over all "
            "results together, and averaged over datasets",
            lambda: figures.kendall_figure(agreement(scores)),
        )
    decides, *_ = metrics = main_metrics(scores.datasets, NAMES.values())
    for word, metric in zip(NAMES, metrics, strict=True):
        yield (
            f"boxes_{word.lower()}",
            f"Distribution of {word} per dataset and method",
            partial(figures.box_figure, scores, metric),
        )
        if several:
            yield (
                f"critical_difference_{word.lower()}",
                f"Average ranks by mean {word} per dataset; a bar joins methods "
                f"that do not differ significantly",
                partial(_critical_difference, scores, metric, word),
            )
    yield (
        "heat_map",
        "Mean F1 of each method on each dataset",
        partial(
            figures.heat_map_figure, scores, decides, link=partial(fragment, "explore")
        ),
    )
    yield (
        "time_quality",
        "Mean F1 and mean processor time of a successful run, on the problems that are "
        "compared; no method is both faster and better than a method on the front",
        partial(figures.time_quality_figure, scores, decides),
    )
    if several:
        yield (
            "stability",
            "Average ranks without each of the datasets",
            lambda: figures.stability_figure(leave_one_out(scores, decides)),
        )
    yield "cost", "Processor time of a run", partial(figures.cost_figure, scores)
    yield (
        "tuning",
        "Mean F1 of every setting of the grids on the validation split",
        lambda: figures.tuning_figure(read_surfaces(store), scores),
    )
    if has_dials(scores):
        curves = dial_scores(scores)
        names = shown([re.sub(r"\W+", "_", label) for label in scores.labels])
        for label, name in zip(scores.labels, names, strict=True):
            yield (
                f"breaking_{name}",
                f"Mean F1 of {label} when one difficulty dial is moved; other methods "
                f"in grey, a cross where half of the score at the default is lost",
                partial(figures.breaking_figure, curves, label, scores),
            )
    # The cases in which two metrics disagree most, of different datasets.
    own = scores.table[scores.table["own"]]
    mine = replace(scores, table=own) if 0 < len(own) < len(scores.table) else scores
    for pair in DISAGREEING:
        cases = disagreements(mine, *pair, count=CASES, one_per="dataset")
        for number, case in enumerate(cases, start=1):
            yield (
                f"disagreement_{'_'.join(pair)}_{number}".lower(),
                f"{case.label} on {case.problem} of {case.dataset}: {pair[0]} "
                f"{case.first:.2f} (rank {case.rank_first:.0f}), {pair[1]} "
                f"{case.second:.2f} (rank {case.rank_second:.0f})",
                partial(_disagreement, case, mine, store, split, pair),
            )


def _critical_difference(scores: Scores, metric: str, word: str) -> Figure:
    found = significance(scores, metric)
    if len(found.datasets_used) < FEWEST_DATASETS:
        raise DataError(
            "average ranks need at least two datasets that all methods have"
        )
    if not found.testable:  # one bar over all methods says nothing
        count, methods = len(found.datasets_used), len(found.labels)
        note = f"No tests: {count} datasets cannot decide between {methods} methods."
        found = replace(found, cliques=[], note=note)
    return figures.critical_difference_figure(found, word)


def _disagreement(
    case: Disagreement, scores: Scores, store: Store, split: str, pair: tuple[str, str]
) -> Figure:
    seen = look_up_run(case, scores, store, split=split)
    return figures.disagreement_figure(case, scores, *seen, metrics=pair)


def look_up_run(
    case: Disagreement, scores: Scores, store: Store, *, split: str = "test"
) -> tuple[Sets, Sets, Any]:
    """Return truth, found sets and series, None without its data, of a case.

    Raises
    ------
    DataError
        The run is not in this store: it came from the baselines.
    """
    stores = {origin: [store] for origin in scores.table["origin"]}
    where = {"split": split, "dataset": case.dataset, "problem": case.problem}
    one = scores.only([case.label])
    rows = labelled_runs(one, stores, ["found", "status"], where)
    if not rows:
        raise DataError(
            f"{store.path} has no run of {case.label!r} on problem {case.problem!r}"
        )
    truth = truths(store, [case.dataset], split)[case.dataset, case.problem].sets
    truth = in_time(truth)
    found = in_time(rows[0]["found"]) if rows[0]["status"] == "ok" else []
    source = SeriesSource(case.dataset, split, folders_of(store.manifest))
    return truth, found, source.get(case.problem)

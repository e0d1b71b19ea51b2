"""Rank methods among the published baselines, without running these again.

A newcomer's store seldom has all datasets or all problems. Everything is therefore
compared on what the added stores have: each dataset counts by the problems that all
methods on it were run on. What was left out is said in `Leaderboard.notes`.

Conventions
-----------
Methods are ordered by the mean over datasets of the deciding metric. Its interval is a
bootstrap over problems, datasets being fixed: it says how much the value would move
with other problems of the same kind. Whether methods differ over datasets is the tests'
affair (`tsmdbench.analysis.critical_difference`): the last two columns count the
methods that are significantly worse and better. Where methods were run with several
seeds, their scores are means over these, and a column shows how much the mean varies
with the seed (`tsmdbench.analysis.seed_spread`). The time of a method is
`tsmdbench.analysis.method_seconds`; a dash where it is not known. Where the baselines
come from another machine, their times are scaled to that of the added runs, or marked
as not comparable (`tsmdbench.analysis.machines`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tsmdbench.analysis.average_ranks import DECIMALS, ranks
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.bootstrap import overall_intervals
from tsmdbench.analysis.costs import method_seconds
from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.machines import (
    FOREIGN,
    foreign_clocks,
    mixed_notes,
    on_clock_of,
)
from tsmdbench.analysis.scores import BASELINES, Scores, higher_is_better, score_store
from tsmdbench.analysis.seeds import seed_spread
from tsmdbench.analysis.selection import own_labels, restricted
from tsmdbench.analysis.tuning_effort import effort_note, tuning_effort
from tsmdbench.errors import InputError
from tsmdbench.experiments.calibration import joint_machines
from tsmdbench.experiments.method_fields import PRESETS
from tsmdbench.experiments.presets import EXTRA_METHODS
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import ALL, NEWEST, chosen_versions
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import PathLike
from tsmdbench.io.timebase import counted
from tsmdbench.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

SHOWN = {
    "place": "{:.0f}",
    "label": "{}",
    "mean": "{:.3f}",
    "interval": "{}",
    "seed_sd": "{:.3f}",
    "precision": "{:.3f}",
    "recall": "{:.3f}",
    "macro_f1": "{:.3f}",
    "average_rank": "{:.2f}",
    "seconds": "{:.3g}",
    "failed": "{:.0f}",
    "worse": "{:.0f}",
    "better": "{:.0f}",
}
UNKNOWN = "\N{EN DASH}"
BOTH = "both"
SAID = {
    "best": "methods as we recommend them",
    "paper": "methods as their public code is",
    BOTH: "methods as their public code is (paper) and as we recommend them (best)",
}
HEADER = {
    "place": "",
    "label": "method",
    "seed_sd": "\N{PLUS-MINUS SIGN} seeds",
    "precision": "P",
    "recall": "R",
    "macro_f1": "macro F",
    "average_rank": "rank",
    "seconds": "s/run",
}


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Methods, best first.

    Attributes
    ----------
    table : DataFrame
        Columns place, label, origin, extra (not in the paper's comparison), mean, low,
        high, seeds (number of them), seed_sd (standard deviation of the mean over
        seeds; NaN with one), precision, recall, macro_f1, average_rank, seconds
        (processor time of a successful run), failed (runs), worse and better (number
        of methods that are significantly worse or better), own (one of the methods that
        the comparison is about), comparable (its time can be compared with those of
        one's own).
    metric : str
        What decides.
    notes : tuple of str
        What was compared, and what was left out.
    """

    table: pd.DataFrame
    metric: str
    notes: tuple[str, ...]

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the head and the rows as texts."""
        shown = dict(SHOWN)
        if (self.table["seeds"] <= 1).all():
            del shown["seed_sd"]
        rows = [
            [_cell(row[name], form) for name, form in shown.items()]
            for row in self._printable()
        ]
        head = [HEADER.get(name, name) for name in shown]
        head[2] = self.metric
        return head, rows

    def _repr_html_(self) -> str:
        """Show the table in a notebook, one's own methods in bold."""
        head, rows = self._cells()
        own = [place for place, is_own in enumerate(self.table["own"]) if is_own]
        table = html_table(head, rows, bold=own, left=(1,))
        return html_block(table, html_lines(self.notes))

    def __str__(self) -> str:
        head, rows = self._cells()
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(
                f"{cell:<{width}}" if place == 1 else f"{cell:>{width}}"
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in [head, *rows]
        ]
        return "\n".join([*lines, "", *self.notes])

    def _printable(self) -> list[dict[str, object]]:
        rows = []
        for row in self.table.to_dict("records"):
            row["interval"] = f"[{row['low']:.3f}, {row['high']:.3f}]"
            if row["origin"] == "":
                row["label"] = f"{row['label']} *"
            elif row["extra"]:
                row["label"] = f"{row['label']} +"
            seconds = _cell(row["seconds"], SHOWN["seconds"])
            row["seconds"] = seconds if row["comparable"] else f"{seconds} {FOREIGN}"
            rows.append(row)
        return rows


def _cell(value: object, form: str) -> str:
    """Write a value; NaN, which stands for one that is not known, is a dash."""
    if isinstance(value, str):
        return value
    unknown = isinstance(value, float) and math.isnan(value)
    return UNKNOWN if unknown else form.format(value)


def leaderboard(
    add: PathLike | Sequence[PathLike] = (),
    *,
    metric: str = "prom_f1",
    datasets: Sequence[str] | None = None,
    baselines: str = "best",
    version: str = NEWEST,
    only: str | Sequence[str] | None = None,
) -> Leaderboard:
    """Rank the methods of some stores among the baselines.

    Parameters
    ----------
    add : Store, path, or sequence of them
        Where your methods were run; by default only the baselines are ranked.
    metric : str, default "prom_f1"
        What decides the order.
    datasets : sequence of str, optional
        Only these.
    baselines : {"best", "paper", "both"}
        Methods as we recommend them, as their public code is, or both in one table,
        labelled with which they are.
    version : str, default "newest"
        Which version of your methods, see `score_store`.
    only : str or sequence of str, optional
        Compare only these methods: labels, names, or the class in ``module:Class``, in
        one text with commas or one by one; ``"mine"`` stands for those of `add`. The
        tests are corrected for the pairs that are left.

    Raises
    ------
    InputError
        A store has no test runs, or nothing in common with the baselines.
    """
    published = published_scores(baselines)
    notes = [f"baselines: {SAID[baselines]}"]
    paths = [add] if isinstance(add, str | os.PathLike) else list(add)
    sources: dict[str, list[Store]] = {BASELINES: baseline_stores(baselines)}
    if not paths:
        alone = replace(published, table=published.table.assign(origin=BASELINES))
        chosen = restricted(alone, only).only(datasets=datasets)
        return leaderboard_of(chosen, metric, [*notes, _tuned(chosen, sources)])
    joined, told = _joined([Store(path) for path in paths], sources, version)
    notes += [*told, *_coverage(joined, published)]
    common = [name for name in joined.datasets if name in published.datasets]
    wanted = common if datasets is None else list(datasets)
    if not wanted:
        raise InputError(
            f"the baselines have none of the datasets {', '.join(joined.datasets)}; "
            f"run your method on datasets of TSMD-Bench, see 'tsmdbench datasets'"
        )
    theirs, note = on_clock_of(
        sources[""][0].manifest,
        published.only(datasets=wanted),
        joint_machines(store.manifest for store in sources[BASELINES]),
        BASELINES,
    )
    both = joined.only(datasets=wanted).join(theirs)
    chosen = restricted(both, only).on_common_problems()
    if BASELINES in set(chosen.table["origin"]):
        notes += [note] if note else []
        notes.append("* added here; the others are the published baselines")
    if only is not None:
        notes.append(f"restricted to {', '.join(chosen.labels)}")
    return leaderboard_of(chosen, metric, [*notes, _tuned(chosen, sources)])


def _joined(
    stores: Sequence[Store], sources: dict[str, list[Store]], version: str
) -> tuple[Scores, list[str]]:
    """Join the scores of the added stores; note where each origin's runs are."""
    wanted = _versions(stores, version)
    notes = mixed_notes(stores)
    for store, chosen in zip(stores, wanted, strict=True):
        notes += _older(store, chosen)
    first = stores[0]
    joined = score_store(first, version=wanted[0])
    sources[""] = [first]
    for store, chosen in zip(stores[1:], wanted[1:], strict=True):
        origin = os.fspath(store)
        scores = score_store(store, version=chosen)
        more, note = on_clock_of(
            first.manifest, scores, store.manifest, f"runs of {origin}"
        )
        joined = joined.join(more, origin=origin)
        sources[origin] = [store]
        notes += [note] if note else []
    return joined, list(dict.fromkeys(notes))


def _coverage(joined: Scores, published: Scores) -> list[str]:
    """Say which datasets only one side has."""
    notes = []
    common = [name for name in joined.datasets if name in published.datasets]
    alone = [name for name in joined.datasets if name not in common]
    if alone:
        notes.append(
            f"left out, since the baselines do not have them: {', '.join(alone)}"
        )
    unseen = [name for name in published.datasets if name not in common]
    if unseen and common:
        notes.append(f"not run by the added methods: {', '.join(unseen)}")
    return notes


def _tuned(scores: Scores, sources: dict[str, list[Store]]) -> str:
    return effort_note(tuning_effort(scores, sources))


def baseline_stores(baselines: str) -> list[Store]:
    """Return the stores that come with the package for a choice of baselines."""
    check_choice(baselines, "baselines", tuple(SAID))
    names = PRESETS if baselines == BOTH else (baselines,)
    return [load_baselines(name) for name in names]


def published_datasets(baselines: str) -> frozenset[str]:
    """Return the datasets that the baselines have."""
    return frozenset(
        what[0] for store in baseline_stores(baselines) for what in store.counts()
    )


def _versions(stores: Sequence[Store], version: str) -> list[str]:
    """Return which version is wanted of each store; one must have what is named."""
    if version in (NEWEST, ALL):
        return [version] * len(stores)
    known = [store.versions({"split": "test"}) for store in stores]
    has = [any(version in each for each in one.values()) for one in known]
    if not any(has):
        chosen_versions(stores[0], "test", version)  # raises, with what there is
    return [version if one else NEWEST for one in has]


def _older(store: Store, version: str) -> list[str]:
    """Say which versions of methods are not shown."""
    known = store.versions({"split": "test"})
    chosen = chosen_versions(store, "test", version)
    notes = []
    for method, every in known.items():
        hidden = [one for one in every if one not in chosen[method]]
        if hidden:
            notes.append(
                f"{method} is shown in version {', '.join(chosen[method])}; also in "
                f"the store: {', '.join(hidden)} (--version)"
            )
    return notes


def published_scores(baselines: str) -> Scores:
    """Score the baselines of a preset, or of both with the preset in the label."""
    import pandas as pd

    check_choice(baselines, "baselines", tuple(SAID))
    if baselines != BOTH:
        return score_store(load_baselines(baselines))
    tables = []
    for which in PRESETS:
        table = score_store(load_baselines(which)).table
        labels = table["label"].astype(str) + f" ({which})"
        tables.append(table.assign(label=labels))
    return Scores(pd.concat(tables, ignore_index=True))


def leaderboard_of(
    scores: Scores,
    metric: str,
    notes: Sequence[str] = (),
    tests: Significance | None = None,
) -> Leaderboard:
    """Order the methods of a table of scores.

    Every dataset weighs alike. Only datasets that all methods have are averaged over,
    as in the ranks; where there is none, each method is averaged over its own.

    Parameters
    ----------
    scores : Scores
    metric : str
        What decides.
    notes : sequence of str
        What is to be said besides.
    tests : Significance, optional
        By this metric, where they were made before.
    """
    import pandas as pd

    scores.check_metric(metric)
    grouped = scores.table.groupby("label", observed=True)
    tests = significance(scores, metric) if tests is None else tests
    ranked = ranks(scores, metric)
    order = ranked.average
    common = scores.only(datasets=ranked.datasets_used or None)
    intervals = overall_intervals(scores, metric).set_index("label")
    seeds = seed_spread(common, metric)
    table = pd.DataFrame(
        {
            "origin": grouped["origin"].first(),
            "extra": grouped["method"].first().isin(EXTRA_METHODS),
            **{name: intervals[name] for name in ("low", "high")},
            **{
                column: common.means(name).mean()
                for column, name in (
                    ("mean", metric),
                    ("precision", "prom_precision"),
                    ("recall", "prom_recall"),
                    ("macro_f1", "prom_macro_f1"),
                )
            },
            "seeds": seeds["seeds"],
            "seed_sd": seeds["sd"],
            "average_rank": order,
            "seconds": method_seconds(scores),
            "failed": grouped["status"].agg(lambda status: int((status != "ok").sum())),
        }
    )
    table["worse"], table["better"] = _differences(tests.rejected, order)
    falling = higher_is_better(metric)
    table = table.sort_values("mean", ascending=not falling, kind="stable")
    compared = table["mean"].round(DECIMALS)  # what is equal shares a place
    table["place"] = compared.rank(ascending=not falling, method="min")
    problems = scores.table.groupby("dataset", observed=True)["problem"].nunique()
    told = [
        f"{counted(len(scores.datasets), 'dataset')}, "
        f"{counted(int(problems.sum()), 'problem')}; intervals: 95 %, bootstrap over "
        f"problems; s/run: processor time of a successful run; worse, better: number "
        f"of methods that are significantly worse, better than this one",
        *notes,
    ]
    if (table["seeds"] > 1).any():
        told.append(
            f"{HEADER['seed_sd']}: standard deviation of {metric} over the seeds of a "
            f"method; its scores are means over them"
        )
    if (table["extra"] & (table["origin"] != "")).any():
        told.append("+ extra: not in the comparison of the paper")
    if tests.note:
        told.append(tests.note)
    foreign = foreign_clocks(scores)
    own = own_labels(scores)
    table["own"] = [label in own for label in table.index]
    table["comparable"] = [not foreign[label] for label in table.index]
    table = table.rename_axis("label").reset_index()
    return Leaderboard(table, metric, tuple(told))


def _differences(
    rejected: pd.DataFrame, order: pd.Series
) -> tuple[pd.Series, pd.Series]:
    """Count for each method those that are significantly worse, and better."""
    import pandas as pd

    worse, better = {}, {}
    for label in order.index:
        differ = rejected.loc[label]
        ahead = order.loc[differ.index] < order[label]
        better[label] = int((differ & ahead).sum())
        worse[label] = int((differ & ~ahead).sum())
    return pd.Series(worse), pd.Series(better)

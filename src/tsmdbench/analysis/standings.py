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
methods that are significantly worse and better. The time of a method is
`tsmdbench.analysis.method_seconds`; a dash where it is not known.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsmdbench.analysis.average_ranks import ranks
from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.bootstrap import overall_intervals
from tsmdbench.analysis.costs import method_seconds
from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.scores import BASELINES, Scores, higher_is_better, score_store
from tsmdbench.errors import InputError
from tsmdbench.experiments.method_fields import PRESETS
from tsmdbench.experiments.presets import EXTRA_METHODS
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice

if TYPE_CHECKING:
    import pandas as pd

SHOWN = {
    "place": "{:.0f}",
    "label": "{}",
    "mean": "{:.3f}",
    "interval": "{}",
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
        high, precision, recall, macro_f1, average_rank, seconds (processor time of a
        successful run), failed (runs), worse and better (number of methods
        that are significantly worse, and significantly better, than this one).
    metric : str
        What decides.
    notes : tuple of str
        What was compared, and what was left out.
    """

    table: pd.DataFrame
    metric: str
    notes: tuple[str, ...]

    def __str__(self) -> str:
        rows = [
            [_cell(row[name], form) for name, form in SHOWN.items()]
            for row in self._printable()
        ]
        head = [HEADER.get(name, name) for name in SHOWN]
        head[2] = self.metric
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
            rows.append(row)
        return rows


def _cell(value: object, form: str) -> str:
    """Write a value; NaN, which stands for one that is not known, is a dash."""
    unknown = isinstance(value, float) and math.isnan(value)
    return UNKNOWN if unknown else form.format(value)


def leaderboard(
    add: PathLike | Sequence[PathLike] = (),
    *,
    metric: str = "prom_f1",
    datasets: Sequence[str] | None = None,
    baselines: str = "best",
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

    Raises
    ------
    InputError
        A store has no test runs, or nothing in common with the baselines.
    """
    published = published_scores(baselines)
    notes = [f"baselines: {SAID[baselines]}"]
    stores = [add] if isinstance(add, str | os.PathLike) else list(add)
    if not stores:
        scores = Scores(published.table.assign(origin=BASELINES))
        return leaderboard_of(scores.only(datasets=datasets), metric, notes)
    added = [score_store(store) for store in stores]
    joined = added[0]
    for path, more in zip(stores[1:], added[1:], strict=True):
        joined = joined.join(more, origin=os.fspath(path))
    common = [name for name in joined.datasets if name in published.datasets]
    alone = [name for name in joined.datasets if name not in common]
    if alone:
        notes.append(
            f"left out, since the baselines do not have them: {', '.join(alone)}"
        )
    unseen = [name for name in published.datasets if name not in common]
    if unseen and common:
        notes.append(f"not run by the added methods: {', '.join(unseen)}")
    wanted = common if datasets is None else list(datasets)
    if not wanted:
        raise InputError(
            f"the baselines have none of the datasets {', '.join(joined.datasets)}; "
            f"run your method on datasets of TSMD-Bench, see 'tsmdbench datasets'"
        )
    both = joined.only(datasets=wanted).join(published.only(datasets=wanted))
    notes.append("* added here; the others are the published baselines")
    return leaderboard_of(both.on_common_problems(), metric, notes)


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
            "average_rank": order,
            "seconds": method_seconds(scores),
            "failed": grouped["status"].agg(lambda status: int((status != "ok").sum())),
        }
    )
    table["worse"], table["better"] = _differences(tests.rejected, order)
    falling = higher_is_better(metric)
    table = table.sort_values("mean", ascending=not falling, kind="stable")
    table["place"] = table["mean"].rank(ascending=not falling, method="min")
    problems = scores.table.groupby("dataset", observed=True)["problem"].nunique()
    told = [
        f"{_counted(len(scores.datasets), 'dataset')}, "
        f"{_counted(int(problems.sum()), 'problem')}; intervals: 95 %, bootstrap over "
        f"problems; s/run: processor time of a successful run; worse, better: number "
        f"of methods that are significantly worse, better than this one",
        *notes,
    ]
    if (table["extra"] & (table["origin"] != "")).any():
        told.append("+ extra: not in the comparison of the paper")
    if tests.note:
        told.append(tests.note)
    table = table.rename_axis("label").reset_index()
    return Leaderboard(table, metric, tuple(told))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


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

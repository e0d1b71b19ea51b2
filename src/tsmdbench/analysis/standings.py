"""A table of methods, best first, with intervals, ranks and significant differences.

Conventions
-----------
Methods are ordered by the mean over datasets of the deciding metric. Its interval is a
bootstrap over problems, datasets being fixed: it says how much the value would move
with other problems of the same kind. Whether methods differ over datasets is decided by
tests (`tsmdbench.analysis.critical_difference`): the last two columns count the methods
that are significantly worse and better. Where methods were run with several seeds,
their scores are means over these, and a column shows how much the mean varies with the
seed (`tsmdbench.analysis.seed_spread`). The time of a method is
`tsmdbench.analysis.method_seconds`; a dash where it is not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsmdbench.analysis.average_ranks import DECIMALS, ranks
from tsmdbench.analysis.bootstrap import overall_intervals
from tsmdbench.analysis.costs import method_seconds
from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.machines import (
    FOREIGN,
    foreign_clocks,
)
from tsmdbench.analysis.scores import Scores, higher_is_better
from tsmdbench.analysis.seeds import seed_spread
from tsmdbench.analysis.selection import own_labels
from tsmdbench.experiments.presets import EXTRA_METHODS
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.plural import counted

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
            known = f"[{row['low']:.3f}, {row['high']:.3f}]"
            row["interval"] = UNKNOWN if math.isnan(row["low"]) else known
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


def leaderboard_of(
    scores: Scores,
    metric: str,
    notes: Sequence[str] = (),
    tests: Significance | None = None,
) -> Leaderboard:
    """Order the methods of a table of scores.

    All datasets have the same weight. Only datasets that all methods have are averaged
    over, as in the ranks; where there is none, each method is averaged over its own.

    Parameters
    ----------
    scores : Scores
    metric : str
        What decides.
    notes : sequence of str
        Further notes.
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
    single = [str(name) for name, count in problems.items() if count == 1]
    if single:
        told.append(f"no intervals, since these have one problem: {', '.join(single)}")
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

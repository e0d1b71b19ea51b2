"""The leaderboard: methods, best first, among the published baselines.

The baselines are not run again. An added store seldom has all datasets or all problems,
so everything is compared on what the added stores have: each dataset counts by the
problems that all methods on it were run on. What was left out is said in
`Leaderboard.notes`. Where stores come from different machines, times are scaled to that
of the first, or marked as not comparable (`tsmdbench.analysis.machines`).

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
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tsmdbench.analysis.average_ranks import DECIMALS, ranks
from tsmdbench.analysis.baselines import (
    CHOICES,
    RECORDINGS,
    RECORDINGS_TRUTH,
    baseline_stores,
    check_same_problems,
    published_datasets,
    published_scores,
)
from tsmdbench.analysis.bootstrap import overall_intervals
from tsmdbench.analysis.costs import method_seconds
from tsmdbench.analysis.critical_difference import Significance, significance
from tsmdbench.analysis.labels import in_benchmark_order
from tsmdbench.analysis.machines import (
    FOREIGN,
    foreign_clocks,
    mixed_notes,
    on_clock_of,
)
from tsmdbench.analysis.scores import (
    BASELINES,
    DEFAULT_METRICS,
    Scores,
    requested_metrics,
    score_store,
)
from tsmdbench.analysis.seeds import seed_spread
from tsmdbench.analysis.selection import own_labels, restricted
from tsmdbench.analysis.tuning_effort import effort_note, tuning_effort
from tsmdbench.errors import InputError
from tsmdbench.experiments.calibration import joint_machines
from tsmdbench.experiments.presets import extra_methods
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import ALL, NEWEST, chosen_versions
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import PathLike
from tsmdbench.metrics.evaluate import Requested
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
        of methods that are significantly worse or better), added (to others that it is
        compared with), own (one of the methods that the comparison is about),
        comparable (its time can be compared with those of one's own).
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
            if row["added"]:
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
    add: PathLike | Scores | Sequence[PathLike] = (),
    *,
    metric: Requested = "prom_f1",
    datasets: Sequence[str] | None = None,
    baselines: str | None = "best",
    version: str = NEWEST,
    only: str | Sequence[str] | None = None,
) -> Leaderboard:
    """Rank methods among the published baselines, or among themselves.

    Parameters
    ----------
    add : Store, path, result of `run`, sequence of them, or Scores
        Where your methods were run; by default only the baselines are ranked. A table
        of scores is ranked as it is, without baselines.
    metric : str, Metric or function, default "prom_f1"
        What decides the order, as for `tsmdbench.metrics.evaluate`.
    datasets : sequence of str, optional
        Only these.
    baselines : {"best", "paper", "both", "recordings", "recordings-pvldb"}
        TSMD-Bench, methods with the recommended parameters, with the defaults of their
        public code, or both in one table; or the recordings suite, tuned on validation
        records, or with parameters from the truth. None ranks the added methods among
        themselves; so does a store of which no baselines have any dataset.
    version : str, default "newest"
        Which version of your methods, see `score_store`.
    only : str or sequence of str, optional
        Compare only these methods: labels, names, or the class in ``module:Class``, in
        one text with commas or one by one; ``"mine"`` means those of `add`. The tests
        are corrected for the remaining number of pairs.

    Raises
    ------
    InputError
        A store has no test runs, or has other data or another truth than the baselines
        for a problem of the same name.

    Examples
    --------
    >>> leaderboard(only=["locomotif", "emma"]).table["label"].tolist()
    ['locomotif', 'emma']
    """
    if isinstance(add, Scores):
        (decides,) = [metric] if isinstance(metric, str) else requested_metrics(metric)
        return standings(restricted(add, only).only(datasets=datasets), decides)
    (decides,) = requested_metrics(metric)
    metrics = (*DEFAULT_METRICS, metric)
    paths = [add] if isinstance(add, str | os.PathLike) else list(add)
    stores = [Store(path) for path in paths]
    if not stores and baselines is None:
        raise InputError("there is nothing to rank: add a store, or choose baselines")
    sources = {BASELINES: [] if baselines is None else baseline_stores(baselines)}
    if not stores:
        published = published_scores(str(baselines), metrics)
        chosen = restricted(published, only).only(datasets=datasets)
        notes = [f"baselines: {CHOICES[str(baselines)]}"]
        efforts = tuning_effort(chosen, sources)
        return standings(chosen, decides, [*notes, effort_note(efforts)])
    joined, notes = _joined(stores, version, metrics)
    sources |= {os.fspath(store): [store] for store in stores}
    sources[""] = stores[:1]
    wanted = list(joined.datasets if datasets is None else datasets)
    if baselines is not None:
        has = published_datasets(baselines)
        common = [name for name in wanted if name in has]
        if common:
            wanted = common if datasets is None else wanted
            notes.insert(0, f"baselines: {CHOICES[baselines]}")
            notes += _coverage(joined, has)
        else:
            _check_other_baselines(wanted)
            notes.append(f"the baselines have none of {', '.join(wanted)}")
            baselines = None
    chosen = joined.only(datasets=wanted)
    named = [("the baselines", store) for store in sources[BASELINES]]
    named += [(os.fspath(store), store) for store in stores]
    check_same_problems(named, wanted)
    if baselines is not None:
        theirs, note = on_clock_of(
            stores[0].manifest,
            published_scores(baselines, metrics).only(datasets=wanted),
            joint_machines(store.manifest for store in sources[BASELINES]),
            BASELINES,
        )
        chosen = chosen.join(theirs)
        chosen = restricted(chosen, only)
        if not chosen.table["own"].all():
            notes += [note] if note else []
            notes.append("* added here; the others are the published baselines")
    else:
        chosen = restricted(chosen, only)
    chosen = chosen.on_common_problems()
    if only is not None:
        notes.append(f"restricted to {', '.join(chosen.labels)}")
    efforts = tuning_effort(chosen, sources)
    return standings(chosen, decides, [*notes, effort_note(efforts)])


def _joined(
    stores: Sequence[Store], version: str, metrics: Sequence[Requested]
) -> tuple[Scores, list[str]]:
    """Score the added stores on the clock of the first; return notes about them.

    A version that is named must be in one of them; the others show their newest one.
    """
    known = [store.versions({"split": "test"}) for store in stores]
    has = [any(version in each for each in one.values()) for one in known]
    parts: list[Scores] = []
    notes = mixed_notes(stores)
    for store, versions, has_it in zip(stores, known, has, strict=True):
        wanted = version if has_it or not any(has) or version == ALL else NEWEST
        chosen = chosen_versions(store, "test", wanted)
        for method, every in versions.items():
            hidden = [one for one in every if one not in chosen[method]]
            if hidden:
                notes.append(
                    f"{method} is shown in version {', '.join(chosen[method])}; also "
                    f"in the store: {', '.join(hidden)} (--version)"
                )
        scores = score_store(store, metrics=metrics, version=wanted)
        if parts:
            scores, note = on_clock_of(
                stores[0].manifest, scores, store.manifest, f"runs of {store.path}"
            )
            notes += [note] if note else []
        parts.append(scores)
    joined = parts[0]
    for store, scores in zip(stores[1:], parts[1:], strict=True):
        joined = joined.join(scores, os.fspath(store), own=True)
    return joined, list(dict.fromkeys(notes))


def _coverage(joined: Scores, published: frozenset[str]) -> list[str]:
    """Say which datasets only one side has."""
    notes = []
    alone = [name for name in joined.datasets if name not in published]
    if alone:
        notes.append(
            f"left out, since the baselines do not have them: {', '.join(alone)}"
        )
    unseen = in_benchmark_order(published - set(joined.datasets))
    if unseen:
        notes.append(f"not run by the added methods: {', '.join(unseen)}")
    return notes


def _check_other_baselines(datasets: Sequence[str]) -> None:
    """Raise if other baselines than the chosen ones have some of the datasets."""
    for other in ("best", RECORDINGS, RECORDINGS_TRUTH):
        if published_datasets(other) & set(datasets):
            raise InputError(
                f"the baselines have none of the datasets {', '.join(datasets)}; "
                f"compare with the baselines {other!r} (--baselines)"
            )


def standings(
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
            "added": grouped["own"].first(),
            "extra": grouped["method"].first().isin(extra_methods()),
            **{name: intervals[name] for name in ("low", "high")},
            **{
                column: common.means(name).mean()
                if name in common.metrics
                else math.nan
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
    falling = scores.higher_is_better(metric)
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
    table["added"] &= not scores.table["own"].all()
    if (table["extra"] & ~table["added"]).any():
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

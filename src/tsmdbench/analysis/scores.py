"""Scores of the runs of a store: the table that every comparison starts from.

`score_store` computes them from what was found, so that a new metric needs no old run
again. A row is one method on one problem: one run, or the mean of runs that differ in
the seed only (`tsmdbench.analysis.seed_spread`).

Conventions
-----------
* **Failed runs score 0**, whatever the failure: time, memory or an error. Leaving them
  out would reward a method that fails on hard problems.
* Of a method that was run in several versions the newest one counts, unless another
  one is requested.
* PROM and S do not penalise off-target sets, as in the paper's comparison. Columns that
  end in ``_off`` do; recall is the same with and without.
* What a metric says of a dataset is the mean over its problems (`Scores.means`). Where
  methods ran on different problems of a dataset, `Scores.on_common_problems` keeps
  those that all of them have.
* A comparison (`tsmdbench.analysis.average_ranks` and what builds on it) takes only
  datasets that all compared methods have, and says which it left out.
* Rows are put into one order, so nothing depends on the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tsmdbench.analysis import kept_scores
from tsmdbench.analysis.found_lists import found_lists
from tsmdbench.analysis.labels import (
    Setting,
    in_benchmark_order,
    in_paper_order,
    store_labels,
)
from tsmdbench.analysis.seeds import mean_over_seeds
from tsmdbench.analysis.truths import truths
from tsmdbench.analysis.tuning_effort import Search, searches
from tsmdbench.benchmark import SPLITS
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.method_cards import declared_facts
from tsmdbench.experiments.seeds import without_seed
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.rows import FoundLists as Sets
from tsmdbench.experiments.store.versions import (
    NEWEST,
    chosen_versions,
    rows_of_versions,
)
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.io import PathLike
from tsmdbench.methods.info import MethodInfo
from tsmdbench.metrics import METRICS, Metric
from tsmdbench.metrics.evaluate import Requested, chosen_metrics, evaluate_many
from tsmdbench.validation import check_choice, check_threshold

if TYPE_CHECKING:
    import pandas as pd

PROM = (
    "prom_precision",
    "prom_recall",
    "prom_f1",
    "prom_macro_precision",
    "prom_macro_recall",
    "prom_macro_f1",
)
OFF = "_off"  # ends the name of a metric that penalises off-target sets
DEFAULT_METRICS = (
    *PROM,
    "prom_precision_off",
    "prom_f1_off",
    "correctness_m",
    "correctness_g",
    "score",
)
KEY = ["dataset", "label", "problem"]
# Columns besides the metrics, with their values in a table that does not have them.
ABOUT: dict[str, Any] = {
    "method": None,  # the label
    "label": None,
    "dataset": None,
    "problem": None,
    "status": "ok",
    "seconds": np.nan,
    "cpu_seconds": np.nan,
    "peak_memory": np.nan,
    "parameters": "{}",
    "origin": "",
    "own": True,  # not one of the runs that these are compared with
    "version": "",
    "repeats": 1,
    "by_seed": None,
    "clock": "",  # times of different clocks cannot be compared, see `machines`
}
BASELINES = "baselines"
SHOWN = "prom_f1"  # in a notebook
AT_A_TIME = 4096  # results that are scored together
# Of each column: what was requested, the metric, and whether it penalises off-target
# sets.
Columns = dict[str, tuple[Requested, Metric, bool]]


@dataclass(frozen=True, eq=False)
class Scores:
    """One row per run, with its scores.

    Parameters
    ----------
    table : pandas.DataFrame
        Columns ``label``, ``dataset``, ``problem`` and one per metric are needed;
        ``method``, ``status``, ``seconds``, ``cpu_seconds``, ``peak_memory``,
        ``parameters``, ``origin``, ``own``, ``version``, ``repeats``, ``by_seed`` and
        ``clock`` are filled in where they are missing.
    declared : mapping, optional
        What is declared about methods that are not ours, by name.
    given : mapping, optional
        Metrics that are not in `tsmdbench.metrics.METRICS`, by column.

    Raises
    ------
    InputError
        There is no row, a column is missing, or two rows are about the same run.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("new", "A", 1, 0.5), ("new", "A", 2, 1.0), ("emma", "A", 1, 0.0)]
    >>> scores = Scores(
    ...     pd.DataFrame(rows, columns=["label", "dataset", "problem", "prom_f1"])
    ... )
    >>> scores.labels, scores.datasets, scores.metrics
    (('emma', 'new'), ('A',), ('prom_f1',))
    >>> scores.means("prom_f1").loc["A"].tolist()
    [0.0, 0.75]
    """

    table: pd.DataFrame
    declared: Mapping[str, MethodInfo] = field(default_factory=dict)
    given: Mapping[str, Metric] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", _in_order(_complete(self.table)))

    def _repr_html_(self) -> str:
        """Show the means over problems in a notebook."""
        shown = SHOWN if SHOWN in self.metrics else self.metrics[0]
        said = f"{len(self.table)} runs; mean {shown} over problems"
        return html_block(html_lines([said]), html_frame(self.means(shown)))

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(name for name in self.table.columns if name not in ABOUT)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """What is compared: methods of the paper in its order, then others by name."""
        return in_paper_order(dict(self.methods))

    @cached_property
    def methods(self) -> dict[str, str]:
        """Name of the method of each label."""
        return _methods(self.table)

    @cached_property
    def datasets(self) -> tuple[str, ...]:
        """Datasets of TSMD-Bench in its order, then others by name."""
        return in_benchmark_order(set(self.table["dataset"].unique()))

    def means(self, metric: str) -> pd.DataFrame:
        """Return the mean over problems: a row per dataset, a column per label.

        NaN where a method has no run on a dataset.
        """
        self.check_metric(metric)
        grouped = self.table.groupby(["dataset", "label"], observed=True)[metric].mean()
        wide = grouped.unstack("label")
        return wide.reindex(index=self.datasets, columns=self.labels)

    def check_metric(self, metric: str) -> str:
        """Return the name of a metric if there is a column of it."""
        return check_choice(metric, "metric", self.metrics)

    def higher_is_better(self, metric: str) -> bool:
        """Return False if a metric, with or without ``_off``, is a cost."""
        known = self.given.get(metric)
        if known is None:
            _, known, _ = requested_metrics([metric])[metric]
        return known.higher_is_better

    def only(
        self,
        labels: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
    ) -> Scores:
        """Keep some labels, and some datasets."""
        kept = np.ones(len(self.table), dtype=bool)
        for column, chosen, known in (
            ("label", labels, self.labels),
            ("dataset", datasets, self.datasets),
        ):
            if chosen is not None:
                for name in chosen:
                    check_choice(name, column, known)
                kept &= self.table[column].isin(list(chosen)).to_numpy()
        return self if kept.all() else replace(self, table=self.table[kept])

    def on_common_problems(self) -> Scores:
        """Keep the problems of each dataset that all who ran on it have.

        Raises
        ------
        InputError
            A dataset has no such problem.
        """
        runs = self.table.groupby(["dataset", "problem"])["label"].transform("size")
        needed = self.table.groupby("dataset")["label"].transform("nunique")
        kept = self.table[runs == needed]
        left = set(kept["dataset"])
        lost = [name for name in self.datasets if name not in left]
        if lost:
            raise DataError(
                f"no problem of {', '.join(lost)} was run by all methods; compare "
                f"fewer methods or leave out the dataset"
            )
        return replace(self, table=kept)

    def uneven(self) -> tuple[str, ...]:
        """Return the datasets on which methods ran on different problems."""
        runs = self.table.groupby("dataset")["problem"].agg(["size", "nunique"])
        labels = self.table.groupby("dataset")["label"].nunique()
        differ = runs.index[runs["size"] != runs["nunique"] * labels]
        return tuple(name for name in self.datasets if name in set(differ))

    def join(
        self, other: Scores, origin: str = BASELINES, *, own: bool = False
    ) -> Scores:
        """Add runs, marked with where they are from.

        Where both have a label, that of the others becomes ``label (origin)``. Only
        metrics that both have are kept. `own` says whether the runs are further ones
        of one's own, instead of some to compare with.
        """
        import pandas as pd

        theirs = other.table.assign(origin=origin, own=own)
        both = set(self.labels) & set(other.labels)
        renamed = {label: f"{label} ({origin})" for label in both}
        theirs["label"] = theirs["label"].replace(renamed)
        shared = [name for name in self.metrics if name in other.metrics]
        if not shared:
            raise InputError("the two tables of scores have no metric in common")
        kept = [*ABOUT, *shared]
        table = pd.concat([self.table[kept], theirs[kept]], ignore_index=True)
        return Scores(
            table,
            {**other.declared, **self.declared},
            {**other.given, **self.given},
        )


def score_store(
    store: PathLike,
    *,
    split: str = "test",
    metrics: Requested | Iterable[Requested] | None = None,
    threshold: float = 0.5,
    version: str = NEWEST,
) -> Scores:
    """Score the runs of one split of a store.

    Parameters
    ----------
    store : Store or path
        Where the runs are.
    split : {"test", "validation"}
        The split.
    metrics : iterable of str, Metric or function, optional
        As for `tsmdbench.metrics.evaluate`; a name with ``_off`` at the end penalises
        off-target sets. By default those of the paper.
    threshold : float, default 0.5
        Overlap rate that a match must exceed.
    version : str, default "newest"
        For methods that were run in several versions: the newest one, ``"all"`` as
        separate methods, or the name of a version for the methods that have it.

    Raises
    ------
    InputError
        The store has no run in this split, or a metric or version is not known.
    """
    store = Store(store)
    columns = requested_metrics(DEFAULT_METRICS if metrics is None else metrics)
    check_threshold(threshold)
    about = ["method", "version", "parameters", "dataset", "problem", "status"]
    cost = ["seconds", "cpu_seconds", "peak_memory"]
    where = {"split": check_choice(split, "split", SPLITS)}
    given = {name: metric for name, (_, metric, _) in columns.items()}
    kept = {}
    if (split, threshold) == (kept_scores.SPLIT, kept_scores.THRESHOLD):
        kept = kept_scores.kept_values(store, given)
    left = {name: what for name, what in columns.items() if name not in kept}
    rows = store.table([*about, *cost, *(["found"] if left else [])], where)
    if not len(rows):
        raise DataError(f"{store.path} has no run in split {split!r}")
    for name, values in kept.items():
        rows = rows.append_column(name, [values])
    rows = rows_of_versions(rows, chosen_versions(store, split, version))
    table = rows.select([*about, *cost, *kept]).to_pandas()
    declared = declared_facts(store.manifest)
    searched: dict[tuple[str, str], Search] = {}

    def is_winner(setting: Setting) -> bool:
        """Return True if a search of the store chose a setting."""
        if not searched:  # read where a method has several settings only
            searched.update(searches(store))
        dataset, method, _, parameters = setting
        search = searched.get((dataset, method))
        return search is not None and search.chose(parameters)

    settings = _settings(table)
    labels = store_labels(settings, declared, is_winner)
    table["label"] = [labels[setting] for setting in settings]
    if left:
        table = table.assign(**run_values(store, rows, left, split, threshold))
    table = table[[*about, *cost, "label", *columns]]
    return Scores(mean_over_seeds(table, list(columns)), declared, given)


def requested_metrics(metrics: Requested | Iterable[Requested]) -> Columns:
    """Return the columns of requested metrics, by name.

    >>> list(requested_metrics(["prom_f1_off", "score"]))
    ['prom_f1_off', 'score']
    """
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    columns: Columns = {}
    for metric in metrics:
        plain, off = metric, False
        if isinstance(metric, str) and metric not in METRICS:
            plain, off = metric.removesuffix(OFF), metric.endswith(OFF)
        ((name, known),) = chosen_metrics([plain]).items()
        if off and "penalize_off_target" not in known.options:
            raise InputError(f"{name} cannot penalise off-target sets: {metric!r}")
        column = name + OFF * off
        if column in ABOUT:
            raise InputError(
                f"a metric cannot be called {column!r}, as a column of the table of "
                f"scores is; give it another name"
            )
        new = columns.setdefault(column, (plain, known, off))
        if new[1] != known:
            raise InputError(f"two different metrics are called {column!r}; rename one")
    if not columns:
        raise InputError("metrics is empty; name at least one")
    return columns


def _settings(table: pd.DataFrame) -> list[tuple[str, str, str, str]]:
    """Return the setting of each run; the seed tells no settings apart."""
    names = ("dataset", "method", "version")
    parameters = table["parameters"].tolist()
    plain = {text: without_seed(text) for text in set(parameters)}
    columns = [table[name].tolist() for name in names]
    return list(zip(*columns, map(plain.__getitem__, parameters), strict=True))


def run_values(
    store: Store, rows: Any, columns: Columns, split: str, threshold: float
) -> dict[str, Any]:
    """Compute the columns for rows of a store.

    Some rows at a time: with all found sets at once Python counts garbage.
    """
    names = ("dataset", "problem")
    keys = list(zip(*(rows[name].to_pylist() for name in names), strict=True))
    known = truths(store, sorted({dataset for dataset, _ in keys}), split)
    for dataset, problem in set(keys) - set(known):
        raise DataError(
            f"the store has a run on problem {problem!r}, which {dataset!r} does not "
            f"have"
        )
    true_sets = [known[key].sets for key in keys]
    parts = []
    for first in range(0, len(rows), AT_A_TIME):
        some = slice(first, first + AT_A_TIME)
        founds = found_lists(rows.slice(first, AT_A_TIME))
        results = list(zip(true_sets[some], founds, strict=True))
        parts.append(_evaluate(results, columns, threshold))
    return {name: np.concatenate([part[name] for part in parts]) for name in columns}


def _evaluate(
    results: list[tuple[Sets, Sets]], columns: Columns, threshold: float
) -> dict[str, Any]:
    """Compute the columns, with and without penalty at once where both are needed."""
    values: dict[str, Any] = {}
    for penalize in (False, True):
        chosen = {name: what for name, what in columns.items() if what[2] == penalize}
        known = {
            option for _, metric, _ in chosen.values() for option in metric.options
        }
        options = {"threshold": threshold, "penalize_off_target": penalize}
        given = {name: value for name, value in options.items() if name in known}
        if chosen:
            made = evaluate_many(
                results, [what[0] for what in chosen.values()], **given
            )
            values |= zip(
                chosen, (made[name] for name in made.dtype.names or ()), strict=True
            )
    return values


def _complete(table: pd.DataFrame) -> pd.DataFrame:
    """Check a table of scores and fill in what it may lack."""
    if not len(table):
        raise DataError("there is no result to compare: the table of scores is empty")
    missing = [name for name in KEY if name not in table.columns]
    if missing:
        raise InputError(f"the table of scores lacks {', '.join(missing)}")
    metrics = [name for name in table.columns if name not in ABOUT]
    if not metrics:
        raise InputError("the table of scores has no column of a metric")
    filled = {
        name: table[name] if name in table.columns else value
        for name, value in ABOUT.items()
    }
    if "method" not in table.columns:
        filled["method"] = table["label"]
    twice = table.duplicated(KEY)
    if twice.any():
        row = table.loc[twice, KEY].iloc[0]
        raise InputError(
            f"two rows have {row['label']!r} on problem {row['problem']!r} of "
            f"{row['dataset']!r}"
        )
    return table[metrics].assign(**filled)[[*ABOUT, *metrics]]


def _methods(table: pd.DataFrame) -> dict[str, str]:
    """Return the name of the method of each label."""
    pairs = table[["label", "method"]].drop_duplicates()
    return dict(zip(pairs["label"], pairs["method"], strict=True))


def _in_order(table: pd.DataFrame) -> pd.DataFrame:
    """Sort rows by dataset, label and problem, each in its order."""
    labels = in_paper_order(_methods(table))
    datasets = in_benchmark_order(set(table["dataset"].unique()))
    names = {problem: str(problem) for problem in table["problem"].unique()}
    places = {name: n for n, name in enumerate(sorted(set(names.values())))}
    order = np.lexsort(
        (
            table["problem"].map({problem: places[n] for problem, n in names.items()}),
            table["label"].map({name: n for n, name in enumerate(labels)}),
            table["dataset"].map({name: n for n, name in enumerate(datasets)}),
        )
    )
    return table.iloc[order].reset_index(drop=True)

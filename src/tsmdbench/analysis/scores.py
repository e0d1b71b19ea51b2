"""Scores of the runs of a store: the table that every comparison starts from.

`score_store` computes them from the motif sets that were found, so a new metric does
not need old methods to run again. A row is one method on one problem: one run, or the
mean of runs that differ in the seed only.

Conventions
-----------
* **Failed runs score 0**, whatever the failure: time, memory or an error. Leaving them
  out would reward a method that fails on hard problems.
* Of a method that was run in several versions the newest one counts, unless another
  one is requested.
* PROM and S do not penalise off-target sets, as in the paper's comparison. Columns that
  end in ``_off`` do; recall is the same with and without.
* By default, stores with datasets of the subspace suite are scored with subspace PROM,
  too.
* The value of a metric on a dataset is the mean over its problems (`Scores.means`).
  Where methods ran on different problems of a dataset, `Scores.on_common_problems`
  keeps those that all of them have. A comparison uses only datasets that all compared
  methods have, and names those that it left out.
* Rows are put into one order, so nothing depends on the order in which they came.

Seeds: runs that differ in the field `seed` only are repeats of one method. The score of
a problem is their mean, and a repeat that failed scores 0. A problem counts as failed
if one of its repeats failed. Its times are means over the repeats that ended well.
Look-ups and drawings of single runs take the first seed. `seed_spread` is the standard
deviation, over seeds, of the mean score; only seeds that all problems have are used.

Kept scores: scoring the published baselines takes seconds, so ``scores.parquet`` beside
them has their scores: a row per run of the test split, in the order in which the store
returns the runs. The file names the hash of the runs and of the truth that it was made
of, and the version of each metric; where one of these differs, the scores are computed
as for every other store. Files beside other stores are never read: they could have been
edited. ``tools/keep_scores.py`` writes the file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tsmdbench.analysis.labels import (
    SUBSPACE,
    in_benchmark_order,
    in_paper_order,
    store_labels,
    suite_of,
)
from tsmdbench.analysis.tuning_effort import Search, searches
from tsmdbench.arrays import Floats
from tsmdbench.benchmark import SPLITS
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments.method_info import declared_facts
from tsmdbench.experiments.rows import open_parquet, seed_of, seed_order, without_seed
from tsmdbench.experiments.sources import folders_of, load_problems, runs_code
from tsmdbench.experiments.store import (
    NEWEST,
    Store,
    chosen_versions,
    rows_of_versions,
)
from tsmdbench.experiments.truth import (
    TRUTH,
    Truth,
    read_truth,
    truth_of,
    with_channels,
)
from tsmdbench.html_text import html_block, html_frame, html_lines
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS
from tsmdbench.methods.info import MethodInfo
from tsmdbench.metrics import METRICS, Metric
from tsmdbench.metrics.evaluate import Requested, chosen_metrics, evaluate_many
from tsmdbench.validation import check_choice, check_threshold

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
SUBSPACE_METRICS = (
    "subspace_prom_f1",
    "subspace_prom_precision",
    "subspace_prom_recall",
    "subspace_prom_macro_f1",
)
KEY = ["dataset", "label", "problem"]
SETTING = ("method", "version", "dataset", "parameters")
COSTS = ["seconds", "cpu_seconds", "peak_memory"]
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
    "clock": "",  # times of different clocks cannot be compared, see `costs`
}
BASELINES = "baselines"
MINE = "mine"  # stands for the methods of one's own
SHOWN = "prom_f1"  # in a notebook
AT_A_TIME = 4096  # results that are scored together
FOLDER = Path(str(files("tsmdbench") / "data" / "baselines"))
KEPT = "scores.parquet"
MADE_OF = b"made_of"  # in the metadata of the file
SPLIT, THRESHOLD = "test", 0.5
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
        table = self.table
        if not len(table):
            raise DataError(
                "there is no result to compare: the table of scores is empty"
            )
        missing = [name for name in KEY if name not in table.columns]
        if missing:
            raise InputError(f"the table of scores lacks {', '.join(missing)}")
        metrics = [name for name in table.columns if name not in ABOUT]
        if not metrics:
            raise InputError("the table of scores has no column of a metric")
        twice = table.duplicated(KEY)
        if twice.any():
            row = table.loc[twice, KEY].iloc[0]
            raise InputError(
                f"two rows have {row['label']!r} on problem {row['problem']!r} of "
                f"{row['dataset']!r}"
            )
        filled = {"method": table["label"]} if "method" not in table.columns else {}
        for name, value in ABOUT.items():
            if name not in table.columns:
                filled.setdefault(name, value)
        table = table.assign(**filled)[[*ABOUT, *metrics]]
        object.__setattr__(self, "table", table)  # labels and datasets read it
        order = {"dataset": self.datasets, "label": self.labels}
        order["problem"] = tuple(sorted(table["problem"].unique(), key=str))
        places = {
            column: {name: place for place, name in enumerate(names)}
            for column, names in order.items()
        }
        table = table.sort_values(
            list(order),
            key=lambda values: values.map(places[values.name]),
            ignore_index=True,
        )
        object.__setattr__(self, "table", table)

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
        pairs = self.table[["label", "method"]].drop_duplicates()
        return dict(zip(pairs["label"], pairs["method"], strict=True))

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
        found = self.table.groupby("dataset").agg(
            runs=("problem", "size"),
            problems=("problem", "nunique"),
            labels=("label", "nunique"),
        )
        differ = found.index[found["runs"] != found["problems"] * found["labels"]]
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

        both = set(self.labels) & set(other.labels)
        theirs = other.table.assign(
            origin=origin,
            own=own,
            label=other.table["label"].replace({x: f"{x} ({origin})" for x in both}),
        )
        shared = [name for name in self.metrics if name in other.metrics]
        if not shared:
            raise InputError("the two tables of scores have no metric in common")
        kept = [*ABOUT, *shared]
        return Scores(
            pd.concat([self.table[kept], theirs[kept]], ignore_index=True),
            {**other.declared, **self.declared},
            {**other.given, **self.given},
        )


def own_labels(scores: Scores) -> tuple[str, ...]:
    """Return the labels that a report is about, among others that it compares with.

    Where results to compare with were joined, all others. Otherwise the methods that
    are not registered. None if these are all.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"label": ["emma", "new"], "dataset": "A", "problem": 1})
    >>> own_labels(Scores(table.assign(prom_f1=0.5)))
    ('new',)
    """
    is_own = scores.table["own"].to_numpy(dtype=bool)
    own = set(scores.table.loc[is_own, "label"])
    if is_own.all():
        own = {name for name in scores.labels if scores.methods[name] not in METHODS}
    if len(own) == len(scores.labels):
        return ()
    return tuple(name for name in scores.labels if name in own)


def restricted(scores: Scores, only: str | Sequence[str] | None) -> Scores:
    """Keep the methods that are named, in one text with commas or one by one.

    A method is named by its label, its name, or the class in ``module:Class``.
    ``"mine"`` stands for the methods of one's own, see `own_labels`. None keeps all.

    >>> import pandas as pd
    >>> names = ["emma", "my.module:New", "valmod"]
    >>> table = pd.DataFrame({"label": names, "dataset": "A", "problem": 1})
    >>> restricted(Scores(table.assign(prom_f1=0.5)), "New, emma").labels
    ('emma', 'my.module:New')
    """
    if only is None:
        return scores
    parts = only.split(",") if isinstance(only, str) else list(only)
    names = [name for name in (str(part).strip() for part in parts) if name]
    if not names:
        raise InputError("only must name at least one method")
    kept = dict.fromkeys(label for name in names for label in _named(scores, name))
    return scores.only(labels=list(kept))


def only_label(scores: Scores, name: str) -> str:
    """Return the one label that a name stands for, see `restricted`."""
    found = _named(scores, name.strip())
    if len(found) > 1:
        raise InputError(
            f"reference must be one method; {name!r} means {', '.join(found)}"
        )
    return found[0]


def _named(scores: Scores, name: str) -> list[str]:
    """Return the labels that a name stands for."""
    if name in scores.labels:
        return [name]
    found = [
        label
        for label, method in scores.methods.items()
        if name in (method, method.rpartition(":")[2])
    ]
    if not found and name == MINE:
        found = list(own_labels(scores))
    if not found:
        raise InputError(
            f"no method is called {name!r}; known: {', '.join(scores.labels)}"
        )
    return found


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
    if metrics is None:
        metrics = default_metrics(what[0] for what in store.counts())
    columns = requested_metrics(metrics)
    check_threshold(threshold)
    about = ["method", "version", "parameters", "dataset", "problem", "status", *COSTS]
    where = {"split": check_choice(split, "split", SPLITS)}
    given = {name: metric for name, (_, metric, _) in columns.items()}
    kept = {}
    if (split, threshold) == (SPLIT, THRESHOLD):
        kept = kept_values(store, given)
    left = {name: what for name, what in columns.items() if name not in kept}
    rows = store.table([*about, *(["found"] if left else [])], where)
    if not len(rows):
        raise DataError(f"{store.path} has no run in split {split!r}")
    for name, values in kept.items():
        rows = rows.append_column(name, [values])
    rows = rows_of_versions(rows, chosen_versions(store, split, version))
    table = rows.select([*about, *kept]).to_pandas()
    declared = declared_facts(store.manifest)
    searched: dict[tuple[str, str], Search] = {}

    def is_winner(setting: tuple[str, str, str, str]) -> bool:
        """Return True if a search of the store chose a setting."""
        if not searched:  # read where a method has several settings only
            searched.update(searches(store))
        dataset, method, _, parameters = setting
        search = searched.get((dataset, method))
        return search is not None and search.chose(parameters)

    # Runs that differ in the seed only have one setting, and one label.
    names = ("dataset", "method", "version", "parameters")
    *places, texts = (rows[name].to_pylist() for name in names)
    plain = {text: without_seed(text) for text in set(texts)}
    settings = list(zip(*places, (plain[text] for text in texts), strict=True))
    labels = store_labels(settings, declared, is_winner)
    table["label"] = [labels[setting] for setting in settings]
    if left:
        table = table.assign(**run_values(store, rows, left, split, threshold))
    table = table[[*about, "label", *columns]]
    return Scores(mean_over_seeds(table, list(columns)), declared, given)


def default_metrics(datasets: Iterable[str]) -> tuple[str, ...]:
    """Return the metrics that runs on these datasets are scored with by default."""
    in_channels = any(suite_of(name) == SUBSPACE for name in datasets)
    return DEFAULT_METRICS + SUBSPACE_METRICS * in_channels


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
        if columns.setdefault(column, (plain, known, off))[1] != known:
            raise InputError(f"two different metrics are called {column!r}; rename one")
    if not columns:
        raise InputError("metrics is empty; name at least one")
    return columns


def run_values(
    store: Store, rows: Any, columns: Columns, split: str, threshold: float
) -> dict[str, Any]:
    """Compute the columns for rows of a store."""
    names = ("dataset", "problem")
    keys = list(zip(*(rows[name].to_pylist() for name in names), strict=True))
    known = truths(store, sorted({dataset for dataset, _ in keys}), split)
    for dataset, problem in set(keys) - set(known):
        raise DataError(
            f"the store has a run on problem {problem!r}, which {dataset!r} does not "
            f"have"
        )
    parts: dict[str, list[Any]] = {name: [] for name in columns}
    # Some rows at a time: with all found sets at once Python counts garbage.
    for start in range(0, len(rows), AT_A_TIME):
        found = found_sets(rows.slice(start, AT_A_TIME))
        some = keys[start : start + AT_A_TIME]
        results = [with_channels(known[k], f) for k, f in zip(some, found, strict=True)]
        for penalize in (False, True):
            chosen = {name: c for name, c in columns.items() if c[2] == penalize}
            if not chosen:
                continue
            options = {"threshold": threshold, "penalize_off_target": penalize}
            used = {option for c in chosen.values() for option in c[1].options}
            given = {name: value for name, value in options.items() if name in used}
            made = evaluate_many(results, [c[0] for c in chosen.values()], **given)
            for name, column in zip(chosen, made.dtype.names or (), strict=True):
                parts[name].append(made[column])
    return {name: np.concatenate(values) for name, values in parts.items()}


def found_sets(rows: Any) -> list[list[Any]]:
    """Return the found sets of each run; empty for a failed run."""
    pairs = zip(rows["status"].to_pylist(), rows["found"].to_pylist(), strict=True)
    return [found if status == "ok" else [] for status, found in pairs]


def labelled_runs(
    scores: Scores,
    stores: Mapping[str, Iterable[Store]],
    columns: Sequence[str],
    where: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return the stored runs behind scores, each with its label, ordered by seed.

    `stores` has where the runs of each origin are, see `Scores.join`; `columns` are
    read besides those that name a run, of the rows that fit `where`.
    """
    place = ("label", "dataset", "problem")
    scored = set(zip(*(scores.table[name] for name in place), strict=True))
    found = []
    for origin, each in stores.items():
        mine = scores.table[scores.table["origin"] == origin]
        settings = zip(*(mine[name] for name in SETTING), strict=True)
        labels = {
            (*rest, without_seed(parameters)): label  # repeats differ in the seed only
            for (*rest, parameters), label in zip(settings, mine["label"], strict=True)
        }
        for store in each:
            rows = store.table([*SETTING, "problem", *columns], where)
            for row in rows.to_pylist():
                *rest, parameters = (row[name] for name in SETTING)
                row["label"] = labels.get((*rest, without_seed(parameters)))
                if tuple(row[name] for name in place) in scored:
                    found.append(row)
    return sorted(found, key=lambda row: seed_order(seed_of(row["parameters"])))


def truths(
    store: Store, datasets: Iterable[str], split: str
) -> dict[tuple[str, str], Truth]:
    """Return the truth of each (dataset, problem) of a store.

    It lies beside the runs. If that file is gone, it comes from the data, but not from
    a function that the store names: reading a store runs no code.
    """
    kept = {
        (dataset, problem): truth
        for (dataset, part, problem), truth in read_truth(store.path).items()
        if part == split
    }
    for dataset in set(datasets) - {dataset for dataset, _ in kept}:
        if runs_code(dataset):
            raise DataError(
                f"{store.path / TRUTH} does not have {dataset}; 'tsmdbench resume "
                f"{store.path}' adds what is missing"
            )
        folders = folders_of(store.manifest)
        for problem in load_problems(dataset, split, folders=folders):
            kept[dataset, problem.name] = truth_of(problem)
    return kept


def kept_values(store: Store, metrics: Mapping[str, Metric]) -> dict[str, Floats]:
    """Return the kept columns among those of `metrics`, a value per run of `SPLIT`."""
    file = store.path / KEPT
    if store.path.parent != FOLDER or not file.is_file():
        return {}
    with open_parquet(file) as opened:
        made_of = json.loads(opened.schema_arrow.metadata[MADE_OF])
        if made_of["runs"] != runs_hash(store):
            return {}
        names = [
            name
            for name, metric in metrics.items()
            if metric.name in METRICS.added()
            and metric == METRICS[metric.name]
            and made_of["versions"].get(name) == metric.version
        ]
        table = opened.read(columns=names, use_threads=False)
    return {name: np.asarray(table[name], dtype=np.float64) for name in names}


def made_of(store: Store, metrics: Mapping[str, Metric]) -> bytes:
    """Return the versions that kept scores depend on, for the metadata of the file."""
    versions = {name: metric.version for name, metric in metrics.items()}
    return json.dumps({"runs": runs_hash(store), "versions": versions}).encode()


def runs_hash(store: Store) -> str:
    """Return the hash of the runs and of the truth of a store."""
    found = hashlib.sha256()
    for file in (*store.parts(), store.path / TRUTH):
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


def mean_over_seeds(table: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Return one row per method and problem: the mean of its repeats.

    Rows of one label and problem differ in the seed only. Columns that are not averaged
    are those of the first seed. Two more are added: ``repeats``, the number of runs,
    and ``by_seed``, for each seed its scores, or None where there was one run.
    """
    table = table.assign(repeats=1, by_seed=None)
    repeated = table.duplicated(KEY, keep=False)
    means = []
    for _, rows in table[repeated].groupby(KEY, sort=False):
        seeds = [seed_of(text) for text in rows["parameters"]]
        order = sorted(range(len(seeds)), key=lambda n: seed_order(seeds[n]))
        rows, scored = rows.iloc[order], rows[list(metrics)].iloc[order]
        failed = rows["status"] != "ok"
        timed = rows if failed.all() else rows[~failed]
        by_seed = zip((seeds[n] for n in order), scored.to_dict("records"), strict=True)
        mean = rows.iloc[0].to_dict() | scored.mean().to_dict()
        mean |= timed[COSTS].mean().to_dict()
        mean |= {"repeats": len(rows), "by_seed": dict(by_seed)}
        if failed.any():
            mean["status"] = rows["status"][failed].iloc[0]
        means.append(mean)
    parts = table[~repeated], pd.DataFrame(means)
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def seed_spread(scores: Scores, metric: str = "prom_f1") -> pd.DataFrame:
    """Return how much the mean score of each method varies with its seed.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metric : str, default "prom_f1"
        Averaged over problems, then over datasets with equal weights.

    Returns
    -------
    pandas.DataFrame
        A row per label: ``seeds``, how many all its problems have (1 for a method that
        was not repeated); ``sd``, the standard deviation of the mean over them, NaN
        with fewer than two.

    Examples
    --------
    >>> import pandas as pd
    >>> from tsmdbench.analysis import Scores
    >>> table = pd.DataFrame({"label": "m", "dataset": "A", "problem": [1, 2]})
    >>> table["prom_f1"] = [0.5, 0.5]
    >>> table["by_seed"] = [{0: {"prom_f1": 0.4}, 1: {"prom_f1": 0.6}}] * 2
    >>> seed_spread(Scores(table)).round(3).loc["m"].tolist()
    [2.0, 0.141]
    """
    scores.check_metric(metric)
    table = pd.DataFrame({"seeds": 1, "sd": np.nan}, index=list(scores.labels))
    several = scores.table[["label", "dataset", "by_seed"]]
    several = several[scores.table["repeats"].gt(1) | several["by_seed"].notna()]
    for label, rows in several.groupby("label", sort=False):
        if len(rows) < (scores.table["label"] == label).sum():
            continue  # some problems were run once
        values = list(rows["by_seed"])
        shared = set(values[0]).intersection(*values[1:])
        means = [
            pd.Series([value[seed][metric] for value in values])
            .groupby(rows["dataset"].to_numpy())
            .mean()
            .mean()
            for seed in sorted(shared, key=seed_order)
        ]
        if len(means) > 1:
            table.loc[label] = len(means), np.std(means, ddof=1)
    return table

"""The tables of the report, each from the analysis that it shows.

`all_tables` makes them all. Numbers are in the frames as they were computed, so the
CSV files can be computed with; what is for reading only (the best in bold, rounding) is
done when a table is written, see `tsmdbench.report.table`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from tsmdbench.analysis.bootstrap import intervals, overall_intervals, summary
from tsmdbench.analysis.comparison import Comparison, bayesian_signed_rank
from tsmdbench.analysis.costs import comparable_times, cost
from tsmdbench.analysis.difficulty import (
    FEWEST_DATASETS,
    MOST,
    WORDS,
    breaking_points,
    dataset_properties,
    dial_scores,
    has_dials,
    property_correlations,
)
from tsmdbench.analysis.labels import (
    in_benchmark_order,
    in_paper_order,
    main_metric,
    main_metrics,
)
from tsmdbench.analysis.metric_agreement import COMPARED, Agreement, agreement
from tsmdbench.analysis.ranking import DECIMALS, Significance, significance
from tsmdbench.analysis.scores import Scores, seed_spread
from tsmdbench.analysis.standings import AGAINST
from tsmdbench.analysis.tuning_effort import COLUMNS, Effort, surfaces
from tsmdbench.errors import InputError
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import read_truth
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.methods.info import MethodInfo, method_info
from tsmdbench.plural import counted
from tsmdbench.report.figures.style import duration, metric_title
from tsmdbench.report.table import Interval, Table, metric_name

MEANS = ("prom_f1", "prom_precision", "prom_recall", "prom_macro_f1")
RANKED = ("prom_f1", "prom_precision", "prom_recall")
MESSAGE = 80  # characters of a failure's message
_PLAIN = "{:g}".format


def all_tables(
    scores: Scores,
    store: Store | None = None,
    *,
    metrics: Sequence[str] | None = None,
    transpose: bool = False,
    efforts: Mapping[str, Effort] | None = None,
    costs: pd.DataFrame | None = None,
    comparison: Comparison | None = None,
) -> list[Table]:
    """Return every table of the report; tests need at least two methods.

    Parameters
    ----------
    scores : Scores
        The results, with or without those of the baselines.
    store : Store, optional
        Where they are from; its messages explain failures.
    metrics : sequence of str, optional
        Metrics of the comparison and of the tables of means; by default F1, precision,
        recall and macro F1.
    transpose : bool, default False
        Swap rows and columns of the comparison and of the tables of means.
    efforts : mapping, optional
        What the searches of each method took, from
        `tsmdbench.analysis.tuning_effort`.
    costs : DataFrame, optional
        What `tsmdbench.analysis.error_costs` made of one's own runs.
    comparison : Comparison, optional
        Of these scores by F1; its reference is compared with each other method.
    """
    chosen = check_metrics(scores, metrics)
    several = len(scores.labels) > 1  # methods; one has nothing to be tested against
    spread = bool(scores.table.duplicated(["dataset", "label"]).any())  # over problems
    tables = [comparison_table(scores, chosen, transpose=transpose)]
    tables += [means_table(scores, m, transpose=transpose) for m in chosen]
    if spread:
        tables.append(spread_table(scores))
    if (scores.table["repeats"] > 1).any():
        tables.append(seeds_table(scores))
    for metric in main_metrics(scores.datasets, RANKED):
        if metric in scores.metrics and several:
            found = significance(scores, metric)
            tables.append(ranks_table(found, metric))
            if len(found.datasets_used) > 1:
                tables.append(p_values_table(found, metric))
    if several and comparison is not None and comparison.reference:
        tables.append(against_table(comparison))
    if several and len(scores.datasets) > 1:
        tables.append(bayesian_table(scores, main_metric(scores.datasets)))
    if spread:
        tables.append(intervals_table(scores, main_metric(scores.datasets)))
    if has_dials(scores):
        tables += [dials_table(scores), breaking_table(scores)]
    if store is not None and len(_known(scores, store)) >= FEWEST_DATASETS:
        tables.append(properties_table(scores, store))
    if len(scores.table) > 1 and set(COMPARED.values()) <= set(scores.metrics):
        tables.append(agreement_table(agreement(scores)))
    methods = dict.fromkeys(scores.methods[name] for name in scores.labels)
    tables += [
        settings_table(scores),
        cost_table(scores),
        failures_table(scores, store),
        methods_table(list(methods), scores.declared),
    ]
    if efforts is not None:
        tables.append(tuning_table(efforts))
    if costs is not None and len(costs):
        tables.append(errors_table(costs))
    return tables


def check_metrics(scores: Scores, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the metrics that tables are made of; raise for one that is not scored."""
    if metrics is None:
        every = dict.fromkeys([*main_metrics(scores.datasets, MEANS), *MEANS])
        return tuple(name for name in every if name in scores.metrics)
    names = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    if not names:
        raise InputError("metrics must name at least one metric")
    return tuple(scores.check_metric(name) for name in names)


def means_table(
    scores: Scores, metric: str = "prom_f1", *, transpose: bool = False
) -> Table:
    """Return the mean per dataset and method, and over datasets."""
    means = scores.means(metric)
    failed = (
        scores.table.assign(bad=scores.table["status"] != "ok")
        .pivot_table("bad", "dataset", "label", aggfunc="sum", fill_value=0)
        .reindex(index=means.index, columns=means.columns, fill_value=0)
    )
    means.loc["mean"], failed.loc["mean"] = means.mean(skipna=False), failed.sum()
    first, last = "dataset", "row"
    if transpose:
        means, failed, first, last = means.T, failed.T, "method", "column"
    frame = means.reset_index(drop=True)
    frame.insert(0, first, list(means.index), allow_duplicates=True)
    return Table(
        f"means_{metric_name(metric)}",
        f"Mean {metric_title(metric)} per dataset and method; the last {last} is the "
        f"mean over datasets, of methods that ran on all of them.",
        frame,
        compared=tuple(str(name) for name in means.columns),
        best="highest" if scores.higher_is_better(metric) else "lowest",
        failed=failed.reset_index(drop=True),
        along="column" if transpose else "row",
    )


def spread_table(scores: Scores) -> Table:
    """Return mean, median and quartiles per dataset, method and metric."""
    return Table(
        "spread",
        "Mean, median and quartiles over the problems of a dataset; failed runs score "
        "0.",
        summary(scores).rename(columns={"label": "method"}),
    )


def comparison_table(
    scores: Scores, metrics: Sequence[str] = ("prom_f1",), *, transpose: bool = False
) -> Table:
    """Return mean and interval of each method by some metrics: the table of a paper."""
    names = {metric: metric_title(metric) for metric in metrics}
    found = {
        names[metric]: overall_intervals(scores, metric).set_index("label")
        for metric in metrics
    }
    datasets = max(int(table["datasets"].max()) for table in found.values())
    mean, low, high = (
        pd.DataFrame({name: table[part] for name, table in found.items()})
        for part in ("mean", "low", "high")
    )
    if transpose:
        mean, low, high = mean.T, low.T, high.T
    return Table(
        "comparison",
        f"Mean over {counted(datasets, 'dataset')} with the 95% bootstrap interval "
        f"over problems; best in bold.",
        mean.reset_index(names="metric" if transpose else "method"),
        compared=tuple(str(name) for name in mean.columns),
        along="row" if transpose else "column",
        lowest=tuple(names[m] for m in metrics if not scores.higher_is_better(m)),
        intervals=_ends(low, high),
    )


def _ends(low: pd.DataFrame, high: pd.DataFrame) -> dict[str, Interval]:
    """Return the ends of the intervals by column."""
    return {str(name): (low[name].tolist(), high[name].tolist()) for name in low}


def ranks_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return average ranks, and from whom a method does not differ significantly."""
    ranks = found.average_ranks
    # Equal ranks share a place.
    places = ranks.round(DECIMALS).rank(method="min")
    rows = []
    for label in found.labels:
        others = [other for other in found.labels if other != label]
        differ = found.rejected.loc[label, others]
        same = list(differ.index[~differ])
        better = int((differ & (ranks[others] > ranks[label])).sum())
        alike = "all others" if others and same == others else ", ".join(same) or "none"
        place = int(places[label]) if places[label] > 0 else None
        rows.append((place, label, float(ranks[label]), better, alike))
    names = ["place", "method", "average rank", "better than", "not different from"]
    return Table(
        f"ranks_{metric_name(metric)}",
        f"Average ranks by mean {metric_title(metric)} over "
        f"{counted(len(found.datasets_used), 'dataset')} (1 is best); equal ranks "
        f"share a place. 'Better than' counts the methods that a method is "
        f"significantly better than. {_tests(found)}",
        pd.DataFrame(rows, columns=names),
    )


def p_values_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return the p-values of all pairs, before and after Holm's correction."""
    measured = (found.p_values, found.adjusted, found.rejected)
    rows = [
        (first, second, *(values.loc[first, second] for values in measured))
        for place, first in enumerate(found.labels)
        for second in found.labels[place + 1 :]
    ]
    names = ["first", "second", "p", "p (Holm)", "different"]
    return Table(
        f"p_values_{metric_name(metric)}",
        f"Wilcoxon signed-rank tests of mean {metric_title(metric)}; the first method "
        f"has the better average rank. {_tests(found)}",
        pd.DataFrame(rows, columns=names),
        written={"p": p_value, "p (Holm)": p_value},
    )


def _tests(found: Significance) -> str:
    words = f"Two-sided tests with Holm's correction at level {found.alpha:g}."
    return f"{words} {found.note}".strip()


def p_value(p: float) -> str:
    """Write a p-value.

    >>> p_value(0.0421), p_value(0.0004)
    ('0.042', '< 0.001')
    """
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def against_table(found: Comparison) -> Table:
    """Return the reference against each other method, by both questions."""
    frame = found.against_reference()
    names = {name: title for name, (title, _) in AGAINST.items() if name in frame}
    names["label"] = "method"
    return Table(
        "against_reference",
        f"{found.reference} against each other method by F1: positive where it is "
        f"better. {'. '.join(note[:1].upper() + note[1:] for note in found.notes)}.",
        frame.drop(columns=["low", "high"]).rename(columns=names),
        written={title: form.format for title, form in AGAINST.values() if title},
        intervals={"difference": (frame["low"].tolist(), frame["high"].tolist())},
    )


def bayesian_table(
    scores: Scores, metric: str = "prom_f1", rope: float = 0.01
) -> Table:
    """Return the probabilities that one of two methods is better, or none."""
    return Table(
        f"bayesian_{metric_name(metric)}",
        f"Bayesian signed-rank test of mean {metric_title(metric)}: probability that "
        f"the first method is better, that both are practically equivalent (within "
        f"{rope:g}), that the second is better.",
        bayesian_signed_rank(scores, metric, rope=rope),
        compared=("p_first", "p_equal", "p_second"),
    )


def intervals_table(scores: Scores, metric: str = "prom_f1") -> Table:
    """Return bootstrap intervals of the mean per dataset and method."""
    overall = overall_intervals(scores, metric).drop(columns="datasets")
    overall.insert(0, "dataset", "over datasets")
    frame = pd.concat([intervals(scores, metric), overall], ignore_index=True)
    frame["problems"] = frame["problems"].astype("Int64")
    return Table(
        f"intervals_{metric_name(metric)}",
        f"Mean {metric_title(metric)} with 95% bootstrap intervals, per dataset and "
        f"over the datasets that all methods have, with equal weights.",
        frame.rename(columns={"label": "method"}),
    )


def agreement_table(found: Agreement) -> Table:
    """Return Kendall's tau between the metrics, overall and by dataset."""
    parts = {"all results": found.overall, "mean over datasets": found.by_dataset}
    return Table(
        "kendall",
        f"Kendall's tau-b between the rankings of {found.results} results by the "
        f"metrics; S is a cost, its ranking is reversed.",
        pd.concat(parts, names=["over", "metric"]).reset_index(),
    )


def dials_table(scores: Scores) -> Table:
    """Return mean F1 at each position of each dial, with intervals."""
    found = dial_scores(scores)
    wide = found.pivot(index=["dial", "position"], columns="label")
    dials = list(dict.fromkeys(found["dial"]))
    mean, low, high = (
        wide[part].loc[dials, _labels(scores, wide[part])]
        for part in ("mean", "low", "high")
    )
    return Table(
        "dials",
        "Mean F1 with the 95% bootstrap interval over problems, when one difficulty "
        "dial is moved; the first position of each dial is the default.",
        mean.reset_index(),
        compared=tuple(map(str, mean.columns)),
        written={"position": _PLAIN},
        intervals=_ends(low, high),
    )


def breaking_table(scores: Scores) -> Table:
    """Return the position of each dial at which each method breaks."""
    found = breaking_points(scores)
    dials = list(dict.fromkeys(found["dial"]))
    wide = found.pivot(index="label", columns="dial", values="breaks_at")
    frame = wide.loc[_labels(scores, wide.T), dials]
    default = found.groupby("label")["default"].first()
    frame.insert(0, "F1 at the default", default.loc[frame.index])
    return Table(
        "breaking_points",
        "Where methods break: the first position of each difficulty dial at which the "
        "mean F1 is at most half of that at the default; a dash where there is none.",
        frame.reset_index(names="method"),
        written=dict.fromkeys(dials, _PLAIN),
    )


def properties_table(scores: Scores, store: Store) -> Table:
    """Return the rank correlation of mean F1 with properties of the datasets."""
    properties = dataset_properties(store, _known(scores, store))
    found = property_correlations(scores, properties)
    wide = found.pivot(index="property", columns="label", values="rho")
    frame = wide.loc[list(properties.columns), _labels(scores, wide)]
    return Table(
        "properties",
        f"Spearman's rank correlation, over {len(properties)} datasets, of the mean F1 "
        f"of a method with properties of the datasets: negative where a method is "
        f"worse the more there is of a property.",
        frame.reset_index(),
    )


def _known(scores: Scores, store: Store) -> list[str]:
    """Return the datasets whose test problems a store knows; others need their data."""
    kept = {dataset for dataset, split, _ in read_truth(store.path) if split == "test"}
    return [dataset for dataset in scores.datasets if dataset in kept]


def _labels(scores: Scores, wide: pd.DataFrame) -> list[str]:
    """Return the labels that are columns, in the order of the scores."""
    return [label for label in scores.labels if label in wide]


def settings_table(scores: Scores) -> Table:
    """Return the hyperparameters that every method had on every dataset."""
    rows = scores.table[["dataset", "label", "parameters"]].drop_duplicates()
    frame = rows.rename(columns={"label": "method"}).reset_index(drop=True)
    frame["parameters"] = [setting_words(text) for text in frame["parameters"]]
    return Table(
        "settings",
        "Hyperparameters of the runs. They were chosen on the validation split if the "
        "method was tuned, and computed from the data otherwise.",
        frame,
    )


def setting_words(text: str) -> str:
    """Return parameters as ``name=value``; what is not a JSON object stays as it is."""
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    if not isinstance(fields, dict):
        return text
    # A computed radius does not need sixteen digits.
    return ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in fields.items()
    )


def cost_table(scores: Scores) -> Table:
    """Return times, memory and failures per method."""
    columns = {
        "runs": "runs",
        "failed": "failed",
        "seconds": "time",
        "median_seconds": "median time",
        "max_seconds": "longest time",
        "max_peak_memory": "peak memory",
    }
    frame = cost(scores)[list(columns)].rename(columns=columns)
    frame = frame.reset_index(names="method")
    caption = (
        "Processor time of a successful run and memory, per method. 'Time' is the "
        "mean over the datasets that all methods have, with equal weights; median and "
        "longest time are over all successful runs. The CSV file has seconds and "
        "bytes."
    )
    comparable = comparable_times(scores)
    if not all(comparable.values()):
        frame["times comparable"] = list(comparable.values())
        caption += (
            " Times that are not comparable come from another machine that was not "
            "calibrated."
        )
    times = dict.fromkeys(("time", "median time", "longest time"), duration)
    written = {**times, "peak memory": size_in_memory}
    return Table("cost", caption, frame, written=written)


def size_in_memory(size: float) -> str:
    """Write a number of bytes.

    >>> size_in_memory(123_456_789), size_in_memory(5 * 2**30)
    ('118 MiB', '5.0 GiB')
    """
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 else f"{size / 2**20:.0f} MiB"


def failures_table(scores: Scores, store: Store | None = None) -> Table:
    """Return how many runs failed, per method, dataset and kind of failure."""
    messages: dict[tuple[str, str, str], str] = {}  # the first one of each kind
    if store is not None:
        columns = ["problem", "method", "dataset", "status", "message"]
        bad = {"status": ["timeout", "memory", "error"], "split": "test"}
        for row in store.table(columns, bad).sort_by("problem").to_pylist():
            _, *kind, message = row.values()
            line = " ".join(str(message or "").split())
            messages.setdefault((*kind,), line[:MESSAGE])
    failed = scores.table[scores.table["status"] != "ok"]
    runs = scores.table.groupby(["label", "dataset"]).size()
    kinds = failed.groupby(["label", "dataset", "status"], sort=False)
    rows = [
        (
            *kind,
            len(group),
            runs[kind[:2]],
            messages.get((group["method"].iloc[0], *kind[1:]), ""),
        )
        for kind, group in kinds
    ]
    names = ["method", "dataset", "status", "failed", "runs", "first message"]
    return Table(
        "failures",
        "Failed runs; they score 0." if rows else "No run failed.",
        pd.DataFrame(rows, columns=names),
    )


def errors_table(costs: pd.DataFrame) -> Table:
    """Return the F1 that each kind of error costs each method (`error_costs`)."""
    frame = costs.rename(columns={"label": "method", "f1": "F1", **WORDS})
    return Table(
        "errors",
        f"F1 that each kind of error costs: the mean gain if all errors of that kind "
        f"were fixed. At most {MOST} problems per dataset are explained. Failed runs "
        f"count as missed motifs.",
        frame.astype({"runs": int}),
    )


def tuning_table(efforts: Mapping[str, Effort]) -> Table:
    """Return on how many validation problems each method was tuned."""
    rows = [
        (label, effort.words, effort.settings, effort.datasets)
        for label, effort in efforts.items()
    ]
    names = ["method", "validation problems per dataset", "settings", "datasets"]
    return Table(
        "tuning",
        "Number of validation problems per dataset on which each method was tuned, "
        "largest number of settings that were tried on a dataset, and number of "
        "datasets, according to the searches in the stores.",
        pd.DataFrame(rows, columns=names),
    )


def seeds_table(scores: Scores) -> Table:
    """Return mean and standard deviation over seeds of methods that have several."""
    repeated = set(scores.table.loc[scores.table["repeats"] > 1, "label"])
    labels = [label for label in scores.labels if label in repeated]
    frame = pd.DataFrame({"method": labels}, index=labels)
    for metric in (name for name in MEANS if name in scores.metrics):
        found, title = seed_spread(scores, metric), metric_title(metric)
        if "seeds" not in frame:
            frame["seeds"] = found["seeds"].astype(int)
        frame[title] = scores.means(metric).mean()
        frame[f"{title} sd"] = found["sd"]
    return Table(
        "seeds",
        "Methods that were run with several seeds: mean score over datasets, and its "
        "standard deviation (sd) over the seeds. All other tables and the figures show "
        "means over seeds.",
        frame,
    )


def methods_table(
    methods: Sequence[str] = PAPER_METHODS,
    declared: Mapping[str, MethodInfo] | None = None,
) -> Table:
    """Return the capabilities of the methods (the paper's table of methods)."""
    rows = []
    for method in methods:
        known = method_info(method, declared)
        samples = None if known.symbolic is None else not known.symbolic
        able = (known.variable_length, known.multivariate, samples)
        parameters = ", ".join(known.parameters)
        if known == MethodInfo():
            able, parameters = (None, None, None), "unknown"
        rows.append((method, *able, parameters))
    able_to = ("variable length", "multivariate", "no symbolic approximation")
    return Table(
        "methods",
        "The methods: whether lengths differ between sets (inter) or within a set "
        "(intra), whether they take several channels, whether they compare samples "
        "instead of symbols, and their hyperparameters without a default.",
        pd.DataFrame(rows, columns=["method", *able_to, "parameters"], dtype=object),
    )


def read_surfaces(store: Store) -> Any:
    """Return every setting of every search: a row per setting, in the paper's order.

    Returns
    -------
    DataFrame
        Columns dataset, method, parameters (JSON), mean_f1, problems, failed,
        mean_seconds, mean_cpu_seconds, winner; without rows where nothing was tuned.

    Raises
    ------
    DataError
        A file is not a tuning surface; the message names it.
    """
    tables = [table.to_pandas() for table in surfaces(store)]
    if not tables:
        return pd.DataFrame(columns=list(COLUMNS))
    rows = pd.concat(tables, ignore_index=True)
    order = {
        "dataset": in_benchmark_order(rows["dataset"]),
        "method": in_paper_order({name: name for name in rows["method"]}),
    }
    rows = rows.sort_values(
        list(order), key=lambda names: names.map(order[names.name].index)
    )
    return rows[list(COLUMNS)].reset_index(drop=True)

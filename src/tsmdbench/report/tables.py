"""The tables of the report, each from the analysis that it shows.

`all_tables` makes them all. Numbers are in the frames as they were computed, so the
CSV files can be computed with; what is for reading only (the best in bold, rounding) is
done when a table is written, see `tsmdbench.report.table`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from tsmdbench.analysis.ranking import DECIMALS
from tsmdbench.analysis.scores import Scores, seed_spread
from tsmdbench.analysis.standings import AGAINST
from tsmdbench.analysis.tuning_effort import COLUMNS, surfaces
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.errors import InputError
from tsmdbench.experiments.truth import read_truth
from tsmdbench.io import write_atomically
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.methods.info import MethodInfo, method_info
from tsmdbench.plural import counted
from tsmdbench.report.figures.style import duration, metric_title
from tsmdbench.report.table import Table, metric_name

if TYPE_CHECKING:
    import pandas as pd

    from tsmdbench.analysis.comparison import Comparison
    from tsmdbench.analysis.metric_agreement import Agreement
    from tsmdbench.analysis.ranking import Significance
    from tsmdbench.analysis.tuning_effort import Effort
    from tsmdbench.experiments.store import Store

MEANS = ("prom_f1", "prom_precision", "prom_recall", "prom_macro_f1")
RANKED = ("prom_f1", "prom_precision", "prom_recall")
# Columns of the scores that are for drawing and joining.
LEFT_OUT = ("clock", "own")
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
    from tsmdbench.analysis.metric_agreement import COMPARED, agreement
    from tsmdbench.analysis.ranking import significance

    chosen = check_metrics(scores, metrics)
    several = len(scores.labels) > 1  # methods; one has nothing to be tested against
    spread = bool(scores.table.duplicated(["dataset", "label"]).any())  # over problems
    tables = [comparison_table(scores, chosen, transpose=transpose)]
    tables += [means_table(scores, m, transpose=transpose) for m in chosen]
    if spread:
        tables.append(spread_table(scores))
    if (scores.table["repeats"] > 1).any():
        tables.append(seeds_table(scores))
    for metric in RANKED:
        if metric in scores.metrics and several:
            found = significance(scores, metric)
            tables.append(ranks_table(found, metric))
            if len(found.datasets_used) > 1:
                tables.append(p_values_table(found, metric))
    if several and comparison is not None and comparison.reference:
        tables.append(against_table(comparison))
    if several and len(scores.datasets) > 1:
        tables.append(bayesian_table(scores))
    if spread:
        tables.append(intervals_table(scores))
    tables += difficulty_tables(scores, store)
    if len(scores.table) > 1 and set(COMPARED.values()) <= set(scores.metrics):
        tables.append(agreement_table(agreement(scores)))
    tables += [
        settings_table(scores),
        cost_table(scores),
        failures_table(scores, store),
        methods_table(
            list(dict.fromkeys(scores.methods[name] for name in scores.labels)),
            scores.declared,
        ),
    ]
    if efforts is not None:
        tables.append(tuning_table(efforts))
    if costs is not None and len(costs):
        tables.append(errors_table(costs))
    return tables


def check_metrics(scores: Scores, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """Return the metrics that tables are made of; raise for one that is not scored."""
    if metrics is None:
        return tuple(name for name in MEANS if name in scores.metrics)
    names = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    if not names:
        raise InputError("metrics must name at least one metric")
    return tuple(scores.check_metric(name) for name in names)


def means_table(
    scores: Scores, metric: str = "prom_f1", *, transpose: bool = False
) -> Table:
    """Return the mean per dataset and method, and over datasets.

    Parameters
    ----------
    scores : Scores
    metric : str, default "prom_f1"
    transpose : bool, default False
        A row per method and a column per dataset, instead of the reverse.
    """
    import pandas as pd

    means = scores.means(metric)
    failed = (
        scores.table.assign(bad=scores.table["status"] != "ok")
        .groupby(["dataset", "label"])["bad"]
        .sum()
        .unstack()
        .reindex(index=means.index, columns=means.columns)
        .fillna(0)
    )
    means = pd.concat([means, means.mean(axis=0, skipna=False).to_frame("mean").T])
    failed = pd.concat([failed, failed.sum().to_frame("mean").T])
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
    from tsmdbench.analysis.bootstrap import summary

    frame = summary(scores).rename(columns={"label": "method"})
    return Table(
        "spread",
        "Mean, median and quartiles over the problems of a dataset; failed runs score "
        "0.",
        frame,
    )


def comparison_table(
    scores: Scores, metrics: Sequence[str] = ("prom_f1",), *, transpose: bool = False
) -> Table:
    """Return mean and interval of each method by some metrics: the table of a paper.

    Parameters
    ----------
    scores : Scores
        Of the methods to compare.
    metrics : sequence of str
        A column each.
    transpose : bool, default False
        A row per metric and a column per method.
    """
    import pandas as pd

    from tsmdbench.analysis.bootstrap import overall_intervals

    found = {
        metric: overall_intervals(scores, metric).set_index("label")
        for metric in metrics
    }
    names = {metric: metric_title(metric) for metric in metrics}
    datasets = max(int(table["datasets"].max()) for table in found.values())
    frames = {
        part: pd.DataFrame({names[m]: table[part] for m, table in found.items()})
        for part in ("mean", "low", "high")
    }
    if transpose:
        frames = {part: frame.T for part, frame in frames.items()}
    shown = frames["mean"].reset_index(names="metric" if transpose else "method")
    costs = {metric for metric in metrics if not scores.higher_is_better(metric)}
    columns = tuple(str(name) for name in frames["mean"].columns)
    lowest = [n for n in shown.iloc[:, 0] if n in {names[m] for m in costs}]
    return Table(
        "comparison",
        f"Mean over {counted(datasets, 'dataset')} with the 95% bootstrap interval "
        f"over problems; best in bold.",
        shown,
        compared=columns,
        along="row" if transpose else "column",
        lowest=tuple(lowest if transpose else (names[m] for m in costs)),
        intervals={
            str(name): (frames["low"][name].tolist(), frames["high"][name].tolist())
            for name in frames["mean"].columns
        },
    )


def ranks_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return average ranks, and from whom a method does not differ significantly."""
    import pandas as pd

    rows = []
    places = found.average_ranks.round(DECIMALS).rank(
        method="min"
    )  # equal ranks share a place
    for label in found.labels:
        others = [other for other in found.labels if other != label]
        same = [o for o in others if not bool(found.rejected.loc[label, o])]
        rows.append(
            {
                "place": int(places[label]) if places[label] > 0 else None,
                "method": label,
                "average rank": float(found.average_ranks[label]),
                "better than": len(_worse(found, label, others)),
                "not different from": _joined(same, len(others)),
            }
        )
    return Table(
        f"ranks_{metric_name(metric)}",
        f"Average ranks by mean {metric_title(metric)} over "
        f"{counted(len(found.datasets_used), 'dataset')} (1 is best); equal ranks "
        f"share a place. 'Better than' counts the methods that a method is "
        f"significantly better than. {_tests(found)}",
        pd.DataFrame(rows),
    )


def p_values_table(found: Significance, metric: str = "prom_f1") -> Table:
    """Return the p-values of all pairs, before and after Holm's correction."""
    import pandas as pd

    rows = [
        (
            first,
            second,
            float(found.p_values.loc[first, second]),
            float(found.adjusted.loc[first, second]),
            bool(found.rejected.loc[first, second]),
        )
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
    from tsmdbench.analysis.comparison import bayesian_signed_rank

    frame = bayesian_signed_rank(scores, metric, rope=rope)
    return Table(
        f"bayesian_{metric_name(metric)}",
        f"Bayesian signed-rank test of mean {metric_title(metric)}: probability that "
        f"the first method is better, that both are practically equivalent (within "
        f"{rope:g}), that the second is better.",
        frame,
        compared=("p_first", "p_equal", "p_second"),
    )


def intervals_table(scores: Scores, metric: str = "prom_f1") -> Table:
    """Return bootstrap intervals of the mean per dataset and method."""
    import pandas as pd

    from tsmdbench.analysis.bootstrap import intervals, overall_intervals

    overall = overall_intervals(scores, metric).drop(columns="datasets")
    overall.insert(0, "dataset", "over datasets")
    frame = pd.concat([intervals(scores, metric), overall], ignore_index=True)
    frame["problems"] = frame["problems"].astype("Int64")
    frame = frame.rename(columns={"label": "method"})
    return Table(
        f"intervals_{metric_name(metric)}",
        f"Mean {metric_title(metric)} with 95% bootstrap intervals, per dataset and "
        f"over the datasets that all methods have, with equal weights.",
        frame,
    )


def agreement_table(found: Agreement) -> Table:
    """Return Kendall's tau between the metrics, overall and by dataset."""
    import pandas as pd

    parts = []
    for over, taus in (
        ("all results", found.overall),
        ("mean over datasets", found.by_dataset),
    ):
        part = taus.reset_index(names="metric")
        part.insert(0, "over", over)
        parts.append(part)
    return Table(
        "kendall",
        f"Kendall's tau-b between the rankings of {found.results} results by the "
        f"metrics; S is a cost, its ranking is reversed.",
        pd.concat(parts, ignore_index=True),
    )


def p_value(p: float) -> str:
    """Write a p-value.

    >>> p_value(0.0421), p_value(0.0004)
    ('0.042', '< 0.001')
    """
    return "< 0.001" if p < 0.0005 else f"{p:.3f}"


def _worse(found: Significance, label: str, others: Sequence[str]) -> list[str]:
    """Return the methods that a method is significantly better than."""
    rank = float(found.average_ranks[label])
    return [
        other
        for other in others
        if bool(found.rejected.loc[label, other])
        and float(found.average_ranks[other]) > rank
    ]


def _joined(names: Sequence[str], everybody: int) -> str:
    if not names:
        return "none"
    return "all others" if len(names) == everybody else ", ".join(names)


def _tests(found: Significance) -> str:
    return (
        f"Two-sided tests with Holm's correction at level {found.alpha:g}. {found.note}"
    ).strip()


def difficulty_tables(scores: Scores, store: Store | None) -> list[Table]:
    """Return the tables that the results allow."""
    tables = []
    if has_dials(scores):
        tables += [dials_table(scores), breaking_table(scores)]
    if store is not None and len(_known(scores, store)) >= FEWEST_DATASETS:
        tables.append(properties_table(scores, store))
    return tables


def dials_table(scores: Scores) -> Table:
    """Return mean F1 at each position of each dial, with intervals."""
    found = dial_scores(scores)
    wide = {
        part: found.pivot(index=["dial", "position"], columns="label", values=part)
        for part in ("mean", "low", "high")
    }
    rows = [
        (dial, position)
        for dial, curves in found.groupby("dial", sort=False)
        for position in sorted(set(curves["position"]))
    ]
    frames = {
        part: frame.loc[rows, _labels(scores, frame.columns)]
        for part, frame in wide.items()
    }
    return Table(
        "dials",
        "Mean F1 with the 95% bootstrap interval over problems, when one difficulty "
        "dial is moved; the first position of each dial is the default.",
        frames["mean"].reset_index(),
        compared=tuple(map(str, frames["mean"].columns)),
        written={"position": _PLAIN},
        intervals={
            str(name): (frames["low"][name].tolist(), frames["high"][name].tolist())
            for name in frames["mean"].columns
        },
    )


def breaking_table(scores: Scores) -> Table:
    """Return the position of each dial at which each method breaks."""
    found = breaking_points(scores)
    dials = list(dict.fromkeys(found["dial"]))
    wide = found.pivot(index="label", columns="dial", values="breaks_at")
    labels = _labels(scores, wide.index)
    frame = wide.loc[labels, dials]
    default = found.groupby("label")["default"].first()
    frame.insert(0, "F1 at the default", default.loc[labels])
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
    frame = wide.loc[list(properties.columns), _labels(scores, wide.columns)]
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


def _labels(scores: Scores, known: Iterable[str]) -> list[str]:
    """Return the labels that are known, in the order of the scores."""
    there = set(known)
    return [label for label in scores.labels if label in there]


def settings_table(scores: Scores) -> Table:
    """Return the hyperparameters that every method had on every dataset."""
    rows = scores.table[["dataset", "label", "parameters"]].drop_duplicates()
    frame = rows.rename(columns={"label": "method"}).reset_index(drop=True)
    frame["parameters"] = [_setting(text) for text in frame["parameters"]]
    return Table(
        "settings",
        "Hyperparameters of the runs. They were chosen on the validation split if the "
        "method was tuned, and computed from the data otherwise.",
        frame,
    )


def cost_table(scores: Scores) -> Table:
    """Return times, memory and failures per method."""
    from tsmdbench.analysis.costs import cost, foreign_clocks

    found = cost(scores)
    columns = {
        "runs": "runs",
        "failed": "failed",
        "seconds": "time",
        "median_seconds": "median time",
        "max_seconds": "longest time",
        "max_peak_memory": "peak memory",
    }
    frame = found[list(columns)].rename(columns=columns).reset_index(names="method")
    times = [name for name in columns.values() if name.endswith("time")]
    foreign = foreign_clocks(scores)
    caption = (
        "Processor time of a successful run and memory, per method. 'Time' is the "
        "mean over the datasets that all methods have, with equal weights; median and "
        "longest time are over all successful runs. The CSV file has seconds and "
        "bytes."
    )
    if any(foreign.values()):
        frame["times comparable"] = [not foreign[label] for label in frame["method"]]
        caption += (
            " Times that are not comparable come from another machine that was not "
            "calibrated."
        )
    return Table(
        "cost",
        caption,
        frame,
        written={**dict.fromkeys(times, duration), "peak memory": size_in_memory},
    )


def failures_table(scores: Scores, store: Store | None = None) -> Table:
    """Return how many runs failed, per method, dataset and kind of failure."""
    import pandas as pd

    bad = scores.table[scores.table["status"] != "ok"]
    runs = scores.table.groupby(["label", "dataset"]).size()
    messages = {} if store is None else _messages(store)
    rows = [
        (
            label,
            dataset,
            status,
            len(group),
            int(runs[label, dataset]),
            messages.get((group["method"].iloc[0], dataset, status), ""),
        )
        for (label, dataset, status), group in bad.groupby(
            ["label", "dataset", "status"], sort=False
        )
    ]
    names = ["method", "dataset", "status", "failed", "runs", "first message"]
    caption = "Failed runs; they score 0."
    return Table(
        "failures",
        caption if rows else "No run failed.",
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
    import pandas as pd

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
    import pandas as pd

    repeated = scores.table.loc[scores.table["repeats"] > 1, "label"]
    labels = [label for label in scores.labels if label in set(repeated)]
    columns: dict[str, list[object]] = {"method": list(labels)}
    for metric in (name for name in MEANS if name in scores.metrics):
        found = seed_spread(scores, metric).loc[labels]
        means = scores.means(metric)[labels].mean()
        columns.setdefault("seeds", found["seeds"].tolist())
        columns[metric_title(metric)] = means.tolist()
        columns[f"{metric_title(metric)} sd"] = found["sd"].tolist()
    return Table(
        "seeds",
        "Methods that were run with several seeds: mean score over datasets, and its "
        "standard deviation (sd) over the seeds. All other tables and the figures show "
        "means over seeds.",
        pd.DataFrame(columns),
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
    import pandas as pd

    tables = [table.to_pandas() for table in surfaces(store)]
    if not tables:
        return pd.DataFrame(columns=list(COLUMNS))
    rows = pd.concat(tables, ignore_index=True)
    order = rows.assign(
        _dataset=[_place(name, BENCHMARK) for name in rows["dataset"]],
        _method=[_place(name, PAPER_METHODS) for name in rows["method"]],
    ).sort_values(["_dataset", "_method"], kind="stable")
    return order[list(COLUMNS)].reset_index(drop=True)


def _place(name: str, order: tuple[str, ...]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def write_scores(
    scores: Scores, folder: Path, *, csv: bool, parquet: bool
) -> tuple[Path, ...]:
    """Write ``scores.csv`` and ``scores.parquet`` to a folder, as far as wanted.

    Returns
    -------
    tuple of Path
        The files.
    """
    table = scores.table.drop(columns=list(LEFT_OUT)).rename(
        columns={"label": "method", "method": "implementation"}
    )
    written = []
    if csv:
        file = folder / "scores.csv"
        write_atomically(file, table.to_csv(index=False, lineterminator="\n").encode())
        written.append(file)
    if parquet:
        import pyarrow as pa
        import pyarrow.parquet as pq

        file = folder / "scores.parquet"
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pandas(table, preserve_index=False), sink)
        write_atomically(file, bytes(sink.getvalue()))
        written.append(file)
    return tuple(written)


def methods_table(
    methods: Sequence[str] = PAPER_METHODS,
    declared: Mapping[str, MethodInfo] | None = None,
) -> Table:
    """Return the capabilities of the methods (the paper's table of methods).

    Parameters
    ----------
    methods : sequence of str
    declared : mapping, optional
        What authors declare about methods that are not ours.
    """
    import pandas as pd

    rows = []
    for method in methods:
        known = method_info(method, declared)
        rows.append(
            (method, None, None, None, "unknown")
            if known == MethodInfo()
            else (
                method,
                known.variable_length,
                known.multivariate,
                None if known.symbolic is None else not known.symbolic,
                ", ".join(known.parameters),
            )
        )
    names = [
        "method",
        "variable length",
        "multivariate",
        "no symbolic approximation",
        "parameters",
    ]
    return Table(
        "methods",
        "The methods: whether lengths differ between sets (inter) or within a set "
        "(intra), whether they take several channels, whether they compare samples "
        "instead of symbols, and their hyperparameters without a default.",
        pd.DataFrame(rows, columns=names, dtype=object),
    )


def size_in_memory(size: float) -> str:
    """Write a number of bytes.

    >>> size_in_memory(123_456_789), size_in_memory(5 * 2**30)
    ('118 MiB', '5.0 GiB')
    """
    if size >= 2**30:
        return f"{size / 2**30:.1f} GiB"
    return f"{size / 2**20:.0f} MiB"


def _setting(text: str) -> str:
    """Return parameters as ``name=value``; what is not a JSON object stays as it is."""
    try:
        fields = json.loads(text)
    except ValueError:
        return text
    if not isinstance(fields, dict):
        return text
    return ", ".join(f"{name}={_value(value)}" for name, value in fields.items())


def _value(value: Any) -> str:
    """Write a value; a computed radius does not need sixteen digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _messages(store: Store) -> dict[tuple[str, str, str], str]:
    """Return the first message of every kind of failure, by name of the problem."""
    columns = ["method", "dataset", "status", "problem", "message"]
    bad = {"status": ["timeout", "memory", "error"], "split": "test"}
    rows = sorted(
        store.table(columns, bad).to_pylist(), key=lambda row: str(row["problem"])
    )
    first: dict[tuple[str, str, str], str] = {}
    for row in rows:
        key = (row["method"], row["dataset"], row["status"])
        line = " ".join(str(row["message"] or "").split())
        first.setdefault(key, line[:MESSAGE])
    return first

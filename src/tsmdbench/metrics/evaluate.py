"""Evaluate one result by several metrics, or thousands of results at once.

`evaluate` returns a dictionary, `evaluate_many` a table with one row per result. Both
run the same code, so a row equals the single call to the last bit.

Which metrics are computed by default: those of this package that take several sets of
any cardinality. All others are computed when they are named: metrics for pairs or for
single sets, and metrics that other installed packages add. So the result never
depends on what else is installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.metrics._batch.batch import Batch, ProblemError
from tsmdbench.metrics._batch.chunks import Pair, batches
from tsmdbench.metrics.catalogue import METRICS
from tsmdbench.metrics.metric import Metric
from tsmdbench.validation import check_motif_sets, check_options, check_truth

Columns = dict[str, NDArray[np.float64]]
Chosen = dict[str, Metric]  # by the name of its column


def evaluate(
    truth: Any,
    found: Any,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Evaluate one result by several metrics.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    metrics : iterable of str or Metric, optional
        Names out of `METRICS`, ``"module:object"``, or metrics themselves. By default
        all metrics of this package that take several sets of any size; a metric that
        another installed package adds is computed when it is named.
    **options
        ``threshold``, ``penalize_off_target``, ``share``: passed to the metrics that
        have them. An option that none of them has raises an error.

    Returns
    -------
    dict
        Metric name to value, in the requested order.

    Raises
    ------
    InputError
        Truth or found is malformed, a metric is not known or cannot be imported, or
        it is not defined for these sets.

    Examples
    --------
    >>> truth = {"a": [(0, 10), (20, 30)]}
    >>> evaluate(truth, [[(0, 10), (50, 60)]], ["prom_f1", "correctness_g", "score"])
    {'prom_f1': 0.5, 'correctness_g': 0.5, 'score': 20.0}
    >>> evaluate(truth, [[(0, 10)]], ["prom_f1"], treshold=0.7)
    Traceback (most recent call last):
    tsmdbench.errors.InputTypeError: ... no option 'treshold'; known: ...
    """
    chosen = _chosen(metrics)
    _check_known(chosen, options)
    pair = check_truth(truth), check_motif_sets(found, "found")
    batch = Batch([pair[0]], [pair[1]])
    columns = _evaluate(batch, [pair], chosen, options)
    return {name: float(column[0]) for name, column in columns.items()}


def evaluate_many(
    results: Any,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    **options: Any,
) -> NDArray[np.void]:
    """Evaluate many results by several metrics, one row each.

    Parameters
    ----------
    results : iterable of (truth, found), or table with columns "truth" and "found"
        A table is anything with ``results["truth"]`` and ``results["found"]``: a
        dictionary, a DataFrame, a Parquet table.
    metrics, **options
        As for `evaluate`.

    Returns
    -------
    structured array
        ``table["prom_f1"]`` is a column, ``len(table)`` the number of results, and
        ``pandas.DataFrame(table)`` a data frame.

    Raises
    ------
    InputError
        The message names the row whose truth or found is wrong.

    Examples
    --------
    >>> truth = [[(0, 10), (20, 30)]]
    >>> table = evaluate_many([(truth, truth), (truth, [])], ["prom_f1", "score"])
    >>> table["prom_f1"].tolist(), table["score"].tolist()
    ([1.0, 0.0], [0.0, 20.0])
    """
    chosen = _chosen(metrics)
    _check_known(chosen, options)
    parts, size = [], 0
    for batch, pairs in batches(results):
        try:
            parts.append(_evaluate(batch, pairs, chosen, options))
        except ProblemError as error:
            raise InputError(f"row {size + error.problem}: {error}") from error
        size += batch.size
    table = np.zeros(size, dtype=[(name, np.float64) for name in chosen])
    for name in chosen if parts else ():
        table[name] = np.concatenate([part[name] for part in parts])
    return table


def _chosen(metrics: str | Metric | Iterable[str | Metric] | None) -> Chosen:
    """Return the metrics to compute; a requested name names the column."""
    if metrics is None:
        known = {name: METRICS[name] for name in METRICS.added()}
        return {name: metric for name, metric in known.items() if metric.general}
    if isinstance(metrics, str | Metric):
        metrics = [metrics]
    chosen = dict(
        (metric.name, metric)
        if isinstance(metric, Metric)
        else (metric, METRICS[metric])
        for metric in metrics
    )
    if not chosen:
        raise InputError("metrics is empty; name at least one")
    return chosen


def _check_known(chosen: Chosen, options: Mapping[str, Any]) -> None:
    known = {option for metric in chosen.values() for option in metric.options}
    check_options(options, known, f"evaluate with {next(iter(chosen))}, ...")


def _evaluate(
    batch: Batch,
    pairs: Sequence[Pair],
    chosen: Chosen,
    options: Mapping[str, Any],
) -> Columns:
    """Compute every column, each batch form once for all metrics that share it."""
    shared: dict[Any, Mapping[str, NDArray[np.float64]]] = {}
    columns: Columns = {}
    for name, metric in chosen.items():
        given = {key: options[key] for key in metric.options if key in options}
        if metric.batch is None:
            columns[name] = np.array(list(_one_by_one(metric, pairs, given)))
            continue
        key = metric.batch, metric.options
        if key not in shared:
            shared[key] = metric.batch(batch, **given)
        columns[name] = _column(metric, shared[key], batch.size)
    return columns


def _one_by_one(
    metric: Metric, pairs: Sequence[Pair], options: Mapping[str, Any]
) -> Iterator[float]:
    """Yield the value of each pair, for a metric without batch form."""
    for number, (truth, found) in enumerate(pairs):
        sets = check_truth(truth), check_motif_sets(found, "found")
        try:
            yield metric.value(*sets, **options)
        except InputTypeError:
            raise
        except ValueError as error:
            raise ProblemError(number, str(error)) from error


def _column(
    metric: Metric, made: Mapping[str, NDArray[np.float64]], size: int
) -> NDArray[np.float64]:
    """Take the column of a metric from what its batch form returned."""
    column = np.asarray(made.get(metric.name, ()), np.float64)
    if column.shape != (size,):
        raise InputTypeError(
            f"the batch form of metric {metric.name!r} must return a mapping that has "
            f"under {metric.name!r} one value for each of {size} problems"
        )
    return column

"""Evaluate one result by several metrics, or thousands of results at once.

`evaluate` returns a dictionary, `evaluate_many` a table with one row per result. Both
run the same code, so a row equals the single call to the last bit.

Which metrics are computed by default: those of this package that take several sets of
any cardinality. All others are computed when they are named: metrics for pairs or for
single sets, metrics that compare channels, and metrics that other installed packages
add. So the result never depends on what else is installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.metrics.batch import Batch, ProblemError, Side
from tsmdbench.metrics.metric import METRICS, Function, Metric, as_metric
from tsmdbench.types import MotifSets
from tsmdbench.validation import (
    check_motif_sets,
    check_options,
    check_truth,
    plain_segments,
)

Columns = dict[str, NDArray[np.float64]]
Requested = str | Metric | Function
Chosen = dict[str, Metric]  # by the name of its column
Pair = tuple[Any, Any]  # truth and found, checked, in any form
CHUNK = 4096  # results that are laid end to end at a time
LAST_SAMPLE = 2**62  # the stretches of time of a batch end before this


def evaluate(
    truth: Any,
    found: Any,
    metrics: Requested | Iterable[Requested] | None = None,
    **options: Any,
) -> dict[str, float]:
    """Evaluate one result by several metrics.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    metrics : iterable of str, Metric or function, optional
        Names out of `METRICS`, ``"module:object"``, metrics themselves, or functions
        ``(truth, found) -> float`` as `Metric` takes them. By default
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
    chosen = chosen_metrics(metrics, options)
    by_channel = all(metric.by_channel for metric in chosen.values())
    true_sets = check_truth(truth, by_channel=by_channel)
    pair = true_sets, check_motif_sets(found, "found")
    batch = Batch.of_one(*pair)
    columns = _evaluate(batch, [pair], chosen, options)
    return {name: float(column[0]) for name, column in columns.items()}


def evaluate_many(
    results: Any,
    metrics: Requested | Iterable[Requested] | None = None,
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
    chosen = chosen_metrics(metrics, options)
    by_channel = all(metric.by_channel for metric in chosen.values())
    parts, size = [], 0
    for batch, pairs in _batches(results, by_channel=by_channel):
        try:
            parts.append(_evaluate(batch, pairs, chosen, options))
        except ProblemError as error:
            raise InputError(f"row {size + error.problem}: {error}") from error
        size += batch.size
    table = np.zeros(size, dtype=[(name, np.float64) for name in chosen])
    for name in chosen if parts else ():
        table[name] = np.concatenate([part[name] for part in parts])
    return table


def chosen_metrics(
    metrics: Requested | Iterable[Requested] | None, options: Iterable[str] = ()
) -> Chosen:
    """Return the metrics to compute; raise for options that none of them has.

    A requested name names the column.
    """
    if metrics is None:
        metrics = [name for name in METRICS.added() if is_default(METRICS[name])]
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    chosen: Chosen = {}
    for metric in metrics:
        if isinstance(metric, str):
            chosen[metric] = METRICS[metric]
        else:
            own = as_metric(metric)
            chosen[own.name] = own
    if not chosen:
        raise InputError("metrics is empty; name at least one")
    known = {option for metric in chosen.values() for option in metric.options}
    check_options(options, known, f"evaluate with {next(iter(chosen))}, ...")
    return chosen


def is_default(metric: Metric) -> bool:
    """Return True if a metric of the package is computed without being named."""
    return metric.general and not metric.by_channel


def _evaluate(
    batch: Batch, pairs: Sequence[Pair], chosen: Chosen, options: Mapping[str, Any]
) -> Columns:
    """Compute every column, each batch form once for all metrics that share it."""
    shared: dict[Any, Mapping[str, NDArray[np.float64]]] = {}
    columns: Columns = {}
    for name, metric in chosen.items():
        given = {key: options[key] for key in metric.options if key in options}
        if metric.batch is None:
            columns[name] = np.zeros(len(pairs))
            for number, (truth, found) in enumerate(pairs):
                true_sets = check_truth(truth, by_channel=metric.by_channel)
                sets = true_sets, check_motif_sets(found, "found")
                try:
                    columns[name][number] = metric.value(*sets, **given)
                except InputTypeError:
                    raise
                except ValueError as error:
                    raise ProblemError(number, str(error)) from error
            continue
        key = metric.batch, metric.options
        if key not in shared:
            shared[key] = metric.batch(batch, **given)
        columns[name] = np.asarray(shared[key].get(metric.name, ()), np.float64)
        if columns[name].shape != (batch.size,):
            raise InputTypeError(
                f"the batch form of metric {metric.name!r} must return a mapping that "
                f"has under {metric.name!r} one value for each of {batch.size} problems"
            )
    return columns


def _batches(
    results: Any, *, by_channel: bool
) -> Iterator[tuple[Batch, Sequence[Pair]]]:
    """Yield the results in batches, each with its pairs of truth and found.

    Raises
    ------
    InputError
        The message names the row whose truth or found is wrong.
    """
    rows, first = iter(_rows(results)), 0
    while chunk := list(islice(rows, CHUNK)):
        sides = _plain_sides(chunk)
        if sides is None:
            chunk = _checked(chunk, first, by_channel=by_channel)
            sides = _sides(chunk)
        first += len(chunk)
        yield from _fitting(chunk, *sides)


def _fitting(
    pairs: Sequence[Pair], truth: Side, found: Side
) -> Iterator[tuple[Batch, Sequence[Pair]]]:
    """Split a batch until its concatenated time axis fits into 64 bits."""
    ends = np.maximum(truth.last_ends, found.last_ends)
    if len(pairs) == 1 or ends.sum(dtype=np.float64) <= LAST_SAMPLE:
        yield Batch(truth, found), pairs
    else:
        middle = len(pairs) // 2
        for part in (pairs[:middle], pairs[middle:]):
            yield from _fitting(part, *_sides(part))


def _rows(results: Any) -> Iterable[Any]:
    """Return pairs, from pairs or from the columns of a table."""
    names = getattr(results, "column_names", results)  # a Parquet table lists them
    if not hasattr(results, "keys") and not hasattr(results, "column_names"):
        return results  # type: ignore[no-any-return]
    for name in ("truth", "found"):
        if name not in names:
            raise InputError(f"the table of results lacks the column {name!r}")
    columns = [results["truth"], results["found"]]
    plain = [c.to_pylist() if hasattr(c, "to_pylist") else c for c in columns]
    return zip(*plain, strict=True)


def _sides(rows: Sequence[Any]) -> tuple[Any, Any]:
    return _flattened([row[0] for row in rows]), _flattened([row[1] for row in rows])


def _plain_sides(rows: list[Any]) -> tuple[Side, Side] | None:
    """Return results as flat arrays; None if a row needs a full check."""
    if not set(map(type, rows)) <= {list, tuple} or set(map(len, rows)) != {2}:
        return None
    truth, found = _sides(rows)
    if truth is None or found is None or not truth.sizes.all():
        return None
    problem = truth.problem[truth.owner]
    order = np.lexsort((truth.segments[:, 0], problem))
    (starts, ends), problem = truth.segments[order].T, problem[order]
    overlaps = (starts[1:] < ends[:-1]) & (problem[1:] == problem[:-1])
    return None if overlaps.any() or not truth.counts.all() else (truth, found)


def _flattened(problems: list[Any]) -> Side | None:
    """Concatenate the sets of all problems; None unless they are plain lists."""
    kinds = set(map(type, problems))
    if kinds == {MotifSets}:
        return Side.of(problems)
    if dict in kinds:
        problems = [[*p.values()] if type(p) is dict else p for p in problems]
    if not kinds <= {list, tuple, dict}:
        return None
    members = list(chain.from_iterable(problems))
    segments = plain_segments(members)
    if segments is None:
        return None
    sizes = np.fromiter(map(len, members), np.int64, len(members))
    counts = np.fromiter(map(len, problems), np.int64)
    side = Side(segments, sizes, counts, range(len(sizes)))
    side.segments = segments[np.lexsort((*segments.T[::-1], side.owner))]
    return side


def _checked(rows: list[Any], first: int, *, by_channel: bool) -> list[Pair]:
    """Check results one by one; errors name the row."""
    pairs = []
    for number, row in enumerate(rows, first):
        try:
            truth, found = row
        except (TypeError, ValueError):
            raise InputError(f"row {number} is not a pair of truth and found") from None
        try:
            true_sets = check_truth(truth, by_channel=by_channel)
            pairs.append((true_sets, check_motif_sets(found, "found")))
        except InputError as error:
            raise type(error)(f"row {number}: {error}") from None
    return pairs

"""Evaluate one result by several metrics, or thousands of results at once.

`evaluate` returns a dictionary, `evaluate_many` a table with one row per result. Both
run the same code, so a row equals the single call to the last bit. Metrics that take
only pairs or only single sets are computed when they are named; by default all
metrics are computed that take several sets of any cardinality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.metrics._batch.batch import Batch
from tsmdbench.metrics._batch.chunks import Pair, batches
from tsmdbench.metrics._batch.prom import prom_of
from tsmdbench.metrics.catalogue import METRICS
from tsmdbench.metrics.correctness import correctness_of
from tsmdbench.metrics.metric import Metric
from tsmdbench.metrics.pair_overlap import pair_overlap
from tsmdbench.metrics.ranged import check_share, ranged_of
from tsmdbench.metrics.score import score_of
from tsmdbench.metrics.single_set import single_set
from tsmdbench.validation import (
    check_motif_sets,
    check_options,
    check_threshold,
    check_truth,
)

Columns = dict[str, NDArray[np.float64]]


def evaluate(
    truth: Any, found: Any, metrics: Iterable[str] | None = None, **options: Any
) -> dict[str, float]:
    """Evaluate one result by several metrics.

    Parameters
    ----------
    truth, found : motif sets in any accepted form
        As for `tsmdbench.metrics.prom`.
    metrics : iterable of str, optional
        Names out of `METRICS`; by default all that take several sets of any size.
    **options
        ``threshold``, ``penalize_off_target``, ``share``: passed to the metrics that
        understand them. An option that none of them understands raises.

    Returns
    -------
    dict
        Metric name to value, in the order asked for.

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
    return {metric.name: float(columns[metric.name][0]) for metric in chosen}


def evaluate_many(
    results: Any, metrics: Iterable[str] | None = None, **options: Any
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
    parts = [
        _evaluate(batch, pairs, chosen, options) for batch, pairs in batches(results)
    ]
    size = sum(len(next(iter(part.values()))) for part in parts)
    names = [metric.name for metric in chosen]
    table = np.zeros(size, dtype=[(name, np.float64) for name in names])
    for name in names:
        if parts:
            table[name] = np.concatenate([part[name] for part in parts])
    return table


def _chosen(metrics: Iterable[str] | None) -> list[Metric]:
    if metrics is None:
        known = [METRICS[name] for name in METRICS]
        return [metric for metric in known if metric.general]
    if isinstance(metrics, str):
        metrics = [metrics]
    chosen = [METRICS[name] for name in metrics]
    if not chosen:
        raise InputError("metrics is empty; name at least one")
    return chosen


def _check_known(chosen: list[Metric], options: Mapping[str, Any]) -> None:
    known = {option for metric in chosen for option in metric.options}
    check_options(options, known, f"evaluate with {chosen[0].name}, ...")


def _evaluate(
    batch: Batch,
    pairs: Sequence[Pair],
    chosen: list[Metric],
    options: Mapping[str, Any],
) -> Columns:
    """Compute each family once and keep the metrics that were asked for."""
    columns: Columns = {}
    for metric in chosen:
        if metric.name not in columns:
            columns.update(FAMILIES[metric.family](batch, pairs, options))
    return {metric.name: columns[metric.name] for metric in chosen}


def _prom(batch: Batch, _: Sequence[Pair], options: Mapping[str, Any]) -> Columns:
    penalize = bool(options.get("penalize_off_target", False))
    return prom_of(batch, _threshold(options), penalize_off_target=penalize)


def _correctness(
    batch: Batch, _: Sequence[Pair], options: Mapping[str, Any]
) -> Columns:
    return correctness_of(batch, _threshold(options))


def _score(batch: Batch, _: Sequence[Pair], options: Mapping[str, Any]) -> Columns:
    penalize = bool(options.get("penalize_off_target", False))
    return score_of(batch, penalize_off_target=penalize)


def _ranged(batch: Batch, _: Sequence[Pair], options: Mapping[str, Any]) -> Columns:
    return ranged_of(batch, check_share(options.get("share", 0.5)))


def _pair_overlap(_: Batch, pairs: Sequence[Pair], __: Mapping[str, Any]) -> Columns:
    return {
        "pair_overlap_gao": np.array([pair_overlap(*pair) for pair in pairs]),
        "pair_overlap_nunthanid": np.array(
            [pair_overlap(*pair, relative_to="truth") for pair in pairs]
        ),
    }


def _single_set(_: Batch, pairs: Sequence[Pair], __: Mapping[str, Any]) -> Columns:
    columns: Columns = {}
    for kind, similar in (("", "half"), ("sample_", "sample")):
        rows = [single_set(*pair, similar=similar) for pair in pairs]  # type: ignore[arg-type]
        for name in ("precision", "recall", "f1"):
            values = [getattr(row, name) for row in rows]
            columns[f"single_set_{kind}{name}"] = np.array(values)
    return columns


def _threshold(options: Mapping[str, Any]) -> Any:
    return check_threshold(options.get("threshold", 0.5))


FAMILIES: dict[str, Callable[[Batch, Sequence[Pair], Mapping[str, Any]], Columns]] = {
    "prom": _prom,
    "correctness": _correctness,
    "score": _score,
    "ranged": _ranged,
    "pair_overlap": _pair_overlap,
    "single_set": _single_set,
}

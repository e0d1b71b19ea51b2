"""Data of the explorer: found sets and explanations of every run, and series.

Segments and scores of every run are in a page. What weighs, in bytes or in time to
compute, is limited by ``--embed``: series, and explanations with the score at other
thresholds.

``auto``
    As many series as fit into a page of 24 MB, and explanations of about 10,000 runs:
    the first problem of each dataset, then the second of each, and so on.
``all``
    Every series and every explanation, however large the page becomes.
``none``
    No series; the explorer shows segments only.
a whole number
    That many first problems of each dataset.

A screen has about a thousand columns, so a channel keeps about a thousand samples. They
are chosen by MinMaxLTTB [1]_: extremes of each stretch first, then those that keep the
area under the curve, so that no peak is lost. Values are rounded to a thousandth of the
channel's range. Only a few channels are shown, first of all those that a method with a
hyperparameter ``channel`` looked at; the page says so.

References
----------
.. [1] J. Van Der Donckt et al., "MinMaxLTTB: Leveraging MinMax-Preselection to Scale
   LTTB", IEEE VIS 2023, doi:10.1109/VIS54172.2023.00013 (package ``tsdownsample``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tsmdbench.analysis.scores import Scores, labelled_runs, truths
from tsmdbench.benchmark import RECORDINGS_SUITE, load_benchmark
from tsmdbench.datasets.archive import locate
from tsmdbench.errors import InputError, InputTypeError, TsmdbenchError
from tsmdbench.experiments.rows import seed_of, without_seed
from tsmdbench.experiments.sources import (
    dataset_of,
    folders_of,
    identified,
    is_generated,
    is_identity,
    load_problems,
    runs_code,
    without_protocol,
)
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import Truth, in_time
from tsmdbench.html_text import packed
from tsmdbench.metrics import evaluate_many, explain

Series = NDArray[np.float64]
Sets = list[list[list[int]]]
# (label, problem) to its run; to several, in the order of their seeds, for repeats.
Rows = dict[tuple[str, str], list[dict[str, Any]]]
PAGE_BYTES = 24_000_000  # what "auto" aims at
OTHER_BYTES = 1_500_000  # of style, scripts, charts and tables, generously
EXPLAINED = 10_000  # runs that "auto" explains: about a millisecond each
CHOICES = "'auto', 'all', 'none' or a number of problems per dataset"
THRESHOLDS = tuple(n / 100 for n in range(50, 100, 5))  # of the curve of F1
# What a motif can be, as a style of the page; the data has places in this list.
STATUSES = (
    *("matched", "found twice", "wrong set", "off", "missed"),
    *("true positive", "duplicate", "spurious"),
)
DIGITS = 6  # of metrics
MESSAGE = 300  # characters of a failure's message
POINTS = 1000  # samples of a channel that are kept
RECORDING_POINTS = 4000  # of a recording, which is longer than a problem of instances
CHANNELS = 6  # channels that are shown
LEVELS = 999  # values of a channel run from 0 to this


class Embed(NamedTuple):
    """Limits on the data embedded in a page; None means no limit."""

    problems: int | None = None  # of each dataset, with series and explanations
    page_bytes: int | None = None  # of the page with all it holds
    explained: int | None = None  # runs that are explained


def check_embed(embed: str | int | Embed) -> Embed:
    """Return the limits that a choice stands for.

    >>> check_embed("20")
    Embed(problems=20, page_bytes=None, explained=None)
    >>> check_embed("auto")
    Embed(problems=None, page_bytes=24000000, explained=10000)
    """
    if isinstance(embed, Embed):
        return embed
    if isinstance(embed, bool) or not isinstance(embed, str | int):
        raise InputTypeError(f"embed must be {CHOICES}, got {embed!r}")
    named = {
        "auto": Embed(page_bytes=PAGE_BYTES, explained=EXPLAINED),
        "all": Embed(),
        "none": Embed(problems=0, explained=EXPLAINED),
    }
    text = str(embed).strip()
    if text in named:
        return named[text]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"embed must be {CHOICES}, got {embed!r}")
    return Embed(problems=int(text))


class Explorer(NamedTuple):
    """Data of the explorer, by dataset in the order of the scores."""

    rows: dict[str, Rows]  # the stored runs, by dataset, label and problem
    blocks: list[str]  # problems, truths and runs, packed
    series: list[list[str]]  # of each problem, packed, or "" where there is none
    reasons: list[str]  # why series of a dataset are missing; "" where none is


def explorer(
    scores: Scores, stores: Mapping[str, Sequence[Store]], split: str, limits: Embed
) -> Explorer:
    """Collect runs, explanations and series."""
    rows = store_rows(scores, stores, split)
    known: dict[tuple[str, str], Truth] = {}
    folders: dict[str, str] = {}
    for store in chain.from_iterable(stores.values()):
        here = {what[0] for what in store.counts()} & set(scores.datasets)
        # The page does not show the channels of motifs.
        for key, truth in truths(store, here, split).items():
            known[key] = truth._replace(sets=in_time(truth.sets))
        folders |= folders_of(store.manifest)
    names = [
        sorted(set(scores.table.loc[scores.table["dataset"] == d, "problem"]))
        for d in scores.datasets
    ]
    explained = _explanations(scores, rows, known, names, limits)
    blocks = [
        _block(scores, rows[dataset], known, dataset, problems, explained)
        for dataset, problems in zip(scores.datasets, names, strict=True)
    ]
    packed_blocks = [packed(block) for block in blocks]
    room = float("inf")
    if limits.page_bytes is not None:
        room = limits.page_bytes - OTHER_BYTES - sum(map(len, packed_blocks))

    # Pack series, one of each dataset in turn, until there is no more room.
    series = [[""] * len(problems) for problems in names]
    if limits.problems == 0:
        reasons = ["the page was made without series"] * len(names)
        return Explorer(rows, packed_blocks, series, reasons)
    sources = [SeriesSource(name, split, folders) for name in scores.datasets]
    looked_at = [channels_looked_at(block["parameters"]) for block in blocks]
    for place, number, problem in _in_turn(names, limits.problems):
        values = sources[place].get(problem)
        if values is not None:
            text = packed(thinned(values, looked_at[place], sources[place].points))
            room -= len(text)
            if room < 0:
                break
            series[place][number] = text
    reasons = []
    for source, texts in zip(sources, series, strict=True):
        some, every = sum(map(bool, texts)), len(texts)
        part = f"the page has series of {some} of {every} problems"
        reasons.append(source.reason or (part if some < every else ""))
    return Explorer(rows, packed_blocks, series, reasons)


def store_rows(
    scores: Scores, stores: Mapping[str, Sequence[Store]], split: str
) -> dict[str, Rows]:
    """Return the stored runs that the scores are of, by dataset."""
    found: dict[str, Rows] = {dataset: {} for dataset in scores.datasets}
    columns = ["status", "seconds", "found", "message"]
    for row in labelled_runs(scores, stores, columns, {"split": split}):
        place = row["label"], row["problem"]
        found[row["dataset"]].setdefault(place, []).append(row)
    return found


def _found(row: dict[str, Any]) -> Sets:
    """Return the found sets of a run; empty for a failed run."""
    return in_time(row["found"]) if row["status"] == "ok" else []


def _explanations(
    scores: Scores,
    rows: dict[str, Rows],
    known: Mapping[tuple[str, str], Truth],
    names: Sequence[Sequence[str]],
    limits: Embed,
) -> dict[int, dict[str, Any]]:
    """Explain runs, by the identity of their rows; of a problem all, or none."""
    chosen: list[tuple[Truth, dict[str, Any]]] = []
    for place, _, problem in _in_turn(names, limits.problems or None):
        dataset = scores.datasets[place]
        every = (rows[dataset].get((label, problem), []) for label in scores.labels)
        runs = [(known[dataset, problem], row) for row in chain.from_iterable(every)]
        most = limits.explained
        if chosen and most is not None and len(chosen) + len(runs) > most:
            break
        chosen += runs
    curves = [
        evaluate_many(
            [(truth.sets, _found(row)) for truth, row in chosen],
            ["prom_f1"],
            threshold=threshold,
        )["prom_f1"].round(3)
        for threshold in THRESHOLDS
    ]
    return {
        id(row): {
            **_explained(truth, _found(row)),
            "curve": [float(c[n]) for c in curves],
        }
        for n, (truth, row) in enumerate(chosen)
    }


def _in_turn(
    names: Sequence[Sequence[str]], problems: int | None
) -> Iterator[tuple[int, int, str]]:
    """Yield dataset, number and name: the first problem of each dataset, and so on."""
    for number, turn in enumerate(list(zip_longest(*names))[:problems]):
        for place, problem in enumerate(turn):
            if problem is not None:
                yield place, number, problem


def _explained(truth: Truth, found: Sets) -> dict[str, Any]:
    """Return the explanation of a run as the page shows it.

    ``true`` has a status for every true motif, set by set as the problem has them;
    ``sets`` every found set: its label, the true set that it is matched with, and for
    each motif start, end, status, true set, and where it lies relative to its motif.
    """
    named = dict(zip(truth.labels, truth.sets, strict=True))
    why = explain(named if len(named) == len(truth.sets) else truth.sets, found)
    result, order = why.result, list(named)
    rows = [n if type(n) is int else order.index(str(n)) for n in result.row_labels]
    true: list[dict[tuple[int, int], int]] = [{} for _ in truth.sets]
    for motif in why.true_motifs:
        place = motif.start, motif.end
        true[rows[motif.true_set]][place] = STATUSES.index(motif.status)
    sets: list[list[Any]] = [
        [label, rows[n] if n < result.matched else None, []]
        for n, label in enumerate(result.column_labels)
    ]
    for one in why.found_motifs:
        shown: list[Any] = [one.start, one.end, STATUSES.index(one.status)]
        if one.true_motif >= 0:
            of = rows[why.true_motifs[one.true_motif].true_set]
            shown += [of, one.displacement()]
        sets[one.found_set][2].append(shown)
    return {
        "text": str(why).splitlines(),
        "rows": rows,
        "matrix": result.matrix.tolist(),
        "counts": [result.tp, result.fp, result.fn],
        "true": [
            [kinds[start, end] for start, end in segments]
            for kinds, segments in zip(true, truth.sets, strict=True)
        ],
        "sets": sets,
    }


def _block(
    scores: Scores,
    rows: Rows,
    known: Mapping[tuple[str, str], Truth],
    dataset: str,
    problems: Sequence[str],
    explained: Mapping[int, dict[str, Any]],
) -> dict[str, Any]:
    """Return all that the explorer needs of one dataset, but the series."""
    table = scores.table[scores.table["dataset"] == dataset]
    places = zip(table["label"], table["problem"], strict=True)
    scored = dict(zip(places, table.to_dict("records"), strict=True))

    def shown(label: str, problem: str) -> Any:
        """Return the run of a method, or one for each seed; None for none."""
        runs, values = rows.get((label, problem)), scored.get((label, problem))
        if runs is None or values is None:
            return None
        by_seed = values.get("by_seed")
        if not isinstance(by_seed, dict):
            return _run(runs[0], values, scores.metrics, explained)
        seeds = [seed_of(row["parameters"]) for row in runs]
        return {
            "repeats": [
                {
                    "seed": str(seed),
                    **_run(row, by_seed[seed], scores.metrics, explained),
                }
                for seed, row in zip(seeds, runs, strict=True)
            ]
        }

    parameters: dict[str, str] = {}
    for (label, _), runs in rows.items():  # a label has one setting on a dataset
        text: str = runs[0]["parameters"]
        parameters.setdefault(label, without_seed(text) if len(runs) > 1 else text)
    return {
        "problems": [
            {
                "name": name,
                "n": known[dataset, name].n,
                "channels": known[dataset, name].channels,
                "labels": list(known[dataset, name].labels),
                "truth": known[dataset, name].sets,
            }
            for name in problems
        ],
        "parameters": [parameters.get(label, "") for label in scores.labels],
        "runs": [
            [shown(label, problem) for problem in problems] for label in scores.labels
        ],
    }


def _run(
    row: dict[str, Any],
    values: Mapping[str, Any],
    metrics: Sequence[str],
    explained: Mapping[int, dict[str, Any]],
) -> dict[str, Any]:
    """Return one run: its scores, and its explanation or else what it found."""
    run: dict[str, Any] = {
        "seconds": float(f"{row['seconds']:.4g}"),
        "values": [round(float(values[name]), DIGITS) for name in metrics],
        **explained.get(
            id(row), {"sets": [[n, None, s] for n, s in enumerate(_found(row))]}
        ),
    }
    if row["status"] != "ok":
        run |= {"status": row["status"], "message": (row["message"] or "")[:MESSAGE]}
    return run


class SeriesSource:
    """The series of one dataset by problem, or why there are none.

    Nothing is downloaded, and no code is run that a store names (``module:function``):
    looking at the results of others must be safe.
    """

    def __init__(
        self, dataset: str, split: str, folders: Mapping[str, str] | None = None
    ) -> None:
        nothing: dict[str, Series] = {}
        self.reason = ""
        self.get: Callable[[str], Series | None] = nothing.get  # None where not here
        whole = dataset_of(dataset) in RECORDINGS_SUITE or is_identity(dataset)
        self.points = RECORDING_POINTS if whole else POINTS
        if runs_code(dataset):
            self.reason = "made by code, which a report does not run"
            return
        try:
            plain = without_protocol(dataset)
            name, own = identified(plain)
            base = dataset_of(plain)
            is_variant = base != plain and locate(base) is not None
            suite = plain in RECORDINGS_SUITE or is_generated(plain)
            if suite or is_variant or is_identity(name):
                places = {**(folders or {}), **own}
                problems = load_problems(name, split, folders=places)
                self.get = {item.name: item.series for item in problems}.get
            else:
                bench = load_benchmark(plain, split, allow_download=False)
                named = {
                    f"{bench.name}/{bench.split}/{number:03d}": place
                    for place, number in enumerate(bench.numbers)
                }
                self.get = lambda name: (
                    bench[named[name]].series if name in named else None
                )
        except TsmdbenchError as error:
            self.reason = str(error)


def thinned(
    series: Series, preferred: Iterable[int] = (), points: int = POINTS
) -> dict[str, Any]:
    """Return a series for the page: positions and values as differences.

    Of many channels a few are kept, the preferred ones first, each with some points.

    >>> thinned(np.array([0.0, 1.0, 0.5]))["lines"]
    [{'channel': 0, 'low': 0.0, 'high': 1.0, 'at': [0, 1, 1], 'value': [0, 999, -499]}]
    """
    x = series[:, None] if series.ndim == 1 else series
    every = range(x.shape[1])
    wanted = dict.fromkeys([*(c for c in preferred if c in every), *every])
    lines = []
    for channel in sorted(list(wanted)[:CHANNELS]):
        values = x[:, channel]
        kept = np.flatnonzero(np.isfinite(values))
        if len(kept) > points:
            from tsdownsample import MinMaxLTTBDownsampler

            thinner: Any = MinMaxLTTBDownsampler
            finite = np.ascontiguousarray(values[kept])
            kept = kept[thinner().downsample(finite, n_out=points).astype(np.int64)]
        ends = (values[kept].min(), values[kept].max()) if len(kept) else (0.0, 0.0)
        low, high = map(float, ends)
        scale = LEVELS / (high - low) if high > low else 0.0
        levels = np.rint((values[kept] - low) * scale).astype(np.int64)
        lines.append(
            {
                "channel": channel,
                "low": float(f"{low:.6g}"),
                "high": float(f"{high:.6g}"),
                "at": np.diff(kept, prepend=0).tolist(),
                "value": np.diff(levels, prepend=0).tolist(),
            }
        )
    return {"n": int(x.shape[0]), "channels": int(x.shape[1]), "lines": lines}


def channels_looked_at(parameters: Iterable[str]) -> list[int]:
    """Return the channels that settings name, the most frequent first.

    >>> channels_looked_at(['{"channel": 4}', '{"l": 3}', '{"channel": 1}', ""])
    [1, 4]
    """
    named = [json.loads(text or "{}").get("channel") for text in parameters]
    counts = Counter(channel for channel in named if type(channel) is int)
    return sorted(counts, key=lambda channel: (-counts[channel], channel))

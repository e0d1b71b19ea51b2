"""Rank methods among the published baselines, without running these again.

A newcomer's store seldom has all datasets or all problems. Everything is therefore
compared on what the added stores have: each dataset counts by the problems that all
methods on it were run on. What was left out is said in `Leaderboard.notes`. Where the
baselines come from another machine, their times are scaled to that of the added runs,
or marked as not comparable (`tsmdbench.analysis.machines`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from tsmdbench.analysis.baselines import RECORDINGS, load_baselines
from tsmdbench.analysis.machines import (
    mixed_notes,
    on_clock_of,
)
from tsmdbench.analysis.scores import BASELINES, Scores, score_store
from tsmdbench.analysis.selection import restricted
from tsmdbench.analysis.standings import Leaderboard, leaderboard_of
from tsmdbench.analysis.tuning_effort import effort_note, tuning_effort
from tsmdbench.errors import InputError
from tsmdbench.experiments.calibration import joint_machines
from tsmdbench.experiments.method_fields import PRESETS
from tsmdbench.experiments.sources import uses_truth, with_truth, without_protocol
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import ALL, NEWEST, chosen_versions
from tsmdbench.io import PathLike
from tsmdbench.validation import check_choice

BOTH = "both"
RECORDINGS_TRUTH = with_truth(RECORDINGS)
SAID = {
    "best": "methods with the recommended parameters",
    "paper": "methods with the defaults of their public code",
    BOTH: "methods with the defaults of their public code (paper) and with the "
    "recommended parameters (best)",
    RECORDINGS: "the recordings suite; methods with the recommended parameters",
    RECORDINGS_TRUTH: "the recordings suite; parameters from the truth of each problem",
}


def leaderboard(
    add: PathLike | Sequence[PathLike] = (),
    *,
    metric: str = "prom_f1",
    datasets: Sequence[str] | None = None,
    baselines: str = "best",
    version: str = NEWEST,
    only: str | Sequence[str] | None = None,
) -> Leaderboard:
    """Rank the methods of some stores among the baselines.

    Parameters
    ----------
    add : Store, path, or sequence of them
        Where your methods were run; by default only the baselines are ranked.
    metric : str, default "prom_f1"
        What decides the order.
    datasets : sequence of str, optional
        Only these.
    baselines : {"best", "paper", "both", "recordings", "recordings?protocol=pvldb"}
        TSMD-Bench, methods with the recommended parameters, with the defaults of their
        public code, or both in one table; or the recordings suite, tuned on validation
        records, or with parameters from the truth.
    version : str, default "newest"
        Which version of your methods, see `score_store`.
    only : str or sequence of str, optional
        Compare only these methods: labels, names, or the class in ``module:Class``, in
        one text with commas or one by one; ``"mine"`` means those of `add`. The tests
        are corrected for the remaining number of pairs.

    Raises
    ------
    InputError
        A store has no test runs, or nothing in common with the baselines.
    """
    published = published_scores(baselines)
    notes = [f"baselines: {SAID[baselines]}"]
    paths = [add] if isinstance(add, str | os.PathLike) else list(add)
    sources: dict[str, list[Store]] = {BASELINES: baseline_stores(baselines)}
    if not paths:
        alone = replace(published, table=published.table.assign(origin=BASELINES))
        chosen = restricted(alone, only).only(datasets=datasets)
        return leaderboard_of(chosen, metric, [*notes, _tuned(chosen, sources)])
    joined, told = _joined([Store(path) for path in paths], sources, version)
    notes += [*told, *_coverage(joined, published)]
    common = [name for name in joined.datasets if name in published.datasets]
    wanted = common if datasets is None else list(datasets)
    if not wanted:
        raise InputError(_nothing_common(joined.datasets))
    theirs, note = on_clock_of(
        sources[""][0].manifest,
        published.only(datasets=wanted),
        joint_machines(store.manifest for store in sources[BASELINES]),
        BASELINES,
    )
    both = joined.only(datasets=wanted).join(theirs)
    chosen = restricted(both, only).on_common_problems()
    if BASELINES in set(chosen.table["origin"]):
        notes += [note] if note else []
        notes.append("* added here; the others are the published baselines")
    if only is not None:
        notes.append(f"restricted to {', '.join(chosen.labels)}")
    return leaderboard_of(chosen, metric, [*notes, _tuned(chosen, sources)])


def _joined(
    stores: Sequence[Store], sources: dict[str, list[Store]], version: str
) -> tuple[Scores, list[str]]:
    """Join the scores of the added stores; note where each origin's runs are."""
    wanted = _versions(stores, version)
    notes = mixed_notes(stores)
    for store, chosen in zip(stores, wanted, strict=True):
        notes += _older(store, chosen)
    first = stores[0]
    joined = score_store(first, version=wanted[0])
    sources[""] = [first]
    for store, chosen in zip(stores[1:], wanted[1:], strict=True):
        origin = os.fspath(store)
        scores = score_store(store, version=chosen)
        more, note = on_clock_of(
            first.manifest, scores, store.manifest, f"runs of {origin}"
        )
        joined = joined.join(more, origin=origin)
        sources[origin] = [store]
        notes += [note] if note else []
    return joined, list(dict.fromkeys(notes))


def _coverage(joined: Scores, published: Scores) -> list[str]:
    """Say which datasets only one side has."""
    notes = []
    common = [name for name in joined.datasets if name in published.datasets]
    alone = [name for name in joined.datasets if name not in common]
    if alone:
        notes.append(
            f"left out, since the baselines do not have them: {', '.join(alone)}"
        )
    unseen = [name for name in published.datasets if name not in common]
    if unseen and common:
        notes.append(f"not run by the added methods: {', '.join(unseen)}")
    return notes


def _nothing_common(datasets: Sequence[str]) -> str:
    """Say which baselines or which datasets to take instead."""
    have = f"the baselines have none of the datasets {', '.join(datasets)}; "
    for other in (RECORDINGS, RECORDINGS_TRUTH):
        if published_datasets(other) & set(datasets):
            return have + f"compare with the baselines {other!r} (--baselines)"
    return (
        have + "run your method on datasets of TSMD-Bench or of the recordings suite, "
        "see 'tsmdbench datasets'"
    )


def _tuned(scores: Scores, sources: dict[str, list[Store]]) -> str:
    return effort_note(tuning_effort(scores, sources))


def baseline_stores(baselines: str) -> list[Store]:
    """Return the stores that come with the package for a choice of baselines."""
    check_choice(baselines, "baselines", tuple(SAID))
    names = PRESETS if baselines == BOTH else (without_protocol(baselines),)
    return [load_baselines(name) for name in names]


def published_datasets(baselines: str) -> frozenset[str]:
    """Return the datasets that the baselines have."""
    return frozenset(
        what[0]
        for store in baseline_stores(baselines)
        for what in store.counts()
        if uses_truth(what[0]) == uses_truth(baselines)
    )


def _versions(stores: Sequence[Store], version: str) -> list[str]:
    """Return which version is wanted of each store; one must have what is named."""
    if version in (NEWEST, ALL):
        return [version] * len(stores)
    known = [store.versions({"split": "test"}) for store in stores]
    has = [any(version in each for each in one.values()) for one in known]
    if not any(has):
        chosen_versions(stores[0], "test", version)  # raises, with what there is
    return [version if one else NEWEST for one in has]


def _older(store: Store, version: str) -> list[str]:
    """Say which versions of methods are not shown."""
    known = store.versions({"split": "test"})
    chosen = chosen_versions(store, "test", version)
    notes = []
    for method, every in known.items():
        hidden = [one for one in every if one not in chosen[method]]
        if hidden:
            notes.append(
                f"{method} is shown in version {', '.join(chosen[method])}; also in "
                f"the store: {', '.join(hidden)} (--version)"
            )
    return notes


def published_scores(baselines: str) -> Scores:
    """Score the baselines of a preset, or of both with the preset in the label."""
    import pandas as pd

    check_choice(baselines, "baselines", tuple(SAID))
    if baselines != BOTH:
        scores = score_store(load_baselines(without_protocol(baselines)))
        wanted = [d for d in scores.datasets if uses_truth(d) == uses_truth(baselines)]
        return scores.only(datasets=wanted)
    tables = []
    for which in PRESETS:
        table = score_store(load_baselines(which)).table
        labels = table["label"].astype(str) + f" ({which})"
        tables.append(table.assign(label=labels))
    return Scores(pd.concat(tables, ignore_index=True))

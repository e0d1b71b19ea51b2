"""Check that the runs of a store are complete and were made by the rules.

The rules, which docs/experiments/submitting.md explains:

1. every test problem of every dataset with frozen recipes has a run, on the same data;
2. one setting and one version of a method per dataset, with the same seeds on every
   problem: the best of several on the test split is not a result;
3. settings were chosen by a search on the validation split, follow from the data, or
   are declared in the field `tuning` of the entry;
4. limits are not above the standard ones;
5. every run has a hash of its problem.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tsmdbench.datasets.suite import frozen_recipes
from tsmdbench.errors import InputError, TsmdbenchError
from tsmdbench.experiments.limits import Limits
from tsmdbench.experiments.seeds import SEED, seed_of, without_seed
from tsmdbench.experiments.sources import folders_of, load_problems
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import data_digest
from tsmdbench.experiments.submission.entry import Entry
from tsmdbench.experiments.tune import TUNED
from tsmdbench.plural import counted

SPLIT = "test"
COLUMNS = ["method", "version", "dataset", "problem", "parameters", "data", "status"]
SHOWN = 3  # examples in a finding


class Finding(NamedTuple):
    """A rule, whether it is kept, and what was seen."""

    rule: str
    kept: bool
    seen: str

    def __str__(self) -> str:
        return f"{'ok' if self.kept else 'NO'}  {self.rule}: {self.seen}"


def required_datasets() -> tuple[str, ...]:
    """Return the datasets that a submission must have.

    >>> len(required_datasets())
    12
    """
    return tuple(dict.fromkeys(name for name, _ in frozen_recipes()))


def methods_of(store: Store, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the methods of a store that are submitted; all by default."""
    table = store.table(["method"], {"split": SPLIT})
    known = tuple(sorted(set(table["method"].to_pylist())))
    if not known:
        raise InputError(f"{store.path} has no runs of the test split to submit")
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise InputError(
            f"{store.path} has no test runs of {unknown[0]!r}; it has "
            f"{', '.join(known)}"
        )
    return tuple(dict.fromkeys(chosen)) or known


def rows_of(store: Store, methods: Sequence[str]) -> list[dict[str, Any]]:
    """Return the test runs of some methods, without what they found."""
    rows = store.table(COLUMNS, {"split": SPLIT}).to_pylist()
    return [row for row in rows if row["method"] in methods]


def check_submission(
    store: Store,
    entry: Entry,
    methods: Sequence[str],
    datasets: Sequence[str] | None = None,
) -> list[Finding]:
    """Return what was found for every rule.

    Parameters
    ----------
    store : Store
    entry : Entry
    methods : sequence of str
        Which are submitted.
    datasets : sequence of str, optional
        Which are required; by default `required_datasets`.
    """
    required = (
        required_datasets() if datasets is None else tuple(dict.fromkeys(datasets))
    )
    rows = rows_of(store, methods)
    asked = _asked(store, methods)
    return [
        _complete(rows, methods, required, folders_of(store.manifest)),
        _one_each(
            [{**row, "parameters": without_seed(row["parameters"])} for row in rows],
            "parameters",
            "one setting per method and dataset",
        ),
        _same_seeds(rows),
        _one_each(rows, "version", "one version per method and dataset"),
        _chosen(rows, store, asked, entry),
        _limits(asked),
        _hashed(rows),
    ]


def _asked(store: Store, methods: Sequence[str]) -> list[Specification]:
    """Return what was requested of the test split with these methods."""
    kept = [Specification.from_dict(one) for one in store.specifications]
    return [one for one in kept if one.split == SPLIT and set(one.methods) & {*methods}]


def _complete(
    rows: Iterable[Mapping[str, Any]],
    methods: Sequence[str],
    required: Sequence[str],
    folders: Mapping[str, str],
) -> Finding:
    rule = "all problems of the test split"
    have = {(r["method"], r["dataset"], r["problem"]): r["data"] for r in rows}
    missing, other, number = [], [], 0
    for dataset in required:
        try:
            problems = load_problems(dataset, SPLIT, folders=folders)
            digests = {p.name: data_digest(p) for p in problems}
        except TsmdbenchError as error:
            return Finding(rule, False, f"{dataset} cannot be checked: {error}")  # noqa: FBT003
        for method in methods:
            for problem, digest in digests.items():
                number += 1
                what = f"{method} on {problem} of {dataset}"
                if (method, dataset, problem) not in have:
                    missing.append(what)
                elif have[method, dataset, problem] not in (digest, ""):
                    other.append(what)
    seen = f"{number - len(missing)} of {counted(number, 'run')} on "
    seen += counted(len(required), "dataset")
    if missing:
        seen += f"; missing {_some(missing)}"
    if other:
        seen += f"; on other data {_some(other)}"
    return Finding(rule, not missing and not other, seen)


def _one_each(rows: Iterable[Mapping[str, Any]], column: str, rule: str) -> Finding:
    values: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        values.setdefault((row["method"], row["dataset"]), set()).add(row[column])
    several = [
        f"{method} on {dataset} has {len(found)}"
        for (method, dataset), found in sorted(values.items())
        if len(found) > 1
    ]
    seen = _some(several) if several else f"{len(values)} looked at"
    return Finding(rule, not several, seen)


def _same_seeds(rows: Iterable[Mapping[str, Any]]) -> Finding:
    """Tell whether no seed was left out where it did badly."""
    seeds: dict[tuple[str, str], dict[str, set[str]]] = {}
    for row in rows:
        problems = seeds.setdefault((row["method"], row["dataset"]), {})
        used = problems.setdefault(row["problem"], set())
        used.add(str(seed_of(row["parameters"])))
    uneven = [
        f"{method} on {dataset}"
        for (method, dataset), problems in sorted(seeds.items())
        if len(set(map(frozenset, problems.values()))) > 1
    ]
    most = max((len(u) for p in seeds.values() for u in p.values()), default=0)
    seen = _some(uneven) if uneven else f"at most {counted(most, 'run')} per problem"
    return Finding("the same seeds on every problem", not uneven, seen)


def _chosen(
    rows: Iterable[Mapping[str, Any]],
    store: Store,
    asked: Sequence[Specification],
    entry: Entry,
) -> Finding:
    """Tell whether settings come from a search on validation data, or are declared."""
    rule = "settings chosen without the test split"
    winners = _winners(store)
    given = {m for one in asked for m in one.methods if m in one.params}
    tuned = {m for one in asked if one.tune for m in one.methods}
    searched, of_data, declared, other = set(), set(), set(), []
    for row in rows:
        method, dataset = row["method"], row["dataset"]
        settings = json.loads(row["parameters"])
        won = winners.get((method, dataset))
        if method in tuned and won is not None:
            if _without_none_and_seed(settings) == _without_none_and_seed(won):
                searched.add((method, dataset))
            else:
                other.append(f"{method} on {dataset}")
        elif method not in given:
            of_data.add((method, dataset))
        else:
            declared.add((method, dataset))
    if other:
        return Finding(rule, False, f"not the winner of the search: {_some(other)}")  # noqa: FBT003
    seen = (
        f"{len(searched)} searched on validation problems, {len(of_data)} from the "
        f"data, {len(declared)} given"
    )
    if declared and not entry.tuning:
        return Finding(rule, False, f"{seen}; say how in 'tuning' of the entry")  # noqa: FBT003
    return Finding(rule, True, seen)  # noqa: FBT003


def _without_none_and_seed(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a search chooses: repeats differ from the winner in the seed."""
    return {k: v for k, v in settings.items() if v is not None and k != SEED}


def _winners(store: Store) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the settings that won searches, by method and dataset."""
    file = store.path / TUNED
    try:
        tables = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        return {
            (method, dataset): dict(fields)
            for method, table in tables.items()
            for dataset, fields in table["datasets"].items()
        }
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{file} cannot be read ({error}); repeat the same 'tsmdbench run'"
        ) from None


def _limits(asked: Sequence[Specification]) -> Finding:
    standard = Limits()
    above = [
        f"{one.limits.seconds:g} s, {one.limits.memory / 2**30:g} GiB"
        for one in asked
        if one.limits.seconds > standard.seconds or one.limits.memory > standard.memory
    ]
    rule = f"limits of at most {standard.seconds:g} s and {standard.memory >> 30} GiB"
    if not asked:
        return Finding(rule, False, "the manifest does not say what was requested")  # noqa: FBT003
    return Finding(rule, not above, _some(above) if above else "kept")


def _hashed(rows: Sequence[Mapping[str, Any]]) -> Finding:
    without = sum(not row["data"] for row in rows)
    seen = f"{len(rows) - without} of {counted(len(rows), 'run')}"
    return Finding("a hash of the problem in every run", not without, seen)


def _some(texts: Sequence[str]) -> str:
    """Return the first of many texts, and how many more there are."""
    unique = list(dict.fromkeys(texts))
    more = f" and {len(unique) - SHOWN} more" if len(unique) > SHOWN else ""
    return ", ".join(unique[:SHOWN]) + more

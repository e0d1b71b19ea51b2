"""Names of methods in a comparison, their order, and the suites of datasets.

A method is called by its name. Where a store has several settings of one method on the
same dataset, each gets the fields that differ, ``locomotif [rho=0.5]``. A method that
was tuned, and has other values on other datasets, keeps its name. Where it was run
tuned and not tuned, the settings that a search chose are called ``locomotif (tuned)``
on all datasets. The protocol ``pvldb``, which gives a method other values on every
problem, changes no name.

A suite is the datasets that one ranking is made of. Problems of TSMD-Bench are
concatenated instances, those of the recordings suite are real recordings, and by the
protocol ``pvldb`` parameters come from the truth. A mean over datasets of different
suites has no meaning, so each has its own ranking and page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from tsmdbench.datasets.catalogue import SHIFTED_SUITE, SUBSPACE_SUITE
from tsmdbench.datasets.recordings_suite import RECORDINGS_SUITE
from tsmdbench.experiments.sources import uses_truth, without_protocol
from tsmdbench.methods.info import MethodInfo

Setting = tuple[str, str, str, str]  # dataset, method, version, parameters
ABSENT = "absent"  # stands for a field that another version has


def setting_labels(
    settings: Iterable[Setting], is_winner: Callable[[Setting], bool] = lambda _: False
) -> dict[Setting, str]:
    """Name each setting of a method on a dataset; a search chose those that won.

    >>> rivals = [("A", "m", "1", '{"rho": 0.5}'), ("A", "m", "1", '{"rho": 0.6}')]
    >>> list(setting_labels(rivals).values())
    ['m [rho=0.5]', 'm [rho=0.6]']
    >>> tuned = [("A", "m", "1", '{"rho": 0.5}'), ("B", "m", "1", '{"rho": 0.6}')]
    >>> set(setting_labels(tuned).values())
    {'m'}
    >>> both = [*tuned, ("A", "m", "1", '{"rho": 0.9}')]
    >>> list(setting_labels(both, lambda setting: setting in tuned).values())
    ['m (tuned)', 'm', 'm (tuned)']
    """
    fields: dict[Setting, dict[str, Any]] = {
        setting: {**json.loads(setting[3]), "version": setting[2]}
        for setting in sorted(set(settings))
    }
    by_place: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for (dataset, method, *_), values in fields.items():
        if not uses_truth(dataset):  # by it, parameters differ between problems
            by_place.setdefault((method, dataset), []).append(values)
    differing: dict[str, set[str]] = {}
    for (method, _), rivals in by_place.items():
        differing.setdefault(method, set()).update(
            name
            for name in {name for values in rivals for name in values}
            if len({repr(values.get(name, ABSENT)) for values in rivals}) > 1
        )
    labels = {}
    for setting, values in fields.items():
        varied = sorted(differing.get(setting[1], ()))
        shown = ", ".join(f"{name}={values.get(name, ABSENT)!r}" for name in varied)
        labels[setting] = f"{setting[1]} [{shown}]" if varied else setting[1]
    for method, names in differing.items():
        if not names:
            continue
        mine = [setting for setting in fields if setting[1] == method]
        marked = {s: f"{method} (tuned)" if is_winner(s) else method for s in mine}
        places = {(setting[0], label) for setting, label in marked.items()}
        # One setting that a search chose and one other at most, on every dataset.
        if len(places) == len(mine) and len(set(marked.values())) > 1:
            labels |= marked
    return labels


def store_labels(
    settings: Iterable[Setting],
    declared: Mapping[str, MethodInfo],
    is_winner: Callable[[Setting], bool] = lambda _: False,
) -> dict[Setting, str]:
    """Name settings as `setting_labels`, with the display names of methods.

    A display name that another method has, too, is not used: names must differ.

    >>> new = [("A", "my.module:New", "1", "{}"), ("A", "emma", "1", "{}")]
    >>> chosen = {"my.module:New": MethodInfo(display_name="NewMethod")}
    >>> sorted(store_labels(new, chosen).values())
    ['NewMethod', 'emma']
    """
    labels = setting_labels(settings, is_winner)
    methods = {setting[1] for setting in labels}
    wanted = {
        name: facts.display_name
        for name, facts in declared.items()
        if name in methods and facts.display_name
    }
    taken = [*wanted.values(), *(methods - set(wanted))]
    shown = {name: new for name, new in wanted.items() if taken.count(new) == 1}
    return {
        setting: shown.get(setting[1], setting[1]) + label.removeprefix(setting[1])
        for setting, label in labels.items()
    }


def in_paper_order(methods: dict[str, str]) -> tuple[str, ...]:
    """Sort labels (of methods): those of the paper in its order, then others by name.

    >>> in_paper_order({name: name for name in ("mine", "locomotif", "emma")})
    ('emma', 'locomotif', 'mine')
    """
    from tsmdbench.methods import PAPER_METHODS

    place = {name: number for number, name in enumerate(PAPER_METHODS)}
    last = len(place)
    return tuple(
        sorted(methods, key=lambda x: (place.get(methods[x], last), methods[x], x))
    )


def in_benchmark_order(datasets: Iterable[str]) -> tuple[str, ...]:
    """Sort datasets: those of TSMD-Bench in its order, then others by name."""
    from tsmdbench.datasets.catalogue import BENCHMARK

    place = {name: number for number, name in enumerate(BENCHMARK)}
    return tuple(sorted(set(datasets), key=lambda x: (place.get(x, len(place)), x)))


class Suite(NamedTuple):
    """Datasets that one ranking is made of.

    Its name is that of its folder in a report, "" for the main one; `metric` decides
    unless another one is named.
    """

    name: str
    title: str
    metric: str = "prom_f1"


MAIN = Suite("", "TSMD-Bench and other datasets")
RECORDINGS = Suite("recordings", "Recordings")
SUBSPACE = Suite("subspace", "Patterns in some of the channels", "subspace_prom_f1")
MAIN_TRUTH = Suite("pvldb", "Parameters from the truth")
RECORDINGS_TRUTH = Suite(
    "recordings-pvldb", "Recordings, with parameters from the truth"
)
SUITES = (MAIN, RECORDINGS, SUBSPACE, MAIN_TRUTH, RECORDINGS_TRUTH)


def suite_of(dataset: str) -> Suite:
    """Return the suite of a dataset.

    >>> suite_of("Symbols").name, suite_of("Symbols?protocol=pvldb").name
    ('', 'pvldb')
    >>> suite_of("MITBIH").name, suite_of("MITBIH?protocol=pvldb").name
    ('recordings', 'recordings-pvldb')
    >>> suite_of("Sub-NATOPS").name
    'subspace'
    """
    name = without_protocol(dataset)
    if name in SUBSPACE_SUITE or name in SHIFTED_SUITE:
        return MAIN_TRUTH if uses_truth(dataset) else SUBSPACE
    if name in RECORDINGS_SUITE:
        return RECORDINGS_TRUTH if uses_truth(dataset) else RECORDINGS
    return MAIN_TRUTH if uses_truth(dataset) else MAIN


def main_metric(datasets: Iterable[str]) -> str:
    """Return the metric that decides on datasets of one suite, or of several.

    >>> main_metric(["Sub-NATOPS"]), main_metric(["NATOPS", "Sub-NATOPS"])
    ('subspace_prom_f1', 'prom_f1')
    """
    every = {suite_of(name).metric for name in datasets}
    return every.pop() if len(every) == 1 else MAIN.metric


def main_metrics(datasets: Iterable[str], names: Iterable[str]) -> tuple[str, ...]:
    """Return metrics of PROM, or those of subspace PROM where that one decides.

    >>> main_metrics(["Sub-NATOPS"], ["prom_f1", "prom_recall"])
    ('subspace_prom_f1', 'subspace_prom_recall')
    """
    before = main_metric(datasets).removesuffix(MAIN.metric)
    return tuple(f"{before}{name}" for name in names)


def by_suite(datasets: Iterable[str]) -> dict[Suite, tuple[str, ...]]:
    """Group datasets by suite, in the order of `SUITES`; none is empty.

    >>> [suite.name for suite in by_suite(["MITBIH", "Symbols", "Plane"])]
    ['', 'recordings']
    """
    names = list(datasets)
    grouped = {
        suite: tuple(name for name in names if suite_of(name) == suite)
        for suite in SUITES
    }
    return {suite: chosen for suite, chosen in grouped.items() if chosen}

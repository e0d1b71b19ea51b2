"""Suites: the datasets that one ranking is made of.

Problems of TSMD-Bench are concatenated instances, those of the recordings suite are
real recordings, and by the protocol ``pvldb`` parameters come from the truth. A mean
over datasets of different suites has no meaning, so each has its own ranking, page of
the report and page of the board.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from tsmdbench.datasets.recordings_suite import RECORDINGS_SUITE
from tsmdbench.experiments.sources import uses_truth, without_protocol


class Suite(NamedTuple):
    """A suite.

    Attributes
    ----------
    name : str
        Also that of its folder in a report; "" for the main one.
    title : str
    """

    name: str
    title: str


MAIN = Suite("", "TSMD-Bench and other datasets")
RECORDINGS = Suite("recordings", "Recordings")
MAIN_TRUTH = Suite("pvldb", "Parameters from the truth")
RECORDINGS_TRUTH = Suite(
    "recordings-pvldb", "Recordings, with parameters from the truth"
)
SUITES = (MAIN, RECORDINGS, MAIN_TRUTH, RECORDINGS_TRUTH)


def suite_of(dataset: str) -> Suite:
    """Return the suite of a dataset.

    >>> suite_of("Symbols").name, suite_of("Symbols?protocol=pvldb").name
    ('', 'pvldb')
    >>> suite_of("MITBIH").name, suite_of("MITBIH?protocol=pvldb").name
    ('recordings', 'recordings-pvldb')
    """
    if without_protocol(dataset) in RECORDINGS_SUITE:
        return RECORDINGS_TRUTH if uses_truth(dataset) else RECORDINGS
    return MAIN_TRUTH if uses_truth(dataset) else MAIN


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

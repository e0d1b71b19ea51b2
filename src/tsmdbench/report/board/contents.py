"""What a board shows: versions of entries with their scores, and the baselines."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tsmdbench.analysis.baselines import (
    RECORDINGS,
    check_same_problems,
    load_baselines,
    published_scores,
)
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.errors import InputError
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.truth import Place, read_truth
from tsmdbench.experiments.store.versions import version_numbers
from tsmdbench.experiments.submission.archive import Submission
from tsmdbench.experiments.submission.submit import Receipt
from tsmdbench.methods.info import LENGTHS, MethodInfo, method_info
from tsmdbench.plural import counted
from tsmdbench.report.page.entries import METRIC, MethodEntry, entries

if TYPE_CHECKING:
    import pandas as pd

METRICS = {
    "f1": METRIC,
    "precision": "prom_precision",
    "recall": "prom_recall",
    "macro": "prom_macro_f1",
}
FILE_LETTERS = 40  # of a name in the name of a file


@dataclass(frozen=True, eq=False)
class Version:
    """One version of one method of an entry, with its scores.

    Attributes
    ----------
    name : str
        Of the entry; with the method where it has several.
    submission : Submission
    method : str
        As the store names it.
    table : DataFrame
        Its scores, labelled by `name`.
    receipt : Receipt, optional
        The check by the keeper of the board.
    """

    name: str
    submission: Submission
    method: str
    table: pd.DataFrame
    receipt: Receipt | None = None

    @property
    def number(self) -> str:
        """The version that the entry says."""
        return self.submission.entry.version

    @property
    def order(self) -> tuple[str, list[tuple[bool, int, str]]]:
        """What versions of a name are ordered by: the date, then their numbers."""
        return self.submission.entry.date, version_numbers(self.number)

    @property
    def properties(self) -> MethodInfo:
        """The declared properties of the method."""
        facts = self.submission.methods.get(self.method, {})
        known = method_info(self.method)
        lengths = facts.get("variable_length")
        univariate = facts.get("univariate")
        if known.variable_length or lengths not in LENGTHS:
            return known
        if not isinstance(univariate, bool):
            return known
        symbolic = facts.get("symbolic") is True
        return MethodInfo(None, univariate, str(lengths), symbolic)


@dataclass(frozen=True, eq=False)
class Contents:
    """Everything that the pages of a board are made of.

    Attributes
    ----------
    newest : Scores
        The newest version of each name, and the baselines.
    history : dict
        All versions of each name, the newest first.
    rows : list of MethodEntry
        The leaderboard, best first.
    by_dataset : dict
        Label, then dataset, then metric to a mean.
    """

    newest: Scores
    history: dict[str, list[Version]]
    rows: list[MethodEntry]
    by_dataset: dict[str, dict[str, dict[str, float]]]


def contents(
    submissions: Sequence[Submission],
    baselines: str | None,
    receipts: Mapping[str, Receipt],
) -> Contents:
    """Score submissions and put them beside the baselines.

    Parameters
    ----------
    submissions : sequence of Submission
    baselines : {"best", "paper", "recordings"} or None
        Which to show besides. Entries need no runs on the recordings suite; those that
        lack some of it are left out there.
    receipts : mapping
        Checks by the keeper, by the hash of the submitted file.

    Raises
    ------
    InputError
        Two files submit the same version of a name, one is not complete or has
        another truth than the baselines, or there is nothing to show.
    """
    import pandas as pd

    found = [
        replace(version, receipt=receipts.get(one.sha256))
        for one in submissions
        for version in _versions(one)
    ]
    names = {version.name for version in found}
    if baselines is not None:
        known = _known(baselines)
        if baselines == RECORDINGS:
            found = [version for version in found if not _missing(version, known)]
        store = load_baselines(baselines)
        found = [_verified(version, store, known) for version in found]
    history = _history(found)
    tables = [versions[0].table for versions in history.values()]
    if baselines is not None:
        published = published_scores(baselines).table
        taken = published["label"].isin(names)
        labels = published["label"].where(~taken, published["label"] + " (baseline)")
        tables.append(published.assign(label=labels))
    if not tables:
        raise InputError("there is nothing to show: give files that 'submit' wrote")
    newest = Scores(pd.concat(tables, ignore_index=True)).on_common_problems()
    own = {name: versions[0].properties for name, versions in history.items()}
    rows = [
        replace(row, properties=own.get(row.label, row.properties))
        for row in entries(newest)
    ]
    return Contents(newest, history, rows, means_by_dataset(newest))


def _versions(submission: Submission) -> list[Version]:
    """Return the methods of a submission, each with its scores."""
    scores = score_store(submission.store)
    several = len(scores.labels) > 1
    name = submission.entry.name
    return [
        _version(f"{name}: {label}" if several else name, submission, scores, label)
        for label in scores.labels
    ]


def _version(name: str, submission: Submission, scores: Scores, label: str) -> Version:
    table = scores.table[scores.table["label"] == label].assign(label=name)
    return Version(name, submission, scores.methods[label], table)


def _verified(version: Version, baselines: Store, known: Sequence[Place]) -> Version:
    """Return a version on the problems of the baselines; raise unless it has them all.

    A file brings the truth that it is scored by, and says itself that it is complete.
    Neither is taken on trust: one that lacks problems would change what all others are
    compared on.
    """
    name = f"{version.name!r} version {version.number!r}"
    named = [("the baselines", baselines), (name, version.submission.store)]
    check_same_problems(named, {place[0] for place in known})
    missing = _missing(version, known)
    if missing:
        raise InputError(
            f"{name} lacks {counted(len(missing), 'problem')}, for instance "
            f"{missing[0][2]} of {missing[0][0]}; a board takes complete "
            f"submissions only"
        )
    common = version.table["dataset"].isin({dataset for dataset, *_ in known})
    return replace(version, table=version.table[common])


def _known(baselines: str) -> list[Place]:
    """Return the problems that are ranked."""
    truth = read_truth(load_baselines(baselines).path)
    return [place for place in truth if not uses_truth(place[0])]


def _missing(version: Version, known: Sequence[Place]) -> list[Place]:
    """Return the problems that a version has no run of."""
    table = version.table
    ran = set(zip(table["dataset"], table["problem"], strict=True))
    return [place for place in known if (place[0], place[2]) not in ran]


def _history(versions: Sequence[Version]) -> dict[str, list[Version]]:
    """Group versions by name, the newest first."""
    grouped: dict[str, list[Version]] = {}
    for version in versions:
        known = grouped.setdefault(version.name, [])
        if any(other.number == version.number for other in known):
            raise InputError(
                f"two files submit {version.name!r} version {version.number!r}; give "
                f"one of them, or another version"
            )
        known.append(version)
    return {
        name: sorted(known, key=lambda version: version.order, reverse=True)
        for name, known in sorted(grouped.items())
    }


def means_by_dataset(scores: Scores) -> dict[str, dict[str, dict[str, float]]]:
    """Return the mean of each shown metric: by label, dataset and metric."""
    made: dict[str, dict[str, dict[str, float]]] = {
        label: {dataset: {} for dataset in scores.datasets} for label in scores.labels
    }
    for short, metric in METRICS.items():
        means = scores.means(metric)
        for label in scores.labels:
            for dataset in scores.datasets:
                made[label][dataset][short] = float(means.at[dataset, label])
    return made


def overall(table: pd.DataFrame) -> dict[str, float]:
    """Return the mean over datasets of each shown metric, for one method."""
    scores = Scores(table)
    return {s: float(scores.means(m).iloc[:, 0].mean()) for s, m in METRICS.items()}


def settings_of(table: pd.DataFrame) -> dict[str, str]:
    """Return the hyperparameters of a method on each dataset, in words."""
    made = {}
    for dataset, text in zip(table["dataset"], table["parameters"], strict=True):
        made[str(dataset)] = _in_words(text)
    return dict(sorted(made.items()))


def _in_words(parameters: str) -> str:
    fields: Mapping[str, Any] = json.loads(parameters)
    return ", ".join(f"{name}={json.dumps(value)}" for name, value in fields.items())


def file_of(name: str) -> str:
    """Return a name for the page of a method: safe, and one for each name.

    >>> file_of("LoCoMotif & friends")
    'locomotif-friends-609f5ec1.html'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:FILE_LETTERS]
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{plain or 'method'}-{digest}.html"

"""A leaderboard site from submitted files: a report over several stores, with an index.

::

    site/index.html            leaderboard, datasets, history
    site/recordings.html       the same for the recordings suite
    site/methods/NAME.html     one per method: versions, scores, settings, checks
    site/explore/index.html    the page of the report, with all runs of all methods
    site/explore/recordings.html
    site/board.json            what it was made of

Every page stands alone: its style and script are inside, and nothing is fetched. They
open from a folder as from a server.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from tsmdbench.analysis.baselines import (
    RECORDINGS,
    check_same_problems,
    corrections,
    load_baselines,
    published_scores,
)
from tsmdbench.analysis.costs import OTHER_CLOCK, on_clock_of
from tsmdbench.analysis.labels import MAIN
from tsmdbench.analysis.labels import RECORDINGS as SUITE
from tsmdbench.analysis.scores import BASELINES, Scores, score_store
from tsmdbench.analysis.standings import Leaderboard, json_rows, standings
from tsmdbench.datasets.export import check_folder
from tsmdbench.errors import InputError
from tsmdbench.experiments.presets import PRESETS
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.store import Store, version_numbers
from tsmdbench.experiments.submission import (
    Receipt,
    Recomputed,
    Submission,
    read_receipts,
    read_submission,
)
from tsmdbench.experiments.truth import Place, read_truth
from tsmdbench.html_text import compact_json, fragment
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.methods import METHODS
from tsmdbench.methods.info import LENGTHS, MethodInfo, catalogue, method_info
from tsmdbench.plural import counted
from tsmdbench.report.explorer import check_embed
from tsmdbench.report.figures import heat_map_figure
from tsmdbench.report.figures.properties import with_names
from tsmdbench.report.figures.style import page_svg
from tsmdbench.report.page import (
    METRIC,
    SHARED,
    Tab,
    groups_of,
    leaderboard_rows,
    page,
    rendered,
    trusted,
)
from tsmdbench.report.table import Table
from tsmdbench.report.tables import against_table, setting_words
from tsmdbench.validation import check_choice

TITLE = "Motif discovery leaderboard"
KIND = "a board"
INDEX = "index.html"
SECOND = f"{RECORDINGS}.html"
MADE_OF = "board.json"
# Key in the page, title, metric, and column of the leaderboard.
SHOWN = (
    ("f1", "F1", METRIC, "mean"),
    ("precision", "Precision", "prom_precision", "precision"),
    ("recall", "Recall", "prom_recall", "recall"),
    ("macro", "Macro F1", "prom_macro_f1", "macro_f1"),
)
FILE_LETTERS = 40  # of a name in the name of a file


@dataclass(frozen=True)
class Board:
    """A written site: its folder and content."""

    page: Path
    entries: int
    pages: int

    def __str__(self) -> str:
        lines = [
            f"entries   {self.entries}",
            f"pages     {counted(self.pages, 'file')} in {self.page.parent}",
            f"board     {self.page}",
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Version:
    """One version of one method of an entry, with its scores."""

    name: str  # of the entry; with the method where it has several
    submission: Submission
    method: str  # as the store names it
    table: pd.DataFrame  # its scores, labelled by `name`
    receipt: Receipt | None = None  # the check by the keeper of the board

    @property
    def number(self) -> str:
        """The version that the entry says."""
        return self.submission.entry.version

    @cached_property
    def means(self) -> pd.DataFrame:
        """The means of this version, see `means_by_label`."""
        return means_by_label(Scores(self.table))[self.name]

    @property
    def properties(self) -> MethodInfo:
        """The properties of the method, if not known those that were submitted."""
        known = method_info(self.method)
        facts = self.submission.methods.get(self.method, {})
        lengths, univariate = facts.get("variable_length"), facts.get("univariate")
        valid = lengths in LENGTHS and isinstance(univariate, bool)
        if known.variable_length or not valid:
            return known
        symbolic = facts.get("symbolic") is True
        return MethodInfo(None, univariate, str(lengths), symbolic)


@dataclass(frozen=True, eq=False)
class Contents:
    """Data of the pages of one suite."""

    newest: Scores  # of the newest version of each name, and of the baselines
    stores: dict[str, list[Store]]  # where the runs of each origin are
    history: dict[str, list[Version]]  # all versions of each name, the newest first
    rows: list[dict[str, Any]]  # the leaderboard, best first (`leaderboard_rows`)
    board: Leaderboard  # by F1, with the comparisons

    @cached_property
    def means(self) -> dict[str, pd.DataFrame]:
        """The means of each label, see `means_by_label`."""
        return means_by_label(self.newest)


def write_board(
    submitted: Sequence[PathLike],
    out: PathLike,
    *,
    title: str = TITLE,
    baselines: str | None = "best",
    embed: str = "auto",
    explorers: bool = True,
    checks: PathLike | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Board:
    """Make a static site of submitted files, each of which is verified first.

    `out` is new, empty, or a board, which is replaced file by file. `baselines` names
    the published results beside the entries, `embed` what explorers carry (see
    `tsmdbench.report.explorer`), `checks` a folder with receipts of the keeper's own
    checks; `progress` is called with lines of progress.
    """
    folder = Path(out)
    check_embed(embed)
    receipts = {} if checks is None else read_receipts(checks)
    if baselines is not None:
        check_choice(baselines, "baselines", PRESETS)
    check_folder(folder, KIND)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MADE_OF).is_file():
        raise InputError(f"{folder} holds something else; a board needs its own folder")
    pages: dict[str, str] = {}
    with ExitStack() as stack:
        progress(f"reading {counted(len(submitted), 'file')} ...")
        opened = [stack.enter_context(read_submission(file)) for file in submitted]
        progress("scoring ...")
        suites = {INDEX: (MAIN.title, contents(opened, baselines, receipts))}
        if baselines is not None:
            suites[SECOND] = SUITE.title, contents(opened, RECORDINGS, receipts)
        for name, (_, made) in suites.items():
            tabs = [
                Tab(suite, file, current=file == name)
                for file, (suite, _) in suites.items()
                if len(suites) > 1
            ]
            explorer = f"explore/{name}" if explorers else ""
            pages[name] = _index(made, title, tabs, explorer)
            if explorers:
                progress(f"writing the explorer {explorer} ...")
                pages[explorer] = page(
                    made.newest,
                    made.stores,
                    embed=embed,
                    title=title,
                    tabs=tabs,
                    home="../index.html",
                )
        first = suites[INDEX][1]
        for row in first.rows:
            text = _method(suites, row, title, explorers=explorers)
            pages[f"methods/{file_of(row['label'])}"] = text
        pages[MADE_OF] = _made_of(opened, first, receipts)
    try:
        for name in ("methods", "explore"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        # The first page comes last: it links to the others.
        for name in sorted(pages, key=lambda name: name == INDEX):
            write_atomically(folder / name, pages[name].encode())
        # Pages of entries that were withdrawn, or of a suite that is not shown.
        for old in (*folder.glob("methods/*.html"), *folder.glob("explore/*.html")):
            if f"{old.parent.name}/{old.name}" not in pages:
                old.unlink()
        if SECOND not in pages:
            (folder / SECOND).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write a board to {folder} ({error.strerror}); choose another "
            f"folder with --out"
        ) from None
    return Board(folder / INDEX, len(first.history), len(pages))


def contents(
    submissions: Sequence[Submission],
    baselines: str | None,
    receipts: Mapping[str, Receipt],
) -> Contents:
    """Score submissions and put them beside the baselines.

    `receipts` are checks by the keeper, by the hash of the submitted file. Entries need
    no runs on the recordings suite; those that lack some of it are left out there.

    Raises
    ------
    InputError
        Two files submit the same version of a name, one is not complete or has
        another truth than the baselines, or there is nothing to show.
    """
    found = []
    for file in submissions:
        scores, entry = score_store(file.store), file.entry.name
        for label in scores.labels:
            name = f"{entry}: {label}" if len(scores.labels) > 1 else entry
            table = scores.table[scores.table["label"] == label].assign(label=name)
            receipt = receipts.get(file.sha256)
            found.append(Version(name, file, scores.methods[label], table, receipt))
    if baselines is not None:
        store = load_baselines(baselines)
        known = [place for place in read_truth(store.path) if not uses_truth(place[0])]
        if baselines == RECORDINGS:
            found = [version for version in found if not _missing(version, known)]
        found = [_verified(version, store, known) for version in found]
    history = _history(found)
    newest = {name: versions[0] for name, versions in history.items()}
    stores = {name: [one.submission.store] for name, one in newest.items()}
    # All times are on one clock: that of the baselines, or of the first entry.
    clocks = [store] if baselines is not None else [each[0] for each in stores.values()]
    tables = []
    for name, one in newest.items():
        scores, own = Scores(one.table.assign(origin=name)), one.submission.store
        if own is not clocks[0]:
            scores, _ = on_clock_of(clocks[0].manifest, scores, own.manifest, name)
        tables.append(scores.table)
    if baselines is not None:
        published = with_names(published_scores(baselines)).table
        taken = published["label"].isin(stores)
        labels = published["label"].where(~taken, published["label"] + " (baseline)")
        tables.append(published.assign(label=labels, origin=BASELINES, own=False))
        stores[BASELINES] = [store]
    if not tables:
        raise InputError("there is nothing to show: give files that 'submit' wrote")
    scores = Scores(pd.concat(tables, ignore_index=True)).on_common_problems()
    entered = {name: one.submission.entry for name, one in newest.items()}
    board = standings(scores, METRIC, stores=stores, entries=entered)
    rows = leaderboard_rows(scores, board)
    for row in rows:
        row["own"] = row["label"] in newest
        if row["own"]:
            row["properties"] = newest[row["label"]].properties
    return Contents(scores, stores, history, rows, board)


def _verified(version: Version, baselines: Store, known: Sequence[Place]) -> Version:
    """Return a version on the problems of the baselines; raise unless it has them all.

    A file brings the truth that it is scored by, and says itself that it is complete.
    Neither is taken on trust: one that lacks problems would change what all others are
    compared on.
    """
    name = f"{version.name!r} version {version.number!r}"
    named = [("the baselines", baselines), (name, version.submission.store)]
    datasets = {dataset for dataset, *_ in known}
    check_same_problems(named, datasets)
    missing = _missing(version, known)
    if missing:
        raise InputError(
            f"{name} lacks {counted(len(missing), 'problem')}, for instance "
            f"{missing[0][2]} of {missing[0][0]}; a board takes complete "
            f"submissions only"
        )
    common = version.table["dataset"].isin(datasets)
    return replace(version, table=version.table[common])


def _missing(version: Version, known: Sequence[Place]) -> list[Place]:
    """Return the problems that a version has no run of."""
    table = version.table
    ran = set(zip(table["dataset"], table["problem"], strict=True))
    return [place for place in known if (place[0], place[2]) not in ran]


def _history(versions: Sequence[Version]) -> dict[str, list[Version]]:
    """Group versions by name, the newest first: by date, then by version number."""
    grouped: dict[str, list[Version]] = {}
    for one in versions:
        known = grouped.setdefault(one.name, [])
        if any(other.number == one.number for other in known):
            raise InputError(
                f"two files submit {one.name!r} version {one.number!r}; give "
                f"one of them, or another version"
            )
        known.append(one)
    for known in grouped.values():
        known.sort(
            key=lambda one: (one.submission.entry.date, version_numbers(one.number)),
            reverse=True,
        )
    return dict(sorted(grouped.items()))


def means_by_label(scores: Scores) -> dict[str, pd.DataFrame]:
    """Return for each label its means: a row per dataset, a column per shown metric."""
    means = {key: scores.means(metric) for key, _, metric, _ in SHOWN}
    return {
        label: pd.DataFrame({key: table[label] for key, table in means.items()})
        for label in scores.labels
    }


def file_of(name: str) -> str:
    """Return a name for the page of a method: safe, and one for each name.

    >>> file_of("LoCoMotif & friends")
    'locomotif-friends-609f5ec1.html'
    """
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:FILE_LETTERS]
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{plain or 'method'}-{digest}.html"


def _index(made: Contents, title: str, tabs: Sequence[Tab], explorer: str) -> str:
    means, comparison = made.means, made.board.comparison
    data = {
        "means": {label: one.to_dict("index") for label, one in means.items()},
        "overall": {
            row["label"]: {key: row[column] for key, _, _, column in SHOWN}
            for row in made.rows
        },
    }
    heat_map = heat_map_figure(
        made.newest, link=lambda _, label: f"methods/{file_of(label)}"
    )
    every = [version for versions in made.history.values() for version in versions]
    return rendered(
        "board",
        (*SHARED, "board"),
        data,
        groups_of(made.newest)[0],
        title=title,
        tabs=tabs,
        rows=made.rows,
        history=made.history,
        versions=_versions_table(every),
        links=[f"methods/{file_of(version.name)}" for version in every],
        comparison=comparison,
        against_table=against_table(comparison) if comparison.reference else None,
        corrections=corrections() if BASELINES in made.stores else [],
        datasets=made.newest.datasets,
        heat_map=trusted(page_svg(heat_map, "Mean F1 of each method on each dataset")),
        problems=int(made.newest.table.groupby("dataset")["problem"].nunique().sum()),
        file_of=file_of,
        explorer=explorer,
        other_clock=OTHER_CLOCK,
    )


def _versions_table(versions: Sequence[Version]) -> Table:
    """Return the history of a board: a row per version."""

    def runs(done: Recomputed) -> str:
        same = "all" if done.equal == done.runs else f"{done.equal:,}"
        share = f"{counted(done.runs, 'run')} ({100 * done.share:.0f} %)"
        return f"{share}, {same} the same"

    rows = [
        (
            one.name,
            one.number,
            one.submission.entry.date or None,
            one.means["f1"].mean(),
            one.submission.tsmdbench,
            runs(one.submission.recomputed),
            runs(one.receipt.recomputed) if one.receipt else "not yet",
            one.submission.sha256[:12],
        )
        for one in versions
    ]
    names = ["Entry", "Version", "Date", "F1", "Package"]
    names += ["Recomputed by the author", "Recomputed by us", "Checksum"]
    return Table(
        "history", "Versions of the entries.", pd.DataFrame(rows, columns=names)
    )


def _method(
    suites: Mapping[str, tuple[str, Contents]],
    row: Mapping[str, Any],
    title: str,
    *,
    explorers: bool,
) -> str:
    """Return the page of a method: the first suite has its versions, all its scores."""
    label, first = row["label"], suites[INDEX][1]
    versions = first.history.get(label, [])
    parts, links = [], {}
    for name, (suite, made) in suites.items():
        table = made.newest.table[made.newest.table["label"] == label]
        if not len(table):
            continue
        parameters = dict(zip(table["dataset"], table["parameters"], strict=True))
        settings = [
            setting_words(parameters.get(d, "{}")) for d in made.newest.datasets
        ]
        parts.append(made.means[label].assign(Settings=settings).dropna(subset="f1"))
        address = fragment("explore", made.newest.datasets[0], label)
        links[suite] = f"../explore/{name}{address}"
    scores = pd.concat(parts).rename(columns={key: text for key, text, *_ in SHOWN})
    history = []
    for one in versions:
        f1 = one.means["f1"]
        about = {"Version": one.number, "Date": one.submission.entry.date or None}
        history.append(about | {"F1": f1.mean()} | f1.to_dict())
    summary = ""  # the entry's, the method's, or ours
    if versions:
        submission, method = versions[0].submission, versions[0].method
        said = submission.methods.get(method, {}).get("summary", "")
        summary = submission.entry.about or str(said)
    elif row["method"] in METHODS.added():
        summary = catalogue([row["method"]])[0].summary
    comparison = first.board.comparison.with_reference(label) if versions else None
    return rendered(
        "method",
        (*SHARED, "board"),
        {},
        title=f"{label} - {title}",
        site=title,
        row=row,
        versions=versions,
        scores=Table(
            "scores", "Means by dataset.", scores.reset_index(names="Dataset")
        ),
        history=Table(
            "versions",
            "F1 of every version on every dataset, the newest first.",
            pd.DataFrame(history),
        ),
        summary=summary,
        comparison=comparison,
        against_table=None if comparison is None else against_table(comparison),
        explorers=links if explorers else {},
    )


def _made_of(
    opened: Sequence[Submission], made: Contents, receipts: Mapping[str, Receipt]
) -> str:
    """Return the entries of a board without contact addresses."""
    listed = []
    for one in opened:
        shown = {k: v for k, v in vars(one.entry).items() if k != "contact"}
        receipt = receipts.get(one.sha256)
        checks = {
            "author": one.recomputed._asdict(),
            "keeper": None if receipt is None else receipt.recomputed._asdict(),
        }
        about = {"sha256": one.sha256, "tsmdbench": one.tsmdbench, "recomputed": checks}
        listed.append({**shown, **about})
    compared = {
        name: json_rows(made.board.comparison.with_reference(name).against_reference())
        for name in made.history
    }
    order = [
        {"label": row["label"], "f1": row["mean"], "rank": row["average_rank"], **row}
        for row in made.board.record()["rows"]
    ]
    whole = {
        "made_by": version("tsmdbench"),
        "entries": listed,
        "leaderboard": order,
        "against": compared,
        "corrections": [one._asdict() for one in corrections()],
    }
    return compact_json(whole) + "\n"

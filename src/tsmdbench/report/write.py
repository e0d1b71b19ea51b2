"""Write a report: tables, figures and one page, from a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tsmdbench.analysis.baselines import (
    RECORDINGS,
    STORES,
    check_same_problems,
    load_baselines,
)
from tsmdbench.analysis.costs import mixed_notes, on_clock_of
from tsmdbench.analysis.difficulty import error_costs
from tsmdbench.analysis.labels import SUITES, by_suite, main_metric
from tsmdbench.analysis.scores import (
    BASELINES,
    Scores,
    default_metrics,
    requested_metrics,
    restricted,
    score_store,
)
from tsmdbench.analysis.standings import standings
from tsmdbench.benchmark import SPLITS
from tsmdbench.datasets.export import REPORT, check_folder
from tsmdbench.errors import InputError
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.store import NEWEST, Store
from tsmdbench.html_text import html_block, html_lines
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.metrics.evaluate import Requested
from tsmdbench.plural import counted
from tsmdbench.report.drawn import drawn_figures
from tsmdbench.report.explorer import check_embed
from tsmdbench.report.figures.properties import with_names
from tsmdbench.report.figures.style import save
from tsmdbench.report.page import Tab, conclusion, page
from tsmdbench.report.table import Table
from tsmdbench.report.tables import all_tables
from tsmdbench.validation import check_choice

PAGE = "index.html"
LEFT_OUT = ("clock", "own")  # columns of the scores for drawing and joining


@dataclass(frozen=True)
class Written:
    """A written report: its folder and omitted parts.

    Attributes
    ----------
    page : path
        The page; that of the first suite where there are several.
    tables, figures : tuple of path
    skipped : tuple of str
        What could not be drawn, and why.
    pages : tuple of path
        The page of each suite (`tsmdbench.analysis.labels`), linked by tabs.
    conclusion : str
        Which method is best, and how certain that is; empty for one method.
    """

    page: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    skipped: tuple[str, ...]
    pages: tuple[Path, ...] = ()
    conclusion: str = ""

    def __str__(self) -> str:
        folder = self.page.parent
        tables, figures = (
            f"{counted(sum(file.parent == place for file in files), 'file')} in {place}"
            for place, files in (
                (folder / "tables", self.tables),
                (folder / "figures", self.figures),
            )
        )
        lines = [
            f"tables     {tables}",
            f"figures    {figures}",
            *(f"left out   {reason}" for reason in self.skipped),
            *(f"tab        {file}" for file in self.pages[1:]),
            f"page       {self.page}",
        ]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show what was written, in a notebook, with a link to the page."""
        link = escape(self.page.as_posix(), quote=True)
        lines = html_lines(str(self).splitlines()[:-1])
        return html_block(lines, f'<p><a href="{link}">{link}</a></p>')


def write_report(
    store: PathLike,
    out: PathLike,
    *,
    baselines: str | None = None,
    compare: PathLike | Sequence[PathLike] = (),
    only: str | Sequence[str] | None = None,
    metrics: Requested | Sequence[Requested] | None = None,
    transpose: bool = False,
    latex: bool = False,
    csv: bool = False,
    parquet: bool = False,
    embed: str = "auto",
    split: str = "test",
    version: str = NEWEST,
    progress: Callable[[str], None] = lambda _: None,
) -> Written:
    """Score a store and write all tables, figures and the page.

    Where the results are of several suites (`tsmdbench.analysis.labels`), the folder
    has a report of the first one, and a folder per other suite. Tabs link the pages.

    Parameters
    ----------
    store : Store or path
    out : path
        Folder; made where there is none. Files of an earlier report are replaced.
    baselines : {"best", "paper", "recordings"}, optional
        Published baselines to compare with. With the first two, the recordings suite is
        a second tab.
    compare : Store, path, or sequence of them
        Other stores to compare with.
    only : str or sequence of str, optional
        Compare only these methods, see `tsmdbench.analysis.leaderboard`; the tests are
        corrected for the pairs that are left.
    metrics : sequence of str, Metric or function, optional
        Metrics of the comparison and of the tables of means, as for
        `tsmdbench.metrics.evaluate`.
    transpose : bool, default False
        Swap rows and columns of the comparison and of the tables of means.
    latex, csv : bool
        Whether to write tables in these formats, too. With `csv` also ``scores.csv``,
        which has a row per run with all its metrics.
    parquet : bool
        The same rows as ``scores.parquet``.
    embed : str
        What can be explored in the page, see `tsmdbench.report.explorer`.
    split : {"test", "validation"}
    version : str, default "newest"
        Which version of methods that ran in several, see `score_store`.
    progress : callable
        Called with a line of progress.
    """
    folder = Path(out)
    check_folder(folder, REPORT)
    check_choice(split, "split", SPLITS)
    check_embed(embed)
    chosen = {} if metrics is None else requested_metrics(metrics)
    opened = Store(store)
    others = [compare] if isinstance(compare, str | os.PathLike) else list(compare)
    for other in others:
        _check_compare(other)
    _make(folder)
    progress(f"scoring {opened.path} ...")
    scores, stores, notes = compared(
        opened,
        baselines=baselines,
        compare=others,
        split=split,
        version=version,
        metrics=[what[0] for what in chosen.values()],
        whole_tab=only is None,
    )
    scores = restricted(scores, only)
    if len(stores) > 1:
        scores = scores.on_common_problems()
    scores = with_names(scores)
    for suite in SUITES:
        # Without its page, what is left of a report that fails does not look complete.
        (folder / suite.name / PAGE).unlink(missing_ok=True)
    grouped = by_suite(scores.datasets)
    parts: list[Written] = []
    for suite, datasets in grouped.items():
        place = folder / suite.name if parts else folder
        tabs = []
        if len(grouped) > 1:
            progress(f"the suite {suite.title!r}:")
            names = ["", *(f"{other.name}/" for other in list(grouped)[1:])]
            tabs = [
                Tab(other.title, f"{'../' * bool(parts)}{name}{PAGE}", other == suite)
                for other, name in zip(grouped, names, strict=True)
            ]
        _make(place)
        mine = scores.only(datasets=datasets)
        progress("explaining errors ...")
        costs = error_costs(mine, opened, split=split)
        progress("writing tables ...")
        board = standings(mine, main_metric(datasets), stores=stores)
        # The first store that has runs of these datasets.
        first = next(
            one
            for each in stores.values()
            for one in each
            if set(datasets) & {dataset for dataset, *_ in one.counts()}
        )
        made = all_tables(
            mine,
            first,
            metrics=None if metrics is None else list(chosen),
            transpose=transpose,
            efforts=board.efforts,
            costs=costs,
            comparison=board.comparison,
        )
        tables = _write_tables(made, place / "tables", latex=latex, csv=csv)
        tables += write_scores(mine, place / "tables", csv=csv, parquet=parquet)
        progress("drawing figures ...")
        figures, skipped = drawn_figures(mine, first, split=split)
        files = [save(one.figure, place / "figures" / one.name) for one in figures]
        progress("writing the page ...")
        text = page(
            mine,
            stores,
            embed=embed,
            split=split,
            notes=notes,
            tabs=tabs,
            costs=costs,
            figures=figures,
            board=board,
        )
        write_atomically(place / PAGE, text.encode())
        drawn, said = tuple(sum(files, ())), conclusion(board)
        parts.append(Written(place / PAGE, tables, drawn, skipped, conclusion=said))
    return Written(
        parts[0].page,
        tuple(file for part in parts for file in part.tables),
        tuple(file for part in parts for file in part.figures),
        tuple(dict.fromkeys(reason for part in parts for reason in part.skipped)),
        tuple(part.page for part in parts),
        parts[0].conclusion,
    )


def compared(
    store: Store,
    *,
    baselines: str | None = None,
    compare: Sequence[PathLike] = (),
    split: str = "test",
    version: str = NEWEST,
    metrics: Sequence[Requested] = (),
    whole_tab: bool = True,
) -> tuple[Scores, dict[str, list[Store]], list[str]]:
    """Score a store, and beside it the baselines and other stores, on one clock.

    Returns the scores on the datasets of the first store, the stores of each origin
    (``""`` is one's own), and notes on the times. With the baselines of TSMD-Bench come
    those of the recordings suite; `whole_tab` shows them even if the store has no run
    of that suite.
    """
    scored = default_metrics(what[0] for what in store.counts())
    metrics = (*scored, *metrics)
    own = score_store(store, split=split, metrics=metrics, version=version)
    others: list[tuple[str, Store]] = []
    if baselines is not None:
        check_choice(baselines, "baselines", STORES)
        names = dict.fromkeys((baselines, RECORDINGS))
        others += [(BASELINES, load_baselines(name)) for name in names]
    for path in compare:
        _check_compare(path)
        others.append((os.fspath(path), Store(path)))
    titles = {BASELINES: f"the {BASELINES}"}
    named = [(titles.get(origin, origin), other) for origin, other in others]
    check_same_problems([*named, (os.fspath(store), store)], own.datasets, split)
    joined, notes = own, mixed_notes([store])
    stores = {"": [store]}
    for origin, other in others:
        theirs = score_store(other, split=split, metrics=metrics)
        shown = [name for name in own.datasets if name in theirs.datasets]
        suite = origin == BASELINES and other.path == load_baselines(RECORDINGS).path
        if whole_tab and not shown and suite:
            shown = [name for name in theirs.datasets if not uses_truth(name)]
        stores.setdefault(origin, []).append(other)
        if shown:
            timed, note = on_clock_of(
                store.manifest, theirs.only(datasets=shown), other.manifest, origin
            )
            notes += [note] if note else []
            joined = joined.join(timed, origin)
    for origin, each in stores.items():
        if not {what[0] for one in each for what in one.counts()} & set(own.datasets):
            raise InputError(
                f"none of these datasets is in {titles.get(origin, origin)}: "
                f"{', '.join(own.datasets)}"
            )
    return joined, stores, list(dict.fromkeys(notes))


def _check_compare(path: PathLike) -> None:
    """Raise if the baselines are named where a store is needed."""
    name = os.fspath(path)
    first, _, which = name.partition("/")
    if first == BASELINES and not Path(name).is_dir():
        raise InputError(
            f"--compare takes stores, got {name!r}; the published baselines are "
            f"--baselines {which or 'best'} (baselines={which or 'best'!r} in Python)"
        )


def _make(folder: Path) -> None:
    """Make the folders of a report before there is work that could be lost."""
    try:
        for name in ("tables", "figures"):
            (folder / name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write a report to {folder} ({error.strerror}); choose another "
            f"folder with --out"
        ) from None


def _write_tables(
    tables: list[Table], folder: Path, *, latex: bool, csv: bool
) -> tuple[Path, ...]:
    files = {}
    for table in tables:
        files[folder / f"{table.name}.md"] = table.markdown()
        if latex and len(table.frame):
            files[folder / f"{table.name}.tex"] = table.latex()
        else:
            (folder / f"{table.name}.tex").unlink(missing_ok=True)
        if csv:
            files[folder / f"{table.name}.csv"] = table.csv()
    for file, text in files.items():
        write_atomically(file, text.encode())
    return tuple(files)


def write_scores(
    scores: Scores, folder: Path, *, csv: bool, parquet: bool
) -> tuple[Path, ...]:
    """Write ``scores.csv`` and ``scores.parquet``, each if wanted; return the files."""
    names = {"label": "method", "method": "implementation"}
    table = scores.table.drop(columns=list(LEFT_OUT)).rename(columns=names)
    files = {}
    if csv:
        text = table.to_csv(index=False, lineterminator="\n")
        files[folder / "scores.csv"] = text.encode()
    if parquet:
        files[folder / "scores.parquet"] = table.to_parquet(index=False)
    for file, data in files.items():
        write_atomically(file, data)
    return tuple(files)

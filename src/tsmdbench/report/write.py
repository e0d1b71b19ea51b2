"""Write a report: tables, figures and one page, from a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import NamedTuple

from tsmdbench.analysis.difficulty import error_costs
from tsmdbench.analysis.labels import SUITES, Suite, by_suite
from tsmdbench.analysis.scores import requested_metrics, restricted
from tsmdbench.analysis.standings import standings
from tsmdbench.benchmark import SPLITS
from tsmdbench.datasets.export import REPORT, check_folder
from tsmdbench.errors import InputError
from tsmdbench.experiments.store import NEWEST, Store
from tsmdbench.html_text import html_block, html_lines
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.metrics.evaluate import Requested
from tsmdbench.plural import counted
from tsmdbench.report.compared import Compared, check_compare, compared, with_names
from tsmdbench.report.drawn import Drawn, drawn_figures
from tsmdbench.report.explorer import check_embed
from tsmdbench.report.figures.style import save
from tsmdbench.report.page import METRIC, Tab, conclusion, page
from tsmdbench.report.table import Table
from tsmdbench.report.tables import all_tables, write_scores
from tsmdbench.validation import check_choice

PAGE = "index.html"


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
        lines = [
            f"tables     {_files_in(folder / 'tables', self.tables)}",
            f"figures    {_files_in(folder / 'figures', self.figures)}",
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


def _files_in(folder: Path, files: Sequence[Path]) -> str:
    """Describe the number of files in a folder."""
    return (
        f"{counted(sum(file.parent == folder for file in files), 'file')} in {folder}"
    )


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
    told: Callable[[str], None] = lambda _: None,
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
    told : callable
        Called with a line of progress.
    """
    folder = Path(out)
    check_folder(folder, REPORT)
    check_choice(split, "split", SPLITS)
    check_embed(embed)
    chosen = None if metrics is None else requested_metrics(metrics)
    opened = Store(store)
    others = [compare] if isinstance(compare, str | os.PathLike) else list(compare)
    for other in others:
        check_compare(other)
    _make(folder)
    told(f"scoring {opened.path} ...")
    found = compared(
        opened,
        baselines=baselines,
        compare=others,
        split=split,
        version=version,
        metrics=[] if chosen is None else [what[0] for what in chosen.values()],
        whole_tab=only is None,
    )
    scores = restricted(found.scores, only)
    if len(found.stores) > 1:
        scores = scores.on_common_problems()
    found = replace(found, scores=with_names(scores))
    for suite in SUITES:
        # Without its page, what is left of a report that fails does not look complete.
        (folder / suite.name / PAGE).unlink(missing_ok=True)
    options = _Options(
        None if chosen is None else list(chosen),
        transpose,
        latex,
        csv,
        parquet,
        embed,
        split,
    )
    grouped = by_suite(scores.datasets)
    parts: list[Written] = []
    for suite, datasets in grouped.items():
        place = folder / suite.name if parts else folder
        tabs = _tabs(list(grouped), suite)
        if tabs:
            told(f"the suite {suite.title!r}:")
        parts.append(_write_suite(found.only(datasets), place, options, tabs, told))
    return Written(
        parts[0].page,
        tuple(file for part in parts for file in part.tables),
        tuple(file for part in parts for file in part.figures),
        tuple(dict.fromkeys(reason for part in parts for reason in part.skipped)),
        tuple(part.page for part in parts),
        parts[0].conclusion,
    )


class _Options(NamedTuple):
    """Options of `write_report` that hold for every suite."""

    metrics: Sequence[str] | None
    transpose: bool
    latex: bool
    csv: bool
    parquet: bool
    embed: str
    split: str


def _write_suite(
    part: Compared,
    folder: Path,
    options: _Options,
    tabs: list[Tab],
    told: Callable[[str], None],
) -> Written:
    """Write tables, figures and the page of one suite."""
    _make(folder)
    scores, store = part.scores, part.first_store
    told("explaining errors ...")
    own = part.stores[""][0]
    costs = error_costs(scores, own, split=options.split)
    told("writing tables ...")
    board = standings(scores, METRIC, stores=part.stores)
    made = all_tables(
        scores,
        store,
        metrics=options.metrics,
        transpose=options.transpose,
        efforts=board.efforts,
        costs=costs,
        comparison=board.comparison,
    )
    tables = _write_tables(made, folder, latex=options.latex, csv=options.csv)
    tables += write_scores(
        scores, folder / "tables", csv=options.csv, parquet=options.parquet
    )
    told("drawing figures ...")
    figures, skipped = drawn_figures(scores, store, split=options.split)
    drawn = tuple(file for one in figures for file in _save(one, folder))
    told("writing the page ...")
    text = page(
        scores,
        part.stores,
        embed=options.embed,
        split=options.split,
        notes=part.notes,
        tabs=tabs,
        costs=costs,
        figures=figures,
        board=board,
    )
    write_atomically(folder / PAGE, text.encode())
    said = conclusion(board)
    return Written(folder / PAGE, tables, drawn, skipped, conclusion=said)


def _tabs(suites: Sequence[Suite], shown: Suite) -> list[Tab]:
    """Return links from the page of one suite to those of all; none for one suite."""
    if len(suites) == 1:
        return []
    up = "" if shown == suites[0] else "../"
    names = ["", *(f"{suite.name}/" for suite in suites[1:])]
    return [
        Tab(suite.title, f"{up}{name}{PAGE}", current=suite == shown)
        for suite, name in zip(suites, names, strict=True)
    ]


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
    target = folder / "tables"
    written = []
    for table in tables:
        texts = {"md": table.markdown()}
        if latex and len(table.frame):
            texts["tex"] = table.latex()
        else:
            (target / f"{table.name}.tex").unlink(missing_ok=True)
        if csv:
            texts["csv"] = table.csv()
        for ending, text in texts.items():
            file = target / f"{table.name}.{ending}"
            write_atomically(file, text.encode())
            written.append(file)
    return tuple(written)


def _save(one: Drawn, folder: Path) -> tuple[Path, ...]:
    return save(one.figure, folder / "figures" / one.name)

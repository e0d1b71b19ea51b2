"""Write a report: tables, figures and one page, from a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tsmdbench.analysis.baselines import is_baselines, named_baselines
from tsmdbench.analysis.machines import mixed_notes, on_clock_of
from tsmdbench.analysis.paper.random_walk_benchmark import DetectorRow
from tsmdbench.analysis.scores import BASELINES, Scores, score_store
from tsmdbench.analysis.selection import restricted
from tsmdbench.analysis.tuning_effort import tuning_effort
from tsmdbench.benchmark import SPLITS
from tsmdbench.benchmark.folder_kinds import REPORT, check_folder
from tsmdbench.errors import InputError
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import NEWEST
from tsmdbench.html_text import html_block, html_lines
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.plural import counted
from tsmdbench.report.drawn import Drawn, drawn_figures
from tsmdbench.report.figures.style import save
from tsmdbench.report.page import page
from tsmdbench.report.page.embed import check_embed
from tsmdbench.report.per_problem import write_scores
from tsmdbench.report.tables import Table, all_tables, check_metrics
from tsmdbench.validation import check_choice

PAGE = "index.html"


@dataclass(frozen=True)
class Written:
    """Where a report is, and what is not in it."""

    page: Path
    tables: tuple[Path, ...]
    figures: tuple[Path, ...]
    skipped: tuple[str, ...]

    def __str__(self) -> str:
        folder = self.page.parent
        lines = [
            f"tables     {counted(len(self.tables), 'file')} in {folder / 'tables'}",
            f"figures    {counted(len(self.figures), 'file')} in {folder / 'figures'}",
            *(f"left out   {reason}" for reason in self.skipped),
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
    compare: PathLike | None = None,
    only: str | Sequence[str] | None = None,
    metrics: Sequence[str] | None = None,
    transpose: bool = False,
    latex: bool = False,
    csv: bool = False,
    parquet: bool = False,
    embed: str = "auto",
    split: str = "test",
    version: str = NEWEST,
    detector: Sequence[DetectorRow] = (),
    told: Callable[[str], None] = lambda _: None,
) -> Written:
    """Score a store and write all tables, figures and the page.

    Parameters
    ----------
    store : Store or path
    out : path
        Folder; made where there is none. Files of an earlier report are replaced.
    compare : str, Store or path, optional
        ``"baselines"`` (the same as ``"baselines/best"``), ``"baselines/paper"``, or
        another store, whose runs are added.
    only : str or sequence of str, optional
        Compare only these methods, see `tsmdbench.analysis.leaderboard`; the tests are
        corrected for the pairs that are left.
    metrics : sequence of str, optional
        Metrics of the comparison and of the tables of means.
    transpose : bool, default False
        Swap rows and columns of the comparison and of the tables of means.
    latex, csv : bool
        Whether to write tables in these formats, too. With `csv` also ``scores.csv``,
        which has a row per run with all its metrics.
    parquet : bool
        The same rows as ``scores.parquet``.
    embed : str
        What can be explored in the page, see `tsmdbench.report.page`.
    split : {"test", "validation"}
    version : str, default "newest"
        Which version of methods that ran in several, see `score_store`.
    detector : sequence of DetectorRow
        The random-walk detector on TSMD-Bench, if it was run.
    told : callable
        Is told how far the work is.
    """
    folder = Path(out)
    check_folder(folder, REPORT)
    check_choice(split, "split", SPLITS)
    check_embed(embed)
    opened = Store(store)
    _make(folder)
    told(f"scoring {opened.path} ...")
    scores = score_store(opened, split=split, version=version)
    others: Store | None = None
    notes = mixed_notes([opened])
    if compare is not None:
        name = os.fspath(compare)
        others = named_baselines(name) if is_baselines(name) else Store(compare)
        scores, note = beside(scores, opened, others, split)
        notes += [note] if note else []
    scores = restricted(scores, only)
    if others is not None:
        scores = scores.on_common_problems()
    check_metrics(scores, metrics)
    # Without its page, what is left of a report that fails does not look complete.
    (folder / PAGE).unlink(missing_ok=True)
    told("writing tables ...")
    stores = [opened] if others is None else [opened, others]
    efforts = tuning_effort(scores, {"": stores[:1], BASELINES: stores[1:]})
    made = all_tables(
        scores, opened, metrics=metrics, transpose=transpose, efforts=efforts
    )
    tables = _write_tables(made, folder, latex=latex, csv=csv)
    tables += write_scores(scores, folder / "tables", csv=csv, parquet=parquet)
    told("drawing figures ...")
    figures, skipped = drawn_figures(scores, opened, split=split, detector=detector)
    drawn = tuple(file for one in figures for file in _save(one, folder))
    told("writing the page ...")
    file = folder / PAGE
    text = page(scores, stores, embed=embed, split=split, notes=notes)
    write_atomically(file, text.encode())
    return Written(file, tables, drawn, skipped)


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


def beside(
    scores: Scores, store: Store, others: Store, split: str
) -> tuple[Scores, str]:
    """Join the runs of another store, on the datasets that both have.

    Returns
    -------
    Scores
        With the times of both on one clock, or marked.
    str
        What is to be said of the times.
    """
    theirs = score_store(others, split=split)
    common = [name for name in scores.datasets if name in theirs.datasets]
    if not common:
        raise InputError(
            f"{others.path} has none of the datasets {', '.join(scores.datasets)}"
        )
    theirs, note = on_clock_of(
        store.manifest, theirs.only(datasets=common), others.manifest, BASELINES
    )
    return scores.join(theirs), note


def _write_tables(
    tables: list[Table], folder: Path, *, latex: bool, csv: bool
) -> tuple[Path, ...]:
    target = folder / "tables"
    written = []
    for table in tables:
        texts = {"md": table.markdown()}
        if latex:
            texts["tex"] = table.latex()
        if csv:
            texts["csv"] = table.csv()
        for ending, text in texts.items():
            file = target / f"{table.name}.{ending}"
            write_atomically(file, text.encode())
            written.append(file)
    return tuple(written)


def _save(one: Drawn, folder: Path) -> tuple[Path, ...]:
    return save(one.figure, folder / "figures" / one.name)

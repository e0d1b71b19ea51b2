"""Write a report: tables, figures and one page, from a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsmdbench.analysis.baselines import is_baselines, named_baselines
from tsmdbench.analysis.paper.random_walk_benchmark import DetectorRow
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.benchmark import SPLITS
from tsmdbench.benchmark.folder_kinds import REPORT, check_folder
from tsmdbench.errors import InputError
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.store.versions import NEWEST
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.report.drawn import Drawn, drawn_figures
from tsmdbench.report.figures.style import save
from tsmdbench.report.page import page
from tsmdbench.report.page.embed import check_embed
from tsmdbench.report.tables import Table, all_tables
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
            f"tables     {len(self.tables)} files in {folder / 'tables'}",
            f"figures    {len(self.figures)} files in {folder / 'figures'}",
            *(f"left out   {reason}" for reason in self.skipped),
            f"page       {self.page}",
        ]
        return "\n".join(lines)


def write_report(
    store: PathLike,
    out: PathLike,
    *,
    compare: PathLike | None = None,
    latex: bool = False,
    csv: bool = False,
    embed: str = "auto",
    split: str = "test",
    version: str = NEWEST,
    detector: Sequence[DetectorRow] = (),
    told: Callable[[str], None] = lambda _: None,
) -> Written:
    """Score a store and write everything that the report has.

    Parameters
    ----------
    store : Store or path
    out : path
        Folder; made where there is none. Files of an earlier report are replaced.
    compare : str, Store or path, optional
        ``"baselines"`` (the same as ``"baselines/best"``), ``"baselines/paper"``, or
        another store, whose runs are shown beside.
    latex, csv : bool
        Tables in these forms too.
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
    if compare is not None:
        name = os.fspath(compare)
        others = named_baselines(name) if is_baselines(name) else Store(compare)
        scores = beside(scores, others, split)
    # Without its page, what is left of a report that fails does not look complete.
    (folder / PAGE).unlink(missing_ok=True)
    told("writing tables ...")
    tables = _write_tables(all_tables(scores, opened), folder, latex=latex, csv=csv)
    told("drawing figures ...")
    figures, skipped = drawn_figures(scores, opened, split=split, detector=detector)
    drawn = tuple(file for one in figures for file in _save(one, folder))
    told("writing the page ...")
    stores = [opened] if others is None else [opened, others]
    file = folder / PAGE
    write_atomically(file, page(scores, stores, embed=embed, split=split).encode())
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


def beside(scores: Scores, others: Store, split: str) -> Scores:
    """Join the runs of another store, on the problems that both have."""
    theirs = score_store(others, split=split)
    common = [name for name in scores.datasets if name in theirs.datasets]
    if not common:
        raise InputError(
            f"{others.path} has none of the datasets {', '.join(scores.datasets)}"
        )
    joined = scores.join(theirs.only(datasets=common))
    return joined.on_common_problems()


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

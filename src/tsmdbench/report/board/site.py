"""Write a board: the leaderboard, a page per method, and explorers.

::

    site/index.html            leaderboard, datasets, history
    site/recordings.html       the same for the recordings suite
    site/methods/NAME.html     one per method: versions, scores, settings, checks
    site/explore/NAME.html     the page of the report, newest version beside baselines
    site/board.json            what it was made of

Every page stands alone: its style and script are inside, and nothing is fetched. They
open from a folder as from a server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from tsmdbench.analysis.baselines import RECORDINGS
from tsmdbench.analysis.suites import MAIN, by_suite
from tsmdbench.analysis.suites import RECORDINGS as SUITE
from tsmdbench.datasets.export import check_folder
from tsmdbench.errors import InputError
from tsmdbench.experiments.method_fields import PRESETS
from tsmdbench.experiments.submission.archive import Submission, read_submission
from tsmdbench.experiments.submission.submit import Receipt, read_receipts
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.methods.info import catalogue
from tsmdbench.plural import counted
from tsmdbench.report.board.contents import (
    METRICS,
    Contents,
    Version,
    contents,
    file_of,
    means_by_dataset,
    overall,
    settings_of,
)
from tsmdbench.report.compared import compared
from tsmdbench.report.page import Tab, page
from tsmdbench.report.page.colours import palette_css
from tsmdbench.report.page.embed import check_embed
from tsmdbench.report.page.page import _asset, _trusted, breakable
from tsmdbench.validation import check_choice
from tsmdbench.webpage import compact_json, content_policy, json_block

TITLE = "Motif discovery leaderboard"
KIND = "a board"
INDEX = "index.html"
SECOND = f"{RECORDINGS}.html"
MADE_OF = "board.json"
SCRIPTS = ("dom", "theme", "tables")  # of the report; a board's own comes after them


@dataclass(frozen=True)
class Board:
    """Where a site is, and what is in it."""

    page: Path
    entries: int
    pages: int
    skipped: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"entries   {self.entries}",
            f"pages     {counted(self.pages, 'file')} in {self.page.parent}",
            *(f"left out  {reason}" for reason in self.skipped),
            f"board     {self.page}",
        ]
        return "\n".join(lines)


def write_board(
    submitted: Sequence[PathLike],
    out: PathLike,
    *,
    title: str = TITLE,
    baselines: str | None = "best",
    embed: str = "auto",
    explorers: bool = True,
    checks: PathLike | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> Board:
    """Make a static site of submitted files.

    Parameters
    ----------
    submitted : sequence of path
        Files that `submit` wrote; each is verified first.
    out : path
        A folder that is new, empty, or a board, which is replaced file by file.
    title : str
    baselines : {"best", "paper"} or None
        Which published results are beside the entries.
    embed : str
        Which series explorers carry, see `tsmdbench.report.page.embed`.
    explorers : bool
        Whether there are any.
    checks : path, optional
        Folder with the receipts of your own checks (``tsmdbench submit --check``).
    told : callable
        Is told how far the work is.

    Raises
    ------
    InputError
        A file is not a submission, or `out` holds something else.
    """
    folder = Path(out)
    check_embed(embed)
    receipts = {} if checks is None else read_receipts(checks)
    if baselines is not None:
        check_choice(baselines, "baselines", PRESETS)
    _check_target(folder)
    with ExitStack() as stack:
        told(f"reading {counted(len(submitted), 'file')} ...")
        opened = [stack.enter_context(read_submission(file)) for file in submitted]
        told("scoring ...")
        made = contents(opened, baselines, receipts)
        suites = {INDEX: (MAIN, made)}
        if baselines is not None:
            suites[SECOND] = SUITE, contents(opened, RECORDINGS, receipts)
        pages = {}
        for name, (_, shown) in suites.items():
            tabs = [
                Tab(suite.title, file, current=file == name)
                for file, (suite, _) in suites.items()
            ]
            pages[name] = _index(shown, title, tabs, explorers=explorers)
        for row in made.rows:
            name = f"methods/{file_of(row.label)}"
            parts = [shown for _, shown in suites.values()]
            pages[name] = _method(parts, row, title, explorers=explorers)
        pages[MADE_OF] = _made_of(opened, made, receipts)
        skipped: list[str] = []
        if explorers:
            for name, versions in made.history.items():
                told(f"writing the explorer of {name} ...")
                explorer = _explorer(versions[0], baselines, embed)
                pages[f"explore/{file_of(name)}"] = explorer
    _write(folder, pages)
    return Board(folder / INDEX, len(made.history), len(pages), tuple(skipped))


def _check_target(folder: Path) -> None:
    check_folder(folder, KIND)
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MADE_OF).is_file():
        raise InputError(f"{folder} holds something else; a board needs its own folder")


def _write(folder: Path, pages: dict[str, str]) -> None:
    """Write all pages, the first one last: it links to the others."""
    try:
        for name in ("methods", "explore"):
            (folder / name).mkdir(parents=True, exist_ok=True)
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


def _index(made: Contents, title: str, tabs: Sequence[Tab], *, explorers: bool) -> str:
    data = {
        "means": made.by_dataset,
        "overall": {
            row.label: {
                "f1": row.f1,
                "precision": row.precision,
                "recall": row.recall,
                "macro": row.macro_f1,
            }
            for row in made.rows
        },
    }
    return _rendered(
        "board.html.j2",
        data,
        title=title,
        tabs=tabs if len(tabs) > 1 else [],
        rows=made.rows,
        history=made.history,
        overall={
            name: [overall(version.table) for version in versions]
            for name, versions in made.history.items()
        },
        datasets=made.newest.datasets,
        means=made.by_dataset,
        problems=int(made.newest.table.groupby("dataset")["problem"].nunique().sum()),
        file_of=file_of,
        explorers=explorers,
    )


def _method(parts: Sequence[Contents], row: Any, title: str, *, explorers: bool) -> str:
    """Return the page of a method: the first part has its versions, all its scores."""
    versions = parts[0].history.get(row.label, [])
    means: dict[str, dict[str, float]] = {}
    settings: dict[str, str] = {}
    for made in parts:
        table = made.newest.table
        means |= made.by_dataset.get(row.label, {})
        settings |= settings_of(table[table["label"] == row.label])
    return _rendered(
        "method.html.j2",
        {},
        title=f"{row.label} - {title}",
        site=title,
        row=row,
        versions=versions,
        overall=[overall(version.table) for version in versions],
        by_version=[_by_dataset(version) for version in versions],
        means=means,
        settings=settings,
        summary=_summary(row.method, versions),
        metrics=METRICS,
        explorer=file_of(row.label) if explorers and versions else "",
    )


def _by_dataset(version: Version) -> dict[str, dict[str, float]]:
    from tsmdbench.analysis.scores import Scores

    (means,) = means_by_dataset(Scores(version.table)).values()
    return means


def _summary(method: str, versions: Sequence[Version]) -> str:
    """Return one sentence about a method: the entry's, the method's, or ours."""
    if versions:
        newest = versions[0]
        said = newest.submission.methods.get(newest.method, {}).get("summary", "")
        return newest.submission.entry.about or str(said)
    from tsmdbench.methods import METHODS

    return catalogue([method])[0].summary if method in METHODS.added() else ""


def _explorer(version: Version, baselines: str | None, embed: str) -> str:
    shown = compared(version.submission.store, baselines=baselines)
    if baselines is not None:
        shown = replace(shown, scores=shown.scores.on_common_problems())
    shown = shown.only(next(iter(by_suite(shown.scores.datasets).values())))
    name = f"{version.name} {version.number}"
    return page(shown.scores, shown.stores, embed=embed, title=name)


def _made_of(
    opened: Sequence[Submission], made: Contents, receipts: Mapping[str, Receipt]
) -> str:
    """Return what a board was made of, without how to reach anybody."""
    entries = []
    for one in opened:
        shown = {k: v for k, v in one.entry.to_dict().items() if k != "contact"}
        receipt = receipts.get(one.sha256)
        checks = {
            "author": one.recomputed.to_dict(),
            "keeper": None if receipt is None else receipt.recomputed.to_dict(),
        }
        about = {"sha256": one.sha256, "tsmdbench": one.tsmdbench, "recomputed": checks}
        entries.append({**shown, **about})
    order = [{"label": row.label, "f1": row.f1, "rank": row.rank} for row in made.rows]
    whole = {"made_by": version("tsmdbench"), "entries": entries, "leaderboard": order}
    return compact_json(whole) + "\n"


def _rendered(template: str, data: dict[str, Any], **values: Any) -> str:
    """Fill a template; everything that comes from a file is escaped."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    names = ("macros.html.j2", "base.html.j2", "board.html.j2", "method.html.j2")
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=DictLoader({name: _own(name) for name in names}),
    )
    environment.filters["breakable"] = breakable
    parts = "\n".join(
        [*(_asset(f"js/{name}.js") for name in SCRIPTS), _own("board.js")]
    )
    script = f'(() => {{\n"use strict";\n{parts}\n}})();\n'
    style = _asset("style.css") + palette_css() + _own("board.css")
    made: str = environment.get_template(template).render(
        policy=content_policy(script, style),
        style=_trusted(style),
        script=_trusted(script),
        data=_trusted(json_block(data)),
        **values,
    )
    return made


def _own(name: str) -> str:
    place = files("tsmdbench.report.board") / "assets" / name
    return place.read_text(encoding="utf-8")

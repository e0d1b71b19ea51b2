"""Do the paper's experiments again: build, tune, run, compare, and write it all down.

    tsmdbench reproduce quick --out reproduction

In the folder: ``store`` (the runs, resumable), ``report`` (tables, figures, the page)
and ``statements.md`` and ``.html``, which put each statement of the paper next to the
result.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.datasets.archive import load, locate
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.experiments.presets import experiment, obtainable
from tsmdbench.experiments.results import Progress
from tsmdbench.experiments.running import run
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.methods import PAPER_METHODS
from tsmdbench.paper.random_walk import (
    detector_on_benchmark,
    mean_f1,
    random_walk_figure,
    random_walk_study,
    shipped_study,
    study_problems,
)
from tsmdbench.paper.statements import (
    EXISTENCE,
    FAILS,
    HOLDS,
    NUMBER,
    ORDER,
    PARTLY,
    UNTESTED,
    Evidence,
    Verdict,
    judge,
)
from tsmdbench.plural import counted
from tsmdbench.report.figures import save
from tsmdbench.report.write import Written, write_report

STUDIED = "Symbols"  # what the paper inserts into random walk
TITLE = "Statements of the paper, and our results"
HEADER = ("", "", "statement", "in the paper", "here", "datasets", "verdict")
COMPARED = (*HEADER[:4], "paper", "ours", "difference", *HEADER[4:])
KINDS = {
    NUMBER: "Statements with a number",
    ORDER: "Statements about order",
    EXISTENCE: "Statements that a case exists",
}
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .6rem;
  border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
td small { opacity: .75; display: block; }
.wide { overflow-x: auto; }
.holds { color: light-dark(#00614a, #4fd1a5); }
.partly { color: light-dark(#7a4f00, #f0b849); }
.fails { color: light-dark(#a03400, #ff9a6b); }
"""
MARKS = {
    HOLDS: ("holds", "✓"),
    PARTLY: ("partly", "~"),
    FAILS: ("fails", "✗"),
    UNTESTED: ("untested", "?"),
}


@dataclass(frozen=True)
class Reproduction:
    """The files of a reproduction, and the verdicts on the statements of the paper."""

    store: Path
    report: Written
    statements: Path
    verdicts: Sequence[Verdict]

    def _repr_html_(self) -> str:
        """Show the folders and the verdicts in a notebook."""
        fared = Counter(verdict.finding.verdict for verdict in self.verdicts)
        facts = {
            "store": self.store,
            "report": self.report.page,
            "statements": self.statements,
            **dict(fared.most_common()),
        }
        return html_block(html_facts("Reproduction", facts))


def reproduce(
    name: str,
    out: PathLike,
    *,
    progress: Progress,
    workers: int | None = None,
    scheduler: str | None = None,
) -> Reproduction:
    """Run an experiment and compare with the paper; continues after an interruption.

    Methods have the fields of the preset ``paper``: as their public code is.

    Parameters
    ----------
    name : str
        Experiment: ``"demo"``, ``"quick"`` or ``"paper"``.
    out : path
        Folder; made where there is none.
    progress : Progress
    workers, scheduler
        As for `tsmdbench.experiments.run`.
    """
    folder = Path(out)
    options = experiment(name, "paper")
    options["datasets"] = obtainable(options["datasets"], progress.say)
    summary = run(
        **options,
        out=folder / "store",
        workers=workers,
        scheduler=scheduler,
        progress=progress,
    )
    progress.say(str(summary))
    scores = score_store(folder / "store")
    evidence = evidence_of(scores, progress.say, limit=options.get("limit", 50))
    report = write_report(
        folder / "store",
        folder / "report",
        told=progress.say,
    )
    walk = random_walk_figure(shipped_study(), evidence.detector)
    drawn = (*report.figures, *save(walk, report.page.parent / "figures/random_walk"))
    verdicts = judge(evidence)
    page = folder / "statements.html"
    figures = {path.stem: path.relative_to(folder).as_posix() for path in drawn}
    shown = Shown(figures)
    write_atomically(page, statements_html(verdicts, scores, shown).encode())
    text = statements_markdown(verdicts, scores, shown)
    write_atomically(page.with_suffix(".md"), text.encode())
    return Reproduction(folder / "store", report, page, verdicts)


def evidence_of(
    scores: Scores, told: Callable[[str], None], *, limit: int = 50
) -> Evidence:
    """Collect the evidence for the statements.

    The random-walk study is made if its dataset is here; otherwise the one that comes
    with the package is used. The detector runs on the datasets of TSMD-Bench that are
    here.
    """
    paper = [name for name in scores.labels if scores.methods[name] in PAPER_METHODS]
    study = shipped_study()
    if locate(STUDIED) is None:
        told(f"{STUDIED} is unavailable: using the random-walk study of the package")
    else:
        told(f"making the random-walk study of {STUDIED} ...")
        dataset = load(STUDIED)
        window = len(dataset.instances[0]) // 2
        study = random_walk_study(study_problems(dataset), window)
    rows = []
    for name in scores.datasets:
        if name in BENCHMARK and locate(name) is not None:
            told(f"running the random-walk detector on {name} ...")
            rows.append(detector_on_benchmark(name, limit=limit))
    return Evidence(
        scores.only(labels=paper) if paper else scores, mean_f1(study), rows
    )


class Shown(NamedTuple):
    """Additional content of a page of statements.

    Attributes
    ----------
    figures : mapping of str to str
        Address of each figure of a report; a statement links to its own.
    repeated : sequence of list of Verdict
        Verdicts on the same statements for other seeds of the benchmark.
    """

    figures: Mapping[str, str] = {}
    repeated: Sequence[Sequence[Verdict]] = ()

    def figure_of(self, verdict: Verdict) -> tuple[str, str] | None:
        """Return name and address of the figure that shows a statement."""
        name = verdict.statement.figure
        return (name, self.figures[name]) if name in self.figures else None

    def spread_of(self, verdict: Verdict) -> str:
        """Return how often a statement holds for other seeds, and its range."""
        key = verdict.statement.key
        same = [v for some in self.repeated for v in some if v.statement.key == key]
        if not same:
            return ""
        told = f"{sum(v.finding.verdict == HOLDS for v in same)} of {len(same)}"
        values = [v.finding.value for v in same if v.finding.value is not None]
        if values:
            told += f"; {min(values):.2f} to {max(values):.2f}"
        return told


NOTHING_MORE = Shown()


def summary(verdicts: Sequence[Verdict]) -> str:
    """Return how many statements hold; those of existence are counted apart.

    >>> summary([])
    'Of 0 statements, none could be tested.'
    """
    apart = [v for v in verdicts if v.statement.kind == EXISTENCE]
    others = [v for v in verdicts if v.statement.kind != EXISTENCE]
    told = _counted(others, "statements")
    if apart:
        told += f" {_counted(apart, 'further statements that a case exists')}"
    return told


def _counted(verdicts: Sequence[Verdict], noun: str) -> str:
    """Return one sentence on how many hold."""
    counts = Counter(verdict.finding.verdict for verdict in verdicts)
    told = [
        f"{counts[word]} {one if counts[word] == 1 else several}"
        for word, one, several in (
            (HOLDS, "holds", "hold"),
            (PARTLY, "holds partly", "hold partly"),
            (FAILS, "does not hold", "do not hold"),
            (UNTESTED, "was not tested", "were not tested"),
        )
        if counts[word]
    ]
    what = ", ".join(told) if told else "none could be tested"
    return f"Of {len(verdicts)} {noun}, {what}."


def statements_markdown(
    verdicts: Sequence[Verdict], scores: Scores, shown: Shown = NOTHING_MORE
) -> str:
    """Return the page as Markdown."""
    lines = [f"# {TITLE}", "", about(scores), "", summary(verdicts)]
    for kind, title in KINDS.items():
        rows = [v for v in verdicts if v.statement.kind == kind]
        if rows:
            header = _header(kind, shown)
            lines += ["", f"## {title}", "", "| " + " | ".join(header) + " |"]
            lines += ["|" + "---|" * len(header)]
            for v in rows:
                cells = list(map(_cell, _row(v, shown)))
                if shown.figures:
                    figure = shown.figure_of(v)
                    cells.append("[{}]({})".format(*figure) if figure else "")
                lines.append("| " + " | ".join(cells) + " |")
    if shown.repeated:
        lines += ["", _seeds(shown)]
    lines += ["", "## When a statement holds", ""]
    lines += [
        f"* {_cell(v.statement.text)} *{_cell(v.statement.criterion)}.*"
        for v in verdicts
    ]
    return "\n".join(lines) + "\n"


def statements_html(
    verdicts: Sequence[Verdict], scores: Scores, shown: Shown = NOTHING_MORE
) -> str:
    """Return the page as HTML that needs nothing else but the figures it links to."""
    parts = [f"<h1>{TITLE}</h1>", f"<p>{html.escape(about(scores))}</p>"]
    parts.append(f"<p>{html.escape(summary(verdicts))}</p>")
    for kind, title in KINDS.items():
        rows = [v for v in verdicts if v.statement.kind == kind]
        if rows:
            table = _html_table(rows, _header(kind, shown), shown)
            parts.append(f"<h2>{title}</h2>{table}")
    if shown.repeated:
        parts.append(f"<p>{html.escape(_seeds(shown))}</p>")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def about(scores: Scores) -> str:
    """Describe the results."""
    problems = scores.table.groupby("dataset", observed=True)["problem"].nunique()
    few, many = problems.min(), problems.max()
    each = f"{few}" if few == many else f"{few} to {many}"
    failed = int((scores.table["status"] != "ok").sum())
    return (
        f"{counted(len(scores.labels), 'method')} on "
        f"{counted(len(scores.datasets), 'dataset')}, {each} test "
        f"problems each: {len(scores.table)} results, of which {failed} are failed "
        f"runs, which score 0. The paper has 11 methods, 14 datasets and 200 "
        f"problems each."
    )


def _seeds(shown: Shown) -> str:
    return (
        f"Other seeds: number of {len(shown.repeated)} benchmarks with other seeds on "
        "which a statement holds, and the range of its number. Hyperparameters are "
        "those of the published benchmark."
    )


def _header(kind: str, shown: Shown) -> tuple[str, ...]:
    header = COMPARED if kind == NUMBER else HEADER
    if shown.repeated:
        header = (*header, "other seeds")
    return (*header, "figure") if shown.figures else header


def _row(verdict: Verdict, shown: Shown) -> tuple[str, ...]:
    statement, finding = verdict
    numbers: tuple[str, ...] = ()
    if statement.kind == NUMBER:
        known = (statement.number, ""), (finding.value, ""), (verdict.difference, "+")
        numbers = tuple("" if n is None else f"{n:{sign}.2f}" for n, sign in known)
    return (
        MARKS[finding.verdict][1],
        statement.question,
        statement.text,
        statement.paper,
        *numbers,
        finding.here,
        finding.datasets,
        finding.verdict,
        *((shown.spread_of(verdict),) if shown.repeated else ()),
    )


def _cell(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", " ")


def _html_table(rows: Sequence[Verdict], header: Sequence[str], shown: Shown) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in header)
    body = []
    for verdict in rows:
        kind = MARKS[verdict.finding.verdict][0]
        row = _row(verdict, shown)
        cells = [f"<td>{html.escape(cell)}</td>" for cell in row]
        cells[0] = f'<td class="{kind}" aria-hidden="true">{row[0]}</td>'
        cells[2] = (
            f"<td>{html.escape(verdict.statement.text)}"
            f"<small>{html.escape(verdict.statement.criterion)}</small></td>"
        )
        place = header.index("verdict")
        cells[place] = f'<td class="{kind}">{html.escape(verdict.finding.verdict)}</td>'
        if shown.figures:
            name, address = map(html.escape, shown.figure_of(verdict) or ("", ""))
            link = f'<a href="{address}">{name}</a>' if name else ""
            cells.append(f"<td>{link}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )

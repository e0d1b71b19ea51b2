"""Repeat the experiments of the paper, and compare its statements with the results.

    tsmdbench reproduce quick --out reproduction

In the folder: ``store`` (the runs, resumable), ``report`` (tables, figures, the page)
and ``statements.md`` and ``.html``, which put each statement of the paper next to the
result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

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
    shipped,
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
KINDS = {
    NUMBER: "Statements with a number",
    ORDER: "Statements about order",
    EXISTENCE: "Statements that a case exists",
}
NONE: Mapping[str, str] = {}
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
    report = write_report(folder / "store", folder / "report", progress=progress.say)
    walk = random_walk_figure(shipped("study"), evidence.detector)
    drawn = (*report.figures, *save(walk, report.page.parent / "figures/random_walk"))
    verdicts = judge(evidence)
    page = folder / "statements.html"
    figures = {path.stem: path.relative_to(folder).as_posix() for path in drawn}
    write_atomically(page, statements_html(verdicts, scores, figures).encode())
    text = statements_markdown(verdicts, scores, figures)
    write_atomically(page.with_suffix(".md"), text.encode())
    return Reproduction(folder / "store", report, page, verdicts)


def evidence_of(
    scores: Scores, say: Callable[[str], None], *, limit: int = 50
) -> Evidence:
    """Collect the evidence for the statements.

    The random-walk study is made if its dataset is here; otherwise the one that comes
    with the package is used. The detector runs on the datasets of TSMD-Bench that are
    here.
    """
    paper = [name for name in scores.labels if scores.methods[name] in PAPER_METHODS]
    study = shipped("study")
    if locate(STUDIED) is None:
        say(f"{STUDIED} is unavailable: using the random-walk study of the package")
    else:
        say(f"making the random-walk study of {STUDIED} ...")
        dataset = load(STUDIED)
        window = len(dataset.instances[0]) // 2
        study = random_walk_study(study_problems(dataset), window)
    rows = []
    for name in scores.datasets:
        if name in BENCHMARK and locate(name) is not None:
            say(f"running the random-walk detector on {name} ...")
            rows.append(detector_on_benchmark(name, limit=limit))
    return Evidence(
        scores.only(labels=paper) if paper else scores, mean_f1(study), rows
    )


def summary(verdicts: Sequence[Verdict]) -> str:
    """Return how many statements hold; those of existence are counted apart.

    >>> summary([])
    'Of 0 statements, none could be tested.'
    """
    apart = [v for v in verdicts if v.statement.kind == EXISTENCE]
    others = [v for v in verdicts if v.statement.kind != EXISTENCE]
    sentences = []
    for some, noun in (
        (others, "statements"),
        (apart, "further statements that a case exists"),
    ):
        counts = Counter(verdict.finding.verdict for verdict in some)
        parts = [
            f"{counts[word]} {one if counts[word] == 1 else several}"
            for word, one, several in (
                (HOLDS, "holds", "hold"),
                (PARTLY, "holds partly", "hold partly"),
                (FAILS, "does not hold", "do not hold"),
                (UNTESTED, "was not tested", "were not tested"),
            )
            if counts[word]
        ]
        what = ", ".join(parts) if parts else "none could be tested"
        sentences.append(f"Of {len(some)} {noun}, {what}.")
    return " ".join(sentences if apart else sentences[:1])


def _rows(
    verdicts: Sequence[Verdict],
    figures: Mapping[str, str],
    repeated: Sequence[Sequence[Verdict]],
) -> list[dict[str, str]]:
    """Return the cells of each statement by the title of their column."""
    rows = []
    for verdict in verdicts:
        statement, finding = verdict
        row = {
            "mark": MARKS[finding.verdict][1],
            "question": statement.question,
            "statement": statement.text,
            "in the paper": statement.paper,
        }
        if statement.kind == NUMBER:
            for title, number, sign in (
                ("paper", statement.number, ""),
                ("ours", finding.value, ""),
                ("difference", verdict.difference, "+"),
            ):
                row[title] = "" if number is None else f"{number:{sign}.2f}"
        row["here"], row["datasets"] = finding.here, finding.datasets
        row["verdict"] = finding.verdict
        if repeated:
            same = [
                v.finding
                for some in repeated
                for v in some
                if v.statement.key == statement.key
            ]
            spread = f"{sum(f.verdict == HOLDS for f in same)} of {len(same)}"
            values = [f.value for f in same if f.value is not None]
            if values:
                spread += f"; {min(values):.2f} to {max(values):.2f}"
            row["other seeds"] = spread if same else ""
        if figures:
            known = statement.figure in figures
            row["figure"] = statement.figure if known else ""
        rows.append(row)
    return rows


def _titles(row: dict[str, str]) -> list[str]:
    """Return the header of a table; two columns have none."""
    return ["" if name in ("mark", "question") else name for name in row]


def statements_markdown(
    verdicts: Sequence[Verdict],
    scores: Scores,
    figures: Mapping[str, str] = NONE,
    repeated: Sequence[Sequence[Verdict]] = (),
) -> str:
    """Return the page as Markdown.

    `figures` has the address of each figure of a report; a statement links to its own.
    `repeated` are verdicts on the same statements for other seeds of the benchmark.
    """
    lines = [f"# {TITLE}", "", about(scores), "", summary(verdicts)]
    for kind, title in KINDS.items():
        rows = _rows(
            [v for v in verdicts if v.statement.kind == kind], figures, repeated
        )
        if not rows:
            continue
        header = _titles(rows[0])
        lines += ["", f"## {title}", "", "| " + " | ".join(header) + " |"]
        lines += ["|" + "---|" * len(header)]
        for row in rows:
            cells = {name: _cell(text) for name, text in row.items()}
            if row.get("figure"):
                cells["figure"] = f"[{row['figure']}]({figures[row['figure']]})"
            lines.append("| " + " | ".join(cells.values()) + " |")
    if repeated:
        lines += ["", _seeds(repeated)]
    lines += ["", "## When a statement holds", ""]
    lines += [
        f"* {_cell(v.statement.text)} *{_cell(v.statement.criterion)}.*"
        for v in verdicts
    ]
    return "\n".join(lines) + "\n"


def statements_html(
    verdicts: Sequence[Verdict],
    scores: Scores,
    figures: Mapping[str, str] = NONE,
    repeated: Sequence[Sequence[Verdict]] = (),
) -> str:
    """Return the page as HTML that needs nothing else but the figures it links to."""
    parts = [f"<h1>{TITLE}</h1>", f"<p>{escape(about(scores))}</p>"]
    parts.append(f"<p>{escape(summary(verdicts))}</p>")
    for kind, title in KINDS.items():
        some = [v for v in verdicts if v.statement.kind == kind]
        if not some:
            continue
        rows = _rows(some, figures, repeated)
        head = "".join(f'<th scope="col">{escape(t)}</th>' for t in _titles(rows[0]))
        body = []
        for verdict, row in zip(some, rows, strict=True):
            word = MARKS[row["verdict"]][0]
            cells = {name: f"<td>{escape(text)}</td>" for name, text in row.items()}
            cells["mark"] = f'<td class="{word}" aria-hidden="true">{row["mark"]}</td>'
            cells["verdict"] = f'<td class="{word}">{escape(row["verdict"])}</td>'
            criterion = f"<small>{escape(verdict.statement.criterion)}</small>"
            cells["statement"] = f"<td>{escape(row['statement'])}{criterion}</td>"
            if row.get("figure"):
                address = escape(figures[row["figure"]])
                link = f'<a href="{address}">{escape(row["figure"])}</a>'
                cells["figure"] = f"<td>{link}</td>"
            body.append(f"<tr>{''.join(cells.values())}</tr>")
        parts.append(
            f'<h2>{title}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{''.join(body)}</tbody></table></div>"
        )
    if repeated:
        parts.append(f"<p>{escape(_seeds(repeated))}</p>")
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


def _seeds(repeated: Sequence[Sequence[Verdict]]) -> str:
    return (
        f"Other seeds: number of {len(repeated)} benchmarks with other seeds on "
        "which a statement holds, and the range of its number. Hyperparameters are "
        "those of the published benchmark."
    )


def _cell(text: str) -> str:
    return escape(text, quote=False).replace("|", "\\|").replace("\n", " ")

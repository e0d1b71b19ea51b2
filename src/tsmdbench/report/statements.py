"""A page that puts each statement of the paper next to our result."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence

from tsmdbench.analysis.paper.statements import (
    EXISTENCE,
    FAILS,
    HOLDS,
    NUMBER,
    ORDER,
    PARTLY,
    UNTESTED,
    Verdict,
)
from tsmdbench.analysis.scores import Scores

TITLE = "Statements of the paper, and our results"
HEADER = ("", "", "statement", "in the paper", "here", "datasets", "verdict")
COMPARED = (*HEADER[:4], "paper", "ours", "difference", *HEADER[4:])
KINDS = {
    NUMBER: "Statements with a number",
    ORDER: "Statements on what is larger, first or last",
    EXISTENCE: "Statements that there is a case",
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


def summary(verdicts: Sequence[Verdict]) -> str:
    """Say how many statements hold; those that there is a case are counted apart.

    >>> summary([])
    'Of 0 statements, none could be tested.'
    """
    apart = [v for v in verdicts if v.statement.kind == EXISTENCE]
    others = [v for v in verdicts if v.statement.kind != EXISTENCE]
    told = _counted(others, "statements")
    if apart:
        told += f" {_counted(apart, 'further statements that there is a case')}"
    return told


def _counted(verdicts: Sequence[Verdict], noun: str) -> str:
    """Return one sentence on how many hold."""
    counts = Counter(verdict.finding.verdict for verdict in verdicts)
    told = [
        f"{counts[word]} {text}"
        for word, text in (
            (HOLDS, "hold"),
            (PARTLY, "hold partly"),
            (FAILS, "do not hold"),
            (UNTESTED, "were not tested"),
        )
        if counts[word]
    ]
    what = ", ".join(told) if told else "none could be tested"
    return f"Of {len(verdicts)} {noun}, {what}."


def statements_markdown(verdicts: Sequence[Verdict], scores: Scores) -> str:
    """Return the page as Markdown."""
    lines = [f"# {TITLE}", "", about(scores), "", summary(verdicts)]
    for kind, title in KINDS.items():
        rows = [v for v in verdicts if v.statement.kind == kind]
        if rows:
            header = _header(kind)
            lines += ["", f"## {title}", "", "| " + " | ".join(header) + " |"]
            lines += ["|" + "---|" * len(header)]
            lines += ["| " + " | ".join(map(_cell, _row(v))) + " |" for v in rows]
    lines += ["", "## When a statement holds", ""]
    lines += [
        f"* {_cell(v.statement.text)} *{_cell(v.statement.criterion)}.*"
        for v in verdicts
    ]
    return "\n".join(lines) + "\n"


def statements_html(verdicts: Sequence[Verdict], scores: Scores) -> str:
    """Return the page as HTML that needs nothing else."""
    parts = [f"<h1>{TITLE}</h1>", f"<p>{html.escape(about(scores))}</p>"]
    parts.append(f"<p>{html.escape(summary(verdicts))}</p>")
    for kind, title in KINDS.items():
        rows = [v for v in verdicts if v.statement.kind == kind]
        if rows:
            parts.append(f"<h2>{title}</h2>" + _html_table(rows, _header(kind)))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def about(scores: Scores) -> str:
    """Say what the results are."""
    problems = scores.table.groupby("dataset", observed=True)["problem"].nunique()
    few, many = problems.min(), problems.max()
    each = f"{few}" if few == many else f"{few} to {many}"
    failed = int((scores.table["status"] != "ok").sum())
    return (
        f"{len(scores.labels)} methods on {len(scores.datasets)} datasets, {each} test "
        f"problems each: {len(scores.table)} results, of which {failed} are failed "
        f"runs, which found nothing. The paper has 11 methods, 14 datasets and 200 "
        f"problems each."
    )


def _header(kind: str) -> tuple[str, ...]:
    return COMPARED if kind == NUMBER else HEADER


def _row(verdict: Verdict) -> tuple[str, ...]:
    statement, finding = verdict
    numbers: tuple[str, ...] = ()
    if statement.kind == NUMBER:
        numbers = (
            _number(statement.number),
            _number(finding.value),
            _number(verdict.difference, "+.2f"),
        )
    return (
        MARKS[finding.verdict][1],
        statement.question,
        statement.text,
        statement.paper,
        *numbers,
        finding.here,
        finding.datasets,
        finding.verdict,
    )


def _number(value: float | None, form: str = ".2f") -> str:
    return "" if value is None else format(value, form)


def _cell(text: str) -> str:
    return html.escape(text, quote=False).replace("|", "\\|").replace("\n", " ")


def _html_table(rows: Sequence[Verdict], header: Sequence[str]) -> str:
    head = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in header)
    body = []
    for verdict in rows:
        kind = MARKS[verdict.finding.verdict][0]
        cells = [f"<td>{html.escape(cell)}</td>" for cell in _row(verdict)]
        cells[0] = f'<td class="{kind}" aria-hidden="true">{_row(verdict)[0]}</td>'
        cells[2] = (
            f"<td>{html.escape(verdict.statement.text)}"
            f"<small>{html.escape(verdict.statement.criterion)}</small></td>"
        )
        cells[-1] = f'<td class="{kind}">{html.escape(verdict.finding.verdict)}</td>'
        body.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f'<div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )

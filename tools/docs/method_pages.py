"""A page per method, from its docstrings and from what it found in the gallery."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from typing import Any

from tools.docs.docstrings import linked, sections, shown
from tools.docs.gallery import kept

from tsmdbench import METHODS
from tsmdbench.methods.base import fields_of
from tsmdbench.methods.info import MethodInfo, method_info

PARAMETER = re.compile(r"^(\w+(?:, \w+)*)(?: : ([^\n]*))?\n((?:    [^\n]*\n?)+)", re.M)
LENGTHS = {
    "no": "one length for all motifs",
    "inter": "lengths differ between sets",
    "intra": "lengths differ within a set",
    None: "not stated",
}
SERIES = {
    "equal": "equal lengths",
    "stretched": "stretched copies",
    "vowels": "spoken vowels",
}
NOTE = (
    "<!-- Written by 'python -m tools.docs.generate' from the docstrings of the "
    "method: edit those. -->"
)


def page(name: str) -> str:
    """Return the page of one method."""
    cls = METHODS[name]
    parts = sections(sys.modules[cls.__module__].__doc__ or "")
    head, _, idea = parts.pop("").partition("\n\n")
    summary = head.replace("\n", " ").partition(": ")[2]
    lines = [
        NOTE,
        "",
        f"# {method_info(name).title}",
        "",
        f"**{summary[0].upper()}{summary[1:]}**",
        "",
        _facts(method_info(name)),
        "",
        "## Idea",
        "",
        shown(idea),
        "",
        *_example(name),
        "## Parameters",
        "",
        *_parameters(cls),
        "",
    ]
    for heading, body in _ordered(parts):
        lines += [f"## {heading}", "", shown(body), ""]
    return "\n".join(lines)


def _ordered(parts: dict[str, str]) -> list[tuple[str, str]]:
    first = ("Cost", "Limitations", "Conventions", "Departures")
    rest = [name for name in parts if name not in (*first, "References")]
    wanted = (*first[:3], *rest, first[3], "References")
    return [(name, parts[name]) for name in wanted if name in parts]


def _facts(known: MethodInfo) -> str:
    channels = "all channels" if known.multivariate else "one channel"
    kind = "compares symbols" if known.symbolic else "compares samples"
    return (
        f"`{known.name}` · {LENGTHS[known.variable_length]} · {channels} · {kind} · "
        f"[all methods](index.md)"
    )


def _example(name: str) -> list[str]:
    """Return the picture, its caption, and the code that finds what it shows."""
    mine = kept()[name]
    best = mine["equal"]
    cls = METHODS[name]
    sets = len(best["found"])
    counted = f"{sets} set{'s' * (sets != 1)}" if sets else "nothing"
    scores = ", ".join(f"{mine[key]['f1']:.2f} ({SERIES[key]})" for key in SERIES)
    return [
        "## Example",
        "",
        f"![{method_info(name).title} finds {counted} in the example series; the true "
        f"motifs are shaded, the found segments are below, and on top of each other at "
        f"the bottom](../images/methods/{name}.svg)",
        "",
        "Grey areas are the true motifs, and bars are the segments that were found. "
        "The plots at the bottom show the segments of each set on top of each other. "
        "The same in Python:",
        "",
        "```python",
        "from tsmdbench.example import example_path",
        "from tsmdbench.io import read_series",
        f"from {cls.__module__.rpartition('.')[0]} import {cls.__name__}",
        "",
        'series = read_series(example_path("series.csv"))',
        *_wrapped(best["call"]),
        "for motifs in method.find(series):",
        "    print(*motifs)",
        "```",
        "",
        "```text",
        *(" ".join(f"({a}, {b})" for a, b in motifs) for motifs in best["found"]),
        "```",
        "",
        f"F1 on the three series of the [gallery](gallery.md), with the best setting "
        f"for each: {scores}.",
        "",
    ]


def _wrapped(call: str) -> list[str]:
    line = f"method = {call}"
    if len(line) <= 88:
        return [line]
    head, _, arguments = call[:-1].partition("(")
    return [f"method = {head}(", f"    {arguments}", ")"]


def _parameters(cls: Any) -> list[str]:
    """Return the table of fields: default, and what the docstring says of each.

    Fields that the docstring describes together share a line.
    """
    said = _said(cls)
    told: dict[tuple[str, str], list[str]] = {}
    for field in fields_of(cls):
        needed = field.default is dataclasses.MISSING
        default = "required" if needed else f"`{field.default!r}`"
        kind, text = said[field.name]
        choice = f"One of {_choice(kind)}. " if kind.startswith("{") else ""
        told.setdefault((default, choice + text), []).append(f"`{field.name}`")
    rows = ["| field | default | meaning and range |", "|---|---|---|"]
    for (default, text), names in told.items():
        rows.append(f"| {', '.join(names)} | {default} | {text} |")
    return rows


def _choice(kind: str) -> str:
    inside = kind[1 : kind.index("}")]
    return ", ".join(f"`{one.strip()}`" for one in inside.split(","))


def _said(cls: Any) -> dict[str, tuple[str, str]]:
    """Return type and text of each field from the class's docstring or a sister's."""
    modules = [one.__module__ for one in (cls, getattr(cls, "lifted", cls))]
    sisters = [
        one
        for module in modules
        for _, one in inspect.getmembers(sys.modules[module], inspect.isclass)
    ]
    said: dict[str, tuple[str, str]] = {}
    for one in (cls, *sisters):
        if one.__module__ not in modules:
            continue
        body = sections(one.__doc__ or "").get("Parameters", "")
        for names, kind, text in PARAMETER.findall(f"{body}\n"):
            words = linked(" ".join(text.split())).replace("|", "\\|")
            for name in names.split(", "):
                said.setdefault(name, (kind, words))
    return said


def table() -> str:
    """Return the table of all methods for the overview page."""
    rows = [
        "| method | what it is | lengths | channels | needs |",
        "|---|---|---|---|---|",
    ]
    short = {"no": "one", "inter": "per set", "intra": "any", None: "?"}
    for name in METHODS:
        known = method_info(name)
        head = (sys.modules[METHODS[name].__module__].__doc__ or "").split("\n")[0]
        what = head.partition(": ")[2].rstrip(".")
        needs = ", ".join(f"`{field}`" for field in known.parameters)
        rows.append(
            f"| [`{name}`]({name}.md) | {what} | {short[known.variable_length]} | "
            f"{'all' if known.multivariate else 'one'} | {needs} |"
        )
    return "\n".join(rows)


def gallery_table() -> str:
    """Return F1 of all methods on the three series."""
    rows = [f"| method | {' | '.join(SERIES.values())} |", "|---|--:|--:|--:|"]
    for name, mine in kept().items():
        cells = " | ".join(f"{mine[series]['f1']:.2f}" for series in SERIES)
        rows.append(f"| [`{name}`]({name}.md) | {cells} |")
    return "\n".join(rows)

"""The colours of the page: those of the figures, in shades for light and dark."""

from __future__ import annotations

from collections.abc import Sequence

from tsmdbench.analysis.scores import Scores
from tsmdbench.plotting import COLOURS, GREY, SHADES
from tsmdbench.report.figures.properties import GROUPS, SYMBOLIC, looks

Groups = Sequence[tuple[str, str]]  # what a colour means, and the colour


def groups_of(scores: Scores) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Return what the colours of a page mean, and which of them each label has.

    First the kinds of methods, then the methods that have a colour of their own.
    """
    groups = list(GROUPS)
    places = {}
    for label, one in looks(scores).items():
        kind = (one.meaning.removesuffix(SYMBOLIC), one.colour)
        if kind not in groups:
            kind = (one.meaning, one.colour)
            groups.append(kind)
        places[label] = groups.index(kind)
    return groups, places


def palette_css(groups: Groups = GROUPS) -> str:
    """Return the rules that colour motif sets by place and methods by group.

    >>> ".set-0 { color: light-dark(#0072b2, #4da8e0); }" in palette_css()
    True
    """
    rules = [
        *(_rule(f"set-{place}", colour) for place, colour in enumerate(COLOURS)),
        _rule("set-none", GREY),
        *(_rule(f"group-{place}", colour) for place, (_, colour) in enumerate(groups)),
    ]
    return "\n".join(rules) + "\n"


def _rule(name: str, colour: str) -> str:
    # A colour that an author declared is the same on both backgrounds.
    light, dark = SHADES.get(colour, (colour, colour))
    return f".{name} {{ color: light-dark({light}, {dark}); }}"

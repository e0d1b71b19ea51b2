"""The colours of the page: those of the figures, in shades for light and dark."""

from __future__ import annotations

from tsmdbench.plotting import COLOURS, GREY, SHADES
from tsmdbench.report.figures.properties import GROUPS


def palette_css() -> str:
    """Return the rules that colour motif sets by place and methods by group.

    >>> ".set-0 { color: light-dark(#0072b2, #4da8e0); }" in palette_css()
    True
    """
    rules = [
        *(_rule(f"set-{place}", colour) for place, colour in enumerate(COLOURS)),
        _rule("set-none", GREY),
        *(_rule(f"group-{place}", colour) for place, (_, colour) in enumerate(GROUPS)),
    ]
    return "\n".join(rules) + "\n"


def _rule(name: str, colour: str) -> str:
    light, dark = SHADES[colour]
    return f".{name} {{ color: light-dark({light}, {dark}); }}"

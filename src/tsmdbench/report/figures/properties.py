"""How a method is coloured: one table for the figures and for the page.

Four hues tell one length from several and one channel from several (the table of
methods of section 6.2); a symbolic approximation is hatched, so that no two kinds
differ by hue alone in a box. A method that does not say what it can do is grey. The
methods that a report is about (`tsmdbench.analysis.scores.own_labels`) have colours
of their own, which no kind has, or the colour that their author declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.analysis.scores import own_labels
from tsmdbench.methods.info import MethodInfo, method_info
from tsmdbench.plotting import BLUE, GREEN, GREY, OLIVE, ORANGE, PINK, RED, SKY
from tsmdbench.report.figures.style import shown_one

if TYPE_CHECKING:
    from matplotlib.patches import Patch

    from tsmdbench.analysis.scores import Scores

HUES = {
    (False, False): ("fixed length, univariate", BLUE),
    (True, False): ("variable length, univariate", ORANGE),
    (False, True): ("fixed length, multivariate", PINK),
    (True, True): ("variable length, multivariate", GREEN),
}
UNKNOWN = ("properties not declared", GREY)
GROUPS = (*HUES.values(), UNKNOWN)  # what a hue means, and the hue
OWN = (RED, SKY, OLIVE)  # of the methods that a report is about, if they are few
HATCH = "/////"
SYMBOLIC = ", symbolic"
MEANING = 60  # characters of a meaning in a legend


class Look(NamedTuple):
    """Colour and marker of a method, with their meaning."""

    colour: str
    hatch: str
    meaning: str


def method_colour(method: str) -> str:
    """Return the colour of a method that is not one's own.

    >>> method_colour("locomotif") == GREEN, method_colour("os:remove") == GREY
    (True, True)
    """
    return GROUPS[method_group(method)][1]


def method_group(method: str) -> int:
    """Return the place of a registered method in `GROUPS`.

    >>> GROUPS[method_group("valmod")][0]
    'variable length, univariate'
    """
    return _group(method_info(method))


def _group(found: MethodInfo) -> int:
    """Return the place of a method in `GROUPS`."""
    if found.variable_length is None or found.multivariate is None:
        return GROUPS.index(UNKNOWN)
    return list(HUES).index((found.variable_length != "no", found.multivariate))


def look(found: MethodInfo) -> Look:
    """Return how a method with these facts is drawn.

    >>> look(method_info("locomotif")).meaning, look(method_info("mrmotif")).meaning
    ('variable length, multivariate', 'fixed length, univariate, symbolic')
    >>> look(method_info("os:remove")).meaning
    'properties not declared'
    """
    meaning, colour = GROUPS[_group(found)]
    if found.symbolic and meaning != UNKNOWN[0]:
        return Look(colour, HATCH, f"{meaning}{SYMBOLIC}")
    return Look(colour, "", meaning)


def looks(scores: Scores) -> dict[str, Look]:
    """Return how every label of the scores is drawn."""
    own = own_labels(scores)
    found = {}
    for label in scores.labels:
        method = scores.methods[label]
        kind = look(method_info(method, scores.declared))
        noted = scores.declared.get(method, MethodInfo())
        # With more methods than colours they are distinguished by their names only.
        free = OWN[own.index(label)] if label in own and len(own) <= len(OWN) else None
        colour = noted.colour or free
        if colour:
            kind = Look(colour, kind.hatch, _own_meaning(label, kind))
        found[label] = kind
    return found


def _own_meaning(label: str, kind: Look) -> str:
    """Return what the colour of one method means: the method, and what it can do."""
    known = kind.meaning != UNKNOWN[0]
    return f"{label} ({kind.meaning})" if known else label


def own_colours(scores: Scores) -> dict[str, str]:
    """Return the colours of the methods that a report is about."""
    found = looks(scores)
    return {label: found[label].colour for label in own_labels(scores)}


def legend_of(found: Mapping[str, Look]) -> list[Patch]:
    """Return a patch for every look that occurs, in a fixed order."""
    from matplotlib.patches import Patch

    return [
        Patch(label=shown_one(one.meaning, MEANING), **box_style(one))
        for one in different(found)
    ]


def different(found: Mapping[str, Look]) -> list[Look]:
    """Return the looks that occur: those of single methods, then the kinds."""
    order = [meaning for meaning, _ in GROUPS]

    def place(one: Look) -> tuple[int, bool]:
        plain = one.meaning.removesuffix(SYMBOLIC)
        if plain not in order:
            return -1, False
        return order.index(plain), one.meaning != plain

    return sorted(dict.fromkeys(found.values()), key=place)


def box_style(one: Look) -> dict[str, Any]:
    """Return the options of a patch with this look."""
    return {
        "facecolor": (one.colour, 0.45),
        "edgecolor": "0.2",
        "hatch": one.hatch or None,
        "linewidth": 0.8,
    }

"""How a method is coloured by what it can do (the table of methods of section 6.2).

Four hues tell one length from several and one channel from several; a symbolic
approximation is hatched, so that no two kinds differ by hue alone in a box. A method
that does not say what it can do, or whose class is not at hand, is grey.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.methods import METHODS
from tsmdbench.methods.catalogue import MethodFacts, facts
from tsmdbench.plotting import BLUE, GREEN, GREY, ORANGE, PINK

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
HATCH = "/////"


class Look(NamedTuple):
    """How a method is drawn, and what that means."""

    colour: str
    hatch: str
    meaning: str


def method_facts(method: str) -> MethodFacts | None:
    """Return the facts of a registered method, None for any other.

    A name like ``module:Class`` is not looked up: to draw a store must not import, and
    so run, what somebody wrote into it.
    """
    return facts(method, METHODS[method]) if method in METHODS else None


def method_colour(method: str) -> str:
    """Return the colour of a method, in figures as in the page of the report.

    >>> method_colour("locomotif") == GREEN, method_colour("os:remove") == GREY
    (True, True)
    """
    return GROUPS[method_group(method)][1]


def method_group(method: str) -> int:
    """Return the place of a method in `GROUPS`.

    >>> GROUPS[method_group("valmod")][0]
    'variable length, univariate'
    """
    return _group(method_facts(method))


def _group(found: MethodFacts | None) -> int:
    if found is None or found.variable_length is None or found.multivariate is None:
        return GROUPS.index(UNKNOWN)
    return list(HUES).index((found.variable_length != "no", found.multivariate))


def look(found: MethodFacts | None) -> Look:
    """Return how a method with these facts is drawn.

    >>> look(method_facts("locomotif")).meaning, look(method_facts("mrmotif")).meaning
    ('variable length, multivariate', 'fixed length, univariate, symbolic')
    >>> look(method_facts("os:remove")).meaning
    'properties not declared'
    """
    meaning, colour = GROUPS[_group(found)]
    if found is not None and found.symbolic and meaning != UNKNOWN[0]:
        return Look(colour, HATCH, f"{meaning}, symbolic")
    return Look(colour, "", meaning)


def looks(scores: Scores) -> dict[str, Look]:
    """Return how every label of the scores is drawn."""
    return {label: look(method_facts(scores.methods[label])) for label in scores.labels}


def legend_of(found: Mapping[str, Look]) -> list[Patch]:
    """Return a patch for every look that occurs, in a fixed order."""
    from matplotlib.patches import Patch

    return [Patch(label=one.meaning, **box_style(one)) for one in different(found)]


def different(found: Mapping[str, Look]) -> list[Look]:
    """Return the looks that occur, in a fixed order."""
    order = [meaning for meaning, _ in GROUPS]

    def place(one: Look) -> tuple[int, bool]:
        plain = one.meaning.removesuffix(", symbolic")
        return order.index(plain), one.meaning != plain

    return sorted(set(found.values()), key=place)


def box_style(one: Look) -> dict[str, Any]:
    """Return the options of a patch with this look."""
    return {
        "facecolor": (one.colour, 0.45),
        "edgecolor": "0.2",
        "hatch": one.hatch or None,
        "linewidth": 0.8,
    }

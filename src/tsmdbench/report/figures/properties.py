"""How a method is coloured and named: one table for the figures and for the page.

Four hues distinguish one length from several and one channel from several (the table of
methods of section 6.2); a symbolic approximation is hatched, so that no two kinds
differ by hue alone in a box. A method that does not say what it can do is grey. The
methods that a report is about (`tsmdbench.analysis.scores.own_labels`) have colours
of their own, which no kind has, or the colour that their author declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tsmdbench.analysis.scores import own_labels
from tsmdbench.methods import METHODS
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


def look(found: MethodInfo) -> Look:
    """Return how a method with these facts is drawn.

    >>> look(method_info("locomotif")).meaning, look(method_info("mrmotif")).meaning
    ('variable length, multivariate', 'fixed length, univariate, symbolic')
    >>> look(method_info("os:remove")).meaning
    'properties not declared'
    """
    if found.variable_length is None or found.multivariate is None:
        return Look(UNKNOWN[1], "", UNKNOWN[0])
    meaning, colour = HUES[found.variable_length != "no", found.multivariate]
    if found.symbolic:
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
            known = f" ({kind.meaning})" if kind.meaning != UNKNOWN[0] else ""
            kind = Look(colour, kind.hatch, f"{label}{known}")
        found[label] = kind
    return found


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


def with_names(scores: Scores) -> Scores:
    """Call methods as their authors write them; settings and origins are kept.

    Examples
    --------
    >>> import pandas as pd
    >>> from tsmdbench.analysis import Scores
    >>> labels = ["locomotif [rho=0.5]", "gv_repair (baselines)", "mine"]
    >>> methods = ["locomotif", "gv_repair", "mine.py:Mine"]
    >>> table = pd.DataFrame({"label": labels, "method": methods, "dataset": "A"})
    >>> with_names(Scores(table.assign(problem=1, prom_f1=0.5))).labels
    ('GV-RePair (baselines)', 'LoCoMotif [rho=0.5]', 'mine')
    """
    names = {}
    for label, method in scores.methods.items():
        rest = label.removeprefix(method)
        if method in METHODS and rest != label:
            names[label] = f"{method_info(method).title}{rest}"
    taken = set(scores.labels) - set(names)
    names = {label: name for label, name in names.items() if name not in taken}
    return replace(scores, table=scores.table.replace({"label": names}))

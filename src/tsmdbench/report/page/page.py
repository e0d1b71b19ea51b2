"""Put the page together: data, template, style, scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from tsmdbench.analysis.errors_by_kind import error_sentence
from tsmdbench.analysis.machines import FOREIGN
from tsmdbench.analysis.scores import Scores
from tsmdbench.analysis.tuning_effort import tuning_effort
from tsmdbench.experiments.store import Store
from tsmdbench.report.page.about import failures, provenance
from tsmdbench.report.page.colours import groups_of, palette_css
from tsmdbench.report.page.data import Explorer, explorer
from tsmdbench.report.page.difficulty import difficulty_section
from tsmdbench.report.page.embed import Embed, check_embed
from tsmdbench.report.page.entries import METRIC, entries
from tsmdbench.report.page.overview import (
    conclusion,
    data_lines,
    overview,
    shown_metrics,
    significance_tests,
)
from tsmdbench.report.page.series import CHANNELS, POINTS
from tsmdbench.webpage import content_policy, joined_scripts, json_block, page_asset

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Motif discovery benchmark"
# The order in which they are in the page; a later one may use an earlier one.
SCRIPTS = (
    "exact",
    "assign",
    "prom",
    "explain",
    "dom",
    "blocks",
    "theme",
    "tables",
    "figure",
    "ranks",
    "heatmap",
    "boxes",
    "time",
    "lanes",
    "panels",
    "explorer",
    "router",
    "main",
)


class Tab(NamedTuple):
    """A link to the page of another suite."""

    title: str
    address: str
    current: bool = False


def page(
    scores: Scores,
    store: Store | Mapping[str, Sequence[Store]],
    *,
    split: str = "test",
    embed: str | int | Embed = "auto",
    title: str = TITLE,
    notes: Sequence[str] = (),
    tabs: Sequence[Tab] = (),
    costs: pd.DataFrame | None = None,
) -> str:
    """Return the report as one HTML page that needs nothing else.

    Parameters
    ----------
    scores : Scores
        What `tsmdbench.analysis.scores.score_store` made of the store.
    store : Store or mapping of str to sequence of Store
        Where the runs of each origin are; ``""`` is the origin of one's own, others are
        those that were joined to the scores (``scores.join(baselines)``).
    split : {"test", "validation"}
        The split that was scored.
    embed : {"auto", "all", "none"}, int or Embed
        Which series the page carries, see `tsmdbench.report.page.embed`.
    title : str
        Heading of the page.
    notes : sequence of str
        Sentences below the leaderboard, for instance on which machine times are from.
    tabs : sequence of Tab
        The pages of all suites of the report, this one included.
    costs : DataFrame, optional
        What `tsmdbench.analysis.error_costs` made of one's own runs.

    Returns
    -------
    str
        The page, to be written as UTF-8.

    Raises
    ------
    InputError
        `embed` is none of its choices.
    """
    stores = {"": [store]} if isinstance(store, Store) else store
    limits = check_embed(embed)
    tests = significance_tests(scores)
    efforts = tuning_effort(scores, stores)
    ordered = entries(scores, tests[METRIC], efforts)
    groups, group_of = groups_of(scores)
    made = explorer(scores, stores, split, limits)
    charts = overview(scores, ordered, tests)
    charts["groups"] = [meaning for meaning, _ in groups]
    charts["series"] = made.reasons
    script, style = script_text(), _asset("style.css") + palette_css(groups)
    made_page: str = _template().render(
        title=title,
        policy=content_policy(script, style),
        style=_trusted(style),
        script=_trusted(script),
        data=_trusted(json_block(charts)),
        blocks=[_trusted(block) for block in made.blocks],
        series=[_trusted(json_block(texts)) for texts in made.series],
        entries=ordered,
        scores=scores,
        counts=_counts(scores, made),
        heat=scores.means(METRIC),
        metrics={name: charts["metrics"][name] for name in shown_metrics(scores)},
        tests=tests,
        conclusion=conclusion(ordered, tests[METRIC]),
        data_lines=data_lines(scores.datasets),
        failures=failures(scores, made.rows),
        provenance=provenance([one for each in stores.values() for one in each]),
        split=split,
        points=POINTS,
        channels=CHANNELS,
        fragment=fragment,
        notes=list(notes),
        tabs=list(tabs),
        foreign=FOREIGN,
        difficulty=difficulty_section(scores),
        group_of=group_of,
        errors=_errors(costs),
    )
    return made_page


def fragment(*parts: Any) -> str:
    """Return the address of a view: parts that may hold anything, separated by ``/``.

    >>> fragment("explore", "a/b", "<i>")
    '#explore/a%2Fb/%3Ci%3E'
    """
    return "#" + "/".join(quote(str(part), safe="") for part in parts)


def script_text() -> str:
    """Return all scripts as one, which keeps its names to itself."""
    return joined_scripts(_asset(f"js/{name}.js") for name in SCRIPTS)


def _errors(costs: pd.DataFrame | None) -> list[tuple[str, float, str]]:
    """Return label, F1 and what errors cost in words, for each method."""
    if costs is None:
        return []
    rows = costs.iterrows()
    return [(row["label"], row["f1"], error_sentence(row)) for _, row in rows]


def _counts(scores: Scores, made: Explorer) -> dict[str, int]:
    runs = [
        row for rows in made.rows.values() for each in rows.values() for row in each
    ]
    return {
        "methods": len(scores.labels),
        "datasets": len(scores.datasets),
        "problems": int(scores.table.groupby("dataset")["problem"].nunique().sum()),
        "runs": len(runs),
        "failed": sum(row["status"] != "ok" for row in runs),
        "series": sum(bool(text) for texts in made.series for text in texts),
    }


def _asset(name: str) -> str:
    return page_asset("report/page/assets", name)


def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["breakable"] = breakable
    return environment.from_string(_asset("page.html.j2"))


def breakable(text: str) -> Any:
    """Return a name as HTML that a browser may break after signs and between words.

    >>> str(breakable("my_file.py:NewOne<i>"))
    'my_<wbr>file.<wbr>py:<wbr>New<wbr>One&lt;i&gt;'
    """
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[/:._-])(?![/:._-])|(?<=[a-z])(?=[A-Z])", text)
    return Markup("<wbr>").join(map(escape, pieces))


def _trusted(text: str) -> Any:
    """Mark text of our own, or text that cannot end its element, as it is."""
    from markupsafe import Markup

    return Markup(text)

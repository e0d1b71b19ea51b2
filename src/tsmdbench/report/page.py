"""The report as one self-contained page: no server, no network, no library.

`page` turns the scores of a store into one HTML file that opens from a disk, an
attachment or a static host. It holds the leaderboard with intervals and significance,
the figures of the report, the errors and failures, and an explorer that shows for every
problem what each method found and why it scored as it did.

Conventions
-----------
* Everything is inside: styles, scripts, data. A content security policy in the page
  forbids every request, and allows only the script and the style that we put in.
* Names come from files and are never trusted: the template escapes them, the scripts
  write them as text, and data is in blocks that cannot be ended by what they hold.
* Any view has an address: ``#explore/DATASET/METHOD/PROBLEM/OTHER``.
* Figures are those of `tsmdbench.report.drawn`; scores and explanations are computed
  when the page is made. The scripts draw the explorer, and nothing else.
* Series are thinned for the eye (`tsmdbench.report.explorer`); segments are exact.
* Nothing names a machine: host and operating system stay in the store's manifest.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd

from tsmdbench.analysis.baselines import corrections
from tsmdbench.analysis.costs import OTHER_CLOCK
from tsmdbench.analysis.difficulty import has_dials
from tsmdbench.analysis.labels import main_metrics
from tsmdbench.analysis.ranking import significance
from tsmdbench.analysis.scores import BASELINES, Scores, own_labels
from tsmdbench.analysis.standings import Leaderboard, standings
from tsmdbench.benchmark import DATASETS, RECORDINGS_SUITE
from tsmdbench.datasets.catalogue import archive_name
from tsmdbench.experiments.sources import is_generated, without_protocol
from tsmdbench.experiments.store import Store
from tsmdbench.html_text import (
    content_policy,
    fragment,
    joined_scripts,
    json_block,
    page_asset,
)
from tsmdbench.methods.info import method_info
from tsmdbench.plotting import COLOURS, GREY, SHADES
from tsmdbench.plural import counted
from tsmdbench.report.drawn import IN_PAGE, Drawn, drawn_figures
from tsmdbench.report.explorer import (
    CHANNELS,
    MESSAGE,
    POINTS,
    STATUSES,
    THRESHOLDS,
    Embed,
    Rows,
    check_embed,
    explorer,
)
from tsmdbench.report.figures.breaking import TITLES
from tsmdbench.report.figures.properties import GROUPS, SYMBOLIC, looks
from tsmdbench.report.figures.style import duration, metric_title, page_svg
from tsmdbench.report.table import Table
from tsmdbench.report.tables import against_table, breaking_table, errors_table

TITLE = "Motif discovery benchmark"
METRIC = "prom_f1"
IN_CHANNELS = (
    "F1, precision and recall compare time and channels (subspace PROM); the explorer "
    "and the errors compare time only."
)
# The order in which they are in a page; a later one may use an earlier one.
SHARED = ("dom", "theme", "tables")
SCRIPTS = (*SHARED, "blocks", "figure", "lanes", "panels", "explorer", "router", "main")
TEMPLATES = ("macros", "base", "page", "board", "method")
NAMES = {
    "correctness_m": "correctness C_m",
    "correctness_g": "correctness C_g",
    "score": "score S",
}
PRIVATE = ("host", "system")
FEWEST_DATASETS = 5  # with fewer, no difference on other data can be significant


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
    figures: Sequence[Drawn] | None = None,
    home: str = "",
    board: Leaderboard | None = None,
) -> str:
    """Return the report as one HTML page that needs nothing else.

    `store` is one's own, or the stores of each origin of the scores (``""`` is one's
    own, see `Scores.join`). `notes` are sentences below the leaderboard, `tabs` the
    pages of all suites of the report, `home` the address of the page that this one
    belongs to. Figures, costs of errors and the leaderboard can be given if they were
    made before; without `figures`, those that the page shows are drawn.
    """
    stores = {"": [store]} if isinstance(store, Store) else store
    limits = check_embed(embed)
    shown = main_metrics(scores.datasets, (METRIC, "prom_precision", "prom_recall"))
    board = standings(scores, shown[0], stores=stores) if board is None else board
    groups, group_of = groups_of(scores)
    rows = leaderboard_rows(scores, board)
    every = [one for each in stores.values() for one in each]
    if figures is None:
        figures, _ = drawn_figures(scores, every[0], split=split, names=IN_PAGE)
    made = explorer(scores, stores, split, limits)
    data = {
        "labels": list(scores.labels),
        "own": own_labels(scores),
        "first": next((row["label"] for row in rows if row["own"]), rows[0]["label"]),
        "datasets": list(scores.datasets),
        "metrics": [
            NAMES.get(name, metric_title(name))
            + ("" if scores.higher_is_better(name) else ", lower is better")
            for name in scores.metrics
        ],
        "shown": [scores.metrics.index(name) for name in shown],
        "statuses": STATUSES,
        "thresholds": THRESHOLDS,
        "series": made.reasons,
    }
    runs = [
        row for rows in made.rows.values() for each in rows.values() for row in each
    ]
    counts = {
        "methods": len(scores.labels),
        "datasets": len(scores.datasets),
        "problems": int(scores.table.groupby("dataset")["problem"].nunique().sum()),
        "runs": len(runs),
        "failed": sum(row["status"] != "ok" for row in runs),
        "series": sum(bool(text) for texts in made.series for text in texts),
    }
    names = ("against_reference", "breaking_points", "errors")
    tables: dict[str, Table | None] = dict.fromkeys(names)
    if board.comparison.reference:
        tables["against_reference"] = against_table(board.comparison)
    if has_dials(scores):
        found = breaking_table(scores)
        tables["breaking_points"] = replace(
            found,
            frame=found.frame.rename(columns=TITLES),
            written={TITLES[name]: form for name, form in found.written.items()},
        )
    if costs is not None and len(costs):
        tables["errors"] = errors_table(costs)
    return rendered(
        "page",
        SCRIPTS,
        data,
        groups,
        title=title,
        home=home,
        blocks=[trusted(block) for block in made.blocks],
        series=[trusted(json_block(texts)) for texts in made.series],
        rows=rows,
        counts=counts,
        tested=significance(scores, shown[0]),
        comparison=board.comparison,
        corrections=corrections() if BASELINES in stores else [],
        conclusion=conclusion(board),
        data_lines=data_lines(scores.datasets),
        failures=failures(scores, made.rows),
        provenance=[_provenance(one.manifest) for one in every],
        split=split,
        points=POINTS,
        channels=CHANNELS,
        notes=[*notes, *([IN_CHANNELS] if shown[0] != METRIC else [])],
        tabs=list(tabs),
        other_clock=OTHER_CLOCK,
        figures={
            one.name: trusted(page_svg(one.figure, one.caption))
            for one in figures
            if one.name.startswith(IN_PAGE)
        },
        tables=tables,
        group_of=group_of,
    )


def leaderboard_rows(scores: Scores, board: Leaderboard) -> list[dict[str, Any]]:
    """Return the rows of a leaderboard with what the page shows besides.

    Each is a row of `Leaderboard.table` and of `Leaderboard.entries`, with the place of
    its colour (``hue``), its ``properties``, and what it was ``tuned_on``.
    """
    _, places = groups_of(scores)
    table = board.table.join(board.entries, on="label")
    rows: list[dict[str, Any]] = table.to_dict("records")
    for row in rows:
        label = row["label"]
        row["hue"] = places[label]
        row["properties"] = method_info(scores.methods[label], scores.declared)
        row["tuned_on"] = board.efforts[label].words
    return rows


def conclusion(board: Leaderboard) -> str:
    """Return the conclusion in a few sentences; empty if no method is better."""
    table, found = board.table, board.comparison
    first, later = (table[(table["place"] == 1) == yes] for yes in (True, False))
    if later.empty:
        return ""
    best, second, datasets = first.iloc[0], later.iloc[0], len(found.datasets_used)
    where = (
        f"over {counted(datasets, 'dataset')}" if datasets != 1 else "on one dataset"
    )
    others = counted(len(table) - 1, "other method")
    remark = (
        "is not tested, since no method was named as the reference"
        if datasets > FEWEST_DATASETS
        else "takes more datasets"
    )
    other_data = f"Whether methods differ on other data {remark}."
    if found.reference and datasets > FEWEST_DATASETS:
        differ = int(found.on_other_data["different"].sum())
        other_data = (
            f"On other data, {found.reference} differs significantly from {differ} of "
            f"{others}."
        )
    return (
        f"{', '.join(first['label'])} {'have' if len(first) > 1 else 'has'} the "
        f"highest mean F1 {where}, {best['mean']:.3f}; {second['label']} is next with "
        f"{second['mean']:.3f}. On more problems like these, {best['label']} is "
        f"significantly better than {best['worse']} of {others}. {other_data}"
    )


def data_lines(datasets: Iterable[str]) -> list[tuple[str, str]]:
    """Return each dataset with what its problems are made of."""
    lines = []
    for dataset in datasets:
        name, made_of = without_protocol(dataset), "your own"
        if name in DATASETS:
            made_of = f"real: instances of the classification dataset {name}, joined"
        elif archive_name(name) in DATASETS:
            made_of = (
                f"real: instances of the classification dataset {archive_name(name)}, "
                f"joined, in some of the channels"
            )
        elif name in RECORDINGS_SUITE:
            made_of = "real: pieces of annotated recordings"
        elif is_generated(name):
            made_of = "generated: random shapes that repeat, between shapes that do not"
        lines.append((dataset, made_of))
    return lines


def failures(scores: Scores, rows: Mapping[str, Rows]) -> list[dict[str, Any]]:
    """Return the failed runs, put together by method, dataset, kind and message."""
    kinds: dict[tuple[int, str, str, str], list[str]] = {}
    for dataset in scores.datasets:
        for (label, problem), runs in rows[dataset].items():
            for row in runs:
                if row["status"] != "ok":
                    message = (row["message"] or "").strip().splitlines() or [""]
                    place = scores.labels.index(label)
                    key = place, dataset, row["status"], message[-1][:MESSAGE]
                    kinds.setdefault(key, []).append(problem)
    names = ("label", "dataset", "status", "message", "problems")
    return [
        dict(zip(names, (scores.labels[place], *kind, sorted(problems)), strict=True))
        for (place, *kind), problems in sorted(kinds.items())
    ]


def _provenance(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the requests of a store, and the versions that made it."""

    def first(limit: Any) -> str:
        return "all" if limit is None else f"the first {limit}"

    requests = []
    for request in manifest.get("specifications", []):
        limits = request.get("limits") or {}
        tuned = f"by grid search ({request.get('grid')}) on the validation split"
        pairs = {
            "Datasets": ", ".join(request.get("datasets", ())),
            "Methods": ", ".join(request.get("methods", ())),
            "Split": str(request.get("split", "")),
            "Hyperparameters": tuned if request.get("tune") else "given, not tuned",
            "Problems per dataset": first(request.get("limit")),
            "Validation problems per dataset": first(request.get("limit_validation")),
        }
        if "seconds" in limits:
            pairs["Time limit of a run"] = f"{limits['seconds']:g} s"
        if "memory" in limits:
            pairs["Memory limit of a run"] = f"{limits['memory'] / 2**20:.0f} MiB"
        requests.append(pairs.items())
    made_by = manifest.get("made_by", {})
    hashes = {
        name: entry.get("recipe_sha256")
        for name, entry in manifest.get("datasets", {}).items()
        if isinstance(entry, dict)
    }
    return {
        "versions": [(k, text) for k, text in made_by.items() if k not in PRIVATE],
        "specifications": requests,
        "recipes": [
            (name, str(one.get("test", ""))[:16])
            for name, one in hashes.items()
            if isinstance(one, dict)
        ],
    }


def groups_of(scores: Scores) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """Return the legend of the colours of a page, and the colour of each label.

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


def palette_css(groups: Sequence[tuple[str, str]] = GROUPS) -> str:
    """Return the rules that colour motif sets by place and methods by group.

    >>> ".set-0 { color: light-dark(#0072b2, #4da8e0); }" in palette_css()
    True
    """
    colours = {f"set-{place}": colour for place, colour in enumerate(COLOURS)}
    colours["set-none"] = GREY
    colours |= {f"group-{place}": colour for place, (_, colour) in enumerate(groups)}
    # A colour that an author declared is the same on both backgrounds.
    shades = {name: SHADES.get(one, (one, one)) for name, one in colours.items()}
    return "".join(
        f".{name} {{ color: light-dark({light}, {dark}); }}\n"
        for name, (light, dark) in shades.items()
    )


@functools.cache
def _templates() -> Any:
    """Return the Jinja environment of the pages, which compiles a template once."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    texts = {name: _asset(f"{name}.html.j2") for name in TEMPLATES}
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=DictLoader(texts),
    )
    environment.filters |= {
        "breakable": breakable,
        "duration": duration,
        "plain": plain,
    }
    return environment


def rendered(
    template: str,
    scripts: Sequence[str],
    data: Mapping[str, Any],
    groups: Sequence[tuple[str, str]] = GROUPS,
    **values: Any,
) -> str:
    """Fill a template; everything that comes from a file is escaped."""
    script = joined_scripts(_asset(f"{name}.js") for name in scripts)
    style = _asset("style.css") + palette_css(groups)
    made: str = (
        _templates()
        .get_template(template)
        .render(
            policy=content_policy(script, style),
            style=trusted(style),
            script=trusted(script),
            data=trusted(json_block(data)),
            fragment=fragment,
            **values,
        )
    )
    return made


def _asset(name: str) -> str:
    return page_asset("report/assets", name)


def breakable(text: str) -> Any:
    """Return a name as HTML that a browser may break after signs, never in a word.

    >>> str(breakable("my_file.py:NewOne<i>"))
    'my_<wbr>file.<wbr>py:<wbr>NewOne&lt;i&gt;'
    """
    from markupsafe import Markup, escape

    pieces = re.split(r"(?<=[/:._-])(?![/:._-])", text)
    return Markup("<wbr>").join(map(escape, pieces))


def plain(text: str) -> str:
    """Return Markdown without links and marks of code.

    >>> plain("see [the page](a/b.md) of `run`")
    'see the page of run'
    """
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("`", "")


def trusted(text: str) -> Any:
    """Mark text of our own, or text that cannot end its element, as it is."""
    from markupsafe import Markup

    return Markup(text)

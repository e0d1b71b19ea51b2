"""The pages of the reference: the public names, grouped by what a user does with them.

`PAGES` lists every public name; ``tests/test_public_api.py`` compares it with what the
packages export. The text comes from the docstrings when the site is built.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from tools.docs.blocks import ROOT

from tsmdbench import METHODS

DOCS = ROOT / "docs" / "reference"


class Part(NamedTuple):
    """One page: a sentence, and names by package and by what they are for."""

    about: str
    groups: dict[tuple[str, str], str]
    text: str = ""  # package whose docstring stands on top


# The main names come first, on each page and in each group.
PAGES = {
    "metrics": Part(
        "How well found motif sets agree with the true ones.",
        {
            ("tsmdbench.metrics", "Score"): "prom evaluate evaluate_many METRICS",
            ("tsmdbench.metrics", "Explain a score"): (
                "explain Explanation TrueMotif FoundMotif SetRelation"
            ),
            ("tsmdbench.metrics", "Results of PROM"): (
                "Prom Averages prom_curve PromCurve"
            ),
            ("tsmdbench.metrics", "Earlier metrics"): (
                "correctness score ranged pair_overlap single_set"
            ),
            ("tsmdbench.metrics", "Add a metric"): "Metric check_metric Scorecard",
        },
        "tsmdbench.metrics",
    ),
    "methods": Part(
        "Discovery methods, what they have in common, and the contract of a method.",
        {
            ("tsmdbench.methods", "Find motif sets"): (
                "METHODS LoCoMotif Motiflets VALMOD MMotifs VONSEM SetFinder EMMA "
                "LatentMotifs MrMotif GVSequitur GVRePair STOMP PanMP PEPA APEPA "
                "MDLClust RandomWalkDetector"
            ),
            ("tsmdbench.methods", "Begin with an unknown series"): (
                "suggest Suggestion estimate_length LengthEstimate"
            ),
            ("tsmdbench.methods", "Draw what was found"): "draw_found",
            ("tsmdbench.methods", "Add a method"): (
                "Method declare check_method ContractReport ContractError "
                "planted_problem"
            ),
            ("tsmdbench.methods.grammar", "Look at a grammar"): "infer Grammar Rule",
        },
        "tsmdbench.methods",
    ),
    "benchmark": Part(
        "Motif problems with ground truth, the paper's and your own.",
        {
            ("tsmdbench.benchmark", "Load TSMD-Bench"): (
                "load_benchmark Benchmark DATASETS SPLITS overview OverviewRow"
            ),
            ("tsmdbench.benchmark", "Build a benchmark from your own data"): (
                "build_benchmark from_annotations read_instances data_card DataCard"
            ),
            ("tsmdbench.benchmark", "Annotated recordings"): (
                "load_recordings Recordings recordings_card RecordingsCard "
                "load_recordings_suite RECORDINGS_SUITE"
            ),
            ("tsmdbench.benchmark", "Write and read problems"): (
                "write_benchmarks read_problems"
            ),
            ("tsmdbench.benchmark", "Change and make problems"): (
                "add_noise Noise random_walk_problem"
            ),
        },
    ),
    "experiments": Part(
        "Run methods on problems and keep the results.",
        {
            ("tsmdbench.experiments", "Run"): (
                "run resume Limits Environment preset PRESETS preset_params "
                "PAPER_METHODS extra_methods obtainable"
            ),
            ("tsmdbench.experiments", "Read the results"): ("RunResult Store Summary"),
            ("tsmdbench.experiments", "Watch the progress"): "progress_for Progress",
            ("tsmdbench.experiments", "Settings from the validation data"): (
                "data_facts DataFacts load_problems"
            ),
            ("tsmdbench.experiments", "Keep a request"): (
                "Specification run_specification"
            ),
        },
    ),
    "analysis": Part(
        "From the runs of a store to answers.",
        {
            ("tsmdbench.analysis", "Score the runs of a store"): (
                "score_store Scores summary seed_spread"
            ),
            ("tsmdbench.analysis", "Compare with the published methods"): (
                "leaderboard Leaderboard leaderboard_of load_baselines"
            ),
            ("tsmdbench.analysis", "Compare methods"): (
                "ranks Ranks significance Significance bayesian_signed_rank "
                "intervals overall_intervals leave_one_out Stability"
            ),
            ("tsmdbench.analysis", "Compare costs"): (
                "cost method_seconds time_and_quality pareto"
            ),
            ("tsmdbench.analysis", "Compare protocols"): "protocol_gains ProtocolGain",
            ("tsmdbench.analysis", "Compare metrics"): (
                "agreement Agreement disagreements Disagreement"
            ),
        },
        "tsmdbench.analysis",
    ),
    "report": Part(
        "Tables, figures and the page.",
        {
            ("tsmdbench.report", "Write a report"): "write_report Written",
            ("tsmdbench.report", "Draw"): (
                "drawn_figures Drawn critical_difference_figure heat_map_figure "
                "box_figure time_quality_figure cost_figure stability_figure "
                "kendall_figure disagreement_figure tuning_figure read_surfaces"
            ),
            ("tsmdbench.report", "Make tables"): "all_tables Table",
            ("tsmdbench.report", "Reproduce the paper"): "reproduce Reproduction",
            ("tsmdbench.view", "Look at one recording"): "view_page",
        },
        "tsmdbench.report",
    ),
    "archive": Part(
        "Labelled instances from the UCR and UEA archives.",
        {
            ("tsmdbench.archive", "Load a dataset"): "load Dataset locate Place",
            ("tsmdbench.archive", "Describe a dataset"): "describe_dataset Properties",
        },
    ),
    "io": Part(
        "Series and motif sets: read, converted, written.",
        {
            ("tsmdbench.io", "Read a series"): (
                "read_recording read_series as_recording Recording Gap split_at_missing"
            ),
            ("tsmdbench.io", "Read and write motif sets"): (
                "read_annotations read_motif_sets Annotations write_motif_sets"
            ),
            ("tsmdbench.io", "Convert the results of other packages"): (
                "from_frame from_sample_labels from_stumpy from_locomotif "
                "from_motiflets from_leitmotifs"
            ),
            ("tsmdbench.io", "Add a format"): (
                "series_formats SeriesFormat motif_formats MotifFormat write_atomically"
            ),
        },
        "tsmdbench.io",
    ),
    "core": Part(
        "Motif sets, problems, errors.",
        {
            ("tsmdbench", "Motif sets and problems"): "MotifSet Problem",
            ("tsmdbench.errors", "Errors"): (
                "TsmdbenchError InputError InputTypeError UnknownNameError DataError "
                "MissingExtraError DownloadError ExperimentError StoreError "
                "InternalError"
            ),
            ("tsmdbench.example", "The example"): "example_path write_example",
        },
    ),
}
# Also in `tsmdbench` itself; documented where they belong.
TOP = (
    "evaluate evaluate_many explain prom METRICS METHODS load_benchmark "
    "build_benchmark InputError InputTypeError __version__"
)
CONSTANTS = {
    "METRICS": "the registry of metrics: a mapping from name to `Metric`.",
    "METHODS": "the registry of methods: a mapping from name to class.",
    "DATASETS": "the names of the 14 datasets of TSMD-Bench.",
    "RECORDINGS_SUITE": "the names of the 4 datasets of the recordings suite.",
    "SPLITS": "the names of the two splits.",
    "PRESETS": "the presets: a mapping from name to the fields of each method.",
    "PAPER_METHODS": "the names of the eleven methods that the paper compares.",
}
NOTE = (
    "<!-- Written by 'python -m tools.docs.generate' from the lists in "
    "tools/docs/reference.py. The site shows the docstrings here. -->"
)
METHOD_PAGES = {METHODS[name].__module__: name for name in reversed(list(METHODS))}


def documented() -> set[tuple[str, str]]:
    """Return package and name of everything that the reference documents."""
    shown = {("tsmdbench", name) for name in TOP.split()}
    for part in PAGES.values():
        for (package, _), names in part.groups.items():
            shown |= {(package, name) for name in names.split()}
    return shown


def paths() -> set[str]:
    """Return the dotted path of every object that has an entry of its own."""
    return {
        path
        for part in PAGES.values()
        for (package, _), names in part.groups.items()
        for name in names.split()
        if (path := _path(package, name)) is not None
    }


def _object(package: str, name: str) -> Any:
    return getattr(importlib.import_module(package), name)


def _path(package: str, name: str) -> str | None:
    """Return where an object is defined; None for a constant.

    A function may have the name of the module that defines it, such as ``prom``, and
    the reader of docstrings would take one for the other.
    """
    if name in CONSTANTS:
        return None
    made = _object(package, name)
    return f"{made.__module__}.{made.__qualname__}"


def _module(package: str, name: str) -> str:
    return str(_object(package, name).__module__)


def _group(package: str, names: list[str]) -> Iterator[str]:
    """Yield the lines of a group: constants, then names with what their modules say."""
    constants = [name for name in names if name in CONSTANTS]
    yield from (f"`{package}.{name}`: {CONSTANTS[name]}\n" for name in constants)
    others = [name for name in names if name not in CONSTANTS]
    for module, together in groupby(others, lambda name: _module(package, name)):
        for place, name in enumerate(together):
            yield from (f"::: {_path(package, name)}", _options(package, name), "")
            if place == 0:
                yield from _about(package, module, name)


def _about(package: str, module: str, name: str) -> list[str]:
    """Return what the module says: the definition, conventions and references."""
    if page := METHOD_PAGES.get(module):
        return [f"See [its page](../methods/{page}.md) for the idea and the rest.", ""]
    text = inspect.getdoc(importlib.import_module(module)) or ""
    if module == package or "\n" not in text:
        return []
    shown = [f"::: {module}", "    options: {members: false}", ""]
    return [f"**About `{name}`**", "", *shown]


def _options(package: str, name: str) -> str:
    return (
        f"    options: {{heading: {package}.{name}, toc_label: {name}, "
        "show_root_heading: true, show_root_toc_entry: true}"
    )


def _page(name: str, part: Part) -> str:
    text = f"::: {part.text}\n    options: {{members: false}}"
    says = text if part.text else part.about
    lines = [NOTE, "", f"# Reference: {name}", "", says, ""]
    for (package, does), names in part.groups.items():
        lines += [f"## {does}", "", f"From `{package}`.", ""]
        lines += _group(package, names.split())
    return "\n".join(lines)


def _index() -> str:
    """Return the overview: every public name, by page and group."""
    lines = [
        NOTE,
        "",
        "# Reference",
        "",
        "All public names, by what you do. Everything else is private and may change "
        "in any version.",
        "",
        f"In `tsmdbench` itself: {_code(TOP.split())}, `MotifSet` and `Problem`.",
        "",
    ]
    for name, part in PAGES.items():
        lines += [f"## {name.capitalize()}", "", f"[{part.about}]({name}.md)", ""]
        lines += ["| to | names | from |", "|---|---|---|"]
        lines += [
            f"| {does} | {_code(names.split())} | `{package}` |"
            for (package, does), names in part.groups.items()
        ]
        lines.append("")
    return "\n".join(lines)


def _code(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def pages() -> Iterator[tuple[Path, str]]:
    """Yield the pages of the reference."""
    for name, part in PAGES.items():
        yield DOCS / f"{name}.md", _page(name, part)
    yield DOCS / "index.md", _index()

"""``tsmdbench evaluate`` and ``explain``: score motif sets, explain their errors."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from tsmdbench.cli.options import read_and_say, read_sets
from tsmdbench.cli.output import PAGE, check_plot, print_json, print_table, write_plot
from tsmdbench.errors import InputError

if TYPE_CHECKING:
    from tsmdbench.io.timebase import TimeBase


def evaluate(
    truth: Path,
    found: Path,
    *,
    threshold: float | None = None,
    tau: float | None = None,
    metric: list[str] | None = None,
    macro: bool = False,
    penalize_off_target: bool = False,
    explain: bool = False,
    as_json: bool = False,
    plot: Path | None = None,
    series: Path | None = None,
    file_format: str | None = None,
    found_format: str | None = None,
    series_format: str | None = None,
    missing: str = "keep",
    set_options: dict[str, Any],
    series_options: dict[str, Any],
) -> None:
    """Score found motif sets against the truth with PROM, or with any metric.

    Examples: tsmdbench evaluate truth.json found.json --plot score.png

    tsmdbench evaluate labels.txt found.json --format audacity --found-format json
    --rate 100 --metric prom_f1 --metric score

    A file of motif sets is JSON ({"label": [[start, end], ...]} or a list of lists),
    CSV (set,start,end), Parquet, or a label track. Segments are half-open:
    [start, end), in samples or in time.

    Options:
    truth: True motif sets (JSON, CSV, Parquet, label tracks of Audacity, ELAN, Praat,
        Label Studio, WFDB).
    found: Found motif sets, in the same formats.
    threshold: A match needs a larger overlap rate; in [0.5, 1), by default 0.5.
    tau: Compare the channels of sets too (subspace PROM): matched sets need a Jaccard
        index of at least this; in (0.5, 1].
    metric: A name of 'tsmdbench metrics' instead of PROM's table; repeatable.
    macro: Average over sets instead of motifs.
    penalize_off_target: Count motifs of unmatched found sets as false positives.
    explain: Explain each error and the F1 if it were fixed.
    plot FILE: Write the figure: .png, .svg or .pdf, or, with --series, the page of
        'view': .html.
    series FILE: The series, in any format that 'discover' reads: to draw it, to turn
        times into samples, and to check that no segment ends beyond it.
    missing: Missing values of the series: keep or interpolate.
    """
    if plot is not None:
        check_plot(plot)
        if plot.suffix.lower() == PAGE and series is None:
            raise InputError(f"{plot} shows the series; give it with --series FILE")
    if metric and (macro or explain):
        raise InputError(
            "--macro and --explain belong to PROM's table; leave out --metric, or name "
            "prom_macro_f1"
        )
    from tsmdbench.io.timebase import TimeBase
    from tsmdbench.metrics import evaluate as evaluate_metrics
    from tsmdbench.metrics import prom, subspace_prom
    from tsmdbench.metrics.explain import diagnose, text
    from tsmdbench.validation import check_choice, check_motif_sets

    recording, n = None, None
    check_choice(missing, "--missing", ("keep", "interpolate"))
    if series is not None:
        recording = read_and_say(series, series_options, series_format, missing=missing)
        n = len(recording)
    options = (recording, series_options, set_options)
    true_sets, _ = read_sets(truth, file_format, *options)
    found_sets, _ = read_sets(found, found_format or file_format, *options)
    chosen: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    if penalize_off_target:
        chosen["penalize_off_target"] = True
    if tau is not None:
        chosen["tau"] = tau
        if recording is not None:
            chosen["n_channels"] = len(recording.channels)
    if (metric or tau is not None) and n is not None:
        check_motif_sets(true_sets, "truth", n=n)
        check_motif_sets(found_sets, "found", n=n)
    if metric:
        values = evaluate_metrics(true_sets, found_sets, metric, **chosen)
        if as_json:
            print_json(values)
        else:
            rows = ((name, f"{value:.4f}") for name, value in values.items())
            print_table(("", ""), rows, text=(0, 1))
        if plot is None:
            return
    if tau is None:
        result = prom(true_sets, found_sets, n=n, **chosen)
    else:
        result = subspace_prom(true_sets, found_sets, **chosen)
    explanation = diagnose(result) if explain else None
    if plot is not None:

        def page() -> str:
            from tsmdbench.view import view_page

            title = None if recording is None else Path(recording.source).name
            return view_page(recording, true_sets, {"found": found_sets}, title=title)

        write_plot(plot, lambda: (explanation or result).plot(recording), page)
    base = TimeBase(series_options["rate"]) if recording is None else recording.timebase
    units = "samples" if base.rate is None else set_options["units"] or "samples"
    if as_json:
        if not metric:
            made = (explanation or result).to_dict()
            if units != "samples":
                made = {"units": units, **_in_units(made, base, units)}
            print_json(made)
        return
    if not metric:
        average, kind = (result.macro, "macro") if macro else (result.micro, "micro")
        shown = (average.precision, average.recall, average.f1)
        texts = map("{:.4f}".format, shown)
        print_table(("", ""), zip(("precision", "recall", "F1"), texts, strict=True))
        typer.echo(
            f"({kind} average, overlap above {float(result.threshold):g}; "
            f"tp {result.tp}, fp {result.fp}, fn {result.fn})\n"
        )
        typer.echo(str(result).partition("\n")[2])
    if explanation is not None:
        typer.echo(f"\n{text(explanation, base, units)}")
    if plot is not None:
        typer.echo(f"figure: {plot}")


def _in_units(value: Any, base: TimeBase, units: str) -> Any:
    """Return what JSON holds with the bounds of segments in units."""
    from tsmdbench.io.timebase import SCALES

    if isinstance(value, list | tuple):
        return [_in_units(item, base, units) for item in value]
    if not isinstance(value, dict):
        return value
    made = {key: _in_units(item, base, units) for key, item in value.items()}
    if {"start", "end"} <= set(value):
        made["start"], made["end"] = base.shown(value["start"], value["end"], units)
    if "late" in value and base.rate and units in SCALES:
        made["late"] = base.rounded(value["late"] / base.rate) / SCALES[units]
    return made


def explain(
    store: Path,
    problem: str | None = None,
    *,
    method: str | None = None,
    dataset: str | None = None,
    settings: list[str] | None = None,
    split: str = "test",
    threshold: float = 0.5,
    as_json: bool = False,
) -> None:
    """Explain the errors of stored runs: of one problem, or summed up by kind.

    Examples: tsmdbench explain my-store

    tsmdbench explain my-store Plane/test/004 --method stomp

    Without a problem, the F1 that each kind of error costs each method: the mean gain
    if all errors of that kind were fixed.

    Options:
    store: Store written by 'run'.
    problem: Problem, by its name or number; all of them together by default.
    method: Method, if the store has several.
    dataset: Dataset, if the store has several.
    settings --set KEY=VALUE: Parameter of the run, if there are several settings; may
        be repeated.
    threshold: Overlap rate that a match must exceed.
    """
    from tsmdbench.discovery import settings_of
    from tsmdbench.experiments.store import Store

    opened = Store(store)
    parameters: dict[str, Any] = {**settings_of(settings or ())}
    for key, value in parameters.items():
        with suppress(ValueError):  # then it is a text
            parameters[key] = json.loads(value)
    if problem is not None:
        number = problem.removeprefix("-").isascii() and problem.lstrip("-").isdigit()
        found = opened.explain(
            int(problem) if number else problem,
            method,
            dataset,
            split=split,
            parameters=parameters,
            threshold=threshold,
        )
        print_json(found.to_dict()) if as_json else typer.echo(found)
        return
    if parameters:
        raise InputError("--set chooses the run on one problem; name the problem")
    from tsmdbench.analysis.difficulty import error_costs, error_sentence
    from tsmdbench.analysis.scores import restricted, score_store

    scores = restricted(score_store(opened, split=split, metrics=["prom_f1"]), method)
    scores = scores.only(datasets=None if dataset is None else [dataset])
    costs = error_costs(scores, opened, split=split, threshold=threshold)
    if as_json:
        typer.echo(costs.to_json(orient="records"))
        return
    rows = [
        (row["label"], f"{row['f1']:.3f}", row["runs"], error_sentence(row))
        for _, row in costs.iterrows()
    ]
    print_table(("method", "F1", "runs", "cost of errors"), rows, text=(0, 3))

"""``tsmdbench methods``, ``metrics``, ``warmup`` and ``demo``."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import typer

from tsmdbench.cli.options import Workers
from tsmdbench.cli.output import print_json, print_table, say, write_plot
from tsmdbench.plural import counted

COLUMNS = (
    "name",
    "method",
    "variable_length",
    "multivariate",
    "symbolic",
    "parameters",
    "options",
    "summary",
)
WORDS = {True: "yes", False: "no", None: "?"}  # a third-party class may not declare it


def methods(*, as_json: bool = False) -> None:
    """List the methods: what each can do, and which parameters it needs.

    Example: tsmdbench methods --json

    Methods of other packages are listed too, if they use the entry-point group
    tsmdbench.methods. Variable length: "inter" between sets, "intra" within a set.
    """
    from tsmdbench.methods.info import catalogue

    rows = catalogue()
    if as_json:
        print_json([{key: getattr(row, key) for key in COLUMNS} for row in rows])
        return
    cells = [
        (
            row.name,
            *(
                fact if isinstance(fact, str) else WORDS[fact and True]
                for fact in (row.variable_length, row.multivariate, row.symbolic)
            ),
            ", ".join(row.parameters),
        )
        for row in rows
    ]
    head = ("method", "variable length", "multivariate", "symbolic", "parameters")
    print_table(head, cells, text=range(len(head)))


def metrics(*, properties: bool = False, as_json: bool = False) -> None:
    """List the metrics, or the table of their properties.

    Example: tsmdbench metrics --properties

    Every cell of the table comes from running small named cases.

    Options:
    properties: Show which errors each metric penalises.
    """
    from tsmdbench.errors import InputError
    from tsmdbench.metrics import METRICS

    if properties:
        _print_properties(as_json=as_json)
        return
    known = []
    for name in METRICS:
        try:
            known.append(METRICS[name])
        except InputError as error:  # of another package: the others are still listed
            say(f"{name}: {error}")
    if as_json:
        facts = [
            {
                "name": metric.name,
                "higher_is_better": metric.higher_is_better,
                "range": [metric.lowest, metric.highest],
                "nothing_found": metric.empty,
                "formula": metric.formula,
                "reference": metric.reference,
                "options": list(metric.options),
            }
            for metric in known
        ]
        print_json(facts)
        return
    rows = [
        (
            metric.name,
            f"{metric.lowest:g}..{metric.highest:g}",
            "higher" if metric.higher_is_better else "lower",
            metric.formula,
        )
        for metric in known
    ]
    print_table(("metric", "range", "better", "formula"), rows, text=range(4))


def _print_properties(*, as_json: bool) -> None:
    from tsmdbench.metrics.metric import PROPERTIES
    from tsmdbench.metrics.properties import MARKS, differences, property_table

    table = property_table()
    if as_json:
        print_json({row.name: row.cells for row in table})
        return
    for number, name in enumerate(PROPERTIES, start=1):
        kind = "" if number <= 3 or number > 7 else "penalises "
        typer.echo(f"{number:>2}  {kind}{name}")
    typer.echo()
    print_table(
        ("", *map(str, range(1, len(PROPERTIES) + 1))),
        [(row.name, *(MARKS[row.cells[n]] for n in PROPERTIES)) for row in table],
    )
    typer.echo(
        f"\nEach cell comes from running {len(table[0].values)} named cases with the "
        "strictest options\nof the metric. Differences from the paper's table:"
    )
    for line in differences(table):
        typer.echo(f"- {line}")


# Methods that share kernels, those that take longest first; the others share one more
# group. A group is compiled in one process, so that no kernel is compiled twice.
GROUPS = (
    ("locomotif",),
    ("gv_repair", "gv_sequitur", "mrmotif"),
    ("random_walk_detector",),
)


def warmup(names: list[str] | None = None, *, workers: Workers = None) -> None:
    """Compile the methods, so that their first use does not have to.

    Example: tsmdbench warmup setfinder locomotif

    Compiled code is kept per version and shared by all processes; a second call
    compiles nothing. NUMBA_CACHE_DIR names another folder for it.

    Options:
    names [METHOD]...: Methods; by default all of them.
    """
    from tsmdbench._kernels.cache_folder import cache_folder
    from tsmdbench.methods import METHODS

    chosen = names or METHODS.added()
    for name in chosen:
        METHODS[name]  # an unknown one is refused before the others are compiled
    begin, skipped = time.monotonic(), 0
    lines = compiled(chosen, min(workers or os.cpu_count() or 1, len(chosen)))
    for place, line in enumerate(lines, start=1):
        typer.echo(f"[{place}/{len(chosen)}] {line}")
        skipped += ": skipped, " in line
    seconds = time.monotonic() - begin
    typer.echo(f"{counted(len(chosen) - skipped, 'method')} ready in {seconds:.0f} s")
    typer.echo(f"compiled code: {cache_folder() or 'not kept'}")


def compiled(names: Sequence[str], workers: int) -> Iterator[str]:
    """Compile methods, in this or several processes; yield a line for each."""
    if workers == 1:
        from tsmdbench.methods.warmup import warmup as warm

        for ready in warm(names):
            did = f"{counted(ready.functions, 'function')} compiled"
            said = ready.skipped and f"skipped, {ready.skipped}"
            yield f"{ready.name}: {said or f'{did}, {ready.seconds:.1f} s'}"
        return

    def in_a_process(group: list[str]) -> list[str]:
        command = [sys.executable, "-m", "tsmdbench", "warmup", "--workers", "1"]
        done = subprocess.run(
            [*command, *group], stdout=subprocess.PIPE, text=True, check=True
        )
        lines = done.stdout.splitlines()[: len(group)]
        return [line.partition("] ")[2] for line in lines]

    with ThreadPoolExecutor(workers) as pool:
        for lines in pool.map(in_a_process, groups_of(names)):
            yield from lines


def groups_of(names: Sequence[str]) -> list[list[str]]:
    """Return methods in groups that share kernels.

    >>> groups_of(["stomp", "locomotif", "setfinder"])
    [['locomotif'], ['stomp', 'setfinder']]
    """
    grouped = {name for group in GROUPS for name in group}
    groups = [[name for name in names if name in group] for group in GROUPS]
    groups.append([name for name in names if name not in grouped])
    return [group for group in groups if group]


def demo(*, out: Path = Path("demo-output"), workers: Workers = None) -> None:
    """Evaluate the bundled example, run methods on two datasets, write a report.

    Example: tsmdbench demo

    The datasets are JapaneseVowels (spoken vowels, bundled with aeon) and generated
    problems. Takes a minute or two; the first time compiles. On Windows, which cannot
    run experiments, the report shows the published results instead.

    Options:
    out: Folder to write to.
    """
    from tsmdbench.analysis import load_baselines
    from tsmdbench.errors import ExperimentError
    from tsmdbench.example import write_example
    from tsmdbench.experiments import experiment, progress_for, run
    from tsmdbench.experiments.specification import check_platform
    from tsmdbench.io import read_motif_sets, read_series
    from tsmdbench.metrics import prom
    from tsmdbench.report import write_report
    from tsmdbench.report.page import data_lines

    progress = progress_for(quiet=False)
    out.mkdir(parents=True, exist_ok=True)
    typer.echo("1. An example: a series, its true motif sets, and what was found")
    write_example(out)
    truth, found = (read_motif_sets(out / f"{n}.json") for n in ("truth", "found"))
    result = prom(truth, found)
    typer.echo(result)
    series = read_series(out / "series.csv")
    write_plot(out / "evaluation.png", lambda: result.plot(series))
    options = experiment("demo")
    typer.echo(
        f"\n2. {len(options['methods'])} methods on {' and '.join(options['datasets'])}"
    )
    for name, made_of in data_lines(options["datasets"]):
        typer.echo(f"   {name}: {made_of}")
    try:
        check_platform()
    except ExperimentError as cause:
        typer.echo(f"{cause}; the report shows the published results")
        store, embed = load_baselines().path, "none"
    else:
        store, embed = out / "store", "auto"
        progress.say("compiling the methods, unless they are compiled ...")
        cores = workers or os.cpu_count() or 1
        list(compiled(options["methods"], min(cores, len(options["methods"]))))
        run(**options, out=store, workers=workers, progress=progress)
    typer.echo("\n3. The report")
    written = write_report(store, out / "report", embed=embed, progress=progress.say)
    typer.echo(f"\n{written.conclusion}")
    typer.echo("\nOpen in a browser:")
    for page in (written.page, out / "evaluation.png"):
        typer.echo(f"  {page.resolve().as_uri()}")

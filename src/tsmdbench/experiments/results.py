"""Progress of an experiment, and what `run` returns.

`Progress` is shown as a bar on a terminal and in a notebook, and as lines otherwise.
`RunResult` has the runs of one call. It looks up to `tsmdbench.analysis` and
`tsmdbench.report`, alone in this package: they are imported when they are used, so that
a notebook can go on with what `run` returned.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tsmdbench.errors import InputError, MissingExtraError, TsmdbenchError
from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import PathLike
from tsmdbench.plural import counted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tsmdbench.analysis import Scores
    from tsmdbench.metrics import Explanation
    from tsmdbench.report import Written

ABOUT = ["method", "dataset", "problem", "metric", "value", "status"]
FAILURE = ["method", "dataset", "problem", "status", "message"]
SHOWN = ("prom_f1", "prom_precision", "prom_recall")
LINE_EVERY = 10.0  # seconds between plain lines
STILL_EVERY = 60.0  # between those that say that nothing was finished since


class Progress:
    """Progress of an experiment; this one shows nothing.

    A subclass shows it. A run is reported when it is stored.
    """

    def say(self, sentence: str) -> None:
        """Show a sentence that is worth a line."""

    def begin(self, title: str, total: int, done: int) -> None:
        """Begin a stage of `total` runs, of which `done` are stored already."""

    def advance(self, stored: int, failed: int) -> None:
        """Report how many more runs are stored, and how many of them failed."""

    def end(self) -> None:
        """End the stage."""


class Display(Progress):
    """Show a bar of rich where it can be drawn in place, or lines on a stream."""

    def __init__(self, *, bar: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._bar: Any = None
        if bar:
            from rich import progress

            self._bar = progress.Progress(
                progress.TextColumn("{task.description}"),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TextColumn("{task.fields[what]}"),
            )

    def say(self, sentence: str) -> None:
        """Write a line, above the bar if there is one."""
        if self._bar is not None:
            self._bar.console.print(sentence, markup=False, highlight=False)
        else:
            self._stream.write(f"{sentence}\n")
            self._stream.flush()

    def begin(self, title: str, total: int, done: int) -> None:
        """Draw a new bar, or write what begins."""
        self._title, self._total, self._first, self._done = title, total, done, done
        self._shown, self._failed = done, 0
        self._start = self._said = self._moved = time.monotonic()
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task(title, total=total, completed=done, what="")
        else:
            stored = f", {done} stored already" * bool(done)
            self.say(f"{title}: {counted(total, 'run')}{stored}")

    def advance(self, stored: int, failed: int) -> None:
        """Move the bar, or write a line if the last one is old enough."""
        self._done += stored
        self._failed += failed
        now = time.monotonic()
        if stored:
            self._moved = now
        # The rate of quick runs says nothing of a slow one.
        still, rate = now - self._moved, self._rate(now)
        left = (self._total - self._done) / rate if rate else float("inf")
        what = f"{rate:.1f}/s, {show_seconds(left)} left"
        if still > LINE_EVERY and (still > left or not rate):
            what = f"no run finished for {show_seconds(still)}"
        wait = LINE_EVERY if self._done > self._shown else STILL_EVERY
        if self._bar is not None:
            what += f", {self._failed} failed" * bool(self._failed)
            self._bar.update(self._task, completed=self._done, what=what)
        elif now - self._said > wait and self._done < self._total:
            self._said, self._shown = now, self._done
            self._line(what)

    def end(self) -> None:
        """Leave the bar as it is, or write where the stage ended."""
        now = time.monotonic()
        if self._bar is not None:
            self._bar.stop()
        elif self._done > self._first:
            self._line(f"{self._rate(now):.1f}/s, in {show_seconds(now - self._start)}")

    def _line(self, what: str) -> None:
        what += f", {self._failed} failed" * bool(self._failed)
        self.say(f"{self._title}: {self._done}/{self._total} ({what})")

    def _rate(self, now: float) -> float:
        return (self._done - self._first) / max(now - self._start, 1e-9)


def progress_for(*, quiet: bool) -> Progress:
    """Return the progress display of a command: a bar, lines, or nothing."""
    return Progress() if quiet else Display(bar=sys.stdout.isatty())


def notebook_progress() -> Progress:
    """Return the progress display in a notebook; one that shows nothing otherwise."""
    get = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = get() if callable(get) else None
    if not hasattr(shell, "kernel"):
        return Progress()
    # Without widgets a notebook cannot draw a bar in place.
    return Display(bar=find_spec("ipywidgets") is not None, stream=sys.stdout)


class CompileWatch:
    """Report how many functions were compiled since this was made.

    Methods are compiled by the processes that run them, on their first use, into a
    folder that all processes share. On a cluster that does not share it nothing is
    shown. `every` is the least number of seconds between two sentences.
    """

    def __init__(
        self, progress: Progress, folder: Path | None = None, every: float = LINE_EVERY
    ) -> None:
        self._progress, self._every, self._folder = progress, every, folder
        if folder is None and "numba" in sys.modules:  # a method is compiled
            from tsmdbench._kernels.cache_folder import cache_folder

            self._folder = cache_folder()
        self._before = self._said = self._count()
        self._last = -every

    def look(self) -> None:
        """Show how many functions were compiled, if there are more than before."""
        if time.monotonic() - self._last >= self._every:
            count = self._count()
            if count > self._said:
                self._progress.say(
                    "compiling, only the first time with these versions: "
                    f"{count - self._before} functions so far"
                )
                self._said, self._last = count, time.monotonic()

    def _count(self) -> int:
        """Count the functions in the folder; each has an index file."""
        return 0 if self._folder is None else len([*self._folder.rglob("*.nbi")])


def show_seconds(seconds: float) -> str:
    """Format a duration in one or two units.

    >>> show_seconds(8.24), show_seconds(95), show_seconds(7300), show_seconds(4e5)
    ('8.2 s', '1 min 35 s', '2 h 1 min', '4 d 15 h')
    """
    if seconds == float("inf"):
        return "unknown time"
    whole = round(seconds)
    units = ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))
    for large, name, small, rest in units if seconds >= 60 else ():
        if whole >= large:
            return f"{whole // large} {name} {whole % large // small} {rest}"
    return f"{seconds:.1f} s"


@dataclass
class Summary:
    """Counts of runs, failures and stored results, and the folder of the store."""

    path: str
    planned: int = 0
    skipped: int = 0
    ran: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)  # of the methods, by name

    @property
    def failed(self) -> int:
        """Number of runs of this session that did not end well."""
        return sum(self.ran.values()) - self.ran["ok"]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        return {
            "store": self.path,
            "planned": self.planned,
            "skipped": self.skipped,
            "ran": dict(self.ran),
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return html_lines(str(self).splitlines())

    def __str__(self) -> str:
        kinds = [f"{n} {kind}" for kind, n in sorted(self.ran.items()) if kind != "ok"]
        failed = f" ({', '.join(kinds)})"
        return (
            f"ran      {sum(self.ran.values())} of {counted(self.planned, 'run')} in "
            f"{show_seconds(self.seconds)}\n"
            f"failed   {self.failed}{failed * bool(kinds)}\n"
            f"skipped  {self.skipped} (already stored)\n"
            f"store    {self.path}"
        )


@dataclass
class RunResult(Summary):
    """The runs of one call of `run`.

    In addition to the counts of a `Summary`, it has the scores of the runs,
    explanations of single problems, the failures and a report. Everything is read from
    the store, so it includes earlier runs of the same methods and datasets. It can be
    given wherever a store can, as in `tsmdbench.analysis.leaderboard`.

    Attributes
    ----------
    request : Specification
    """

    request: Specification = field(kw_only=True)

    @property
    def store(self) -> Store:
        """The store that the runs are in."""
        return Store(self.path)

    def __fspath__(self) -> str:
        """Return the path of the store, so that a result can be given for one."""
        return str(self.path)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per problem and metric.

        Columns method, dataset, problem, metric, value and status. Failed runs
        score 0.
        """
        table = self._scored.table.drop(columns="method")
        table = table.rename(columns={"label": "method"})
        metrics = list(self._scored.metrics)
        ids = ["method", "dataset", "problem", "status"]
        tidy = table.melt(ids, metrics, var_name="metric", ignore_index=True)
        # The metrics of a problem keep their order.
        columns = ["dataset", "method", "problem"]
        return tidy.sort_values(columns, kind="stable", ignore_index=True)[ABOUT]

    @cached_property
    def _scored(self) -> Scores:
        """The scores of the methods and datasets of the request."""
        try:
            from tsmdbench.analysis.scores import score_store
        except ImportError as error:
            raise MissingExtraError(f"scores need {error.name}", "report") from None
        found = score_store(self.store, split=self.request.split)
        table = found.table
        wanted = table["method"].isin(self.request.methods)
        wanted &= table["dataset"].isin(self.request.datasets)
        return replace(found, table=table[wanted])

    def explain(
        self,
        problem: str | int = 0,
        method: str | None = None,
        dataset: str | None = None,
        *,
        threshold: float = 0.5,
    ) -> Explanation:
        """Explain the result of a method on one problem, see `Store.explain`.

        `method` is as in the tables. By default it is the first requested, and so is
        the dataset.
        """
        return self._run(problem, method, dataset, threshold)[0]

    def plot(
        self,
        problem: str | int = 0,
        method: str | None = None,
        dataset: str | None = None,
        *,
        threshold: float = 0.5,
    ) -> Figure:
        """Draw a problem with its truth and what a method found; as for `explain`."""
        explanation, run = self._run(problem, method, dataset, threshold)
        split, folders = self.request.split, self.request.folders
        problems = load_problems(run["dataset"], split, folders=folders)
        series = next((p.series for p in problems if p.name == run["problem"]), None)
        return explanation.plot(series)

    def _run(
        self,
        problem: str | int,
        method: str | None,
        dataset: str | None,
        threshold: float,
    ) -> tuple[Explanation, Any]:
        """Return the explanation and the row of a run; methods are by their labels."""
        from tsmdbench.analysis.scores import restricted

        request = self.request
        scores = restricted(self._scored, [method or request.methods[0]])
        scores = scores.only(datasets=[dataset or request.datasets[0]])
        table = scores.table[scores.table["label"] == scores.labels[0]]
        names = sorted(set(table["problem"]))
        if type(problem) is int and -len(names) <= problem < len(names):
            problem = names[problem]
        if problem not in names:
            raise InputError(
                f"there is no problem {problem!r} in {scores.datasets[0]!r}; give a "
                f"number below {len(names)}, or a name like {names[0]!r}"
            )
        run = table[table["problem"] == problem].iloc[0]
        explanation = self.store.explain(
            str(problem),
            str(run["method"]),
            str(run["dataset"]),
            split=request.split,
            version=self.versions[run["method"]],
            parameters=json.loads(run["parameters"]),
            threshold=threshold,
        )
        return explanation, run

    @cached_property
    def failures(self) -> pd.DataFrame:
        """One row per run that failed: method, dataset, problem, status, message."""
        import pandas as pd

        where = {
            "method": list(self.request.methods),
            "version": list(self.versions.values()),
            "dataset": list(self.request.datasets),
            "split": self.request.split,
            "status": ["timeout", "memory", "error"],
        }
        rows = self.store.table(FAILURE, where).to_pylist()
        table = pd.DataFrame(rows, columns=FAILURE)
        return table.sort_values(FAILURE[:3], kind="stable", ignore_index=True)

    def report(self, path: PathLike, **options: Any) -> Written:
        """Write tables, figures and the page to a folder.

        Parameters
        ----------
        path : path
            The folder.
        **options
            Those of `tsmdbench.report.write_report`. By default the published baselines
            are shown beside, where they have the datasets.
        """
        from tsmdbench.analysis.baselines import published_datasets
        from tsmdbench.report import write_report

        split, datasets = self.request.split, self.request.datasets
        options.setdefault("split", split)
        if split == "test" and published_datasets("best") & set(datasets):
            options.setdefault("baselines", "best")
        return write_report(self.store, path, **options)

    def _repr_html_(self) -> str:
        """Show the means of the methods in a notebook."""
        total = sum(self.ran.values())
        said = [
            f"ran {total} of {self.planned} runs in {show_seconds(self.seconds)}, "
            f"{self.failed} failed, {self.skipped} already stored"
        ]
        try:
            scores = self._scored
        except (TsmdbenchError, ImportError) as error:
            return html_block(html_lines([*said, error]))
        means = {metric: scores.means(metric).mean() for metric in SHOWN}
        failed = (scores.table["status"] != "ok").groupby(scores.table["label"]).sum()
        rows = [
            [label, *(f"{means[m][label]:.3f}" for m in SHOWN), int(failed[label])]
            for label in scores.labels
        ]
        table = html_table(["method", "F1", "precision", "recall", "failed"], rows)
        more = "leaderboard(result), and .scores, .explain(0), .plot(0), .failures, "
        return html_block(html_lines(said), table, html_lines([f"{more}.report(path)"]))

"""What `run` returns: the runs of one call, and what one wants to know about them.

This is the one module of its package that looks up, to `tsmdbench.analysis` and
`tsmdbench.report`: they are imported when they are used, so that a notebook can go
on with what `run` returned.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import DataError, InputError, MissingExtraError, TsmdbenchError
from tsmdbench.experiments.progress import Summary, show_seconds
from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import read_truth
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import PathLike

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tsmdbench.analysis import Scores
    from tsmdbench.metrics import Explanation
    from tsmdbench.report import Written

ABOUT = ["method", "dataset", "problem", "metric", "value", "status"]
FAILURE = ["method", "dataset", "problem", "status", "message"]
SHOWN = ("prom_f1", "prom_precision", "prom_recall")


@dataclass
class RunResult(Summary):
    """The runs of one call of `run`.

    In addition to the counts of a `Summary`, it has the scores of the runs,
    explanations of single problems, the failures and a report. Everything is read from
    the store, so it includes earlier runs of the same methods and datasets. It can be
    given wherever a store can, as in `tsmdbench.analysis.leaderboard`.

    Attributes
    ----------
    asked : Specification
        The request.
    """

    asked: Specification = field(kw_only=True)

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
        order = {name: place for place, name in enumerate(metrics)}
        tidy = tidy.sort_values(
            ["dataset", "method", "problem", "metric"],
            key=lambda column: column.map(order) if column.name == "metric" else column,
            kind="stable",
            ignore_index=True,
        )
        return tidy[ABOUT]

    @cached_property
    def _scored(self) -> Scores:
        """The scores of the methods and datasets of the request."""
        try:
            from tsmdbench.analysis.scores import score_store
        except ImportError as error:
            raise MissingExtraError(f"scores need {error.name}", "report") from None
        found = score_store(self.store, split=self.asked.split)
        table = found.table
        wanted = table["method"].isin(self.asked.methods)
        wanted &= table["dataset"].isin(self.asked.datasets)
        return replace(found, table=table[wanted])

    def explain(
        self,
        problem: str | int = 0,
        method: str | None = None,
        dataset: str | None = None,
        *,
        threshold: float = 0.5,
    ) -> Explanation:
        """Explain what a method found in one problem.

        Parameters
        ----------
        problem : str or int
            Its name, or its place among the problems of the dataset.
        method : str, optional
            As in the tables; by default the first requested.
        dataset : str, optional
            By default the first requested.
        threshold : float, default 0.5
            Overlap rate that a match must exceed.

        Raises
        ------
        DataError
            The run failed, or there is no such run.
        """
        name, split, problem_name = self._place(problem, dataset)
        run = self._run(name, problem_name, method)
        return self.store.explain(
            problem_name,
            run["method"],
            name,
            split=split,
            version=self.versions[run["method"]],
            parameters=json.loads(run["parameters"]),
            threshold=threshold,
        )

    def plot(
        self,
        problem: str | int = 0,
        method: str | None = None,
        dataset: str | None = None,
        *,
        threshold: float = 0.5,
    ) -> Figure:
        """Draw a problem with its truth and what a method found; as for `explain`."""
        explanation = self.explain(problem, method, dataset, threshold=threshold)
        name, split, problem_name = self._place(problem, dataset)
        problems = load_problems(name, split, folders=self.asked.folders)
        series = next((p.series for p in problems if p.name == problem_name), None)
        return explanation.plot(series)

    def _place(self, problem: str | int, dataset: str | None) -> tuple[str, str, str]:
        """Return dataset, split and name of a problem."""
        name = self.asked.datasets[0] if dataset is None else dataset
        split = self.asked.split
        known = read_truth(self.store.path)
        names = sorted(where[2] for where in known if where[:2] == (name, split))
        if not names:
            there = ", ".join(self.asked.datasets)
            raise InputError(f"no runs on dataset {name!r}; there are: {there}")
        if isinstance(problem, int) and not isinstance(problem, bool):
            if not -len(names) <= problem < len(names):
                raise InputError(
                    f"problem must be below {len(names)}, the number of problems of "
                    f"{name!r}, got {problem}"
                )
            return name, split, names[problem]
        if problem not in names:
            raise InputError(
                f"no problem {problem!r} in {name!r}; give a number below "
                f"{len(names)}, or a name like {names[0]!r}"
            )
        return name, split, str(problem)

    def _run(self, dataset: str, problem: str, method: str | None) -> dict[str, str]:
        """Return method and parameters of a run, whose label is `method`."""
        table = self._scored.table
        label = method
        if method is None:
            first = table[table["method"] == self.asked.methods[0]]["label"]
            label = None if first.empty else first.iloc[0]
        here = table[(table["label"] == label) | (table["method"] == label)]
        here = here[(here["dataset"] == dataset) & (here["problem"] == problem)]
        if here.empty:
            labels = ", ".join(self._scored.labels)
            raise DataError(
                f"there is no run of {label!r} on {problem!r}; methods: {labels}"
            )
        return {name: str(here[name].iloc[0]) for name in ("method", "parameters")}

    @cached_property
    def failures(self) -> pd.DataFrame:
        """One row per run that failed: method, dataset, problem, status, message."""
        import pandas as pd

        where = {
            "method": list(self.asked.methods),
            "version": list(self.versions.values()),
            "dataset": list(self.asked.datasets),
            "split": self.asked.split,
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
        from tsmdbench.report import write_report

        options.setdefault("split", self.asked.split)
        from tsmdbench.analysis.baselines import published_datasets

        if self.asked.split == "test" and published_datasets("best") & set(
            self.asked.datasets
        ):
            options.setdefault("baselines", "best")
        return write_report(self.store, path, **options)

    def _repr_html_(self) -> str:
        """Show the means of the methods in a notebook."""
        total = sum(self.ran.values())
        said = [
            f"ran {total} of {self.planned} runs in {show_seconds(self.seconds)}, "
            f"{self.failed} failed, {self.skipped} were stored before"
        ]
        try:
            table = self._means()
        except (TsmdbenchError, ImportError) as error:
            return html_block(html_lines([*said, error]))
        more = "leaderboard(result), and .scores, .explain(0), .plot(0), .failures, "
        return html_block(html_lines(said), table, html_lines([f"{more}.report(path)"]))

    def _means(self) -> str:
        scores = self._scored
        means = {metric: scores.means(metric).mean() for metric in SHOWN}
        failed = (scores.table["status"] != "ok").groupby(scores.table["label"]).sum()
        rows = [
            [label, *(f"{means[m][label]:.3f}" for m in SHOWN), int(failed[label])]
            for label in scores.labels
        ]
        return html_table(["method", "F1", "precision", "recall", "failed"], rows)


def temporary_store() -> Path:
    """Return a new folder for a store without a given place."""
    return Path(tempfile.mkdtemp(prefix="tsmdbench-")) / "store"


def remove_with(result: RunResult) -> None:
    """Remove a temporary store when its result is gone, or Python ends."""
    folder = Path(result.path).parent
    weakref.finalize(result, shutil.rmtree, folder, ignore_errors=True)

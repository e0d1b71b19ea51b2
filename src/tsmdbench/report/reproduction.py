"""Do the paper's experiments again: build, tune, run, compare, and write it all down.

    tsmdbench reproduce quick --out reproduction

In the folder: ``store`` (the runs, resumable), ``report`` (tables, figures, the page)
and ``statements.md`` and ``.html``, which put each statement of the paper next to the
result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsmdbench.analysis.paper.evidence import Evidence
from tsmdbench.analysis.paper.random_walk_benchmark import (
    DetectorRow,
    detector_on_benchmark,
)
from tsmdbench.analysis.paper.random_walk_check import (
    mean_f1,
    random_walk_study,
    shipped_study,
    study_problems,
)
from tsmdbench.analysis.paper.statements import Verdict, judge
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.datasets.archive import load, locate
from tsmdbench.datasets.catalogue import BENCHMARK
from tsmdbench.experiments.presets import PAPER_METHODS, experiment, obtainable
from tsmdbench.experiments.progress import Progress
from tsmdbench.experiments.running import run
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.report.statements import Shown, statements_html, statements_markdown
from tsmdbench.report.write import Written, write_report

STUDIED = "Symbols"  # what the paper inserts into random walk


@dataclass(frozen=True)
class Reproduction:
    """The files of a reproduction, and the verdicts on the statements of the paper."""

    store: Path
    report: Written
    statements: Path
    verdicts: Sequence[Verdict]

    def _repr_html_(self) -> str:
        """Show where things are and how statements fared, in a notebook."""
        fared = Counter(verdict.finding.verdict for verdict in self.verdicts)
        facts = {
            "store": self.store,
            "report": self.report.page,
            "statements": self.statements,
            **dict(fared.most_common()),
        }
        return html_block(html_facts("Reproduction", facts))


def reproduce(
    name: str,
    out: PathLike,
    *,
    progress: Progress,
    workers: int | None = None,
    scheduler: str | None = None,
) -> Reproduction:
    """Run an experiment and compare with the paper; continues after an interruption.

    Methods have the fields of the preset ``paper``: as their public code is.

    Parameters
    ----------
    name : str
        Experiment: ``"demo"``, ``"quick"`` or ``"paper"``.
    out : path
        Folder; made where there is none.
    progress : Progress
    workers, scheduler
        As for `tsmdbench.experiments.run`.
    """
    folder = Path(out)
    options = experiment(name, "paper")
    options["datasets"] = obtainable(options["datasets"], progress.say)
    summary = run(
        **options,
        out=folder / "store",
        workers=workers,
        scheduler=scheduler,
        progress=progress,
    )
    progress.say(str(summary))
    scores = score_store(folder / "store")
    evidence = evidence_of(scores, progress.say, limit=options.get("limit", 50))
    report = write_report(
        folder / "store",
        folder / "report",
        detector=evidence.detector,
        told=progress.say,
    )
    verdicts = judge(evidence)
    page = folder / "statements.html"
    figures = {
        path.stem: path.relative_to(folder).as_posix() for path in report.figures
    }
    shown = Shown(figures)
    write_atomically(page, statements_html(verdicts, scores, shown).encode())
    text = statements_markdown(verdicts, scores, shown)
    write_atomically(page.with_suffix(".md"), text.encode())
    return Reproduction(folder / "store", report, page, verdicts)


def evidence_of(
    scores: Scores, told: Callable[[str], None], *, limit: int = 50
) -> Evidence:
    """Gather what the statements are compared with, the random-walk study included."""
    chosen = [
        label for label in scores.labels if scores.methods[label] in PAPER_METHODS
    ]
    return Evidence(
        scores.only(labels=chosen) if chosen else scores,
        walk_f1(told),
        detector_rows(scores.datasets, told, limit=limit),
    )


def walk_f1(told: Callable[[str], None]) -> dict[tuple[str, float], float]:
    """Make the random-walk study, or take the one that comes with the package."""
    if locate(STUDIED) is None:
        told(f"{STUDIED} is unavailable: using the random-walk study of the package")
        return mean_f1(shipped_study())
    told(f"making the random-walk study of {STUDIED} ...")
    dataset = load(STUDIED)
    window = len(dataset.instances[0]) // 2
    return mean_f1(random_walk_study(study_problems(dataset), window))


def detector_rows(
    datasets: Sequence[str], told: Callable[[str], None], *, limit: int
) -> list[DetectorRow]:
    """Run the random-walk detector on the datasets of TSMD-Bench that are here."""
    rows = []
    for name in datasets:
        if name in BENCHMARK and locate(name) is not None:
            told(f"running the random-walk detector on {name} ...")
            rows.append(detector_on_benchmark(name, limit=limit))
    return rows

"""Write the pages of docs/results from the baselines of the package.

    python -m tools.write_results [--baselines paper|best] [--variants STORE]

Tables and figures are those of ``tsmdbench report``, of the methods that the paper
compares; the numbers of the pages come from the store and from nowhere else. The
statements are judged on the baselines ``paper``, whatever the other pages show. The
leaderboard has all baselines and the extra methods. Pages are on the recordings suite
and on the subspace suite (``tools/write_subspace.py``). The explanations are written by
``tools/write_explanations.py``. `STORE` has the variants of the benchmark
(``tools/run_variants.py``); without it the page on robustness is left as it is.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from tools import write_subspace
from tools.results_index import index_page

from tsmdbench.analysis import leaderboard
from tsmdbench.analysis.baselines import (
    RECORDINGS,
    RECORDINGS_TRUTH,
    SUBSPACE,
    load_baselines,
    published_scores,
)
from tsmdbench.analysis.scores import Scores, score_store
from tsmdbench.datasets.catalogue import PAPER
from tsmdbench.experiments.engine import Supervisor
from tsmdbench.experiments.presets import PRESETS
from tsmdbench.experiments.sources import load_problems
from tsmdbench.experiments.specification import Limits
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.tasks import Task
from tsmdbench.experiments.truth import read_truth
from tsmdbench.methods import METHODS, PAPER_METHODS
from tsmdbench.paper.random_walk import random_walk_figure, shipped
from tsmdbench.paper.reproduction import evidence_of, statements_markdown
from tsmdbench.paper.robustness import Size, by_variant, chosen_parameters, fit, moved
from tsmdbench.paper.statements import STATEMENTS, Evidence, Verdict, judge
from tsmdbench.report import read_surfaces
from tsmdbench.report.drawn import Drawn, drawn_figures
from tsmdbench.report.figures.style import png, svg
from tsmdbench.report.table import Table
from tsmdbench.report.tables import all_tables

DOCS = Path(__file__).parents[1] / "docs" / "results"
MOST = 150_000  # bytes of a picture
DPI = (120, 100, 85, 70)
WALK = "F1 of the random walk detector on random walks with motifs, and on TSMD-Bench"
ENDINGS: dict[str, str] = {}  # of the pictures that were written
LONG = 1000  # samples of a series whose cost shows that of longer ones
ABSENT = {"Mallat": Size(12370, 1), "Cricket": Size(14201, 6)}
# Page to its title, its introduction, and the tables and figures that are on it.
PAGES = {
    "scores": (
        "Scores of the methods",
        "Mean scores of each method on the test problems of each dataset, with the "
        "hyperparameters that were chosen on the validation problems. Failed runs "
        "score 0.",
        ["means_f1", "means_precision", "means_recall", "means_macro_f1"],
        ["heat_map", "boxes_f1", "boxes_precision", "boxes_recall"],
    ),
    "ranks": (
        "Ranks and significance",
        "Methods are ranked on each dataset by their mean score. In the diagrams, a "
        "bar joins methods that do not differ significantly. See [Compare fairly]"
        "(../guide/compare.md#all-pairs-over-datasets) for the tests.",
        ["ranks_f1", "ranks_precision", "ranks_recall", "p_values_f1", "bayesian_f1"],
        [
            "critical_difference_f1",
            "critical_difference_precision",
            "critical_difference_recall",
            "stability",
        ],
    ),
    "metrics": (
        "Agreement of metrics",
        "Kendall's tau between the rankings of all results by six metrics, and the "
        "results on which two metrics disagree most. Tau is 1 if two metrics rank all "
        "results in the same order.",
        ["kendall"],
        ["kendall"],
    ),
    "settings": (
        "Chosen hyperparameters",
        "The hyperparameters that the grid search on the validation problems chose, "
        "and the size of the grids.",
        ["settings"],
        ["tuning"],
    ),
}


def main() -> None:
    """Write all pages."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--variants", metavar="STORE")
    parser.add_argument("--baselines", choices=tuple(PRESETS), default="paper")
    given = parser.parse_args()
    store = load_baselines(given.baselines)
    scores = of_paper(score_store(store))
    judged = of_paper(score_store(load_baselines("paper")))
    evidence = evidence_of(judged, print)
    (DOCS / "figures").mkdir(parents=True, exist_ok=True)
    tables = {table.name: table for table in all_tables(scores, store)}
    figures, skipped = drawn_figures(scores, store)
    walk_figure = random_walk_figure(shipped("study"), evidence.detector)
    figures.append(Drawn("random_walk", WALK, walk_figure))
    for reason in skipped:
        print("left out:", reason)
    drawn = {one.name: one for one in figures}
    for old in (DOCS / "figures").iterdir():
        if old.name != "presets.svg":  # of tools/write_explanations.py
            old.unlink()
    for one in figures:
        ending, data = small(one)
        (DOCS / "figures" / f"{one.name}.{ending}").write_bytes(data)
        ENDINGS[one.name] = ending
    for name, (title, text, wanted, pictures) in PAGES.items():
        shown = [drawn[picture] for picture in pictures]
        if name == "metrics":
            shown += [one for one in figures if one.name.startswith("disagreement")]
        write_page(name, title, text, [tables[table] for table in wanted], shown)
    write_cost(scores, store, tables, drawn)
    write_leaderboard()
    write_recordings()
    write_subspace.main()
    varied = score_store(Store(given.variants)) if given.variants else None
    addresses = {name: f"figures/{name}.{ending}" for name, ending in ENDINGS.items()}
    repeated = over_seeds(varied) if varied else ()
    verdicts = judge(evidence)
    (DOCS / "index.md").write_text(index_page(verdicts, given.baselines))
    page = statements_markdown(verdicts, judged, addresses, repeated)
    walk = picture(drawn["random_walk"])
    more = (
        "\n[Explanations](explanations.md) shows why some statements do not hold "
        "here.\n"
    )
    (DOCS / "statements.md").write_text(f"{page}\n{walk}\n{more}")
    if varied:
        write_robustness(scores, varied)
    print("written:", DOCS)


def over_seeds(varied: Scores) -> list[list[Verdict]]:
    """Judge the statements on methods and metrics for every seed of the benchmark."""
    chosen = [s for s in STATEMENTS if s.question != "RQ3"]
    return [
        judge(Evidence(of_paper(scores), {}, []), chosen)
        for name, scores in by_variant(varied).items()
        if name.startswith("seed=")
    ]


def of_paper(scores: Scores) -> Scores:
    """Return the scores of the methods that the paper compares."""
    wanted = [x for x in scores.labels if scores.methods[x] in PAPER_METHODS]
    return scores.only(labels=wanted)


def write_leaderboard() -> None:
    """Write a leaderboard per suite, the extra methods included."""
    parts = ["# Leaderboard\n"]
    for heading, baselines in (
        ("TSMD-Bench, both presets", "both"),
        ("Recordings", RECORDINGS),
        ("Recordings, with parameters from the truth", RECORDINGS_TRUTH),
        ("Patterns in some of the channels", SUBSPACE),
    ):
        command = f"tsmdbench leaderboard --baselines '{baselines}'"
        board = leaderboard(baselines=baselines)
        parts += [
            f"## {heading}\n",
            f"This is what `{command}` prints.\n",
            *("```text", str(board), "```", ""),
        ]
    (DOCS / "leaderboard.md").write_text("\n".join(parts))


def write_recordings() -> None:
    """Write the page on the recordings suite: scores and settings by both protocols."""
    parts = [
        "# Results on recordings\n",
        "All methods on the [recordings suite](../benchmark/recordings.md), with the "
        "parameters that we recommend (preset [`best`](../experiments/presets.md)). "
        "Failed runs score 0. Four datasets are too few for significance tests. "
        "Muscle has one test problem and Music has four, so their columns are no more "
        "than examples.\n",
        "The order is not that of TSMD-Bench. Two reasons can be seen in the data. "
        "Lengths and numbers of sets come from other records and do not always fit: "
        "most methods find nothing correct in the songs of Music. Muscle is periodic: "
        "a method that finds the period but cuts it elsewhere than the annotators did "
        "scores 0, because a match needs an overlap of more than one half. LoCoMotif "
        "does this; the code of its authors returns the same motif sets there.\n",
    ]
    store = load_baselines(RECORDINGS)
    for heading, text, baselines in (
        (
            "Tuned on validation records",
            "Hyperparameters were chosen on other records; for Muscle, which has one "
            "record, on its first half.",
            RECORDINGS,
        ),
        (
            "Parameters from the truth",
            "Each run has the number of sets, the lengths and the radius of its own "
            "problem, as in the [protocol `pvldb`](../experiments/pvldb.md). "
            "[Another page](protocols.md) compares both.",
            RECORDINGS_TRUTH,
        ),
    ):
        scores = published_scores(baselines)
        made = all_tables(scores, store, transpose=True)
        tables = {table.name: table for table in made}
        names = ["means_f1", "means_precision", "means_recall", "cost", "failures"]
        if baselines == RECORDINGS:
            names.append("settings")
        parts += [f"## {heading}\n", f"{text}\n"]
        parts += [tables[name].markdown() for name in names]
    (DOCS / "recordings.md").write_text("\n".join(parts))


def small(one: Drawn) -> tuple[str, bytes]:
    """Return a figure as SVG, or as PNG where that would be too large for a page."""
    data = svg(one.figure)
    if len(data) <= MOST:
        return "svg", data
    for dpi in DPI:
        data = png(one.figure, dpi)
        if len(data) <= MOST:
            break
    return "png", data


def picture(one: Drawn) -> str:
    """Return a figure with its caption."""
    file = f"figures/{one.name}.{ENDINGS[one.name]}"
    return f"![{one.caption}]({file})\n\n*{one.caption}.*\n"


def write_page(
    name: str, title: str, text: str, tables: list[Table], figures: list[Drawn]
) -> None:
    """Write a page of figures and tables."""
    parts = [f"# {title}\n", f"{text}\n"]
    parts += [picture(one) for one in figures]
    parts += [table.markdown() for table in tables]
    (DOCS / f"{name}.md").write_text("\n".join(parts))


def write_cost(
    scores: Scores, store: Store, tables: dict[str, Table], drawn: dict[str, Drawn]
) -> None:
    """Say what the run cost, and what the two datasets that are not here would."""
    tested = scores.table.groupby(["label", "dataset"], observed=True)["cpu_seconds"]
    surfaces = read_surfaces(store)
    surfaces["spent"] = surfaces["mean_cpu_seconds"] * surfaces["problems"]
    searched = surfaces.groupby(["method", "dataset"])["spent"].sum()
    hours = (
        pd.DataFrame(
            {
                "test (core hours)": tested.sum().groupby("label", observed=True).sum(),
                "search (core hours)": searched.groupby("method").sum(),
            }
        ).fillna(0.0)
        / 3600
    )
    hours = hours.reindex(list(scores.labels))
    hours.loc["all"] = hours.sum()
    spent = Table(
        "hours",
        "Core hours per method: 200 test problems of each dataset, and the grid search "
        "on its 50 validation problems",
        hours.reset_index(names="method"),
    )
    by_dataset = tested.sum().unstack("label")
    by_dataset = by_dataset.loc[list(scores.datasets), list(scores.labels)]
    by_dataset.loc["all"] = by_dataset.sum()
    each = Table(
        "core_seconds",
        "Core seconds of the 200 test runs per dataset and method",
        by_dataset.reset_index(names="dataset"),
        written=dict.fromkeys(scores.labels, "{:.1f}".format),
    )
    parts = [
        "# Cost\n",
        "Times are processor times of one core per run. They hardly depend on the "
        "other load of the machine.\n",
        picture(drawn["cost"]),
        picture(drawn["time_quality"]),
        spent.markdown(),
        each.markdown(),
        extrapolated(scores, store, hours).markdown(),
        memory(store).markdown(),
        "In the next table, peak memory is that of the computing process, which is "
        "used for many runs of all methods and keeps some memory of earlier runs. It "
        "cannot be used to compare methods.\n",
        tables["cost"].markdown(),
        tables["failures"].markdown(),
    ]
    (DOCS / "cost.md").write_text("\n".join(parts))


def memory(store: Store) -> Table:
    """Measure the peak memory of each method in a process of its own."""
    truth = read_truth(store.path)
    dataset, split, name = max(truth, key=lambda where: truth[where].n)
    problems = load_problems(dataset, split)
    (problem,) = [one for one in problems if one.name == name]
    rows = []
    for method, given in chosen_parameters(store.path).items():
        supervisor = Supervisor(Limits())
        job = Task(method, (given["datasets"][dataset],), problem.series)
        ((outcome,),) = supervisor.run([job])
        supervisor.stop()
        rows.append(
            {"method": method, "peak memory (MiB)": outcome.peak_memory / 2**20}
        )
    size = truth[dataset, split, name]
    return Table(
        "memory",
        f"Peak memory on the longest problem, {name} ({size.n:,} samples, "
        f"{size.channels} channels), each method in its own process, including the "
        f"interpreter and its libraries",
        pd.DataFrame(rows),
        written={"peak memory (MiB)": "{:.0f}".format},
    )


def extrapolated(scores: Scores, store: Store, hours: pd.DataFrame) -> Table:
    """Estimate what the datasets that are not here would cost.

    By the long series only: in short ones what every run costs hides the growth.
    """
    sizes = {
        problem: Size(one.n, one.channels)
        for (_, _, problem), one in read_truth(store.path).items()
        if one.n >= LONG
    }
    seconds = scores.table.set_index(["label", "problem"])["cpu_seconds"]
    rows = []
    for label in scores.labels:
        all_channels = not METHODS[scores.methods[label]].univariate
        mine = seconds.loc[label]
        found = fit(mine[mine.index.isin(sizes)], sizes, channels=all_channels)
        searched = hours.loc[label].iloc[1] / hours.loc[label].iloc[0]
        row: dict[str, object] = {
            "method": label,
            "grows with n to the power": found.length,
            "factor between problems and fit": found.spread,
        }
        for name, size in ABSENT.items():
            test = found.seconds(size) * 200 / 3600
            row[f"{name}: seconds per run"] = found.seconds(size)
            row[f"{name}: core hours, search included"] = test * (1 + searched)
        rows.append(row)
    frame = pd.DataFrame(rows)
    total = frame.select_dtypes("number").sum()
    total.iloc[:2] = float("nan")
    frame.loc[len(frame)] = {"method": "all", **total.to_dict()}
    paper = ", ".join(f"{name} (n = {PAPER[name].n_avg:,})" for name in ABSENT)
    return Table(
        "extrapolated",
        f"Estimate for the unavailable datasets, {paper}: a power law fitted to the "
        f"{len(sizes)} problems of at least {LONG:,} samples, with the same ratio of "
        f"search and test as on the other datasets. This is an order of magnitude",
        frame,
    )


def write_robustness(plain: Scores, varied: Scores) -> None:
    """Say how far variants of the benchmark move scores and ranks."""
    limit = int(
        varied.table.groupby("dataset", observed=True)["problem"].nunique().max()
    )
    parts = [
        "# Robustness: variants of the benchmark\n",
        f"This page compares the results on the first {limit} test problems of each "
        f"dataset with those on {limit} problems of a variant of the benchmark, such "
        "as another seed. Hyperparameters are the same. The tables have the "
        "mean F1 over datasets and the standard error of the difference, which results "
        "from the random choice of problems.\n",
    ]
    taus = []
    for found in moved(plain, varied, limit=limit):
        worst = (found.means["difference"] / found.means["standard error"]).abs()
        taus.append(
            {
                "variant": found.variant,
                "Kendall's tau of the ranks": found.tau,
                "mean difference of F1": found.means["difference"].mean(),
                "largest difference": found.means["difference"].abs().max(),
                "method with the largest": found.means["difference"].abs().idxmax(),
                "largest in standard errors": worst.max(),
            }
        )
    overall = Table("variants", "Effect of each variant", pd.DataFrame(taus))
    parts.append(overall.markdown())
    for found in moved(plain, varied, limit=limit):
        frame = found.means.reset_index(names="method")
        caption = f"{found.variant} compared with the benchmark"
        parts.append(Table(found.variant, caption, frame).markdown())
    (DOCS / "robustness.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()

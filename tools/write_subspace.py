"""Write docs/results/subspace.md from the baselines of the subspace suite.

    python -m tools.write_subspace

The numbers of the authors of SubTSMD are means of the CSV files of their repository.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tsmdbench.analysis import ranks
from tsmdbench.analysis.baselines import SUBSPACE, load_baselines, published_scores
from tsmdbench.analysis.labels import main_metric
from tsmdbench.analysis.scores import Scores, truths
from tsmdbench.datasets.catalogue import KNOWN, archive_name
from tsmdbench.experiments.truth import with_channels
from tsmdbench.metrics import evaluate_many
from tsmdbench.report.table import Table
from tsmdbench.report.tables import means_table

PAGE = Path(__file__).parents[1] / "docs" / "results" / "subspace.md"
TEXT = Path(__file__).with_name("results_subspace.md")
TAUS = (0.51, 0.6, 0.7, 0.8, 0.9, 1.0)
COLUMNS = ["F1, lowest tau", "F1, tau 0.9", "rank, tau 0.9"]
# Mean micro F1 at tau = 0.5 and 0.9, and average rank at 0.9, over 14 datasets.
AUTHORS = {
    "sub_locomotif": (0.432, 0.300, 2.04),
    "sub_motiflets": (0.359, 0.276, 3.29),
    "lama": (0.387, 0.275, 3.57),
    "sub_gv_repair": (0.352, 0.249, 3.54),
    "sub_setfinder": (0.071, 0.045, 6.11),
    "mmotifs": (0.075, 0.039, 5.86),
    "sub_latentmotifs": (0.046, 0.038, 6.32),
}


def over_taus() -> pd.DataFrame:
    """Return the mean F1 of each method on each dataset, a column per threshold."""
    store = load_baselines(SUBSPACE)
    rows = store.table(["dataset", "problem", "method", "found"]).to_pandas()
    known = truths(store, set(rows["dataset"]), "test")
    keys = zip(rows["dataset"], rows["problem"], strict=True)
    found = store.table(["found"])["found"].to_pylist()
    results = [
        with_channels(known[key], sets or [])
        for key, sets in zip(keys, found, strict=True)
    ]
    metric = main_metric([rows["dataset"][0]])
    for tau in TAUS:
        rows[f"{tau:g}"] = evaluate_many(results, [metric], tau=tau)[metric]
    columns = [f"{tau:g}" for tau in TAUS]
    return rows.groupby(["method", "dataset"])[columns].mean()


def beside_authors(scores: Scores, taus: pd.DataFrame) -> pd.DataFrame:
    """Return our means and average ranks beside those of the authors."""
    means = taus.groupby("method").mean()
    average = ranks(scores, main_metric(scores.datasets)).average
    rows = {
        method: (means.loc[method, "0.51"], means.loc[method, "0.9"], average[method])
        for method in AUTHORS
    }
    ours = pd.DataFrame.from_dict(rows, "index", columns=COLUMNS)
    theirs = pd.DataFrame.from_dict(AUTHORS, "index", columns=COLUMNS)
    return ours.join(theirs.add_prefix("authors: "))


def main() -> None:
    """Write the page."""
    scores = published_scores(SUBSPACE)
    metric = main_metric(scores.datasets)
    taus = over_taus()
    means = scores.means(metric)
    counts = pd.Series(
        {name: KNOWN[archive_name(name)].channels for name in means.index}
    )
    kinds = {
        "4 datasets with one channel": means[counts == 1].mean(),
        "8 datasets with several channels": means[counts > 1].mean(),
    }
    frames = {
        "kinds": ("Mean F1 by number of channels of the data", pd.DataFrame(kinds)),
        "taus": ("Mean F1 over thresholds of channels", taus.groupby("method").mean()),
        "authors": (
            "Our results (12 datasets) beside those of the authors (14 datasets)",
            beside_authors(scores, taus),
        ),
    }
    tables = {
        "f1": means_table(scores, metric).markdown(),
        "in_time": means_table(scores, "prom_f1").markdown(),
    }
    for name, (caption, frame) in frames.items():
        rows = frame.rename_axis("method").reset_index()
        compared = tuple(frame.columns) if name == "taus" else ()
        tables[name] = Table(
            name, caption, rows, along="column", compared=compared
        ).markdown()
    PAGE.write_text(TEXT.read_text(encoding="utf-8").format(**tables))


if __name__ == "__main__":
    main()

"""What the full experiment of the paper costs, extrapolated from a part of it.

    tsmdbench run paper --limit 5 --out store
    python benchmarks/paper_cost.py store

Each method's mean processor time per problem, of search and runs, is multiplied by the
number of problems of the full splits, 50 and 200. Without a store, a small one is made
of the dataset that comes with aeon. What a number of cores needs at least is the work
divided by the cores, and what the longest job, which is not divided, takes.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pandas as pd

from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import Specification
from tsmdbench.experiments.store import Store
from tsmdbench.methods import PAPER_METHODS

PROBLEMS = {"validation": 50, "test": 200}
CORES = (1, 2, 8, 32, 128, 1000)


def full_seconds(store):
    """Seconds of the full splits by dataset, method and split; longest jobs."""
    columns = ["dataset", "method", "split", "problem", "cpu_seconds", "status"]
    rows = store.table(columns).to_pandas()
    if (rows["status"] != "ok").any():
        print(rows["status"].value_counts().to_string())
    jobs = rows.groupby(["dataset", "method", "split", "problem"])["cpu_seconds"].sum()
    mean = jobs.groupby(["dataset", "method", "split"]).mean()
    scale = mean.index.get_level_values("split").map(PROBLEMS)
    return mean * scale, jobs.groupby("split").max(), len(rows)


def show(store):
    seconds, longest, rows = full_seconds(store)
    datasets = seconds.index.get_level_values("dataset").nunique()
    print(f"from {rows} stored runs on {datasets} datasets, in core seconds:\n")
    for name in ("method", "dataset"):
        table = seconds.groupby([name, "split"]).sum().unstack(fill_value=0.0)
        table = table.rename(columns={"validation": "search", "test": "runs"})
        table["core hours"] = table.sum(axis=1) / 3600
        print(table.sort_values("core hours").round(2).to_string(), "\n")
    by_split = seconds.groupby("split").sum()
    print(f"together {by_split.sum() / 3600:.2f} core hours; longest job:")
    print(longest.round(2).to_string(), "\n")
    for cores in CORES:
        parts = [by_split[split] / cores + longest[split] for split in by_split.index]
        share = by_split.sum() / cores / sum(parts)
        print(f"{cores:>5} cores: {sum(parts):>9.1f} s ({100 * share:.0f} % busy)")


def main():
    if len(sys.argv) > 1:
        show(Store(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        asked = Specification(("JapaneseVowels",), PAPER_METHODS, tune=True, limit=2)
        run_specification(asked, Path(folder) / "store")
        show(Store(Path(folder) / "store"))


if __name__ == "__main__":
    pd.set_option("display.width", 100)
    main()

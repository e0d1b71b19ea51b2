"""The first page of the results, docs/results/index.md, from ``results_index.md``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.experiments.presets import PRESETS
from tsmdbench.paper.reproduction import summary
from tsmdbench.paper.statements import Verdict
from tsmdbench.report import read_surfaces
from tsmdbench.report.table import Table

TEMPLATE = Path(__file__).with_name("results_index.md")


def index_page(verdicts: Sequence[Verdict], shown: str) -> str:
    """Return the page that leads to the others, with what was run."""
    rows = []
    for which in PRESETS:
        store = load_baselines(which)
        packed = store.manifest["packed"]
        searched = read_surfaces(store)
        spent = (searched["mean_cpu_seconds"] * searched["problems"]).sum()
        tested = store.table(["cpu_seconds", "status", "method", "dataset"])
        rows.append(
            {
                "preset": which,
                "methods": len(set(tested["method"].to_pylist())),
                "search runs": packed["runs_left_out"],
                "failed searches": sum(
                    row[-1] for row in packed["failures"] if row[1] == "validation"
                ),
                "test runs": packed["runs"],
                "failed tests": sum(x != "ok" for x in tested["status"].to_pylist()),
                "core hours": (spent + sum(tested["cpu_seconds"].to_pylist())) / 3600,
            }
        )
    datasets = len(set(tested["dataset"].to_pylist()))
    table = Table(
        "runs",
        "What was run. All failed searches are GrammarViz windows that are longer than "
        "half of a series",
        pd.DataFrame(rows),
        written={"core hours": "{:.2f}".format},
    )
    return TEMPLATE.read_text(encoding="utf-8").format(
        datasets=datasets,
        runs=table.markdown(),
        verdicts=summary(verdicts),
        shown=shown,
    )

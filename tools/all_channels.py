"""Compare one channel with all channels, on validation problems only.

``python tools/all_channels.py [PROBLEMS]`` prints mean F1 (PROM, micro) of STOMP,
Motiflets and PEPA on each multivariate dataset of TSMD-Bench. Fields, the channel among
them, are tuned on the first ten validation problems by default, and F1 is that of the
next ten. Test problems are not used.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from tsmdbench import METHODS, Problem, evaluate_many, load_benchmark
from tsmdbench.archive import locate
from tsmdbench.benchmark import DATASETS
from tsmdbench.experiments import data_facts
from tsmdbench.experiments.method_info import describe
from tsmdbench.experiments.settings import settings_for

COMPARED = ("stomp", "motiflets", "pepa")


def mean_scores(
    name: str, settings: Sequence[dict[str, Any]], problems: Sequence[Problem]
) -> Any:
    """Return mean F1 of every setting over some problems."""
    values = []
    for problem in problems:
        found = METHODS[name].sweep(problem.series, settings)
        pairs = [(problem.truth, one) for one in found]
        values.append(evaluate_many(pairs, ["prom_f1"])["prom_f1"])
    return np.mean(values, axis=0)


def main(count: int) -> None:
    """Print a row per dataset: one channel and all channels for each method."""
    print("| dataset | channels |", " | ".join(f"{n} one | all" for n in COMPARED), "|")
    print("|---|--:|" + "--:|--:|" * len(COMPARED))
    rows = []
    begin = time.process_time()
    for dataset in (name for name in DATASETS if locate(name) is not None):
        problems = load_benchmark(dataset, split="validation")
        facts = data_facts(problems)
        if facts.channels == 1:
            continue
        row = []
        for name in COMPARED:
            for fixed in ({}, {"channel": "all"}):
                settings = settings_for(describe(name), facts, fixed=fixed)
                tuned = mean_scores(name, settings, problems[:count])
                best = settings[int(np.argmax(tuned))]
                row += [*mean_scores(name, [best], problems[count : 2 * count])]
        rows.append(row)
        cells = " | ".join(f"{value:.2f}" for value in row)
        print(f"| {dataset} | {facts.channels} | {cells} |", flush=True)
    cells = " | ".join(f"{value:.2f}" for value in np.mean(rows, axis=0))
    print(f"| mean | | {cells} |")
    print(f"{time.process_time() - begin:.0f} s of processor time")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)

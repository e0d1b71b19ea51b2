"""Show what two defaults of stumpy's ``mmotifs`` do to its scores.

    python tools/stumpy_defaults.py

MMotifs asks for all windows within the radius; stumpy by default for ten at most, and
for a radius of its own. With the settings of the baselines, on the first test problems
of some datasets with short series, it prints the mean F1 of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import stumpy

from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.paper.robustness import chosen_parameters
from tsmdbench.benchmark import load_benchmark
from tsmdbench.metrics import prom

DATASETS = ("PenDigits", "NATOPS", "ECG5000")
PROBLEMS = 25


def main() -> None:
    """Print a line per dataset."""
    params = chosen_parameters(load_baselines().path)["mmotifs"]["datasets"]
    print("dataset      all within the radius  ten within the radius  ten, own radius")
    for dataset in DATASETS:
        given = params[dataset]
        radius = float(given["radius"])
        ways: tuple[dict[str, Any], ...] = (
            {"max_matches": None, "max_distance": radius},
            {"max_matches": 10, "max_distance": radius},
            {"max_matches": 10},
        )
        scores = [
            [_f1(problem, given, way) for way in ways]
            for problem in load_benchmark(dataset)[:PROBLEMS]
        ]
        means = np.mean(scores, axis=0)
        print(f"{dataset:<12}" + "".join(f"{mean:>20.2f}" for mean in means))


def _f1(problem: Any, given: dict[str, Any], way: dict[str, Any]) -> float:
    series, length = problem.series, given["length"]
    rows = np.ascontiguousarray(series.reshape(len(series), -1).T)
    profile, indices = stumpy.mstump(rows, length)
    _, starts, _, _ = stumpy.mmotifs(
        rows,
        profile,
        indices,
        min_neighbors=1,
        cutoffs=np.inf,
        k=len(rows) - 1,
        max_motifs=given["max_sets"],
        **way,
    )
    sets = [[(int(s), int(s) + length) for s in each if s >= 0] for each in starts]
    return prom(problem.truth, [each for each in sets if len(each) > 1]).f1


if __name__ == "__main__":
    main()

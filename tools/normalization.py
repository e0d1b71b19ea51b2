"""Measure what the normalisation of LoCoMotif does to its scores.

    python tools/normalization.py [--validation 50] [--test 200]

Searches the method's grid on validation problems of every multivariate dataset of
TSMD-Bench, once with channels normalised jointly and once each by itself, and prints
the mean F1 on test problems. The table is on the page of the method.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from tsmdbench.benchmark import load_benchmark
from tsmdbench.methods import LoCoMotif
from tsmdbench.metrics import evaluate_many

DATASETS = (
    "NATOPS",
    "SpokenArabicDigits",
    "JapaneseVowels",
    "PenDigits",
    "CharacterTrajectories",
    "ERing",
    "UWaveGestureLibrary",
    "ArticularyWordRecognition",
)
GRID = [
    {"rho": rho / 10, "warping": warping}
    for rho in range(1, 10)
    for warping in (True, False)
]


def f1(truths: list[Any], found: list[Any]) -> float:
    """Return the mean F1 of results."""
    table = evaluate_many(list(zip(truths, found, strict=True)), ["prom_f1"])
    return float(np.mean(table["prom_f1"]))


def measured(name: str, how: str, validation: int, test: int) -> float:
    """Return the mean F1 on test problems with the setting that validation prefers."""
    problems = load_benchmark(name, "validation")[:validation]
    lengths = [n for p in problems for s in p.truth.values() for n in s.lengths]
    l_min, l_max = (max(4, int(np.quantile(lengths, q))) for q in (0.1, 0.9))
    most = max(len(problem.truth) for problem in problems)
    method = LoCoMotif(l_min, l_max, max_sets=most, normalize=how)
    sweeps = [method.sweep(problem.series, GRID) for problem in problems]
    truths = [problem.truth for problem in problems]
    scores = [f1(truths, [sweep[t] for sweep in sweeps]) for t in range(len(GRID))]
    best = GRID[int(np.argmax(scores))]
    problems = load_benchmark(name, "test")[:test]
    found = [method.sweep(problem.series, [best])[0] for problem in problems]
    return f1([problem.truth for problem in problems], found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--validation", type=int, default=50)
    parser.add_argument("--test", type=int, default=200)
    given = parser.parse_args()
    print("| dataset | channel | joint |\n|---|--:|--:|")
    for name in DATASETS:
        row = [
            measured(name, how, given.validation, given.test)
            for how in ("channel", "joint")
        ]
        print(f"| {name} | {row[0]:.3f} | {row[1]:.3f} |", flush=True)


if __name__ == "__main__":
    main()

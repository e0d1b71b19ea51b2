"""Measure what the normalisation of LoCoMotif does to its scores.

    python tools/normalization.py STORE [--workers N]

Tunes and runs LoCoMotif on every multivariate dataset of TSMD-Bench with channels
normalised each by itself, into STORE, as the published baselines have it for channels
normalised jointly, and prints the mean F1 of both on test problems. The table is on the
page of the method.
"""

from __future__ import annotations

import argparse

from tsmdbench.analysis.baselines import load_baselines
from tsmdbench.analysis.scores import score_store
from tsmdbench.experiments.presets import GRIDS, preset_params
from tsmdbench.experiments.results import progress_for
from tsmdbench.experiments.running import run_specification
from tsmdbench.experiments.specification import Limits, Specification

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


def main() -> None:
    """Run what is missing and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("store")
    parser.add_argument("--workers", type=int)
    given = parser.parse_args()
    params = preset_params("best")
    params["locomotif"]["normalize"] = "channel"
    specification = Specification(
        DATASETS,
        ("locomotif",),
        params=params,
        grid=GRIDS["best"],
        tune=True,
        limits=Limits(),
    )
    progress = progress_for(quiet=False)
    run_specification(
        specification, given.store, workers=given.workers, progress=progress
    )
    means = {
        "channel": score_store(given.store).means("prom_f1")["locomotif"],
        "joint": score_store(load_baselines("best")).means("prom_f1")["locomotif"],
    }
    print("| dataset | channel | joint |\n|---|--:|--:|")
    for name in DATASETS:
        row = " | ".join(f"{mean[name]:.3f}" for mean in means.values())
        print(f"| {name} | {row} |")


if __name__ == "__main__":
    main()

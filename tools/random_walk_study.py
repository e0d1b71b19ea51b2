"""Run the random-walk study on Symbols; print it and write what the package ships.

    python tools/random_walk_study.py [FOLDER] [--check | --seeds N]

FOLDER has the archive's datasets. Writes
``src/tsmdbench/paper/data/random_walk_study.csv``; ``--check`` writes nothing and
says whether the shipped file would be the same. ``--seeds N`` makes the study of
the public notebook with the seeds 0 to N - 1 instead, at both levels, says where the
paper's number lies among them, and writes ``random_walk_seeds.csv``.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

from tsmdbench.archive import load
from tsmdbench.datasets.dataset import Dataset
from tsmdbench.io import write_atomically
from tsmdbench.paper.random_walk import (
    ALPHAS,
    PAPER_F1,
    located,
    mean_f1,
    random_walk_study,
    seed_study,
    study_problems,
)

PACKAGE = Path(__file__).parents[1] / "src" / "tsmdbench"
TABLE = PACKAGE / "paper" / "data" / "random_walk_study.csv"
SEEDS = TABLE.with_name("random_walk_seeds.csv")


def main() -> int:
    """Run, print, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--seeds", type=int)
    given = parser.parse_args()
    symbols = load("Symbols", given.folder)
    if given.seeds:
        return write_seeds(symbols, given.seeds)
    window = int(symbols.lengths[0]) // 2
    rows = random_walk_study(study_problems(symbols), window)
    print(f"20 series, window {window}; the paper: mean F1 {PAPER_F1}")
    for (lags, alpha), f1 in mean_f1(rows).items():
        print(f"lags {lags:>3}, alpha {alpha:.2f}: mean F1 {f1:.3f}")
    text = as_csv(rows)
    if given.check:
        same = TABLE.read_text(encoding="utf-8") == text
        print(f"{TABLE.name}: {'the same' if same else 'DIFFERENT'}")
        return 0 if same else 1
    write_atomically(TABLE, text.encode())
    return 0


def write_seeds(symbols: Dataset, count: int) -> int:
    """Make the study of the notebook with many seeds; write it and print a summary."""
    parts = []
    for seed in range(count):
        parts.append(seed_study(symbols, [seed]))
        print(parts[-1].to_string(index=False, header=False), flush=True)
    rows = pd.concat(parts)
    write_atomically(SEEDS, as_csv(rows).encode())
    for alpha in ALPHAS:
        print(f"alpha {alpha:.2f}: {located(rows, alpha)}")
    return 0


def as_csv(rows: pd.DataFrame) -> str:
    """Return a study as the text of its file."""
    return str(rows.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    sys.exit(main())

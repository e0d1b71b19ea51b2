"""Run the random-walk study on Symbols; print it and write what the package ships.

    python tools/random_walk_study.py [FOLDER] [--check]

FOLDER has the archive's datasets. Writes
``src/tsmdbench/benchmark/data/random_walk_study.csv``; ``--check`` writes nothing and
says whether the shipped file would come out again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tsmdbench.analysis.paper.random_walk_check import (
    PAPER_F1,
    mean_f1,
    random_walk_study,
    study_csv,
    study_problems,
)
from tsmdbench.archive import load
from tsmdbench.io import write_atomically

PACKAGE = Path(__file__).parents[1] / "src" / "tsmdbench"
TABLE = PACKAGE / "benchmark" / "data" / "random_walk_study.csv"


def main() -> int:
    """Run, print, and write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    symbols = load("Symbols", given.folder)
    window = int(symbols.lengths[0]) // 2
    rows = random_walk_study(study_problems(symbols), window)
    print(f"20 series, window {window}; the paper: mean F1 {PAPER_F1}")
    for (lags, alpha), f1 in mean_f1(rows).items():
        print(f"lags {lags:>3}, alpha {alpha:.2f}: mean F1 {f1:.3f}")
    text = study_csv(rows)
    if given.check:
        same = TABLE.read_text(encoding="utf-8") == text
        print(f"{TABLE.name}: {'the same' if same else 'DIFFERENT'}")
        return 0 if same else 1
    write_atomically(TABLE, text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())

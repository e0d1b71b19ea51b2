"""Run the variants of the benchmark whose results docs/results/robustness.md shows.

    python tools/run_variants.py BASELINES OUT [--limit 50] [--method NAME ...]

`BASELINES` is the store whose settings are taken; `OUT` is made or continued.
"""

from __future__ import annotations

import argparse

from tsmdbench.experiments.results import progress_for
from tsmdbench.experiments.running import run_specification
from tsmdbench.paper.robustness import variants_of


def main() -> None:
    """Run what is not in the store."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("baselines")
    parser.add_argument("out")
    parser.add_argument("--limit", type=int, default=50)
    parser.add_argument("--method", action="append")
    given = parser.parse_args()
    asked = variants_of(given.baselines, limit=given.limit, methods=given.method)
    print(run_specification(asked, given.out, progress=progress_for(quiet=False)))


if __name__ == "__main__":
    main()

"""Check the advice "which method for what" on the recordings suite.

    python tools/check_advice.py [--every N] [--methods stomp,locomotif,...]

Every method gets what `tsmdbench discover` would give it: estimated lengths, at most
five sets, all else by default. Prints a Markdown table of PROM F1, and in how many
problems a method found nothing. Needs the data of the suite (TSMDBENCH_DATA). With
``--out tools/docs/advice.json`` the table "which method for which data" has the means.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from tsmdbench.benchmark import RECORDINGS_SUITE, load_recordings_suite
from tsmdbench.methods import METHODS, suggest
from tsmdbench.methods.base import fields_of
from tsmdbench.methods.suggestions import estimated_fields
from tsmdbench.metrics import prom
from tsmdbench.types import Problem

TRIED = "stomp,pepa,apepa,motiflets,valmod,locomotif"
SETS = 5


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every Nth problem")
    parser.add_argument("--methods", default=TRIED)
    parser.add_argument("--datasets", default=",".join(RECORDINGS_SUITE))
    parser.add_argument("--out", type=Path, help="JSON: F1 by dataset and method")
    given = parser.parse_args()
    print("| dataset | method | F1 | found nothing | seconds |")
    print("|---|---|--:|--:|--:|")
    means: dict[str, dict[str, float]] = {}
    for dataset in given.datasets.split(","):
        problems = load_recordings_suite(dataset, "test")[:: given.every]
        lengths = [suggest(problem.series).length for problem in problems]
        for name in given.methods.split(","):
            rows = [
                run(name, problem, estimated_fields(length))
                for problem, length in zip(problems, lengths, strict=True)
            ]
            scores, empty, seconds = map(np.array, zip(*rows, strict=True))
            means.setdefault(dataset, {"problems": len(rows)})[name] = scores.mean()
            print(
                f"| {dataset} | {name} | {scores.mean():.2f} | "
                f"{empty.sum()} of {len(rows)} | {seconds.mean():.1f} |",
                flush=True,
            )
    if given.out:
        given.out.write_text(json.dumps(means, indent=1) + "\n", encoding="utf-8")


def run(
    name: str, problem: Problem, known: dict[str, Any]
) -> tuple[float, bool, float]:
    """Return F1, whether nothing was found, and the processor time."""
    cls = METHODS[name]
    required = {
        field.name: known[field.name]
        for field in fields_of(cls)
        if field.name in known and field.name in NEEDED
    }
    if name in ("motiflets", "valmod"):  # one length: a range takes minutes
        required |= {"l_min": known["length"], "l_max": known["length"]}
    begin = time.process_time()
    found = cls(**required, max_sets=SETS).find(problem.series)
    spent = time.process_time() - begin
    return prom(problem.truth, found).f1, not found, spent


NEEDED = ("length", "l_min", "l_max", "k_max", "radius_factor")

if __name__ == "__main__":
    main()

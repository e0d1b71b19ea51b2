"""Write docs/results/protocols.md, the comparison of both protocols, from stores.

    python tools/write_protocols.py STORE [STORE ...] [--out FILE]

The stores have datasets by both protocols: ``tsmdbench run recordings --out STORE``, or
``tsmdbench run best`` and ``tsmdbench run pvldb`` with one store or two.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tsmdbench.analysis import score_store
from tsmdbench.analysis.protocols import ProtocolGain, protocol_gains
from tsmdbench.analysis.scores import Scores
from tsmdbench.io import write_atomically

METRICS = {"prom_f1": "PROM F1", "ranged_f1": "range-based F1, the metric of pvldb"}
OUT = Path(__file__).parents[1] / "docs" / "results" / "protocols.md"
HEAD = """# Results with parameters from the truth

<!-- generated: python tools/write_protocols.py STORE -->

In the protocol of TSMD-Bench, hyperparameters are tuned on validation data. In the
protocol of the comparison of PVLDB 2025 (`pvldb`), the number of sets, the lengths and
the radius of each run are computed **from the truth of its own problem**. A large gain
means that a method depends on this knowledge. Failed runs score 0 in both. See
[Parameters from the truth](../experiments/pvldb.md).
"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    import pandas as pd

    tables = [score_store(s, metrics=tuple(METRICS)).table for s in given.stores]
    text = page(Scores(pd.concat(tables, ignore_index=True)))
    write_atomically(given.out, text.encode())
    print(given.out)


def page(scores: Scores) -> str:
    """Return the page: per metric a table of means, then one per dataset."""
    parts = [HEAD]
    for metric, title in METRICS.items():
        gains = protocol_gains(scores, metric)
        parts += [f"\n## {title}\n", summary(gains)]
        for dataset in dict.fromkeys(gain.dataset for gain in gains):
            some = [gain for gain in gains if gain.dataset == dataset]
            count = some[0].problems
            parts += [f"\n### {dataset}, {count} problems\n", table(some)]
    return "\n".join(parts) + "\n"


def summary(gains: list[ProtocolGain]) -> str:
    """Return the mean over datasets, the largest gain first."""
    labels = dict.fromkeys(gain.label for gain in gains)
    means = [
        ProtocolGain(
            "all",
            label,
            sum(g.problems for g in gains if g.label == label),
            float(np.mean([g.plain for g in gains if g.label == label])),
            float(np.mean([g.told for g in gains if g.label == label])),
        )
        for label in labels
    ]
    return table(sorted(means, key=lambda one: -one.gain))


def table(gains: list[ProtocolGain]) -> str:
    """Return gains as a table."""
    lines = ["| method | validation data | truth | gain |", "|---|--:|--:|--:|"]
    lines += [
        f"| {one.label} | {one.plain:.3f} | {one.told:.3f} | {one.gain:+.3f} |"
        for one in gains
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()

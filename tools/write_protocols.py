"""Write docs/results/protocols.md, the comparison of both protocols, from stores.

    python tools/write_protocols.py STORE [STORE ...] [--out FILE]

The stores have datasets by both protocols: ``tsmdbench run recordings --out STORE``, or
``tsmdbench run best`` and ``tsmdbench run pvldb`` with one store or two.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tsmdbench.analysis import score_store
from tsmdbench.analysis.difficulty import ProtocolGain, protocol_gains
from tsmdbench.analysis.labels import MAIN, by_suite
from tsmdbench.analysis.scores import Scores
from tsmdbench.io import write_atomically
from tsmdbench.report.table import Table

METRICS = {"prom_f1": "PROM F1", "ranged_f1": "range-based F1, the metric of pvldb"}
OUT = Path(__file__).parents[1] / "docs" / "results" / "protocols.md"
HEAD = """# Results with parameters from the truth

<!-- generated: python tools/write_protocols.py STORE -->

In the protocol of TSMD-Bench, hyperparameters are tuned on validation data. In the
protocol of the comparison of PVLDB 2025 (`pvldb`), the number of sets, the lengths and
the radius of each run are computed **from the truth of its own problem**. Failed runs
score 0 in both. See [Parameters from the truth](../experiments/pvldb.md).

The protocols differ in a second way: `pvldb` fixes all other parameters, such as the
channel, LoCoMotif's rho and the words of GrammarViz, and the protocol of TSMD-Bench
tunes them. A positive gain means that a method depends on knowing the truth. A negative
gain means that tuning the other parameters is worth more.
"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    scored = [score_store(s, metrics=tuple(METRICS)).table for s in given.stores]
    text = page(Scores(pd.concat(scored, ignore_index=True)))
    write_atomically(given.out, text.encode())
    print(given.out)


def page(scores: Scores) -> str:
    """Return the page: for each metric and suite the means, and gains by dataset."""
    parts = [HEAD]
    for metric, title in METRICS.items():
        parts.append(f"\n## {title}\n")
        gains = protocol_gains(scores, metric)
        names = dict.fromkeys(gain.dataset for gain in gains)
        for suite, datasets in by_suite(names).items():
            chosen = [gain for gain in gains if gain.dataset in datasets]
            heading = "TSMD-Bench" if suite == MAIN else suite.title
            parts += [f"### {heading}: {title}\n", *tables(chosen, datasets)]
    return "\n".join(parts)


def tables(gains: list[ProtocolGain], datasets: Sequence[str]) -> list[str]:
    """Return the means over datasets by both protocols, and the gain on each."""
    frame = pd.DataFrame(
        [(g.label, g.dataset, g.plain, g.told, g.gain) for g in gains],
        columns=["method", "dataset", "plain", "told", "gain"],
    )
    means = frame.groupby("method")[["plain", "told", "gain"]].mean()
    means = means.sort_values("gain", ascending=False, kind="stable")
    wide = frame.pivot_table(index="method", columns="dataset", values="gain")
    wide = wide.loc[means.index, list(datasets)]
    counts = {gain.dataset: gain.problems for gain in gains}
    problems = ", ".join(f"{name} {counts[name]}" for name in datasets)
    shown = means.rename(columns={"plain": "validation data", "told": "truth"})
    signed = "{:+.3f}".format
    return [
        Table(
            "protocols",
            "Mean over datasets with parameters from validation data and from the "
            "truth, the largest gain first",
            shown.reset_index(),
            written={"gain": signed},
        ).markdown(),
        Table(
            "gains",
            f"Gain on each dataset (number of problems: {problems})",
            wide.reset_index(),
            written=dict.fromkeys(datasets, signed),
        ).markdown(),
    ]


if __name__ == "__main__":
    main()

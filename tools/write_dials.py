"""Write docs/guide/choose.md and its pictures: which method for which data.

    python tools/write_dials.py STORE [--page FILE] [--pictures FOLDER]

`STORE` is what ``tsmdbench run dials --out STORE`` made. The correlations with
properties of datasets come from the baselines of the package. All numbers of the page
come from these two and from nowhere else.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tools.docs.generate import filled

from tsmdbench.analysis import (
    breaking_points,
    dataset_properties,
    dial_scores,
    load_baselines,
    property_correlations,
    score_store,
)
from tsmdbench.datasets.dials import DIALS, LENGTH, OCCURRENCES
from tsmdbench.errors import InputError
from tsmdbench.experiments.store import Store
from tsmdbench.experiments.truth import read_truth
from tsmdbench.io import write_atomically
from tsmdbench.methods import METHODS
from tsmdbench.methods.info import method_info
from tsmdbench.report.figures import breaking_figure, svg
from tsmdbench.report.figures.breaking import TITLES

if TYPE_CHECKING:
    import pandas as pd

    from tsmdbench.analysis import Scores

DOCS = Path(__file__).parents[1] / "docs"
METRICS = ("prom_f1",)
BEST = 3  # methods that are named for a dial, a column each
NOTABLE = 0.5  # size of a rank correlation that is shown in bold
DASH = "\N{EN DASH}"
LENGTHS = {"no": "one", "inter": "per set", "intra": "any"}
SITUATIONS = {
    "noise": "much noise",
    "amplitude": "occurrences differ in amplitude",
    "stretch": "occurrences differ in length",
    "warping": "occurrences differ in speed",
    "sets": "many motif sets",
    "imbalance": "one set is much larger than the other",
    "gap": "motifs are rare in a long series",
    "empty_channels": "most channels carry nothing",
}
HEAD = """# Which method for which data

<!-- generated: python tools/write_dials.py STORE -->

No method is best for all data. The best three methods for each kind of data, by mean F1
on [TSMD-Bench](../benchmark/index.md) and the [recordings
suite](../benchmark/recordings.md):

<!-- generated: which-method -->
<!-- end: which-method -->

The rest of this page says which methods cope with what makes your data hard: noise,
occurrences that differ in amplitude, length or speed, many or unequal sets, rare
motifs, channels that carry nothing.

All other numbers come from `tsmdbench run dials`: {methods} methods on [generated
problems](../benchmark/dials.md) in which one property at a time gets harder. At the
default a problem has {sets} sets of {occurrences} occurrences of {length} samples with
little noise. At each position a method is tuned on {validation} problems and scored on
{test} others. Scores are mean F1 ([PROM](../metrics/prom.md)); failed runs score 0.

## Choose by what makes your data hard

The methods with the highest F1 at the hardest position of each dial, with 95% bootstrap
intervals over {test} problems. Intervals that overlap say that the order may be chance.
Where no method breaks, many are equal and which three are named means nothing.
"""
BREAKS = """
## Where each method breaks

A method *breaks* at the first position at which it has lost half of its F1 at the
default. A dash: it does not break at the positions that were measured. Methods are
ordered by their mean F1 over all positions. Read a dash together with the F1 at the
default: a method that starts low has little to lose, and its dashes are no strength.
"""
CHANNELS = """
A method for one channel has the channel chosen on the validation problems, together
with its other parameters. Empty channels cannot distract it once that choice is right;
a method that compares all channels at once cannot leave any out.
"""
CORRELATIONS = """
## By properties of real data

The same question for the {datasets} datasets of [TSMD-Bench](../benchmark/index.md)
that the [published results](../results/index.md) have: Spearman's rank correlation of
the mean F1 of a method with a property of the dataset. Negative: a method is worse
where there is more of the property. Bold: at least {notable:g} in size. Datasets differ
in many properties at once and there are few of them, so these are hints, not effects.
"""
PICTURES = """
## A picture of each method

Mean F1 of a method, with its interval, as each dial moves away from the default on the
left. Grey: the other methods. Dotted: half of its F1 at the default. Cross: where it
breaks.
"""
LIMITS = """
## What these results do not say

- The problems are generated: smooth shapes between other smooth shapes. Compare with
  the results on [real recordings](recording.md#which-method-for-which-recording) and on
  [TSMD-Bench](../results/index.md).
- Dials move one at a time. Real data is hard in several ways at once; [several dials
  can be moved](../benchmark/dials.md#run-methods-on-them).
- Methods know the typical length, the radius and the largest number of sets from
  validation problems. Without such problems, see [what methods gain by being
  told](../experiments/pvldb.md), and [a recording of your own](recording.md).
- {test} problems per position tell large differences from small ones, not more.

## Run it yourself

```bash
tsmdbench run dials --out dials-store
tsmdbench run dials --method ./my_file.py:Mine --out dials-store
tsmdbench report dials-store --out dials-report
```

The second line adds a method of your own. The report has the tables of this page, and a
picture for each method.
"""


def main() -> None:
    """Write page and pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("--page", type=Path, default=DOCS / "guide" / "choose.md")
    parser.add_argument("--pictures", type=Path, default=DOCS / "images" / "dials")
    given = parser.parse_args()
    scores = score_store(given.store, metrics=METRICS)
    curves = dial_scores(scores)
    given.pictures.mkdir(parents=True, exist_ok=True)
    for label in by_quality(curves):
        file = given.pictures / f"{label}.svg"
        write_atomically(file, svg(breaking_figure(curves, label, scores)))
        print(file)
    text = page(scores, Store(given.store), given.page, given.pictures)
    write_atomically(given.page, text.encode())
    print(given.page)


def page(scores: Scores, store: Store, file: Path, pictures: Path) -> str:
    """Return the page."""
    for label in scores.labels:
        if label not in METHODS:
            raise InputError(
                f"the page is about the methods of the package, {label!r} is none; "
                f"take a store without it"
            )
    curves, breaks = dial_scores(scores), breaking_points(scores)
    tuned = {p for d, part, p in read_truth(store.path) if part == "validation"}
    numbers = {
        "methods": len(scores.labels),
        "sets": int(DIALS["sets"][0]),
        "occurrences": OCCURRENCES,
        "length": LENGTH,
        "validation": len(tuned),
        "test": int(curves["problems"].max()),
    }
    folder = Path(os.path.relpath(pictures, file.parent))
    text = "\n".join(
        [
            HEAD.format(**numbers),
            situations(curves, breaks),
            BREAKS,
            breaking(curves, breaks),
            CHANNELS,
            *correlations(),
            PICTURES,
            *(picture(label, folder) for label in by_quality(curves)),
            LIMITS.format(**numbers),
        ]
    )
    return filled(text, below=True)


def by_quality(curves: pd.DataFrame) -> list[str]:
    """Return methods by their mean over positions, the best first."""
    means = curves.groupby("label", sort=False)["mean"].mean()
    return [
        str(label) for label in means.sort_values(ascending=False, kind="stable").index
    ]


def situations(curves: pd.DataFrame, breaks: pd.DataFrame) -> str:
    """Return a row per dial: the best methods at its hardest position."""
    heads = "| your data | hardest position | best | second | third | break |"
    lines = [heads, "|---|---|---|---|---|--:|"]
    for dial, part in curves.groupby("dial", sort=False):
        hardest = part["position"].max()
        there = part[part["position"] == hardest]
        best = there.sort_values("mean", ascending=False, kind="stable")[:BEST]
        cells = [
            f"{linked(row.label)} {row.score:.2f} ({row.low:.2f} to {row.high:.2f})"
            for row in best.rename(columns={"mean": "score"}).itertuples()
        ]
        some = breaks[breaks["dial"] == dial]
        broken = f"{int(some['breaks_at'].notna().sum())} of {len(some)}"
        named = f"{SITUATIONS[str(dial)]} | {TITLES[str(dial)]} {hardest:g}"
        lines.append(f"| {named} | {' | '.join(cells)} | {broken} |")
    return "\n".join(lines)


def breaking(curves: pd.DataFrame, breaks: pd.DataFrame) -> str:
    """Return a row per method: what it can do, and where it breaks."""
    dials = list(dict.fromkeys(breaks["dial"]))
    titles = [TITLES[dial] for dial in dials]
    lines = [
        f"| method | lengths | channels | F1 at default | {' | '.join(titles)} |",
        "|---|---|---|" + "--:|" * (len(dials) + 1),
    ]
    for label in by_quality(curves):
        own = breaks[breaks["label"] == label].set_index("dial")
        about = method_info(label)
        where = [own["breaks_at"].get(dial) for dial in dials]
        cells = [DASH if at != at else f"{at:g}" for at in where]
        channels = "all" if about.multivariate else "one"
        lines.append(
            f"| {linked(label)} | {LENGTHS[str(about.variable_length)]} | {channels} | "
            f"{own['default'].iloc[0]:.2f} | {' | '.join(cells)} |"
        )
    return "\n".join(lines)


def correlations() -> list[str]:
    """Return how scores on the baselines go with properties of their datasets."""
    store = load_baselines()
    scores = score_store(store, metrics=METRICS)
    properties = dataset_properties(store, scores.datasets)
    found = property_correlations(scores, properties)
    names = list(properties.columns)
    titles = [name.replace("_", " ") for name in names]
    lines = [f"| method | {' | '.join(titles)} |", "|---|" + "--:|" * len(names)]
    for label in scores.labels:
        own = found[found["label"] == label].set_index("property")["rho"]
        cells = [_bold(float(own[name])) for name in names]
        lines.append(f"| {linked(label)} | {' | '.join(cells)} |")
    head = CORRELATIONS.format(datasets=len(properties), notable=NOTABLE)
    return [head, "\n".join(lines)]


def picture(label: str, folder: Path) -> str:
    """Return the picture of a method with what it shows."""
    text = f"Mean F1 of {label} against the position of each difficulty dial"
    return f"### {label}\n\n![{text}]({folder.as_posix()}/{label}.svg)\n"


def linked(label: str) -> str:
    """Return the name of a method with a link to its page."""
    return f"[{label}](../methods/{label}.md)"


def _bold(value: float) -> str:
    if value != value:
        return DASH
    return f"**{value:+.2f}**" if abs(value) >= NOTABLE else f"{value:+.2f}"


if __name__ == "__main__":
    main()

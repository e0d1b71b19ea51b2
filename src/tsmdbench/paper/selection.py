"""Select the datasets that a motif benchmark can be made from.

The paper's rule: at least five classes, and an adjusted Rand index of at least 0.5, as
the mean over Euclidean distance and DTW (see `tsmdbench.datasets.cluster`). The five
univariate datasets of fixed length were taken from a published clustering study and
are not clustered here.

The table that comes with the package, `shipped_selection`, was made by
``tsmdbench datasets select --max-instances 1500``: the column `subsampled` marks the
datasets of which a class-balanced part was clustered.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation of
Motif Sets in Time Series", 2024, arXiv:2412.09346, section 5.2.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tsmdbench.datasets.archive import load
from tsmdbench.datasets.catalogue import PAPER_SELECTED
from tsmdbench.datasets.cluster import (
    DISTANCES,
    THRESHOLD,
    adjusted_rand_of_classes,
    class_balanced,
    distance_matrix,
)
from tsmdbench.datasets.dataset import describe
from tsmdbench.errors import InputError
from tsmdbench.io import PathLike, write_atomically
from tsmdbench.plotting import BLUE, ORANGE, figure_class
from tsmdbench.validation import check_integer

MIN_CLASSES = 5
Say = Callable[[str], None]
HUES = {"Euclidean": BLUE, "DTW": ORANGE}  # differ in lightness too, for print


class Suitability(NamedTuple):
    """How well one dataset falls into its classes."""

    dataset: str
    classes: int
    instances: int
    clustered: int
    l_min: int
    l_max: int
    channels: int
    ari_euclidean: float
    ari_dtw: float

    @property
    def ari(self) -> float:
        """Mean adjusted Rand index of the two distances."""
        return (self.ari_euclidean + self.ari_dtw) / 2

    @property
    def subsampled(self) -> bool:
        """Whether only a class-balanced part was clustered."""
        return self.clustered < self.instances

    @property
    def suitable(self) -> bool:
        """Whether both criteria of the paper hold."""
        return self.classes >= MIN_CLASSES and self.ari >= THRESHOLD

    @property
    def in_paper(self) -> bool:
        """Whether the paper selected it (of those that it clustered)."""
        return self.dataset in PAPER_SELECTED

    def as_row(self) -> dict[str, object]:
        """Return fields and properties, as they are written to a table."""
        return {
            **self._asdict(),
            "ari": self.ari,
            "subsampled": self.subsampled,
            "suitable": self.suitable,
            "in_paper": self.in_paper,
        }


def select(
    names: Iterable[str],
    folder: PathLike | None = None,
    *,
    max_instances: int | None = None,
    root: bool = False,
    seed: int = 0,
    jobs: int = 1,
    state: PathLike | None = None,
    say: Say | None = None,
) -> list[Suitability]:
    """Cluster datasets and decide which are suitable; the highest mean index is first.

    Datasets larger than `max_instances` are represented by a class-balanced part.
    With `root` the root of DTW is taken, as by the paper's authors: the index changes
    (that of JapaneseVowels is higher), the selected datasets do not. `seed` is that of
    the part and of the starts of k-medoids, `jobs` the number of threads for DTW (-1
    for all cores). `state`, a JSON file, keeps each result as soon as it is there, so
    that a stopped run with the same seed continues. `say` is called with lines of
    progress.
    """
    if max_instances is not None:
        check_integer(max_instances, "max_instances", minimum=2)
    settings = f"seed={seed}"
    done: dict[str, float] = {}
    if state is not None and Path(state).exists():
        try:
            kept = json.loads(Path(state).read_text(encoding="utf-8"))
            done = dict(kept["found"]) if kept["settings"] == settings else {}
        except (ValueError, KeyError, TypeError) as cause:
            raise InputError(
                f"{state} is not the state of a selection ({cause}); remove it or name "
                f"another file"
            ) from None
    rows = []
    for name in names:
        dataset = load(name, folder)
        part = class_balanced(dataset.labels, max_instances, seed)
        instances = [dataset.instances[position] for position in part]
        labels = [dataset.labels[position] for position in part]
        found = {}
        for distance in DISTANCES:
            used = "dtw_root" if root and distance == "dtw" else distance

            def progress(done: int, total: int, what: str = f"{name}, {used}") -> None:
                if say is not None:
                    say(f"{what}: {done} of {total} rows")

            # The seed and the number of instances determine which part is clustered.
            key = f"{name}/{used}/{len(part)}"
            if key not in done:
                matrix = distance_matrix(instances, used, jobs=jobs, progress=progress)
                done[key] = adjusted_rand_of_classes(matrix, labels, seed=seed)
                if state is not None:
                    text = json.dumps({"settings": settings, "found": done})
                    Path(state).parent.mkdir(parents=True, exist_ok=True)
                    write_atomically(Path(state), text.encode())
            found[f"ari_{distance}"] = done[key]
        seen = describe(dataset)
        rows.append(
            Suitability(
                dataset.name,
                seen.classes,
                seen.instances,
                len(part),
                seen.l_min,
                seen.l_max,
                seen.channels,
                **found,
            )
        )
        if say is not None:
            note = f", {len(part)} of {len(dataset)} clustered"
            note = note if rows[-1].subsampled else ""
            say(f"{name}: adjusted Rand index {rows[-1].ari:.3f}{note}")
    return sorted(rows, key=lambda row: -row.ari)


def selection_csv(rows: Iterable[Suitability]) -> str:
    """Return the table as CSV text, floats at full precision."""
    import pandas as pd

    lines = [row.as_row() for row in rows]
    if not lines:
        raise InputError("there is no dataset to tabulate")
    text: str = pd.DataFrame(lines).to_csv(index=False, lineterminator="\n")
    return text


def shipped_selection() -> list[Suitability]:
    """Return the table that comes with the package, highest index first."""
    import pandas as pd

    resource = files("tsmdbench.paper") / "data" / "selection.csv"
    with resource.open(encoding="utf-8") as file:
        table = pd.read_csv(file, float_precision="round_trip")
    rows = table[list(Suitability._fields)].itertuples(index=False, name=None)
    return [Suitability(*row) for row in rows]


def selection_figure(rows: Sequence[Suitability]) -> Any:
    """Draw the adjusted Rand indices per dataset; suitable datasets are bold."""
    width = max(6.0, 0.42 * len(rows))
    figure = figure_class()(figsize=(width, 4.6), layout="constrained")
    axes = figure.add_subplot()
    places = np.arange(len(rows))
    bars = (
        ("Euclidean", [row.ari_euclidean for row in rows], -0.2),
        ("DTW", [row.ari_dtw for row in rows], 0.2),
    )
    for name, heights, shift in bars:
        axes.bar(places + shift, heights, 0.4, label=name, color=HUES[name])
    means = [row.ari for row in rows]
    axes.plot(places, means, "k_", markersize=12, label="mean")
    axes.axhline(THRESHOLD, color="0.3", linestyle="--", linewidth=1)
    axes.set_ylabel("adjusted Rand index")
    axes.set_xlim(-0.7, len(rows) - 0.3)
    names = [f"{row.dataset}{'*' if row.subsampled else ''}" for row in rows]
    labels = axes.set_xticks(
        places, names, rotation=60, ha="right", rotation_mode="anchor"
    )
    for label, row in zip(labels, rows, strict=True):
        label.label1.set_fontweight("bold" if row.suitable else "normal")
    if any(row.subsampled for row in rows):
        axes.set_title("* a class-balanced part was clustered", fontsize=8, loc="right")
    axes.legend(frameon=False)
    return figure

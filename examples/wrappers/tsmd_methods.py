"""Methods of tsmd, for `tsmdbench run --with tsmd==0.1.4 --with plotly`."""

# /// script
# dependencies = ["tsmd==0.1.4", "plotly"]  # which it imports and does not require
# ///

from dataclasses import dataclass
from typing import ClassVar

from tsmd.competitors.mdl import MDL
from tsmd.competitors.persistence import BasePersistentPattern


@dataclass(frozen=True)
class TsmdPEPA:
    """PEPA with a given number of motif sets."""

    length: int
    max_sets: int = 3
    channel: int = 0
    neighbours: int = 5

    univariate: ClassVar = True
    variable_length: ClassVar = "intra"

    def find(self, series):
        """Return the motif sets of a series."""
        x = series if series.ndim == 1 else series[:, self.channel].copy()
        model = BasePersistentPattern(
            self.length, n_patterns=self.max_sets, n_neighbors=self.neighbours
        )
        model.fit(x)
        labels, starts, ends, _ = model.predictions_
        found = {}
        for label, start, end in zip(labels, starts, ends):  # noqa: B905
            found.setdefault(int(label), []).append((int(start), int(end)))
        return [sorted(found[label]) for label in sorted(found)]


@dataclass(frozen=True)
class TsmdMDL:
    """MDL-Clust: groups of windows that compress the series."""

    l_min: int
    l_max: int
    max_sets: int = 3
    channel: int = 0
    step: int = 1

    univariate: ClassVar = True
    variable_length: ClassVar = "intra"

    def find(self, series):
        """Return the motif sets of a series."""
        x = series if series.ndim == 1 else series[:, self.channel].copy()
        clusters = MDL(self.l_min, self.l_max, self.step).fit(x).clusters_
        sets = [
            sorted((int(i), int(i) + len(s)) for i, s in zip(c["idx"], c["seq"]))  # noqa: B905
            for c in clusters
        ]
        return sets[: self.max_sets]

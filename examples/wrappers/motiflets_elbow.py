"""Motiflets by their authors, for `tsmdbench run --with motiflets==0.8.0`."""

# /// script
# dependencies = ["motiflets==0.8.0"]
# ///

from dataclasses import dataclass
from typing import ClassVar

from motiflets.motiflets import find_au_ef_motif_length, search_k_motiflets_elbow


@dataclass(frozen=True)
class MotifletsElbow:
    """The motiflets at the elbows, largest first, at the length of most elbow."""

    l_min: int
    l_max: int
    k_max: int
    max_sets: int = 3
    channel: int = 0
    slack: float = 0.5

    univariate: ClassVar = True
    variable_length: ClassVar = "inter"

    def find(self, series):
        """Return the motif sets of a series, the largest first."""
        x = series if series.ndim == 1 else series[:, self.channel].copy()
        options = {"n_jobs": 1, "slack": self.slack}
        length = self.l_min
        if self.l_max > self.l_min:
            lengths = range(self.l_min, self.l_max + 1)
            length, *_ = find_au_ef_motif_length(
                x, self.k_max, motif_length_range=lengths, subsample=2, **options
            )
        _, sets, elbows, *_ = search_k_motiflets_elbow(
            self.k_max, x, int(length), **options
        )
        # The release 0.8.0 returns the best few sets for each k: the first is the one.
        found = [sorted(int(s) for s in sets[k][0]) for k in sorted(elbows[0])[::-1]]
        return [[(s, s + int(length)) for s in starts] for starts in found][
            : self.max_sets
        ]

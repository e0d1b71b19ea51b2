"""LoCoMotif by its authors, for `tsmdbench run --with dtai-locomotif==0.2.0`."""

# /// script
# dependencies = ["dtai-locomotif==0.2.0"]
# ///

from dataclasses import dataclass
from typing import ClassVar

from locomotif.locomotif import apply_locomotif


@dataclass(frozen=True)
class DtaiLoCoMotif:
    """apply_locomotif on the z-normalised series, as its documentation advises."""

    l_min: int
    l_max: int
    max_sets: int = 3
    rho: float = 0.8
    warping: bool = True
    overlap: float = 0.0

    univariate: ClassVar = False
    variable_length: ClassVar = "intra"
    grid: ClassVar = {"rho": [0.5, 0.6, 0.7, 0.8, 0.9], "warping": [True, False]}

    def find(self, series):
        """Return the motif sets of a series, the best first."""
        found = apply_locomotif(
            (series - series.mean()) / series.std(),
            self.l_min,
            self.l_max,
            rho=self.rho,
            nb=self.max_sets,
            overlap=self.overlap,
            warping=self.warping,
        )
        return [[(int(b), int(e)) for b, e in motifs] for _, motifs in found]

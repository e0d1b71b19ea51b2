"""ATTIMO by its authors, for `tsmdbench run --with pyattimo==0.8.1`."""

# /// script
# dependencies = ["pyattimo==0.8.1"]
# ///

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyattimo


@dataclass(frozen=True)
class AttimoMotifs:
    """The nearest pairs of windows, with probability ``1 - delta`` each."""

    length: int
    max_sets: int = 3
    channel: int = 0
    delta: float = 0.05
    seed: int = 1234

    univariate: ClassVar = True
    variable_length: ClassVar = "no"

    def find(self, series):
        """Return the motif pairs of a series, the nearest first."""
        x = series if series.ndim == 1 else series[:, self.channel].copy()
        here = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)  # it leaves a file observe.csv where it runs
            try:
                options = {"top_k": self.max_sets, "delta": self.delta}
                found = list(
                    pyattimo.MotifsIterator(x, w=self.length, seed=self.seed, **options)
                )
            finally:
                os.chdir(here)
        return [
            [(s, s + self.length) for s in sorted((pair.a, pair.b))] for pair in found
        ]

"""Series of the golden files: stored ones by name, others made from a seed."""

import json
import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

# For tests on series that take minutes where kernels are plain Python.
compiled = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="needs compiled kernels"
)
GOLDEN = Path(__file__).parents[1] / "golden"
# Starts of what is planted in the stored series, one list per set; and its length.
PLANTED = {
    "uni600": [[0, 80, 160, 400], [240, 320, 480]],
    "uni2k": [[100, 400, 800, 1800], [600, 1100, 1500]],
}
LENGTHS = {"uni600": 40, "uni2k": 100}
SEEDS = {"walk": 11, "plateau": 12, "rounded": 13}
STARTS = (70, 330, 640, 800)


@cache
def golden(name):
    """Content of a golden file."""
    return json.loads((GOLDEN / f"{name}.json").read_text())


def series(name):
    """The series of that name."""
    if name in SEEDS:
        return seeded(name)
    with np.load(GOLDEN / "distance" / "series.npz") as stored:
        return stored[name]


def seeded(name):
    """A random walk with four noisy copies of a shape of 60 samples."""
    rng = np.random.default_rng(SEEDS[name])
    x = rng.normal(size=900).cumsum()
    shape = 10 * np.sin(np.arange(60) ** 2 / 250)
    for start in STARTS:
        x[start : start + 60] = x[start] + shape + 0.3 * rng.normal(size=60)
    if name == "plateau":
        x[180:300] = x[180]
        x[480:560] = 2.0
    if name == "rounded":
        x = np.round(x)
    return x

"""Series of the golden files: stored ones by name, others made from a seed."""

import json
from functools import cache
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parents[1] / "golden"
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
    return np.array(golden("planted_series")[name]["millionths"]) / 1e6


def planted(name):
    """Starts of the planted windows, one list per set."""
    return golden("planted_series")[name]["planted"]


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

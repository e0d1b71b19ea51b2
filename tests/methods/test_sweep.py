"""A sweep finds what single searches find, and threads change nothing."""

import dataclasses
import itertools

import numpy as np
import pytest

from tests.methods import golden
from tests.methods.settings import entry
from tsmdbench.methods import METHODS

WORDS = {"word_length": [4, 7], "alphabet_size": [2, 5], "channel": [0, 1]}
SWEEPS = {
    "apepa": {"length": [16, 20], "max_sets": [1, None], "channel": [0, 1]},
    "emma": {
        "length": [20],
        "radius": [2.0, 2.5],
        "word_length": [4, 6],
        "mode": ["exact", "sax"],
        "count": ["apart", "windows"],
        "disjoint": [True, False],
    },
    "gv_repair": {"window": [32, 16], **WORDS},
    "gv_sequitur": {"window": [32, 16], **WORDS},
    "lama": {
        "l_min": [18],
        "l_max": [22],
        "k_max": [5, 7],
        "subspace": [1, 2, None],
        "elbow_deviation": [1.0, 1.3],
    },
    "latentmotifs": {
        "length": [30, 40],
        "radius": [1.5, 3.0],
        "start": ["windows", "noise"],
        "channel": [0, 1],
        "iterations": [10],
    },
    "mmotifs": {"length": [16, 20], "radius": [3.0, 4.0], "exclusion": [0.25, 0.5]},
    "motiflets": {
        "k_max": [5, 9],
        "l_min": [10, 14],
        "l_max": [14],
        "strategy": ["elbow", "iterative"],
        "channel": [0, 1],
    },
    "mrmotif": {
        "length": [60, 20],
        "resolution": [None, 4, 64],
        "word_length": [8, 5],
        "channel": [1, 0],
    },
    "panmp": {"l_min": [16], "l_max": [18], "radius_factor": [2, 3]},
    "pepa": {
        "length": [16, 20],
        "max_sets": [1, 3, None],
        "alpha": [5.0, 10.0],
        "channel": [0, 1],
    },
    "setfinder": {"length": [16, 20], "radius": [1.0, 2.0, 2.5], "channel": [0, 1]},
    "stomp": {"length": [16, 20], "radius_factor": [2, 3], "channel": [0, 1]},
    "valmod": {"l_min": [16], "l_max": [18, 20], "radius_factor": [2, 3, 4]},
    "vonsem": {
        "l_min": [8, 12],
        "radius": [0.7, 1.4, 2.0],
        "channel": [0, 1],
        "compat": [False, True],
    },
}


def walk(n, channels):
    x = np.random.default_rng(3).normal(size=(n, channels)).cumsum(axis=0)
    for start in (n // 2, n - 40):
        x[start : start + 30] = x[10:40] + 0.1 * x[40:70]
    return x


@pytest.mark.parametrize("name", SWEEPS)
def test_sweep_equals_find(name):
    grid, cls = SWEEPS[name], METHODS[name]
    every = itertools.product(*grid.values())
    settings = [{"max_sets": 3, **dict(zip(grid, one, strict=True))} for one in every]
    x = walk(240, 2)
    expected = [cls(**setting).find(x) for setting in settings]
    assert cls.sweep(x, settings) == expected
    assert len(set(expected)) > 1


THREADED = [
    name
    for name in METHODS
    if "n_jobs" in METHODS[name].__dataclass_fields__ and not name.startswith("sub_")
]


@pytest.mark.parametrize("name", THREADED)
def test_threads_do_not_change_the_sets(name):
    one = METHODS[name](**entry(name).good, max_sets=3)
    assert one.n_jobs == 1
    several = dataclasses.replace(one, n_jobs=3)
    x = golden.series("uni2k")
    assert several.find(x) == one.find(x)
    assert dataclasses.replace(one, n_jobs=-1).find(x[:600]) == one.find(x[:600])
    assert one == several  # the number of threads is no hyperparameter

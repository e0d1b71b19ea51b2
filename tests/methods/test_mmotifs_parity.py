"""MMotifs and stumpy: the same profile to the last bit, so the same indices.

The nearest pair ties with itself, and the windows of stumpy's sets depend on which of
the two it takes: everything here is compared by equality.
"""

import os

import numpy as np
import pytest

from tests.methods import golden
from tsmdbench import load_benchmark
from tsmdbench._kernels.distance import rounding
from tsmdbench.methods._windows import Windows
from tsmdbench.methods.mmotifs import MMotifs
from tsmdbench.methods.seeds import Seeds

pytestmark = [
    pytest.mark.parity,
    pytest.mark.skipif(
        os.environ.get("NUMBA_DISABLE_JIT") == "1",
        reason="rounding is that of compiled code",
    ),
]

# Dataset, length of its motifs, number of problems.
REAL = (
    ("ERing", 65, 8),
    ("NATOPS", 51, 8),
    ("PenDigits", 8, 8),
    ("JapaneseVowels", 16, 8),
    ("UWaveGestureLibrary", 315, 3),
    ("ArticularyWordRecognition", 144, 3),
)
QUICK = {("ERing", 0), ("ERing", 1), ("PenDigits", 0), ("JapaneseVowels", 0)}


def noise(kind, channels=3):
    rng = np.random.default_rng(3)
    x = rng.normal(size=(500, channels)).cumsum(axis=0)
    if kind == "copies":
        x[300:380] = x[100:180]
        x[420:470] = x[110:160]
    elif kind == "flat":
        x[60:120, 0] = x[60, 0]
        x[300:420, 0] = 7.0
    elif kind == "broken":
        x[140, -1], x[350, 0] = np.nan, np.inf
    elif kind == "periodic":
        x = np.stack([np.sin(np.arange(500) / p) for p in (4, 7, 9)], axis=1)
    elif kind == "offset":
        x += 1e3
    return x


def theirs(x, length):
    """Profile and nearest neighbours of stumpy, over all channels."""
    stumpy = pytest.importorskip("stumpy")
    return stumpy.mstump(np.ascontiguousarray(x.T), length)


def their_sets(x, profile, index, radius):
    stumpy = pytest.importorskip("stumpy")
    found = stumpy.mmotifs(
        np.ascontiguousarray(x.T),
        profile,
        index,
        k=x.shape[1] - 1,
        cutoffs=np.inf,
        max_distance=radius,
        max_motifs=3,
        max_matches=None,
    )[1]
    return [sorted(int(i) for i in starts if i >= 0) for starts in found]


def compare(x, length):
    profile, index = theirs(x, length)
    gap = -(-length // 4) + 1
    seeds = Seeds(x, Windows.of(x, length), gap)
    every = np.ones(seeds.windows.count, np.bool_)
    moments = seeds._moments(np.arange(seeds.windows.count))
    ours = rounding.nearest_distances(*seeds._products, moments, length, gap, every)
    np.testing.assert_array_equal(ours, profile[-1])
    radius = 1.1 * float(np.quantile(profile[-1][np.isfinite(profile[-1])], 0.3))
    found = golden.starts(MMotifs(length, radius, max_sets=3).find(x))
    assert found == their_sets(x, profile, index, radius)
    assert found


@pytest.mark.parametrize(
    "kind", ["plain", "copies", "flat", "broken", "periodic", "offset"]
)
def test_profile_and_sets_are_those_of_stumpy(kind):
    compare(noise(kind), 30)


@pytest.mark.parametrize("channels", [1, 2])
def test_fewer_channels(channels):
    compare(noise("plain", channels), 41)


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize(
    ("name", "length", "place"),
    [
        pytest.param(
            name,
            length,
            place,
            marks=[] if (name, place) in QUICK else [pytest.mark.slow],
        )
        for name, length, problems in REAL
        for place in range(problems)
    ],
)
def test_real_series(name, length, place):
    compare(load_benchmark(name)[place].series, length)

"""MMotifs and stumpy: the same sets, but for seeds that tie.

The two windows of a nearest pair are equally near, and stumpy leaves to rounding which
of them is the seed. `replay` takes the seeds of stumpy one by one and proves that each
ties with the lowest window that is left, by distances to 60 digits, and that its set
follows from it: then nothing but the choice between ties tells the two apart.
"""

import math
from decimal import Decimal

import numpy as np
import pytest

from tests.methods import golden
from tests.reference.exact_distance import nearest_distance
from tsmdbench import load_benchmark
from tsmdbench.methods._windows import Windows, overlapping
from tsmdbench.methods.mmotifs import ROUNDING, MMotifs

pytestmark = [pytest.mark.parity, pytest.mark.slow]  # stumpy compiles for long

# Dataset, the shipped settings, number of problems.
REAL = (
    ("ArticularyWordRecognition", 144, 16.716603261246384, 8, 2),
    ("CharacterTrajectories", 119, 9.945294643498217, 7, 4),
    ("ECG5000", 140, 18.23883606366408, 2, 20),
    ("ERing", 65, 8.049120445407219, 2, 20),
    ("Fungi", 201, 8.132659835897153, 6, 4),
    ("JapaneseVowels", 16, 3.667450985843001, 3, 20),
    ("NATOPS", 51, 10.569187680497071, 2, 20),
    ("PenDigits", 8, 4.786095726286144, 3, 20),
    ("Plane", 144, 6.8940176436576355, 2, 20),
    ("SpokenArabicDigits", 40, 9.129541164591247, 3, 20),
    ("Symbols", 398, 32.72938309919432, 2, 4),
    ("UWaveGestureLibrary", 315, 23.885032369149908, 3, 4),
)


# All within the radius, and what stumpy does where it is told nothing else.
ALL = {"exclusion": 0.25, "disjoint": False}
DEFAULTS = dict(MMotifs.paper)


def mmotifs(length, radius, max_sets, fields):
    return MMotifs(length, radius, max_sets=max_sets, **fields)


def stumpy_sets(x, method):
    """Sets of stumpy, each with its seed first; at its defaults if ours are these."""
    stumpy = pytest.importorskip("stumpy")
    rows = np.atleast_2d(np.ascontiguousarray(x.T))
    free = {"cutoffs": np.inf, "max_matches": None}
    found = stumpy.mmotifs(
        rows,
        *stumpy.mstump(rows, method.length),
        k=len(rows) - 1,
        max_distance=float(method.radius),
        max_motifs=method.max_sets,
        **(free if method.cutoff is None else {}),
    )[1]
    return [[int(start) for start in starts if start >= 0] for starts in found]


def tied(x, method, seed, lowest):
    """Whether two seeds tie, by the exact distances to their nearest windows."""
    clean = np.where(np.isfinite(x), x, np.nan)
    one, two = (
        nearest_distance(clean, method.length, method._gap, at) for at in (seed, lowest)
    )
    return abs(one - two) <= Decimal(math.sqrt(2 * method.length * ROUNDING))


def replay(x, method, sets):
    """Assert that sets of stumpy are ours, given its choice between seeds that tie."""
    windows = Windows.of(x, method.length)
    profile = windows.nearest(method._gap)[0]
    limit = method._limit(profile)
    for starts in sets:
        lowest, seed = int(profile.argmin()), starts[0]
        assert np.isfinite(profile[seed])
        assert seed == lowest or tied(x, method, seed, lowest)
        assert sorted(method._matches(windows, seed, [])) == sorted(starts)
        profile[overlapping(np.array(starts), windows.count, method._gap)] = np.inf
    assert len(sets) == method.max_sets or not profile.min() <= limit


def compare(x, method):
    """Assert that the sets differ by ties at most; tell whether they are equal."""
    theirs = stumpy_sets(x, method)
    replay(x, method, theirs)
    return golden.starts(method.find(x)) == [sorted(starts) for starts in theirs]


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
    elif kind == "huge":
        x *= 1e6
    return x


@pytest.mark.parametrize("fields", [ALL, DEFAULTS], ids=["all", "defaults"])
@pytest.mark.parametrize(
    "kind", ["plain", "copies", "flat", "broken", "periodic", "offset", "huge"]
)
def test_sets_differ_from_those_of_stumpy_by_ties(kind, fields):
    x = noise(kind)
    profile = Windows.of(x, 30).nearest(9)[0]
    radius = 1.1 * float(np.quantile(profile[np.isfinite(profile)], 0.3))
    method = mmotifs(30, radius, 3, fields)
    compare(x, method)
    assert method.find(x)


@pytest.mark.parametrize("channels", [1, 2])
def test_fewer_channels(channels):
    for fields in (ALL, DEFAULTS):
        compare(noise("plain", channels), mmotifs(41, 6.0, 3, fields))


@pytest.mark.parametrize(
    "case", [case for case in golden.CASES if case["method"] == "mmotifs"]
)
def test_golden_sets_differ_by_ties(case):
    x = golden.series(case["series"])
    x = x if x.ndim == 2 else x[:, None]
    for fields in (ALL, DEFAULTS):
        compare(x, MMotifs(**{**case["settings"], **fields}))


def planted(seed, channels):
    """Two patterns with four clear copies each: either window of a pair may seed."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1200, channels)).cumsum(axis=0)
    places = rng.permutation(14)[:8] * 80 + 10
    for starts in (places[:4], places[4:]):
        pattern = 4 * rng.normal(size=(60, channels)).cumsum(axis=0)
        for start in starts:
            x[start : start + 60] = pattern + 0.3 * rng.normal(size=pattern.shape)
    return x


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_clear_copies_leave_no_choice(seed, channels):
    for fields in (ALL, DEFAULTS):
        assert compare(planted(seed, channels), mmotifs(60, 4.0, 2, fields))


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("fields", [ALL, DEFAULTS], ids=["all", "defaults"])
@pytest.mark.parametrize("real", REAL, ids=[real[0] for real in REAL])
def test_real_series(real, fields, record_property):
    name, length, radius, max_sets, problems = real
    method = mmotifs(length, radius, max_sets, fields)
    equal = [
        compare(problem.series, method) for problem in load_benchmark(name)[:problems]
    ]
    record_property(name, f"{sum(equal)} of {problems} problems equal")

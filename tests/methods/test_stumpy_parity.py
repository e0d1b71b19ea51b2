"""MMotifs against stumpy itself: indices equal, on series with every difficulty."""

import numpy as np
import pytest

from tests.methods import golden
from tsmdbench.methods.mmotifs import MMotifs

pytestmark = [pytest.mark.slow, pytest.mark.parity]


def problem(seed, channels, kind):
    """Two patterns, four clear copies each, so that either window may be the seed.

    The two windows of the nearest pair tie; stumpy leaves to rounding which of them is
    the seed, we take the first. Only members near to the radius depend on it.
    """
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1200, channels)).cumsum(axis=0)
    places = rng.permutation(14)[:8] * 80 + 10
    for starts in (places[:4], places[4:]):
        pattern = 4 * rng.normal(size=(60, channels)).cumsum(axis=0)
        for start in starts:
            x[start : start + 60] = pattern + 0.3 * rng.normal(size=pattern.shape)
    if kind == "flat":
        x[1130:1160, 0] = x[1130, 0]
    elif kind == "broken":
        x[1140, -1], x[1170, 0] = np.nan, np.inf
    elif kind == "huge":
        x *= 1e6
    return x


def stumpy_sets(x, length, radius, max_sets):
    stumpy = pytest.importorskip("stumpy")
    rows = np.ascontiguousarray(x.T)
    profile, index = stumpy.mstump(rows, length)
    found = stumpy.mmotifs(
        rows,
        profile,
        index,
        k=x.shape[1] - 1,
        cutoffs=np.inf,
        max_distance=float(radius),
        max_motifs=max_sets,
        max_matches=None,
    )[1]
    return [sorted(int(i) for i in starts if i >= 0) for starts in found]


@pytest.mark.parametrize("kind", ["plain", "flat", "broken", "huge"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_mmotifs_returns_the_indices_of_stumpy(seed, channels, kind):
    x = problem(seed, channels, kind)
    found = golden.starts(MMotifs(60, 4.0, max_sets=2).find(x))
    assert found == stumpy_sets(x, 60, 4.0, 2)
    assert len(found) == 2

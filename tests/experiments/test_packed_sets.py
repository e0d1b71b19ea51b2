"""Motif sets as columns of small numbers."""

import numpy as np
import pyarrow as pa
import pytest

from tsmdbench import MotifSet
from tsmdbench.experiments.packed_sets import LISTS, NAMES, packed, unpacked


def drawn(rng):
    """Draw motif sets: plain ones, and ones with few or many channels."""
    sets = []
    for _ in range(rng.integers(0, 4)):
        count, width = rng.integers(1, 5), rng.integers(0, 4)
        starts = rng.integers(0, 50, (count, max(width, 1)))
        intervals = np.stack([starts, starts + rng.integers(1, 9, starts.shape)], -1)
        channels = np.sort(rng.choice(30, width, replace=False))
        one = MotifSet(intervals, channels) if width else MotifSet(intervals[:, 0])
        sets.append(one.to_rows())
    return sets


@pytest.mark.parametrize("seed", range(20))
def test_packed_sets_are_what_they_were(seed):
    rng = np.random.default_rng(seed)
    rows = [drawn(rng) for _ in range(seed)]
    column = pa.array(rows, LISTS)
    assert unpacked(packed(column)).equals(column)
    chunks = pa.chunked_array([column[:3], column[3:]])
    assert unpacked(packed(chunks)).equals(column)


def test_empty_sets_are_kept():
    rows = [[[]], [], [[], [[1, 3]]], [[[1, 6, 0, 1, 5, 3, 2, 6]], []]]
    assert unpacked(packed(pa.array(rows, LISTS))).to_pylist() == rows


def test_equal_intervals_are_written_once():
    motifs = MotifSet([(5, 15), (30, 40)], channels=[2, 3, 7]).to_rows()
    (row,) = packed(pa.array([[motifs]], LISTS)).to_pylist()
    values = ([2], [3], [2, 1, 4], [5, 25], [10, 10], [0] * 4, [0] * 4)
    assert row == dict(zip(NAMES, values, strict=True))


@pytest.mark.parametrize(
    ("motifs", "message"),
    [
        ([[0, 9, 1]], "not start, end, and intervals"),
        ([[0, 9, 1, 0, 9], [20, 29, 2, 20, 29]], "different channels"),
        ([[0, 9, 1, 0, 9], [20, 29]], "different channels"),
        ([[0, 9, 1, 0, 8]], "does not cover"),
        ([None], "is empty"),
    ],
)
def test_other_numbers_are_refused(motifs, message):
    with pytest.raises(ValueError, match=message):
        packed(pa.array([[motifs]], LISTS))


def test_numbers_that_do_not_fit_are_refused():
    whole = packed(pa.array([drawn(np.random.default_rng(9))] * 3, LISTS))
    assert len(unpacked(whole)) == 3
    for name in NAMES:
        for harm in (
            lambda one: one[:-1],
            lambda one: [*one, 1],
            lambda one: one[:-1] + [10**9] * 2,
        ):
            rows = whole.to_pylist()
            rows[1][name] = harm(rows[1][name])
            with pytest.raises(ValueError, match="do not fit"):
                unpacked(pa.array(rows, whole.type))

"""Motif sets: immutable, sorted, cheap, and rebuilt by their repr."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsmdbench import InputError, InputTypeError, MotifSet
from tsmdbench.types import MotifSets

bounds = st.tuples(st.integers(0, 50), st.integers(1, 20)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
segment_lists = st.lists(bounds, max_size=12)


@given(segment_lists)
def test_motif_set_is_sorted_and_rebuilt_by_its_repr(segments):
    motifs = MotifSet(segments)
    assert list(motifs) == sorted(segments)
    assert eval(repr(motifs)) == motifs  # noqa: S307
    assert len(motifs) == len(segments)
    assert motifs == MotifSet(segments[::-1])
    assert hash(motifs) == hash(MotifSet(segments[::-1]))
    assert pickle.loads(pickle.dumps(motifs)) == motifs  # noqa: S301
    assert all(segment in motifs for segment in segments)


@given(st.lists(segment_lists, max_size=6))
def test_pieces_equal_sets_made_one_by_one(lists):
    flat = np.array([s for segments in lists for s in segments]).reshape(-1, 2)
    labels = tuple(range(len(lists)))
    cut = MotifSets.from_pieces(labels, flat, map(len, lists))
    assert cut.sets == tuple(MotifSet(segments) for segments in lists)
    assert cut.sizes.tolist() == [len(segments) for segments in lists]


def test_motif_set_cannot_be_changed():
    given_array = np.array([[0, 5], [10, 15]])
    motifs = MotifSet(given_array)
    given_array[0, 0] = 3
    assert motifs[0] == (0, 5)
    with pytest.raises(ValueError, match="read-only"):
        motifs.segments[0, 0] = 1
    for name in ("extra", "segments", "channels"):
        with pytest.raises(AttributeError):
            setattr(motifs, name, 1)
    with pytest.raises(AttributeError):
        del motifs.segments


def test_positions_give_segments_and_slices_give_motif_sets():
    pairs = [(0, 5), (6, 8), (10, 17), (20, 21)]
    motifs = MotifSet(pairs)
    assert [motifs[np.int64(i)] for i in range(-4, 4)] == pairs + pairs
    for piece in (slice(0, 2), slice(1), slice(2, 2), slice(None, None, -1), slice(3)):
        assert motifs[piece] == MotifSet(pairs[piece])
    with pytest.raises(IndexError):
        motifs[4]
    for wrong in ("a", 0.5, [0, 1], (0, 1), None):
        with pytest.raises(InputTypeError, match="by a whole number or a slice"):
            motifs[wrong]


def test_motif_set_is_an_array_of_int64_of_every_kind_of_integer():
    motifs = MotifSet([(0, 5), (10, 17)])
    assert np.asarray(motifs).dtype == np.int64
    columns = (motifs.lengths, motifs.starts, motifs.ends)
    assert [column.tolist() for column in columns] == [[5, 7], [0, 10], [5, 17]]
    assert len(MotifSet()) == 0
    assert MotifSet() != MotifSet([(0, 1)]) != "else"
    mixed = [
        (np.int32(0), np.uint64(5)),
        (10, np.int64(15)),
        [np.uint8(20), 25.0],
        (np.uint64(2**62), 2**62 + 1),
    ]
    assert list(MotifSet(mixed)) == [(0, 5), (10, 15), (20, 25), (2**62, 2**62 + 1)]


def test_starts_and_masks_convert():
    assert MotifSet.from_starts([4, 0], 3) == MotifSet([(0, 3), (4, 7)])
    assert MotifSet.from_starts(np.array([], dtype=int), 3) == MotifSet()
    assert MotifSet.from_mask([1, 1, 0, 1]) == MotifSet([(0, 2), (3, 4)])
    assert MotifSet.from_mask([]) == MotifSet()
    assert MotifSet([(0, 2), (1, 4)]).to_mask(6).tolist() == [1, 1, 1, 1, 0, 0]


def test_malformed_segments_are_refused():
    for segments, error, message in (
        ([(5, 5)], InputError, "0 <= start < end"),
        ([(5, 3)], InputError, "0 <= start < end"),
        ([(-1, 3)], InputError, "0 <= start < end"),
        ([(0, 1.5)], InputTypeError, "whole numbers"),
        ([(0, float("nan"))], InputTypeError, "whole numbers"),
        ([("0", "5")], InputTypeError, "whole numbers"),
        ([(0, None)], InputTypeError, "whole numbers"),
        ([(False, 2.0)], InputTypeError, "whole numbers"),
        ([(np.True_, 2.0)], InputTypeError, "whole numbers"),
        ([(0, 1, 2)], InputError, r"\(start, end\) pair"),
        ([0, 1], InputError, r"\(start, end\) pair"),
        (7, InputTypeError, "list of"),
        ("ab", InputTypeError, "list of"),
        ([(0, 2**70)], InputError, "beyond 64 bits"),
        ([(0, 10**5000)], InputError, "beyond 64 bits"),
    ):
        with pytest.raises(error, match=message):
            MotifSet(segments)
    for starts, length, message in (
        ([0], 0, "at least 1"),
        ([0], 1.5, "whole number"),
        ([-2], 4, "negative"),
    ):
        with pytest.raises(InputError, match=message):
            MotifSet.from_starts(starts, length)
    for mask, message in (([0, 2], "only 0 and 1"), ([[0, 1]], "one dimension")):
        with pytest.raises(InputError, match=message):
            MotifSet.from_mask(mask)
    with pytest.raises(InputError, match="beyond the series"):
        MotifSet([(0, 9)]).to_mask(5)


def test_a_set_with_channels_is_sorted_immutable_and_compared_by_content():
    late = [(20, 30), (22, 31)]
    arm = MotifSet([late, (0, 10)], channels=[2, 0])
    assert arm.channels == (0, 2)
    assert arm.segments.tolist() == [[0, 10], [20, 31]]
    assert arm.intervals.tolist() == [[[0, 10]] * 2, [[22, 31], [20, 30]]]
    assert not arm.intervals.flags.writeable
    copied = pickle.loads(pickle.dumps(arm))  # noqa: S301
    assert arm == eval(repr(arm)) == copied == MotifSet(arm)  # noqa: S307
    assert hash(arm) == hash(copied)
    assert arm[1:] == MotifSet([late], channels=[2, 0])
    assert arm[-1] == (20, 31)
    equal = MotifSet([(0, 10)], channels=range(2))
    assert repr(equal) == "MotifSet(((0, 10),), channels=(0, 1))"
    assert equal == MotifSet([[(0, 10), (0, 10)]], channels=[0, 1])
    plain = MotifSet([(0, 10)])
    assert plain != equal != MotifSet([(0, 10)], channels=[0])
    assert (plain.channels, plain.intervals.tolist()) == (None, [[[0, 10]]])


@pytest.mark.parametrize(
    ("segments", "channels", "message"),
    [
        ([(0, 10)], [], "channels is empty"),
        ([(0, 10)], [0, 0], "named twice"),
        ([(0, 10)], [-1], "counted from 0"),
        ([(0, 10)], ["a"], "not a channel number"),
        ([(0, 10)], 3, "list of channel numbers"),
        ([[(0, 10)]], [0, 1], "motif 0 has 1 intervals in 2 channels"),
        ([[]], [0], "motif 0 has 0 intervals in 1 channels"),
        ([[(0, 10), (5, 5)]], [0, 1], r"segment 1 is \[5, 5\)"),
    ],
)
def test_wrong_channels_are_refused(segments, channels, message):
    with pytest.raises(InputError, match=message):
        MotifSet(segments, channels=channels)

"""What other packages return, as motif sets; where installed, from themselves."""

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError, MotifSet
from tsmdbench.io import (
    Recording,
    from_frame,
    from_leitmotifs,
    from_locomotif,
    from_motiflets,
    from_sample_labels,
    from_stumpy,
    read_motif_sets,
)
from tsmdbench.methods.contract import planted_problem
from tsmdbench.metrics import prom
from tsmdbench.validation import check_motif_sets

SERIES = planted_problem().series


def test_stumpy_rows_are_sets_without_the_filling(tmp_path):
    indices = np.array([[5, 50, -1], [10, -1, -1]])
    sets = from_stumpy(indices, 20)
    assert sets == [MotifSet([(5, 25), (50, 70)]), MotifSet([(10, 30)])]
    np.save(tmp_path / "x.npy", indices)
    found = read_motif_sets(tmp_path / "x.npy", length=20)
    assert check_motif_sets(found, "found").sets == tuple(sets)
    with pytest.raises(InputError, match="give the length of the windows"):
        read_motif_sets(tmp_path / "x.npy")
    for wrong in ([1, 2], [[1.5]], [[-2]]):
        with pytest.raises(InputError):
            from_stumpy(np.array(wrong), 20)


@pytest.mark.slow
@pytest.mark.parity
def test_stumpy_itself():
    stumpy = pytest.importorskip("stumpy")
    profile = stumpy.stump(SERIES, m=50)
    _, indices = stumpy.motifs(SERIES, profile[:, 0].astype(float), max_motifs=3)
    sets = from_stumpy(indices, 50)
    for row, motifs in zip(indices, sets, strict=True):
        assert sorted(start for start in row if start >= 0) == motifs.starts.tolist()


@pytest.mark.slow
@pytest.mark.parity
def test_locomotif_itself():
    locomotif = pytest.importorskip("locomotif.locomotif")
    z = (SERIES - SERIES.mean()) / SERIES.std()
    result = locomotif.apply_locomotif(z[:400], 40, 60, nb=2)
    sets = from_locomotif(result)
    assert len(sets) == len(result)
    for motifs, (representative, segments) in zip(sets, result, strict=True):
        assert len(motifs) == len(segments)
        assert tuple(map(int, representative)) in motifs
    with pytest.raises(InputError, match="item 0 of LoCoMotif"):
        from_locomotif([1])


@pytest.mark.slow
@pytest.mark.parity
def test_motiflets_itself():
    motiflets = pytest.importorskip("motiflets.motiflets")
    result = motiflets.search_k_motiflets_elbow(6, SERIES, 50, n_jobs=1)
    sets = from_motiflets(result)
    sizes = [len(motifs) for motifs in sets]
    assert sizes == np.concatenate(result[2]).tolist()
    assert all((motifs.lengths == 50).all() for motifs in sets)
    flat = (result[0], result[1], np.concatenate(result[2]))
    assert from_motiflets(flat, 50) == sets
    with pytest.raises(InputError, match="give length"):
        from_motiflets(flat)
    with pytest.raises(InputError, match="length is 40, but the result says 50"):
        from_motiflets(result, 40)


def test_motiflets_of_several_ranks():
    candidates = np.empty(4, dtype=object)
    candidates[2] = [np.array([0, 50]), np.array([100, 150])]
    candidates[3] = [np.array([0, 50, 200]), np.array([100, 150, 300])]
    elbows = [np.array([3]), np.array([2, 3])]
    sets = from_motiflets((None, candidates, elbows, 10, 0.0))
    assert [motifs.starts.tolist() for motifs in sets] == [
        [0, 50, 200],
        [100, 150],
        [100, 150, 300],
    ]
    with pytest.raises(InputError, match="several candidates per size"):
        from_motiflets((None, candidates, np.array([2])), 10)
    with pytest.raises(InputError, match=r"3 values .* or 5"):
        from_motiflets((1, 2))


def test_leitmotifs_lose_the_channels():
    candidates = np.empty(4, dtype=object)
    candidates[2], candidates[3] = np.array([0, 50]), np.array([0, 50, 90])
    result = (None, candidates, None, np.array([3]), 10, 1.0)
    assert from_leitmotifs(result) == [MotifSet([(0, 10), (50, 60), (90, 100)])]
    with pytest.raises(InputError, match="returns 6 values, got 5"):
        from_leitmotifs(result[:5])


def test_labels_per_sample_against_a_loop():
    rng = np.random.default_rng(0)
    labels = np.repeat(rng.integers(0, 3, size=60), rng.integers(1, 5, size=60))
    sets = from_sample_labels(labels, background=0)
    marked = np.zeros(len(labels), dtype=int)
    for label, motifs in sets.items():
        for start, end in motifs:
            assert start == 0 or labels[start - 1] != label
            marked[start:end] = label
    assert np.array_equal(marked, labels)


def test_frames_slices_and_intervals_are_motif_sets():
    truth = {"a": [(0, 10), (20, 30)]}
    forms = [
        pd.DataFrame({"label": ["a", "a"], "start": [0, 20], "end": [10, 30], "by": 1}),
        {"a": [slice(0, 10), slice(20, 30)]},
        {"a": [pd.Interval(0, 10, closed="left"), pd.Interval(20, 30, closed="left")]},
        {"a": [pd.Interval(0, 9, closed="both"), pd.Interval(19, 29, closed="right")]},
        {"a": [pd.Interval(-1, 10, closed="neither"), (20, 30)]},
        {"a": pd.IntervalIndex.from_tuples([(0, 10), (20, 30)], closed="left")},
    ]
    for form in forms:
        sets = check_motif_sets(form, "truth")
        assert sets.sets == check_motif_sets(truth, "truth").sets
        assert prom(truth, form).f1 == 1.0
    with pytest.raises(InputError, match="a slice needs start and stop, no step"):
        check_motif_sets({"a": [slice(0, 10, 2)]}, "truth")
    stamps = pd.Interval(pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-02"))
    with pytest.raises(InputError, match="put times into a frame"):
        check_motif_sets({"a": [stamps]}, "truth")


def test_frames_in_time():
    start = pd.Timestamp("2024-05-01T12:00")
    recording = Recording(
        np.zeros((100, 1)),
        ("x",),
        rate=10.0,
        start=np.datetime64("2024-05-01T12:00", "ns"),
    )
    for zone in (None, "UTC"):
        frame = pd.DataFrame(
            {
                "label": ["a"],
                "start": [(start + pd.Timedelta("1s")).tz_localize(zone)],
                "end": [(start + pd.Timedelta("2s")).tz_localize(zone)],
            }
        )
        assert from_frame(frame, recording=recording) == {"a": MotifSet([(10, 20)])}
    frame = pd.DataFrame(
        {"set": ["a"], "start": [pd.Timedelta("1s")], "end": [pd.Timedelta("2s")]}
    )
    assert from_frame(frame, rate=10) == {"a": MotifSet([(10, 20)])}
    with pytest.raises(InputError, match="row 0: 1 s is a time, but no sampling rate"):
        from_frame(frame)
    with pytest.raises(InputError, match="must be set,start,end"):
        from_frame(frame[["set", "start"]])
    with pytest.raises(InputError, match="row 0"):
        from_frame(frame.assign(end=[None]))


def test_a_polars_frame_of_motifs():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"label": ["a"], "start": [0], "end": [10]})
    assert check_motif_sets(frame, "truth").sets == (MotifSet([(0, 10)]),)

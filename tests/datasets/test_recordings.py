"""Annotated recordings: which files belong together, splits, pieces, bad input."""

import json

import numpy as np
import pytest

from tsmdbench.benchmark import (
    data_card,
    load_recordings,
    read_problems,
    write_benchmarks,
)
from tsmdbench.datasets.recordings import Piece, truth_within
from tsmdbench.errors import InputError
from tsmdbench.experiments.settings import data_facts
from tsmdbench.types import MotifSet

STEPS = [[10, 30], [100, 121], [210, 230], [250, 270]]


def add(folder, name, truth=None, *, n=300, rate=None, channels=1):
    """Write a series, and its truth unless there is none."""
    folder.mkdir(parents=True, exist_ok=True)
    values = np.random.default_rng(len(name)).normal(size=(n, channels)).round(3)
    names = [f"c{channel}" for channel in range(channels)]
    if rate is not None:
        values = np.c_[np.arange(n) / rate, values]
        names = ["seconds", *names]
    lines = [",".join(names), *(",".join(f"{v:.4f}" for v in row) for row in values)]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    if truth is not None:
        (folder / f"{name}.truth.json").write_text(json.dumps(truth))


@pytest.fixture
def walks(tmp_path):
    for name in "abcdefg":
        add(tmp_path / "walks", name, {"step": STEPS}, rate=10)
    return tmp_path / "walks"


def test_whole_recordings_are_problems_with_their_truth(walks):
    found = load_recordings(walks)
    assert [problem.name for problem in found] == [f"walks/all/{c}" for c in "abcdefg"]
    assert found[0].series.shape == (300,)
    assert found[0].truth == {"step": MotifSet(STEPS)}
    assert not found.notes
    card = data_card(found)
    row = card.patterns[0]
    assert (row.label, row.recordings, row.occurrences) == ("step", 7, 28)
    assert (row.l_min, row.l_max) == (20, 21)
    assert card.values["covered"] == pytest.approx(7 * 81 / 2100)
    assert "- all: 7 problems from a, b, c, d, e, f, g" in card.text()


def test_no_recording_is_in_both_splits(walks):
    for seed in range(3):
        validation = load_recordings(walks, "validation", seed=seed, share=0.3)
        test = load_recordings(walks, "test", seed=seed, share=0.3)
        assert len(validation) == 2
        assert set(validation.used) | set(test.used) == set("abcdefg")
        assert not set(validation.used) & set(test.used)
    drawn = {load_recordings(walks, "validation", seed=s).used for s in range(8)}
    assert len(drawn) > 1


def test_folders_are_the_splits_where_they_exist(tmp_path):
    add(tmp_path / "validation", "x", {"step": STEPS})
    add(tmp_path / "test", "y", {"step": STEPS})
    assert load_recordings(tmp_path, "validation").used == ("x",)
    assert load_recordings(tmp_path, "test").used == ("y",)
    add(tmp_path, "z", {"step": STEPS})
    with pytest.raises(InputError, match="move it into one of the two"):
        load_recordings(tmp_path)
    add(tmp_path / "other", "a", {"s": STEPS})
    add(tmp_path / "other", "b")
    assert load_recordings(tmp_path / "other", unannotated="skip").used == ("a",)


def test_a_single_recording_has_no_validation(tmp_path):
    add(tmp_path, "only", {"step": STEPS})
    assert len(load_recordings(tmp_path, "validation")) == 0
    assert len(load_recordings(tmp_path, "test")) == 1
    card = data_card(load_recordings(tmp_path, "test"))
    assert "parameters must be given" in card.text()


def test_pieces_by_definition(walks):
    found = load_recordings(walks, piece="15s")
    assert len(found) == 14
    first, second = found[0], found[1]
    assert first.name == "walks/all/a@0"
    assert second.name == "walks/all/a@150"
    assert second.recipe == (("a", 150),)
    np.testing.assert_array_equal(
        np.concatenate([first.series, second.series]), load_recordings(walks)[0].series
    )
    assert first.truth == {"step": MotifSet([[10, 30], [100, 121]])}
    assert second.truth == {"step": MotifSet([[60, 80], [100, 120]])}
    assert [p.name for p in load_recordings(walks, piece=150)] == [
        p.name for p in found
    ]


def test_what_a_cut_loses_is_counted(walks):
    found = load_recordings(walks, piece=140)
    # [0, 140) has two occurrences; of [140, 280) too; none is cut. At 110, one is.
    assert not found.notes
    found = load_recordings(walks, piece=231)
    # [0, 231) has three; [250, 270) lies in what is left over at the end.
    assert found.notes == ("left out: 7 occurrences cut by, or outside of, the pieces",)
    with pytest.raises(InputError, match=r"no piece of .* take longer pieces"):
        load_recordings(walks, piece=60)


def test_random_pieces_hold_exactly_what_lies_inside():
    rng = np.random.default_rng(0)
    for _ in range(100):
        cuts = np.sort(rng.choice(500, size=20, replace=False)).reshape(-1, 2)
        whole = {"a": MotifSet(cuts[::2]), "b": MotifSet(cuts[1::2])}
        start, end = np.sort(rng.choice(500, size=2, replace=False)).tolist()
        found = truth_within(whole, Piece("x", start, end))
        for label, motifs in whole.items():
            inside = [
                (s - start, e - start) for s, e in motifs if start <= s < e <= end
            ]
            assert list(found.get(label, ())) == (inside if len(inside) > 1 else [])


def test_labels_name_patterns_within_a_recording(tmp_path):
    rise, fall = np.arange(40.0), np.sin(np.arange(40.0))
    for name, shape in (("rising", rise), ("waving", fall), ("other", rise)):
        series = np.random.default_rng(1).normal(size=300)
        for start in (20, 200):
            series[start : start + 40] = shape
        np.savetxt(tmp_path / f"{name}.csv", series)
        truth = {"motif": [[20, 60], [200, 240]]}
        (tmp_path / f"{name}.truth.json").write_text(json.dumps(truth))
    # Occurrences are equal within a recording, so the radius is 0.
    facts = data_facts(load_recordings(tmp_path))
    assert facts.joint_radius == pytest.approx(0.0, abs=1e-6)
    assert (facts.length, facts.k_max, facts.max_sets) == (40, 4, 1)


def test_written_problems_are_read_back(walks, tmp_path):
    splits = [load_recordings(walks, split) for split in ("validation", "test")]
    written = write_benchmarks(splits, tmp_path / "out")
    again = read_problems(written[1])
    assert [p.name for p in again] == [p.name for p in splits[1]]
    for mine, theirs in zip(splits[1], again, strict=True):
        np.testing.assert_array_equal(mine.series, theirs.series)
        assert mine.truth == theirs.truth
        assert mine.recipe == theirs.recipe
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    entry = manifest["files"]["walks-test.parquet"]
    assert entry["recipes"] == "recordings"
    assert len(entry["series_sha256"]) == len(splits[1])


def test_truth_in_other_formats(tmp_path):
    add(tmp_path, "a", rate=10)
    (tmp_path / "a.truth.csv").write_text("set,start,end\nx,1s,2s\nx,10s,11s\n")
    add(tmp_path, "b", rate=10)
    (tmp_path / "b.json").write_text(json.dumps({"x": [[0, 5], [7, 9]]}))
    found = load_recordings(tmp_path)
    assert found[0].truth == {"x": MotifSet([(10, 20), (100, 110)])}
    assert found[1].truth == {"x": MotifSet([(0, 5), (7, 9)])}
    overlapping = {"a": [[0, 10], [30, 50]], "b": [[6, 20], [45, 60]]}
    (tmp_path / "b.json").write_text(json.dumps(overlapping))
    assert load_recordings(tmp_path, overlapping="halve")[1].truth == {
        "a": MotifSet([(0, 8), (30, 47)]),
        "b": MotifSet([(8, 20), (47, 60)]),
    }


BAD = {
    "empty": ("has no annotated recording", lambda f: f.mkdir()),
    "missing": ("is not a folder", lambda _: None),
    "no truth": (
        "no truth for b",
        lambda f: add(f, "b") or add(f, "a", {"s": STEPS}),
    ),
    "outside": ("a.truth.json", lambda f: add(f, "a", {"s": [[10, 20], [290, 310]]})),
    "overlap": ("must not overlap", lambda f: add(f, "a", {"s": [[10, 20], [15, 30]]})),
    "one occurrence": ("2 occurrences", lambda f: add(f, "a", {"s": [[10, 20]]})),
    "rates": (
        "100 Hz and b has 50 Hz",
        lambda f: (
            add(f, "a", {"s": STEPS}, rate=100) or add(f, "b", {"s": STEPS}, rate=50)
        ),
    ),
    "channels": (
        "1 channel and b has 2",
        lambda f: add(f, "a", {"s": STEPS}) or add(f, "b", {"s": STEPS}, channels=2),
    ),
    "two truths": (
        "several files of truth",
        lambda f: add(f, "a", {"s": STEPS}) or (f / "a.json").write_text("{}"),
    ),
    "one side": ("not both", lambda f: add(f / "test", "a", {"s": STEPS})),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_folders_are_named_in_one_sentence(tmp_path, case):
    message, make = BAD[case]
    make(tmp_path / "folder")
    with pytest.raises(InputError, match=message) as caught:
        load_recordings(tmp_path / "folder")
    assert "\n" not in str(caught.value)


def test_missing_values_name_the_file_and_can_be_filled(tmp_path):
    add(tmp_path, "a", {"s": STEPS})
    file = tmp_path / "a.csv"
    lines = file.read_text().splitlines()
    lines[50] = "nan"
    file.write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"a\.csv"):
        load_recordings(tmp_path)
    filled = load_recordings(tmp_path, missing="interpolate")
    assert np.isfinite(filled[0].series).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"piece": "soon"}, "samples or a duration"),
        ({"piece": "30s"}, "needs a sampling rate"),
        ({"piece": 301}, "does not fit"),
        ({"piece": 0}, "does not fit"),
        ({"share": 1.0}, r"share must lie in \(0, 1\)"),
        ({"split": "train"}, "split"),
        ({"missing": "keep"}, "leaves gaps"),
        ({"overlapping": "drop"}, "overlapping"),
    ],
)
def test_bad_options_are_refused(tmp_path, options, message):
    add(tmp_path, "a", {"s": STEPS})
    with pytest.raises(InputError, match=message):
        load_recordings(tmp_path, **options)


def test_truth_in_samples_of_the_file_is_moved_with_filled_gaps(tmp_path):
    """Samples and seconds mean the same rows, before and after a gap."""
    times = np.concatenate([np.arange(100), np.arange(120, 300)]) / 10
    rows = "\n".join(f"{t:.1f},{np.sin(t)}" for t in times)
    (tmp_path / "a.csv").write_text(f"time,x\n{rows}\n")
    truth = tmp_path / "a.truth.csv"
    truth.write_text("set,start,end\ns,10,30\ns,150,170\n")
    in_samples = load_recordings(tmp_path, missing="interpolate")[0]
    truth.write_text("set,start,end\ns,1s,3s\ns,17s,19s\n")
    in_seconds = load_recordings(tmp_path, missing="interpolate")[0]
    assert (
        in_samples.truth == in_seconds.truth == {"s": MotifSet([(10, 30), (170, 190)])}
    )
    assert len(in_samples.series) == 300
    assert np.allclose(in_samples.series[170:190], np.sin(np.arange(170, 190) / 10))

"""Own instances: the benchmark, the files, the card, the noise."""

import json
import re
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tsmdbench.benchmark import (
    Noise,
    add_noise,
    build_benchmark,
    check_benchmarks,
    data_card,
    from_annotations,
    read_instances,
    read_problems,
    write_benchmarks,
)
from tsmdbench.errors import DataError, InputError
from tsmdbench.experiments import Store, resume, run
from tsmdbench.types import MotifSet

RNG = np.random.default_rng(7)
LABELS = [str(k % 6) for k in range(36)]
INSTANCES = [
    np.sin((1 + int(label)) * np.linspace(0, 3, 20 + k % 3))[:, None]
    + 0.05 * RNG.normal(size=(20 + k % 3, 2))
    for k, label in enumerate(LABELS)
]


def test_build_benchmark_makes_valid_problems():
    bench = build_benchmark(INSTANCES, LABELS, 12, seed=3)
    assert len(bench) == 12
    assert build_benchmark(INSTANCES, LABELS, 5, seed=3).recipes == bench.recipes[:5]
    assert build_benchmark(INSTANCES, LABELS, 12, seed=2).recipes != bench.recipes
    for number, problem in enumerate(bench):
        assert problem.name == f"own/all/{number:03d}"
        kinds = [LABELS[row] for _, row in problem.recipe]
        assert set(problem.truth) == set(kinds[::2])
        assert len(problem.series) == sum(
            len(INSTANCES[row]) for _, row in problem.recipe
        )
    kinds = [["1_0", "10", "nan", "x", "inf", "-1"][k % 6] for k in range(36)]
    named = build_benchmark(INSTANCES, kinds, 40)  # labels are compared as text
    assert {label for problem in named for label in problem.truth} == set(kinds)
    sides = [
        {origin for problem in build_benchmark(INSTANCES, LABELS, 30, split=split)
         for origin in problem.recipe}
        for split in ("validation", "test")
    ]  # fmt: skip
    assert sides[0]
    assert not sides[0] & sides[1]
    raw = build_benchmark(INSTANCES, LABELS, 1, normalize=None)[0]
    first = INSTANCES[raw.recipe[0][1]]
    assert np.array_equal(raw.series[: len(first)], first)
    channel = build_benchmark(INSTANCES, LABELS, 1, normalize="channel")[0]
    part = channel.series[: len(first)]
    assert np.allclose(part.mean(axis=0), 0)
    assert np.allclose(part.std(axis=0), 1)


def stacked(cases, *shape):
    """Return instances of one shape, as aeon and tslearn have them."""
    return np.random.default_rng(1).normal(size=(cases, *shape))


def same_problems(first, second):
    return all(
        np.array_equal(a.series, b.series) and a.truth == b.truth
        for a, b in zip(first, second, strict=True)
    )


@pytest.mark.parametrize("channels", [1, 3, 9])
def test_aeon_arrays_give_the_same_problems_as_time_first(channels):
    ours = stacked(36, 30, channels)
    bench = build_benchmark(list(ours), LABELS, 4)
    aeon = ours.transpose(0, 2, 1)
    axis = "last" if channels >= 4 else None
    assert same_problems(bench, build_benchmark(aeon, LABELS, 4, time_axis=axis))
    lengths = [30 - k % 3 for k in range(36)]  # then no option is needed
    several = [one[:n] for one, n in zip(ours, lengths, strict=True)]
    turned = [one.T for one in several]
    pair = (build_benchmark(one, LABELS, 4) for one in (several, turned))
    assert same_problems(*pair)
    assert data_card(aeon, LABELS, time_axis=axis).values["l_min"] == 30
    wrong = data_card(stacked(36, 9, 60), LABELS, time_axis="first")
    assert any("time_axis='last'" in warning for warning in wrong.warnings)


@pytest.mark.parametrize("channels", [1, 9])
def test_padding_with_nan_at_the_end_is_left_out(channels):
    padded = stacked(36, 30, channels)  # as tslearn's to_time_series_dataset has it
    for k, one in enumerate(padded):
        one[30 - k % 3 :] = np.nan
    plain = [one[: 30 - k % 3] for k, one in enumerate(padded)]
    assert same_problems(
        build_benchmark(plain, LABELS, 4), build_benchmark(padded, LABELS, 4)
    )
    padded[0, 5] = np.nan
    with pytest.raises(InputError, match="instance 0 holds missing"):
        build_benchmark(padded, LABELS, 4)


@pytest.mark.parametrize(
    ("instances", "labels", "options", "sentence"),
    [
        ([], [], {}, "instances is empty"),
        (np.array(3.0), LABELS, {}, "instances must be a sequence"),
        (stacked(36, 9, 60), LABELS, {}, "9 x 60 may be 9 samples.*time_axis='last'"),
        (list(stacked(36, 9, 60)), LABELS, {}, "give time_axis='first'"),
        (stacked(36, 9, 9), LABELS, {"time_axis": "2"}, "time_axis must be one of"),
        (stacked(36, 3), LABELS, {}, "instance 0 has 3 samples, but the smallest"),
        (
            stacked(36, 9, 3),
            LABELS,
            {"time_axis": "last"},
            "instance 0 has 3 samples, but the smallest window of a method has 4",
        ),
        (INSTANCES, LABELS[:-1], {}, "36 instances but 35 labels"),
        (INSTANCES, [None, *LABELS[1:]], {}, "instance 0 has no label"),
        (INSTANCES, [*LABELS[:-1], " "], {}, "instance 35 has no label"),
        (
            [*INSTANCES[:-1], np.zeros((20, 3))],
            LABELS,
            {},
            "instance 35 has 3 channels where instance 0 has 2",
        ),
        (
            [np.full((20, 2), np.nan), *INSTANCES[1:]],
            LABELS,
            {},
            "instance 0 holds missing or infinite",
        ),
        ([["a"], *INSTANCES[1:]], LABELS, {}, "instance 0 is not numeric"),
        (INSTANCES, ["x"] * 36, {}, "too few classes"),
        (INSTANCES, ["x", *LABELS[1:]], {}, "class 'x' has only one instance"),
        (INSTANCES, LABELS, {"g_max": 3}, "g_max must be at most 2 for 6 classes"),
        (INSTANCES, LABELS, {"normalize": "max"}, "normalize must be one of"),
        (INSTANCES, LABELS, {"split": "train"}, "split must be one of"),
        (INSTANCES, LABELS, {"noise": -1.0}, "noise must not be negative"),
        (INSTANCES, LABELS, {"noise_where": "x"}, "noise_where must be one of"),
        (INSTANCES, LABELS, {"n_problems": 0}, "n_problems must be at least 1"),
    ],
)
def test_wrong_instances_are_refused(instances, labels, options, sentence):
    with pytest.raises(InputError, match=sentence):
        build_benchmark(instances, labels, **options)


@pytest.mark.parametrize("where", ["all", "motifs", "separators"])
def test_noise_is_where_it_should_be(where):
    quiet = build_benchmark(INSTANCES, LABELS, 3)
    loud = build_benchmark(INSTANCES, LABELS, 3, noise=0.5, noise_where=where)
    for before, after in zip(quiet, loud, strict=True):
        changed = (before.series != after.series).any(axis=1)
        mask = np.zeros(len(changed), dtype=bool)
        for motifs in before.truth.values():
            mask |= motifs.to_mask(len(mask))
        expected = {"all": mask | True, "motifs": mask, "separators": ~mask}[where]
        assert np.array_equal(changed, expected)
        assert after.truth == before.truth
    added = np.concatenate(
        [
            (b.series - a.series)[(b.series != a.series).any(axis=1)].ravel()
            for a, b in zip(quiet, loud, strict=True)
        ]
    )
    assert added.std() == pytest.approx(0.5, rel=0.15)
    assert np.array_equal(loud[1].series, loud[1].series)
    other = add_noise(quiet[0], Noise(0.5, where, seed=1))
    assert not np.array_equal(other.series, loud[0].series)
    with pytest.raises(InputError, match="makes the series infinite"):
        add_noise(quiet[0], Noise(1.7e308))


def test_annotated_recordings_become_problems(tmp_path):
    np.savetxt(tmp_path / "walk.csv", np.arange(50.0))
    marks = tmp_path / "marks.csv"
    marks.write_text("set,start,end\nstep,0,5\nstep,20,26\nturn,30,40\n")
    problem = from_annotations(tmp_path / "walk.csv", marks)
    assert problem.name == "walk"
    assert problem.truth == {
        "step": MotifSet([(0, 5), (20, 26)]),
        "turn": MotifSet([(30, 40)]),
    }
    with pytest.raises(InputError, match="ends beyond the series"):
        from_annotations(np.zeros(39), marks)
    with pytest.raises(InputError, match="must not overlap"):
        from_annotations(np.zeros(50), [[(0, 10)], [(9, 12)]])


def _write(folder, ending):
    """Write INSTANCES in one of the formats."""
    file = folder / f"gestures{ending}"
    long = [
        (f"i{k}", label, *sample)
        for k, (instance, label) in enumerate(zip(INSTANCES, LABELS, strict=True))
        for sample in instance.tolist()
    ]
    if ending == ".csv":
        lines = ["instance,label,x,y", *(",".join(map(str, row)) for row in long)]
        file.write_text("\n".join(lines))
    elif ending == ".parquet":
        columns = zip(*long, strict=True)
        names = ["instance", "label", "x", "y"]
        pq.write_table(pa.table(dict(zip(names, columns, strict=True))), file)
    else:
        np.savez(
            file,
            values=np.concatenate(INSTANCES),
            lengths=[len(instance) for instance in INSTANCES],
            labels=LABELS,
        )
    return file


def test_instances_are_read_from_every_format(tmp_path, write_dataset):
    write_dataset(tmp_path, "Toy", {"TRAIN": (INSTANCES, LABELS)}, equal=False)
    files = [_write(tmp_path, ending) for ending in (".csv", ".parquet", ".npz")]
    for file in (*files, tmp_path / "Toy" / "Toy_TRAIN.ts"):
        instances, labels = read_instances(file)
        assert all(map(np.array_equal, instances, INSTANCES))
        assert labels == tuple(LABELS)
    wide = tmp_path / "wide.csv"
    wide.write_text("label,t0,t1,t2,t3,t4\na,1,2,3,4,5\nb,4,5,6,7,\n")
    instances, labels = read_instances(wide)
    found = [instance.ravel().tolist() for instance in instances]
    assert found == [[1, 2, 3, 4, 5], [4, 5, 6, 7]]
    wide.write_text("label;0;1;2;3\na, b;1,5;2,5;1;0\nc;3;4,25;1;0\n")
    instances, labels = read_instances(wide)  # as a spreadsheet may write it
    assert labels == ("a, b", "c")
    assert instances[0].ravel().tolist() == [1.5, 2.5, 1, 0]
    np.savez(tmp_path / "block.npz", instances=np.ones((2, 5)), labels=[1, 2])
    assert read_instances(tmp_path / "block.npz")[1] == ("1", "2")


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", "", "unknown format '.txt'"),
        ("a.csv", "x,y\n1,2\n", "line 1: the header must start with"),
        ("a.csv", "instance,label,x\n0,a,1,2\n", "line 2: 2 channels"),
        ("a.csv", "instance,label,x\n0,a,1\n0,a,?\n", "line 3: could not convert"),
        ("a.csv", "instance,label,x\n0,a,1\n0,b,2\n", "instance '0' has two labels"),
        ("a.csv", "instance,label,x\n0,a,1\n1,a,1\n0,a,2\n", "do not follow"),
        ("a.csv", "instance,label,x\n0,,1\n", "instance 0 has no label"),
        ("a.npz", "no zip", "not a NumPy file"),
        ("a.parquet", "no parquet", "not a readable Parquet file"),
        ("a.ts", "no ts", "is cut off or not a .ts file"),
    ],
)
def test_files_that_are_wrong_are_named(name, content, sentence, tmp_path):
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(InputError, match=sentence) as caught:
        read_instances(file)
    assert name in str(caught.value)


def test_npz_and_parquet_must_have_the_right_arrays(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        read_instances(tmp_path / "none.csv")
    file, block = tmp_path / "a.npz", np.ones((2, 6, 9))
    for arrays, sentence in (
        ({"instances": np.ones((2, 5))}, "lacks the array 'labels'"),
        ({"labels": [1], "values": np.ones(5), "lengths": [4]}, "add up to 5"),
        ({"labels": [1, 2], "instances": block}, "time_axis='last'"),
        ({"labels": np.array([{}], dtype=object)}, "not a NumPy file of numbers"),
    ):
        np.savez(file, **arrays)
        with pytest.raises(InputError, match=sentence):
            read_instances(file)
    np.savez(file, labels=[1, 2], instances=block)
    assert read_instances(file, time_axis="last")[0][0].shape == (9, 6)
    pq.write_table(pa.table({"x": [1.0]}), tmp_path / "d.parquet")
    with pytest.raises(InputError, match="the columns must be instance, label"):
        read_instances(tmp_path / "d.parquet")


def test_the_data_card_has_numbers_and_warnings():
    pytest.importorskip("aeon")
    card = data_card(INSTANCES * 2, LABELS * 2)
    values = card.values
    assert values["instances"] == 72
    assert values["classes"] == {str(k): 12 for k in range(6)}
    named = [values[name] for name in ("l_min", "l_max", "channels", "g_max")]
    assert named == [20, 22, 2, 2]
    assert values["copies"] == 36
    assert values["ari_dtw"] > 0.5
    assert [warning[:23] for warning in card.warnings] == ["36 instances are copies"]
    long = [np.sin(np.linspace(0, 9 + 9 * (k % 2), 900 + k)) for k in range(20)]
    card = data_card(long, [k % 2 for k in range(20)])  # resampled to cluster
    assert (card.values["l_min"], card.values["l_max"]) == (900, 919)
    assert card.values["ari_dtw"] == 1.0
    noise = [RNG.normal(size=15) for _ in range(24)]
    noise[0] = np.zeros(15)
    card = data_card(noise, ["a"] * 9 + ["b"] * 12 + ["c"] * 3)
    for part in (
        "3 classes allow one motif set",
        "class 'c' cannot be split",
        "class 'a' has few instances",
        "1 instances are constant",
        "hard to tell apart",
        "classes 'a' and 'b' are nearly the same",
    ):
        (warning,) = [warning for warning in card.warnings if part in warning]
        assert f"- {warning}" in card.text()


def test_problems_survive_their_files_and_damage_is_refused(tmp_path):
    bench = build_benchmark(INSTANCES, LABELS, 4, noise=0.1)
    files = write_benchmarks([bench], tmp_path / "out")
    assert [file.name for file in files] == ["own-all.parquet", "manifest.json"]
    for made, read in zip(bench, read_problems(files[0]), strict=True):
        assert np.array_equal(made.series, read.series)
        assert (made.truth, made.recipe, made.name) == (
            read.truth,
            read.recipe,
            read.name,
        )
    before = [file.read_bytes() for file in files]
    write_benchmarks([bench], tmp_path / "out")
    assert before == [file.read_bytes() for file in files]
    table = pq.read_table(files[0])
    hashes = table.column("sha256").to_pylist()
    wrong = table.set_column(5, "sha256", pa.array(hashes[::-1]))
    pq.write_table(wrong, files[0])
    with pytest.raises(InputError, match="own/all/000 are not what was written"):
        read_problems(files[0])
    files[0].write_text("")
    with pytest.raises(InputError, match="not a file of problems"):
        read_problems(files[0])


def edited(file):
    """Move a true motif in a file of problems, and leave all else as it is."""
    table = pq.read_table(file)
    truth = table.column("truth").to_pylist()
    truth[0][0]["end"] -= 1
    place = table.column_names.index("truth")
    changed = pa.array(truth, table.schema.field("truth").type)
    pq.write_table(table.set_column(place, "truth", changed), file)


def test_a_benchmark_is_the_same_in_every_folder(tmp_path, monkeypatch):
    built = [
        build_benchmark(INSTANCES, LABELS, 3, seed=4, split=split, name="gestures")
        for split in ("validation", "test")
    ]
    first, second = tmp_path / "first", tmp_path / "second"
    write_benchmarks(built, first)
    manifest = json.loads((first / "manifest.json").read_text())
    entry = manifest["files"]["gestures-test.parquet"]
    assert entry["options"]["seed"] == 4
    assert entry["options"]["n_problems"] == 3
    shutil.copytree(first, second)
    ((identity, size),) = check_benchmarks(first).items()
    assert re.fullmatch("gestures@[0-9a-f]{12}", identity)
    assert size == 6
    monkeypatch.chdir(tmp_path)
    store = tmp_path / "store"
    params = {"stomp": {"length": 15}}
    for place, done in (("first", 3), ("./first/../second", 0), (str(first), 0)):
        result = run("stomp", f"{place}/gestures", store, workers=0, params=params)
        assert sum(result.ran.values()) == done
    assert set(Store(store).table(["dataset"])["dataset"].to_pylist()) == {identity}
    assert len(Store(store).specifications) == 1
    assert not resume(store, workers=0)[0].ran
    edited(first / "gestures-test.parquet")
    for again in (
        lambda: check_benchmarks(first),
        lambda: resume(store, workers=0),
        lambda: run("stomp", "first/gestures", store, workers=0, params=params),
    ):
        with pytest.raises(DataError, match="are not what was written"):
            again()
    write_benchmarks([build_benchmark(INSTANCES, LABELS, 3, name="gestures")], second)
    assert identity not in check_benchmarks(second)
    write_benchmarks([build_benchmark(INSTANCES, LABELS, 2, name="gestures")], first)
    with pytest.raises(InputError, match="must not be empty or contain"):
        write_benchmarks([build_benchmark(INSTANCES, LABELS, 2, name="a/b")], second)

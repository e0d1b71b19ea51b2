"""Datasets of the archive: where they are looked for, what is refused, the cache."""

import shutil
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tsmdbench._kernels import cache_folder as compiled
from tsmdbench.archive import load, locate
from tsmdbench.datasets import fetch
from tsmdbench.datasets.catalogue import KNOWN, PAPER
from tsmdbench.datasets.dataset import Dataset, read_ts, shipped_fingerprints, verify
from tsmdbench.errors import DataError, DownloadError, InputError

pytestmark = pytest.mark.archive

RNG = np.random.default_rng(0)
PARTS = {
    "TRAIN": ([RNG.normal(size=(5, 2)) for _ in range(4)], ["a", "a", "b", "b"]),
    "TEST": ([RNG.normal(size=(5, 2)) for _ in range(2)], ["a", "b"]),
}


def test_load_returns_instances_as_written(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    toy = load("Toy", folder)
    expected = PARTS["TRAIN"][0] + PARTS["TEST"][0]
    assert all(map(np.array_equal, toy.instances, expected))
    assert toy.labels == ("a", "a", "b", "b", "a", "b")
    assert toy.parts == ("TRAIN",) * 4 + ("TEST",) * 2
    assert not toy.instances[0].flags.writeable
    vowels = load("JapaneseVowels")
    assert "bundled with aeon" in vowels.source
    assert vowels.origins[270] == ("TEST", 0)


def test_places_are_searched_in_order(tmp_path, write_dataset, monkeypatch):
    given = write_dataset(tmp_path / "given", "Toy", PARTS)
    named = write_dataset(tmp_path / "named", "Toy", PARTS)
    cached = write_dataset(fetch.archive_folder(), "Toy", PARTS)
    assert locate("Toy").folder == cached
    monkeypatch.setenv("TSMDBENCH_DATA", str(named))
    assert locate("Toy").folder == named
    assert locate("Toy", given).folder == given


def test_a_folder_that_does_not_exist_is_an_error(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="nowhere does not exist"):
        load("JapaneseVowels", tmp_path / "nowhere")
    assert "bundled" in load("JapaneseVowels", tmp_path).source
    monkeypatch.setenv("TSMDBENCH_DATA", str(tmp_path / "gone"))
    with pytest.raises(InputError, match=r"TSMDBENCH_DATA names .*gone"):
        load("JapaneseVowels")


def test_half_a_dataset_and_a_name_that_leaves_the_folder_are_refused(
    tmp_path, write_dataset
):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    (folder / "Toy" / "Toy_TEST.ts").unlink()
    with pytest.raises(InputError, match=r"lacks Toy_TEST\.ts"):
        load("Toy", folder)
    with pytest.raises(InputError, match="letters, digits"):
        load("../etc")


def test_a_file_that_was_cut_off_or_is_something_else_is_named(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    file = folder / "Toy" / "Toy_TRAIN.ts"
    text = file.read_text()
    cuts = [text[: int(keep * len(text))] for keep in (0.4, 0.8, 0.97)]
    for content in (*cuts, "<html>not found</html>\n"):
        file.write_text(content)
        with pytest.raises(InputError, match=r"Toy_TRAIN\.ts .*cut off"):
            load("Toy", folder)


def test_a_file_cut_within_its_last_label_is_named(tmp_path, write_dataset):
    parts = {
        part: (x, [f"{y}x" for y in labels]) for part, (x, labels) in PARTS.items()
    }
    folder = write_dataset(tmp_path, "Toy", parts)
    file = folder / "Toy" / "Toy_TEST.ts"
    file.write_text(file.read_text()[:-2])
    with pytest.raises(InputError, match=r"Toy_TEST\.ts: instance 1 has the label 'b'"):
        load("Toy", folder)


def test_a_file_cut_at_the_end_of_a_line_is_found_by_its_count(tmp_path):
    source = locate("JapaneseVowels").folder / "JapaneseVowels"
    target = tmp_path / "JapaneseVowels"
    shutil.copytree(source, target)
    file = target / "JapaneseVowels_TEST.ts"
    file.write_text("\n".join(file.read_text().splitlines()[:-3]) + "\n")
    with pytest.raises(InputError, match=r"_TEST\.ts from .*270/367 .*270/370"):
        load("JapaneseVowels", tmp_path)


def test_samples_missing_at_the_end_of_a_channel_become_zero(tmp_path):
    file = tmp_path / "x.ts"
    head = "@univariate false\n@equalLength false\n@classLabel true a\n@data\n"
    file.write_text(head + "1,2,3,4:1,2,?,?:a\n")
    (instance,), _ = read_ts(file)
    assert instance.tolist() == [[1, 1], [2, 2], [3, 0], [4, 0]]
    file.write_text(head + "1,?,3,4:1,2,3,4:a\n")
    with pytest.raises(InputError, match="instance 0 holds missing values"):
        read_ts(file)


def test_without_network_one_sentence_says_what_was_tried(monkeypatch):
    def no_network(*_, **__):
        raise OSError("Name or service not known")

    monkeypatch.setattr("tsmdbench.datasets.fetch.urlopen", no_network)
    monkeypatch.setattr("tsmdbench.datasets.fetch.time.sleep", lambda _: None)
    with pytest.raises(DownloadError) as caught:
        load("Mallat")
    said = str(caught.value)
    assert "\n" not in said
    assert "Name or service not known" in said
    assert "cache (" in said
    assert "Mallat_TRAIN.ts" in said
    assert "TSMDBENCH_DATA" in said
    with pytest.raises(DataError, match="tsmdbench datasets fetch Mallat"):
        load("Mallat", allow_download=False)


@pytest.fixture
def homeless(monkeypatch, tmp_path):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    for name in ("HOME", "XDG_CACHE_HOME", "TSMDBENCH_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr("pwd.getpwuid", lambda _: {}["nobody"])
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    fetch._temporary_folder.cache_clear()
    yield tmp_path
    fetch._temporary_folder.cache_clear()


def test_without_a_home_the_cache_is_a_private_temporary_folder(homeless):
    folder = fetch.cache_folder()
    assert folder.parent == homeless
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert fetch.cache_folder() == folder
    folder.chmod(0o777)  # a folder that others can write to is not used
    fetch._temporary_folder.cache_clear()
    assert fetch.cache_folder() != folder
    assert compiled._user() == []  # and not a folder named tilde


def test_a_copy_of_fewer_digits_passes_and_other_values_or_orders_do_not():
    vowels = load("JapaneseVowels")
    instances = list(vowels.instances)
    rounded = [np.char.mod("%.4g", x).astype(float) for x in instances]
    assert not all(map(np.array_equal, rounded, instances))
    verify(replace(vowels, instances=tuple(rounded)))
    wrong = [*instances[:300], instances[300] + 0.5, *instances[301:]]
    with pytest.raises(InputError, match=r"_TEST\.ts .*instance 30 "):
        verify(replace(vowels, instances=tuple(wrong)))
    instances[0], instances[29] = instances[29], instances[0]
    with pytest.raises(InputError, match="lengths or their order"):
        verify(replace(vowels, instances=tuple(instances)))
    labels = (vowels.labels[-1], *vowels.labels[1:-1], vowels.labels[0])
    with pytest.raises(InputError, match="labels or their order"):
        verify(replace(vowels, labels=labels))


def test_another_version_is_named_with_ours():
    tiny = np.zeros((2, 3))
    parts = ("TRAIN",) * 2238 + ("TEST",) * 2241
    newer = Dataset(
        "UWaveGestureLibrary", (tiny,) * len(parts), ("1",) * len(parts), parts, "here"
    )
    with pytest.raises(InputError, match=r"2238/2241 instances.* 2018 with 120/320"):
        verify(newer)


def test_sizes_are_compared_where_no_fingerprint_is_shipped():
    entry = KNOWN["Libras"]
    parts = ("TRAIN",) * entry.train + ("TEST",) * entry.test
    wrong = Dataset(
        "Libras", (np.zeros((44, 2)),) * len(parts), ("1",) * len(parts), parts, "here"
    )
    with pytest.raises(InputError, match=r"\(1, 44, 44, 2\), but \(15, 45, 45, 2\)"):
        verify(wrong)
    verify(replace(wrong, name="Mine"))  # not in the catalogue


def test_fingerprints_are_shipped_for_the_frozen_twelve():
    assert set(shipped_fingerprints()) == set(PAPER) - {"Mallat", "Cricket"}
    for name, parts in shipped_fingerprints().items():
        assert [parts[part].n for part in ("TRAIN", "TEST")] == [
            KNOWN[name].train,
            KNOWN[name].test,
        ]
    ends = shipped_fingerprints()["CharacterTrajectories"]
    assert sum(int(np.isnan(found.probes).sum()) for found in ends.values()) == 39


@pytest.mark.slow
@pytest.mark.data
def test_real_data_passes(data_folder):
    for name in sorted(set(KNOWN) - {"Mallat", "Cricket"}):
        assert load(name, data_folder, allow_download=False).name == name

"""Where data is looked for, what is refused, and what the cache does."""

import shutil

import numpy as np
import pytest

from tsmdbench.archive import load, locate
from tsmdbench.datasets import cache
from tsmdbench.datasets.dataset import read_ts
from tsmdbench.errors import DataError, DownloadError, InputError

pytestmark = pytest.mark.archive

RNG = np.random.default_rng(0)
PARTS = {
    "TRAIN": ([RNG.normal(size=(5, 2)) for _ in range(4)], ["a", "a", "b", "b"]),
    "TEST": ([RNG.normal(size=(5, 2)) for _ in range(2)], ["a", "b"]),
}


def test_load_uses_what_aeon_bundles_when_there_is_nothing_else():
    vowels = load("JapaneseVowels")
    assert "bundled with aeon" in vowels.source
    assert len(vowels) == 640
    assert vowels.origins[270] == ("TEST", 0)
    assert vowels.lengths.min() == 7
    assert vowels.lengths.max() == 29


def test_load_returns_instances_as_written(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    toy = load("Toy", folder)
    expected = PARTS["TRAIN"][0] + PARTS["TEST"][0]
    assert all(map(np.array_equal, toy.instances, expected))
    assert toy.labels == ("a", "a", "b", "b", "a", "b")
    assert toy.parts == ("TRAIN",) * 4 + ("TEST",) * 2
    assert not toy.instances[0].flags.writeable


def test_places_are_searched_in_order(tmp_path, write_dataset, monkeypatch):
    given = write_dataset(tmp_path / "given", "Toy", PARTS)
    named = write_dataset(tmp_path / "named", "Toy", PARTS)
    cached = write_dataset(cache.archive_folder(), "Toy", PARTS)
    assert locate("Toy").folder == cached
    monkeypatch.setenv("TSMDBENCH_DATA", str(named))
    assert locate("Toy").folder == named
    assert locate("Toy", given).folder == given


def test_a_folder_without_the_dataset_is_passed_over(tmp_path):
    assert "bundled" in load("JapaneseVowels", tmp_path).source


def test_a_folder_that_does_not_exist_is_an_error(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="nowhere does not exist"):
        load("JapaneseVowels", tmp_path / "nowhere")
    monkeypatch.setenv("TSMDBENCH_DATA", str(tmp_path / "gone"))
    with pytest.raises(InputError, match=r"TSMDBENCH_DATA names .*gone"):
        load("JapaneseVowels")


def test_half_a_dataset_is_an_error_that_names_the_file(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    (folder / "Toy" / "Toy_TEST.ts").unlink()
    with pytest.raises(InputError, match=r"lacks Toy_TEST\.ts"):
        load("Toy", folder)


def test_a_name_cannot_leave_the_folder():
    with pytest.raises(InputError, match="letters, digits"):
        load("../etc")


@pytest.mark.parametrize("keep", [0.4, 0.8, 0.97])
def test_a_file_that_was_cut_off_is_named(tmp_path, write_dataset, keep):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    file = folder / "Toy" / "Toy_TRAIN.ts"
    text = file.read_text()
    file.write_text(text[: int(keep * len(text))])
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


def test_a_file_that_is_something_else_is_named(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    (folder / "Toy" / "Toy_TEST.ts").write_text("<html>not found</html>\n")
    with pytest.raises(InputError, match=r"Toy_TEST\.ts .*cut off"):
        load("Toy", folder)


def test_samples_missing_at_the_end_of_a_channel_become_zero(tmp_path):
    file = tmp_path / "x.ts"
    head = "@univariate false\n@equalLength false\n@classLabel true a\n@data\n"
    file.write_text(head + "1,2,3,4:1,2,?,?:a\n")
    (instance,), _ = read_ts(file)
    assert instance.tolist() == [[1, 1], [2, 2], [3, 0], [4, 0]]
    file.write_text(head + "1,?,3,4:1,2,3,4:a\n")
    with pytest.raises(InputError, match="instance 0 holds missing values"):
        read_ts(file)


def test_second_use_does_not_parse(tmp_path, write_dataset, monkeypatch):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    first = load("Toy", folder)

    def parse(*_):
        raise AssertionError("parsed again")

    monkeypatch.setattr("tsmdbench.datasets.archive.read_dataset", parse)
    second = load("Toy", folder)
    assert all(map(np.array_equal, first.instances, second.instances))
    assert first.labels == second.labels
    assert first.parts == second.parts
    assert not second.instances[0].flags.writeable


def test_a_changed_file_is_parsed_anew(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    load("Toy", folder)
    longer = {
        part: ([*instances, instances[0] + 1], [*labels, "a"])
        for part, (instances, labels) in PARTS.items()
    }
    write_dataset(tmp_path, "Toy", longer)
    assert len(load("Toy", folder)) == 8


def test_a_damaged_cache_is_replaced(tmp_path, write_dataset):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    load("Toy", folder)
    (file,) = (cache.cache_folder() / "parsed").iterdir()
    good = file.read_bytes()
    file.write_bytes(good[: len(good) // 2])
    assert len(load("Toy", folder)) == 6
    assert file.read_bytes() == good
    damaged = bytearray(good)
    middle = len(good) // 3
    damaged[middle : middle + 40] = bytes(40)
    file.write_bytes(bytes(damaged))
    again = load("Toy", folder)
    assert np.array_equal(again.instances[0], PARTS["TRAIN"][0][0])


def test_a_cache_that_cannot_be_written_costs_a_warning(
    tmp_path, write_dataset, monkeypatch
):
    folder = write_dataset(tmp_path, "Toy", PARTS)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="cannot keep Toy in the cache"):
        assert len(load("Toy", folder)) == 6


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

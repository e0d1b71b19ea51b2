"""The parser of ``.ts`` files: the format by hand, and aeon's parser on real files."""

import numpy as np
import pytest

from tsmdbench.datasets.archive import locate
from tsmdbench.errors import DataError
from tsmdbench.io.formats.ts import parse_ts

HEAD = "# a comment\n@problemName  Toy\n@univariate false\n@equalLength false\n"


def _file(tmp_path, text):
    file = tmp_path / "toy.ts"
    file.write_bytes(text.encode())
    return file


def test_channels_labels_and_missing_samples(tmp_path):
    text = HEAD + "@classLabel true Up Down\n@data\n1,2.5,?:3,NaN,-1e-3:Up\n4:5:Down\n"
    parsed = parse_ts(_file(tmp_path, text))
    assert parsed.labels == ["up", "down"]
    assert parsed.classes == ("up", "down")
    first, second = parsed.instances
    np.testing.assert_array_equal(first, [[1, 3], [2.5, np.nan], [np.nan, -1e-3]])
    np.testing.assert_array_equal(second, [[4, 5]])


def test_files_without_labels_and_line_ends_of_windows(tmp_path):
    text = "@univariate true\r\n@classLabel false\r\n@data\r\n1,2,3\r\n4,5,6\r\n"
    parsed = parse_ts(_file(tmp_path, text))
    assert parsed.labels == []
    assert [x.ravel().tolist() for x in parsed.instances] == [[1, 2, 3], [4, 5, 6]]


def test_damaged_files_are_named(tmp_path):
    data = HEAD + "@classLabel true a\n@data\n"
    for text, complaint in (
        (data + "1,2:3:a", "instance 0: the channels have"),
        (data + "1,x:3,4:a", "instance 0: could not convert"),
        (data + "a", "instance 0: there is no channel"),
        (data + "1:2:a\n1:a", "instance 1: 1 channels, the first 2"),
        (HEAD, "no line @data"),
        ("<html>\n", "without a key"),
        ("@timeStamps true\n@data\n", "time stamps"),
        ("@univariate maybe\n@data\n", "@univariate must be true or false"),
        ("@data\n1,2:a\n1,2,3:a\n", "instance 1: 3 samples, the first 2"),
        ("@data\n1:2:a\n", "2 channels in a univariate file"),
        ("\xff\n", "without a key"),
    ):
        with pytest.raises(DataError, match=f"toy.ts is cut off .*{complaint}"):
            parse_ts(_file(tmp_path, text))
    file = tmp_path / "binary.ts"
    file.write_bytes(b"@data\n\xff\xfe")
    with pytest.raises(DataError, match=r"binary\.ts is cut off or not a \.ts file"):
        parse_ts(file)


def _assert_same_as_aeon(file):
    datasets = pytest.importorskip("aeon.datasets")
    values, labels, header = datasets.load_from_ts_file(
        str(file), return_meta_data=True
    )
    parsed = parse_ts(file)
    assert parsed.labels == list(labels)
    assert list(parsed.classes) == header["class_values"]
    assert len(parsed.instances) == len(values)
    for ours, theirs in zip(parsed.instances, values, strict=True):
        assert ours.dtype == np.float64
        np.testing.assert_array_equal(ours, theirs.T)


@pytest.mark.parametrize("part", ["TRAIN", "TEST"])
def test_the_bundled_dataset_is_read_as_aeon_reads_it(part):
    pytest.importorskip("aeon")
    place = locate("JapaneseVowels")
    _assert_same_as_aeon(place.folder / "JapaneseVowels" / f"JapaneseVowels_{part}.ts")


@pytest.mark.slow
@pytest.mark.data
def test_every_dataset_is_read_as_aeon_reads_it(data_folder):
    files = sorted(data_folder.glob("*/*_T*.ts"))
    assert files
    for file in files:
        _assert_same_as_aeon(file)

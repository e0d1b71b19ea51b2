"""Every reader of series: good files, and every kind of bad input it can meet."""

import datetime as dt
import os
import struct
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.io import wavfile

from tests.io.damage import TS, X, sentence, survives, written
from tsmdbench import InputError
from tsmdbench.io import as_recording, read_recording, read_series, series_formats
from tsmdbench.validation import check_series

FORMATS = [name for name in series_formats() if name != "wfdb"]  # has tests of its own
TIMES = np.arange(20) / 10


@pytest.mark.parametrize("name", FORMATS)
def test_files_that_are_whole_cut_empty_or_damaged(tmp_path, name):
    file, whole = tmp_path / "x.any", written(name)
    file.write_bytes(whole)
    assert read_recording(file, file_format=name).values.shape == (20, 2)
    for rate in (0, -1, float("nan"), float("inf")):
        said = sentence(read_recording, file, file_format=name, rate=rate)
        assert "rate must be a positive" in said
    for share in (0.02, 0.3, 0.7, 0.97):
        file.write_bytes(whole[: int(share * len(whole))])
        if name == "text" and share in (0.3, 0.7):
            # Text that ends within a number looks like text that ends there.
            read = read_recording(file, file_format=name, missing="keep").values
            assert len(read) < len(X)
            assert np.array_equal(read[:-1], X[: len(read) - 1])
            continue
        assert str(file) in sentence(read_recording, file, file_format=name)
    for content in (b"", b" \n\n", b"garbage", bytes(range(256)) * 20):
        file.write_bytes(content)
        assert str(file) in sentence(read_recording, file, file_format=name)
    file.write_bytes(TS.encode() if name == "ts" else written(name, X[:0]))
    said = sentence(read_recording, file, file_format=name)
    assert "no samples" in said or "holds no series" in said


@pytest.mark.parametrize("name", FORMATS)
def test_files_damaged_at_random(tmp_path, name):
    def read(file):
        read_recording(file, file_format=name, missing="interpolate")

    survives(tmp_path / "x.any", written(name, stamps=name != "npy"), read)


def test_no_reader_opens_what_is_no_file_or_is_huge(tmp_path):
    fifo, huge = tmp_path / "pipe", tmp_path / "huge.any"
    os.mkfifo(fifo)
    with huge.open("wb") as stream:
        stream.truncate(2**43)  # a sparse file: eight terabytes that take no room
    for name in series_formats():
        for path, says in (
            (fifo, "is not a regular file"),
            (tmp_path, "is a folder"),
            (tmp_path / "none", "does not exist"),
            ("/dev/zero", "is not a regular file"),
            (huge, "bytes, more than"),
        ):
            if (name, path) != ("wfdb", huge):
                assert says in sentence(read_recording, path, file_format=name)


def frame(times):
    return pd.DataFrame({"seconds": times, "a": X[:, 0], "b": X[:, 1]})


def stamped(times):
    stamps = pd.Timestamp("2024-05-01") + pd.to_timedelta(times, unit="s")
    return frame(times).assign(seconds=stamps).rename(columns={"seconds": "when"})


def in_file(made, ending):
    def read(folder, **options):
        file = folder / f"x.{ending}"
        if ending == "npz":
            np.savez(file, **{name: made[name] for name in made})
        elif ending == "csv":
            made.to_csv(file, index=False)
        else:
            getattr(made, f"to_{ending}")(file)
        return read_recording(file, **options)

    return read


def in_memory(made):
    return lambda _, **options: as_recording(made, **options)


TIMED = {
    "pandas": lambda times: in_memory(frame(times)),
    "pandas, index": lambda times: in_memory(stamped(times).set_index("when")),
    "polars": lambda times: in_memory(polars.from_pandas(frame(times))),
    "arrow": lambda times: in_memory(pa.Table.from_pandas(frame(times))),
    "npz": lambda times: in_file(frame(times), "npz"),
    **{
        f"{ending}, {made.__name__}": lambda times, e=ending, m=made: in_file(
            m(times), e
        )
        for ending in ("csv", "parquet", "feather")
        for made in (frame, stamped)
    },
}


@pytest.mark.parametrize("name", TIMED)
def test_times_that_are_good_go_back_repeat_or_contradict_a_rate(tmp_path, name):
    made = TIMED[name]
    recording = made(TIMES)(tmp_path, rate=10)
    assert (recording.channels, recording.rate) == (("a", "b"), 10.0)
    assert np.array_equal(recording.values, X)
    assert "10 Hz, but rate is 50" in sentence(made(TIMES), tmp_path, rate=50)
    back, twice = TIMES.copy(), TIMES.copy()
    back[[7, 8]] = back[[8, 7]]
    assert "goes back at " in sentence(made(back), tmp_path)
    twice[9] = twice[8]
    assert "stands still at " in sentence(made(twice), tmp_path)


def test_zones_of_parquet_and_feather_are_converted(tmp_path):
    made = frame(TIMES).drop(columns="seconds")
    made.insert(0, "when", pd.date_range("2024", periods=20, freq="20ms", tz="UTC"))
    for ending in ("parquet", "feather"):
        recording = in_file(made, ending)(tmp_path)
        assert (recording.rate, recording.start) == (50.0, np.datetime64("2024"))
        assert "time stamps converted to UTC" in recording.notes


def test_rates_inside_of_files(tmp_path):
    for name in ("wav", "npz"):
        (tmp_path / "x").write_bytes(written(name))
        said = sentence(read_recording, tmp_path / "x", file_format=name, rate=44_100)
        assert "8000 Hz, but rate is 44100" in said
    for rate in (0, -8000, np.nan):
        (tmp_path / "x.npz").write_bytes(written("npz", rate=rate))
        said = sentence(read_recording, tmp_path / "x.npz")
        assert "x.npz: the sampling rate must be positive" in said
    content = bytearray(written("wav"))
    content[24:28] = bytes(4)  # the rate, in the header
    (tmp_path / "x.wav").write_bytes(content)
    said = sentence(read_recording, tmp_path / "x.wav")
    assert "x.wav" in said
    assert "nSamplesPerSec = 0" in said


def test_other_encodings(tmp_path):
    texts = {"text": written("text").decode().replace("a,b\n", "größe,b\n")}
    texts["ts"] = f"# ä\n{written('ts').decode()}"
    for name, text in texts.items():
        for encoding in ("latin-1", "utf-16"):
            (tmp_path / "x").write_bytes(text.encode(encoding))
            said = sentence(read_recording, tmp_path / "x", file_format=name)
            assert str(tmp_path / "x") in said


def test_a_case_of_a_ts_file(tmp_path):
    file = tmp_path / "x.ts"
    file.write_text(f"{TS}1,2,3:4,5,6:a\n7,8,9:1,?,3:b\n")
    assert "2 series; choose one with --case" in sentence(read_recording, file)
    recording = read_recording(file, case=0)
    assert recording.channels == ("0", "1")
    assert recording.values.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert "--case must lie in [0, 2), got 2" in sentence(read_recording, file, case=2)
    assert "1 value is missing" in sentence(read_recording, file, case=1)
    file.write_text(f"{TS}1,2:3,4:5,6:a\n")  # more channels than samples
    assert read_recording(file).values.tolist() == [[1, 3, 5], [2, 4, 6]]


def test_npy_and_wav_of_every_kind(tmp_path):
    for dtype in ("<f8", ">f4", "<i2", "u1", "?"):
        for order in "CF":
            array = np.asarray(X * 10, order=order).astype(dtype)
            np.save(tmp_path / "x.npy", array)
            read = read_series(tmp_path / "x.npy")
            assert np.array_equal(read, array.astype(np.float64))
    for dtype in ("int16", "int32", "uint8", "float32"):
        samples = (X * 20 + 100).astype(dtype)
        wavfile.write(tmp_path / "x.wav", 8000, samples)
        recording = read_recording(tmp_path / "x.wav")
        assert recording.rate == 8000
        assert np.array_equal(recording.values, samples.astype(float))
        assert (dtype == "float32") == (not recording.notes)


def test_npz_of_one_array_or_one_per_channel(tmp_path):
    np.savez(tmp_path / "x.npz", data=X, fs=250)
    recording = read_recording(tmp_path / "x.npz")
    assert recording.rate == 250
    assert np.array_equal(recording.values, X)
    np.savez(tmp_path / "z.npz", a=X, b=X[:3])
    said = sentence(read_recording, tmp_path / "z.npz")
    assert "must hold one array" in said
    assert "got a (20, 2), b (3, 2)" in said


def test_text_columns_of_parquet_can_be_left_out(tmp_path):
    made = pd.DataFrame({"a": [1.0, 2.0], "word": ["x", "y"], "n": [1, None]})
    made.to_parquet(tmp_path / "x.parquet")
    said = sentence(read_recording, tmp_path / "x.parquet")
    assert "column 'word' holds object, not numbers" in said
    assert read_recording(tmp_path / "x.parquet", columns="a").series.tolist() == [1, 2]
    said = sentence(read_recording, tmp_path / "x.parquet", columns="a,n")
    assert "1 value is missing in n, the first at row 1" in said


def test_types_of_arrow_are_read_alike_from_files_and_from_memory(tmp_path):
    clock, decimals = [dt.time(0, 0, k) for k in range(3)], [Decimal("7.5"), 1, 2]
    made = {"clock": clock, "d": decimals, "flag": [True, False, True], "w": [*"abc"]}
    table = pa.table(made)
    pq.write_table(table, tmp_path / "x.parquet")
    in_file = read_recording(tmp_path / "x.parquet", columns="d,flag")
    for read in (in_file, as_recording(table, columns="d,flag")):
        assert (read.rate, read.start) == (1.0, 0.0)
        assert read.values.tolist() == [[7.5, 1], [1, 0], [2, 1]]


def header(shape, descr="<f8", extra=b""):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + extra


def test_damaged_npy(tmp_path):
    file = tmp_path / "x.npy"
    for content, message in (
        (header("(4,)", extra=bytes(40)), "bytes follow the array of shape"),
        (header("(4,)", descr="|O", extra=bytes(32)), "allow_pickle=False"),
        (header("(0,)"), "holds no samples"),
        *(
            (content, "not a NumPy file of numbers")
            for content in (
                header("(1000000000000,)"),
                header("(4,)", extra=bytes(31)),
                header("(-4,)"),
                header("(4"),
                header("__import__('os').system('false')"),
                b"\x93NUMPY\x01\x00\xff\xff{",
                b"\x93NUMPY\x03\x00" + bytes(100),
                b"\x93NUMPY",
                b"PK\x03\x04" + bytes(100),
            )
        ),
    ):
        file.write_bytes(content)
        assert message in sentence(read_recording, file)
    file.write_bytes(header("(2L,)", extra=bytes(16)))  # of Python 2
    assert read_series(file).tolist() == [0, 0]
    np.save(file, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    assert "not a NumPy file of numbers" in sentence(read_series, file)
    np.save(file, np.array(["a", "b"]))
    assert "holds numbers" in sentence(read_series, file)


def test_damaged_archives_of_arrays(tmp_path):
    file = tmp_path / "x.npz"
    np.savez_compressed(file, X)
    content = bytearray(file.read_bytes())
    (tmp_path / "x.npy").write_bytes(content)  # the content counts, not the name
    assert np.array_equal(read_series(tmp_path / "x.npy"), X)
    content[200:220] = bytes(20)
    file.write_bytes(content)
    assert "x.npz" in sentence(read_recording, file)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header("(8000000,)") + bytes(64_000_000))
    assert file.stat().st_size < 200_000
    said = sentence(read_recording, file, max_bytes=1_000_000)
    assert "bytes, more than 1000000" in said  # refused before it is unpacked
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header("(1000000000000,)") + bytes(80))
    assert "not a NumPy file of numbers" in sentence(read_recording, file)


def test_a_wav_without_sound(tmp_path):
    file = tmp_path / "x.wav"
    file.write_bytes(written("wav").replace(b"data", b"dada"))
    assert "not a readable WAV file" in sentence(read_recording, file)
    file.write_bytes(b"RIFF" + bytes(4) + b"WAVE" + (b"LIST" + bytes(4)) * 2000)
    assert "not a readable WAV file" in sentence(read_recording, file)


def test_orientation_is_never_guessed(tmp_path):
    np.save(tmp_path / "x.npy", X.T)
    said = sentence(read_recording, tmp_path / "x.npy")
    assert "2 samples of 20 channels; time is the first axis" in said
    turned = read_recording(tmp_path / "x.npy", time_axis="last")
    assert np.array_equal(turned.values, X)
    np.save(tmp_path / "x.npy", np.zeros((2, 3, 4)))
    assert "shape (n,) or (n, d)" in sentence(read_recording, tmp_path / "x.npy")


def test_unknown_endings_name_the_known_ones(tmp_path):
    file = tmp_path / "x.xls"
    file.write_text("1\n2\n")
    said = sentence(read_recording, file)
    assert "unknown format '.xls'; known: .arrow, .csv" in said
    assert "--format" in said
    assert read_recording(file, file_format="text").series.tolist() == [1, 2]


def test_wrong_options_are_one_sentence(tmp_path):
    np.save(tmp_path / "x.npy", X)
    for options, message in (
        ({"missing": "guess"}, "missing must be one of"),
        ({"columns": "a,a"}, "columns must name different columns"),
        ({"time_unit": "weeks"}, "time_unit must be one of"),
        ({"separator": "ab"}, "separator must be one character"),
        ({"decimal": ";"}, "decimal must be one of"),
        ({"thousands": ".", "decimal": "."}, "thousands and decimal are both"),
        ({"skip_rows": -1}, "skip_rows must be at least 0"),
        ({"time_axis": 1}, "time_axis must be one of 'first', 'last'"),
        ({"case": 1}, "--case is for .ts files"),
        ({"time_column": "z"}, "has no column 'z'"),
        ({"speed": 1}, "no option speed"),
    ):
        assert message in sentence(read_recording, tmp_path / "x.npy", **options)


def test_arrays_series_and_nullable_columns_in_memory():
    assert as_recording(X).channels == ("0", "1")
    one = as_recording([1, 2, 3], rate=10)
    assert (one.channels, one.rate, one.series.tolist()) == (("value",), 10, [1, 2, 3])
    assert as_recording(one) is one
    with pytest.raises(InputError, match="holds numbers, not <U1"):
        as_recording(["a", "b"])
    index = pd.date_range(
        "2024-05-01T02:00", periods=20, freq="10ms", tz="Europe/Berlin"
    )
    zoned = as_recording(pd.Series(X[:, 0], name="v", index=index))
    assert (zoned.channels, zoned.rate) == (("v",), 100.0)
    assert zoned.start == np.datetime64("2024-05-01T00:00")
    assert "time stamps converted to UTC" in zoned.notes
    for lacking in (
        pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")}),
        polars.DataFrame({"n": [1, None, 3]}),
        polars.Series("n", [1.0, None, 3.0]),
    ):
        with pytest.raises(InputError, match="1 value is missing in n"):
            as_recording(lacking)
        filled = as_recording(lacking, missing="interpolate")
        assert filled.series.tolist() == [1, 2, 3]


def test_channels_are_found_by_name_and_a_recording_is_an_array():
    recording = as_recording(pd.DataFrame(X, columns=["left", "right"]), source="here")
    assert recording.channel("right") == 1
    with pytest.raises(InputError, match="here has no channel 'up'; known: left, righ"):
        recording.channel("up")
    assert np.array_equal(check_series(recording), X)

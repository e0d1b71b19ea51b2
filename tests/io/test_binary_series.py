"""Binary series: read as they were written, and damage is one sentence."""

import struct
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.io import wavfile

from tsmdbench import InputError
from tsmdbench.io import read_recording, read_series

X = np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize("dtype", ["<f8", ">f4", "<i2", "u1", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_of_every_kind(tmp_path, dtype, order):
    array = np.asarray(X * 10, order=order).astype(dtype)
    np.save(tmp_path / "x.npy", array)
    assert np.array_equal(read_series(tmp_path / "x.npy"), array.astype(np.float64))


def test_npz_of_one_array_or_one_per_channel(tmp_path):
    np.savez(tmp_path / "x.npz", data=X, fs=250)
    recording = read_recording(tmp_path / "x.npz")
    assert recording.rate == 250
    assert np.array_equal(recording.values, X)
    np.savez_compressed(tmp_path / "y.npz", time=np.arange(40) * 0.5, left=X[:, 0])
    recording = read_recording(tmp_path / "y.npz")
    assert (recording.channels, recording.rate) == (("left",), 2.0)
    np.savez(tmp_path / "z.npz", a=X, b=X[:3])
    with pytest.raises(InputError, match=r"one array .* got a \(40, 3\), b \(3, 3\)"):
        read_recording(tmp_path / "z.npz")
    np.savez(tmp_path / "z.npz", a=X, rate=-1)
    with pytest.raises(InputError, match="sampling rate must be positive"):
        read_recording(tmp_path / "z.npz")


@pytest.mark.parametrize("dtype", ["int16", "int32", "uint8", "float32"])
def test_wav(tmp_path, dtype):
    samples = (X[:, :2] * 20 + 100).astype(dtype)
    wavfile.write(tmp_path / "x.wav", 8000, samples)
    recording = read_recording(tmp_path / "x.wav")
    assert recording.rate == 8000
    assert np.array_equal(recording.values, samples.astype(float))
    assert (dtype == "float32") == (not recording.notes)


def test_parquet_and_feather_keep_names_and_time(tmp_path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.insert(
        0, "when", pd.date_range("2024-05-01", periods=40, freq="20ms", tz="UTC")
    )
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_feather(tmp_path / "x.feather")
    for ending in ("parquet", "feather"):
        recording = read_recording(tmp_path / f"x.{ending}")
        assert recording.channels == ("a", "b", "c")
        assert (recording.rate, recording.start) == (50.0, np.datetime64("2024-05-01"))
        assert np.array_equal(recording.values, X)
        assert "time stamps converted to UTC" in recording.notes


def test_text_columns_of_parquet_can_be_left_out(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "word": ["x", "y"], "n": [1, None]})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="column 'word' holds object, not numbers"):
        read_recording(tmp_path / "x.parquet")
    assert read_recording(tmp_path / "x.parquet", columns="a").series.tolist() == [1, 2]
    with pytest.raises(InputError, match="1 value is missing in n, the first at row 1"):
        read_recording(tmp_path / "x.parquet", columns="a,n")


def header(shape, descr="<f8", extra=b""):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (117 - len(text)) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + extra


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header("(1000000000000,)"), "not a npy file of numbers"),
        (header("(4,)", extra=bytes(31)), "not a npy file of numbers"),
        (header("(4,)", extra=bytes(40)), "bytes follow the array of shape"),
        (header("(-4,)"), "not a npy file of numbers"),
        (header("(4,)", descr="|O", extra=bytes(32)), "allow_pickle=False"),
        (header("(4"), "not a npy file of numbers"),
        (header("__import__('os').system('false')"), "not a npy file of numbers"),
        (b"\x93NUMPY\x01\x00\xff\xff{", "not a npy file of numbers"),
        (b"\x93NUMPY\x03\x00" + bytes(100), "not a npy file of numbers"),
        (b"\x93NUMPY", "not a npy file of numbers"),
        (b"", "not a npy file of numbers"),
        (b"   \n ", "not a npy file of numbers"),
        (b"PK\x03\x04" + bytes(100), "not a npy file of numbers"),
        (header("(0,)"), "holds no samples"),
    ],
)
def test_damaged_npy(tmp_path, content, message):
    file = tmp_path / "x.npy"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        read_recording(file)
    assert "\n" not in str(error.value)


def test_a_zip_named_npy_and_a_npy_named_npz(tmp_path):
    np.savez(tmp_path / "x.npz", X)
    (tmp_path / "x.npz").rename(tmp_path / "x.npy")
    with pytest.raises(InputError, match="not a npy file of numbers"):
        read_recording(tmp_path / "x.npy")
    np.save(tmp_path / "y.npy", X)
    (tmp_path / "y.npy").rename(tmp_path / "y.npz")
    with pytest.raises(InputError, match="not a npz file of plain arrays"):
        read_recording(tmp_path / "y.npz")


def test_bombs_are_refused_before_they_unpack(tmp_path):
    file = tmp_path / "x.npz"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header("(8000000,)") + bytes(64_000_000))
    assert file.stat().st_size < 200_000
    with pytest.raises(InputError, match=r"unpacks to .* bytes, more than 1000000"):
        read_recording(file, max_bytes=1_000_000)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header("(1000000000000,)") + bytes(80))
    with pytest.raises(InputError, match="not a npz file of plain arrays"):
        read_recording(file)


def test_damaged_zip_content(tmp_path):
    file = tmp_path / "x.npz"
    np.savez_compressed(file, X)
    content = bytearray(file.read_bytes())
    content[200:220] = bytes(20)
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.npz"):
        read_recording(file)
    file.write_bytes(content[:100])
    with pytest.raises(InputError, match="not a npz file"):
        read_recording(file)


@pytest.mark.parametrize("cut", [4, 20, 44, 100])
def test_a_cut_wav(tmp_path, cut):
    file = tmp_path / "x.wav"
    wavfile.write(file, 8000, (X * 100).astype("int16"))
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(InputError, match=r"x\.wav"):
        read_recording(file)


def test_a_wav_without_sound(tmp_path):
    file = tmp_path / "x.wav"
    wavfile.write(file, 8000, (X * 100).astype("int16"))
    file.write_bytes(file.read_bytes().replace(b"data", b"dada"))
    with pytest.raises(InputError, match="not a readable WAV file"):
        read_recording(file)
    chunks = b"LIST" + bytes(4)
    file.write_bytes(b"RIFF" + bytes(4) + b"WAVE" + chunks * 2000)
    with pytest.raises(InputError, match="more than 1000 chunks"):
        read_recording(file)


def test_a_header_of_python_2(tmp_path):
    file = tmp_path / "x.npy"
    file.write_bytes(header("(2L,)", extra=bytes(16)))
    assert read_series(file).tolist() == [0, 0]


@pytest.mark.parametrize("ending", ["parquet", "feather", "wav", "ts"])
@pytest.mark.parametrize("content", [b"", b"  \n", b"garbage", bytes(range(256)) * 20])
def test_garbage_is_one_sentence(tmp_path, ending, content):
    file = tmp_path / f"x.{ending}"
    file.write_bytes(content)
    with pytest.raises(InputError, match=rf"x\.{ending}") as error:
        read_recording(file)
    assert "\n" not in str(error.value).strip()


def test_orientation_is_never_guessed(tmp_path):
    np.save(tmp_path / "x.npy", X.T)
    with pytest.raises(InputError, match=r"3 samples of 40 channels; time is axis 0"):
        read_recording(tmp_path / "x.npy")
    turned = read_recording(tmp_path / "x.npy", time_axis=1)
    assert np.array_equal(turned.values, X)
    np.save(tmp_path / "x.npy", np.zeros((2, 3, 4)))
    with pytest.raises(InputError, match=r"shape \(n,\) or \(n, d\)"):
        read_recording(tmp_path / "x.npy")

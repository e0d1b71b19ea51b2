"""Every reader of series against every kind of bad input that it can meet.

Times that go backwards, that repeat, and rates that contradict them are made in each
format that holds times; files that are cut off, empty or in another encoding in each.
"""

import io

import numpy as np
import pandas as pd
import pytest
from scipy.io import wavfile

from tsmdbench import InputError
from tsmdbench.io import as_recording, read_recording, series_formats

TIMES = np.arange(20) / 10
X = np.random.default_rng(0).normal(size=(20, 2))
TS = "@univariate false\n@equalLength true\n@classLabel true a b\n@data\n"


def frame(times, n=20):
    return pd.DataFrame({"seconds": times, "a": X[:n, 0], "b": X[:n, 1]})


def stamped(times):
    made = frame(times)
    made["seconds"] = pd.Timestamp("2024-05-01") + pd.to_timedelta(times, unit="s")
    return made.rename(columns={"seconds": "when"})


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


def indexed(made):
    return lambda _, **options: as_recording(made.set_index(made.columns[0]), **options)


def as_polars(made):
    def read(_, **options):
        polars = pytest.importorskip("polars")
        return as_recording(polars.from_pandas(made), **options)

    return read


def as_arrow(made):
    def read(_, **options):
        arrow = pytest.importorskip("pyarrow")
        return as_recording(arrow.Table.from_pandas(made), **options)

    return read


TIMED = {
    "csv": lambda times: in_file(frame(times), "csv"),
    "csv, stamps": lambda times: in_file(stamped(times), "csv"),
    "npz": lambda times: in_file(frame(times), "npz"),
    "parquet": lambda times: in_file(frame(times), "parquet"),
    "parquet, stamps": lambda times: in_file(stamped(times), "parquet"),
    "feather": lambda times: in_file(frame(times), "feather"),
    "feather, stamps": lambda times: in_file(stamped(times), "feather"),
    "pandas": lambda times: lambda _, **o: as_recording(frame(times), **o),
    "pandas, index of stamps": lambda times: indexed(stamped(times)),
    "polars": lambda times: as_polars(frame(times)),
    "arrow": lambda times: as_arrow(frame(times)),
}


def sentence(read, *given, **options):
    with pytest.raises(InputError) as error:
        read(*given, **options)
    assert "\n" not in str(error.value).strip()
    return str(error.value)


@pytest.mark.parametrize("name", TIMED)
def test_good_times_are_read(tmp_path, name):
    recording = TIMED[name](TIMES)(tmp_path)
    assert (recording.channels, recording.rate) == (("a", "b"), 10.0)


@pytest.mark.parametrize("name", TIMED)
def test_time_that_goes_backwards(tmp_path, name):
    times = TIMES.copy()
    times[[7, 8]] = times[[8, 7]]
    said = sentence(TIMED[name](times), tmp_path)
    assert "goes back at " in said


@pytest.mark.parametrize("name", TIMED)
def test_duplicated_stamps(tmp_path, name):
    times = TIMES.copy()
    times[9] = times[8]
    assert "stands still at " in sentence(TIMED[name](times), tmp_path)


@pytest.mark.parametrize("name", TIMED)
def test_a_rate_that_contradicts_the_times(tmp_path, name):
    said = sentence(TIMED[name](TIMES), tmp_path, rate=50)
    assert "10 Hz, but rate is 50" in said
    assert TIMED[name](TIMES)(tmp_path, rate=10).rate == 10.0


def written(name, values=X, rate=8000):
    """Return a recording as the bytes of a format."""
    out = io.BytesIO()
    made = pd.DataFrame(values, columns=["a", "b"])
    if name == "text":
        made.to_csv(out, index=False)
    elif name == "npy":
        np.save(out, values)
    elif name == "npz":
        np.savez(out, x=values, fs=rate)
    elif name == "wav":
        wavfile.write(out, rate, (values * 100).astype("int16"))
    elif name == "ts":
        lines = (",".join(map(str, channel)) for channel in values.T)
        out.write(f"{TS}{':'.join(lines)}:a\n".encode())
    else:
        getattr(made, f"to_{name}")(out)
    return out.getvalue()


FILES = [name for name in series_formats() if name != "wfdb"]  # has tests of its own


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_written_right(tmp_path, name):
    (tmp_path / "x").write_bytes(written(name))
    recording = read_recording(tmp_path / "x", file_format=name)
    assert recording.values.shape == (20, 2)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.97])
def test_files_that_are_cut_off(tmp_path, name, share):
    whole = written(name)
    file = tmp_path / "x.any"
    file.write_bytes(whole[: int(share * len(whole))])
    if name == "text" and share in (0.3, 0.7):
        # Text that ends within a number cannot be told from text that ends there.
        read = read_recording(file, file_format=name, missing="keep").values
        assert len(read) < len(X)
        assert np.array_equal(read[:-1], X[: len(read) - 1])
        return
    assert str(file) in sentence(read_recording, file, file_format=name)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_empty_files(tmp_path, name, content):
    (tmp_path / "x").write_bytes(content)
    said = sentence(read_recording, tmp_path / "x", file_format=name)
    assert str(tmp_path / "x") in said


@pytest.mark.parametrize("name", FILES)
def test_no_samples_below_a_good_header(tmp_path, name):
    if name == "ts":
        (tmp_path / "x").write_text(TS)
    else:
        (tmp_path / "x").write_bytes(written(name, X[:0]))
    said = sentence(read_recording, tmp_path / "x", file_format=name)
    assert "no samples" in said or "holds no series" in said


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_rates_that_are_none(tmp_path, name, rate):
    (tmp_path / "x").write_bytes(written(name))
    said = sentence(read_recording, tmp_path / "x", file_format=name, rate=rate)
    assert "rate must be a positive" in said


@pytest.mark.parametrize("name", ["wav", "npz"])
def test_a_rate_that_contradicts_the_header(tmp_path, name):
    (tmp_path / "x").write_bytes(written(name))
    said = sentence(read_recording, tmp_path / "x", file_format=name, rate=44_100)
    assert "8000 Hz, but rate is 44100" in said


@pytest.mark.parametrize("rate", [0, -8000, np.nan])
def test_a_bad_rate_inside_an_npz(tmp_path, rate):
    (tmp_path / "x.npz").write_bytes(written("npz", rate=rate))
    assert "x.npz" in sentence(read_recording, tmp_path / "x.npz")


def test_a_wav_that_says_zero_samples_per_second(tmp_path):
    content = bytearray(written("wav"))
    content[24:28] = bytes(4)  # the rate, in the header
    (tmp_path / "x.wav").write_bytes(content)
    said = sentence(read_recording, tmp_path / "x.wav")
    assert "x.wav" in said
    assert "nSamplesPerSec = 0" in said


@pytest.mark.parametrize("name", ["text", "ts"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_other_encodings(tmp_path, name, encoding):
    text = written(name).decode()
    text = text.replace("a,b\n", "größe,b\n") if name == "text" else f"# ä\n{text}"
    (tmp_path / "x.any").write_bytes(text.encode(encoding))
    assert "x.any" in sentence(read_recording, tmp_path / "x.any", file_format=name)


def test_a_case_of_a_ts_file(tmp_path):
    file = tmp_path / "x.ts"
    file.write_text(f"{TS}1,2,3:4,5,6:a\n7,8,9:1,?,3:b\n")
    assert "2 series; choose one with --case" in sentence(read_recording, file)
    recording = read_recording(file, case=0)
    assert recording.channels == ("0", "1")
    assert recording.values.tolist() == [[1, 4], [2, 5], [3, 6]]
    assert "--case must lie in [0, 2), got 2" in sentence(read_recording, file, case=2)
    assert "1 value is missing" in sentence(read_recording, file, case=1)
    filled = read_recording(file, case=1, missing="interpolate")
    assert filled.values.tolist() == [[7, 1], [8, 2], [9, 3]]


def test_a_short_ts_series_of_many_channels(tmp_path):
    file = tmp_path / "x.ts"
    file.write_text(f"{TS}1,2:3,4:5,6:a\n")
    assert read_recording(file).values.tolist() == [[1, 3, 5], [2, 4, 6]]
    file.write_text(f"{TS.replace('false', 'true', 1)}1,2,3,4:a\n")
    assert read_recording(file).channels == ("value",)

"""Recordings from objects: arrays, frames of pandas and polars, Arrow tables."""

import numpy as np
import pandas as pd
import pytest

from tsmdbench import InputError
from tsmdbench.io import Recording, as_recording
from tsmdbench.methods.setfinder import SetFinder
from tsmdbench.validation import check_series

X = np.random.default_rng(0).normal(size=(30, 2))


def test_arrays_and_lists():
    assert as_recording(X).channels == ("0", "1")
    one = as_recording([1, 2, 3], rate=10)
    assert (one.channels, one.rate, one.series.tolist()) == (("value",), 10, [1, 2, 3])
    assert as_recording(one) is one
    with pytest.raises(InputError, match="no option colums; known: columns"):
        as_recording(X, colums="a")
    with pytest.raises(InputError, match="holds numbers, not <U1"):
        as_recording(["a", "b"])


def test_a_pandas_frame_with_a_time_index():
    index = pd.date_range(
        "2024-05-01T02:00", periods=30, freq="10ms", tz="Europe/Berlin"
    )
    frame = pd.DataFrame(X, columns=["u", "v"], index=index)
    recording = as_recording(frame)
    assert (recording.channels, recording.rate) == (("u", "v"), 100.0)
    assert recording.start == np.datetime64("2024-05-01T00:00")
    assert np.array_equal(recording.values, X)
    assert "time stamps converted to UTC" in recording.notes
    assert as_recording(frame["v"]).channels == ("v",)
    zoned = as_recording(frame.rename_axis("when").reset_index())
    assert (zoned.start, zoned.notes[0]) == (recording.start, recording.notes[0])


def test_nullable_columns_of_pandas():
    frame = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64")})
    with pytest.raises(InputError, match="1 value is missing in n"):
        as_recording(frame)
    assert as_recording(frame, missing="interpolate").series.tolist() == [1, 2, 3]


def test_a_polars_frame():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"seconds": np.arange(30) / 4, "u": X[:, 0]})
    recording = as_recording(frame)
    assert (recording.channels, recording.rate) == (("u",), 4.0)
    assert np.array_equal(recording.series, X[:, 0])
    holed = polars.DataFrame({"u": [1.0, None, 3.0]})
    with pytest.raises(InputError, match="1 value is missing"):
        as_recording(holed)


def test_an_arrow_table():
    arrow = pytest.importorskip("pyarrow")
    recording = as_recording(arrow.table({"u": X[:, 0], "v": X[:, 1]}))
    assert recording.channels == ("u", "v")
    assert np.array_equal(recording.values, X)


def test_methods_take_a_recording_as_they_take_its_values():
    x = np.sin(np.arange(300) / 5)
    method = SetFinder(length=30, radius=1.0)
    assert method.find(as_recording(x)) == method.find(x)
    assert check_series(as_recording(x)).shape == (300,)


def test_channels_are_found_by_name():
    recording = Recording(X, ("left", "right"), source="here")
    assert recording.channel("right") == 1
    with pytest.raises(
        InputError, match="here has no channel 'up'; known: left, right"
    ):
        recording.channel("up")

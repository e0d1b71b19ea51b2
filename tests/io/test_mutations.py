"""Files that were damaged at random are read, or refused by one sentence."""

import io
import random

import numpy as np
import pandas as pd
import pytest
from scipy.io import wavfile

from tsmdbench import InputError, MotifSet
from tsmdbench.io import (
    motif_formats,
    read_annotations,
    read_recording,
    write_motif_sets,
)

TIMES = 300
PIECES = [
    b",",
    b"\n",
    b"\t",
    b'"',
    b"nan",
    b"-",
    b"1e999",
    b"\0",
    b"9" * 22,
    b"[",
    b";",
]
X = np.random.default_rng(0).normal(size=(30, 2))
SETS = {"a": MotifSet([(1, 5), (8, 9)]), "b": MotifSet([(10, 15)])}
WRITTEN = [name for name in motif_formats() if motif_formats().get(name).write]


def mutated(content, rng):
    """Change, cut, insert or repeat a few bytes."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        kind, at = rng.random(), rng.randrange(len(data) + 1)
        if kind < 0.3 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind < 0.45:
            del data[at:]
        elif kind < 0.7:
            data[at:at] = rng.choice(PIECES)
        elif kind < 0.85:
            del data[at : at + rng.randint(1, 10)]
        else:
            data[at:at] = data[: rng.randint(1, 30)]
    return bytes(data)


def survives(tmp_path, content, read):
    rng = random.Random(0)
    file = tmp_path / "x.any"
    refused = []
    for _ in range(TIMES):
        file.write_bytes(mutated(content, rng))
        try:
            read(file)
        except InputError as error:
            refused.append(str(error))
    assert refused
    assert all(str(file) in said and "\n" not in said for said in refused)


def series(name):
    frame = pd.DataFrame(X, columns=["a", "b"])
    frame.insert(0, "time", pd.date_range("2024", periods=30, freq="s"))
    out = io.BytesIO()
    if name == "text":
        frame.to_csv(out, index=False)
    elif name == "npy":
        np.save(out, X)
    elif name == "npz":
        np.savez_compressed(out, a=X[:, 0], b=X[:, 1], fs=5)
    elif name == "wav":
        wavfile.write(out, 100, (X * 100).astype("int16"))
    elif name == "parquet":
        frame.to_parquet(out)
    elif name == "ts":
        lines = (",".join(map(str, channel)) for channel in X.T)
        head = "@univariate false\n@classLabel true a b\n@data\n"
        out.write(f"{head}{':'.join(lines)}:a\n".encode())
    else:
        frame.to_feather(out)
    return out.getvalue()


SERIES = ["text", "npy", "npz", "wav", "parquet", "feather", "ts"]


@pytest.mark.parametrize("name", SERIES)
def test_damaged_series(tmp_path, name):
    def read(file):
        read_recording(file, file_format=name, missing="interpolate")

    survives(tmp_path, series(name), read)


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("units", ["samples", "epoch-ms"])
def test_damaged_motif_sets(tmp_path, name, units):
    write_motif_sets(tmp_path / "sets", SETS, file_format=name, rate=10)

    def read(file):
        read_annotations(file, file_format=name, rate=10.0, units=units)

    survives(tmp_path, (tmp_path / "sets").read_bytes(), read)

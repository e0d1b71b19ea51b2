"""Files as bytes in every format, and files that are damaged at random."""

import io
import random

import numpy as np
import pandas as pd
import pytest
from scipy.io import wavfile

from tsmdbench import InputError

X = np.random.default_rng(0).normal(size=(20, 2))
TS = "@univariate false\n@equalLength true\n@classLabel true a b\n@data\n"
PIECES = [*b', \n \t " nan - 1e999 \0 [ ;'.split(b" "), b"9" * 22]


def sentence(read, *given, **options):
    """Return what an error says, which is one line."""
    with pytest.raises(InputError) as error:
        read(*given, **options)
    assert "\n" not in str(error.value).strip()
    return str(error.value)


def written(name, values=X, rate=8000, *, stamps=False):
    """Return a series as the bytes of a format."""
    out = io.BytesIO()
    frame = pd.DataFrame(values, columns=["a", "b"])
    if stamps:
        frame.insert(0, "time", pd.date_range("2024", periods=len(values), freq="s"))
    if name == "text":
        frame.to_csv(out, index=False)
    elif name == "npy":
        np.save(out, values)
    elif name == "npz":
        np.savez_compressed(out, x=values, fs=rate)
    elif name == "wav":
        wavfile.write(out, rate, (values * 100).astype("int16"))
    elif name == "ts":
        lines = (",".join(map(str, channel)) for channel in values.T)
        out.write(f"{TS}{':'.join(lines)}:a\n".encode())
    else:
        getattr(frame, f"to_{name}")(out)
    return out.getvalue()


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


def survives(file, content, read, times=60):
    """Damaged files are read, or refused by one sentence that names the file."""
    rng = random.Random(0)
    refused = []
    for _ in range(times):
        file.write_bytes(mutated(content, rng))
        try:
            read(file)
        except InputError as error:
            refused.append(str(error))
    assert refused
    assert all(str(file) in said and "\n" not in said for said in refused)

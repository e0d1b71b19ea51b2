"""Series as arrays: ``.npy``, ``.npz`` and ``.wav``; time is the first axis.

A ``.npz`` file has one array (n,) or (n, d), or one array (n,) per channel. An array
called ``rate``, ``fs`` or ``sampling_rate`` with one number is the sampling rate.
Integers of sound stay as they are stored.
"""

from __future__ import annotations

import struct
import warnings
from pathlib import Path

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.files import check_size, read_npy, read_npz, readable
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.series import SeriesOptions, Table, table_of_array

RATE_NAMES = ("rate", "fs", "sampling_rate")
MAX_CHUNKS = 1000  # a file has a handful


def _read_npy(file: Path, options: SeriesOptions) -> Table:
    return table_of_array(read_npy(file, options.limit), str(file), options)


def _read_npz(file: Path, options: SeriesOptions) -> Table:
    arrays, rate = read_npz(file, options.limit), None
    for name in RATE_NAMES:
        if name in arrays and arrays[name].size == 1:
            given = arrays.pop(name)
            rate = given.item()
            if given.dtype.kind not in "iuf" or not np.isfinite(rate) or rate <= 0:
                raise InputError(
                    f"{file}: the sampling rate must be positive, got {rate!r}"
                )
            break
    shapes = {array.shape for array in arrays.values()}
    if len(arrays) == 1:
        table = table_of_array(next(iter(arrays.values())), str(file), options)
    elif len(shapes) == 1 and len(next(iter(shapes))) == 1:
        table = Table(list(arrays), list(arrays.values()), str(file))
    else:
        shown = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise InputError(
            f"{file} must hold one array, or one array of shape (n,) per channel, got "
            f"{shown or 'none'}"
        )
    table.rate = None if rate is None else float(rate)
    return table


def _read_wav(file: Path, options: SeriesOptions) -> Table:
    from scipy.io import wavfile

    _check_chunks(file, check_size(file, options.limit, "sound"))
    with readable(file, "readable WAV file"), warnings.catch_warnings():
        # Chunks with a title or cue points hold no sound.
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        rate, samples = wavfile.read(file)
    if rate <= 0:
        raise InputError(f"{file}: the sampling rate must be positive, got {rate}")
    table = table_of_array(samples, str(file), options)
    table.rate = float(rate)
    if samples.dtype.kind in "iu":
        table.notes.append(f"values are {samples.dtype} as stored, not scaled to 1")
    return table


def _check_chunks(file: Path, size: int) -> None:
    """Raise for a file that is shorter than its chunks claim, before reading it."""
    with file.open("rb") as stream:
        head = stream.read(12)
        if len(head) < 12 or head[8:] != b"WAVE" or head[:4] not in (b"RIFF", b"RIFX"):
            raise InputError(f"{file}: not a WAV file")
        order, place = "<" if head[:4] == b"RIFF" else ">", 12
        for _ in range(MAX_CHUNKS):
            if place + 8 > size:
                return
            stream.seek(place)
            name, length = struct.unpack(f"{order}4sI", stream.read(8))
            place += 8 + length + length % 2
            if place > size + 1:
                raise InputError(
                    f"{file} is cut off: chunk {name!r} claims {length} bytes, more "
                    f"than follow"
                )
    raise InputError(f"{file} is damaged: it has more than {MAX_CHUNKS} chunks")


NPY = SeriesFormat("npy", (".npy",), _read_npy, "NumPy array of shape (n,) or (n, d)")
NPZ = SeriesFormat(
    "npz",
    (".npz",),
    _read_npz,
    "NumPy arrays: one of shape (n, d), or one per channel",
)
WAV = SeriesFormat("wav", (".wav",), _read_wav, "sound, integers as stored")

"""Arrays: series as ``.npy``, ``.npz`` and ``.wav``, and motif sets as ``.npy``.

Time is the first axis. A ``.npz`` file has one array (n,) or (n, d), or one array (n,)
per channel. An array called ``rate``, ``fs`` or ``sampling_rate`` with one number is
the sampling rate. Integers of sound stay as they are stored.

Motif sets are the matrix of starts that ``stumpy.motifs`` returns, one row per set,
filled up with -1; or one label per sample, also as a text with one label per line. Two
occurrences of one label that touch are one run, so they come back as one segment.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.io.files import check_size, read_arrays, read_text, readable
from tsmdbench.io.formats import MotifFormat, SeriesFormat
from tsmdbench.io.marks import MarkOptions, Marks
from tsmdbench.io.results import from_sample_labels, from_stumpy
from tsmdbench.io.series import SeriesOptions, Table, table_of_array

RATE_NAMES = ("rate", "fs", "sampling_rate")


def _read_numpy(file: Path, options: SeriesOptions) -> Table:
    loaded, rate = read_arrays(file, options.max_bytes), None
    arrays = {"": loaded} if isinstance(loaded, np.ndarray) else loaded
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

    size = check_size(file, options.max_bytes, "sound")
    with file.open("rb") as stream:
        head = stream.read(12)
    order = {b"RIFF": "little", b"RIFX": "big"}.get(head[:4])
    if order is None or head[8:] != b"WAVE":
        raise InputError(f"{file}: not a WAV file")
    stated = 8 + int.from_bytes(head[4:8], "big" if order == "big" else "little")
    if stated > size + 1:
        raise InputError(f"{file} is cut off: it has {size} of {stated} bytes")
    with readable(file, "readable WAV file"), warnings.catch_warnings():
        # Chunks with a title or cue points hold no sound.
        warnings.simplefilter("ignore", wavfile.WavFileWarning)
        warnings.filterwarnings("error", "Reached EOF", wavfile.WavFileWarning)
        rate, samples = wavfile.read(file)
    if rate <= 0:
        raise InputError(f"{file}: the sampling rate must be positive, got {rate}")
    table = table_of_array(samples, str(file), options)
    table.rate = float(rate)
    if samples.dtype.kind in "iu":
        table.notes.append(f"values are {samples.dtype} as stored, not scaled to 1")
    return table


def _read_starts(file: Path, options: MarkOptions) -> Marks:
    if options.length is None:
        raise InputError(f"{file}: give the length of the windows (--length)")
    try:
        found = from_stumpy(read_arrays(file, options.max_bytes), options.length)
    except InputError as cause:
        raise InputError(f"{file}: {cause}") from None
    return Marks(plain={str(place): list(sets) for place, sets in enumerate(found)})


def _read_labels(file: Path, options: MarkOptions) -> Marks:
    if options.background is None:
        raise InputError(
            f"{file}: give the label outside of motifs with background (--background 0)"
        )
    if file.suffix.lower() == ".npy":
        array = np.asarray(read_arrays(file, options.max_bytes))
        if array.ndim != 1:
            raise InputError(f"{file}: labels have shape (n,), got {array.shape}")
        labels = [str(label) for label in array.tolist()]
    else:
        text = read_text(file, options.max_bytes, options.encoding)
        labels = [line.strip() for line in text.splitlines()]
    if not labels:
        raise InputError(f"{file} holds no label")
    if options.background not in labels:
        raise InputError(
            f"{file} has no sample with the background label {options.background!r}; "
            f"check its spelling"
        )
    found = from_sample_labels(labels, background=options.background)
    note = "occurrences that touch have become one segment"
    return Marks(notes=[note], plain={label: list(found[label]) for label in found})


FORMATS = (
    SeriesFormat("npy", (".npy",), _read_numpy, "NumPy array of shape (n,) or (n, d)"),
    SeriesFormat(
        "npz",
        (".npz",),
        _read_numpy,
        "NumPy arrays: one of shape (n, d), or one per channel",
    ),
    SeriesFormat("wav", (".wav",), _read_wav, "sound, integers as stored"),
    MotifFormat(
        "stumpy",
        (".npy",),
        _read_starts,
        "matrix of starts of stumpy.motifs (--length)",
    ),
    MotifFormat(
        "sample-labels",
        (".labels",),
        _read_labels,
        "one label per sample (--background)",
    ),
)

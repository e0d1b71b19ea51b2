"""Sound as ``.wav``: sampling rate and channels; integers stay as they are stored."""

from __future__ import annotations

import struct
import warnings
from pathlib import Path
from typing import IO

from tsmdbench.errors import InputError
from tsmdbench.io.assemble import table_of_array
from tsmdbench.io.formats import SeriesFormat
from tsmdbench.io.options import SeriesOptions
from tsmdbench.io.paths import brief, check_size
from tsmdbench.io.table import Table

# SciPy's reader trips over its own variables where a chunk is missing.
BROKEN = (ValueError, OSError, struct.error, ZeroDivisionError, UnboundLocalError)
MAX_CHUNKS = 1000  # a file has a handful


def _read(file: Path, options: SeriesOptions) -> Table:
    from scipy.io import wavfile

    size = check_size(file, options.limit, "sound")
    with file.open("rb") as stream:
        _check_chunks(stream, size, file)
    try:
        with warnings.catch_warnings():
            # Chunks with a title or cue points hold no sound.
            warnings.simplefilter("ignore", wavfile.WavFileWarning)
            rate, samples = wavfile.read(file)
    except BROKEN as cause:
        raise InputError(f"{file}: not a readable WAV file ({brief(cause)})") from None
    if rate <= 0:
        raise InputError(f"{file}: the sampling rate must be positive, got {rate}")
    table = table_of_array(samples, str(file), options)
    table.rate = float(rate)
    if samples.dtype.kind in "iu":
        table.notes.append(f"values are {samples.dtype} as stored, not scaled to 1")
    return table


def _check_chunks(stream: IO[bytes], size: int, file: Path) -> None:
    """Refuse a file that is shorter than its chunks claim, before reserving memory."""
    head = stream.read(12)
    if len(head) < 12 or head[8:] != b"WAVE" or head[:4] not in (b"RIFF", b"RIFX"):
        raise InputError(f"{file}: not a WAV file")
    order = "<" if head[:4] == b"RIFF" else ">"
    place = 12
    for _ in range(MAX_CHUNKS):
        if place + 8 > size:
            return
        stream.seek(place)
        name, length = struct.unpack(f"{order}4sI", stream.read(8))
        place += 8 + length + length % 2
        if place > size + 1:
            raise InputError(
                f"{file} is cut off: chunk {name!r} claims {length} bytes, more than "
                f"follow"
            )
    raise InputError(f"{file} is damaged: it has more than {MAX_CHUNKS} chunks")


FORMAT = SeriesFormat("wav", (".wav",), _read, "sound, integers as stored")

"""Time and memory of reading a large CSV file: 10 million rows of 8 channels.

The values are compared with those of pandas on the first rows. Reading runs in a
process of its own, whose time, processor time and largest resident memory are printed;
the limits are 30 s and 2.5 GiB.

``python benchmarks/reading.py [ROWS]``
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CHANNELS = 8
SECONDS = 30.0
GIB = 2.5
BLOCK = 500_000
READ = "import sys; from benchmarks.reading import measure; measure(sys.argv[1])"


def write(file: Path, rows: int) -> None:
    """Write seconds and eight channels, block by block."""
    import pyarrow
    from pyarrow import csv

    rng = np.random.default_rng(0)
    names = ["seconds", *(f"channel_{place}" for place in range(CHANNELS))]
    schema = pyarrow.schema([(name, pyarrow.float64()) for name in names])
    with csv.CSVWriter(file, schema) as out:
        for start in range(0, rows, BLOCK):
            count = min(BLOCK, rows - start)
            seconds = np.round((start + np.arange(count)) * 0.01, 2)
            values = rng.normal(size=(CHANNELS, count))
            columns = [pyarrow.array(column) for column in (seconds, *values)]
            out.write_table(pyarrow.table(columns, schema=schema))


def measure(path: str) -> None:
    """Read the file and print seconds, memory and what was read."""
    from tsmdbench.io import read_recording

    begin, busy = time.perf_counter(), time.process_time()
    recording = read_recording(path)
    seconds = time.perf_counter() - begin
    busy = time.process_time() - busy
    gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(seconds, busy, gib, recording.summary(), sep="\n")


def compare(file: Path) -> None:
    """Compare the first rows with what pandas reads."""
    import pandas as pd

    from tsmdbench.io import read_recording

    frame = pd.read_csv(file, nrows=10_000, float_precision="round_trip")
    part = file.with_name("part.csv")
    with file.open() as whole, part.open("w") as out:
        out.writelines(next(whole) for _ in range(10_001))
    recording = read_recording(part)
    same = np.array_equal(recording.values, frame.to_numpy()[:, 1:])
    if not same or recording.rate != 100.0:
        sys.exit("the first rows are not those that pandas reads")


def main() -> int:
    """Write, compare, read, and say whether the limits were kept."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.csv"
        write(file, rows)
        compare(file)
        ended = subprocess.run(
            [sys.executable, "-c", READ, str(file)],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
        )
        size = file.stat().st_size / 2**30
    seconds, busy, gib, summary = ended.stdout.splitlines()
    print(f"{summary}; {size:.2f} GiB of text")
    print(f"{float(seconds):.1f} s (limit {SECONDS:g} s), {float(busy):.1f} s busy")
    print(f"{float(gib):.2f} GiB (limit {GIB:g} GiB)")
    return int(float(seconds) > SECONDS or float(gib) > GIB)


if __name__ == "__main__":
    raise SystemExit(main())

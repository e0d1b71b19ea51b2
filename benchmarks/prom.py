"""PROM against a plain reading of its definition: a double loop in Python.

Run ``python benchmarks/prom.py``. The answers are compared before any time is shown.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.reference.prom import plain_f1
from tsmdbench.metrics import prom


def problem(motifs: int, sets: int, seed: int = 0):
    """Return true and found sets as lists; found is shifted, some motifs are lost."""
    rng = np.random.default_rng(seed)
    starts = 100 * np.arange(motifs) + 50
    shifts = rng.integers(-30, 30, motifs)
    owner = rng.permutation(np.arange(motifs) % sets)
    kept = rng.random(motifs) < 0.9
    truth = [[(int(s), int(s) + 80) for s in starts[owner == k]] for k in range(sets)]
    found = [
        [(int(s), int(s) + 80) for s in (starts + shifts)[(owner == k) & kept]]
        for k in range(sets)
    ]
    return truth, found


def seconds(function, repeat: int) -> float:
    """Return the shortest of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def as_arrays(sets):
    return [np.array(motifs, dtype=np.int64).reshape(-1, 2) for motifs in sets]


def import_seconds(module: str) -> float:
    """Return how long a fresh interpreter takes to import, best of five."""
    code = (
        f"from time import perf_counter as t; a = t(); import {module}; print(t() - a)"
    )
    command = [sys.executable, "-c", code]
    runs = [
        float(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout
        )
        for _ in range(5)
    ]
    return min(runs)


def main() -> None:
    truth, found = problem(20, 4)
    prom(truth, found)
    small = seconds(lambda: [prom(truth, found) for _ in range(100)], 10) / 100
    print(f"20 true and 20 found motifs, 4 sets: {small * 1e6:.0f} us a call")

    truth, found = problem(10_000, 5)
    ours = prom(truth, found).f1
    begin = time.perf_counter()
    plain = plain_f1(truth, found)
    loop = time.perf_counter() - begin
    if abs(ours - plain) > 1e-12:
        raise SystemExit(f"answers differ: {ours} and {plain}")
    arrays = as_arrays(truth), as_arrays(found)
    for kind, data in (("lists", (truth, found)), ("arrays", arrays)):
        ours = seconds(lambda data=data: prom(*data), 10)
        print(
            f"10,000 motifs as {kind}: double loop {loop:.1f} s, "
            f"prom {ours * 1e3:.2f} ms, {loop / ours:,.0f} times faster, equal F1"
        )

    print("growth, per doubling of the number of motifs (arrays):")
    before = None
    for motifs in (
        10_000,
        20_000,
        40_000,
        80_000,
        160_000,
        320_000,
        640_000,
        1_280_000,
    ):
        data = [as_arrays(sets) for sets in problem(motifs, 10)]
        now = seconds(lambda data=data: prom(*data), 5)
        ratio = "" if before is None else f"  x{now / before:.2f}"
        print(f"  {motifs:>9,}  {now * 1e3:8.1f} ms{ratio}")
        before = now

    rng = np.random.default_rng(1)
    starts = 100 * np.arange(100_000)
    segments = np.stack([starts, starts + 80], axis=1)
    owner = rng.permutation(np.repeat(np.arange(2000), 50))
    other = owner.copy()
    moved = rng.random(len(other)) < 0.5
    other[moved] = rng.permutation(other[moved])
    for name, columns in (
        ("the same sets", owner),
        ("half of the motifs in wrong sets", other),
        ("all motifs in random sets", rng.permutation(owner)),
    ):
        truth = [segments[owner == k] for k in range(2000)]
        found = [segments[columns == k] for k in range(2000)]
        taken = seconds(lambda t=truth, f=found: prom(t, f), 3)
        print(f"2,000 sets of 50 motifs, {name}: {taken:.2f} s")

    base = import_seconds("numpy, scipy")
    for module in ("tsmdbench", "tsmdbench.metrics"):
        extra = import_seconds(module) - base
        print(f"import {module}: {extra:+.3f} s against numpy and scipy ({base:.3f} s)")


if __name__ == "__main__":
    main()

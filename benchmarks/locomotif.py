"""Time and memory of LoCoMotif beside the authors' `dtai-locomotif`.

Run ``python benchmarks/locomotif.py`` for all tables (a quarter of an hour), or name
some of them: ``compare``, ``profile``, ``sweep``, ``long``. Every measurement has a
process of its own: warmed up on a short series, then the least of a few repetitions,
in processor seconds (both use one thread), which a busy machine distorts less; memory
is the peak of the whole process, interpreter and libraries included, and next to it
what the process held before the series came. Motif sets are compared before times.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np

LENGTH = 100  # l_min and l_max of most runs
GRID = [
    {"rho": rho / 10, "warping": warping}
    for rho in range(1, 10)
    for warping in (True, False)
]


def series(n: int, d: int, seed: int = 0) -> Any:
    """Noise of slow and fast parts with a noisy wave planted every n / 9 samples."""
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.normal(size=(n, d)), axis=0)
    window = np.ones(201) / 201
    trend = [np.convolve(x[:, c], window, "same") for c in range(d)]
    x -= np.stack(trend, axis=1)
    wave = np.sin(np.linspace(0, 12, 150))[:, None] * np.arange(1, d + 1) * 3
    for start in range(100, n - 200, max(n // 9, 200)):
        x[start : start + 150] = wave + 0.3 * rng.normal(size=(150, d))
    return (x - x.mean(axis=0)) / x.std(axis=0)


def ours(x: Any, length: int, settings: dict[str, Any]) -> list[list[list[int]]]:
    from tsmdbench.methods.locomotif import LoCoMotif

    found = LoCoMotif(length, length, **settings).find(x)
    return [[list(segment) for segment in motifs] for motifs in found]


def theirs(x: Any, length: int, settings: dict[str, Any]) -> list[list[list[int]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from locomotif.locomotif import apply_locomotif

    chosen = dict(settings)
    chosen["nb"] = chosen.pop("max_sets", None)
    found = apply_locomotif(x, length, length, **chosen)
    return [sorted([int(b), int(e)] for b, e in motifs) for _, motifs in found]


def peak() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(task: dict[str, Any]) -> dict[str, Any]:
    """Do one measurement in this process."""
    x = series(task["n"], task["d"])
    short = series(400, task["d"])
    repeats = task.get("repeats", 3)
    if task["who"] == "sweep":
        return run_sweep(x, short, task["length"], repeats)
    find = ours if task["who"] == "ours" else theirs
    find(short, 20, task["settings"])
    find(np.round(short, 1), 20, task["settings"])  # has ties, which take more code
    before = peak()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        found = find(x, task["length"], task["settings"])
        times.append(time.process_time() - start)
    return {"time": min(times), "peak": peak(), "before": before, "found": found}


def run_sweep(x: Any, short: Any, length: int, repeats: int) -> dict[str, Any]:
    """Time the grid at once and one setting at a time."""
    from tsmdbench.methods.locomotif import LoCoMotif

    method = LoCoMotif(length, length, max_sets=3)
    LoCoMotif(20, 20).sweep(np.round(short, 1), GRID)
    together, alone = [], []
    for _ in range(repeats):
        start = time.process_time()
        found = method.sweep(x, GRID)
        together.append(time.process_time() - start)
        single = []
        for setting, expected in zip(GRID, found, strict=True):
            one = LoCoMotif(length, length, max_sets=3, **setting)
            start = time.process_time()
            equal = one.find(x) == expected
            single.append(time.process_time() - start)
            if not equal:
                raise SystemExit(f"sweep and find differ for {setting}")
        alone.append(single)
    return {"time": min(together), "alone": np.min(alone, axis=0).tolist()}


def measure(**task: Any) -> dict[str, Any]:
    """Do one measurement in a process of its own."""
    # -P: this file must not pass for the authors' package of the same name.
    command = [sys.executable, "-P", __file__, "--task", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{task} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def compare() -> None:
    print("authors and ours, l_min = l_max = 100, all motif sets")
    print(
        "     n  D  rho warping  sets equal  authors s    ours s  ratio  "
        "authors MB  ours MB (before)"
    )
    for d in (1, 6):
        for n in (2000, 5000, 10000):
            for rho, warping in ((0.6, True), (0.8, True), (0.5, False)):
                task = {
                    "n": n,
                    "d": d,
                    "length": LENGTH,
                    "settings": {"rho": rho, "warping": warping},
                    "repeats": 2 if n > 5000 else 3,
                }
                one, other = measure(who="theirs", **task), measure(who="ours", **task)
                equal = one["found"] == other["found"]
                print(
                    f"{n:6d} {d:2d} {rho:4.1f} {warping!s:>7} {len(other['found']):5d} "
                    f"{equal!s:>5} {one['time']:10.3f} {other['time']:9.3f} "
                    f"{one['time'] / other['time']:6.1f} {one['peak']:11.0f} "
                    f"{other['peak']:8.0f} ({other['before']:.0f})",
                    flush=True,
                )


def profile() -> None:
    """Show where the time of one run goes, step by step."""
    from tsmdbench.kernels import cumulative
    from tsmdbench.methods import loco
    from tsmdbench.methods.locomotif import LoCoMotif

    print("share of the steps, ours, D = 1, rho = 0.8, l_min = l_max = 100")
    print("     n warping  similarities  quantile  cumulate  paths  candidates (ms)")
    for n in (2000, 5000, 10000):
        x = series(n, 1).astype(np.float32)
        for warping in (True, False):
            method = LoCoMotif(LENGTH, LENGTH, 0.8, warping)
            method.find(x)
            clock = [time.process_time()]
            similarities = loco.Similarities(x)
            cells = similarities.packed()
            clock.append(time.process_time())
            (tau,) = loco.quantiles(cells, [0.8])
            clock.append(time.process_time())
            cumulative.cumulate_inplace(cells, n, tau, warping, cells)
            clock.append(time.process_time())
            found = loco.find_paths(cells, n, tau, LENGTH, warping=warping)
            clock.append(time.process_time())
            method._motif_sets(found, similarities)
            clock.append(time.process_time())
            steps = np.diff(clock) * 1000
            print(
                f"{n:6d} {warping!s:>7} {steps[0]:13.1f} {steps[1]:9.1f} "
                f"{steps[2]:9.1f} {steps[3]:6.1f} {steps[4]:11.1f}",
                flush=True,
            )


def sweep() -> None:
    print("grid of nine rho, with and without warping, as one sweep")
    print("     n  D   sweep s  mean of one s  ratio  rho 0.8 warping s  ratio  sum s")
    for n, d in ((2000, 1), (5000, 1), (2000, 6), (5000, 6)):
        done = measure(who="sweep", n=n, d=d, length=LENGTH, repeats=2)
        mean = float(np.mean(done["alone"]))
        usual = done["alone"][GRID.index({"rho": 0.8, "warping": True})]
        print(
            f"{n:6d} {d:2d} {done['time']:9.3f} {mean:14.3f} {done['time'] / mean:6.1f}"
            f" {usual:18.3f} {done['time'] / usual:6.1f} {sum(done['alone']):6.2f}",
            flush=True,
        )


def long() -> None:
    print("time against n, D = 1, l_min = l_max = 200, rho = 0.8, ten motif sets")
    print("     n warping  sets   time s  ns per cell  peak MB")
    for n in (2000, 5000, 10000, 20000, 50000):
        for warping in (True, False):
            settings = {"rho": 0.8, "warping": warping, "max_sets": 10}
            done = measure(
                who="ours", n=n, d=1, length=200, settings=settings, repeats=1
            )
            cell = done["time"] / (n * (n + 1) / 2) * 1e9
            print(
                f"{n:6d} {warping!s:>7} {len(done['found']):5d} {done['time']:8.2f} "
                f"{cell:12.1f} {done['peak']:8.0f}",
                flush=True,
            )


def main() -> None:
    if sys.argv[1:2] == ["--task"]:
        print(json.dumps(run(json.loads(sys.argv[2]))))
        return
    tables = {"compare": compare, "profile": profile, "sweep": sweep, "long": long}
    for name in sys.argv[1:] or tables:
        tables[name]()
        print()


if __name__ == "__main__":
    main()

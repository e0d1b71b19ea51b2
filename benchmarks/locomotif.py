"""Time and memory of LoCoMotif beside the authors' `dtai-locomotif`.

Run ``python benchmarks/locomotif.py`` for the usual tables (some minutes), or name some
of them: ``compare``, ``profile``, ``sweep``, ``threads``, and, which take longer,
``memory`` (time and memory from 10,000 to 200,000 samples, four kinds of series and two
rho: some hours; numbers after it are the sizes instead, ``memory 10000 50000``),
``variant`` (the authors' `LargeScaleLoCoMotif`), ``grid`` (all 18 settings, one and six
channels, n = 2,000, 5,000 and 10,000) and ``parity`` (real problems). TSMDBENCH_DATA
must name the data of ``memory`` and ``parity``. Every program has a process of its own:
warmed up on a short series, then the least of a few repetitions, in processor seconds,
which a busy machine distorts less; memory is the peak of the whole process, interpreter
and libraries included, and next to it what the process held before the series came.
Motif sets are compared before times.

Motif sets may differ from those of the release, since it leaves the order of equal ends
of paths to an unstable sort. The tests compare with the release with a stable sort,
where all are identical; ``parity`` shows how often the sets differ and what that means
for scores.

What bounds a run: rows of similarities are computed twice, since they are not kept, and
each takes about as long as linking the cells does. The smaller rho is, the more cells
belong to paths that are long enough, and the search, which reads memory at random,
takes most of the time.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

LENGTH = 100  # l_min and l_max of most runs
DATASETS = (
    "ArticularyWordRecognition",
    "CharacterTrajectories",
    "ECG5000",
    "ERing",
    "Fungi",
    "JapaneseVowels",
    "NATOPS",
    "PenDigits",
    "Plane",
    "SpokenArabicDigits",
    "Symbols",
    "UWaveGestureLibrary",
)
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


def theirs(x: Any, length: Any, settings: dict[str, Any]) -> list[list[list[int]]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from locomotif.locomotif import apply_locomotif

    chosen = dict(settings)
    chosen["nb"] = chosen.pop("max_sets", None)
    l_min, l_max = length if isinstance(length, tuple) else (length, length)
    found = apply_locomotif(x, l_min, l_max, **chosen)
    return [sorted([int(b), int(e)] for b, e in motifs) for _, motifs in found]


def peak() -> float:
    """Peak memory of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def run(task: dict[str, Any]) -> Any:
    """Do the measurements of one process."""
    if task["who"] == "memory":
        return run_memory(task["case"], task["n"], task["rho"])
    if task["who"] == "variant":
        return run_variant(task["n"])
    x = series(task["n"], task["d"])
    short = series(400, task["d"])
    repeats = task.get("repeats", 3)
    if task["who"] == "threads":
        return run_threads(x, task["length"])
    if task["who"] == "sweep":
        return run_sweep(x, short, task["length"], repeats)
    find = ours if task["who"] == "ours" else theirs
    for settings in task["settings"]:
        find(short, 20, settings)
    before = peak()
    results = []
    for settings in task["settings"]:
        times = []
        for _ in range(repeats):
            start = time.process_time()
            found = find(x, task["length"], settings)
            times.append(time.process_time() - start)
        results.append({"time": min(times), "peak": peak(), "found": found})
    return {"before": before, "results": results}


def run_sweep(x: Any, short: Any, length: int, repeats: int) -> dict[str, Any]:
    """Time the grid at once and one setting at a time."""
    from tsmdbench.methods.locomotif import LoCoMotif

    LoCoMotif(20, 20).sweep(short, GRID)
    times, walls = [], []
    for jobs in (1, 2):
        method = LoCoMotif(length, length, max_sets=3, n_jobs=jobs)
        for _ in range(repeats):
            start, begin = time.process_time(), time.perf_counter()
            found = method.sweep(x, GRID)
            walls.append(time.perf_counter() - begin)
            times.append(time.process_time() - start)
    alone, waits = [], []
    for setting, expected in zip(GRID, found, strict=True):
        one = LoCoMotif(length, length, max_sets=3, **setting)
        for _ in range(repeats):
            start, begin = time.process_time(), time.perf_counter()
            equal = one.find(x) == expected
            waits.append(time.perf_counter() - begin)
            alone.append(time.process_time() - start)
            if not equal:
                raise SystemExit(f"sweep and find differ for {setting}")
    return {
        "time": min(times[:repeats]),
        "walls": np.reshape(walls, (2, repeats)).min(axis=1).tolist(),
        "alone": np.reshape(alone, (len(GRID), repeats)).min(axis=1).tolist(),
        "waits": np.reshape(waits, (len(GRID), repeats)).min(axis=1).tolist(),
    }


def measure(**task: Any) -> dict[str, Any]:
    """Do measurements in a process of its own."""
    # -P: this file must not pass for the authors' package of the same name.
    command = [sys.executable, "-P", __file__, "--task", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{task} failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def compare() -> None:
    usual = [{"rho": 0.8, "warping": True}, {"rho": 0.6, "warping": True}]
    settings = [*usual, {"rho": 0.5, "warping": False}]
    print_heads()
    for n in (2000, 5000, 10000):
        for d in (1, 6):
            print_rows(n, d, settings)


def grid() -> None:
    print_heads()
    for n in (2000, 5000, 10000):
        for d in (1, 6):
            print_rows(n, d, GRID, apart=True)


def print_heads() -> None:
    print("authors and ours, l_min = l_max = 100, all motif sets")
    print(
        "     n  D  rho warping  sets equal  authors s    ours s  ratio  "
        "authors MB  ours MB (before)"
    )


def print_rows(
    n: int, d: int, settings: list[dict[str, Any]], *, apart: bool = False
) -> None:
    """Run both programs on one series and print a row per setting.

    Peaks of memory are those so far in a process; with `apart` each of our settings has
    one of its own.
    """
    task = {"n": n, "d": d, "length": LENGTH}
    # The authors' program takes seconds, which repetition changes little.
    repeats = 3 if n < 5000 else 1
    one = measure(who="theirs", repeats=repeats, settings=settings, **task)
    groups = [[setting] for setting in settings] if apart else [settings]
    others = [measure(who="ours", repeats=3, settings=g, **task) for g in groups]
    other = {"before": others[0]["before"]}
    pairs = zip(
        one["results"], (row for each in others for row in each["results"]), strict=True
    )
    for chosen, (authors, own) in zip(settings, pairs, strict=True):
        print(
            f"{n:6d} {d:2d} {chosen['rho']:4.1f} {chosen['warping']!s:>7} "
            f"{len(own['found']):5d} {authors['found'] == own['found']!s:>5} "
            f"{authors['time']:10.3f} {own['time']:9.3f} "
            f"{authors['time'] / own['time']:6.1f} {authors['peak']:11.0f} "
            f"{own['peak']:8.0f} ({other['before']:.0f})",
            flush=True,
        )


def profile() -> None:
    """Show where the time of one run goes, step by step."""
    from tsmdbench._kernels.locomotif import paths, strips
    from tsmdbench.methods.locomotif import LoCoMotif

    steps = {
        "cumulate": (strips, "cumulate_strip_inplace"),
        "links": (strips, "link_strip_inplace"),
        "ends": (strips, "list_ends"),
        "needed": (strips, "spread_inplace"),
        "search": (paths, "search"),
    }
    spent = dict.fromkeys(steps, 0.0)

    def timed(name: str, work: Any) -> Any:
        def call(*given: Any) -> Any:
            start = time.process_time()
            result = work(*given)
            spent[name] += time.process_time() - start
            return result

        return call

    for name, (module, function) in steps.items():
        setattr(module, function, timed(name, getattr(module, function)))
    print("milliseconds of the steps, ours, D = 1, l_min = l_max = 100")
    print("     n  rho warping " + " ".join(f"{n:>9}" for n in [*steps, "all"]))
    for n in (2000, 5000, 10000):
        x = series(n, 1)
        for rho, warping in ((0.8, True), (0.6, True), (0.2, True), (0.5, False)):
            method = LoCoMotif(LENGTH, LENGTH, rho, warping)
            for _ in range(2):  # the first compiles
                spent.update(dict.fromkeys(steps, 0.0))
                start = time.process_time()
                method.find(x)
                every = time.process_time() - start
            shown = [f"{1000 * s:9.1f}" for s in [*spent.values(), every]]
            print(f"{n:6d} {rho:4.1f} {warping!s:>7} {' '.join(shown)}", flush=True)


def threads() -> None:
    print("one find in two threads, D = 1, l_min = l_max = 200, rho = 0.8, warping")
    print("     n  wall s, one thread  wall s, two  ratio")
    for n in (5000, 10000, 20000, 40000):
        walls = measure(who="threads", n=n, d=1, length=200)["walls"]
        print(f"{n:6d} {walls[0]:19.2f} {walls[1]:12.2f} {walls[0] / walls[1]:6.2f}")


def run_threads(x: Any, length: int) -> dict[str, Any]:
    """Time a find in one thread and in two."""
    from tsmdbench.methods.locomotif import LoCoMotif

    walls, found = [], []
    for jobs in (1, 2):
        method = LoCoMotif(length, length, max_sets=3, n_jobs=jobs)
        method.find(x[:3000])
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            found.append(method.find(x))
            times.append(time.perf_counter() - begin)
        walls.append(min(times))
    if found[0] != found[-1]:
        raise SystemExit("results depend on the number of threads")
    return {"walls": walls}


def sweep() -> None:
    print("grid of nine rho, with and without warping, as one sweep")
    print("processor seconds, one thread; then seconds on the wall, two threads")
    print(
        "     n  D   sweep s  mean of one s  ratio  rho 0.8 warping s  ratio  sum s  "
        "wall of sweep, n_jobs=2  to the mean of one"
    )
    repeats = {2000: 20, 5000: 9, 10000: 5}
    for n, d in ((2000, 1), (5000, 1), (5000, 6), (10000, 1), (10000, 6)):
        task = {"n": n, "d": d, "length": LENGTH, "repeats": repeats[n]}
        done = measure(who="sweep", **task)
        mean = float(np.mean(done["alone"]))
        usual = done["alone"][GRID.index({"rho": 0.8, "warping": True})]
        wall = done["walls"][1]
        print(
            f"{n:6d} {d:2d} {done['time']:9.3f} {mean:14.3f} {done['time'] / mean:6.1f}"
            f" {usual:18.3f} {done['time'] / usual:6.1f} {sum(done['alone']):6.2f}"
            f" {wall:24.3f} {wall / np.mean(done['waits']):19.1f}",
            flush=True,
        )


def memory() -> None:
    """Show that memory depends on the length only."""
    given = tuple(int(word) for word in sys.argv[1:] if word.isdigit())
    sizes = given or (10000, 50000, 100000, 200000)
    print("l_min = 200, l_max = 300, warping, three motif sets; one process each")
    print("series      n  rho   time s  ns per cell  peak MB")
    for n in sizes:
        for case in ("noise", "drift", "ecg", "sine"):
            for rho in (0.5, 0.8):
                done = measure(who="memory", case=case, n=n, rho=rho)
                cell = done["time"] / (n * (n + 1) / 2) * 1e9
                print(
                    f"{case:6} {n:6d} {rho:4.1f} {done['time']:8.1f} {cell:12.1f} "
                    f"{done['peak']:8.0f}",
                    flush=True,
                )


def variant() -> None:
    """Compare with the authors' variant for long series, its children included."""
    print("LargeScaleLoCoMotif and ours, noise, l_min = 200, l_max = 300, rho 0.8")
    print("     n  authors s  peak MB of a process  ours s  peak MB")
    for n in (4000, 8000):
        authors = measure(who="variant", n=n)
        own = measure(who="memory", case="noise", n=n, rho=0.8)
        print(
            f"{n:6d} {authors['time']:10.1f} {authors['peak']:22.0f} "
            f"{own['time']:7.2f} {own['peak']:8.0f}",
            flush=True,
        )


def run_variant(n: int) -> dict[str, float]:
    """Measure one search of the authors' variant and of the processes it starts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from locomotif.large_scale_locomotif import LargeScaleLoCoMotif

    def find(x: Any) -> None:
        z = ((x - x.mean()) / x.std())[:, None].astype(np.float32)
        with contextlib.redirect_stdout(sys.stderr):  # it prints how far it is
            search = LargeScaleLoCoMotif.instance_from_rho(z, 200, 300, rho=0.8)
            search.find_best_paths()
            list(search.find_best_motif_sets(nb=3, overlap=0.0))

    find(long_series("noise", 1000))
    start = used()
    find(long_series("noise", n))
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
    return {"time": used() - start, "peak": max(peak(), children)}


def used() -> float:
    """Processor seconds of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def run_memory(case: str, n: int, rho: float) -> dict[str, float]:
    """Measure one search."""
    from tsmdbench.methods.locomotif import LoCoMotif

    method = LoCoMotif(200, 300, rho, max_sets=3)
    method.find(long_series("noise", 1000))
    x = long_series(case, n)
    start = time.process_time()
    method.find(x)
    return {"time": time.process_time() - start, "peak": peak()}


def long_series(case: str, n: int) -> Any:
    """Noise; a slow drift with bursts; a record of the ECG recordings; or a sine."""
    rng = np.random.default_rng(0)
    if case == "noise":
        return rng.normal(size=n)
    if case == "drift":
        x = 0.05 * np.cumsum(rng.normal(size=n)) + 0.3 * rng.normal(size=n)
        burst = 3 * np.sin(np.linspace(0, 20, 250)) * np.hanning(250)
        for start in range(500, n - 300, max(n // 9, 400)):
            x[start : start + 250] += burst
        return x
    if case == "sine":
        phase = np.cumsum(2 * np.pi / 200 * (1 + 0.1 * rng.normal(size=n)))
        return np.sin(phase) + 0.05 * rng.normal(size=n)
    # Format 212 of WFDB: two leads of twelve bits in three bytes.
    record = Path(os.environ["TSMDBENCH_DATA"]) / "recordings/mitdb/100.dat"
    raw = np.fromfile(record, np.uint8).reshape(-1, 3).astype(int)[:n]
    lead = raw[:, 0] | (raw[:, 1] & 15) << 8
    return np.where(lead > 2047, lead - 4096, lead).astype(float)


def parity() -> None:
    """Compare with the unmodified release on test problems of the benchmark."""
    from tsmdbench.benchmark import load_benchmark
    from tsmdbench.methods.locomotif import LoCoMotif
    from tsmdbench.metrics import prom

    print(
        "release and ours on five test problems per dataset, all settings of the grid"
    )
    print("dataset                      outputs  identical  F1 release  F1 ours")
    for name in DATASETS:
        same, scores = [], []
        for problem in load_benchmark(name, "test")[:5]:
            lengths = [length for s in problem.truth.values() for length in s.lengths]
            l_min, l_max = (max(4, int(np.quantile(lengths, q))) for q in (0.1, 0.9))
            x = np.asarray(problem.series, float)
            z = (x - x.mean()) / x.std()
            most = len(problem.truth)
            found = LoCoMotif(l_min, l_max, max_sets=most).sweep(x, GRID)
            for setting, own in zip(GRID, found, strict=True):
                authors = theirs(z, (l_min, l_max), {**setting, "max_sets": most})
                own_sets = [[list(pair) for pair in motifs] for motifs in own]
                same.append(authors == own_sets)
                scores.append([prom(problem.truth, f).f1 for f in (authors, own_sets)])
        release, own_f1 = np.mean(scores, axis=0)
        print(
            f"{name:28} {len(same):7d} {np.mean(same):10.1%} {release:11.4f} "
            f"{own_f1:8.4f}",
            flush=True,
        )


def main() -> None:
    # This file has the name of the authors' package and would be imported in its place.
    here = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != here]
    if sys.argv[1:2] == ["--task"]:
        print(json.dumps(run(json.loads(sys.argv[2]))))
        return
    usual = {"compare": compare, "profile": profile, "sweep": sweep, "threads": threads}
    slow = {"memory": memory, "variant": variant, "grid": grid, "parity": parity}
    tables = {**usual, **slow}
    for name in [word for word in sys.argv[1:] if not word.isdigit()] or usual:
        if name not in tables:
            raise SystemExit(f"no table {name!r}; there are {', '.join(tables)}")
        tables[name]()
        print()


if __name__ == "__main__":
    main()

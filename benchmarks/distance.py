"""Measure the distance kernel and the methods nearest to it against public code.

    python benchmarks/distance.py            speed against public code, n = 10,000
    python benchmarks/distance.py --growth   time and peak memory, n = 1,000 to 100,000
    python benchmarks/distance.py --compile  first and second process
    python benchmarks/distance.py --flat     a long plateau against noise, n = 50,000

Every comparison checks that both sides give the same answer before it is timed. Both
run warm and on one core; processor time is measured, so that other work on the machine
does not count, and the best of several runs is taken. Needs stumpy. Two further
implementations are compared if they are there:

TSMD_PYTHON
    Environment variable: a Python that can ``import tsmd`` (0.1.4), for SetFinder. tsmd
    pins other versions of numpy and numba, so it runs in a process of its own.
distancematrix
    An importable package (seriesdistancematrix), for VALMOD.

What is printed is also written to benchmarks/output/distance.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

OUTPUT = Path(__file__).parent / "output" / "distance.json"
LENGTH = 100
RUNS = 5
GROWTH = {
    "setfinder": {"length": 200, "radius": 3.0},
    "emma": {"length": 200, "radius": 3.0},
    "mmotifs": {"length": 200, "radius": 3.0},
    "valmod": {"l_min": 200, "l_max": 200, "radius_factor": 3.0},
    "stomp": {"length": 200},
    "panmp": {"l_min": 200, "l_max": 200},
}
FLAT = 50_000
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)

TSMD_SCRIPT = """
import json, sys, time
import numpy as np
from tsmd.competitors.setfinder import Baseline
x = np.load(sys.argv[1])
k, radius, length, runs = int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), 3
times = []
for _ in range(runs):
    method = Baseline(k, radius, length, distance_name="NormalizedEuclidean", n_jobs=1)
    begin = time.process_time()
    method.fit(x)
    times.append(time.process_time() - begin)
# Not from its mask, in which occurrences that touch have become one.
sets = [sorted(map(int, [c, *method.idxs_[c]])) for c in method.patterns_]
print(json.dumps({"seconds": min(times), "starts": sets}))
"""

GROWTH_SCRIPT = """
import json, resource, sys, time
import numpy as np
from tsmdbench.methods import METHODS
name, n, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
rng = np.random.default_rng(0)
method = METHODS[name](**settings, max_sets=3)
method.find(rng.normal(size=1000).cumsum())
x = rng.normal(size=n).cumsum()
begin = time.process_time()
method.find(x)
seconds = time.process_time() - begin
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": seconds, "peak_mib": peak}))
"""

COMPILE_SCRIPT = """
import json, sys, time
begin = time.perf_counter()
import numpy as np
from tsmdbench.methods import METHODS
x = np.random.default_rng(0).normal(size=(300, 2)).cumsum(axis=0)
for name, settings in json.loads(sys.argv[1]).items():
    METHODS[name](**settings, max_sets=2).find(x)
print(json.dumps(time.perf_counter() - begin))
"""


def planted(n: int, channels: int = 1) -> np.ndarray:
    """Return a random walk with five noisy copies of one pattern of LENGTH samples."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, channels)).cumsum(axis=0)
    pattern = 3 * rng.normal(size=(LENGTH, channels)).cumsum(axis=0)
    for start in range(n // 10, n - LENGTH, n // 5):
        x[start : start + LENGTH] = pattern + 0.3 * rng.normal(size=pattern.shape)
    return x[:, 0] if channels == 1 else x


def best_of(work: Callable[[], Any], runs: int = RUNS) -> float:
    times = []
    for _ in range(runs):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def agree(same: Any, what: str) -> None:
    """Stop unless both sides give the same answer."""
    if not same:
        raise SystemExit(f"answers differ: {what}")


def row(name: str, ours: float, theirs: float, other: str, goal: float) -> dict:
    return {
        "what": name,
        "ours_s": round(ours, 4),
        "theirs_s": round(theirs, 4),
        "against": other,
        "times_faster": round(theirs / ours, 1),
        "goal": goal,
    }


def matrix_profile(n: int) -> dict:
    import stumpy

    from tsmdbench.methods._windows import Windows

    x = planted(n)

    def ours() -> Any:
        return Windows.of(x, LENGTH).nearest(LENGTH // 4 + 1)

    def theirs() -> Any:
        return stumpy.stump(x, LENGTH)

    distance, start = ours()
    reference = theirs()
    agree(np.abs(distance - reference[:, 0].astype(float)).max() < 1e-9, "distances")
    agree(np.array_equal(start, reference[:, 1].astype(int)), "neighbours")
    return row("matrix profile", best_of(ours), best_of(theirs, 3), "stumpy.stump", 3)


def mmotifs(n: int) -> dict:
    import stumpy

    from tsmdbench.methods.mmotifs import MMotifs

    x, radius, k = planted(n, 3), 4.0, 3
    rows = np.ascontiguousarray(x.T)

    def ours() -> Any:
        method = MMotifs(LENGTH, radius, 0.25, max_sets=k, disjoint=False)
        return method.find(x)

    def theirs() -> Any:
        profile, index = stumpy.mstump(rows, LENGTH)
        return stumpy.mmotifs(
            rows,
            profile,
            index,
            k=2,
            cutoffs=np.inf,
            max_distance=radius,
            max_motifs=k,
            max_matches=None,
        )[1]

    found = [motifs.starts.tolist() for motifs in ours()]
    reference = [sorted(int(i) for i in motifs if i >= 0) for motifs in theirs()]
    agree(found == reference, f"{found} and {reference}")
    return row("MMotifs, D = 3", best_of(ours), best_of(theirs, 1), "stumpy", 8)


def setfinder(n: int) -> dict | str:
    from tsmdbench.methods.setfinder import SetFinder

    python = os.environ.get("TSMD_PYTHON")
    if not python:
        return "SetFinder: skipped, TSMD_PYTHON names no Python with tsmd"
    x, radius, k = planted(n), 4.0, 2
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.npy"
        np.save(file, x)
        arguments = [str(file), str(k), str(radius), str(LENGTH)]
        theirs = ask(python, TSMD_SCRIPT, *arguments)

    def ours() -> Any:
        return SetFinder(LENGTH, radius, max_sets=k, disjoint=False).find(x)

    found = [motifs.starts.tolist() for motifs in ours()]
    agree(found == theirs["starts"], f"{found} and {theirs['starts']}")
    return row("SetFinder", best_of(ours), theirs["seconds"], "tsmd 0.1.4", 5)


def valmod(n: int) -> dict | str:
    from tsmdbench.methods._windows import Windows, gap_of
    from tsmdbench.methods.valmod import variable_length_profile

    vars(np).setdefault("Inf", np.inf)  # distancematrix is older than numpy 2
    try:
        from distancematrix.valmod import find_variable_length_motifs
    except ImportError:
        return "VALMOD: skipped, distancematrix cannot be imported"
    x, lengths = planted(n), range(LENGTH - 5, LENGTH + 6)

    def ours() -> Any:
        return variable_length_profile(x, lengths)

    begin = time.process_time()
    theirs = find_variable_length_motifs(x, lengths[0], lengths[-1], 3)
    seconds = time.process_time() - begin
    pairs = []
    for length in lengths:
        near, starts = Windows.of(x, length).nearest(gap_of(0.5, length))
        pairs.append(sorted([int(near.argmin()), int(starts[near.argmin()])]))
    agree(pairs == [sorted(map(int, pair)) for pair in theirs], "pairs")
    return row("VALMOD, 11 lengths", best_of(ours, 2), seconds, "distancematrix", 20)


def ask(python: str, script: str, *arguments: str, **environment: str) -> Any:
    """Run a script in a process of its own and read the JSON that it prints."""
    result = subprocess.run(
        [python, "-c", script, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout.splitlines()[-1])


def speed(n: int) -> list[Any]:
    import numba

    numba.set_num_threads(1)
    results = []
    for measure in (matrix_profile, mmotifs, setfinder, valmod):
        result = measure(n)
        results.append(result)
        if isinstance(result, str):
            print(result, flush=True)
            continue
        print(
            f"{result['what']:20} {result['ours_s']:8.3f} s   {result['against']:16}"
            f"{result['theirs_s']:8.3f} s   {result['times_faster']:6.1f} times faster "
            f"(goal {result['goal']})",
            flush=True,
        )
    return results


def growth(largest: int) -> list[Any]:
    print(f"{'method':10} {'n':>8} {'seconds':>9} {'peak MiB':>9}")
    results = []
    for name, settings in GROWTH.items():
        for n in (size for size in SIZES if size <= largest):
            got = ask(sys.executable, GROWTH_SCRIPT, name, str(n), json.dumps(settings))
            results.append({"method": name, "n": n, **got})
            print(
                f"{name:10} {n:8} {got['seconds']:9.3f} {got['peak_mib']:9.0f}",
                flush=True,
            )
    return results


def flat_against_noise(n: int) -> list[Any]:
    """Time zeros with one spike against noise: plateaus must not be slower."""
    from tsmdbench.methods import METHODS

    noise, flat = np.random.default_rng(0).normal(size=n), np.zeros(n)
    flat[n // 2] = 1.0
    results = []
    for name, fields in (
        ("setfinder", {}),
        ("emma", {}),
        ("emma", {"count": "windows"}),
    ):
        method = METHODS[name](length=50, radius=1.0, **fields)
        method.find(flat[:500])
        seconds = [best_of(partial(method.find, x), 2) for x in (noise, flat)]
        results.append({"method": name, **fields, "n": n, "seconds": seconds})
        shown = " ".join([name, *fields.values()])
        print(
            f"{shown:16} noise {seconds[0]:8.3f} s   flat {seconds[1]:8.3f} s",
            flush=True,
        )
    return results


def compile_times() -> list[Any]:
    """Time all methods on a tiny series: with an empty cache, then with a full one."""
    settings = {
        name: {
            key: 20 if key in ("length", "l_min", "l_max") else value
            for key, value in values.items()
        }
        for name, values in GROWTH.items()
    }
    with tempfile.TemporaryDirectory() as cache:
        first, second = (
            ask(
                sys.executable,
                COMPILE_SCRIPT,
                json.dumps(settings),
                NUMBA_CACHE_DIR=cache,
            )
            for _ in range(2)
        )
    print(f"first process {first:.1f} s (goal 90), second {second:.1f} s (goal 2)")
    return [{"first_s": first, "second_s": second}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--flat", action="store_true")
    chosen = parser.parse_args()
    if chosen.growth:
        name, results = "growth", growth(chosen.largest)
    elif chosen.compile:
        name, results = "compile", compile_times()
    elif chosen.flat:
        name, results = "flat", flat_against_noise(FLAT)
    else:
        name, results = f"speed at n = {chosen.n}", speed(chosen.n)
    OUTPUT.parent.mkdir(exist_ok=True)
    written = json.loads(OUTPUT.read_text()) if OUTPUT.exists() else {}
    OUTPUT.write_text(json.dumps({**written, name: results}, indent=1) + "\n")


if __name__ == "__main__":
    main()

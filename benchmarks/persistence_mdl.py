"""PEPA, A-PEPA and MDL-Clust side by side with tsmd 0.1.4.

    python benchmarks/persistence_mdl.py [--n 10000] [--n-mdl 2000] [--long]

Every program runs alone in a process of its own with one thread, on the same series.
Answers are compared first, then processor time (best of three warm runs) and the peak
memory of the process. tsmd runs in the interpreter that TSMD_PYTHON names, since it has
other pins; without it, only our times are printed.

tsmd sorts edges of equal weight in whatever order an unstable sort leaves them, and
every edge in time ties with another one. So the answers of PEPA are compared with tsmd
as it is and with the same code under our rule: distances rounded to nine digits, and a
stable sort. Times are those of tsmd as it is.

``--long`` measures ours alone: PEPA and A-PEPA at n = 200,000, MDL-Clust at n = 10,000
with three lengths.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

LENGTH = 100  # of the planted motifs
WINDOW = 80  # of PEPA
LENGTHS = (90, 110, 10)  # of MDL-Clust: first, last, step
LONG, LONG_MDL = 200_000, 10_000
OPERATIONS = 50
SETS = 3
REPEATS = 3


def series(n: int) -> np.ndarray:
    """Return smooth noise with three shapes planted 8, 6 and 5 times."""
    rng = np.random.default_rng(0)
    x = np.convolve(rng.normal(size=n + 10), np.hanning(11) / 3, "valid")
    slots = rng.permutation(n // LENGTH) * LENGTH
    for copies in (8, 6, 5):
        shape = np.convolve(rng.normal(size=LENGTH + 14), np.hanning(15) / 2, "valid")
        planted, slots = slots[: min(copies, len(slots) // 3 + 1)], slots[copies:]
        for start in planted:
            x[start : start + LENGTH] = shape + 0.1 * rng.normal(size=LENGTH)
    return x


def best_of(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Return the least processor time and the answer, after a run that compiles."""
    answer = run()
    times = [] if repeats else [float("nan")]
    for _ in range(repeats):
        begin = time.process_time()
        answer = run()
        times.append(time.process_time() - begin)
    return min(times), answer


# Each worker returns (seconds, answer) and imports what it measures.


def ours(name: str, x: np.ndarray, repeats: int) -> tuple[float, Any]:
    from tsmdbench.methods import METHODS

    if name == "mdl_clust":
        first, last, step = LENGTHS
        settings: dict[str, Any] = {"l_min": first, "l_max": last, "step": step}
        settings["max_operations"] = OPERATIONS
    else:
        settings = {"length": WINDOW}
        settings["max_sets"] = SETS if name == "pepa" else None
    method = METHODS.get(name)(**settings)
    method.find(series(1_000))
    if not repeats:
        begin = time.process_time()
        found = method.find(x)
        return time.process_time() - begin, [list(motifs) for motifs in found]
    seconds, found = best_of(lambda: method.find(x), repeats)
    return seconds, [list(motifs) for motifs in found]


def public(name: str, x: np.ndarray, repeats: int, stable: bool) -> tuple[float, Any]:
    stub_plotly()
    if name == "mdl_clust":
        from tsmd.competitors.mdl import MDL

        seconds, model = best_of(lambda: MDL(*LENGTHS).fit(x), repeats)
        sets = [
            sorted([int(i), int(i) + len(s)] for i, s in zip(c["idx"], c["seq"]))  # noqa: B905
            for c in model.clusters_
        ]
        return seconds, sets
    if stable:
        use_stable_order()
    from tsmd.competitors.adaptative_persistence import (
        AdaptativeBasePersistentPattern,
    )
    from tsmd.competitors.persistence import BasePersistentPattern

    def run() -> Any:
        if name == "pepa":
            model = BasePersistentPattern(WINDOW, n_patterns=SETS)
        else:
            model = AdaptativeBasePersistentPattern(WINDOW)
        model.fit(x)
        return model.predictions_

    seconds, (labels, starts, ends, _) = best_of(run, repeats)
    segments = np.stack([starts, ends], axis=1)
    return seconds, [segments[labels == one].tolist() for one in np.unique(labels)]


def stub_plotly() -> None:
    """Stand in for plotly, which tsmd imports but does not need here."""
    objects = types.ModuleType("plotly.graph_objects")
    objects.Figure = object  # type: ignore[attr-defined]
    sys.modules["plotly"] = types.ModuleType("plotly")
    sys.modules["plotly.graph_objects"] = objects


def use_stable_order() -> None:
    """Let tsmd order edges and windows by our rule."""
    from tsmd.tools import neighborhood, post_processing

    class Stable:
        def __getattr__(self, name: str) -> Any:
            return getattr(np, name)

        def argsort(self, values: Any) -> Any:
            return np.argsort(values, kind="stable")

    fit = neighborhood.KNN.fit

    def rounded(self: Any, signal: Any) -> Any:
        fit(self, signal)
        self.dists_ = np.round(self.dists_, 9)
        return self

    neighborhood.np = post_processing.np = Stable()
    neighborhood.KNN.fit = rounded


WORKERS: dict[str, Callable[[str, np.ndarray, int], tuple[float, Any]]] = {
    "default": lambda name, x, repeats: ours(name, x, repeats),
    "tsmd": lambda name, x, repeats: public(name, x, repeats, False),
    "stable": lambda name, x, repeats: public(name, x, repeats, True),
}


def measure(worker: str, name: str, n: int, repeats: int) -> dict[str, Any] | None:
    """Run a worker alone in a process; None, with a word, where it cannot run."""
    foreign = worker in ("tsmd", "stable")
    python = os.environ.get("TSMD_PYTHON", "") if foreign else sys.executable
    if not python:
        return None
    single = {f"{library}_NUM_THREADS": "1" for library in ("NUMBA", "OMP", "OPENBLAS")}
    command = [python, __file__, "--worker", worker, "--name", name]
    done = subprocess.run(
        [*command, "--n", str(n), "--repeats", str(repeats)],
        env={**os.environ, **single},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{worker} {name}: left out, {done.stderr.strip().splitlines()[-1]}")
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def agreement(mine: Any, theirs: Any) -> str:
    """Say how many sets and segments are equal, in this order."""
    segments = sum(
        len({tuple(s) for s in a} & {tuple(s) for s in b})
        for a, b in zip(mine, theirs, strict=False)
    )
    total = sum(map(len, theirs))
    word = "equal" if mine == theirs else f"{segments} of {total} segments equal"
    return f"{len(theirs)} sets, {word}"


def compare(name: str, n: int) -> None:
    """Print the answers, then the times, of one method."""
    mine = measure("default", name, n, REPEATS)
    theirs = measure("tsmd", name, n, 1 if name == "mdl_clust" else REPEATS)
    if mine is None:
        return
    if theirs is None:
        print(f"{name:10} n = {n:,}: {mine['seconds']:.3f} s; TSMD_PYTHON is not set")
        return
    print(f"{name}, n = {n:,}")
    print(f"  against tsmd:             {agreement(mine['answer'], theirs['answer'])}")
    if name != "mdl_clust":
        stable = measure("stable", name, n, 0)
        if stable:
            said = agreement(mine["answer"], stable["answer"])
            print(f"  against tsmd, stable:     {said}")
    for title, one in (("ours", mine),):
        print(
            f"  {title:8} {one['seconds'] * 1e3:9.1f} ms   tsmd "
            f"{theirs['seconds'] * 1e3:9.1f} ms "
            f"{theirs['seconds'] / one['seconds']:7.1f} x"
            f"   {one['peak']:5.0f} MiB, tsmd {theirs['peak']:5.0f} MiB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--n-mdl", type=int, default=2_000)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    parser.add_argument("--repeats", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        x = series(options.n)
        seconds, answer = WORKERS[options.worker](options.name, x, options.repeats)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"seconds": seconds, "peak": peak, "answer": answer}))
    elif options.long:
        for name, n in (("pepa", LONG), ("apepa", LONG), ("mdl_clust", LONG_MDL)):
            result = measure("default", name, n, 0)
            if result:
                seconds, peak = result["seconds"], result["peak"]
                print(f"{name:10} n = {n:7,} {seconds:8.2f} s {peak:6.0f} MiB")
    else:
        compare("pepa", options.n)
        compare("apepa", options.n)
        compare("mdl_clust", options.n_mdl)


if __name__ == "__main__":
    main()

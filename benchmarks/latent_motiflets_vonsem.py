"""LatentMotifs, Motiflets and VONSEM side by side with the public implementations.

    python benchmarks/latent_motiflets_vonsem.py [--n 10000] [--long]

Every program runs alone in a process of its own with one thread, on the same series;
answers are compared first, then the best of seven warm runs and the peak memory of the
process (the authors' VONSEM runs once). What is not installed is left out with a word:

* motiflets 0.8.0 in this interpreter;
* tsmd 0.1.4 in the interpreter that TSMD_PYTHON names (it has other pins);
* the authors' VONSEM code in the folder ``Code/Helpers`` that VONSEM_CODE names.

``--long`` measures ours from n = 1,000 to 100,000 with windows of 200 samples instead.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

LENGTH = 100
K_MAX = 17
CENTRES = 3
SQUARE = 9.0
THRESHOLD = 0.1
SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
LONG_LENGTH = 200


def series(n: int, length: int) -> np.ndarray:
    """Return smooth noise with three shapes planted 8, 6 and 5 times."""
    rng = np.random.default_rng(0)
    x = np.convolve(rng.normal(size=n + 10), np.hanning(11) / 3, "valid")
    slots = rng.permutation(n // length) * length
    for copies in (8, 6, 5):
        shape = np.convolve(rng.normal(size=length + 14), np.hanning(15) / 2, "valid")
        planted, slots = slots[: min(copies, len(slots) // 3 + 1)], slots[copies:]
        for start in planted:
            x[start : start + length] = shape + 0.1 * rng.normal(size=length)
    return x


def centres() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(CENTRES, LENGTH))


def best_of(run: Callable[[], Any], repeats: int = 7) -> tuple[float, Any]:
    """Return the shortest time and the answer, after a first run that compiles."""
    times = []
    for _ in range(repeats + 1):
        begin = time.perf_counter()
        answer = run()
        times.append(time.perf_counter() - begin)
    return min(times[1:]), answer


# Each worker returns (seconds, answer) and imports what it measures.


def motiflets_ours(x: np.ndarray) -> tuple[float, Any]:
    from tsmdbench.methods.motiflets import Extents

    seconds, found = best_of(
        lambda: Extents(x, LENGTH, K_MAX, 0.5, 1).search(K_MAX, 1.0)
    )
    return seconds, {
        "dists": found.dists.tolist(),
        "candidates": [starts.tolist() for starts in found.candidates[2:]],
        "elbows": found.elbows.tolist(),
    }


def motiflets_public(x: np.ndarray, backend: str = "default") -> tuple[float, Any]:
    from motiflets.motiflets import search_k_motiflets_elbow

    def run() -> Any:
        return search_k_motiflets_elbow(K_MAX, x, LENGTH, n_jobs=1, backend=backend)

    seconds, (dists, candidates, elbows, *_) = best_of(run)
    return seconds, {
        "dists": dists[:, 0].tolist(),
        "candidates": [sorted(one[0].tolist()) for one in candidates[2:]],
        "elbows": elbows[0].tolist(),
    }


def motiflets_scalable(x: np.ndarray) -> tuple[float, Any]:
    return motiflets_public(x, "scalable")


def latent_ours(x: np.ndarray) -> tuple[float, Any]:
    from tsmdbench.methods.latentmotifs import LatentWindows

    windows = LatentWindows(x, LENGTH)
    seconds, value = best_of(lambda: windows.objective(centres(), SQUARE, 1.0), 20)
    return seconds, value.gradient.tolist()


def latent_public(x: np.ndarray) -> tuple[float, Any]:
    from tsmd.competitors.latentmotifs import LatentMotif

    model = LatentMotif(CENTRES, LENGTH, SQUARE, n_iterations=0)
    model.fit(x)

    def step() -> Any:
        slope = model._freq_derivative(centres()) - model._pen_derivative(centres())
        return -slope

    seconds, gradient = best_of(step)
    return seconds, gradient.tolist()


def _vonsem(x: np.ndarray, *, compat: bool) -> tuple[float, Any]:
    from tsmdbench.methods.vonsem import VONSEM

    method = VONSEM(LENGTH, THRESHOLD * 2 * np.sqrt(2 * LENGTH), compat=compat)
    seconds, found = best_of(lambda: method.find(x))
    return seconds, [list(motifs) for motifs in found]


def vonsem_compat(x: np.ndarray) -> tuple[float, Any]:
    return _vonsem(x, compat=True)


def vonsem_ours(x: np.ndarray) -> tuple[float, Any]:
    return _vonsem(x, compat=False)


def vonsem_public(x: np.ndarray) -> tuple[float, Any]:
    sys.path.insert(0, os.environ["VONSEM_CODE"])
    import MotifDiscovery  # type: ignore[import-not-found]

    def run() -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            return MotifDiscovery.get_motifs(x, LENGTH, THRESHOLD)

    MotifDiscovery.MatrixProfile.stomp(x[:500], LENGTH, THRESHOLD)  # compiles
    seconds, raw = best_of(run, 1)
    sets = []
    for proof, ends in raw:
        extension = int(proof[0][0] - proof[-1][0])
        sets.append(sorted([int(e) - extension, int(e) + LENGTH] for e in ends))
    return seconds, sets


WORKERS = {
    function.__name__: function
    for function in (
        motiflets_ours,
        motiflets_public,
        motiflets_scalable,
        latent_ours,
        latent_public,
        vonsem_compat,
        vonsem_ours,
        vonsem_public,
    )
}


def work(name: str, n: int, length: int) -> None:
    """Run one worker and print what the parent reads."""
    x = series(n, length)
    if name in WORKERS:
        seconds, answer = WORKERS[name](x)
    else:
        from tsmdbench.methods import METHODS

        method = METHODS[name](**LONG[name])
        method.find(series(1_000, length))
        begin = time.perf_counter()
        answer = len(method.find(x))
        seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "answer": answer}))


LONG: dict[str, dict[str, Any]] = {
    "latentmotifs": {"length": LONG_LENGTH, "radius": 4.0},
    "motiflets": {"l_min": LONG_LENGTH, "l_max": LONG_LENGTH, "k_max": K_MAX},
    "vonsem": {
        "l_min": LONG_LENGTH,
        "radius": THRESHOLD * 2 * np.sqrt(2 * LONG_LENGTH),
    },
}


@cache
def measure(name: str, n: int, length: int = LENGTH) -> dict[str, Any] | None:
    """Run a worker alone in a process; None, with a word, where it cannot run."""
    python = sys.executable
    if name == "latent_public":
        python = os.environ.get("TSMD_PYTHON", "")
    missing = not python or (
        name == "vonsem_public" and "VONSEM_CODE" not in os.environ
    )
    if missing:
        print(f"{name}: not named by an environment variable, left out")
        return None
    single = {f"{library}_NUM_THREADS": "1" for library in ("NUMBA", "OMP", "OPENBLAS")}
    command = [python, __file__, "--worker", name, "--n", str(n)]
    done = subprocess.run(
        [*command, "--length", str(length)],
        env={**os.environ, **single},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(f"{name}: left out, {done.stderr.strip().splitlines()[-1]}")
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def compare(
    title: str, ours: str, public: str, n: int, agree: Callable[..., str]
) -> None:
    """Print one row: do the answers agree, how much faster, how much smaller."""
    mine, theirs = measure(ours, n), measure(public, n)
    if mine is None or theirs is None:
        return
    print(
        f"{title:32} {agree(mine['answer'], theirs['answer']):34} "
        f"{mine['seconds'] * 1e3:9.1f} ms {theirs['seconds'] * 1e3:9.1f} ms "
        f"{theirs['seconds'] / mine['seconds']:6.1f} x   "
        f"{mine['peak']:6.0f} MiB {theirs['peak']:6.0f} MiB"
    )


def same_motiflets(mine: Any, theirs: Any) -> str:
    gap = np.max(np.abs(np.divide(mine["dists"], theirs["dists"]) - 1))
    pairs = zip(mine["candidates"], theirs["candidates"], strict=True)
    equal = sum(a == b for a, b in pairs)
    elbows = "equal" if mine["elbows"] == theirs["elbows"] else "DIFFERENT"
    return f"{gap:.0e}, {equal}/{len(mine['candidates'])} sets, elbows {elbows}"


def same_gradient(mine: Any, theirs: Any) -> str:
    a, b = np.array(mine), np.array(theirs)
    return f"gradients to {np.abs(a - b).max() / np.abs(b).max():.0e} of the largest"


def same_sets(mine: Any, theirs: Any) -> str:
    return f"{len(mine)} sets, {'equal' if mine == theirs else 'DIFFERENT'}"


def count_sets(mine: Any, theirs: Any) -> str:
    return f"{len(mine)} sets (mended), {len(theirs)} raw"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    parser.add_argument("--length", type=int, default=LENGTH, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker, options.n, options.length)
        return
    if options.long:
        for name in LONG:
            for n in SIZES:
                result = measure(name, n, LONG_LENGTH)
                if result:
                    seconds, peak = result["seconds"], result["peak"]
                    print(f"{name:14} n = {n:7,} {seconds:9.2f} s {peak:6.0f} MiB")
        return
    print(f"{Path(__file__).stem}, n = {options.n:,}, windows of {LENGTH} samples")
    print(f"{'':32} {'answers':34} {'ours':>12} {'public':>12} {'ratio':>8}   memory")
    rows = (
        ("Motiflets, default", "motiflets_ours", "motiflets_public", same_motiflets),
        ("Motiflets, scalable", "motiflets_ours", "motiflets_scalable", same_motiflets),
        ("LatentMotifs, iteration", "latent_ours", "latent_public", same_gradient),
        ("VONSEM, compat", "vonsem_compat", "vonsem_public", same_sets),
        ("VONSEM, default", "vonsem_ours", "vonsem_public", count_sets),
    )
    for title, ours, public, agree in rows:
        compare(title, ours, public, options.n, agree)


if __name__ == "__main__":
    main()

"""Speed of the archive, the benchmark and the random-walk detector.

    python benchmarks/archive.py [FOLDER]

FOLDER has the archive's datasets (default: TSMDBENCH_DATA). Measures, on one core:
loading every frozen dataset, assembling all 3,000
problems, and the detector beside a loop over statsmodels' ``adfuller``, after the
statistics have been compared. Writes only to a temporary cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import warnings

os.environ.setdefault("NUMBA_NUM_THREADS", "1")

import numpy as np

WINDOW = 199
LENGTH = 10_000
EVERY = 40  # statsmodels runs on every 40th window, and its time is scaled up


def main(folder: str | None) -> None:
    data = folder or os.environ.get("TSMDBENCH_DATA")
    if not data:
        sys.exit("give a folder of archive datasets, or set TSMDBENCH_DATA")
    os.environ["TSMDBENCH_DATA"] = data
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TSMDBENCH_CACHE"] = cache
        loading()
        assembling()
    detector()


def loading() -> None:
    from tsmdbench.archive import load
    from tsmdbench.datasets.suite import frozen_recipes

    print(f"{'dataset':28}{'here':>9}{'new process':>13}   seconds")
    for name in dict.fromkeys(name for name, _ in frozen_recipes()):
        here = min(timed(lambda name=name: load(name)) for _ in range(3))
        code = f"from tsmdbench.archive import load; load({name!r})"
        process = min(
            timed(lambda code=code: subprocess.run([sys.executable, "-c", code]))
            for _ in range(2)
        )
        print(f"{name:28}{here:9.3f}{process:13.3f}")


def assembling() -> None:
    from tsmdbench.benchmark import load_benchmark
    from tsmdbench.datasets.suite import frozen_recipes

    def run() -> None:
        for name, split in frozen_recipes():
            for _ in load_benchmark(name, split):
                pass

    number = sum(len(found.origins) for found in frozen_recipes().values())
    best = min(timed(run) for _ in range(3))
    print(f"\n{number} problems of 12 datasets, loaded and assembled: {best:.2f} s")


def detector() -> None:
    from statsmodels.tsa.stattools import adfuller

    from tsmdbench.paper import random_walk_problem
    from tsmdbench.paper.random_walk_detector import RandomWalkDetector

    warnings.simplefilter("ignore")
    shape = np.sin(np.arange(2 * WINDOW) / 40)
    shape += 0.01 * np.random.default_rng(0).normal(size=len(shape))
    series = random_walk_problem([shape] * 5, LENGTH, seed=0).series
    starts = range(0, LENGTH - WINDOW + 1, EVERY)
    windows = [np.diff(series[start : start + WINDOW]) for start in starts]
    print(
        f"\n{'detector, n = 10000':24}{'ours':>10}{'adfuller':>11}{'ratio':>9}  equal"
    )
    for lags, options in (
        (0, {"maxlag": 0, "autolag": None}),
        ("bic", {"autolag": "BIC"}),
    ):
        method = RandomWalkDetector(WINDOW, lags=lags)
        method.find(series)
        ours = min(timed(lambda method=method: method.find(series)) for _ in range(5))
        begin = time.perf_counter()
        expected = [adfuller(window, **options)[0] for window in windows]
        theirs = (time.perf_counter() - begin) * (LENGTH - WINDOW + 1) / len(windows)
        off = np.abs(method.statistics(series)[::EVERY] - expected).max()
        print(
            f"lags={lags!s:19}{ours:10.4f}{theirs:11.1f}{theirs / ours:9.0f}  "
            f"to {off:.0e}"
        )
        if off > 1e-8:
            sys.exit("the statistics do not agree to 1e-8")


def timed(function: object) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)

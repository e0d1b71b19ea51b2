"""The speed of PROM: one small problem, all shipped results, very long lists.

Run ``python benchmarks/metrics.py``. Answers are compared before any time is shown:
with those of the definition (`tests/reference/prom.py`), with a double loop, and with
single calls. Times are processor seconds of one core, the best of several runs; the
double loop runs once.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from tests.reference.prom import evaluate as by_definition
from tests.reference.prom import plain_f1
from tsmdbench.analysis import load_baselines
from tsmdbench.analysis.scores import found_sets
from tsmdbench.experiments.truth import read_truth
from tsmdbench.metrics import correctness, evaluate_many, prom, score

PROM = [
    f"prom_{kind}{name}"
    for kind in ("", "macro_")
    for name in ("precision", "recall", "f1")
]
COMPARED = 300  # shipped results, with single calls and with the definition
MOST_SETS = 6  # of those: the definition tries every matching of sets


def problem(motifs, sets, seed=0):
    """Return true and found sets as arrays; found is shifted, some motifs are lost."""
    rng = np.random.default_rng(seed)
    starts = 100 * np.arange(motifs) + 50
    owner = rng.permutation(np.arange(motifs) % sets)
    kept = rng.random(motifs) < 0.9
    shifted = starts + rng.integers(-30, 30, motifs)
    truth = np.stack([starts, starts + 80], axis=1)
    found = np.stack([shifted, shifted + 80], axis=1)
    return (
        [truth[owner == k] for k in range(sets)],
        [found[(owner == k) & kept] for k in range(sets)],
    )


def lists(sets):
    """Return sets of arrays as lists."""
    return [motifs.tolist() for motifs in sets]


def shipped():
    """Return truth and found of all runs of the store `best`."""
    store = load_baselines("best")
    names = ["dataset", "problem", "status", "found"]
    rows = store.table(names, {"split": "test"})
    known = read_truth(store.path)
    places = zip(*(rows[name].to_pylist() for name in names[:2]), strict=True)
    truths = [known[dataset, "test", name].sets for dataset, name in places]
    return list(zip(truths, found_sets(rows), strict=True))


def seconds(function, repeat):
    """Return the least processor time of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        function()
        times.append(time.process_time() - begin)
    return min(times)


def check(what, ours, other):
    """Stop where two answers differ."""
    if not np.allclose(ours, other, rtol=0, atol=1e-12):
        raise SystemExit(f"{what}: answers differ, {ours} and {other}")


def command_seconds(arguments, repeat=3):
    """Return the least processor time of a command, with the start of Python.

    The first run is not counted: it compiles the modules to byte code.
    """
    times = []
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}
    for _ in range(repeat + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            env=environment,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        user = after.ru_utime - before.ru_utime
        times.append(user + after.ru_stime - before.ru_stime)
    return min(times[1:])


def main() -> None:
    truth, found = map(lists, problem(12, 3))
    check(
        "small", prom(truth, found).f1, float(by_definition(truth, found)[False]["f1"])
    )
    small = seconds(lambda: [prom(truth, found) for _ in range(200)], 10) / 200
    print(f"prom, 3 sets of 12 motifs: {small * 1e6:.0f} us")

    results = shipped()
    table = evaluate_many(results, PROM)
    some = np.random.default_rng(0).choice(len(results), COMPARED, replace=False)
    for place in some:
        single = prom(*results[place])
        check(f"result {place}", table["prom_f1"][place], single.f1)
        check(f"result {place}", table["prom_macro_f1"][place], single.macro.f1)
        if max(map(len, results[place])) <= MOST_SETS:
            exact = float(by_definition(*results[place])[False]["f1"])
            check(f"result {place}", single.f1, exact)
    taken = seconds(lambda: evaluate_many(results, PROM), 3)
    print(f"evaluate_many, {len(results):,} shipped results: {taken:.2f} s")

    truth, found = problem(10_000, 5)
    begin = time.process_time()
    plain = plain_f1(lists(truth), lists(found))
    loop = time.process_time() - begin
    check("10,000 motifs", prom(truth, found).f1, plain)
    ours = seconds(lambda: prom(truth, found), 10)
    print(
        f"10,000 motifs: double loop {loop:.1f} s, prom {ours * 1e3:.2f} ms, "
        f"{loop / ours:,.0f} times faster"
    )
    truth, found = problem(1_000_000, 10)
    print(f"1,000,000 motifs: {seconds(lambda: prom(truth, found), 3):.2f} s")
    truth, found = problem(100_000, 10)
    for name, metric in (("score", score), ("correctness", correctness)):
        taken = seconds(lambda metric=metric: metric(truth, found), 3)
        print(f"{name}, 100,000 motifs: {taken:.2f} s")

    board = command_seconds(["-m", "tsmdbench", "leaderboard"])
    imports = command_seconds(
        ["-c", "import pandas, pyarrow.parquet, tsmdbench.analysis.standings"]
    )
    print(f"tsmdbench leaderboard: {board:.2f} s, of which imports {imports:.2f} s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory: {peak:.2f} GiB")


if __name__ == "__main__":
    main()

"""Thousands of evaluations at once, and score and correctness of very long lists.

Run ``python benchmarks/metrics.py``. Values are compared with those of a double loop
and of one-by-one calls before any time is shown. Times are seconds of one core: the
time of the process, which other processes do not disturb much, the best of three
runs for us and the only run for the loop; the time that passed stands beside it.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from scipy.optimize import linear_sum_assignment

from tests.reference.prom import overlap_rate, plain_f1
from tsmdbench.metrics import correctness, evaluate, evaluate_many, score

NAMES = [
    f"prom_{kind}{name}"
    for kind in ("", "macro_")
    for name in ("precision", "recall", "f1")
] + ["correctness_m", "correctness_g", "score"]
RESULTS = 30_800  # the number that the paper evaluates
COMPARED = 1000
RUNS = 3


def result(rng):
    """Return a truth and a find like those of the benchmark, as lists."""
    sets = int(rng.integers(1, 7))
    motifs = max(2 * sets, 15 + int(rng.integers(-4, 5)))
    starts = 100 * np.arange(motifs)
    owner = np.concatenate([np.arange(sets), rng.integers(0, sets, motifs - sets)])
    truth = [[(int(s), int(s) + 80) for s in starts[owner == k]] for k in range(sets)]
    columns = int(rng.integers(1, 9))
    chosen = rng.integers(0, motifs, 20)
    shifted = starts[chosen] + rng.integers(0, 60, 20)
    right = rng.random(20) < 0.7
    column = np.where(right, owner[chosen] % columns, rng.integers(0, columns, 20))
    found = [
        [(int(s), int(s) + 80) for s in shifted[column == k]] for k in range(columns)
    ]
    return truth, found


def plain_correctness(truth, found):
    """C_m and C_g by a loop over all pairs of segments."""
    table = np.array(
        [
            [
                sum(r for a in f for b in t if (r := float(overlap_rate(a, b))) > 0.5)
                / len(t)
                for f in found
            ]
            for t in truth
        ]
    )
    total = table[linear_sum_assignment(table, maximize=True)].sum()
    return total / min(table.shape), total / len(truth)


def plain_pair_cost(true, found):
    """Return the cheapest matching of two sets' motifs by one dense assignment."""
    k, m = len(true), len(found)
    cost = np.zeros((k + m, k + m))
    for i, (start, end) in enumerate(true):
        cost[i, m:] = end - start
        for j, (other, last) in enumerate(found):
            touching = start < last and other < end
            cost[i, j] = abs(start - other) if touching else 1e9
    for j, (other, last) in enumerate(found):
        cost[k:, j] = last - other
    return cost[linear_sum_assignment(cost)].sum()


def plain_score(truth, found):
    """S by a dense assignment for each pair of sets, then one of the sets."""
    lengths = [sum(e - s for s, e in t) for t in truth]
    table = np.array([[plain_pair_cost(t, f) for f in found] for t in truth])
    gain = np.array(lengths)[:, None] - table
    return sum(lengths) - gain[linear_sum_assignment(gain, maximize=True)].sum()


def compare(results, table) -> float:
    """Check some rows against the loops and return the loops' seconds per result."""
    begin = time.process_time()
    for (truth, found), row in zip(results[:COMPARED], table, strict=False):
        plain = plain_f1(truth, found), *plain_correctness(truth, found)
        ours = row["prom_f1"], row["correctness_m"], row["correctness_g"]
        # The loop gives tied motifs to the first set, so F1 may be lower, never higher.
        if plain[0] > ours[0] + 1e-9 or not np.allclose(plain[1:], ours[1:]):
            raise SystemExit(f"answers differ: {plain} and {ours}")
        if plain_score(truth, found) != row["score"]:
            raise SystemExit(f"scores differ for {truth} and {found}")
    return (time.process_time() - begin) / COMPARED


def one_by_one(results, table) -> float:
    """Check that single calls give the same bits and return their seconds each."""
    begin = time.process_time()
    rows = [evaluate(*result, NAMES) for result in results[:COMPARED]]
    seconds = (time.process_time() - begin) / COMPARED
    if [tuple(row.values()) for row in rows] != table[:COMPARED].tolist():
        raise SystemExit("single calls give other values")
    return seconds


def long_lists(kind, motifs=100_000, sets=10):
    rng = np.random.default_rng(2)
    starts = 100 * np.arange(motifs)
    late, longer = {
        "shifted": (rng.integers(0, 60, motifs), 80),
        "between two": (np.full(motifs, 60), 80),
        "of any length": (rng.integers(0, 90, motifs), rng.integers(20, 300, motifs)),
    }[kind]
    truth = np.stack([starts, starts + 80], axis=1)
    found = np.stack([starts + late, starts + late + longer], axis=1)
    owner = rng.integers(0, sets, motifs)
    return [truth[owner == k] for k in range(sets)], [
        found[owner == k] for k in range(sets)
    ]


def main() -> None:
    rng = np.random.default_rng(0)
    results = [result(rng) for _ in range(RESULTS)]
    evaluate_many(results[:10], NAMES)
    runs = []
    for _ in range(RUNS):
        begin, passed = time.process_time(), time.perf_counter()
        table = evaluate_many(results, NAMES)
        runs.append((time.process_time() - begin, time.perf_counter() - passed))
    ours, passed = min(runs)
    single = one_by_one(results, table)
    loop = compare(results, table)
    print(
        f"{RESULTS:,} results as lists, PROM (6 values), C_m, C_g, S: "
        f"{ours:.2f} s of one core, {passed:.2f} s passed"
    )
    each = ours / RESULTS
    print(
        f"a result: together {each * 1e6:.1f} us, one by one {single * 1e6:.0f} us, "
        f"by a double loop {loop * 1e6:.0f} us, which is {loop / each:.0f} times the "
        f"first ({COMPARED} results compared)"
    )
    for kind in ("shifted", "between two", "of any length"):
        for sets in (10, 1):
            lists = long_lists(kind, sets=sets)
            begin = time.perf_counter()
            score(*lists)
            middle = time.perf_counter()
            correctness(*lists)
            end = time.perf_counter()
            print(
                f"100,000 motifs in {sets} set(s), {kind}: "
                f"S {middle - begin:.2f} s, C {end - middle:.2f} s"
            )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory of this whole run: {peak:.2f} GiB")


if __name__ == "__main__":
    main()

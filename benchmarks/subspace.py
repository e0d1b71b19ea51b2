"""Merging across channels, and LAMA side by side with leitmotif 0.3.5.

    python benchmarks/subspace.py [merge | lama] [--n 10000]

``merge`` merges what STOMP finds in the channels of problems with patterns in some of
the channels, for both linkages and six values of delta, and prints the processor time
of one merge. Answers are compared first: the order of channels must only rename them.
Then it merges the many motifs that GrammarViz finds in 25 channels with short words.

``lama`` runs both programs alone, each in a process of its own with one thread, on the
same series of six channels, with patterns in three of them. Answers are compared first:
channels and extents of the sets of up to as many windows as there are copies; beyond
that the sums are over other channels (see `tsmdbench.methods.lama`). Then processor
time after a small run that compiles, and peak memory of the process. leitmotif runs in
the interpreter that LEITMOTIF_PYTHON names; without it, only our figures are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np

LENGTH, K_MAX, SLACK = 100, 12, 0.5
CHANNELS, USED, COPIES = 6, 3, 8
PROBLEMS = 20
MIB = 1024  # of the kilobytes in which Linux counts memory


def series(n: int, seed: int = 0, channels: int = CHANNELS) -> np.ndarray:
    """Return random walks with a pattern in some of the channels."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, channels)).cumsum(axis=0) + rng.normal(size=(n, channels))
    shape = 3 * rng.normal(size=(LENGTH, USED)).cumsum(axis=0)
    where = np.sort(rng.choice(channels, USED, replace=False))
    slots = rng.choice(n // (2 * LENGTH) - 1, COPIES, replace=False)
    for start in 2 * LENGTH * np.sort(slots):
        noise = 0.2 * rng.normal(size=(LENGTH, USED))
        x[start : start + LENGTH, where] = shape + noise
    return x


def ours(n: int) -> tuple[Any, ...]:
    """Return extents, sets and channels of every size."""
    from tsmdbench.methods.lama import Leitmotifs

    near = Leitmotifs(series(n), LENGTH, K_MAX, SLACK, 1)
    return near.in_channels(USED)


def theirs(n: int) -> tuple[Any, ...]:
    """Return the same of leitmotif."""
    from leitmotifs.lama import search_leitmotifs_elbow

    data = np.ascontiguousarray(series(n).T)
    found = search_leitmotifs_elbow(
        K_MAX, data, LENGTH, n_dims=USED, slack=SLACK, n_jobs=1
    )
    return found[:3]


def child(which: str, n: int) -> None:
    """Run one program and print answers, time and memory as JSON."""
    run = {"ours": ours, "theirs": theirs}[which]
    run(20 * LENGTH)  # compiles
    small = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.process_time()
    extents, sets, channels = run(n)
    seconds = time.process_time() - begin
    known = [k for k in range(2, COPIES + 1) if sets[k] is not None]
    answer = {
        "seconds": seconds,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB,
        "before": small / MIB,
        "extents": [float(extents[k]) for k in known],
        "sets": [sorted(map(int, sets[k])) for k in known],
        "channels": [sorted(map(int, channels[k])) for k in known],
    }
    print(json.dumps(answer))


def measured(python: str, which: str, n: int) -> dict[str, Any]:
    """Run a program alone, with one thread."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    line = [python, __file__, "child", which, str(n)]
    done = subprocess.run(
        line, env={**os.environ, **one}, capture_output=True, text=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def compare_lama(n: int) -> None:
    """Print answers that differ, then times and memory."""
    mine = measured(sys.executable, "ours", n)
    rows = {"ours": mine}
    if "LEITMOTIF_PYTHON" in os.environ:
        other = rows["leitmotif"] = measured(
            os.environ["LEITMOTIF_PYTHON"], "theirs", n
        )
        same = mine["channels"] == other["channels"]
        close = np.allclose(mine["extents"], other["extents"], rtol=1e-3)
        equal = sum(a == b for a, b in zip(mine["sets"], other["sets"], strict=True))
        print(
            f"n={n}: channels {'equal' if same else 'differ'}, extents "
            f"{'equal' if close else 'differ'} to 1e-3, {equal} of "
            f"{len(mine['sets'])} sets equal"
        )
    for name, row in rows.items():
        used = row["memory"] - row["before"]
        print(
            f"{name:>10}: {row['seconds']:8.1f} s, {row['memory']:6.0f} MiB in all, "
            f"{used:6.0f} MiB more than for {20 * LENGTH} samples"
        )
    if len(rows) > 1:
        print(
            f"{other['seconds'] / mine['seconds']:.1f} times faster, "
            f"{mine['memory'] / other['memory']:.3f} of the memory"
        )


def merge() -> None:
    """Print the time of one merge, and compare what another order of channels gives."""
    from tsmdbench import MotifSet
    from tsmdbench.methods import STOMP, GVRePair
    from tsmdbench.methods.subspace import DELTAS, LINKAGES, merge_channels

    seconds, motifs = [], 0
    for seed in range(PROBLEMS):
        x = series(3000, seed)
        method = STOMP(length=LENGTH, max_sets=4)
        found = [method.find(x[:, c]) for c in range(CHANNELS)]
        motifs += sum(len(one) for sets in found for one in sets)
        for linkage in LINKAGES:
            for delta in DELTAS:
                begin = time.process_time()
                merged = merge_channels(found, delta, linkage)
                seconds.append(time.process_time() - begin)
                turned = merge_channels(found[::-1], delta, linkage)
                renamed = [
                    MotifSet(
                        one.intervals, channels=[CHANNELS - 1 - c for c in one.channels]
                    )
                    for one in turned
                ]
                if sorted(map(repr, merged)) != sorted(map(repr, renamed)):
                    sys.exit(f"another order of channels changes problem {seed}")
    print(
        f"{len(seconds)} merges of {CHANNELS} channels, {motifs / PROBLEMS:.0f} motifs "
        f"each: mean {1e3 * np.mean(seconds):.2f} ms, most {1e3 * max(seconds):.2f} ms"
    )
    x = series(5600, channels=25)
    for letters in (8, 4, 2):
        words = GVRePair(8, 4, letters, max_sets=8)
        found = [words.find(np.ascontiguousarray(one)) for one in x.T]
        motifs = sum(len(one) for sets in found for one in sets)
        begin = time.process_time()
        merge_channels(found)
        seconds = time.process_time() - begin
        print(f"25 channels, {motifs} motifs of {letters} letters: {seconds:.2f} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(sys.argv[2], int(sys.argv[3]))
        sys.exit()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", nargs="?", choices=("merge", "lama"))
    parser.add_argument("--n", type=int, default=10_000)
    given = parser.parse_args()
    if given.part in (None, "merge"):
        merge()
    if given.part in (None, "lama"):
        compare_lama(given.n)

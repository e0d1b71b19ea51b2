"""Stores with made-up runs on made-up problems."""

import numpy as np

from tsmdbench.datasets.export import _parquet
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.types import MotifSet, Problem

HOSTILE_DATASET = "<img src=x onerror=alert(1)>"
HOSTILE_METHOD = "</script><script>window.hacked=1</script>"
HOSTILE_PROBLEM = '"><svg onload=alert(2)>&amp;'
HOSTILE_LABEL = "</td><b onmouseover=alert(3)>{{7*7}}"
HOSTILE_MESSAGE = "<script>alert(4)</script>"


def make_problem(rng, name, channels=1, labels=("rise", "fall"), n=1500):
    """Motifs of two or three sets on noise, none overlapping."""
    series = rng.normal(size=(n, channels)).cumsum(axis=0) / 10
    truth = {label: [] for label in labels}
    place = 20
    for number in range(2 + 3 * len(labels)):
        label = labels[number % len(labels)]
        length = int(rng.integers(50, 90))
        wave = np.sin(np.linspace(0, 6 * (1 + labels.index(label)), length))
        series[place : place + length] += wave[:, None]
        truth[label].append((place, place + length))
        place += length + int(rng.integers(0, 60))
    sets = {label: MotifSet(segments) for label, segments in truth.items()}
    return Problem(series[:, 0] if channels == 1 else series, sets, name)


def spoiled(rng, problem, skill):
    """The truth as a method of this skill would find it."""
    n = len(problem.series)
    found = []
    for motifs in problem.truth.values():
        segments = []
        for start, end in motifs:
            if rng.random() < skill:
                begin = max(0, start + int(rng.normal(0, 10)))
                segments.append([begin, begin + end - start])
            elif rng.random() < 0.6:
                begin = int(rng.integers(0, n - 100))
                segments.append([begin, begin + 70])
        found.append(segments)
    if rng.random() < 0.4:
        found.append([[5, 60], [n - 80, n - 10]])
    if len(found) > 1 and found[0] and rng.random() < 0.4:
        found[1].append(found[0].pop())
    return found


def make_store(path, datasets, methods, fails=()):
    """Write a store; `datasets` maps names to problems, later methods are worse."""
    rng = np.random.default_rng(1)
    with StoreWriter(path) as writer:
        for dataset, problems in datasets.items():
            for place, method in enumerate(methods):
                for number, problem in enumerate(problems):
                    looks = '{"channel": 7}' if method == "emma" else '{"l": 5}'
                    run = Run(method, "1", looks, dataset, "test", problem.name)
                    seconds = 0.01 * (1 + place) * (1 + number / 10)
                    outcome = Outcome(
                        "ok",
                        seconds,
                        seconds,
                        10**8,
                        found=spoiled(rng, problem, 0.95 - 0.15 * place),
                    )
                    if (place, number) in fails:
                        outcome = Outcome(
                            "error", 0.1, 0.1, 10**8, message=HOSTILE_MESSAGE
                        )
                    writer.add([run.row(outcome)])
    return Store(path)


def write_problems(folder, datasets):
    """Write problems as `tsmdbench build` does."""
    for name, problems in datasets.items():
        data = _parquet(list(problems))
        (folder / f"{name}-test.parquet").write_bytes(data)

"""Made-up problems: five classes of sines, three of which repeat in turn."""

import numpy as np

from tsmdbench.types import MotifSet, Problem

SIZES = {"validation": 6, "test": 12}


def make(split, count, channels=1, length=20):
    rng = np.random.default_rng(len(split))
    problems = []
    for number in range(count):
        classes = [number % 3, 3, number % 3, 4, number % 3]
        time = np.linspace(0, 2 * np.pi, length)
        pieces = [
            np.stack([np.sin((1 + c + 2 * d) * time) for d in range(channels)], axis=1)
            for c in classes
        ]
        series = np.concatenate(pieces)
        series += 0.1 * rng.normal(size=series.shape)
        starts = [0, 2 * length, 4 * length]
        truth = {f"class {number % 3}": MotifSet.from_starts(starts, length)}
        series = series[:, 0] if channels == 1 else series
        problems.append(Problem(series, truth, f"{split}/{number:03d}"))
    return problems


def small(split):
    return make(split, SIZES[split])


def many(split):
    return make(split, 40 if split == "test" else 4)


def wide(split):
    return make(split, SIZES[split], channels=3)


def nameless(split):
    return [Problem(p.series, p.truth) for p in small(split)]


def empty(_):
    return []


def subspaces(split):
    """Sets in some of three channels that overlap in time, one with shifts."""
    made = []
    for problem in make(split, SIZES[split], channels=3):
        shifted = [[(a, a + 20), (a + 3, a + 20)] for a in (0, 40, 80)]
        truth = {
            "pair": MotifSet(shifted, channels=[0, 1]),
            "single": MotifSet([(5, 25), (45, 65)], channels=[2]),
        }
        made.append(Problem(problem.series, truth, problem.name))
    return made

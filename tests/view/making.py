"""A small recording with known values, its truth, and what two methods found."""

import random

import numpy as np

from tsmdbench.io import Recording

N = 4000
TRUTH = {"wave": [(500, 700), (1500, 1720), (2600, 2800)], "step": [(1000, 1150)]}
FOUND = {
    "LoCoMotif": {
        "set 1": [(510, 705), (1495, 1700), (3200, 3400)],
        "set 2": [(1010, 1150), (1080, 1200)],
        "set 3": [(100, 200), (150, 260), (1100, 1300)],
    },
    "EMMA": {"a": [(2600, 2790)]},
}


def make_recording(n=N, rate=100.0, channels=("left", "right", "<b>up</b>"), **more):
    rng = np.random.default_rng(0)
    x = 0.1 * rng.normal(size=(n, len(channels)))
    for start, end in TRUTH["wave"]:
        if end <= n:
            x[start:end] += np.sin(np.linspace(0, 12, end - start))[:, None]
    return Recording(x, channels, rate=rate, source="walk.csv", **more)


def comparison_case(rng: random.Random, true_sets=4, found_sets=5):
    """A truth and a find with many ties: (truth, found, percent, penalize)."""
    g, d = rng.randint(1, true_sets), rng.randint(0, found_sets)
    time, segments = 0, []
    for _ in range(rng.randint(g, 4 * g)):
        time += rng.choice([0, 0, 5, 7])
        length = rng.choice([10, 20])
        segments.append((time, time + length))
        time += length
    rng.shuffle(segments)
    truth = [[segment] for segment in segments[:g]]
    for segment in segments[g:]:
        rng.choice(truth).append(segment)
    found = [
        [near(rng, segments, time) for _ in range(rng.randint(0, 5))] for _ in range(d)
    ]
    percent = rng.choice([50, 55, 60, 70, 75, 80, 90, 95, 99])
    return truth, found, percent, rng.random() < 0.5


def near(rng, segments, time):
    if rng.random() < 0.25:
        start = rng.randint(0, time + 20)
        return start, start + rng.randint(1, 20)
    start, end = rng.choice(segments)
    shift = rng.choice([0, 0, 0, 1, -1, 2, 3, -3])
    begin = max(0, start + shift)
    return begin, max(begin + 1, end + shift + rng.choice([0, 0, 1, -1, 3]))

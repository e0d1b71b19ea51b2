"""A small recording with known values, its truth, and what two methods found."""

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

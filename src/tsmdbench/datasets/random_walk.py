"""Problems of the easy kind: instances inserted into a Gaussian random walk.

Many studies plant their motifs so. Section 6.3 of the paper shows that such problems
can be solved without looking for a motif at all (see
`tsmdbench.methods.random_walk_detector`); they are here to show just that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tsmdbench.datasets.construct import check_normalize, normalized
from tsmdbench.datasets.dataset import Instance
from tsmdbench.datasets.own_data import check_instances
from tsmdbench.errors import InputError
from tsmdbench.types import Label, MotifSet, Problem
from tsmdbench.validation import check_integer, check_number

ONE_SET = "motif"


def random_walk_problem(
    instances: Sequence[object],
    n: int,
    seed: int,
    *,
    labels: Sequence[object] | None = None,
    step: float = 1.0,
    min_gap: int = 1,
    normalize: str | None = "joint",
    name: str = "random walk",
) -> Problem:
    """Insert instances at random places of a Gaussian random walk.

    Each instance is shifted to the level that the walk has reached, and the walk
    continues from its last sample. All positions of the instances are equally likely;
    their order is random as well.

    Parameters
    ----------
    instances : sequence of arrays of shape (length,) or (length, d)
        What to insert, each once.
    n : int
        Length of the series in samples.
    seed : int
        Of the walk and of the places.
    labels : sequence, optional
        Class of each instance; by default all instances form one motif set,
        ``"motif"``.
    step : float, default 1.0
        Standard deviation of a step of the walk, in each channel.
    min_gap : int, default 1
        Smallest number of samples of the walk between two instances.
    normalize : {"joint", "channel", None}, default "joint"
        How instances are z-normalised first.

    Returns
    -------
    Problem
        Its series has exactly `n` samples.

    Examples
    --------
    >>> bump = np.hanning(50)
    >>> problem = random_walk_problem([bump, bump], 400, seed=1)
    >>> problem.series.shape, problem.truth["motif"].lengths.tolist()
    ((400,), [50, 50])
    """
    kinds = [ONE_SET] * len(instances) if labels is None else labels
    arrays, classes = check_instances(instances, kinds)
    check_normalize(normalize)
    check_integer(seed, "seed", minimum=0)
    if check_number(step, "step") <= 0:
        raise InputError(f"step must be positive, got {step}")
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(arrays))
    shapes = [normalized(arrays[index], normalize) for index in order]
    starts = _starts(rng, [len(shape) for shape in shapes], n, min_gap)
    series = _walk(rng, shapes, starts, n, step)
    truth: dict[Label, list[tuple[int, int]]] = {}
    for index, start, shape in zip(order, starts, shapes, strict=True):
        truth.setdefault(classes[index], []).append((start, start + len(shape)))
    return Problem(
        series[:, 0] if series.shape[1] == 1 else series,
        {label: MotifSet(segments) for label, segments in truth.items()},
        name,
    )


def _starts(
    rng: np.random.Generator, lengths: list[int], n: int, min_gap: int
) -> list[int]:
    """Draw where instances start: uniform over all placements with enough walk."""
    check_integer(n, "n", minimum=1)
    check_integer(min_gap, "min_gap", minimum=0)
    taken = sum(lengths) + min_gap * (len(lengths) - 1)
    free = n - taken
    if free < 0:
        raise InputError(
            f"n must be at least {taken} to hold the {len(lengths)} instances and the "
            f"walk between them, got {n}"
        )
    # Stars and bars: k bars among free + k places, each gap is what lies between.
    bars = np.sort(rng.choice(free + len(lengths), len(lengths), replace=False))
    before = bars - np.arange(len(lengths))
    widths = np.array(lengths) + min_gap
    return [int(s) for s in before + np.concatenate([[0], np.cumsum(widths[:-1])])]


def _walk(
    rng: np.random.Generator,
    shapes: list[Instance],
    starts: list[int],
    n: int,
    step: float,
) -> NDArray[np.float64]:
    """Sum steps that are random outside the instances and theirs inside."""
    steps = step * rng.standard_normal((n, shapes[0].shape[1]))
    for shape, start in zip(shapes, starts, strict=True):
        steps[start] = 0.0  # the first sample lies on the walk's level
        steps[start + 1 : start + len(shape)] = np.diff(shape, axis=0)
    return np.cumsum(steps, axis=0)

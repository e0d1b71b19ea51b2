"""Noise on a problem, for studies of how robust a method is.

White Gaussian noise is added to the samples of the motifs, of the separators, or of
all; truth stays as it is. Instances are z-normalised, so a standard deviation of 0.1 is
a tenth of an instance's own.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from tsmdbench.errors import InputError
from tsmdbench.types import Problem
from tsmdbench.validation import check_choice, check_integer, check_number

WHERE = ("all", "motifs", "separators")


class Noise(NamedTuple):
    """Standard deviation, place and seed of the noise."""

    std: float
    where: str = "all"
    seed: int = 0


def check_noise(noise: Noise) -> Noise:
    """Return the noise, or say which of its values breaks a rule."""
    std = check_number(noise.std, "noise")
    if std < 0:
        raise InputError(f"noise must not be negative, got {std}")
    check_choice(noise.where, "noise_where", WHERE)
    return Noise(std, noise.where, check_integer(noise.seed, "seed", minimum=0))


def add_noise(problem: Problem, noise: Noise) -> Problem:
    """Return the problem with Gaussian noise on its series.

    The draws depend on the seed and on the name of the problem, so different problems
    have different noise.

    Examples
    --------
    >>> from tsmdbench.types import MotifSet
    >>> problem = Problem(np.zeros(6), {"a": MotifSet([(0, 2), (4, 6)])}, "demo")
    >>> noisy = add_noise(problem, Noise(1.0, "separators"))
    >>> np.flatnonzero(noisy.series).tolist()
    [2, 3]
    """
    std, where, seed = check_noise(noise)
    rng = np.random.default_rng([seed, zlib.crc32(problem.name.encode())])
    with np.errstate(over="ignore"):
        added = std * rng.standard_normal(problem.series.shape)
    if where != "all":
        n = len(problem.series)
        mask = np.zeros(n, dtype=bool)
        for motifs in problem.truth.values():
            mask |= motifs.to_mask(n)
        added[mask if where == "separators" else ~mask] = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        series = problem.series + added
    if not np.isfinite(series).all() and np.isfinite(problem.series).all():
        raise InputError(f"noise of {std:g} makes the series infinite; use less noise")
    return replace(problem, series=series)

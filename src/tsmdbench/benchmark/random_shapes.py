"""Smooth random shapes: what generated motifs, and all between them, are made of.

A shape is a cubic curve through random heights at regular places. It starts and ends
at 0 with slope 0, so shapes can follow each other without a jump or a kink, and has
standard deviation 1. Only arithmetic that IEEE 754 fixes is used, so samples are the
same bytes on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tsmdbench.archive.draws import Draws
from tsmdbench.arrays import Floats

SPACING = 4  # samples from one height to the next
FEWEST = 3  # intervals between heights: with fewer, all shapes are alike


@dataclass(frozen=True, eq=False)
class Shape:
    """A curve over the unit interval.

    Attributes
    ----------
    heights : float64[k + 1]
        At ``0, 1 / k, ..., 1``; the first and the last are 0.
    length : int
        Samples of a plain occurrence.
    """

    heights: Floats
    length: int

    def at(self, times: Floats) -> Floats:
        """Return the curve at some times in ``[0, 1]``."""
        heights = self.heights
        last = len(heights) - 2
        # The slope at a height is that between its neighbours (Catmull and Rom).
        slopes = np.zeros(len(heights))
        slopes[1:-1] = 0.5 * (heights[2:] - heights[:-2])
        place = times * (len(heights) - 1)
        left = np.minimum(place.astype(np.int64), last)
        f = place - left
        g = 1.0 - f
        return np.asarray(
            (1.0 + 2.0 * f) * g * g * heights[left]
            + f * g * g * slopes[left]
            + f * f * (3.0 - 2.0 * f) * heights[left + 1]
            - f * f * g * slopes[left + 1]
        )

    def samples(self, n: int, bend: float = 0.0) -> Floats:
        """Return the curve as `n` samples.

        Parameters
        ----------
        n : int
            At least 2; other than `length`, the shape is uniformly stretched.
        bend : float, default 0.0
            In ``(-1, 1)``: the speed goes linearly from ``1 + bend`` to ``1 - bend``
            times the mean speed, so time t of the occurrence shows
            ``t + bend * t * (1 - t)`` of the shape.
        """
        times = np.arange(n) / (n - 1)
        return self.at(times + bend * times * (1.0 - times))


def random_shape(draws: Draws, length: int) -> Shape:
    """Draw a shape whose plain occurrence has some length.

    >>> shape = random_shape(Draws(1, "shape"), 40)
    >>> values = shape.samples(40)
    >>> len(shape.heights), float(values[0]), float(values[-1])
    (11, 0.0, 0.0)
    >>> round(float(values.std()), 6)
    1.0
    """
    intervals = max(FEWEST, round(length / SPACING))
    inner = [draws.between(-1.0, 1.0) for _ in range(intervals - 1)]
    shape = Shape(np.array([0.0, *inner, 0.0]), length)
    values = shape.samples(length)
    centred = values - math.fsum(values) / length
    deviation = math.sqrt(math.fsum(centred * centred) / length)
    return Shape(shape.heights / deviation, length)

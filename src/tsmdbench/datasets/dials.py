"""Generated problems with difficulty dials, to see what makes a problem hard.

A problem is made of smooth random shapes, without any data. A few shapes repeat: they
are the motifs. Between motifs, before the first and after the last lies a shape that
occurs once. It is drawn like the motifs and varied like them, so a method cannot
succeed by telling motifs from their background, as it can where motifs are planted into
a random walk (`tsmdbench.paper.random_walk`).

`Difficulty` has one field per dial. The defaults are an easy problem: two sets of six
occurrences that differ by little noise. `DIALS` has the positions that each dial is
moved to, the default first, while all others stay where they are. Problem number k is
made of the same draws at every position, so that nothing but the dial differs.

Conventions
-----------
``noise``
    Standard deviation of white noise on the whole series; that of a shape is 1.
``amplitude``
    Each occurrence is multiplied by a factor: ``1 + amplitude * u`` with u uniform on
    [0, 1), or with probability 1/2 its inverse.
``stretch``
    The length of each occurrence is uniform between ``1 - stretch`` and ``1 + stretch``
    times that of the shape.
``warping``
    The speed within each occurrence changes linearly, from ``1 + b`` to ``1 - b`` times
    its mean, with b uniform between ``-warping`` and ``warping``.
``sets``
    Number of motif sets. Each has as many occurrences as before, so the series grows.
``imbalance``
    0: sets of one size. 1: all but the first have two occurrences, and the first has
    all others. The number of occurrences does not change.
``gap``
    Mean length of what lies between motifs, in lengths of a motif. Single gaps are
    uniform between half and one and a half of it.
``empty_channels``
    Channels beside the one with the motifs. They carry shapes that occur once. The
    channel with the motifs is the last.

Shapes
------
A shape is a cubic curve through random heights at regular places. It starts and ends
at 0 with slope 0, so shapes can follow each other without a jump or a kink, and has
standard deviation 1. Only arithmetic that IEEE 754 fixes is used, so samples are the
same bytes on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from tsmdbench.arrays import Floats
from tsmdbench.datasets.construct import Noise, add_noise
from tsmdbench.datasets.draws import Draws
from tsmdbench.datasets.suite import SPLITS
from tsmdbench.errors import InputError
from tsmdbench.types import Label, MotifSet, Problem
from tsmdbench.validation import (
    check_choice,
    check_fraction,
    check_integer,
    check_not_negative,
    check_positive,
    check_range,
)

NAME = "dials"  # of the dataset
LENGTH = 40  # samples of a shape
OCCURRENCES = 6  # of each set
SHORTEST = 8  # samples of a shape: two heights inside
SIZES = {"validation": 10, "test": 50}  # problems of each split
# Positions of each dial, from easy to hard.
DIALS: Mapping[str, tuple[float, ...]] = {
    "noise": (0.1, 0.25, 0.5, 0.75, 1.0),
    "amplitude": (0.0, 0.5, 1.0, 2.0, 4.0),
    "stretch": (0.0, 0.1, 0.2, 0.3, 0.5),
    "warping": (0.0, 0.2, 0.4, 0.6, 0.8),
    "sets": (2, 3, 4, 5, 6),
    "imbalance": (0.0, 0.25, 0.5, 0.75, 1.0),
    "gap": (1.0, 2.0, 3.0, 4.0, 6.0),
    "empty_channels": (0, 1, 2, 4, 8),
}
SPACING = 4  # samples from one height to the next
FEWEST = 3  # intervals between heights: with fewer, all shapes are alike


@dataclass(frozen=True)
class Difficulty:
    """Positions of the dials; see the module for what each does.

    Parameters
    ----------
    noise : float, default 0.1
        Not negative.
    amplitude : float, default 0.0
        Not negative.
    stretch, warping : float, default 0.0
        In ``[0, 1)``.
    sets : int, default 2
        At least 1.
    imbalance : float, default 0.0
        In ``[0, 1]``; 0 for a single set.
    gap : float, default 1.0
        Above 0.
    empty_channels : int, default 0

    Raises
    ------
    InputError
        A dial stands outside of its range.
    """

    noise: float = 0.1
    amplitude: float = 0.0
    stretch: float = 0.0
    warping: float = 0.0
    sets: int = 2
    imbalance: float = 0.0
    gap: float = 1.0
    empty_channels: int = 0

    def __post_init__(self) -> None:
        check_integer(self.sets, "sets", minimum=1)
        check_integer(self.empty_channels, "empty_channels", minimum=0)
        for name in ("noise", "amplitude"):
            check_not_negative(getattr(self, name), name)
        for name in ("stretch", "warping"):
            rule = "lie in [0, 1)"
            check_range(getattr(self, name), name, rule, lambda value: 0 <= value < 1)
        check_fraction(self.imbalance, "imbalance")
        if self.imbalance and self.sets == 1:
            raise InputError("imbalance needs at least two sets, got sets=1")
        check_positive(self.gap, "gap")

    def sizes(self, occurrences: int = OCCURRENCES) -> tuple[int, ...]:
        """Return how many occurrences each set has.

        >>> Difficulty(sets=3, imbalance=0.5).sizes()
        (10, 4, 4)
        """
        small = occurrences - round(self.imbalance * (occurrences - 2))
        others = (small,) * (self.sets - 1)
        return (occurrences * self.sets - sum(others), *others)

    @property
    def moved(self) -> dict[str, float]:
        """The dials that are not at their default, with their positions."""
        start = asdict(Difficulty())
        return {k: v for k, v in asdict(self).items() if v != start[k]}


def dial_names() -> tuple[str, ...]:
    """Return the names of the dials."""
    return tuple(field.name for field in fields(Difficulty))


def dial_problem(
    difficulty: Difficulty,
    seed: int,
    *,
    length: int = LENGTH,
    occurrences: int = OCCURRENCES,
    name: str = NAME,
) -> Problem:
    """Generate a problem of some difficulty.

    Parameters
    ----------
    difficulty : Difficulty
        Positions of the dials.
    seed : int
        Together with the name it decides all draws.
    length : int, default 40
        Samples of a shape; at least 8.
    occurrences : int, default 6
        Mean number of motifs in a set; at least 2.
    name : str, default "dials"

    Returns
    -------
    Problem
        Its sets are labelled ``"a"``, ``"b"``, ... behind the last part of its name, so
        that sets of different problems, which have different shapes, differ in label.

    Examples
    --------
    >>> problem = dial_problem(Difficulty(noise=0.0, imbalance=1.0), seed=1)
    >>> {label: len(motifs) for label, motifs in problem.truth.items()}
    {'dials-a': 10, 'dials-b': 2}
    >>> start, end = problem.truth["dials-b"][0]
    >>> other, _ = problem.truth["dials-b"][1]
    >>> bool((problem.series[start:end] == problem.series[other : other + 40]).all())
    True
    """
    check_integer(seed, "seed", minimum=0)
    check_integer(length, "length", minimum=SHORTEST)
    check_integer(occurrences, "occurrences", minimum=2)
    key = (seed, name, length)

    def varied(shape: Shape, draws: Draws) -> Floats:
        """Return one occurrence of a shape."""
        factor = 1.0 + difficulty.amplitude * draws.between(0.0, 1.0)
        larger = draws.below(2) == 0
        spread = difficulty.stretch * draws.between(-1.0, 1.0)
        n = max(2, round(shape.length * (1.0 + spread)))
        values = shape.samples(n, difficulty.warping * draws.between(-1.0, 1.0))
        return values * factor if larger else values / factor

    def between(number: int) -> Floats:
        """Return the gap after a motif: a shape that occurs once, varied alike."""
        draws = Draws(*key, "gap", number)
        n = max(SHORTEST, round(difficulty.gap * length * draws.between(0.5, 1.5)))
        return varied(random_shape(draws, n), draws)

    sizes = difficulty.sizes(occurrences)
    kinds = [place for place, size in enumerate(sizes) for _ in range(size)]
    shapes = [random_shape(Draws(*key, "shape", k), length) for k in range(len(sizes))]
    pieces = [between(0)]
    segments: list[list[tuple[int, int]]] = [[] for _ in sizes]
    n = len(pieces[0])
    for number, kind in enumerate(Draws(*key, "order").shuffled(kinds), start=1):
        piece = varied(shapes[kind], Draws(*key, "motif", number))
        segments[kind].append((n, n + len(piece)))
        pieces += [piece, between(number)]
        n += len(pieces[-2]) + len(pieces[-1])
    series = np.concatenate(pieces)
    if difficulty.empty_channels:
        others = [
            random_shape(Draws(*key, "channel", place), n).samples(n)
            for place in range(difficulty.empty_channels)
        ]
        series = np.stack([*others, series], axis=1)
    start = name.rpartition("/")[2]
    truth: dict[Label, MotifSet] = {
        f"{start}-{_letters(kind)}": MotifSet(found)
        for kind, found in enumerate(segments)
    }
    problem = Problem(series, truth, name)
    if not difficulty.noise:
        return problem
    return add_noise(problem, Noise(float(difficulty.noise), "all", seed))


def load_dials(
    split: str = "test", *, seed: int = 0, **positions: Any
) -> Sequence[Problem]:
    """Generate the problems of one split of a position of the dials.

    Parameters
    ----------
    split : {"test", "validation"}
        50 or 10 problems. No shape is in both.
    seed : int, default 0
    **positions
        Fields of `Difficulty`; the others are at their defaults.

    Returns
    -------
    sequence of Problem
        Problem k is the same but for the dials, wherever they stand.

    Examples
    --------
    >>> problems = load_dials("validation", sets=3)
    >>> len(problems), problems[7].name, list(problems[7].truth)
    (10, 'dials/validation/007', ['007-a', '007-b', '007-c'])
    """
    check_choice(split, "split", SPLITS)
    for name in positions:
        check_choice(name, "dial", dial_names())
    difficulty = Difficulty(**positions)
    return tuple(
        dial_problem(difficulty, seed, name=f"{NAME}/{split}/{number:03d}")
        for number in range(SIZES[split])
    )


def dial_datasets() -> tuple[dict[str, Any], ...]:
    """Return the positions of `DIALS`, one dial moved at a time, as datasets."""
    moved = (
        {"name": NAME, dial: position}
        for dial, positions in DIALS.items()
        for position in positions[1:]
    )
    return ({"name": NAME}, *moved)


def _letters(place: int) -> str:
    """Return a, b, ..., z, then aa, ab, ..."""
    first, last = divmod(place, 26)
    return (_letters(first - 1) if first else "") + chr(ord("a") + last)


@dataclass(frozen=True, eq=False)
class Shape:
    """A curve over the unit interval, through heights at ``0, 1 / k, ..., 1``."""

    heights: Floats  # the first and the last are 0
    length: int  # samples of a plain occurrence

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
        """Return the curve as `n` samples, at least 2.

        With a `bend` in ``(-1, 1)``, the speed goes linearly from ``1 + bend`` to
        ``1 - bend`` times the mean speed, so time t of the occurrence shows
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

"""Make one problem out of labelled instances (section 5.1 of the paper).

A problem has g repeating classes, whose instances are the motifs, and one instance of
every other class, the *separators*. Motifs and separators alternate: motif, separator,
motif, ..., motif. Between any two motifs lies thus a shape that occurs once, so that
two motifs in a row cannot form a pattern of their own. There are as many motifs as fit
between the separators: separators + 1, or fewer where the repeating classes run out of
instances, and then the surplus separators are left out.

Conventions
-----------
* At least two instances per repeating class, the further ones drawn uniformly from all
  instances of the repeating classes that are left.
* No instance occurs twice in a problem, and no two copies of one.
* With c classes, g is at most ``floor((c + 1) / 3)``: 2g motifs need 2g - 1 separators.
* A recipe is a list of positions; those at even places are the motifs.

Copies and the split
--------------------
The archive holds instances that are copies of each other, byte for byte. A method that
was tuned on one and is tested on the other has seen the test data, and two copies in
one problem are a motif that no real recording has. Copies therefore share a *group*: a
group lies on one side of the split, and a problem takes at most one member of it.

The split is stratified: of each class, a fifth of its groups, rounded, goes to
validation, but at least two and at most all but two where the class has four groups,
since a motif needs two instances on either side. The official TRAIN and TEST parts
are joined first.

Normalisation
-------------
Instances are z-normalised so that the bytes are the same on every machine. Sums of
floats depend on the order of addition, which differs between processors and versions of
NumPy. Means and variances are therefore summed exactly (`math.fsum` rounds once), and
all that remains is elementwise arithmetic, which IEEE 754 fixes.

Noise
-----
For studies of robustness, white Gaussian noise is added to the samples of the motifs,
of the separators, or of all; truth stays as it is. Instances are z-normalised, so a
standard deviation of 0.1 is a tenth of an instance's own.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation of
Motif Sets in Time Series", 2024, arXiv:2412.09346, sections 5.1 and 5.2; the authors'
code is ML-KULeuven/tsmd-evaluation.

Departures
----------
The public code of the paper drops the wrong rows, so that 78 % of its validation
instances of JapaneseVowels are also in its test pool. This one follows the paper's
text: no instance in both.
"""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self, cast, overload

import numpy as np

from tsmdbench.datasets.dataset import Instance, label_order
from tsmdbench.datasets.draws import Draws
from tsmdbench.errors import InputError
from tsmdbench.types import Label, MotifSet, Problem
from tsmdbench.validation import check_choice, check_integer, check_number

Recipe = tuple[int, ...]
MIN_CLASSES = 2  # one that repeats, one that separates
FRACTION = (1, 5)  # the part of the instances that goes to validation
MIN_PER_SIDE = 2
NORMALIZE = ("joint", "channel")
WHERE = ("all", "motifs", "separators")


def largest_g(classes: int) -> int:
    """Return the largest number of motif sets for a number of classes.

    >>> [largest_g(c) for c in (2, 5, 8, 25)]
    [1, 2, 3, 8]
    """
    return (classes + 1) // 3


class Pool:
    """The instances that problems of one split are drawn from.

    `labels` and `groups` (of `copy_groups`) are those of all instances of the dataset,
    `members` the positions of those that may be drawn, all by default.
    """

    def __init__(
        self,
        labels: Sequence[str],
        groups: Sequence[int],
        members: Sequence[int] | None = None,
    ) -> None:
        self.labels = labels
        self.groups = groups
        self.by_class: dict[str, list[int]] = {}
        for position in range(len(labels)) if members is None else members:
            self.by_class.setdefault(labels[position], []).append(position)
        self.classes = sorted(self.by_class, key=label_order)
        if len(self.classes) < MIN_CLASSES:
            raise InputError(
                f"there are too few classes ({len(self.classes)}): one must repeat "
                f"and another must separate, so at least {MIN_CLASSES} are needed"
            )
        for label in self.classes:
            different = {groups[position] for position in self.by_class[label]}
            if len(different) < 2:
                raise InputError(
                    f"class {label!r} has only one instance (copies do not count); "
                    f"a motif occurs at least twice: add instances or drop the class"
                )

    def check_g(self, g_min: int, g_max: int | None) -> tuple[int, int]:
        """Return the range of g; raise if the classes do not allow it."""
        allowed = largest_g(len(self.classes))
        highest = allowed if g_max is None else check_integer(g_max, "g_max", minimum=1)
        lowest = check_integer(g_min, "g_min", minimum=1)
        if highest > allowed:
            raise InputError(
                f"g_max must be at most {allowed} for {len(self.classes)} classes "
                f"(floor((c + 1) / 3)), got {highest}"
            )
        if lowest > highest:
            raise InputError(
                f"g_min must be at most g_max, which is {highest} here, got {lowest}"
            )
        return lowest, highest


def draw_recipe(
    pool: Pool, draws: Draws, *, g_min: int = 1, g_max: int | None = None
) -> Recipe:
    """Draw the instances of one problem, in order; g is uniform on [g_min, g_max].

    >>> pool = Pool("aaabbbcccdddeee", range(15))
    >>> recipe = draw_recipe(pool, Draws(0, "example"), g_min=2)
    >>> "".join(pool.labels[position] for position in recipe)
    'edcbeac'
    """
    lowest, highest = pool.check_g(g_min, g_max)
    g = lowest + draws.below(highest - lowest + 1)
    repeating = draws.sample(pool.classes, g)
    others = draws.shuffled([c for c in pool.classes if c not in repeating])
    used: set[int] = set()
    separators = [_take(pool, label, draws, used) for label in others]
    motifs = [_take(pool, label, draws, used) for label in repeating for _ in range(2)]
    rest = [
        position
        for label in repeating
        for position in pool.by_class[label]
        if position not in motifs
    ]
    for position in draws.shuffled(rest):
        if len(motifs) == len(separators) + 1:
            break
        if pool.groups[position] not in used:
            used.add(pool.groups[position])
            motifs.append(position)
    recipe = draws.shuffled(motifs)
    between = separators[: len(recipe) - 1]
    for place, separator in enumerate(between):
        recipe.insert(2 * place + 1, separator)
    return tuple(recipe)


def _take(pool: Pool, label: str, draws: Draws, used: set[int]) -> int:
    """Draw an instance of a class that is not a copy of an earlier one."""
    free = [p for p in pool.by_class[label] if pool.groups[p] not in used]
    if not free:
        raise InputError(
            f"class {label!r} has no instance left that is not a copy of an instance "
            f"of another class; drop the copies, or one of the classes"
        )
    position = free[draws.below(len(free))]
    used.add(pool.groups[position])
    return position


def truth_of(labels: Sequence[str], lengths: Sequence[int]) -> dict[Label, MotifSet]:
    """Return the motif sets of a problem from labels and lengths of its instances.

    >>> truth_of(["a", "b", "a"], [10, 5, 20])
    {'a': MotifSet(((0, 10), (15, 35)))}
    """
    segments: dict[str, list[tuple[int, int]]] = {}
    start = 0
    for place, (label, length) in enumerate(zip(labels, lengths, strict=True)):
        if place % 2 == 0:
            segments.setdefault(label, []).append((start, start + length))
        start += length
    ordered = sorted(segments, key=label_order)
    return {label: MotifSet(segments[label]) for label in ordered}


def copy_groups(instances: Sequence[Instance]) -> tuple[int, ...]:
    """Return for each instance the position of the first that has the same bytes.

    >>> a, b = np.zeros((3, 1)), np.ones((3, 1))
    >>> copy_groups([a, b, a.copy()])
    (0, 1, 0)
    """
    first: dict[tuple[tuple[int, ...], bytes], int] = {}
    groups = []
    for position, instance in enumerate(instances):
        key = (instance.shape, hashlib.sha256(instance.tobytes()).digest())
        groups.append(first.setdefault(key, position))
    return tuple(groups)


def stratified_split(
    labels: Sequence[str], groups: Sequence[int], draws: Draws
) -> dict[str, tuple[int, ...]]:
    """Return the positions of each split; a group of copies is in one as a whole."""
    by_class: dict[str, list[int]] = {}
    for group in dict.fromkeys(groups):
        by_class.setdefault(labels[group], []).append(group)
    chosen: set[int] = set()
    for label in sorted(by_class, key=label_order):
        members = draws.shuffled(by_class[label])
        n = len(members)
        numerator, denominator = FRACTION
        size = (2 * n * numerator + denominator) // (2 * denominator)  # half up
        if n >= 2 * MIN_PER_SIDE:
            size = max(MIN_PER_SIDE, min(size, n - MIN_PER_SIDE))
        else:
            size = n // 2
        chosen.update(members[:size])
    return {
        "validation": tuple(p for p, group in enumerate(groups) if group in chosen),
        "test": tuple(p for p, group in enumerate(groups) if group not in chosen),
    }


def check_normalize(value: str | None) -> str | None:
    """Return the way to normalise: ``"joint"``, ``"channel"`` or None."""
    return value if value is None else check_choice(value, "normalize", NORMALIZE)


def normalized(instance: Instance, how: str | None) -> Instance:
    """Shift and scale an instance to mean 0 and population standard deviation 1.

    ``"joint"`` takes mean and deviation over all channels together, which keeps their
    relative sizes; ``"channel"`` over each by itself; None changes nothing. What is
    constant becomes 0.

    >>> normalized(np.array([[1.0], [3.0]]), "joint").tolist()
    [[-1.0], [1.0]]
    >>> normalized(np.array([[5.0, 1.0], [5.0, 3.0]]), "channel").tolist()
    [[0.0, -1.0], [0.0, 1.0]]
    """
    if how is None:
        return instance
    if how == "joint":
        return _unit(instance)
    columns = [_unit(instance[:, column]) for column in range(instance.shape[1])]
    return np.stack(columns, axis=1)


def _unit(values: Instance) -> Instance:
    """Normalise all entries of an array by one mean and one deviation."""
    if values.min() == values.max():
        return np.zeros_like(values)
    centred = values - math.fsum(values.ravel().tolist()) / values.size
    variance = math.fsum((centred * centred).ravel().tolist()) / values.size
    return centred / math.sqrt(variance)


class Problems(Sequence[Problem]):
    """Problems of one split that are built when they are used.

    A subclass is a dataclass; `per_problem` names its fields with an entry per problem,
    the first of which is never empty.
    """

    per_problem: ClassVar[tuple[str, ...]]

    def _problem(self, index: int) -> Problem:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(getattr(self, self.per_problem[0]))

    @overload
    def __getitem__(self, index: int) -> Problem: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Problem | Self:
        """Return a problem, or an object of the same class with some of them."""
        if not isinstance(index, slice):
            return self._problem(index)
        part = {name: getattr(self, name)[index] for name in self.per_problem}
        chosen: Self = replace(cast("Any", self), **part)
        return chosen

    def __iter__(self) -> Iterator[Problem]:
        return (self[index] for index in range(len(self)))


class Noise(NamedTuple):
    """Standard deviation, place and seed of the noise."""

    std: float
    where: str = "all"
    seed: int = 0


def check_noise(noise: Noise) -> Noise:
    """Return the noise after checking its values."""
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

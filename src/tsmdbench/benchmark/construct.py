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
* No instance occurs twice in a problem, and no two copies of one (see
  `tsmdbench.benchmark.split`).
* With c classes, g is at most ``floor((c + 1) / 3)``: 2g motifs need 2g - 1 separators.
* A recipe is a list of positions; those at even places are the motifs.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation of
Motif Sets in Time Series", 2024, arXiv:2412.09346, sections 5.1 and 5.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from tsmdbench.archive.dataset import label_order
from tsmdbench.archive.draws import Draws
from tsmdbench.errors import InputError
from tsmdbench.types import Label, MotifSet
from tsmdbench.validation import check_integer

Recipe = tuple[int, ...]
MIN_CLASSES = 2  # one that repeats, one that separates


def largest_g(classes: int) -> int:
    """Return the largest number of motif sets for a number of classes.

    >>> [largest_g(c) for c in (2, 5, 8, 25)]
    [1, 2, 3, 8]
    """
    return (classes + 1) // 3


class Pool:
    """The instances that problems of one split are drawn from.

    Parameters
    ----------
    labels : sequence of str
        Class of each instance of the dataset.
    groups : sequence of int
        Copies share a group, see `tsmdbench.benchmark.split.copy_groups`.
    members : sequence of int, optional
        Positions of the instances that may be drawn; all by default.

    Raises
    ------
    InputError
        Fewer than two classes, or a class that has no two different instances.
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
        """Return the range of g, or say what the classes allow."""
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

    Examples
    --------
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
    return _alternate(draws.shuffled(motifs), separators)


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


def _alternate(motifs: Sequence[int], separators: Sequence[int]) -> Recipe:
    """Return motif, separator, motif, ..., motif."""
    recipe = [motifs[0]]
    for separator, motif in zip(separators, motifs[1:], strict=False):
        recipe += [separator, motif]
    return tuple(recipe)


def truth_of(labels: Sequence[str], lengths: Sequence[int]) -> dict[Label, MotifSet]:
    """Return the motif sets of a problem, by label.

    Parameters
    ----------
    labels, lengths : sequences
        Of the instances of the problem, in order; those at even places are motifs.

    Examples
    --------
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

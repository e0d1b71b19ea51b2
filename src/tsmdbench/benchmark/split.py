"""Copies, and the split into validation and test: no instance on both sides.

The archive holds instances that are copies of each other, byte for byte. A method that
was tuned on one and is tested on the other has seen the test data, and two copies in
one problem are a motif that no real recording has. Copies therefore share a *group*: a
group lies on one side of the split, and a problem takes at most one member of it.

Conventions
-----------
The split is stratified: of each class, a fifth of its groups, rounded, goes to
validation, but at least two and at most all but two where the class has four groups,
since a motif needs two instances on either side. The official TRAIN and TEST parts
are joined first.

References
----------
D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative Evaluation of
Motif Sets in Time Series", 2024, arXiv:2412.09346,
section 5.1; the authors' code is ML-KULeuven/tsmd-evaluation.

Departures
----------
The public code of the paper drops the wrong rows, so that 78 % of its validation
instances of JapaneseVowels are also in its test pool. This one follows the paper's
text: no instance in both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from tsmdbench.archive.dataset import Instance, label_order
from tsmdbench.archive.draws import Draws

FRACTION = (1, 5)  # the part of the instances that goes to validation
MIN_PER_SIDE = 2


class Split(NamedTuple):
    """Positions of the instances on each side."""

    validation: tuple[int, ...]
    test: tuple[int, ...]


def copy_groups(instances: Sequence[Instance]) -> tuple[int, ...]:
    """Return for each instance the position of the first that has the same bytes.

    Examples
    --------
    >>> import numpy as np
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
) -> Split:
    """Split instances into validation and test, class by class.

    Parameters
    ----------
    labels : sequence of str
        Class of each instance.
    groups : sequence of int
        From `copy_groups`; a group is on one side as a whole.
    draws : Draws
        Where the chance comes from.
    """
    by_class: dict[str, list[int]] = {}
    for group in dict.fromkeys(groups):
        by_class.setdefault(labels[group], []).append(group)
    chosen: set[int] = set()
    for label in sorted(by_class, key=label_order):
        members = draws.shuffled(by_class[label])
        chosen.update(members[: _validation_size(len(members))])
    sides: tuple[list[int], list[int]] = ([], [])
    for position, group in enumerate(groups):
        sides[group not in chosen].append(position)
    return Split(tuple(sides[0]), tuple(sides[1]))


def _validation_size(n: int) -> int:
    """Return how many of `n` groups of a class go to validation."""
    numerator, denominator = FRACTION
    fifth = (2 * n * numerator + denominator) // (2 * denominator)  # rounded, half up
    if n >= 2 * MIN_PER_SIDE:
        return max(MIN_PER_SIDE, min(fifth, n - MIN_PER_SIDE))
    return n // 2

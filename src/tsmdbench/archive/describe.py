"""The properties of a dataset, as the tables show them."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from tsmdbench.archive.dataset import Dataset


class Properties(NamedTuple):
    """What a dataset holds.

    `sizes` has the number of instances of each class, in the order of the classes.
    """

    classes: int
    l_min: int
    l_max: int
    channels: int
    instances: int
    l_mean: float
    sizes: dict[str, int]


def describe(dataset: Dataset) -> Properties:
    """Return the properties of a dataset.

    Examples
    --------
    >>> from tsmdbench.archive import describe_dataset, load
    >>> found = describe_dataset(load("JapaneseVowels"))
    >>> found[:5], found.sizes["1"]
    ((9, 7, 29, 12, 640), 61)
    """
    counts = Counter(dataset.labels)
    return Properties(
        len(dataset.classes),
        int(dataset.lengths.min()),
        int(dataset.lengths.max()),
        dataset.channels,
        len(dataset),
        float(dataset.lengths.mean()),
        {label: counts[label] for label in dataset.classes},
    )

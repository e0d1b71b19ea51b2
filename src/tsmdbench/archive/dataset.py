"""A classification dataset in memory: labelled instances, and where each comes from."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tsmdbench.html_text import html_block, html_facts

Instance = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled instances of one classification dataset.

    Parameters
    ----------
    name : str
        Name in the archive.
    instances : tuple of float64[length, d]
        Read-only; time is axis 0. TRAIN comes before TEST, each in its official order.
    labels : tuple of str
        Class of each instance. Whole numbers are written as such: ``"1"``, whether a
        file says ``1`` or ``1.0``.
    parts : tuple of str
        ``"TRAIN"`` or ``"TEST"``, the official origin of each instance.
    source : str
        Description of the place where the data was found.
    """

    name: str
    instances: tuple[Instance, ...]
    labels: tuple[str, ...]
    parts: tuple[str, ...]
    source: str = ""

    def __len__(self) -> int:
        return len(self.instances)

    def _repr_html_(self) -> str:
        """Show what is in it, in a notebook."""
        sizes = Counter(self.labels)
        facts = {
            "instances": len(self),
            "channels": self.channels,
            "lengths": f"{self.lengths.min()} to {self.lengths.max()}",
            "classes": ", ".join(f"{label} ({sizes[label]})" for label in self.classes),
            "source": self.source,
        }
        return html_block(html_facts(self.name, facts))

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The distinct labels, sorted as numbers where they are numbers."""
        return tuple(sorted(set(self.labels), key=label_order))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Number of samples of each instance."""
        return np.fromiter(map(len, self.instances), np.int64, len(self.instances))

    @property
    def channels(self) -> int:
        """Number of channels, the same for all instances."""
        return int(self.instances[0].shape[1])

    @cached_property
    def origins(self) -> tuple[tuple[str, int], ...]:
        """``(part, row)`` of each instance: its official part and position there."""
        seen: dict[str, int] = {}
        found = []
        for part in self.parts:
            row = seen.get(part, 0)
            found.append((part, row))
            seen[part] = row + 1
        return tuple(found)

    def of_part(self, part: str) -> range:
        """Return the positions of one official part, which lie together."""
        first = self.parts.index(part)
        return range(first, first + self.parts.count(part))


def label_order(label: str) -> tuple[int, float, str]:
    """Sort key that puts ``"2"`` before ``"10"`` and numbers before words."""
    try:
        number = float(label)
    except ValueError:
        return (1, 0.0, label)
    return (0, number, label) if math.isfinite(number) else (1, 0.0, label)

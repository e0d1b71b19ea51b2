"""A classification dataset in memory: labelled instances, and where each comes from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tsmdbench.errors import InputError
from tsmdbench.html_text import html_block, html_facts
from tsmdbench.io.ts_format import canonical_label

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


def check_instances(
    instances: Sequence[object], labels: Sequence[object], name: str = "instances"
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    """Return labelled instances as read-only ``float64[length, d]`` and text labels.

    Each instance is ``(length,)`` or ``(length, d)``; all have the same number of
    channels, at least one sample and a label, and no missing value.
    """
    if len(instances) != len(labels):
        raise InputError(
            f"{name}: there are {len(instances)} instances but {len(labels)} labels; "
            f"every instance needs one"
        )
    if not len(instances):
        raise InputError(f"{name} is empty; give labelled instances")
    arrays = tuple(_instance(value, name, row) for row, value in enumerate(instances))
    channels = arrays[0].shape[1]
    for row, array in enumerate(arrays):
        if array.shape[1] != channels:
            raise InputError(
                f"{name}: instance {row} has {array.shape[1]} channels where instance "
                f"0 has {channels}; all need the same number"
            )
    return arrays, tuple(_label(value, name, row) for row, value in enumerate(labels))


def _instance(value: object, name: str, row: int) -> Instance:
    """Check one instance."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as cause:
        raise InputError(f"{name}: instance {row} is not numeric ({cause})") from None
    if array.ndim == 1:
        array = array[:, None]
    if array.ndim != 2 or not array.size:
        raise InputError(
            f"{name}: instance {row} has shape {array.shape}; an instance is "
            f"(length,) or (length, channels) and not empty"
        )
    if not np.isfinite(array).all():
        raise InputError(
            f"{name}: instance {row} holds missing or infinite values; "
            f"fill them in or leave the instance out"
        )
    array.flags.writeable = False
    return array


def _label(value: object, name: str, row: int) -> str:
    """Check one label: None, NaN and empty text are no label."""
    missing = value is None or (isinstance(value, float) and value != value)
    if missing or not str(value).strip():
        raise InputError(f"{name}: instance {row} has no label")
    return canonical_label(value)

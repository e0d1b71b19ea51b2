"""Put names beside points such that no name lies on another name or on a point.

Each name tries places around its point, the near ones first, and takes the first that
is free; the rightmost points go first because their names have the least room. A name
far from its point gets a thin line to it. The order of trying is fixed, so a picture is
the same whenever it is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

RADII = (0.09, 0.14, 0.2, 0.28, 0.38, 0.5, 0.65, 0.85, 1.1, 1.4, 1.8, 2.3, 3.0)
DIRECTIONS = 16
LINE_FROM = 0.18  # inches between a point and its name from where a line joins them


class Box(NamedTuple):
    """A rectangle in inches."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Say whether two rectangles overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def within(self, other: Box) -> bool:
        """Say whether this rectangle lies inside another."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.bottom >= other.bottom
            and self.top <= other.top
        )


def place_names(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    dot: float = 0.05,
    lines: Sequence[Box] = (),
) -> list[Box | None]:
    """Return where each name goes, None where there was no free place.

    Parameters
    ----------
    points : sequence of (x, y)
        In inches.
    sizes : sequence of (width, height)
        Of the names, in inches.
    frame : Box
        Names stay inside.
    dot : float
        Half the side of the square around a point that names keep clear of.
    lines : sequence of Box
        Where names should not lie if there is another place.

    Examples
    --------
    >>> frame = Box(0, 0, 4, 4)
    >>> first, second = place_names([(2, 2), (2, 2)], [(1, 0.2)] * 2, frame)
    >>> first.meets(second), first.within(frame)
    (False, True)
    """
    taken = [Box(x - dot, y - dot, x + dot, y + dot) for x, y in points]
    places: list[Box | None] = [None] * len(points)
    for number in sorted(range(len(points)), key=lambda i: (-points[i][0], i)):
        free = [
            box
            for box in _tries(points[number], sizes[number])
            if box.within(frame) and not any(box.meets(other) for other in taken)
        ]
        clear = [box for box in free if not any(box.meets(line) for line in lines)]
        for box in (*clear, *free)[:1]:
            places[number] = box
            taken.append(box)
    return places


def _tries(point: tuple[float, float], size: tuple[float, float]) -> list[Box]:
    """Return rectangles around a point: right, left, above, below, then the rest."""
    x, y = point
    width, height = size
    turns = [0, 8, 4, 12, 2, 6, 14, 10, 1, 7, 15, 9, 3, 5, 13, 11]
    boxes = []
    for radius in RADII:
        for turn in turns:
            angle = 2 * math.pi * turn / DIRECTIONS
            dx, dy = math.cos(angle), math.sin(angle)
            # The point of the name that is nearest to the dot lies on the circle.
            left = x + radius * dx + (dx - 1) * width / 2
            bottom = y + radius * dy + (dy - 1) * height / 2
            boxes.append(Box(left, bottom, left + width, bottom + height))
    return boxes


def nearest(box: Box, point: tuple[float, float]) -> tuple[float, float]:
    """Return the place of a box that is nearest to a point."""
    x, y = point
    return min(max(x, box.left), box.right), min(max(y, box.bottom), box.top)

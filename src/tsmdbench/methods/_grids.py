"""Building blocks of hyperparameter grids.

A method names its grid by the class attribute `grid`: a mapping of field to values, or
a function of what is known of the validation data that returns one. Where ``--grid
full`` must try more, `full_grid` has the same form, and so has `paper_grid` where the
code of the paper's group tries others. `tsmdbench.experiments.settings` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

ALPHABETS = (2, 4, 8, 16)
SHORTEST_WORD = 4


class Facts(Protocol):
    """The part of `tsmdbench.experiments.settings.DataFacts` that grids use."""

    @property
    def length(self) -> int:
        """Mean length of the instances."""

    @property
    def l_min(self) -> int:
        """0.1 quantile of their lengths."""

    @property
    def l_max(self) -> int:
        """0.9 quantile of their lengths."""

    @property
    def channels(self) -> int:
        """Number of channels of the data."""


Axes = Mapping[str, Sequence[Any]]
Grid = Axes | Callable[[Facts], Axes]


def word_axes(largest: int, *, full: bool = False) -> Axes:
    """Return the axes of SAX words of at most `largest` letters.

    The paper's ``{4, ..., l / 2}`` is read as powers of two; `full` takes every whole
    number. There is always a word of 4 letters.

    >>> word_axes(17)["word_length"], word_axes(6, full=True)["word_length"]
    ([4, 8, 16], [4, 5, 6])
    """
    if full:
        lengths = list(range(SHORTEST_WORD, max(largest, SHORTEST_WORD) + 1))
    else:
        lengths = [SHORTEST_WORD]
        while 2 * lengths[-1] <= largest:
            lengths.append(2 * lengths[-1])
    return {"word_length": lengths, "alphabet_size": ALPHABETS}

"""Random choices that are the same on every machine and with every library version.

NumPy may change the stream of its generators between versions, so a benchmark that is
drawn on the user's machine would depend on what is installed there. These draws come
from SHA-256 in counter mode and from nothing else. Each purpose has a key of its own:
drawing more problems, or the same ones in another order, changes none of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_SPAN = 2**64
_STEPS = 2**53  # floats of equal spacing in [0, 1)


class Draws:
    """A stream of random choices that is determined by its key.

    The key says what the draws are for: a seed, a name, a counter.

    >>> Draws(0, "demo").shuffled("abcdef")
    ['b', 'e', 'a', 'f', 'c', 'd']
    >>> [Draws(0, "demo", i).below(6) for i in range(8)]
    [3, 2, 1, 5, 3, 3, 4, 3]
    """

    def __init__(self, *key: str | int) -> None:
        self._key = "\x1f".join(map(str, key)).encode()
        self._counter = 0
        self._words: list[int] = []

    def _word(self) -> int:
        """Return the next 64 bits."""
        if not self._words:
            block = hashlib.sha256(self._key + b"\x1e%d" % self._counter).digest()
            self._counter += 1
            starts = range(0, len(block), 8)
            self._words = [int.from_bytes(block[i : i + 8], "big") for i in starts]
        return self._words.pop()

    def below(self, n: int) -> int:
        """Return an integer that is uniform on ``[0, n)``."""
        limit = _SPAN - _SPAN % n  # words beyond it would favour small numbers
        while (word := self._word()) >= limit:
            pass
        return word % n

    def between(self, low: float, high: float) -> float:
        """Return a number that is uniform on ``[low, high)``, of 2^53 possible ones."""
        return low + (high - low) * (self.below(_STEPS) / _STEPS)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.below(last + 1)
            out[last], out[other] = out[other], out[last]
        return out

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Return `k` different items in random order."""
        pool = list(items)
        for place in range(k):
            other = place + self.below(len(pool) - place)
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:k]

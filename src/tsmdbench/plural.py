"""Numbers with their nouns, and lists that are cut."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> counted(1, "dataset"), counted(2, "dataset")
    ('1 dataset', '2 datasets')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def first_few(names: Iterable[object], most: int = 5) -> str:
    """Return the first names of a list, and the number of the others.

    >>> first_few("abc"), first_few("abcdefg")
    ('a, b, c', 'a, b, c, d, e and 2 more')
    """
    every = list(map(str, names))
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more

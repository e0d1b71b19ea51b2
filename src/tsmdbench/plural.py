"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural.

    >>> counted(1, "dataset"), counted(2, "dataset")
    ('1 dataset', '2 datasets')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"

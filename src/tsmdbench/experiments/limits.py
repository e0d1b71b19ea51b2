"""How long and how large a run may become, and the texts that say so.

>>> Limits.of("90s", "1.5GiB")
Limits(seconds=90.0, memory=1610612736, grace=60.0, max_motifs=1000000)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from tsmdbench.errors import InputError
from tsmdbench.validation import check_integer, check_number

# What Dask raises for a text that is not a time or size, such as an empty one.
FAULTS = (ValueError, KeyError, IndexError, OverflowError)
SMALLEST_MEMORY = 256 * 2**20  # an interpreter with a compiled method needs as much


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    Parameters
    ----------
    seconds : float
        Longest time of a run, compilation and warm-up excluded.
    memory : int
        Largest resident memory of the computing process in bytes, including the
        interpreter.
    grace : float
        Seconds beyond `seconds` that the first, unmeasured run of a method in a
        process may take, since it may compile.
    max_motifs : int
        Largest number of motifs that a run may return, where each set counts as one
        more. Very large results would make reading the store slow.
    """

    seconds: float = 600.0
    memory: int = 4 * 2**30
    grace: float = 60.0
    max_motifs: int = 1_000_000

    @classmethod
    def of(
        cls,
        time: str,
        memory: str,
        grace: float = 60.0,
        max_motifs: int = 1_000_000,
    ) -> Self:
        """Read limits as a person writes them: ``600s``, ``10m``; ``4GiB``."""
        check_integer(max_motifs, "max_motifs", minimum=1)
        return cls(parse_seconds(time), parse_bytes(memory), grace, max_motifs)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Self:
        """Rebuild them from a manifest; raise where a value is not a limit."""
        limits = cls(**kept)
        for name in ("seconds", "memory", "grace", "max_motifs"):
            if check_number(getattr(limits, name), name) <= 0:
                raise InputError(f"{name} must be above 0")
        return limits


def parse_seconds(text: str, name: str = "time limit") -> float:
    """Return a time in seconds, written as Dask reads it, or in ``min``.

    >>> parse_seconds("10m"), parse_seconds("2.5"), parse_seconds("1h")
    (600.0, 2.5, 3600.0)
    """
    from dask.utils import parse_timedelta

    plain = re.sub(r"min$", "m", text.strip(), flags=re.IGNORECASE)
    try:
        seconds = float(parse_timedelta(plain))
    except FAULTS:
        raise _not_like("600s, 10m, 1h", text, name) from None
    if seconds <= 0:
        raise InputError(f"{name} must be above 0, got {text!r}")
    return seconds


def parse_bytes(text: str, name: str = "memory limit") -> int:
    """Return a size in bytes, written as Dask reads it.

    >>> parse_bytes("4GiB"), parse_bytes("500MB")
    (4294967296, 500000000)
    """
    from dask.utils import parse_bytes as parse_size

    try:
        size = int(parse_size(text))
    except FAULTS:
        raise _not_like("4GiB, 500MB", text, name) from None
    if size < SMALLEST_MEMORY:
        raise InputError(
            f"{name} must be at least 256MiB, which the interpreter needs, got {text!r}"
        )
    return size


def _not_like(examples: str, text: str, name: str) -> InputError:
    return InputError(f"{name} must be written like {examples}, got {text!r}")

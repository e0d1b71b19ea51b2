"""How long and how large a run may become, and the texts that say so.

>>> Limits.of("90s", "1.5GiB")
Limits(seconds=90.0, memory=1610612736, grace=60.0)
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from tsmdbench.errors import InputError

SECONDS = {"": 1.0, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
BYTES |= {"kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
SMALLEST_MEMORY = 256 * 2**20  # an interpreter with a compiled method needs as much


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    Parameters
    ----------
    seconds : float
        Longest time of a run, compilation and warm-up excluded.
    memory : int
        Most resident bytes of the process that computes, interpreter included.
    grace : float
        Seconds beyond `seconds` that the first, unmeasured run of a method in a
        process may take, since it may compile.
    """

    seconds: float = 600.0
    memory: int = 4 * 2**30
    grace: float = 60.0

    @classmethod
    def of(cls, time: str, memory: str, grace: float = 60.0) -> Self:
        """Read limits as a person writes them: ``600s``, ``10m``; ``4GiB``."""
        return cls(parse_seconds(time), parse_bytes(memory), grace)


def parse_seconds(text: str, name: str = "time limit") -> float:
    """Return a time in seconds.

    >>> parse_seconds("10m"), parse_seconds("2.5"), parse_seconds("1h")
    (600.0, 2.5, 3600.0)
    """
    seconds = _parse(text, SECONDS, name, "600s, 10m, 1h")
    if seconds <= 0:
        raise InputError(f"{name} must be above 0, got {text!r}")
    return seconds


def parse_bytes(text: str, name: str = "memory limit") -> int:
    """Return a size in bytes.

    >>> parse_bytes("4GiB"), parse_bytes("500MB")
    (4294967296, 500000000)
    """
    size = int(_parse(text, BYTES, name, "4GiB, 500MB"))
    if size < SMALLEST_MEMORY:
        raise InputError(
            f"{name} must be at least 256MiB, which the interpreter needs, got {text!r}"
        )
    return size


def _parse(text: str, units: Mapping[str, float], name: str, examples: str) -> float:
    match = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].lower() not in units:
        raise InputError(f"{name} must be written like {examples}, got {text!r}")
    value = float(match[1]) * units[match[2].lower()]
    if not math.isfinite(value):
        raise InputError(f"{name} must be finite, got {text!r}")
    return value

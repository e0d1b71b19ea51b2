"""Base classes of the methods that compare windows: common fields, and a sweep.

All fields here are keyword-only, so that a method's own fields (length, radius) come
first in its constructor. A subclass changes a default with ``field(default=...,
kw_only=True)``, and is decorated with ``repr=False``, so that its text has the fields
in the order of the constructor as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from tsmdbench.methods._windows import Windows
from tsmdbench.methods.base import (
    CONSTANT,
    Found,
    Method,
    Series,
    check_channel,
    check_max_sets,
    check_n_jobs,
    fields_of,
)
from tsmdbench.validation import check_choice, check_flag


@dataclass(frozen=True, kw_only=True, repr=False)
class DistanceMethod(Method):
    """A method that returns several motif sets and may keep them disjoint.

    A subclass checks its own fields in `__post_init__` and calls that of its base.
    """

    symbolic: ClassVar[bool] = False

    max_sets: int | None = None
    disjoint: bool = True

    def __post_init__(self) -> None:
        check_max_sets(self.max_sets)
        check_flag(self.disjoint, "disjoint")

    def __repr__(self) -> str:
        names = [field.name for field in fields_of(type(self))]
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({values})"


@dataclass(frozen=True, kw_only=True, repr=False)
class SingleChannel(DistanceMethod):
    """A distance method that looks at one channel of a series."""

    univariate: ClassVar[bool] = True

    channel: int | Literal["all"] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_channel(self.channel, self)


@dataclass(frozen=True, kw_only=True, repr=False)
class Threaded(DistanceMethod):
    """A distance method whose kernels share their work between threads."""

    n_jobs: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_n_jobs(self.n_jobs)


@dataclass(frozen=True, kw_only=True, repr=False)
class WindowMethod(DistanceMethod):
    """A distance method that compares all windows of a length with each other."""

    constant: Literal["skip", "keep"] = "skip"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.constant, "constant", CONSTANT)

    def _windows(self, x: Series, length: int) -> Windows:
        n_jobs = getattr(self, "n_jobs", 1)
        return Windows.of(x, length, n_jobs, constant=self.constant)


@dataclass(frozen=True, kw_only=True, repr=False)
class ProfileMethod(Threaded, WindowMethod):
    """A method that takes seeds from a profile, which settings of a sweep may share."""

    @abstractmethod
    def _profile(self, x: Series) -> tuple[Any, Any]:
        """Return the arguments of `_sets`: windows or series, and the profile."""

    @abstractmethod
    def _profile_key(self) -> Hashable:
        """Return the fields that the profile depends on."""

    @abstractmethod
    def _sets(self, windows: Any, profile: Any) -> Found:
        """Find, given the profile."""

    def _find(self, x: Series) -> Found:
        return self._sets(*self._profile(x))

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Compute one profile for all settings with the same key."""
        known: dict[Hashable, tuple[Any, Any]] = {}
        found: list[Found] = []
        for method in methods:
            key = method._profile_key()
            if key not in known:
                known[key] = method._profile(method._checked(series))
            found.append(method._sets(*known[key]))
        return found

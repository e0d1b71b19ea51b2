"""Base classes of the methods: common fields, and sweeps that share work.

Common fields are keyword-only, so that a method's own fields (length, radius) come
first in its constructor. A subclass changes a default with ``field(default=...,
kw_only=True)``, and is decorated with ``repr=False``, so that its text has the fields
in the order of the constructor as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from tsmdbench._kernels.progress import each
from tsmdbench.methods._windows import Windows
from tsmdbench.methods.base import (
    Found,
    Method,
    Series,
    check_fields,
    check_fits,
)

LONGEST = ("length", "window", "l_max", "l_min")  # the field with the longest window


@dataclass(frozen=True, repr=False)
class SharingMethod(Method):
    """A method that prepares a series in a way that several settings can share.

    A subclass implements `_key`, `_prepare` and `_search`, and checks fields that
    `check_fields` does not know in `__post_init__`, after calling that of its base.
    """

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def _key(self) -> Hashable:
        """Return the fields that methods must have in common to share `_prepare`."""

    @classmethod
    @abstractmethod
    def _prepare(cls, x: Series, methods: Sequence[Self]) -> Any:
        """Compute what the searches of methods with equal keys have in common."""

    @abstractmethod
    def _search(self, prepared: Any) -> Found:
        """Find, given what was prepared."""

    def _check_fits(self, x: Series) -> None:
        """Raise unless two of the longest windows fit side by side into the series."""
        name = next(name for name in LONGEST if hasattr(self, name))
        check_fits(x, getattr(self, name), name)

    def _find(self, x: Series) -> Found:
        self._check_fits(x)
        return self._search(self._prepare(x, [self]))

    @classmethod
    def _sweep(cls, series: Any, methods: Sequence[Self]) -> list[Found]:
        """Prepare once for all settings with the same key."""
        groups: dict[Hashable, list[int]] = {}
        for place, method in enumerate(methods):
            groups.setdefault(method._key(), []).append(place)
        found: list[Found] = [()] * len(methods)
        for places in each(list(groups.values())):
            group = [methods[place] for place in places]
            x = group[0]._checked(series)
            for method in group:
                method._check_fits(x)
            prepared = cls._prepare(x, group)
            for place, method in zip(places, group, strict=True):
                found[place] = method._search(prepared)
        return found


@dataclass(frozen=True, kw_only=True, repr=False)
class DistanceMethod(SharingMethod):
    """A method that returns several motif sets and may keep them disjoint."""

    symbolic: ClassVar[bool] = False

    max_sets: int | None = None
    disjoint: bool = True


@dataclass(frozen=True, kw_only=True, repr=False)
class SingleChannel(DistanceMethod):
    """A distance method that looks at one channel of a series."""

    univariate: ClassVar[bool] = True

    channel: int | Literal["all"] = 0


@dataclass(frozen=True, kw_only=True, repr=False)
class Threaded(DistanceMethod):
    """A distance method whose kernels share their work between threads."""

    n_jobs: int = field(default=1, compare=False)


@dataclass(frozen=True, kw_only=True, repr=False)
class WindowMethod(DistanceMethod):
    """A distance method that compares all windows of a length with each other."""

    constant: Literal["skip", "keep"] = "skip"

    def _windows(self, x: Series, length: int) -> Windows:
        n_jobs = getattr(self, "n_jobs", 1)
        return Windows.of(x, length, n_jobs, constant=self.constant)

"""Names to objects: the metrics, the methods, and what other packages add.

An entry is an object or the text ``"module:object"``, which is imported when it is
first asked for, so that a listing never loads what it lists. Other packages add
entries through an entry-point group; nothing replaces an existing name silently.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from tsmdbench.errors import InputError

T = TypeVar("T")


class UnknownNameError(InputError, KeyError):
    """No entry has this name; the message suggests the nearest ones."""

    __str__ = Exception.__str__  # KeyError would show the repr of the sentence


class Registry(Generic[T]):
    """A sorted map from name to object that explains itself when a name is unknown.

    Parameters
    ----------
    kind : str
        What an entry is, for errors: "metric".
    group : str, optional
        Entry-point group that other packages use to add entries.

    Examples
    --------
    >>> shapes = Registry("shape")
    >>> shapes.add("square", 4)
    >>> shapes.add("root", "math:sqrt")
    >>> shapes.names(), shapes.get("root")(9)
    (['root', 'square'], 3.0)
    >>> shapes.get("sqare")
    Traceback (most recent call last):
    tsmdbench.registry.UnknownNameError: no shape 'sqare'; did you mean 'square'?
    """

    def __init__(self, kind: str, group: str | None = None) -> None:
        self.kind = kind
        self._group = group
        self._entries: dict[str, Any] = {}
        self._external: dict[str, Any] | None = None

    def add(self, name: str, entry: T | str) -> None:
        """Register `entry`, or where to import it from, under a new `name`."""
        if name in self._entries:
            raise InputError(f"{self.kind} {name!r} exists; choose another name")
        self._entries[name] = entry

    def names(self) -> list[str]:
        """Return every name, sorted; entries of other packages included."""
        return sorted({*self._entries, *self._from_entry_points()})

    def get(self, name: str) -> T:
        """Return the object of that name, or import ``"module:object"``."""
        if name in self._entries:
            entry = self._entries[name]
            if isinstance(entry, str):
                entry = self._entries[name] = import_object(entry, self.kind)
            return entry  # type: ignore[no-any-return]
        external = self._from_entry_points()
        if name in external:
            return external[name].load()  # type: ignore[no-any-return]
        if ":" in name:
            return import_object(name, self.kind)  # type: ignore[no-any-return]
        raise UnknownNameError(self._unknown(name))

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._from_entry_points()

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __len__(self) -> int:
        return len(self.names())

    def __repr__(self) -> str:
        return f"<{len(self)} {self.kind}s: {', '.join(self.names())}>"

    def _from_entry_points(self) -> dict[str, Any]:
        """Read the entry points once: it costs a walk over the installed packages."""
        if self._external is None:
            found = entry_points(group=self._group) if self._group else ()
            self._external = {point.name: point for point in found}
        return self._external

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.names(), n=3, cutoff=0.5)
        hint = (
            f"did you mean {' or '.join(map(repr, near))}?"
            if near
            else f"known: {', '.join(self.names())}"
        )
        return f"no {self.kind} {name!r}; {hint}"


def import_object(path: str, kind: str = "object") -> Any:
    """Import ``"module:object"``, with one sentence for each way it can fail."""
    module_name, _, attribute = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as cause:
        raise UnknownNameError(f"cannot import {kind} {path!r}: {cause}") from cause
    try:
        return getattr(module, attribute)
    except AttributeError:
        raise UnknownNameError(
            f"cannot import {kind} {path!r}: module {module_name!r} "
            f"has no {attribute!r}"
        ) from None

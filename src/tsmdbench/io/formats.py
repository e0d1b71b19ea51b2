"""The formats: a name, endings, a reader, perhaps a writer.

Each module of `tsmdbench.io.recordings` and `tsmdbench.io.motifs` that has a ``FORMAT``
is a format; adding one is adding a file there. Other packages add theirs through the
entry-point groups ``tsmdbench.series_formats`` and ``tsmdbench.motif_formats``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError
from tsmdbench.registry import Registry

if TYPE_CHECKING:
    from tsmdbench.io.marks import MarkOptions, Marks, Writing
    from tsmdbench.io.options import SeriesOptions
    from tsmdbench.io.table import Table
    from tsmdbench.types import MotifSet


@dataclass(frozen=True)
class SeriesFormat:
    """A format of series.

    Parameters
    ----------
    name : str
        Name for the option ``--format``.
    endings : tuple of str
        File name extensions of the format, with the dot.
    read : callable
        ``read(file, options)`` returns a `Table`.
    says : str
        One line for the documentation.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[Path, SeriesOptions], Table]
    says: str


@dataclass(frozen=True)
class MotifFormat:
    """A format of motif sets.

    Parameters
    ----------
    name, endings, says
        As for `SeriesFormat`.
    read : callable
        ``read(file, options)`` returns `Marks`.
    write : callable, optional
        ``write(sets, writing)`` returns the bytes of the file; see
        `tsmdbench.io.marks.Writing`.
    loses : str
        What is lost when motif sets are written in this format.
    holds_empty : bool
        Whether a set without segments can be written.
    replace : callable, optional
        ``replace(sets, writing, options)`` returns the bytes of an existing file with
        other motif sets and everything else as it is.
    exported : bool
        Whether a file is an export of a program that holds more than motif sets, so
        that nothing is saved onto it.
    """

    name: str
    endings: tuple[str, ...]
    read: Callable[[Path, MarkOptions], Marks]
    says: str
    write: Callable[[dict[str, MotifSet], Writing], bytes] | None = None
    loses: str = ""
    holds_empty: bool = False
    replace: Callable[[dict[str, MotifSet], Writing, MarkOptions], bytes] | None = None
    exported: bool = False


def _gather(package: str, kind: str, group: str) -> Registry[Any]:
    registry: Registry[Any] = Registry(kind, group=group)
    folder = importlib.import_module(package)
    for module in pkgutil.iter_modules(folder.__path__):
        if not module.name.startswith("_"):
            found = importlib.import_module(f"{package}.{module.name}").FORMAT
            registry.add(found.name, found)
    return registry


@cache
def series_formats() -> Registry[SeriesFormat]:
    """Return the formats of series, by name."""
    return _gather(
        "tsmdbench.io.recordings", "format of series", "tsmdbench.series_formats"
    )


@cache
def motif_formats() -> Registry[MotifFormat]:
    """Return the formats of motif sets, by name."""
    return _gather(
        "tsmdbench.io.motifs", "format of motif sets", "tsmdbench.motif_formats"
    )


def choose_format(registry: Registry[Any], file: Path, name: str | None) -> Any:
    """Return the named format, or infer it from the file extension."""
    if name is not None:
        return registry[name]
    ending = file.suffix.lower()
    for known in registry.values():
        if ending and ending in known.endings:
            return known
    endings = ", ".join(_endings(registry.values()))
    raise InputError(
        f"{file}: unknown format {ending or 'without ending'!r}; known: {endings}; or "
        f"name one with file_format (--format): {', '.join(registry)}"
    )


def _endings(formats: Iterable[Any]) -> list[str]:
    return sorted({ending for known in formats for ending in known.endings})

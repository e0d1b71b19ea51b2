"""The formats: a name, file name extensions, a reader, perhaps a writer.

The formats in ``FORMATS`` of every module here are registered; adding one is adding a
file. Other packages add theirs through the entry-point groups
``tsmdbench.series_formats`` and ``tsmdbench.motif_formats``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsmdbench.errors import InputError
from tsmdbench.registry import Registry

if TYPE_CHECKING:
    from tsmdbench.io.marks import MarkOptions, Marks, Writing
    from tsmdbench.io.series import SeriesOptions, Table
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
    channels : bool
        Whether it holds the channels of sets.
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
    channels: bool = False
    replace: Callable[[dict[str, MotifSet], Writing, MarkOptions], bytes] | None = None
    exported: bool = False


@cache
def series_formats() -> Registry[SeriesFormat]:
    """Return the formats of series, by name."""
    return _gathered(SeriesFormat, "format of series", "series_formats")


@cache
def motif_formats() -> Registry[MotifFormat]:
    """Return the formats of motif sets, by name."""
    return _gathered(MotifFormat, "format of motif sets", "motif_formats")


def _gathered(made_of: Any, kind: str, group: str) -> Registry[Any]:
    registry: Registry[Any] = Registry(kind, group=f"tsmdbench.{group}")
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        for found in importlib.import_module(module.name).FORMATS:
            if isinstance(found, made_of):
                registry.add(found.name, found)
    return registry


def choose_format(registry: Registry[Any], file: Path, name: str | None) -> Any:
    """Return the named format, or infer it from the file extension."""
    if name is not None:
        return registry[name]
    ending = file.suffix.lower()
    known = {e: form for form in registry.values() for e in form.endings}
    if ending not in known:
        raise InputError(
            f"{file}: unknown format {ending or 'without ending'!r}; known: "
            f"{', '.join(sorted(known))}; or name one with file_format (--format): "
            f"{', '.join(registry)}"
        )
    return known[ending]


def checked_options(kind: Any, given: dict[str, Any]) -> Any:
    """Return the options of reading as a dataclass of `kind`; None is the default."""
    known = kind.__dataclass_fields__
    unknown = [name for name in given if name not in known]
    if unknown:
        raise InputError(f"no option {', '.join(unknown)}; known: {', '.join(known)}")
    return kind(**{name: v for name, v in given.items() if v is not None})

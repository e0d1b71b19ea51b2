"""What the author of a method declares about it: its name in tables, what it can do.

Every declaration is an attribute of the class, or of the function. `declare` sets them
in one place and checks them at once; writing them down as class attributes does the
same. A run notes them in its store, since a report never imports what a store names.

``display_name``
    Name of the method in tables, figures and pages.
``univariate``, ``variable_length``, ``symbolic``
    What it can do, see `tsmdbench.methods.base`.
``colour``
    Its colour in figures and pages, as ``"#rrggbb"``.
``version``, ``grid``
    The version that its runs are stored under, and what a search tries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, TypeVar

from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.validation import check_choice, check_flag, check_options

T = TypeVar("T")
LENGTHS = ("no", "inter", "intra")
LONGEST = 60  # characters of a name that still fit into a table
COLOUR = re.compile("#[0-9a-fA-F]{6}")


@dataclass(frozen=True)
class Declared:
    """What is declared about a method; None where nothing is.

    Parameters
    ----------
    display_name : str, optional
    univariate : bool, optional
    variable_length : {"no", "inter", "intra"}, optional
    symbolic : bool, optional
    colour : str, optional
        ``"#rrggbb"``.

    Raises
    ------
    InputError
        A value is none of those that are allowed.
    """

    display_name: str | None = None
    univariate: bool | None = None
    variable_length: str | None = None
    symbolic: bool | None = None
    colour: str | None = None

    def __post_init__(self) -> None:
        if self.display_name is not None:
            check_display_name(self.display_name)
        for name in ("univariate", "symbolic"):
            if getattr(self, name) is not None:
                check_flag(getattr(self, name), name)
        if self.variable_length is not None:
            check_choice(self.variable_length, "variable_length", LENGTHS)
        if self.colour is not None:
            check_colour(self.colour)

    @classmethod
    def of(cls, given: Any) -> Self:
        """Read the attributes of a class, an instance or a function."""
        found = {name: getattr(given, name, None) for name in cls.__dataclass_fields__}
        # A subclass of ours may leave a fact open; a property belongs to instances.
        return cls(**{k: v for k, v in found.items() if not isinstance(v, property)})

    @classmethod
    def from_dict(cls, kept: Any) -> Self:
        """Rebuild it from a manifest."""
        if not isinstance(kept, Mapping):
            raise InputTypeError(f"facts of a method must be a table, got {kept!r:.60}")
        check_options(kept, cls.__dataclass_fields__, "the facts of a method")
        return cls(**kept)

    def to_dict(self) -> dict[str, Any]:
        """Return what is declared, as JSON can hold it."""
        return {name: fact for name, fact in asdict(self).items() if fact is not None}


def check_display_name(name: Any) -> str:
    """Return a name that a table can show, on one line and not too long."""
    if not isinstance(name, str):
        raise InputTypeError(f"display_name must be a text, got {name!r:.80}")
    if not name.strip() or not name.isprintable() or len(name) > LONGEST:
        raise InputError(
            f"display_name must have 1 to {LONGEST} printable characters, got "
            f"{name!r:.80}"
        )
    return name


def check_colour(colour: Any) -> str:
    """Return a colour in the form ``#rrggbb``."""
    if not isinstance(colour, str) or not COLOUR.fullmatch(colour):
        raise InputError(f"colour must be written like '#1f77b4', got {colour!r:.80}")
    return colour


def declare(
    *,
    display_name: str | None = None,
    univariate: bool | None = None,
    variable_length: str | None = None,
    symbolic: bool | None = None,
    colour: str | None = None,
    version: str | None = None,
    grid: Any = None,
) -> Callable[[T], T]:
    """Declare name and properties of a method, as a decorator of classes or functions.

    Parameters
    ----------
    display_name : str, optional
        Name of the method in tables, figures and pages.
    univariate : bool, optional
        Whether it searches one channel only.
    variable_length : {"no", "inter", "intra"}, optional
        One length for all motifs, lengths that differ between sets, or within a set.
    symbolic : bool, optional
        Whether it compares symbols instead of samples.
    colour : str, optional
        Its colour in figures and pages, ``"#rrggbb"``.
    version : str, optional
        The version that its runs are stored under.
    grid : mapping or callable, optional
        What a search tries, see `tsmdbench.methods.Method`.

    Examples
    --------
    >>> @declare(display_name="First and last", univariate=True, variable_length="no")
    ... def ends(series, length):
    ...     return [[(0, length), (len(series) - length, len(series))]]
    >>> ends.display_name
    'First and last'
    """
    facts = Declared(display_name, univariate, variable_length, symbolic, colour)
    given = {**facts.to_dict(), "version": version, "grid": grid}

    def decorate(method: T) -> T:
        for name, value in given.items():
            if value is not None:
                setattr(method, name, value)
        return method

    return decorate

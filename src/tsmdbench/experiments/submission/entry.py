"""Who submits what: the fields of an entry, from a TOML file or from options.

::

    name = "MyMethod"
    version = "1.2"
    licence = "MIT"
    contact = "me@example.org"
    authors = "A. Author, B. Author"
    url = "https://example.org/mymethod"
    paper = "https://doi.org/10.1000/1"
    date = "2026-11-16"
    about = "One sentence about the method."
    tuning = "The grid of the class, on the validation split."
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any, Self

from tsmdbench.errors import InputError
from tsmdbench.io import PathLike

LONGEST = 1000  # characters of a field
LARGEST = 2**20  # bytes of a file
NEEDED = ("name", "version", "licence", "contact")
ADDRESS = re.compile(r"https?://[^\s<>\"'\\^`{|}]+")


@dataclass(frozen=True)
class Entry:
    """Who submits what, and under which licence; all texts.

    Parameters
    ----------
    name : str
        What the method is called on a board; several versions have one name.
    version : str
    licence : str
        Of the results: what others may do with them.
    contact : str
        Where a question reaches the authors. It is in the file and not on a board.
    authors, url, paper, about : str
        Shown on a board. The two addresses begin with ``https://`` or ``http://``.
    date : str
        ``YYYY-MM-DD``; the versions of a name are ordered by it.
    tuning : str
        How settings were chosen that neither a search of this package nor the data
        chose.
    """

    name: str
    version: str
    licence: str
    contact: str
    authors: str = ""
    url: str = ""
    paper: str = ""
    date: str = ""
    about: str = ""
    tuning: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            self._check(field.name)
        for name in ("url", "paper"):
            address = getattr(self, name)
            if address and not ADDRESS.fullmatch(address):
                raise InputError(
                    f"entry: {name} must be an address like https://example.org, got "
                    f"{address!r:.80}"
                )
        if self.date:
            _check_date(self.date)

    def _check(self, name: str) -> None:
        value = getattr(self, name)
        if not isinstance(value, str):
            raise InputError(f"entry: {name} must be a text, got {value!r:.80}")
        if name in NEEDED and not value.strip():
            raise InputError(
                f"entry: {name} is missing; give --{name}, or {name} = ... in the file "
                f"of --entry"
            )
        if len(value) > LONGEST or not value.isprintable():
            raise InputError(
                f"entry: {name} must be one line of at most {LONGEST} characters"
            )

    def to_dict(self) -> dict[str, str]:
        """Return it as JSON can hold it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Any) -> Self:
        """Make an entry of names and values; raise `InputError` for anything else."""
        if not isinstance(given, Mapping):
            raise InputError(f"an entry must be names and values, got {given!r:.80}")
        known = [field.name for field in fields(cls)]
        unknown = [str(name) for name in given if name not in known]
        if unknown:
            raise InputError(
                f"entry: {unknown[0]!r:.80} is not a field; fields are "
                f"{', '.join(known)}"
            )
        return cls(**{**dict.fromkeys(NEEDED, ""), **given})


def _check_date(text: str) -> None:
    try:
        date.fromisoformat(text)
    except ValueError:
        raise InputError(
            f"entry: date must be written YYYY-MM-DD, got {text!r:.80}"
        ) from None


def read_entry(file: PathLike | None, options: Mapping[str, str | None]) -> Entry:
    """Return the entry of a TOML file; options that are given go before it."""
    given: dict[str, Any] = {}
    if file is not None:
        path = Path(file)
        try:
            if path.stat().st_size > LARGEST:
                raise InputError(f"{path} has more than {LARGEST} bytes")
            given = tomllib.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(f"{path} is not a TOML file: {error}") from None
    given |= {name: value for name, value in options.items() if value is not None}
    # TOML has dates of its own.
    if isinstance(given.get("date"), date):
        given["date"] = given["date"].isoformat()
    return Entry.from_dict(given)

"""Files of parameters and grids: TOML with a table per method."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tsmdbench.errors import InputError
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS

MOST_TOML = 4 * 2**20  # bytes of a file of parameters or grids
BARE = re.compile(r"[A-Za-z0-9_-]+")  # names that a heading has without quotes
UNQUOTED = re.compile(r"^[ \t]*\[([^\"'\[\]\n]*:[^\"'\[\]\n]*)\]", re.MULTILINE)


def read_toml(path: PathLike, what: str) -> dict[str, Any]:
    """Read a TOML file with a table per method."""
    file = Path(path)
    try:
        if not file.is_file():
            raise InputError(f"{file} does not exist or is not a file")
        if file.stat().st_size > MOST_TOML:
            raise InputError(f"{file} has more than {MOST_TOML} bytes; it must be less")
        text = file.read_text(encoding="utf-8")
        tables = tomllib.loads(text)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{file} is not a TOML file: {error}{_unquoted(text)}") from (
            None
        )
    except (ValueError, RecursionError) as error:
        raise InputError(f"{file} is not a TOML file: {error}") from None
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise InputError(
                f"{file}: {what} are given by method; put {name!r} under a heading "
                f"like [locomotif]"
            )
    return tables


def check_headings(
    tables: Mapping[str, Any], file: PathLike, methods: Iterable[str]
) -> None:
    """Raise if a heading is the name of no method, so that it would change nothing.

    A file may have tables of methods that are not run this time.
    """
    wanted = list(methods)
    for heading in tables:
        if heading in wanted or heading in METHODS or ":" in heading:
            continue
        raise InputError(
            f"{file}: the heading {toml_heading(heading)} is not the name of a method; "
            f"this run has {', '.join(map(toml_heading, wanted))}"
        )


def _unquoted(text: str) -> str:
    """Return a hint where a heading has a colon outside quotes."""
    found = UNQUOTED.search(text)
    if found is None:
        return ""
    method, *rest = re.split(r"(?=\.datasets\b)", found[1].strip(), maxsplit=1)
    right = f'["{method}"{"".join(rest)}]'
    return f"; a heading with a colon needs quotes: write {right}"


def toml_heading(method: str) -> str:
    """Return the heading of a method in a file of parameters or grids.

    >>> toml_heading("stomp"), toml_heading("naive:Naive")
    ('[stomp]', '["naive:Naive"]')
    """
    return f"[{method}]" if BARE.fullmatch(method) else f"[{json.dumps(method)}]"

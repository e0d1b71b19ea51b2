"""How many series a page carries: the choice behind ``--embed``.

The segments of every run are always in the page: the explorer and its slider need them,
and they are small. Series are what weighs.

``auto``
    As many as fit into a page of 24 MB: the first problem of each dataset, then the
    second of each, and so on.
``all``
    Every series, however large the page becomes.
``none``
    No series; the explorer shows segments only.
a whole number
    The series of the first so many problems of each dataset.
"""

from __future__ import annotations

from dataclasses import dataclass

from tsmdbench.errors import InputError, InputTypeError

PAGE_BYTES = 24_000_000  # what "auto" aims at
CHOICES = "'auto', 'all', 'none' or a number of problems per dataset"


@dataclass(frozen=True)
class Embed:
    """Limits on the series of a page; None means no limit.

    Attributes
    ----------
    problems : int, optional
        Series of each dataset.
    page_bytes : int, optional
        Size of the page with all it holds, in bytes.
    """

    problems: int | None = None
    page_bytes: int | None = None


def check_embed(embed: str | int | Embed) -> Embed:
    """Return the limits that a choice stands for.

    Examples
    --------
    >>> check_embed("20")
    Embed(problems=20, page_bytes=None)
    >>> check_embed("auto")
    Embed(problems=None, page_bytes=24000000)
    """
    if isinstance(embed, Embed):
        return embed
    if isinstance(embed, bool) or not isinstance(embed, str | int):
        raise InputTypeError(f"embed must be {CHOICES}, got {embed!r}")
    named = {
        "auto": Embed(page_bytes=PAGE_BYTES),
        "all": Embed(),
        "none": Embed(problems=0),
    }
    text = str(embed).strip()
    if text in named:
        return named[text]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InputError(f"embed must be {CHOICES}, got {embed!r}")
    return Embed(problems=int(text))

r"""What reaches the terminal: text that it can show, and nothing that it obeys.

Names of sets, methods, problems and files come from outside. One with an escape
sequence could clear the screen or forge a line, one that the encoding of the terminal
does not have would end the command. Both are shown as ``\x1b`` and the like.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

# C0 and C1 controls but tab and newline, line and paragraph separators, and what
# changes the direction of text.
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def escaped(text: str) -> str:
    r"""Return text with every control character written out.

    >>> print(escaped("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return UNSAFE.sub(lambda match: ascii(match[0])[1:-1], text)


class SafeStream:
    """A text stream that escapes what is written to it.

    Parameters
    ----------
    stream : text stream
        Everything but writing is left to it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write text, with what cannot be shown written out."""
        safe = escaped(text)
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        self._stream.write(safe.encode(encoding, "backslashreplace").decode(encoding))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def safe_output() -> Iterator[None]:
    """Escape what is printed."""
    before = sys.stdout
    sys.stdout = SafeStream(before)
    try:
        yield
    finally:
        sys.stdout = before

"""The progress of a long search: methods report it, and a caller may listen.

`find` takes a series and nothing else, so a method tells the listener of the current
context, if there is one.

Examples
--------
>>> with listening(lambda share: print(f"{share:.0%}")):
...     tell(0.25)
25%
>>> tell(0.5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[float], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` be told the share of the work that is done, from 0 to 1."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(share: float) -> None:
    """Tell the listener, if there is one, the share of the work that is done."""
    listener = _listener.get()
    if listener is not None:
        listener(share)

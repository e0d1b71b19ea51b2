"""How far a long search is: whoever computes tells, whoever called may listen.

`find` takes a series and nothing else, so a method tells the listener of the current
context, if there is one. A step that tells its own share is put `within` its part of
the whole.

Examples
--------
>>> with listening(lambda share: print(f"{share:.0%}")):
...     tell(0.25)
...     with within(0.5, 1.0):
...         tell(0.5)
25%
75%
>>> tell(0.5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
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


def is_heard() -> bool:
    """Tell whether there is a listener."""
    return _listener.get() is not None


@contextmanager
def within(first: float, last: float) -> Iterator[None]:
    """Let what is told inside count from `first` to `last` of the whole."""
    outer = _listener.get()
    if outer is None:
        yield
        return
    with listening(lambda share: outer(first + (last - first) * share)):
        yield


def each(items: Sequence[T]) -> Iterator[T]:
    """Yield items; what is told during one counts as its part of the whole.

    >>> with listening(lambda share: print(f"{share:.0%}")):
    ...     for _ in each(["first", "second"]):
    ...         tell(0.5)
    25%
    50%
    75%
    100%
    """
    outer = _listener.get()
    if outer is None:
        yield from items
        return
    for turn, item in enumerate(items):
        token = _listener.set(_part(outer, turn, len(items)))
        try:
            yield item
        finally:
            _listener.reset(token)
        outer((turn + 1) / len(items))


def _part(outer: Listener, turn: int, number: int) -> Listener:
    return lambda share: outer((turn + share) / number)

"""Progress reporting through a context variable.

`find` takes a series and nothing else, so a method reports to the listener of the
current context, if there is one. A step with its own progress runs `within` its part of
the whole.

Examples
--------
>>> with listening(lambda share: print(f"{share:.0%}")):
...     report_progress(0.25)
...     with within(0.5, 1.0):
...         report_progress(0.5)
25%
75%
>>> report_progress(0.5)
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
    """Call `listener` with the fraction done, from 0 to 1."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report_progress(share: float) -> None:
    """Report the fraction done to the listener, if any."""
    listener = _listener.get()
    if listener is not None:
        listener(share)


@contextmanager
def within(first: float, last: float) -> Iterator[None]:
    """Map progress reported inside to the range from `first` to `last`."""
    outer = _listener.get()
    if outer is None:
        yield
        return
    with listening(lambda share: outer(first * (1 - share) + last * share)):
        yield


def each(items: Sequence[T]) -> Iterator[T]:
    """Yield items; progress during each counts as its share of the whole.

    >>> with listening(lambda share: print(f"{share:.0%}")):
    ...     for _ in each(["first", "second"]):
    ...         report_progress(0.5)
    25%
    50%
    75%
    100%
    """
    for turn, item in enumerate(items):
        with within(turn / len(items), (turn + 1) / len(items)):
            yield item
        report_progress((turn + 1) / len(items))

"""Names of the functions that numba compiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


@contextmanager
def compilations(
    callback: Callable[[str], None] | None = None,
) -> Iterator[list[str]]:
    """Collect the names of functions that numba compiles within the context.

    What it loads from its cache is not among them.

    Parameters
    ----------
    callback : callable, optional
        Called with the name of each function when its compilation begins.
    """
    listener = _Names(callback)
    with event.install_listener("numba:compile", listener):
        yield listener.names


class _Names(event.Listener):  # type: ignore[misc]
    def __init__(self, callback: Callable[[str], None] | None) -> None:
        self.names: list[str] = []
        self._callback = callback

    def on_start(self, event: event.Event) -> None:
        dispatcher = event.data["dispatcher"]
        self.names.append(dispatcher.py_func.__name__)
        if self._callback is not None:
            self._callback(self.names[-1])

    def on_end(self, event: event.Event) -> None:
        pass

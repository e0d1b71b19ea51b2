"""Notice when numba compiles: how long it takes, and what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba.core import event


@contextmanager
def compile_seconds() -> Iterator[list[float]]:
    """Collect the seconds within the context in which numba compiled or loaded code.

    Numba holds its compiler lock for as long as it compiles a function or loads it
    from its cache; nested compilations count once.
    """
    spent: list[float] = []
    with event.install_timer("numba:compiler_lock", spent.append):
        yield spent


@contextmanager
def compilations(
    told: Callable[[str], None] | None = None,
) -> Iterator[list[str]]:
    """Collect the names of functions that numba compiles within the context.

    What it loads from its cache is not among them.

    Parameters
    ----------
    told : callable, optional
        Called with the name of each function when its compilation begins.
    """
    listener = _Names(told)
    with event.install_listener("numba:compile", listener):
        yield listener.names


class _Names(event.Listener):  # type: ignore[misc]
    def __init__(self, told: Callable[[str], None] | None) -> None:
        self.names: list[str] = []
        self._told = told

    def on_start(self, event: event.Event) -> None:
        dispatcher = event.data["dispatcher"]
        self.names.append(dispatcher.py_func.__name__)
        if self._told is not None:
            self._told(self.names[-1])

    def on_end(self, event: event.Event) -> None:
        pass

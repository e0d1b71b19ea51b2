"""How long compiling took, so that a clock can leave it out."""

from __future__ import annotations

from collections.abc import Iterator
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

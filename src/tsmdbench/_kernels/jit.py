"""The decorators of all kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from numba import njit
from numba.core import config

from tsmdbench._kernels.cache_folder import cache_folder

# Fast, but without the assumptions that NaN and infinity do not occur: both do.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function on its first call and keep the code in our cache folder.

    Parameters
    ----------
    function : callable, optional
        Without it, a decorator with these options is returned.
    **options
        What `numba.njit` takes.
    """
    if function is None:
        return partial(compiled, **options)
    if config.DISABLE_JIT:
        return function
    folder = cache_folder()
    with _caching_in(folder):
        return njit(cache=folder is not None, nogil=True, **options)(function)


@contextmanager
def _caching_in(folder: object) -> Iterator[None]:
    """Let numba choose this folder; it does so when it decorates a function.

    The setting is taken back, since it holds for all libraries in the process.
    """
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder or "")
    try:
        yield
    finally:
        config.CACHE_DIR = before


kernel = partial(compiled, fastmath=FASTMATH)
# For loops whose result must not depend on how a sum was regrouped.
strict_kernel = partial(compiled, fastmath=False)

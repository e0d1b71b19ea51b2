"""The decorators of all kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial, update_wrapper
from typing import Any

# Fast, but without the assumptions that NaN and infinity do not occur: both do.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}
# Threads may be the first to call kernels, and the folder is a setting of the process.
ONE_AT_A_TIME = threading.Lock()


class Kernel:
    """A function that numba compiles on its first call, into our cache folder.

    numba is imported then, so that listing the methods does not import it. A kernel
    that calls another one gets its dispatcher through the attribute ``_numba_type_``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options = options
        self._dispatcher: Any = None

    @property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
        if self._dispatcher is None:
            with ONE_AT_A_TIME:
                if self._dispatcher is None:
                    self._dispatcher = self._made()
        return self._dispatcher

    def _made(self) -> Any:
        """Return a new dispatcher, which keeps its code in our folder."""
        from numba import njit
        from numba.core import config

        from tsmdbench._kernels.cache_folder import cache_folder

        folder = None if config.DISABLE_JIT else cache_folder()
        # numba chooses the folder of a function here. The setting is taken back, since
        # it holds for all libraries in the process.
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
        try:
            cached = folder is not None
            return njit(cache=cached, nogil=True, **self._options)(self.py_func)
        finally:
            config.CACHE_DIR = before

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)


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
    return Kernel(function, options)


kernel = partial(compiled, fastmath=FASTMATH)
# For loops whose result must not depend on how a sum was regrouped.
strict_kernel = partial(compiled, fastmath=False)

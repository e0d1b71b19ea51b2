"""The decorators of all kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial, update_wrapper
from typing import Any

# Fast, but without the assumptions that NaN and infinity do not occur: both do.
FASTMATH = {"nsz", "arcp", "contract", "afn", "reassoc"}


class Kernel:
    """A function that numba compiles on its first call, into our cache folder.

    numba is imported then, so that listing the methods does not import it. A kernel
    that calls another one gets its dispatcher through the attribute ``_numba_type_``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func = function
        self._options = options

    @cached_property
    def dispatcher(self) -> Any:
        """What numba makes of the function."""
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

"""Late imports: a package imports a public name when it is first used.

What a package has, and where, is read from its block ``if TYPE_CHECKING``, which type
checkers read too. lazy_loader does the same from stub files, which would be a file more
for each package, and a dependency of the core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def attach(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package, given its ``__name__``.

    The first imports a name when it is first looked up, the second lists ``__all__``.
    A module of the package must not have the name of something public: once imported it
    would be found in its place.

    >>> import tsmdbench
    >>> get, names = attach("tsmdbench")
    >>> get("MotifSet") is tsmdbench.MotifSet, names() == sorted(tsmdbench.__all__)
    (True, True)
    """

    @cache
    def places() -> dict[str, str]:
        import ast

        loader: Any = sys.modules[package].__loader__
        blocks = ast.parse(loader.get_source(package)).body
        (block,) = (node for node in blocks if isinstance(node, ast.If))
        lines = (node for node in block.body if isinstance(node, ast.ImportFrom))
        return {name.name: str(line.module) for line in lines for name in line.names}

    def get(name: str) -> Any:
        if name not in sys.modules[package].__all__ or name not in places():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(places()[name]), name)

    return get, lambda: sorted(sys.modules[package].__all__)

"""Late imports: a package imports a public name when it is first used.

lazy_loader does the same from stub files. The stubs would repeat the blocks
``if TYPE_CHECKING`` that the packages have, and add a dependency of the core.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, places: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    The first imports a name when it is first looked up, the second lists ``__all__``.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    places : mapping
        Public name to the module that has it, of the package or, with its full name,
        another one. A module of the package must not have the name of something public:
        once imported it would be found in its place.

    Examples
    --------
    >>> import tsmdbench
    >>> get, names = attach("tsmdbench", {"MotifSet": "types"})
    >>> get("MotifSet") is tsmdbench.MotifSet, names() == sorted(tsmdbench.__all__)
    (True, True)
    """

    def get(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        place = places[name]
        full = place if place.startswith("tsmdbench.") else f"{package}.{place}"
        return getattr(import_module(full), name)

    return get, lambda: sorted(sys.modules[package].__all__)

"""Compile what the methods need, before it is needed.

numba compiles a kernel when it is first called, and keeps the code on disk, one folder
for each version of the kernels, numba, NumPy and Python, shared by all processes (see
`tsmdbench._kernels.cache_folder`). `warmup` runs every method once on a small problem,
and what only further functions need, so that nothing has to be compiled later.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from tsmdbench.errors import InternalError
from tsmdbench.methods import METHODS

# What a field that has no default is set to; these suit `planted_problem`.
VALUES: dict[str, Any] = {
    "length": 50,
    "window": 30,
    "l_min": 40,
    "l_max": 44,
    "radius": 2.0,
    "radius_factor": 3.0,
    "k_max": 4,
    "word_length": 4,
    "alphabet_size": 3,
}
# Further settings, for kernels that the defaults do not call.
FURTHER: dict[str, list[dict[str, Any]]] = {
    "emma": [{"mode": "sax"}, {"count": "windows"}],
    "random_walk_detector": [{"lags": 0}],
}


class Warmed(NamedTuple):
    """One method that is ready.

    Attributes
    ----------
    name : str
    functions : int
        How many functions were compiled; 0 if all of them were in the cache.
    seconds : float
        What it took, the small problem included.
    """

    name: str
    functions: int
    seconds: float


def warmup(names: Iterable[str] | None = None) -> Iterator[Warmed]:
    """Compile the kernels of methods, one method after the other.

    Parameters
    ----------
    names : iterable of str, optional
        Names of methods of this package; by default all of them.

    Yields
    ------
    Warmed
        The method that is now ready.

    Examples
    --------
    >>> [ready.name for ready in warmup(["setfinder"])]
    ['setfinder']
    """
    from tsmdbench._kernels.compile_time import compilations

    for name in METHODS.added() if names is None else names:
        cls = METHODS[name]
        begin = time.perf_counter()
        with compilations() as compiled:
            for channels in (1,) if cls.univariate else (1, 2):
                _use(cls, channels, {})
            for further in FURTHER.get(name, ()):
                _use(cls, 1, further)
            if name in OTHERS:
                OTHERS[name]()
        yield Warmed(name, len(compiled), time.perf_counter() - begin)


def _use(cls: Any, channels: int, further: dict[str, Any]) -> None:
    """Let a method find on a small problem, by itself and in a sweep."""
    from tsmdbench.methods.contract import planted_problem

    series = planted_problem(channels).series
    method = cls(**_settings(cls), **further)
    method.find(series)
    # Settings of a sweep share what a single one computes by other kernels.
    type(method).sweep(series, [method, method])


def _export_grammar() -> None:
    """Write a grammar out."""
    from tsmdbench.methods.contract import planted_problem

    cls = METHODS["gv_sequitur"]
    cls(**_settings(cls)).grammar(planted_problem(1).series).expand()


# Functions that call kernels which `find` on a small problem does not.
OTHERS: dict[str, Callable[[], None]] = {
    "gv_sequitur": _export_grammar,
}


def _settings(cls: Any) -> dict[str, Any]:
    """Return values for the fields of a method that have no default."""
    needed = [
        field.name
        for field in dataclasses.fields(cls)
        if field.default is dataclasses.MISSING
        and field.default_factory is dataclasses.MISSING
    ]
    unknown = [name for name in needed if name not in VALUES]
    if unknown:
        raise InternalError(
            f"warmup has no value for {', '.join(unknown)} of {cls.__name__}; "
            f"add it to {__name__}.VALUES"
        )
    return {name: VALUES[name] for name in needed}

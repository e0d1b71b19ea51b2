"""Compile the kernels of methods ahead of time.

numba compiles a kernel when it is first called, and keeps the code on disk, one folder
for each version of the kernels, numba, NumPy and Python, shared by all processes (see
`tsmdbench._kernels.cache_folder`). `warmup` runs every method once on a small problem,
and what only long series or further functions need, so that nothing has to be compiled
later.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tsmdbench.errors import InternalError, MissingExtraError
from tsmdbench.methods import METHODS
from tsmdbench.methods.contract import planted_problem
from tsmdbench.methods.info import MethodInfo

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


class Warmed(NamedTuple):
    """One method that is ready, or skipped."""

    name: str
    functions: int  # that were compiled; 0 if all of them were in the cache
    seconds: float  # the small problem included
    skipped: str = ""  # which optional package is missing


def warmup(names: Iterable[str] | None = None) -> Iterator[Warmed]:
    """Compile the kernels of methods, one method after the other.

    Parameters
    ----------
    names : iterable of str, optional
        Names of methods of this package; by default all of them.

    Yields
    ------
    Warmed
        The method that is now ready, or that needs a package which is not installed.

    Examples
    --------
    >>> [ready.name for ready in warmup(["setfinder"])]
    ['setfinder']
    """
    from tsmdbench._kernels.compile_time import compilations

    for name in METHODS.added() if names is None else names:
        cls = METHODS[name]
        begin, skipped = time.perf_counter(), ""
        with compilations() as compiled:
            try:
                for given in cls.warm_up:
                    method = cls(**{**_required(cls, given), **given})
                    for channels in (1,) if cls.univariate else (1, 2):
                        series = planted_problem(channels).series
                        method.find(series)
                        # Settings of a sweep share what one computes by other kernels.
                        cls.sweep(series, [method, method])
                cls._warm_up(planted_problem().series)
            except MissingExtraError as missing:
                skipped = str(missing)
        yield Warmed(name, len(compiled), time.perf_counter() - begin, skipped)


def _required(cls: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values for the fields of a method that have no default."""
    needed = [name for name in MethodInfo.of(cls).parameters if name not in given]
    unknown = [name for name in needed if name not in VALUES]
    if unknown:
        raise InternalError(
            f"warmup has no value for {', '.join(unknown)} of {cls.__name__}; "
            f"add it to the class attribute warm_up"
        )
    return {name: VALUES[name] for name in needed}

"""Tell that runs wait for compilation, by what appears in the folder of compiled code.

Methods are compiled by the processes that run them, on their first use, into a folder
that all processes share. On a cluster that does not share it nothing is told.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tsmdbench.experiments.progress import LINE_EVERY, Progress


class CompileWatch:
    """Count the functions that are compiled while runs are made.

    Parameters
    ----------
    told : Progress
    folder : path, optional
        Where compiled code is kept; by default that of this package.
    every : float
        Seconds between two sentences.
    """

    def __init__(
        self, told: Progress, folder: Path | None = None, every: float = LINE_EVERY
    ) -> None:
        self._told, self._every = told, every
        self._folder = folder or _folder()
        self._before = self._said = self._count()
        self._last = -every

    def look(self) -> None:
        """Tell how many functions were compiled, if there are more than before."""
        if time.monotonic() - self._last < self._every:
            return
        count = self._count()
        if count > self._said:
            self._told.say(
                "compiling, only the first time with these versions: "
                f"{count - self._before} functions so far"
            )
            self._said, self._last = count, time.monotonic()

    def _count(self) -> int:
        if self._folder is None:
            return 0
        return sum(1 for _ in self._folder.rglob("*.nbi"))  # one for each function


def _folder() -> Path | None:
    """Return the folder of compiled code, if the methods of the experiment have any."""
    if "numba" not in sys.modules:
        return None
    from tsmdbench._kernels.cache_folder import cache_folder

    return cache_folder()
